import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { Mistakes } from '../../../src/core/model/compile/mistakes.ts';
import { date, derive, edge, node, part, rank, source, sum } from '../../../src/core/model/schema.ts';
import { anyEdge, anyNode, define, mistakesOf } from '../../support/model.ts';

/** The mistakes of a model with one node type, USER, made from these options. */
const nodeMistakes = (options: unknown): string[] =>
  mistakesOf({ table: 'records', nodes: { USER: anyNode(options) } });
const searchMistakes = (entry: unknown, name = 'name'): string[] => nodeMistakes({ search: { [name]: entry } });
/** The mistakes of a model with one edge type, from users to users. */
const edgeMistakes = (options: object): string[] =>
  mistakesOf({
    table: 'records',
    nodes: { USER: node() },
    edges: { KNOWS: anyEdge({ from: 'USER', to: 'USER', ...options }) },
  });

it('refuses an attribute of a source in a search: a node has none', () => {
  expect(searchMistakes({ attribute: source('name') })).toEqual([
    'nodes.USER.search.name: source belongs to the orders of edges: a node has no source',
  ]);
});

it('refuses a separator of tenants that is not one character', () => {
  for (const tenantSeparator of ['', '::', 'a', '*', '?', '$', '~', 7]) {
    expect(mistakesOf({ table: 'records', tenantSeparator, nodes: { USER: node() } })).toEqual([
      "tenantSeparator: should be '.', ':', '/', '#', '|', '-' or '_'",
    ]);
  }
  expect(mistakesOf({ table: 'records', tenantSeperator: '.', nodes: { USER: node() } })[0]).toBe(
    'defineGraph: has no option "tenantSeperator". Did you mean tenantSeparator? There are table, nodes, edges, mirrored, feed, tenantSeparator',
  );
});

describe('native orders and searches', () => {
  const nativeMistakes = (attribute: string, table: object = {}, project: readonly string[] = []): string[] =>
    mistakesOf({
      table: { name: 'records', ...table },
      nodes: { USER: anyNode({ search: { found: { attribute, native: true, project } } }) },
    });

  it('are by no attribute that is a key of an index, under whatever name', () => {
    expect(nativeMistakes('mail')).toEqual([]);
    const indexes = { gsi0: { name: 'GSI1', partitionKey: 'GSI1PK', sortKey: 'GSI1SK' } };
    for (const [attribute, table] of [
      ['gsi0pk', {}],
      ['GSI1PK', { indexes }],
      ['GSI1SK', { indexes }],
    ] as const) {
      expect(nativeMistakes(attribute, table)).toEqual([
        `nodes.USER.search.found: names "${attribute}", an attribute of Edgeloom's own items, which DynamoDB would put into the index or refuse`,
      ]);
    }
    expect(nativeMistakes('GSI1PK')).toEqual([]);
  });
  it('have an index whose name no other index of the model has', () => {
    expect(nativeMistakes('mail', { indexes: { gsi0: 'mail-target' } })).toEqual([
      'table.indexes: give an index the name mail-target, which a native order or search has: give it another one',
    ]);
  });
});

it('refuses an attribute of soft deletion that means something else', () => {
  expect(nodeMistakes({ deletedWhen: 'expiresAt' })).toEqual([
    'nodes.USER.deletedWhen: expiresAt has a meaning of its own in the table',
  ]);
  expect(edgeMistakes({ deletedWhen: 'target' })).toEqual([
    'edges.KNOWS.deletedWhen: target has a meaning of its own in the table',
  ]);
  expect(edgeMistakes({ deletedWhen: 'targetId' })).toEqual([]);
  expect(edgeMistakes({ deletedWhen: 'targetId', keys: 'hashed' })).toEqual([
    'edges.KNOWS.deletedWhen: targetId has a meaning of its own in the table',
  ]);
  expect(nodeMistakes({ deletedWhen: '' })).toEqual(['nodes.USER.deletedWhen: should be a string that is not empty']);
});

it('refuses an end that the table does not delete by, or that it must not delete by', () => {
  expect(nodeMistakes({ expires: 'endsAt' })).toEqual([
    "nodes.USER.expires: names endsAt, but the table deletes by expiresAt: name that, or give the table the option ttl: 'endsAt'",
  ]);
  expect(edgeMistakes({ expires: 'expiresAt' })).toEqual([]);
  const mirrored = (expires: string): string[] =>
    mistakesOf({ table: 'records', nodes: { USER: node({ expires }) }, mirrored: ['USER'] });
  expect(mirrored('endsAt')).toEqual([]);
  expect(mirrored('expiresAt')).toEqual([
    "nodes.USER.expires: expiresAt has a meaning of its own in the table: map the time of the source's item to another attribute",
  ]);
  const nodes = { USER: node({ expires: 'expiresAt' }) };
  const KNOWS = edge({ from: 'USER', to: 'USER', inbound: { orders: { byName: source('name') } } });
  expect(mistakesOf({ table: 'records', nodes, edges: { KNOWS } })).toEqual([
    'nodes.USER.expires: cannot end these nodes, because edges.KNOWS.inbound orders or shows edges by attributes of them: let it use attributes of the edge',
  ]);
});

const orderMistakes = (order: unknown): string[] => edgeMistakes({ inbound: { orders: { gsi0: order } } });

describe('mistakes are all reported at once, each with its path', () => {
  it('in one error, whatever else is mistaken beside them', () => {
    const input = {
      table: { name: 'records', sortKey: 'state', ttl: 'r' },
      nodes: {
        user: node(),
        USER: anyNode({ view: 7, search: { name: { shards: 0, attribute: rank('a', {}) }, age: { type: 'int' } } }),
      },
      edges: {
        KNOWS: anyEdge({
          to: 'NOBODY',
          color: 'red',
          edgeSet: ['type'],
          inbound: { orders: { gsi0: 7, gsi1: rank('b', {}) }, shards: 0 },
        }),
      },
    };
    expect(mistakesOf(input)).toEqual([
      'table.sortKey: "state" is an attribute of Edgeloom\'s own items: name another',
      'table.ttl: "r" is an attribute of derived items',
      'nodes.user: is not a type name: types match [A-Z][A-Z0-9_]*',
      "nodes.USER.view: should be 'KEYS_ONLY', 'ALL' or a list of attribute names",
      "nodes.USER.search.name.shards: should be a whole number from 1 to 100000, or 'value'",
      'nodes.USER.search.name: rank has no weights',
      "nodes.USER.search.age.type: should be 'string', 'number' or 'date'",
      'edges.KNOWS: has no option "color". There are fields, from, to, edgeSet, inbound, outgoing, degree, deletedWhen, expires, keys, copy',
      'edges.KNOWS.from: should be a node type or a list of them',
      'edges.KNOWS.to: "NOBODY" is not a node type of the model. There are user, USER',
      'edges.KNOWS.edgeSet.type: type is part of every entry; name the label otherwise',
      'edges.KNOWS.inbound.shards: should be a whole number from 1 to 100000',
      'edges.KNOWS.inbound.orders.gsi0: should be an attribute name, date(...), number(...), rank(...) or derive(...)',
      'edges.KNOWS.inbound.orders.gsi1: rank has no weights',
    ]);
    expect(() => define(input)).toThrow(
      expect.objectContaining({
        code: 'invalid-model',
        message: expect.stringContaining('The model has 14 mistakes:'),
      }),
    );
  });

  it.each<[string, unknown]>([
    ['table: ', undefined],
    ['table.name: ', ''],
    ['table.name: ', {}],
    ['table: ', 7],
    ['table: has no option "key"', { name: 'records', key: 'pk' }],
    ['table.ttl: ', { name: 'records', ttl: '' }],
    ['table.indexes.gsi0: ', { name: 'records', indexes: { gsi0: 'ix' } }],
    ['table.sortKey: "gsi0pk" is an attribute', { name: 'records', sortKey: 'gsi0pk' }],
    ['table.partitionKey: "k" is named twice', { name: 'records', partitionKey: 'k', sortKey: 'k' }],
    ['table.ttl: "~gone" is an attribute of mirrored items', { name: 'records', ttl: '~gone' }],
    ['table.indexes: two', { name: 'records', indexes: { gsi0: 'one', gsi1: 'one' } }],
  ])('table: %s for %j', (expected, table) => {
    expect(mistakesOf({ table, nodes: { USER: node() } })[0]).toContain(expected);
  });

  it.each<[string, unknown]>([
    ['nodes: should be an object', undefined],
    ['nodes: should be an object', []],
    ['nodes: should be an object', new Map([['USER', node()]])],
    ['nodes: declares no node type', {}],
    ['nodes.GO-AL: is not a type name', { 'GO-AL': node() }],
    ['nodes.USER: should be made with node({ ... })', { USER: { view: 'ALL' } }],
    ['nodes.USER: should be made with node({ ... })', { USER: edge({ from: 'A', to: 'A' }) }],
  ])('nodes: %s for %j', (expected, nodes) => {
    expect(mistakesOf({ table: 'records', nodes })[0]).toContain(expected);
  });

  it.each<[string, unknown]>([
    ['nodes.USER: has no option "views"', { views: 'ALL' }],
    ['nodes.USER.fields: should be a Standard Schema validator', { fields: {} }],
    ["nodes.USER.view: should be 'KEYS_ONLY', 'ALL' or a list", { view: 'SOME' }],
    ['nodes.USER.view', { view: [''] }],
    ['nodes.USER.maxEntries: should be an object of attribute names', { maxEntries: 20 }],
    ['nodes.USER.maxEntries', { maxEntries: { '': 20 } }],
    ['nodes.USER.maxEntries.tags: should be a whole number of 1 or more', { maxEntries: { tags: 0 } }],
    ['nodes.USER.maxEntries.tags: should be a whole number of 1 or more', { maxEntries: { tags: 1.5 } }],
    ['nodes.USER.maxEntries.tags: should be a whole number of 1', { maxEntries: { tags: 'few' } }],
    ['nodes.USER.search', { search: { '': {} } }],
  ])('a node type: %s for %j', (expected, options) => {
    expect(nodeMistakes(options)[0]).toContain(expected);
  });

  it.each<[string, unknown]>([
    ['nodes.USER.search.name: has no option "shard"', { shard: 3 }],
    ['nodes.USER.search.name.shards: should be a whole number from 1', { shards: 0 }],
    ['nodes.USER.search.name.shards: should be a whole number', { shards: 1.5 }],
    ['nodes.USER.search.name.shards: should be a whole number', { shards: 100_001 }],
    ['nodes.USER.search.name.shards: should be a whole number', { shards: 'many' }],
    ['nodes.USER.search.name.type: ', { type: 'text' }],
    ['nodes.USER.search.name.hash: ', { hash: 'md5' }],
    ['nodes.USER.search.name.shardBy: ', { shardBy: 'target' }],
    ['nodes.USER.search.name.caseInsensitive: ', { caseInsensitive: 1 }],
    ['nodes.USER.search.name.multiValue: ', { multiValue: 'yes' }],
    ['nodes.USER.search.name.partition: ', { partition: '' }],
    ['nodes.USER.search.name.project: should be', { project: 3 }],
    ['caseInsensitive: applies to string attributes and paths only', { type: 'number', caseInsensitive: true }],
    [
      'caseInsensitive: applies to string attributes and paths only',
      { attribute: rank('level', { A: 1 }), caseInsensitive: true },
    ],
    ['multiValue: applies to an attribute', { attribute: derive(() => ''), multiValue: true }],
    ['shardBy: has no meaning', { shards: 'value', shardBy: 'value' }],
    ['hash: has no meaning', { shards: 'value', hash: 'fnv1a' }],
    ['has two types, number and date', { attribute: date('a'), type: 'number' }],
    ['a rank gives a string; it has no type number', { attribute: rank('level', { A: 1 }), type: 'number' }],
    ['a derive gives a string; it has no type date', { attribute: derive(() => ''), type: 'date' }],
    ['nodes.USER.search.name.path: should be a list of attribute names', { path: 'state' }],
    ['nodes.USER.search.name.path: should name at least one attribute', { path: [] }],
    ['nodes.USER.search.name.path.1: ', { path: ['state', ''] }],
    ['nodes.USER.search.name.path: names an attribute twice', { path: ['a', 'b', 'a'] }],
    ['nodes.USER.search.name.path: takes the place of attribute', { path: ['a'], attribute: 'b' }],
    ['nodes.USER.search.name.path: joins strings', { path: ['a'], type: 'number' }],
    ['nodes.USER.search.name.multiValue: applies to an attribute', { path: ['a'], multiValue: true }],
    ['nodes.USER.search.name.path: is searched by its beginning', { path: ['a'], shards: 'value' }],
    ['nodes.USER.search.name: ', 7],
    ['nodes.USER.search.name: ', null],
  ])('a search: %s for %j', (expected, entry) => {
    expect(searchMistakes(entry)[0]).toContain(expected);
  });

  it('a search with a name that leaves no room in a sort key', () => {
    expect(searchMistakes({}, 'é'.repeat(128))[0]).toContain('has a name of more than 255 bytes');
    expect(searchMistakes({}, 'x'.repeat(255))).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['gsi0: ', ''],
    ['gsi0: should be an attribute name, date(...), number(...), rank(...) or derive(...)', 7],
    ['gsi0: should be an attribute name', null],
    ['gsi0: has no option "as"', { ...date('a'), as: 1 }],
    ['gsi0.attribute: ', { kind: 'date' }],
    ['gsi0: should be an attribute name', { attribute: 'a', kind: 'time' }],
    ['gsi0: rank has no weights', rank('role', {})],
    ['gsi0: rank weights should have equal width, but are 100, 50', rank('role', { LEAD: 100, OTHER: 50 })],
    ['gsi0.weights.LEAD: ', rank('role', { LEAD: -1 })],
    ['gsi0.weights.LEAD: ', rank('role', { LEAD: 1.5 })],
    ['gsi0.weights', rank('role', { '': 1 })],
    ['gsi0.attribute: ', { kind: 'rank', attribute: '', weights: { A: 1 } }],
    ['gsi0.compute: should be a function', { kind: 'derive', compute: 'x' }],
  ])('an order: edges.KNOWS.inbound.orders.%s for %j', (expected, order) => {
    expect(orderMistakes(order)[0]).toContain(`edges.KNOWS.inbound.orders.${expected}`);
  });

  it.each<[string, object]>([
    ['.from: ', { from: undefined }],
    ['.to: should be a node type or a list of them', { to: [] }],
    ['.from: "TEAM" is not a node type', { from: ['USER', 'TEAM'] }],
    [': has no option "label"', { label: ['a'] }],
    ['.fields: should be a Standard Schema', { fields: 'x' }],
    ['.edgeSet: should be false, a list', { edgeSet: true }],
    ['.edgeSet: should be false, a list', { edgeSet: { a: 7 } }],
    ['.copy: copies belong to edges of the edge', { edgeSet: false, copy: ['name'] }],
    ['.copy: copies belong to edges whose keys', { keys: 'hashed', copy: ['name'] }],
    ['.copy: names no attribute', { copy: [] }],
    ['.copy', { copy: [7] }],
    ['.edgeSet.type: type is part of every entry', { edgeSet: ['type'] }],
    ['.edgeSet.target: target is part of every entry', { edgeSet: { target: 'x' } }],
    ['.edgeSet.~ends: ~ends is part of every', { edgeSet: ['~ends'] }],
    ['.edgeSet.a: is listed twice', { edgeSet: ['a', 'a'] }],
    [".keys: should be 'plain' or 'hashed'", { keys: 'short' }],
    ['.inbound: names no order', { inbound: { shards: 3 } }],
    ['.inbound: names no order', { inbound: { orders: { gsi0: undefined, byName: undefined } } }],
    ['.inbound.orders.gsi2: is no index', { inbound: { orders: { gsi2: 'a' } } }],
    ['.inbound.orders.byName: should be an attribute name', { inbound: { orders: { byName: 7 } } }],
    ['.inbound.orders.: is not a name for an order', { inbound: { orders: { '': 'a' } } }],
    ['.inbound.orders.BY_NAME: is not a name', { inbound: { orders: { BY_NAME: 'a' } } }],
    [
      '.inbound.orders.includeTarget: is the name of an option',
      { inbound: { orders: { gsi0: 'a', includeTarget: 'b' } } },
    ],
    ['.inbound.orders.expires: is the name of an option', { inbound: { orders: { gsi0: 'a', expires: 'b' } } }],
    ['.inbound.orders.by/name: is not a name', { inbound: { orders: { 'by/name': 'a' } } }],
    [`.inbound.orders.${'x'.repeat(65)}: is not`, { inbound: { orders: { ['x'.repeat(65)]: 'a' } } }],
    ['.inbound.shards: should be a whole', { inbound: { shards: 'byName' } }],
    ['.inbound.includeTarget: needs shards: 1', { inbound: { orders: { gsi0: 'a' }, shards: 2, includeTarget: true } }],
    ['.inbound.includeTarget: ', { inbound: { orders: { gsi0: 'a' }, includeTarget: 'yes' } }],
    [
      '.inbound.projectSource: names title, which project names too: an index item has one title. Leave it out of one',
      { inbound: { orders: { gsi0: 'a' }, project: ['role', 'title'], projectSource: ['title'] } },
    ],
    [
      ".inbound.projectSource: is together with project: 'ALL', which may hold the same names: list",
      { inbound: { orders: { gsi0: 'a' }, project: 'ALL', projectSource: ['title'] } },
    ],
    ['.inbound.projectSource: names no attribute', { inbound: { orders: { gsi0: 'a' }, projectSource: [] } }],
    [
      '.inbound.partition: is together with includeTarget: the target node cannot be',
      { inbound: { orders: { gsi0: 'a' }, partition: source('org'), includeTarget: true } },
    ],
    ['.inbound.partition: ', { inbound: { orders: { gsi0: 'a' }, partition: 7 } }],
    ['.inbound.orders.byAll: should have 1 to 8 parts, but has 0', { inbound: { orders: { byAll: [] } } }],
    ['.inbound.orders.byAll.1: should be an attribute name', { inbound: { orders: { byAll: ['a', 7] } } }],
    ['.inbound: has no option "gsi0". There are orders, shards', { inbound: { gsi0: 'a' } }],
    ['.inbound: names no order', { inbound: { includeTarget: true } }],
    ['.inbound: ', { inbound: ['a'] }],
    ['.inbound: ', { inbound: 'since' }],
    ['.inbound.shards: ', { inbound: { orders: { gsi0: 'a' }, shards: 0 } }],
    ['.inbound.shards: ', { inbound: { orders: { gsi0: 'a' }, shards: 'value' } }],
    ['.inbound.project: should be', { inbound: { orders: { gsi0: 'a' }, project: 'SOME' } }],
  ])('an edge type: edges.KNOWS%s for %j', (expected, options) => {
    expect(edgeMistakes(options)[0]).toContain(`edges.KNOWS${expected}`);
  });

  it('an edge type with the name of a node type that it leaves: their keys would collide', () => {
    const edges = { USER: anyEdge({ from: 'USER', to: 'USER' }) };
    expect(mistakesOf({ table: 'records', nodes: { USER: node() }, edges })[0]).toContain(
      'edges.USER: has the name of a node type',
    );
  });

  it('edges that are no object of definitions', () => {
    expect(mistakesOf({ table: 'records', nodes: { USER: node() }, edges: [] })).toEqual([
      'edges: should be an object of type names and definitions',
    ]);
    expect(mistakesOf({ table: 'records', nodes: { USER: node() }, edges: { KNOWS: node() } })).toEqual([
      'edges.KNOWS: should be made with edge({ ... })',
    ]);
  });

  it('no model at all', () => {
    expect(mistakesOf(undefined).map((line) => line.split(':')[0])).toEqual(['table', 'nodes']);
  });
});

describe('a part that is misspelt', () => {
  const mistakesIn = (inbound: object, parts: object = { STATE: part() }): string[] =>
    mistakesOf({
      table: 'records',
      nodes: { USER: node({ parts } as never), ROOM: node() },
      edges: { IN: edge({ from: 'USER', to: 'ROOM', inbound } as never) },
    });
  const MISTAKE = 'edges.IN.inbound: uses STAET.status, but STAET is no part of USER, whose parts are STATE';

  it('is a mistake in an order, in the parts of one, in a partition and in projectSource', () => {
    for (const inbound of [
      { orders: { byStatus: source('STAET.status') } },
      { orders: { byStatus: [source('STAET.status'), 'since'] } },
      { orders: { byStatus: rank(source('STAET.status'), { online: 1 }) } },
      { orders: { gsi0: 'since' }, partition: source('STAET.status') },
      { orders: { gsi0: 'since' }, projectSource: ['STAET.status'] },
    ])
      expect(mistakesIn(inbound)).toEqual([MISTAKE]);
  });

  it('is said of a type without parts, and of no part that there is', () => {
    const inbound = { orders: { gsi0: source('STATE.status') } };
    expect(mistakesIn(inbound, {})).toEqual([
      'edges.IN.inbound: uses STATE.status, but STATE is no part of USER, which has none',
    ]);
    defineGraph({
      table: 'records',
      nodes: { USER: node({ parts: { STATE: part() } }), BOT: node(), ROOM: node() },
      edges: { IN: edge({ from: ['USER', 'BOT'], to: 'ROOM', inbound }) },
    });
  });
});

describe('key attributes of an index that', () => {
  const indexMistakes = (indexes: object): string[] =>
    mistakesOf({ table: { name: 'records', indexes }, nodes: { USER: node() } });
  const twice = 'is named twice';

  it.each([
    [`table.indexes.gsi0.partitionKey: "source" ${twice}`, { gsi0: { partitionKey: 'source' } }],
    [`table.indexes.gsi0.sortKey: "a" ${twice}`, { gsi0: { partitionKey: 'a', sortKey: 'a' } }],
    [`table.indexes.gsi1.partitionKey: "gsi1pk" ${twice}`, { gsi0: { sortKey: 'gsi1pk' } }],
    ['table.indexes.gsi1.sortKey: "value" is an attribute of derived items', { gsi1: { sortKey: 'value' } }],
    [
      'table.indexes.gsi0.sortKey: "places" is an attribute of Edgeloom\'s own items: name another',
      { gsi0: { partitionKey: 'kind', sortKey: 'places' } },
    ],
    [
      'table.indexes.gsi0.partitionKey: "~mirror" is an attribute of mirrored items: name another',
      { gsi0: { partitionKey: '~mirror', sortKey: 'place-in-list' } },
    ],
    [
      'table.indexes.gsi0: should be 3 to 255 of the characters A-Z, a-z, 0-9, _, - and ., or { name, partitionKey, sortKey }',
      { gsi0: { name: 'GSI1', partitionKey: 7 } },
    ],
  ])('%s for %j', (mistake, indexes) => {
    expect(indexMistakes(indexes)).toEqual([mistake]);
  });
});

describe('mistakes in totals', () => {
  const mistakesIn = (options: object): string[] =>
    mistakesOf({
      table: 'records',
      nodes: { USER: node(), PROJECT: node() },
      edges: { WORKED_ON: edge({ from: 'USER', to: 'PROJECT', ...options } as never) },
    });
  const nine = Object.fromEntries([...'abcdefghi'].map((name) => [name, sum(name)]));

  it('hide no others', () => {
    const ofSource = { groupBy: [source('status')] };
    expect(mistakesIn({ inbound: ofSource })).toEqual([
      "edges.WORKED_ON.inbound.groupBy.0: is source('status'): a total is of the edge's own attributes, so write status on the edge too",
    ]);
    const wrong = { total: { ...nine, i: { kind: 'count', attribute: 'i' } }, groupBy: ['a b'] };
    const found = (path: string) => [
      `${path}.total: has 9 names; there may be 8`,
      expect.stringContaining(`${path}.total.i.kind: `),
      expect.stringContaining(`${path}.groupBy.0: should be an attribute with a name`),
    ];
    expect(mistakesIn({ inbound: wrong })).toEqual(found('edges.WORKED_ON.inbound'));
    expect(mistakesIn({ outgoing: { ...wrong, totals: 1 }, degree: 'yes' })).toEqual([
      expect.stringContaining('edges.WORKED_ON.degree: '),
      'edges.WORKED_ON.outgoing: has no option "totals". Did you mean total? There are total, groupBy',
      ...found('edges.WORKED_ON.outgoing'),
    ]);
    expect(mistakesIn({ outgoing: 'hours' })).toEqual([expect.stringContaining('edges.WORKED_ON.outgoing: ')]);
  });

  it.each([
    ['a text', 'priceAmount'],
    ['a list', [...'abcdefghi']],
    ['an instance of a class', Object.assign(new Date(0), nine)],
  ])('are not counted in %s', (_what, total) => {
    for (const side of ['inbound', 'outgoing'])
      expect(mistakesIn({ [side]: { total } })).toEqual([`edges.WORKED_ON.${side}.total: should be an object`]);
  });
});

it('refuses options of orders where there are only totals', () => {
  const idle = 'is for orders, but there are none: give orders, or leave it out';
  expect(edgeMistakes({ inbound: { total: {} } })).toEqual([]);
  expect(edgeMistakes({ inbound: { total: {}, native: false, shards: undefined } })).toEqual([]);
  expect(edgeMistakes({ inbound: { total: {}, partition: 'x', shards: 5, native: true } })).toEqual([
    `edges.KNOWS.inbound.partition: ${idle}`,
    `edges.KNOWS.inbound.shards: ${idle}`,
    `edges.KNOWS.inbound.native: ${idle}`,
  ]);
  expect(edgeMistakes({ inbound: { orders: {}, groupBy: ['k'], includeTarget: true } })).toEqual([
    `edges.KNOWS.inbound.includeTarget: ${idle}`,
  ]);
});

it('says how a sum of a total is written', () => {
  const KNOWS = edge({ from: 'USER', to: 'USER', inbound: { total: { q: 'qty' } } } as never);
  expect(mistakesOf({ table: 'records', nodes: { USER: node() }, edges: { KNOWS } })).toEqual([
    "edges.KNOWS.inbound.total.q: should be a sum of an attribute: write sum('qty')",
  ]);
});

it('tells the mistakes of an option from those of another whose name begins alike', () => {
  const mistakes = new Mistakes();
  mistakes.at('edges.KNOWS.to').note('is wrong');
  expect(['', 'edges', 'edges.KNOWS', 'edges.KNOWS.to'].map((path) => mistakes.at(path).areAny)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['edges.KNOW', 'edges.KNOWS.t', 'edges.KNOWS.to.0'].map((path) => mistakes.at(path).areAny)).toEqual([
    false,
    false,
    false,
  ]);
});
