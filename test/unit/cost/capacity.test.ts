import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { modelCost } from '../../../packages/cost/capacity.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node, number, part, source } from '../../../src/core/model/schema.ts';

const cost = modelCost(
  defineGraph({
    table: 'records',
    nodes: {
      TICKET: node({ view: 'ALL', search: { title: {} } }),
      USER: node({ view: 'ALL', parts: { STATE: part({ search: { status: {}, mood: {} } }), COUNTS: part() } }),
      STORE: node({
        view: 'ALL',
        search: {
          location: { partition: 'country', path: ['state', 'city'], shards: 1 },
          place: { path: ['state', 'city'], shards: 20 },
          spread: { path: ['state', 'city'], shards: 20, shardBy: 'source' },
        },
      }),
    },
    edges: {
      FOR: edge({
        from: 'TICKET',
        to: 'USER',
        inbound: { orders: { gsi0: 'opened', gsi1: 'title', byHours: 'hours' }, includeTarget: true },
      }),
      SEEN: edge({ from: 'TICKET', to: 'USER', edgeSet: false, inbound: { orders: { byTime: 'at' }, shards: 4 } }),
      KNOWS: edge({ from: 'USER', to: 'USER' }),
      KEPT_IN: edge({ from: 'TICKET', to: 'STORE', copy: ['city'] }),
    },
  }),
);

const put = (type: string) => cost.writes.find((entry) => entry.type === type && entry.write === 'create');
const change = (type: string, attribute?: string) =>
  cost.writes.find((entry) => entry.type === type && entry.write === 'change' && entry.attribute === attribute);
const query = (name: string) => cost.queries.find((entry) => entry.query === name);

it('T26: has what DynamoDB gives one partition', () => {
  expect(cost.partition).toEqual({ wcu: 1_000, rcu: 3_000, gigabytes: 10 });
});

describe('the cost of a put', () => {
  it('counts each index item once in the table and once in each of its indexes', () => {
    // gsi0 and gsi1 share an item, an order by name has one of its own.
    expect(put('FOR')).toEqual({
      ...{ type: 'FOR', kind: 'edge', write: 'create' },
      ...{ base: 1, view: 1, indexItems: 3 + 2, reverseItem: 0, totalEntry: 0, read: 3 * 0.5 + 1, total: 7, byHand: 4 },
    });
    expect(put('SEEN')).toMatchObject({ view: 0, indexItems: 2, total: 3, byHand: 2 });
    expect(put('KNOWS')).toMatchObject({ indexItems: 0, total: 2, byHand: 1 });
    expect(put('TICKET')).toMatchObject({ indexItems: 2, total: 4, byHand: 2 });
  });

  it('counts the reverse item of an edge that copies its target, and says what a change of that costs', () => {
    // The reverse item and the edge, then the view, the edge and its target.
    expect(put('KEPT_IN')).toMatchObject({ reverseItem: 1, total: 3, read: 1.5 + 2.5 });
    expect(change('STORE', 'city')).toMatchObject({ perEdge: { KEPT_IN: { wcu: 1, rcu: 1.5, byHand: 0 } } });
    expect(change('STORE', 'zip')).toBeUndefined();
    expect(change('STORE')).not.toHaveProperty('perEdge');
    expect(change('USER')).not.toHaveProperty('perEdge');
  });

  it('of a part has its view and its searches', () => {
    expect(put('USER.STATE')).toMatchObject({ kind: 'part', base: 1, view: 1, indexItems: 3, total: 5 });
    expect(put('USER.COUNTS')).toMatchObject({ kind: 'part', indexItems: 0, total: 2 });
  });
});

describe('the cost of a query', () => {
  it('is told for each order, by its shards, and includes the target where the model does', () => {
    for (const order of ['gsi0', 'gsi1', 'byHours']) {
      expect(query(`inbound FOR by ${order}, with its target`)).toMatchObject({ calls: 1, rcu: 0.5 });
    }
    expect(query('inbound SEEN by byTime')).toMatchObject({ calls: 4, rcu: 2 });
  });

  it('of a path is that of one shard for a whole path, and of all for its leading segments', () => {
    expect(query('search STORE.location whole path')).toMatchObject({ calls: 1, rcu: 0.5 });
    expect(query('search STORE.location leading segments, latest')).toMatchObject({ calls: 1, rcu: 0.5 });
    expect(query('search STORE.place whole path')).toMatchObject({ calls: 1, rcu: 0.5 });
    expect(query('search STORE.place leading segments, latest')).toMatchObject({ calls: 20, rcu: 10 });
    expect(query('search STORE.spread whole path')).toMatchObject({ calls: 20, rcu: 10 });
    expect(query('search TICKET.title prefix, range, latest')).toMatchObject({ calls: 200, rcu: 100 });
  });
});

describe('the cost of index items that use the source', () => {
  const joined = modelCost(
    defineGraph({
      table: 'records',
      nodes: { TICKET: node({ view: 'ALL' }), PROJECT: node({ view: 'ALL' }) },
      edges: {
        IN: edge({
          from: 'TICKET',
          to: 'PROJECT',
          inbound: { orders: { gsi0: source('due'), byStatus: [source('status')] } },
        }),
        ON: edge({
          from: 'PROJECT',
          to: 'TICKET',
          edgeSet: false,
          inbound: { orders: { gsi0: 'at' }, projectSource: ['name'] },
        }),
      },
    }),
  );

  it('is said of the source, for each edge that leaves it', () => {
    const of = (type: string) => joined.writes.filter((one) => one.type === type && one.perEdge !== undefined);
    // The one item moves, and the other one gets a new revision; without the node neither is in an order.
    expect(of('TICKET').map(({ write, attribute, perEdge }) => [write, attribute, perEdge!['IN']!.wcu])).toEqual([
      ['change', 'due', 3 + 1],
      ['change', 'status', 3 + 1],
      ['delete', undefined, 2 + 2],
    ]);
    expect(of('IN')).toEqual([]);
  });

  it('is a warning where the source looks like a hub', () => {
    expect(joined.warnings).toEqual([expect.stringContaining('ON has edgeSet: false')]);
    expect(cost.warnings).toEqual([]);
  });
});

describe('the cost of native orders and searches', () => {
  const native = modelCost(
    defineGraph({
      table: 'records',
      nodes: {
        USER: node({ search: { mail: { native: true }, name: {} } }),
        ROOM: node({ fields: z.object({ mail: z.string(), title: z.string(), day: z.number().optional() }) }),
      },
      edges: {
        IN: edge({
          ...{ from: 'USER', to: 'ROOM', edgeSet: false, degree: true },
          inbound: { native: true, orders: { byFloor: 'floor', byDay: number('day') }, project: ['title'] },
        }),
        OUT: edge({ from: 'USER', to: 'ROOM', edgeSet: false, inbound: { orders: { byFloor: 'floor' } } }),
      },
    }),
  );
  const figures = (of: string) =>
    native.writes
      .filter(({ type }) => type === of)
      .map(({ write, attribute, base, indexItems, byHand }) => [attribute ?? write, base, indexItems, byHand]);

  it('is that of the entries of the base item', () => {
    expect(figures('USER')).toEqual([
      ['create', 2, 2, 3],
      ['mail', 3, 0, 4],
      ['name', 1, 3, 4],
      ['change', 1, 0, 3],
      ['delete', 2, 2, 3],
    ]);
  });

  it('has the item of a count, and no other', () => {
    expect(figures('IN')).toEqual([
      ['create', 3, 4, 6],
      ['floor', 3, 0, 4],
      ['day', 3, 0, 4],
      ['title', 3, 0, 3],
      ['change', 1, 0, 3],
      ['delete', 3, 4, 6],
    ]);
  });

  it('of a query is that of one partition', () => {
    expect(native.queries.map(({ query, calls, rcu }) => [query, calls, rcu])).toEqual(
      expect.arrayContaining([
        ['search USER.mail eq', 1, 0.5],
        ['inbound IN by byDay', 1, 0.5],
      ]),
    );
    expect(native.queries.some(({ query }) => query.startsWith('search USER.mail p'))).toBe(false);
  });
});

describe('the advice on native orders', () => {
  const adviceOn = (inbound: object, table: object = { name: 'records' }, degree = false) =>
    modelCost(
      defineGraph({
        table: table as { name: string },
        nodes: { USER: node(), ROOM: node() },
        edges: { IN: edge({ from: 'USER', to: 'ROOM', edgeSet: false, degree, inbound: inbound as never }) },
      }) as CompiledModel,
    ).advice;

  it('says what an edge would take', () => {
    expect(adviceOn({ orders: { byDay: 'day', byFloor: number('floor'), byDoor: 'door' } })).toEqual([
      'A new IN takes 6 WCU; with native: true in edges.IN.inbound it takes 4, and each order an index of the table',
    ]);
  });

  it.each<[string, object, object?, boolean?]>([
    ['are native', { native: true, orders: { byDay: 'day' } }],
    ['need derived keys', { orders: { byDay: 'day', byRoom: source('room') } }],
    ['have shards', { orders: { byDay: 'day' }, shards: 2 }],
    ['show the target', { orders: { byDay: 'day' }, includeTarget: true }],
    ['are by an attribute of derived items', { orders: { byCount: 'count' } }],
    ['would cost the same', { orders: { byDay: 'day' } }, undefined, true],
    ['find no room', { orders: { byDay: 'day', byFloor: 'floor' } }, { name: 'records', indexes: 19 }],
  ])('is not given where they %s', (_what, inbound, table, degree) => {
    expect(adviceOn(inbound, table, degree)).toEqual([]);
  });
});

describe('the cost by hand', () => {
  const { writes } = modelCost(
    defineGraph({
      table: 'records',
      nodes: {
        USER: node({ view: 'ALL', search: { name: {} } }),
        PLAIN: node({ view: 'ALL' }),
        STORED: node(),
        PRODUCT: node({ view: 'KEYS_ONLY', search: { a: {}, b: {}, c: {}, d: {}, e: {}, f: {} } }),
        TAGGED: node({ view: 'KEYS_ONLY', search: { tags: { multiValue: true } } }),
      },
      edges: {
        IN: edge({ from: 'USER', to: 'PLAIN', inbound: { orders: { at: 'at' } } }),
        BOTH: edge({ from: 'USER', to: 'PLAIN', inbound: { orders: { at: 'at', by: 'by' } } }),
        FOLLOWS: edge({ from: 'USER', to: 'PLAIN', edgeSet: false, inbound: { orders: { at: 'at' } }, degree: true }),
      },
    }),
    new Map([['TAGGED.tags', 5]]),
  );
  /** Units of a type created, changed in an attribute and in another one, and deleted: ours, and by hand. */
  const rowsOf = (name: string) =>
    writes.filter(({ type }) => type === name).map(({ total, byHand }) => `${total} ${byHand}`);

  it('is that of index keys on the item itself, in indexes of ALL', () => {
    expect(rowsOf('USER')).toEqual(['4 2', '5 3', '2 2', '4 2']);
    expect(rowsOf('PLAIN')).toEqual(['2 1', '2 1', '2 1']);
    // Without a view, a search and edges nothing is derived.
    expect(rowsOf('STORED')).toEqual(['1 1', '1 1', '1 1']);
    expect(rowsOf('PRODUCT')[0]).toBe('11 7');
    expect(rowsOf('PRODUCT')[1]).toBe('4 8');
    expect(rowsOf('PRODUCT').at(-2)).toBe('1 7');
  });

  it('has an edge in its partition, with a key for each order, and a transaction where it is counted', () => {
    expect(rowsOf('IN')).toEqual(['4 2', '4 3', '1 2', '4 2']);
    expect(rowsOf('BOTH')[0]).toBe('5 3');
    expect(rowsOf('FOLLOWS')[0]).toBe('6 5');
  });

  it('has an item for each value of an attribute of several', () => {
    expect(rowsOf('TAGGED')).toEqual(['12 11', '5 5', '1 1', '12 11']);
  });
});

describe('the cost of an edge set', () => {
  const set = (viewBudgetBytes?: number) => {
    const graph = defineGraph({
      table: 'records',
      nodes: { GOAL: node({ view: ['title'], viewBudgetBytes }), USER: node({ view: 'ALL' }) },
      edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'] }) },
    });
    return modelCost(graph).edgeSets;
  };

  it('grows with its edges, so that ever more reads have to pay for a write', () => {
    const points = set(380 * 1024);
    expect(points.map(({ edges, wcu, isEvicted }) => [edges, wcu, isEvicted])).toEqual([
      [1, 1, false],
      [14, 2, false],
      [50, 4, false],
      [100, 7, false],
      [500, 31, false],
    ]);
    expect(points.map(({ paysFrom }) => paysFrom)).toEqual([10, 20, 20, 35, 39]);
  });

  it('ends at 8 KB by default: readers query the edges of the largest type', () => {
    expect(set().map(({ edges, isEvicted, wcu }) => [edges, isEvicted, wcu])).toEqual([
      [1, false, 1],
      [14, false, 2],
      [50, false, 4],
      [100, false, 7],
      [500, true, 1],
    ]);
  });
});

it('names the views that hold all', () => {
  const nodes = { ALL: node({ view: 'ALL' }), LIST: node({ view: ['name'] }), NONE: node() };
  expect(modelCost(defineGraph({ table: 'records', nodes, edges: {} })).advice).toEqual([
    'The view of ALL has ALL: a change of a node of 3 KB takes 7 WCU; with a list of names it takes 3, and 4 if one of these changes',
  ]);
});
