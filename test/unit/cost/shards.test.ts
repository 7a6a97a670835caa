import { describe, expect, it } from 'vitest';
import { modelCost } from '../../../packages/cost/capacity.ts';
import { modelShards, shardAdvice } from '../../../packages/cost/shards.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    USER: node({ view: 'ALL', list: true, search: { name: {}, email: { shards: 'value' }, city: { shards: 2 } } }),
    GOAL: node({ view: 'ALL' }),
  },
  edges: { AIMS: edge({ from: 'GOAL', to: 'USER' }), HAS: edge({ from: 'USER', to: 'GOAL' }) },
});
const search = (name: string) => graph.nodes.get('USER')!.searches.get(name)!;

it('a list of nodes is a query by its name', () => {
  const queries = modelCost(graph).queries.map(({ query }) => query);
  expect(queries).toContain('list nodes USER');
  expect(queries.filter((query) => /\.( |$)/.test(query))).toEqual([]);
});

describe('advice on shards', () => {
  it('is given for each search with a number of shards, with what a range over them takes', () => {
    expect(modelShards(graph).map(({ search, shards }) => [search, shards])).toEqual([
      ['USER.name', 200],
      ['USER.city', 2],
    ]);
    expect(modelShards(graph)[1]).toEqual({
      search: 'USER.city',
      shards: 2,
      putsPerSecond: 1000,
      rangeCalls: 2,
      rangeRcu: 1,
    });
  });

  it('warns of 200 shards that range searches have to ask, and says what a rate needs', () => {
    const [name, city] = modelShards(graph, { putsPerSecond: 1000, shares: new Map() });
    expect(name).toMatchObject({ needed: 1, rangeCalls: 200, rangeRcu: 100 });
    expect(name!.warning).toContain(
      'takes 200 calls and 100 RCU at least; this rate needs 1, with 1 call and 0.5 RCU: write shards: 1 in nodes.USER.search.name, then run edgeloom migrate --yes',
    );
    expect(city).toMatchObject({ needed: 1 });
    expect(city).not.toHaveProperty('warning');
    const [, few] = modelShards(graph, {
      putsPerSecond: 4000,
      shares: new Map([
        ['USER', 3],
        ['AIMS', 1],
      ]),
    });
    // 3,000 changes are 6,000 writes; half of each shard's 1,000 is kept free.
    expect(few).toMatchObject({ needed: 12, warning: expect.stringContaining('needs 12 shards') });
  });

  it('counts with the busiest shard where that is known', () => {
    expect(shardAdvice(search('city'), { hottestShare: 0.75 })).toMatchObject({ putsPerSecond: 666 });
    expect(shardAdvice(search('city'), { hottestShare: 0 })).toMatchObject({ putsPerSecond: 1000 });
    expect(shardAdvice(search('email'))).toBeUndefined();
  });
});
