import { describe, expect, it } from 'vitest';
import { PricedStore, shardsOfList, shardsOfSearch } from '../../../packages/cli/shared/price.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { withReplacedCalls } from '../../../src/store/wrapped.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ search: { name: { shards: 400 } } }) },
  edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { bySince: 'since' }, shards: 300 } }) },
});

/** A table whose reads take so many units each, and the lines that are written. */
function priced(rcu: number) {
  const lines: string[] = [];
  const table = new MemoryStore(graph.table);
  const store = withReplacedCalls(table, { query: async (request) => ({ ...(await table.query(request)), rcu }) });
  return { lines, store: new PricedStore(store, (line) => lines.push(line)) };
}

describe('the price of a read on the command line', () => {
  it('is said before the read where the model tells that it is more than 100 units', () => {
    const { lines, store } = priced(0.5);
    store.announce({ shards: 200 });
    store.announce({ nodes: 100 });
    expect(lines).toEqual([]);
    store.announce({ shards: 400, nodes: 100 });
    expect(lines).toEqual(['This reads 400 shards and up to 100 nodes: about 250 RCU or more. Ctrl-C stops it.\n']);
  });

  it('is said once 100 units are spent, before more are, where nothing told it before', async () => {
    const { lines, store } = priced(60);
    const read = () => store.query({ partition: 'USER-1' });
    await read();
    await read();
    expect(lines).toEqual([]);
    await read();
    await read();
    expect(lines).toEqual(['This has read 120 RCU, and goes on. Ctrl-C stops it.\n']);
  });

  it('counts the shards that a question asks', () => {
    expect(shardsOfSearch(graph, 'USER.name', { equals: 'Terui' })).toBe(1);
    expect(shardsOfSearch(graph, 'USER.name', { beginsWith: 'Te' })).toBe(400);
    expect(shardsOfList(graph, 'USER-1', 'KNOWS', {})).toBe(300);
  });
});
