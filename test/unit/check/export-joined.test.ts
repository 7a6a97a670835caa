import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, source } from '../../../src/core/model/schema.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { checkExport } from '../../../src/trust/check/export/export.ts';
import { PartitionComparison } from '../../../src/trust/check/partition.ts';
import { writeExport } from '../../support/export.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { A: node({ view: [] }), B: node({ view: 'ALL' }) },
  edges: {
    AB: edge({
      ...{ from: 'A', to: 'B', edgeSet: [] },
      inbound: {
        orders: { gsi0: ['own', source('title')], byTag: source('tag') },
        project: ['own'],
        projectSource: ['title'],
      },
    }),
  },
});

const targetOf = (i: number): string => `AB-B-${String(i).padStart(3, '0')}`;

/** What a table holds, projected: a node with so many edges, the edges before it. */
async function itemsOf(edges: number): Promise<Item[]> {
  const store = new StreamedStore(graph);
  await store.producer('A-1', 'A-1', { title: { S: 'one' }, tag: { S: 't' }, text: { S: 'UNUSED OF THE NODE' } });
  for (let i = 0; i < edges; i++) {
    await store.producer('A-1', targetOf(i), { own: { S: `o${i}` }, text: { S: 'UNUSED OF AN EDGE' } });
  }
  const projector = createProjector(graph, { store, model: fixedModel(graph) });
  expect(await projector.project(store.records)).not.toHaveProperty('error', expect.anything());
  const { items } = await store.scan({ segment: 0, segments: 1 });
  return items.sort((left, right) => place(left) - place(right));
}

/** Edges first, the node behind them, what is derived last. */
function place({ target }: Item): number {
  const key = stringOf(target) ?? '';
  if (key.startsWith('~')) return 3;
  return key === 'A-1' ? 2 : 1;
}

const EDGES = [0, 1, 17, 80];

describe('a check of an export, of edges that come before the node that decides with them', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgeloom-export-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each(EDGES)('finds nothing where the node lies between them, and an edge of no node: %d edges', async (edges) => {
    const items = await itemsOf(edges);
    const halves = items.filter((item) => place(item) === 1);
    const [own] = items.filter((item) => place(item) === 2);
    const derived = items.filter((item) => place(item) === 3);
    const half = halves.length / 2;
    const store = new StreamedStore(graph);
    for (let i = 0; i < edges; i++) await store.producer('A-2', targetOf(i), { own: { S: 'o' } });
    await createProjector(graph, { store, model: fixedModel(graph) }).project(store.records);
    const { items: lone } = await store.scan({ segment: 0, segments: 1 });
    const all = [...derived, ...halves.slice(0, half), own!, ...halves.slice(half), ...lone];
    await writeExport(folder, all, 1);
    expect(await checkExport({ graph, folder })).toMatchObject({ suspects: [] });
  });

  it.each(EDGES.slice(1))('finds the last of them that is wrong: %d edges', async (edges) => {
    const items = await itemsOf(edges);
    const wrong = `~ix/${targetOf(edges - 1)}`;
    const damaged = items.map((item) =>
      stringOf(item['target']) === wrong ? { ...item, attributes: { M: { own: { S: `o${edges - 1}` } } } } : item,
    );
    await writeExport(folder, damaged, 1);
    const { suspects, drift } = await checkExport({ graph, folder });
    expect({ suspects, drift }).toEqual({ suspects: ['A-1'], drift: { missing: 0, stale: 1, orphan: 0 } });
  });
});

describe('what a check keeps of a partition', () => {
  const text = ({ graph: _, ...kept }: PartitionComparison): string =>
    inspect(kept, { depth: 20, maxArrayLength: null, showHidden: false });

  it('holds of the node only what its edges use', async () => {
    const summary = new PartitionComparison(graph, 'A-1');
    for (const item of await itemsOf(0)) summary.add(stringOf(item['target'])!, item);
    expect(text(summary)).toContain("'one'");
    expect(text(summary)).not.toContain('UNUSED');
  });
});
