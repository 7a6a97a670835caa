import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import {
  edgeSchema,
  inboundSchema,
  nodeSchema,
  partSchema,
  searchSchema,
} from '../../../src/core/model/compile/schemas.ts';
import type { OpenAttributes, OpenFields } from '../../../src/core/model/order.ts';
import { count, derive, edge, fromSource, node, part, rank, sum } from '../../../src/core/model/schema.ts';
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
      name: { fold: true, shards: 7, shardBy: 'source', hash: 'codepoint-product', project: ['name'] },
      tags: { each: true, type: 'string', shards: 'value', partition: 'city' },
      born: { from: 'birthday', type: 'date', project: 'ALL' },
      place: { path: ['country', 'city'], shards: 3 },
      level: rank('level', { low: 10, high: 20 }),
      title: derive(text, { version: 3, others: { 2: text } }),
    },
    parts: {
      STATE: { fields: anyAttributes, view: ['status'], search: { status: { type: 'number', shards: 2 } } },
      NOTE: {},
    },
    key: { source: 'USER#{id}', target: 'PROFILE', where: { kind: 'user' }, case: 'lower' },
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
      gsi0: 'since',
      gsi1: { from: 'weight', type: 'number' },
      byState: [fromSource('STATE.status'), rank('level', { low: 1, high: 2 }), derive(text, { version: 2 })],
      shards: 4,
      shardBy: 'value',
      hash: 'codepoint-product',
      project: ['since'],
      projectSource: ['name'],
      partition: fromSource('city'),
      total: { weights: sum('weight') },
      by: { levels: count('level') },
    },
    outgoing: { total: { weights: sum('weight') }, by: { levels: count('level') } },
    degree: true,
    keys: 'plain',
    copy: ['title'],
    key: { source: 'USER#{from}', target: 'GOAL#{to}', where: { kind: 'follows' } },
  },
  OWNS: { from: ['USER'], to: 'GOAL', inbound: { gsi0: 'since', byName: 'name', includeOwner: true } },
  LIKES: { from: 'USER', to: 'GOAL', edgeSet: false, keys: 'hashed', inbound: { newest: 'since', partition: 'kind' } },
  SEES: { from: 'USER', to: 'GOAL', edgeSet: ['since'], degree: true },
} as const;

const graph = defineGraph({
  table: 'records',
  nodes: {
    USER: node({
      ...NODES.USER,
      parts: { STATE: part(NODES.USER.parts.STATE), NOTE: part(NODES.USER.parts.NOTE) },
    }),
    GOAL: node(NODES.GOAL),
  },
  edges: {
    FOLLOWS: edge(EDGES.FOLLOWS),
    OWNS: edge(EDGES.OWNS),
    LIKES: edge(EDGES.LIKES),
    SEES: edge(EDGES.SEES),
  },
});

describe('the model of this test', () => {
  const given = (options: readonly object[]): string[] =>
    [...new Set(options.flatMap((each) => Object.keys(each)))].sort();
  const inbounds = Object.values(EDGES).flatMap((each) => ('inbound' in each ? [each.inbound] : []));
  const searches = [...Object.values(NODES.USER.search), NODES.USER.parts.STATE.search.status];
  it.each([
    ['node', nodeSchema, given([NODES.USER])],
    ['part', partSchema, given([NODES.USER.parts.STATE])],
    ['search', searchSchema, given(searches)],
    ['edge', edgeSchema, given(Object.values(EDGES))],
    ['inbound', inboundSchema, given(inbounds)],
  ])('has every option of a %s', (_kind, schema, names) => {
    expect(names).toEqual(expect.arrayContaining(Object.keys(schema.of)));
  });
});

/** What tables have of a model, a line each: the fingerprint, the name, and the bytes or the fingerprint of a meaning. */
function storedLines(): string[] {
  const { projections, views } = definitionsOf(graph);
  const definitions = [...projections, ...views].map(([name, { data, fingerprint, meaning }]: [string, Defined]) => {
    return `${fingerprint} ${meaning} ${name} ${JSON.stringify(data)}`;
  });
  const searches = [...graph.nodes.values()].flatMap((model) =>
    [...model.searches.values()].map((search) => `${meaningOfSearch(search)} cursors of ${model.type}.${search.name}`),
  );
  const orders = [...graph.edges.values()].flatMap((model) =>
    [...(model.inbound?.orders.values() ?? [])].map(
      (order) => `${meaningOfOrder(model, order)} cursors of ${model.type}.${order.name}`,
    ),
  );
  return [`${graph.fingerprint} the model`, ...definitions, ...searches, ...orders, ''];
}

describe('definitions, their fingerprints and those of meanings', () => {
  it('are those that tables have', async () => {
    await expect(storedLines().join('\n')).toMatchFileSnapshot('definition-bytes.txt');
  });
});
