import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { importFile } from '../../../src/client/write/import.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { dataFiles, itemsOf } from '../../../src/trust/check/export/files.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
const KEYS = { source: { S: 'USER-1' }, target: { S: 'USER-1' } };
const METADATA = { WriteTimestampMicros: { N: '1680109764000000' } };
const INCREMENTAL = { Metadata: METADATA, Keys: KEYS, NewImage: { ...KEYS, name: { S: 'Ada' } } };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-import-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function imported(line: object, format: 'plain' | 'dynamodb') {
  const file = join(folder, 'lines.jsonl');
  await writeFile(file, `${JSON.stringify(line)}\n`);
  return await importFile(graph, { store: new MemoryStore(graph.table), file, format });
}

it.each(['plain', 'dynamodb'] as const)('an import of the format %s names other formats', async (format) => {
  for (const line of [INCREMENTAL, { Metadata: METADATA, Keys: KEYS }]) {
    await expect(imported(line, format)).rejects.toThrow('is of an incremental export, which holds changes, not items');
  }
  const scanned = { Items: [KEYS], Count: 1, ScannedCount: 1, ConsumedCapacity: null };
  await expect(imported(scanned, format)).rejects.toThrow('is the answer of a scan or query');
});

it('takes attributes of these names in an item', async () => {
  const item = { source: 'USER-1', target: 'USER-1', Keys: { a: 1 }, Metadata: 'x', Items: [], Count: 0 };
  expect(await imported(item, 'plain')).toMatchObject({ items: 1 });
});

it('a check of an export names an incremental one', async () => {
  await writeFile(join(folder, 'a.json.gz'), gzipSync(`${JSON.stringify(INCREMENTAL)}\n`));
  const read = async () => {
    for await (const _ of itemsOf(graph, await dataFiles(folder)));
  };
  await expect(read()).rejects.toMatchObject({
    ...{ code: 'invalid-file', message: expect.stringContaining('is of an incremental export') },
  });
});
