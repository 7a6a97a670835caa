import { describe, expect, it } from 'vitest';
import { scanNodes } from '../../src/client/read/scan-nodes.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import type { ScanSource } from '../../src/core/store-port.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

async function open() {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: {
      GOAL: node({ view: 'ALL', deletedWhen: 'deletedAt', parts: { STATE: part() }, search: { title: {} } }),
      USER: node({ view: 'ALL' }),
    },
    edges: { AIMS: edge({ from: 'GOAL', to: 'USER', edgeSet: [] }) },
  });
  const table = await testTable(graph);
  const writer = createWriter(graph, { store: table.store });
  for (let i = 0; i < 9; i++) {
    await writer.putNode(`GOAL-${i}`, i === 3 ? { title: 'Run', deletedAt: '2026' } : { title: `Goal ${i}` });
    await writer.putPart(`GOAL-${i}`, 'STATE', { open: true });
    await writer.putEdge(`GOAL-${i}`, 'AIMS', 'USER-1', {});
  }
  await writer.putNode('USER-1', { name: 'Ada' });
  await table.projectAll();
  return { ...table, graph };
}

/** A store whose scans give pages of a few items. */
function paged(store: ScanSource, limit: number): ScanSource['scan'] {
  return (request) => store.scan({ ...request, limit });
}

const IDS = Array.from({ length: 9 }, (_, i) => `GOAL-${i}`);

describe('scanNodes', () => {
  it('gives each node of the type as it is stored, of a type without a list, and nothing else', async () => {
    const { graph, store } = await open();
    const nodes = new Map<string, unknown>();
    let rcu = 0;
    for await (const page of scanNodes(graph, { store, type: 'GOAL' })) {
      for (const { id, attributes } of page.items) nodes.set(id, attributes);
      rcu += page.rcu;
    }
    expect([...nodes.keys()].sort()).toEqual(IDS);
    expect(nodes.get('GOAL-0')).toEqual({ title: 'Goal 0' });
    expect(nodes.get('GOAL-3')).toEqual({ title: 'Run', deletedAt: '2026' });
    expect(rcu).toBeGreaterThan(0);
  });

  it('goes on behind the last key of any page, and divides the table into segments', async () => {
    const { graph, store } = await open();
    const small = Object.assign(Object.create(store) as typeof store, { scan: paged(store, 4) });
    const seen: string[] = [];
    let startKey: { source: string; target: string } | null | undefined;
    // Each page by a call of its own, as a process that was stopped goes on.
    do {
      const { value } = await scanNodes(graph, { store: small, type: 'GOAL', ...(startKey && { startKey }) }).next();
      seen.push(...value!.items.map(({ id }) => id));
      startKey = value!.lastKey;
    } while (startKey !== null);
    expect(seen.sort()).toEqual(IDS);
    const parts: string[] = [];
    for (const segment of [0, 1, 2]) {
      for await (const { items } of scanNodes(graph, { store, type: 'GOAL', segment, segments: 3 })) {
        parts.push(...items.map(({ id }) => id));
      }
    }
    expect(parts.sort()).toEqual(IDS);
  });

  it('refuses an unknown type, wrong segments and an aborted signal', async () => {
    const { graph, store } = await open();
    const first = (options: object) => scanNodes(graph, { store, type: 'GOAL', ...options } as never).next();
    const refused = (message: string) =>
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) });
    await expect(first({ type: 'GAOL' })).rejects.toMatchObject({ code: 'unknown-type' });
    await expect(first({ segment: 2, segments: 2 })).rejects.toThrow(refused('below segments'));
    await expect(first({ segments: 1.5 })).rejects.toThrow(refused('is 1.5'));
    await expect(first({ limit: 5 })).rejects.toThrow(refused('no option "limit"'));
    await expect(first({ signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped');
  });
});
