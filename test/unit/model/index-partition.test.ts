import { describe, expect, it } from 'vitest';
import { hash128 } from '../../../src/core/items/keys.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';

const graph = defineGraph({
  table: { name: 'records', indexes: 1 },
  nodes: {
    USER: node({
      view: 'ALL',
      search: {
        place: { attribute: 'city', partition: 'country', shards: 3 },
        token: { shards: 'value' },
      },
    }),
  },
  edges: {
    ONE: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since', byName: 'name' } } }),
    MANY: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since', byName: 'name' }, shards: 3 } }),
    BYVALUE: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' }, shards: 50, shardBy: 'value' } }),
  },
});
const search = (name: string) => graph.nodes.get('USER')!.searches.get(name)!.inForce.places;
const order = (type: string, name: string) => graph.edges.get(type)!.inbound!.orders.get(name)!.places;

describe('partitions of search items', () => {
  it("hold the partition's value before the shard", () => {
    expect(search('place').partition('US', 'Fresno', 'USER-1')).toMatch(/^USER\.place#US#[123]$/);
    expect(search('place').partitions('US')).toEqual(['USER.place#US#1', 'USER.place#US#2', 'USER.place#US#3']);
  });
  it("with shards: 'value' hold the value, or its hash where it is long; there is no list of them", () => {
    expect(search('token').partition(undefined, 'abc', 'USER-1')).toBe('USER.token#=abc');
    const long = 'é'.repeat(257);
    expect(search('token').partition(undefined, long, 'USER-1')).toBe(`USER.token#~${hash128(long)}`);
    expect(search('token').partitionsOfValue(undefined, 'abc')).toEqual(['USER.token#=abc']);
    expect(search('token').partitions(undefined)).toEqual([]);
  });
});

describe("partitions of edges' index items", () => {
  const partition = (type: string, sortKey: string, value: string, source: string, name = 'gsi0') =>
    order(type, name).partition(sortKey, value, source);
  const partitions = (type: string, sortKey: string, name = 'gsi0') => order(type, name).partitions(sortKey);

  it('are the sort key of the edge, sharded where the model says so', () => {
    expect(partition('ONE', 'ONE-USER-2', 'x', 'USER-1')).toBe('ONE-USER-2');
    expect(partitions('ONE', 'ONE-USER-2')).toEqual(['ONE-USER-2']);
    expect(partitions('MANY', 'MANY-USER-2')).toEqual([1, 2, 3].map((n) => `MANY-USER-2#${n}`));
    expect(partitions('MANY', 'MANY-USER-2')).toContain(partition('MANY', 'MANY-USER-2', 'x', 'USER-1'));
  });
  it('of named orders have the name before them, and the shards of the others', () => {
    expect(partition('ONE', 'ONE-USER-2', 'x', 'USER-1', 'byName')).toBe('byName/ONE-USER-2');
    expect(partitions('MANY', 'MANY-USER-2', 'byName')).toEqual([1, 2, 3].map((n) => `byName/MANY-USER-2#${n}`));
    expect(partition('MANY', 'MANY-USER-2', 'x', 'USER-1', 'byName')).toBe(
      `byName/${partition('MANY', 'MANY-USER-2', 'x', 'USER-1')}`,
    );
  });
  it('are sharded by source, or by value', () => {
    const bySource = (source: string, value: string) => partition('MANY', 'MANY-USER-2', value, source);
    expect(bySource('USER-1', 'x')).toBe(bySource('USER-1', 'y'));
    const byValue = (source: string, value: string) => partition('BYVALUE', 'BYVALUE-USER-2', value, source);
    expect(byValue('USER-1', 'x')).toBe(byValue('USER-9', 'x'));
    expect(new Set(['a', 'b', 'c', 'd'].map((value) => byValue('USER-1', value))).size).toBeGreaterThan(1);
  });
  it('are no longer than an index takes: no item is in such a one, and a query of it is refused', () => {
    const places = order('MANY', 'gsi0');
    expect(places.partitions('MANY-USER-2', 'x'.repeat(900))).toHaveLength(3);
    expect(places.partitions('MANY-USER-2', 'x'.repeat(2_100))).toEqual([]);
    expect(order('BYVALUE', 'gsi0').partitionsOfValue('BYVALUE-USER-2', '1', 'x'.repeat(2_100))).toEqual([]);
    expect(search('place').partitions('x'.repeat(2_100))).toEqual([]);
  });
});
