import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { importFile } from '../../src/client/write/import.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';

const graph = defineGraph({ table: 'imported', nodes: { USER: node() }, edges: {} });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

async function fileOf(lines: readonly object[]): Promise<string> {
  const file = join(folder, 'items.jsonl');
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

function user(i: number, value: number): object {
  return { source: `USER-${i}`, target: `USER-${i}`, value };
}

/** The stored values by id. */
function valuesIn(memory: MemoryStore): Record<string, unknown> {
  return Object.fromEntries(
    [...memory.items()]
      .map((item) => [item['source'], item['value']])
      .map(([id, value]) => [Object.values(id!)[0], Object.values(value!)[0]]),
  );
}

/** A store whose batches end in any order, and which fails from one on. */
function slowStore(memory: MemoryStore, failsAt = Number.POSITIVE_INFINITY): Store {
  let batches = 0;
  return withReplacedCalls(memory as unknown as Store, {
    async writeMany(...args) {
      batches += 1;
      const mine = batches;
      await new Promise((resolve) => setTimeout(resolve, (mine * 7) % 5));
      if (mine >= failsAt) throw new StoreError('retryable', 'throttled', 'Too many writes.', 'Wait.');
      return await memory.writeMany(args[0]);
    },
  });
}

describe('importFile', () => {
  it('holds no more than the lines in flight, however many the file has', async () => {
    const memory = new MemoryStore(graph.table);
    const file = await fileOf(Array.from({ length: 3_000 }, (_, i) => user(i, i)));
    // As if a map could hold 500 entries: one of Node.js ends at 16,777,216.
    const set = Map.prototype.set;
    let largest = 0;
    const store = withReplacedCalls(memory as unknown as Store, {
      async writeMany(writes) {
        return { wcu: writes.length, calls: 1 };
      },
    });
    vi.spyOn(Map.prototype, 'set').mockImplementation(function (this: Map<unknown, unknown>, key, value) {
      largest = Math.max(largest, this.size);
      return set.call(this, key, value);
    });
    expect(await importFile(graph, { store, file })).toEqual({ items: 3_000, wcu: 3_000, skipped: 0 });
    expect(largest).toBeLessThan(500);
  });

  it('lets the last line of a key win, in whichever order batches end', async () => {
    const memory = new MemoryStore(graph.table);
    const lines = Array.from({ length: 700 }, (_, i) => user((i * 37) % 60, i));
    const file = await fileOf(lines);
    const { total } = await importFile(graph, { store: slowStore(memory), file });
    expect(total).toBeUndefined();
    const last = Object.fromEntries(
      lines
        .map((line) => line as { source: string; value: number })
        .map(({ source, value }) => [source, String(value)]),
    );
    expect(valuesIn(memory)).toEqual(last);
  });

  it('says up to which line all are written where a write fails, and goes on behind it', async () => {
    const memory = new MemoryStore(graph.table);
    const file = await fileOf(Array.from({ length: 400 }, (_, i) => user(i, i)));
    const failure: { message: string; hint: string; code: string } = await importFile(graph, {
      store: slowStore(memory, 6),
      file,
    }).then(
      () => expect.fail('it should fail'),
      (error) => error,
    );
    expect(failure.code).toBe('throttled');
    const line = Number(/All lines up to (\d+) are written/.exec(failure.message)?.[1]);
    expect(line).toBeGreaterThanOrEqual(25);
    expect(Object.keys(valuesIn(memory)).length).toBeGreaterThanOrEqual(line);
    for (let i = 0; i < line; i++) expect(valuesIn(memory)).toHaveProperty(`USER-${i}`);
    const rest = await importFile(graph, { store: memory as unknown as Store, file, fromLine: line + 1 });
    expect(rest.items).toBe(400 - line);
    expect(Object.keys(valuesIn(memory))).toHaveLength(400);
  });

  it('rejects with the error of onProgress, and sends no more lines', async () => {
    const memory = new MemoryStore(graph.table);
    const file = await fileOf(Array.from({ length: 300 }, (_, i) => user(i, i)));
    const store = slowStore(memory);
    const onProgress = (): void => {
      throw new Error('The display is gone.');
    };
    const importing = importFile(graph, { store, file, onProgress, concurrency: 2 });
    await expect(importing).rejects.toThrow('The display is gone.');
    const written = Object.keys(valuesIn(memory)).length;
    expect(written).toBeGreaterThanOrEqual(25);
    expect(written).toBeLessThan(150);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(Object.keys(valuesIn(memory))).toHaveLength(written);
    // Also if all lines are sent by then.
    const last = await fileOf([user(1, 1)]);
    await expect(importFile(graph, { store, file: last, onProgress })).rejects.toThrow('The display is gone.');
  });

  it('keeps the version of a forced line, though the fields of its type drop it', async () => {
    const stored = z.object({ value: z.number(), v: z.number().optional() });
    const fields = stored.transform(({ value }): z.infer<typeof stored> => ({ value }));
    const versioned = defineGraph({
      table: 'imported',
      nodes: { USER: node({ fields, versionAttribute: 'v' }) },
      edges: {},
    });
    const memory = new MemoryStore(versioned.table);
    const file = await fileOf([{ ...user(1, 5), v: 7, more: 'x' }]);
    await importFile(versioned, { store: memory as unknown as Store, file, force: true });
    expect([...memory.items()]).toEqual([
      { source: { S: 'USER-1' }, target: { S: 'USER-1' }, value: { N: '5' }, v: { N: '7' } },
    ]);
  });

  it.each([
    ['nothing', '', 1],
    ['the beginning of a compressed file', Buffer.from([0x1f, 0x8b, 0x08]), 1],
    ['fewer lines than are passed over', '{"source":"USER-1","target":"USER-1"}\n', 5],
  ])('is stopped, not done, where a signal came while its file was written: %s', async (_what, content, fromLine) => {
    const file = join(folder, 'cut.jsonl');
    await writeFile(file, content);
    const store = new MemoryStore(graph.table);
    const result = await importFile(graph, { store, file, fromLine, signal: AbortSignal.abort() });
    expect(result).toMatchObject({ items: 0, total: 0, writtenThrough: fromLine - 1 });
  });

  it('says where it was stopped', async () => {
    const memory = new MemoryStore(graph.table);
    const file = await fileOf(Array.from({ length: 300 }, (_, i) => user(i, i)));
    const stop = new AbortController();
    const result = await importFile(graph, {
      ...{ store: slowStore(memory), file, signal: stop.signal, concurrency: 2 },
      onProgress: (written) => written >= 100 && stop.abort(),
    });
    expect(result.total).toBe(300);
    expect(result.writtenThrough).toBeGreaterThanOrEqual(75);
    for (let i = 0; i < result.writtenThrough!; i++) expect(valuesIn(memory)).toHaveProperty(`USER-${i}`);
  });
});

it('an import from a line that the file does not have is refused, and one from the line after its end is done', async () => {
  const store = new MemoryStore(graph.table) as unknown as Store;
  const file = await fileOf([user(1, 1), user(2, 2)]);
  expect(await importFile(graph, { store, file, fromLine: 3 })).toMatchObject({ items: 0 });
  await expect(importFile(graph, { store, file, fromLine: 4 })).rejects.toMatchObject({
    code: 'invalid-argument',
    message: "The file has 2 lines, so the import can't start at line 4.",
  });
});

it.each([
  ['blank lines, also of spaces', (lines: string[]) => ` \n${lines.join('\n\n\t\n')}\n\n  \n\n`, 8],
  ['a last line of spaces', (lines: string[]) => `${lines.join('\n')}\n  `, 3],
  ['a byte order mark', (lines: string[]) => `\uFEFF${lines.join('\n')}\n`, 2],
  ['only a byte order mark on a line', (lines: string[]) => `\uFEFF\n${lines.join('\n')}`, 3],
  ['CRLF', (lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`, 3],
])('an import takes a file with %s, and counts all of its lines', async (_what, textOf, count) => {
  const file = join(folder, 'items.jsonl');
  await writeFile(file, textOf([user(1, 1), user(2, 2)].map((line) => JSON.stringify(line))));
  const memory = new MemoryStore(graph.table);
  const store = memory as unknown as Store;
  expect(await importFile(graph, { store, file })).toEqual({ items: 2, wcu: 2, skipped: 0 });
  expect(valuesIn(memory)).toEqual({ 'USER-1': '1', 'USER-2': '2' });
  expect(await importFile(graph, { store, file, fromLine: count + 1 })).toMatchObject({ items: 0 });
  const message = `The file has ${count} lines, so the import can't start at line ${count + 2}.`;
  await expect(importFile(graph, { store, file, fromLine: count + 2 })).rejects.toMatchObject({ message });
});
