import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type AttributeValue, type Item, setOwn } from '../../src/core/items/attribute-value.ts';

/** Writes items as DynamoDB exports a table to S3, spread over some files in no order. */
export async function writeExport(folder: string, items: readonly Item[], fileCount = 3): Promise<void> {
  const root = join(folder, 'AWSDynamoDB', '01600000000000-abcdef01');
  await mkdir(join(root, 'data'), { recursive: true });
  const manifest: string[] = [];
  for (let file = 0; file < fileCount; file++) {
    // Partitions are cut apart: nothing is promised about the order of an export.
    const part = items.filter((_item, i) => i % fileCount === file);
    const name = `file${file}.json.gz`;
    await writeFile(
      join(root, 'data', name),
      gzipSync(part.map((item) => `${JSON.stringify({ Item: textual(item) })}\n`).join('')),
    );
    manifest.push(
      JSON.stringify({ itemCount: part.length, dataFileS3Key: `AWSDynamoDB/01600000000000-abcdef01/data/${name}` }),
    );
  }
  await writeFile(join(root, 'manifest-files.json'), `${manifest.join('\n')}\n`);
}

/** An item with its binary values as base64, as JSON has them. */
function textual(item: Item): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) setOwn(copy, name, textualValue(value));
  return copy;
}

function textualValue(value: AttributeValue): unknown {
  if ('B' in value) return { B: Buffer.from(value.B).toString('base64') };
  if ('BS' in value) return { BS: value.BS.map((bytes) => Buffer.from(bytes).toString('base64')) };
  if ('L' in value) return { L: value.L.map(textualValue) };
  return 'M' in value ? { M: textual(value.M) } : value;
}
