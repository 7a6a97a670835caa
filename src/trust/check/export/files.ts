import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { refuseOtherFormats } from '../../../client/write/json-item.ts';
import {
  type AttributeValue,
  type Item,
  MalformedValueError,
  stringOf,
  withBinaryAsBytes,
} from '../../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { describe } from '../../../foundation/describe.ts';
import { EdgeloomError, messageOf } from '../../../foundation/errors.ts';
import { countText } from '../../../foundation/figure.ts';
import { isGzip, linesOf, MAX_LINE_BYTES } from '../../../foundation/lines.ts';
import { withKnownIndexKeys } from '../../../store/index-key-names.ts';
import type { WalkedItem } from '../../../store/table-walk.ts';

/**
 * Reads the files of an export to S3. Each file is read in full, or an error names the file: a part that is left out
 * silently would look like drift.
 */

export interface DataFile {
  path: string;
  /** Number of items according to the manifest; absent if there is none. */
  itemCount?: number;
}

const DATA_FILE = '.json.gz';
const MANIFEST = 'manifest-files.json';
/** Enough for over 200,000 files: the manifest has a line of about 300 bytes for each. */
export const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
export const MAX_EXPORT_DEPTH = 16;

/**
 * Returns the data files in a folder and its subfolders. Throws `invalid-file` if there are none, they aren't exactly
 * those of the manifest, or a folder can't be read.
 */
export async function dataFiles(folder: string): Promise<DataFile[]> {
  if (await isRegularFile(folder)) throw invalidExport(`${folder} is a file, and no folder of an export.`);
  const files = await filesIn(folder, 0);
  const paths = files.filter((path) => path.endsWith(DATA_FILE));
  const manifests = files.filter((path) => basename(path) === MANIFEST);
  if (manifests.length > 1) throw invalidExport(`There is more than one export in ${folder}: ${manifests.join(', ')}.`);
  const [manifest] = manifests;
  if (manifest === undefined) {
    if (paths.length === 0) throw invalidExport(`The folder ${folder} holds no file *${DATA_FILE} of an export.`);
    return paths.map((path) => ({ path }));
  }
  return filesOfManifest(await manifestLines(manifest), paths, folder);
}

/** Follows links to files, but refuses links to folders, which may form a cycle. */
async function filesIn(folder: string, depth: number): Promise<string[]> {
  if (depth > MAX_EXPORT_DEPTH) throw invalidExport(`The folder ${folder} is deeper than ${MAX_EXPORT_DEPTH} folders.`);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw invalidExport(`The folder ${folder} cannot be read: ${messageOf(error)}.`, error);
  });
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const looksLikeFile = entry.name.endsWith(DATA_FILE) || entry.name === MANIFEST;
    if (entry.isDirectory() && !looksLikeFile) files.push(...(await filesIn(path, depth + 1)));
    else if (entry.isFile()) files.push(path);
    else if (await isRegularFile(path)) files.push(path);
    else throw invalidExport(`${path} is no regular file, and no folder: it is not read.`);
  }
  return files;
}

/** Follows links. */
async function isRegularFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    throw invalidExport(`The file ${path} cannot be read: ${messageOf(error)}.`, error);
  }
}

const manifestLine = z.object({ itemCount: z.int().min(0), dataFileS3Key: z.string().min(1) });
type ManifestLine = z.infer<typeof manifestLine>;

async function manifestLines(path: string): Promise<ManifestLine[]> {
  const { size } = await stat(path);
  if (size > MAX_MANIFEST_BYTES) throw invalidExport(`The manifest ${path} has more than ${MAX_MANIFEST_BYTES} bytes.`);
  const lines = (await readFile(path, 'utf8')).split('\n');
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return [];
    try {
      return manifestLine.parse(JSON.parse(line));
    } catch (error) {
      throw invalidExport(`Line ${i + 1} of ${path} names no data file with its count.`, error);
    }
  });
}

function filesOfManifest(lines: readonly ManifestLine[], paths: readonly string[], folder: string): DataFile[] {
  const byName = new Map<string, string[]>();
  for (const path of paths) byName.set(basename(path), [...(byName.get(basename(path)) ?? []), path]);
  const left = new Set(paths);
  const files = lines.map(({ itemCount, dataFileS3Key }): DataFile => {
    const path = closestPath(byName.get(basename(dataFileS3Key)) ?? [], dataFileS3Key, folder);
    if (path === undefined) throw invalidExport(`The export's file ${describe(dataFileS3Key)} is not in ${folder}.`);
    if (!left.delete(path)) throw invalidExport(`The manifest names the file ${path} twice.`);
    return { path, itemCount };
  });
  const [unnamed] = left;
  if (unnamed !== undefined) throw invalidExport(`The file ${unnamed} is not in the manifest.`);
  return files;
}

/**
 * Of several paths that end in the key's file name, returns the one that shares most trailing folders with the key.
 * Throws if two share as many.
 */
function closestPath(paths: readonly string[], key: string, folder: string): string | undefined {
  const expected = key.split('/').reverse();
  const commonFolders = (path: string): number => {
    const parts = relative(folder, path).split(sep).reverse();
    const end = parts.findIndex((part, i) => part !== expected[i]);
    return end < 0 ? parts.length : end;
  };
  const [best, next] = [...paths].sort((left, right) => commonFolders(right) - commonFolders(left));
  if (best !== undefined && next !== undefined && commonFolders(best) === commonFolders(next)) {
    throw invalidExport(`Both ${best} and ${next} may be the export's file ${describe(key)}.`);
  }
  return best;
}

/**
 * Throws `invalid-file` for an item that can't be read, with its file and line, and for a file whose number of items
 * differs from the manifest's.
 *
 * @param holding yields only items whose line contains this text.
 */
export async function* itemsOf(
  graph: CompiledModel,
  files: readonly DataFile[],
  holding?: string,
): AsyncGenerator<WalkedItem> {
  const { partitionKey, sortKey } = graph.table;
  for (const { path, itemCount } of files) {
    let count = 0;
    for await (const { number, bytes } of linesOf(unzippedChunks(path))) {
      const where = `line ${number} of ${path}`;
      if (bytes === undefined) throw invalidExport(`There are more than ${MAX_LINE_BYTES} bytes in ${where}.`);
      if (isGzip(bytes)) throw invalidExport(`The file ${path} is gzip within gzip: unzip it once.`);
      const text = bytes.toString('utf8').trim();
      if (text === '') continue;
      count += 1;
      if (holding !== undefined && !text.includes(holding)) continue;
      const item = withKnownIndexKeys(graph.table, parsedLine(text, where));
      const [source, target] = [stringOf(item[partitionKey]), stringOf(item[sortKey])];
      if (source === undefined || target === undefined) {
        throw invalidExport(`The item of ${where} has no text keys ${partitionKey} and ${sortKey}.`);
      }
      yield { source, target, item };
    }
    if (itemCount !== undefined && count !== itemCount) {
      throw invalidExport(`The file ${path} holds ${countText(count, 'item')}; its manifest says ${itemCount}.`);
    }
  }
}

async function* unzippedChunks(path: string): AsyncGenerator<Buffer> {
  // `yield*` throws the errors of both streams, so the callback ignores them.
  const chunks = pipeline(createReadStream(path), createGunzip(), () => undefined);
  try {
    yield* chunks as AsyncIterable<Buffer>;
  } catch (error) {
    throw invalidExport(`The file ${path} cannot be read: ${messageOf(error)}.`, error);
  }
}

function parsedLine(line: string, where: string): Item {
  try {
    const parsed = JSON.parse(line) as { Item: Item };
    refuseOtherFormats({ ...parsed });
    const { Item: attributes } = parsed;
    const item: Item = {};
    for (const name of Object.keys(attributes)) {
      // The AWS SDK drops an attribute named `__proto__`, so no reader or projection sees it either.
      if (name !== '__proto__') item[name] = parsedValue(attributes[name]!, name);
    }
    return item;
  } catch (error) {
    if (error instanceof EdgeloomError) throw invalidExport(`The text in ${where} ${error.message}.`, error);
    const reason = error instanceof MalformedValueError ? `: ${error.message}` : '';
    throw invalidExport(`There is no item in DynamoDB JSON in ${where}${reason}.`, error);
  }
}

function parsedValue(value: AttributeValue, name: string): AttributeValue {
  try {
    return withBinaryAsBytes(value);
  } catch (error) {
    if (!(error instanceof MalformedValueError)) throw error;
    throw new MalformedValueError(`attribute ${describe(name)} ${error.message}`);
  }
}

function invalidExport(message: string, cause?: unknown): EdgeloomError {
  return new EdgeloomError(
    'invalid-file',
    message,
    'Give the folder of a full export in DynamoDB JSON, with its manifest-files.json and all of its data files.',
    { cause },
  );
}
