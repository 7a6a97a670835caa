import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import {
  edgeSchema,
  inboundSchema,
  nodeSchema,
  partSchema,
  searchSchema,
} from '../../../src/core/model/compile/schemas.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { OpenAttributes, OpenFields } from '../../../src/core/model/order.ts';
import { derive, edge, node, number, part, rank, source, sum } from '../../../src/core/model/schema.ts';
import { type Defined, definitionsOf, meaningOfOrder, meaningOfSearch } from '../../../src/registry/definition.ts';

/**
 * Definitions as tables have them. A byte that differs makes every table build its projections again, so a change here says that it means
 * to do that.
 */

const anyAttributes: OpenFields = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as OpenAttributes }) },
};
const text = (attributes: Record<string, unknown>): string => String(attributes['title']);

const NODES = {
  USER: {
    fields: anyAttributes,
    view: ['name', 'city'],
    viewBudgetBytes: 4096,
    maxEntries: { tags: 5 },
    versionAttribute: 'v',
    list: true,
    search: {
      name: { caseInsensitive: true, shards: 7, shardBy: 'source', hash: 'codepoint-product', project: ['name'] },
      tags: { multiValue: true, type: 'string', shards: 'value', partition: 'city' },
      born: { attribute: 'birthday', type: 'date', project: 'ALL' },
      place: { path: ['country', 'city'], shards: 3 },
      level: rank('level', { low: 10, high: 20 }),
      title: derive(text, { version: 3, others: { 2: text } }),
    },
    parts: {
      STATE: { fields: anyAttributes, view: ['status'], search: { status: { type: 'number', shards: 2 } } },
      NOTE: {},
    },
  },
  GOAL: {},
} as const;

const EDGES = {
  FOLLOWS: {
    fields: anyAttributes,
    from: 'USER',
    to: ['GOAL'],
    edgeSet: { since: 'since', title: derive(text) },
    inbound: {
      orders: {
        gsi0: 'since',
        gsi1: number('weight'),
        byState: [source('STATE.status'), rank('level', { low: 1, high: 2 }), derive(text, { version: 2 })],
      },
      shards: 4,
      shardBy: 'value',
      hash: 'codepoint-product',
      project: ['since'],
      projectSource: ['name'],
      partition: source('city'),
      total: { weights: sum('weight') },
      groupBy: ['level'],
    },
    outgoing: { total: { weights: sum('weight') }, groupBy: ['level'] },
    degree: true,
    keys: 'plain',
    copy: ['title'],
  },
  OWNS: { from: ['USER'], to: 'GOAL', inbound: { orders: { gsi0: 'since', byName: 'name' }, includeTarget: true } },
  LIKES: {
    from: 'USER',
    to: 'GOAL',
    edgeSet: false,
    keys: 'hashed',
    inbound: { orders: { newest: 'since', byWeight: number('weight'), byNote: 'note' }, partition: 'kind' },
  },
  SEES: { from: 'USER', to: 'GOAL', edgeSet: ['since'], degree: true },
} as const;

const graph = defineGraph({
  table: 'records',
  nodes: {
    USER: node({
      ...NODES.USER,
      parts: { STATE: part(NODES.USER.parts.STATE), NOTE: part(NODES.USER.parts.NOTE) },
    }),
    GOAL: node({ view: 'ALL', ...NODES.GOAL }),
  },
  edges: {
    FOLLOWS: edge(EDGES.FOLLOWS),
    OWNS: edge(EDGES.OWNS),
    LIKES: edge(EDGES.LIKES),
    SEES: edge(EDGES.SEES),
  },
});

/** Options of soft deletion. */
const SOFT = {
  node: { deletedWhen: 'left', search: { name: {} }, view: ['name'] },
  edge: {
    from: 'PLAN',
    to: 'PLAN',
    deletedWhen: 'ended',
    copy: ['name'],
    inbound: { orders: { gsi0: source('name') } },
  },
} as const;

const softGraph = defineGraph({
  table: 'records',
  nodes: { PLAN: node(SOFT.node) },
  edges: { AFTER: edge(SOFT.edge) },
});

/** Options of items that end. */
const ENDING = {
  node: { expires: 'expiresAt', search: { name: {} }, view: ['name'] },
  edge: { from: 'PLAN', to: 'PLAN', expires: 'expiresAt', copy: ['name'], inbound: { orders: { gsi0: 'since' } } },
} as const;

const endingGraph = defineGraph({
  table: 'records',
  nodes: { PLAN: node(ENDING.node) },
  edges: { AFTER: edge(ENDING.edge) },
});

describe('the model of this test', () => {
  const given = (options: readonly object[]): string[] =>
    [...new Set(options.flatMap((each) => Object.keys(each)))].sort();
  const inbounds = Object.values(EDGES).flatMap((each) => ('inbound' in each ? [each.inbound] : []));
  const searches = [...Object.values(NODES.USER.search), NODES.USER.parts.STATE.search.status];
  it.each([
    ['node', nodeSchema, given([NODES.USER, SOFT.node, ENDING.node])],
    ['part', partSchema, given([NODES.USER.parts.STATE])],
    // What is native is derived nowhere, so no definition is of it.
    ['search', searchSchema, given([...searches, { native: true }])],
    ['edge', edgeSchema, given([...Object.values(EDGES), SOFT.edge, ENDING.edge])],
    ['inbound', inboundSchema, given([...inbounds, { native: true }])],
  ])('has every option of a %s', (_kind, schema, names) => {
    expect(names).toEqual(expect.arrayContaining(Object.keys(schema.of)));
  });
});

/** What tables have of a model, a line each: the fingerprint, the name, and the bytes or the fingerprint of a meaning. */
function storedLines(graph: CompiledModel): string[] {
  const definitions = [...definitionsOf(graph).values()].map(({ name, data, fingerprint, meanings }: Defined) => {
    return `${fingerprint} ${meanings.join(',')} ${name} ${JSON.stringify(data)}`;
  });
  const searches = [...graph.nodes.values()].flatMap((model) =>
    [...model.searches.values()].map(
      (search) => `${meaningOfSearch(graph, search)} cursors of ${model.type}.${search.name}`,
    ),
  );
  const orders = [...graph.edges.values()].flatMap((model) =>
    [...(model.inbound?.orders.values() ?? [])].map(
      (order) => `${meaningOfOrder(graph, model, order)} cursors of ${model.type}.${order.name}`,
    ),
  );
  return [`${graph.fingerprint} the model`, ...definitions, ...searches, ...orders, ''];
}

describe('definitions, their fingerprints and those of meanings', () => {
  it('are those that tables have', () => {
    expect(storedLines(graph).join('\n')).toMatchInlineSnapshot(`
      "79afd9eb the model
      4534874a0ba7a46f bde2a83af7dadb7d search:USER.name {"kind":"search","search":{"caseInsensitive":3,"hash":"codepoint-product","indexPartition":"USER.name","name":"name","order":{"attribute":"name","kind":"attribute","type":"string"},"project":{"attributes":["name"],"kind":"LIST"},"shardBy":"source","shards":7},"type":"USER"}
      8300759a411cc6f1 fb2840f1c88eeca0 search:USER.tags {"kind":"search","search":{"hash":"fnv1a","indexPartition":"USER.tags","multiValue":true,"name":"tags","order":{"attribute":"tags","kind":"attribute","type":"string"},"partition":"city","project":{"kind":"KEYS_ONLY"},"shardBy":"value","shards":"value"},"type":"USER"}
      5ed1c69c27e8f6d5 257710fbca2927a9 search:USER.born {"kind":"search","search":{"hash":"fnv1a","indexPartition":"USER.born","name":"born","order":{"attribute":"birthday","kind":"attribute","type":"date"},"project":{"kind":"ALL"},"shardBy":"value","shards":200},"type":"USER"}
      3bb1a220cefb104e 5ed2afa047855bb5,7538af93985d3b9f search:USER.place {"kind":"search","packed":[{"hash":"fnv1a","indexPartition":"USER.level","name":"level","order":{"attribute":"level","kind":"rank","weights":{"$map":[["high","20"],["low","10"]]}},"project":{"kind":"KEYS_ONLY"},"shardBy":"value","shards":200}],"search":{"hash":"fnv1a","indexPartition":"USER.place","name":"place","order":{"attributes":["country","city"],"kind":"path"},"project":{"kind":"KEYS_ONLY"},"shardBy":"value","shards":3},"type":"USER"}
      2f429e03426d75d7 805f3dbeb64029a5 search:USER.title {"kind":"search","search":{"hash":"fnv1a","indexPartition":"USER.title","name":"title","order":{"kind":"derive","version":3},"project":{"kind":"KEYS_ONLY"},"shardBy":"value","shards":200},"type":"USER"}
      ff466daaf3d00a8a 92c441fd2137c118 list:USER {"kind":"search","search":{"hash":"fnv1a","indexPartition":"USER.","name":"","order":{"kind":"derive","version":1},"project":{"kind":"KEYS_ONLY"},"shardBy":"source","shards":10},"type":"USER"}
      034c23224287ed3a 0dbd07044d8fc62e search:USER.STATE.status {"kind":"search","search":{"hash":"fnv1a","indexPartition":"USER.STATE.status","name":"STATE.status","order":{"attribute":"status","kind":"attribute","type":"number"},"part":"STATE","project":{"kind":"KEYS_ONLY"},"shardBy":"value","shards":2},"type":"USER"}
      5e382e3f7153e24d 5e382e3f7153e24d part:USER.STATE {"kind":"part","part":{"name":"STATE","view":{"attributes":["status"],"kind":"LIST"}},"type":"USER"}
      12c1baafa4eb293d 12c1baafa4eb293d part:USER.NOTE {"kind":"part","part":{"name":"NOTE","view":{"kind":"ALL"}},"type":"USER"}
      d9677c4b1509259b 40b37752fe72b9cf inbound:FOLLOWS {"degree":true,"edge":{"from":{"$set":["USER"]},"keys":"plain","to":{"$set":["GOAL"]},"type":"FOLLOWS"},"incoming":{"groups":[{"attribute":"level","name":"level"}],"sums":[{"attribute":"weight","name":"weights"}]},"kind":"inbound","orders":[{"index":"gsi0","name":"gsi0","order":{"attribute":"since","kind":"attribute","type":"string"}},{"index":"gsi1","name":"gsi1","order":{"attribute":"weight","kind":"attribute","type":"number"}}],"outgoing":{"groups":[{"attribute":"level","name":"level"}],"sums":[{"attribute":"weight","name":"weights"}]},"settings":{"hash":"codepoint-product","partition":{"attribute":"city","of":"source"},"project":{"attributes":["since"],"kind":"LIST"},"projectSource":["name"],"shardBy":"value","shards":4}}
      0164ddf74b5b0a49 ea37d5cdcd7d800e order:FOLLOWS.byState {"edge":{"from":{"$set":["USER"]},"keys":"plain","to":{"$set":["GOAL"]},"type":"FOLLOWS"},"kind":"order","order":{"index":"gsi0","isNamed":true,"name":"byState","order":{"kind":"parts","parts":[{"kind":"source","order":{"attribute":"STATE.status","kind":"attribute","type":"string"}},{"attribute":"level","kind":"rank","weights":{"$map":[["high","2"],["low","1"]]}},{"kind":"derive","version":2}]}},"settings":{"hash":"codepoint-product","partition":{"attribute":"city","of":"source"},"project":{"attributes":["since"],"kind":"LIST"},"projectSource":["name"],"shardBy":"value","shards":4}}
      055ffcaa0a95842a 25577f7bb9395b18 inbound:OWNS {"edge":{"from":{"$set":["USER"]},"keys":"plain","to":{"$set":["GOAL"]},"type":"OWNS"},"kind":"inbound","orders":[{"index":"gsi0","name":"gsi0","order":{"attribute":"since","kind":"attribute","type":"string"}}],"owners":{"$map":[["GOAL",{"kind":"ALL"}]]},"settings":{"hash":"fnv1a","includeTarget":true,"project":{"kind":"KEYS_ONLY"},"shardBy":"source","shards":1}}
      9c84de16ae0ac1ca f7c616f840d8c5b8 order:OWNS.byName {"edge":{"from":{"$set":["USER"]},"keys":"plain","to":{"$set":["GOAL"]},"type":"OWNS"},"kind":"order","order":{"index":"gsi0","isNamed":true,"name":"byName","order":{"attribute":"name","kind":"attribute","type":"string"}},"owners":{"$map":[["GOAL",{"kind":"ALL"}]]},"settings":{"hash":"fnv1a","includeTarget":true,"project":{"kind":"KEYS_ONLY"},"shardBy":"source","shards":1}}
      372e98bf2441ecf4 a167262b8d816548 inbound:LIKES {"edge":{"from":{"$set":["USER"]},"keys":"hashed","to":{"$set":["GOAL"]},"type":"LIKES"},"kind":"inbound","orders":[{"index":"gsi0","name":"newest","order":{"attribute":"since","kind":"attribute","type":"string"}},{"index":"gsi1","name":"byWeight","order":{"attribute":"weight","kind":"attribute","type":"number"}}],"settings":{"hash":"fnv1a","partition":{"attribute":"kind","of":"edge"},"project":{"kind":"KEYS_ONLY"},"shardBy":"source","shards":1}}
      29eca84a44483818 fe04a2fde41192e5 order:LIKES.byNote {"edge":{"from":{"$set":["USER"]},"keys":"hashed","to":{"$set":["GOAL"]},"type":"LIKES"},"kind":"order","order":{"index":"gsi0","isNamed":true,"name":"byNote","order":{"attribute":"note","kind":"attribute","type":"string"}},"settings":{"hash":"fnv1a","partition":{"attribute":"kind","of":"edge"},"project":{"kind":"KEYS_ONLY"},"shardBy":"source","shards":1}}
      68014d910f33d6fc 68014d910f33d6fc inbound:SEES {"degree":true,"edge":{"from":{"$set":["USER"]},"keys":"plain","to":{"$set":["GOAL"]},"type":"SEES"},"kind":"inbound","orders":[]}
      087c34de43b4824d 087c34de43b4824d view:USER {"edges":[{"copy":["title"],"from":{"$set":["USER"]},"keys":"plain","labels":[{"from":{"attribute":"since","kind":"attribute"},"name":"since"},{"from":{"kind":"derive","version":1},"name":"title"}],"to":{"$set":["GOAL"]},"type":"FOLLOWS"},{"from":{"$set":["USER"]},"keys":"plain","labels":[],"to":{"$set":["GOAL"]},"type":"OWNS"},{"from":{"$set":["USER"]},"keys":"plain","labels":[{"from":{"attribute":"since","kind":"attribute"},"name":"since"}],"to":{"$set":["GOAL"]},"type":"SEES"}],"kind":"view","type":"USER","view":{"attributes":["name","city"],"kind":"LIST"},"viewBudgetBytes":4096}
      aac81a1342260083 aac81a1342260083 view:GOAL {"edges":[],"kind":"view","type":"GOAL","view":{"kind":"ALL"}}
      28fbff5f6da850c9 cursors of USER.name
      02aee3ea8c3edd0e cursors of USER.tags
      705229bf5a039af6 cursors of USER.born
      5a20590f11074f92 cursors of USER.place
      7213fd0c054c6bad cursors of USER.level
      e77929f76bc339e7 cursors of USER.title
      df77d2a385b0ab2c cursors of USER.
      d83bab23724e437b cursors of USER.STATE.status
      2c21cc3b9a50c6c6 cursors of FOLLOWS.gsi0
      797cd58aaf501869 cursors of FOLLOWS.gsi1
      cbda8768073afcb8 cursors of FOLLOWS.byState
      39cda2f17a052134 cursors of OWNS.gsi0
      ab22129255aa0eb9 cursors of OWNS.byName
      df6c1d3339d6e08a cursors of LIKES.newest
      b0f2bc7c06096fcf cursors of LIKES.byWeight
      cafc05aaf8660ecf cursors of LIKES.byNote
      "
    `);
  });

  it('say how their nodes and edges are soft-deleted, where a projection depends on it', () => {
    expect(storedLines(softGraph).join('\n')).toMatchInlineSnapshot(`
      "5512b570 the model
      7013c7ead9ac4c0a 267d446bfb21b09d search:PLAN.name {"deletedWhen":{"$map":[["PLAN","left"]]},"kind":"search","search":{"hash":"fnv1a","indexPartition":"PLAN.name","name":"name","order":{"attribute":"name","kind":"attribute","type":"string"},"project":{"kind":"KEYS_ONLY"},"shardBy":"value","shards":200},"type":"PLAN"}
      38c15562d5eccf8e 5f41de0fcef8f596 inbound:AFTER {"deletedWhen":{"$map":[["PLAN","left"]]},"edge":{"deletedWhen":"ended","from":{"$set":["PLAN"]},"keys":"plain","to":{"$set":["PLAN"]},"type":"AFTER"},"kind":"inbound","orders":[{"index":"gsi0","name":"gsi0","order":{"kind":"source","order":{"attribute":"name","kind":"attribute","type":"string"}}}],"settings":{"hash":"fnv1a","project":{"kind":"KEYS_ONLY"},"shardBy":"source","shards":1}}
      18cfecdb6e005bd2 18cfecdb6e005bd2 view:PLAN {"deletedWhen":{"$map":[["PLAN","left"]]},"edges":[{"copy":["name"],"deletedWhen":"ended","from":{"$set":["PLAN"]},"keys":"plain","labels":[],"to":{"$set":["PLAN"]},"type":"AFTER"}],"kind":"view","type":"PLAN","view":{"attributes":["name"],"kind":"LIST"}}
      d2142e9a188f550c cursors of PLAN.name
      45fd108f4a3f7c97 cursors of AFTER.gsi0
      "
    `);
  });

  it('say how their nodes and edges end, where a projection depends on it', () => {
    expect(storedLines(endingGraph).join('\n')).toMatchInlineSnapshot(`
      "2bf68364 the model
      642b19cb0669edba aa8ec5dc251ee0a8 search:PLAN.name {"expires":{"$map":[["PLAN","expiresAt"]]},"kind":"search","search":{"hash":"fnv1a","indexPartition":"PLAN.name","name":"name","order":{"attribute":"name","kind":"attribute","type":"string"},"project":{"kind":"KEYS_ONLY"},"shardBy":"value","shards":200},"type":"PLAN"}
      8cdfc6afa0e61433 d3308401cf5396c1 inbound:AFTER {"edge":{"expires":"expiresAt","from":{"$set":["PLAN"]},"keys":"plain","to":{"$set":["PLAN"]},"type":"AFTER"},"kind":"inbound","orders":[{"index":"gsi0","name":"gsi0","order":{"attribute":"since","kind":"attribute","type":"string"}}],"settings":{"hash":"fnv1a","project":{"kind":"KEYS_ONLY"},"shardBy":"source","shards":1}}
      185c438e434b722b 185c438e434b722b view:PLAN {"edges":[{"copy":["name"],"expires":"expiresAt","from":{"$set":["PLAN"]},"keys":"plain","labels":[],"to":{"$set":["PLAN"]},"type":"AFTER"}],"expires":{"$map":[["PLAN","expiresAt"]]},"kind":"view","type":"PLAN","view":{"attributes":["name"],"kind":"LIST"}}
      ad99d0d181374789 cursors of PLAN.name
      18547dee1b9fe3ac cursors of AFTER.gsi0
      "
    `);
  });
});
