import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Local, startLocal } from '../../packages/local/local.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { contributionsOf } from '../../src/mirror/contributions.ts';
import { mappedEdge, mappedNode } from '../../src/mirror/items.ts';
import { importLines } from '../../src/mirror/lines.ts';
import { type SourceTableOptions, sourceTable } from '../../src/mirror/source.ts';
import { Random } from '../simulator/kernel/random.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** Changes of another system as lines with positions: whatever their order, the newest decides. */

interface Row {
  id: string;
  name: string;
  of?: string;
}
interface Line {
  position: number | string;
  before: Row | null;
  after: Row | null;
}

const map: SourceTableOptions['map'] = ({ id, name, of, bad }) => {
  if (bad) throw new Error('bad');
  return [
    mappedNode(`ORDER-${id}`, { name }),
    ...(of ? [mappedEdge(`ORDER-${id}`, 'OF', `USER-${of}`, { name })] : []),
  ];
};
const keys = { partitionKey: 'id' };
const orders = sourceTable('orders', { keys, map });

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgeloom-lines-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function fileOf(lines: readonly (Line | string)[]): Promise<string> {
  const file = join(folder, `${files++}.jsonl`);
  await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return file;
}

function graphOf(table: string) {
  return defineGraph({
    table,
    nodes: { ORDER: node({ view: 'ALL' }), USER: node({ view: 'ALL' }) },
    edges: { OF: edge({ from: 'ORDER', to: 'USER' }) },
    mirrored: ['ORDER', 'USER', 'OF'],
  });
}
type Model = ReturnType<typeof graphOf>;
interface Place {
  graph: Model;
  store: Store & ScanSource;
}

/** What the base items show: attributes by key. */
async function shown({ graph, store }: Place): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
  for (const item of items) {
    const contributions = contributionsOf(graph, item);
    const content = contributions?.byMaker.get(contributions.shown)?.content;
    if (content === undefined) continue;
    found[`${(item['source'] as { S: string }).S} ${(item['target'] as { S: string }).S}`] = JSON.stringify(content);
  }
  return found;
}

/** A log of changes of a few records, oldest first. */
function logOf(random: Random): Line[] {
  const rows = new Map<string, Row>();
  return Array.from({ length: 40 }, (_, i) => {
    const id = String(random.below(5));
    const before = rows.get(id) ?? null;
    const of = random.chance(0.6) ? String(random.below(3)) : undefined;
    const isGone = before !== null && random.chance(0.3);
    const after = isGone ? null : { id, name: `n${random.below(99)}`, ...(of !== undefined && { of }) };
    if (after === null) rows.delete(id);
    else rows.set(id, after);
    // Positions of more digits come later, whatever their texts.
    return { position: i < 20 ? i : `${i}00000000000000000000000`, before, after };
  });
}

describe.each(['the engine of the tests', 'memory'])('importLines on %s', (engine) => {
  const stops: Local[] = [];
  afterAll(async () => {
    for (const local of stops) await local.stop();
  });

  async function place(): Promise<Place> {
    if (engine !== 'memory') return await testTable(graphOf(uniqueTableName()));
    const graph = graphOf('records');
    const local = await startLocal(graph, { engine: 'memory', observe: false });
    stops.push(local);
    return { graph, store: local.store };
  }

  it('ends the same for lines in order, late, repeated and out of order, in one file or in several', async () => {
    for (const seed of [1, 2]) {
      const random = new Random(seed);
      const log = logOf(random);
      const inOrder = await place();
      await importLines(inOrder.graph, {
        store: inOrder.store,
        source: orders,
        file: await fileOf(log),
        concurrency: 1,
      });
      const expected = await shown(inOrder);
      expect(Object.keys(expected).length).toBeGreaterThan(2);
      const mixed = await place();
      const lines = [...log, ...log.filter(() => random.chance(0.3))];
      for (let i = lines.length - 1; i > 0; i--) {
        const j = random.below(i + 1);
        [lines[i], lines[j]] = [lines[j]!, lines[i]!];
      }
      const cut = random.below(lines.length);
      for (const part of [lines.slice(0, cut), lines.slice(cut), log]) {
        const result = await importLines(mixed.graph, { store: mixed.store, source: orders, file: await fileOf(part) });
        expect(result).toMatchObject({ lines: part.length, refusedLines: 0 });
      }
      expect(await shown(mixed)).toEqual(expected);
      // Again nothing is written.
      const again = { store: mixed.store, source: orders, file: await fileOf(log) };
      expect(await importLines(mixed.graph, again)).toMatchObject({ written: 0 });
    }
  });

  it('lets another version of the mapping say again what the lines say, and takes the rest away', async () => {
    const at = await place();
    const { graph } = at;
    const row = (id: string, of: string): Row => ({ id, name: id, of });
    const log = [
      { position: 1, before: null, after: row('1', 'a') },
      { position: 2, before: null, after: row('2', 'b') },
      { position: 3, before: row('2', 'b'), after: null },
    ];
    await importLines(graph, { store: at.store, source: orders, file: await fileOf(log) });
    const second = sourceTable('orders', { keys, version: 2, map: ({ id }) => [mappedNode(`ORDER-${id}`, { v: 2 })] });
    const file = await fileOf(log);
    await importLines(graph, { store: at.store, source: second, file });
    expect(Object.keys(await shown(at)).sort()).toEqual(['ORDER-1 OF-USER-a', 'ORDER-1 ORDER-1']);
    const last = await importLines(graph, { store: at.store, source: second, file, complete: true });
    expect(last).toMatchObject({ written: 1 });
    expect(await shown(at)).toEqual({ 'ORDER-1 ORDER-1': '{"v":{"N":"2"}}' });
    // The version before has no word any more.
    await importLines(graph, { store: at.store, source: orders, file });
    expect(Object.keys(await shown(at))).toEqual(['ORDER-1 ORDER-1']);
  });
});

describe('importLines', () => {
  it('names lines that it does not take, and does the others', async () => {
    const at = await testTable(graphOf(uniqueTableName()));
    const { graph, store } = at;
    const row = { id: '1', name: 'one' };
    const file = await fileOf([
      { position: 1, before: null, after: row },
      'no json',
      '{"position":-1,"before":null,"after":{"id":"2"}}',
      '{"position":2,"before":null,"after":null}',
      '{"position":2,"before":{"id":"1"},"after":{"id":"2"}}',
      '{"position":2,"before":null,"after":{"name":"no key"}}',
      '{"position":2,"before":null,"after":{"id":"3","bad":true}}',
      '{"position":2,"before":null,"after":"text"}',
      '',
      { position: 3, before: null, after: { ...row, id: '4' } },
    ]);
    const told: number[] = [];
    const options = { source: orders, store, file, complete: true, onProgress: (lines: number) => told.push(lines) };
    const { refused, ...counts } = await importLines(graph, options);
    expect(counts).toEqual({ lines: 9, written: 2, refusedLines: 7 });
    expect(refused.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(refused.map(({ reason }) => reason).join('\n')).toMatch(
      /JSON[\s\S]*position[\s\S]*neither[\s\S]*other keys[\s\S]*no key attribute id[\s\S]*bad[\s\S]*no object/,
    );
    expect(told.at(-1)).toBe(9);
    // The mapping takes it later, and the same file again does the rest; a gzip file is one too.
    const taking = sourceTable('orders', { keys, map: ({ id }) => [mappedNode(`ORDER-${id}`)] });
    const zipped = join(folder, 'log.jsonl.gz');
    await writeFile(zipped, gzipSync('{"position":2,"before":null,"after":{"id":"3","bad":true}}'));
    expect(await importLines(graph, { source: taking, store, file: zipped })).toMatchObject({ written: 1 });
  });

  it('refuses a line whose before the mapping does not take, and does it when the mapping does', async () => {
    const odd = { id: '1', name: 'odd', of: 'a', bad: true };
    const first = { position: 1, before: null, after: { id: '1', name: 'one', of: 'a' } };
    const second = { position: 2, before: first.after, after: odd };
    const taking = sourceTable('orders', { keys, map: (item) => map({ ...item, bad: false }) });
    const ends = [
      { after: null, left: [] },
      { after: { id: '1', name: 'three' }, left: ['ORDER-1 ORDER-1'] },
    ];
    for (const { after, left } of ends) {
      const at = await testTable(graphOf(uniqueTableName()));
      const { graph, store } = at;
      await importLines(graph, { source: orders, store, file: await fileOf([first, second]) });
      // The line that the mapping did not take was in another file: this one tells it too.
      const file = await fileOf([{ position: 3, before: odd, after }]);
      const { refused } = await importLines(graph, { source: orders, store, file });
      expect(refused).toEqual([{ line: 1, reason: expect.stringContaining('bad') }]);
      expect(Object.keys(await shown(at)).sort()).toEqual(['ORDER-1 OF-USER-a', 'ORDER-1 ORDER-1']);
      expect(await importLines(graph, { source: taking, store, file })).toMatchObject({ written: 2, refusedLines: 0 });
      expect(Object.keys(await shown(at))).toEqual(left);
    }
  });

  it('stops where it is told to', async () => {
    const { graph, store } = await testTable(graphOf(uniqueTableName()));
    const file = await fileOf([{ position: 1, before: null, after: { id: '1', name: 'one' } }]);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(importLines(graph, { source: orders, store, file, signal })).rejects.toThrow('enough');
  });
});
