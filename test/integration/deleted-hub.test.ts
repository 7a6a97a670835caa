import { describe, expect, it } from 'vitest';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { CALLS_AT_ONCE } from '../../src/foundation/for-each.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

const EDGES = 300;

/** A model in which each edge is in three orders and in a reverse item. */
function clubs() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { CLUB: node({ view: ['name'] }), USER: node({ view: ['name'] }) },
    edges: {
      MEMBER: edge({
        from: 'USER',
        to: 'CLUB',
        inbound: { orders: { gsi0: 'since', gsi1: 'rank', byPoints: 'points' }, shards: 2 },
        copy: ['name'],
      }),
    },
  });
}

/** A node that many edges enter, and the calls that are sent from now on. */
async function hub() {
  const table = await openTable(clubs());
  await table.writer.batch((batch) => {
    batch.putNode('CLUB-1', { name: 'club' });
    for (let i = 0; i < EDGES; i++) {
      const values = { since: `20${i % 30}`, rank: `${i % 7}`, points: `${i % 11}` };
      batch.putEdge(`USER-${i}`, 'MEMBER', 'CLUB-1', values);
    }
  });
  await table.projectAll();
  const calls: string[] = [];
  let underWay = 0;
  let most = 0;
  table.client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        calls.push(commandName);
        underWay += 1;
        most = Math.max(most, underWay);
        try {
          return await next(args);
        } finally {
          underWay -= 1;
        }
      },
    { step: 'initialize' },
  );
  const callsOf = (name: string): number => calls.filter((call) => call === `${name}Command`).length;
  return { ...table, callsOf, mostUnderWay: () => most };
}

describe('deleteNodeWithEdges of a hub', () => {
  it('reads each edge once, whatever number of lists name it, and makes its calls side by side', async () => {
    const { writer, callsOf, mostUnderWay } = await hub();
    const { edges, nodes, capacity } = await writer.deleteNodeWithEdges('CLUB-1', { capacity: true });
    expect({ edges, nodes }).toEqual({ edges: EDGES, nodes: 1 });
    // A read of each edge, and the lists, which have some dozens of names in a read unit.
    expect(capacity!.rcu).toBeGreaterThan(EDGES);
    expect(capacity!.rcu).toBeLessThan(EDGES * 1.2);
    expect(callsOf('BatchGetItem')).toBe(EDGES / 100);
    expect(callsOf('BatchWriteItem')).toBe(EDGES / 25);
    expect(mostUnderWay()).toBeGreaterThan(2);
    expect(mostUnderWay()).toBeLessThanOrEqual(CALLS_AT_ONCE);
  });

  it('takes as long as its writes do at their rate', async () => {
    const { writer } = await hub();
    const started = performance.now();
    const result = await writer.deleteNodeWithEdges('CLUB-1', { maxWcu: 100 });
    expect(result).toEqual({ edges: EDGES, nodes: 1, parts: 0, skipped: 0, notFound: [] });
    // A second's units are saved up, and what the last calls owe is not waited for.
    const owed = 3 * 25;
    expect(performance.now() - started).toBeGreaterThan(((EDGES - 100 - owed) / 100) * 1_000);
  });

  it('ends a wait for its rate with the signal, and the rest can be deleted', async () => {
    const { graph, store, writer } = await hub();
    const controller = new AbortController();
    const wait = (): Promise<void> => {
      controller.abort(new Error('out of time'));
      return new Promise(() => undefined);
    };
    const { signal } = controller;
    const slow = createWriter(graph, { store, wait }).deleteNodeWithEdges('CLUB-1', { signal, maxWcu: 1 });
    await expect(slow).rejects.toThrow('out of time');
    const rest = await writer.deleteNodeWithEdges('CLUB-1');
    expect(rest).toMatchObject({ nodes: 1 });
    expect(rest.edges).toBeGreaterThan(0);
    expect(rest.edges).toBeLessThan(EDGES);
  });

  it.each([{ maxRcu: 0 }, { maxWcu: Number.NaN }])('refuses %j, with which it would wait for ever', async (rates) => {
    const graph = clubs();
    const writer = createWriter(graph, { store: new MemoryStore(graph.table) });
    await expect(writer.deleteNodeWithEdges('CLUB-1', rates)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('of deleteNodeWithEdges'),
    });
  });
});
