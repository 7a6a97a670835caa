import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { derive, rank } from '../../../src/core/model/order.ts';
import { edge, node, source } from '../../../src/core/model/schema.ts';
import { type Defined, definitionsOf, meaningOfOrder, meaningOfSearch } from '../../../src/registry/definition.ts';

/**
 * Fingerprints of definitions stand in the registries of tables. One that changes makes each table build a projection again that it
 * has already, so they are written down here: with an option added, or the compiled model built otherwise, these stay as they are.
 */

const graph = defineGraph({
  table: 'records',
  nodes: {
    USER: node({
      view: 'ALL',
      list: true,
      viewBudgetBytes: 100_000,
      search: {
        name: { caseInsensitive: true, project: ['name'] },
        email: { shards: 4, shardBy: 'source', hash: 'codepoint-product' },
        token: { shards: 'value', partition: 'country' },
        tags: { multiValue: true, project: 'ALL' },
        place: { path: ['country', 'city'], shards: 1 },
        grade: { attribute: rank('grade', { LOW: 1, HIGH: 2 }) },
        spoken: { attribute: derive(({ name }) => `${name}`, { version: 3 }) },
      },
    }),
    TEAM: node({ view: ['name'] }),
  },
  edges: {
    MEMBER: edge({
      from: 'USER',
      to: 'TEAM',
      degree: true,
      edgeSet: ['role'],
      copy: ['name'],
      inbound: {
        orders: { gsi0: 'since', gsi1: ['grade', 'since'], byName: 'name' },
        includeTarget: true,
        project: ['role'],
      },
    }),
    TICKET: edge({
      from: 'USER',
      to: ['USER', 'TEAM'],
      edgeSet: false,
      inbound: {
        orders: { byTitle: source('title') },
        shards: 3,
        shardBy: 'value',
        partition: 'country',
        projectSource: ['name'],
      },
    }),
    LIKES: edge({ from: 'USER', to: 'USER', edgeSet: false, degree: true, keys: 'hashed' }),
  },
});

/** Each definition with its fingerprint, and with that of its meaning. */
const KEPT: readonly string[] = [
  'search:USER.name f1c691bdb4143b7c 7756ac560121bfaa',
  'search:USER.email 04db7e2a8f358784 0245764d283e22ed,0606a0b0a4b9214e',
  'search:USER.tags ab097edd7dd6215c e0ae9d69b15b0f60',
  'search:USER.place 317a8a10b0d60b2b 5ed2afa047855bb5,3271d1a186612cef',
  'search:USER.spoken 14e15f8f8176fc34 e015d35f7d568775',
  'list:USER ff466daaf3d00a8a 92c441fd2137c118',
  'inbound:MEMBER 31064ce698b2143a 9ab9475f1f494678',
  'order:MEMBER.byName 321800f7d28fd79d 66f80aab96af7845',
  'inbound:TICKET d6cf313e215efb03 0ba6824c7f7e5385',
  'inbound:LIKES 7083c01ff33c3b6f 7083c01ff33c3b6f',
  'view:USER 0e842a7fcfd9f72f 0e842a7fcfd9f72f',
  'view:TEAM 6479398be0764b4a 6479398be0764b4a',
];

describe('fingerprints of definitions', () => {
  it('stay as they are', () => {
    const definitions: Defined[] = [...definitionsOf(graph).values()];
    expect(definitions.map(({ name, fingerprint, meanings }) => `${name} ${fingerprint} ${meanings.join()}`)).toEqual(
      KEPT,
    );
  });
});

/** What the cursors of searches and orders are bound to. */
const ORDERING: readonly string[] = [
  'USER.name 78e2a975b9779f1c',
  'USER.email 3d908cc3ea75e2e0',
  'USER.token 1b30abeed2bf4ca0',
  'USER.tags a217bdf2dbd7d07a',
  'USER.place 5a20590f11074f92',
  'USER.grade d7d926c3fd55b244',
  'USER.spoken e77929f76bc339e7',
  'USER. df77d2a385b0ab2c',
  'MEMBER.gsi0 2a9912f764c30510',
  'MEMBER.gsi1 da09ef19ff7d123c',
  'MEMBER.byName 136aed1ab13f396f',
  'TICKET.byTitle e462d9065e7149d1',
];

describe('the meaning of an order', () => {
  it('stays as it is', () => {
    const searches = [...graph.nodes.values()].flatMap((one) => [...one.searches.values()]);
    const found = searches.map((search) => `${search.indexPartition} ${meaningOfSearch(graph, search)}`);
    for (const one of graph.edges.values()) {
      for (const order of one.inbound?.orders.values() ?? []) {
        found.push(`${one.type}.${order.name} ${meaningOfOrder(graph, one, order)}`);
      }
    }
    expect(found).toEqual(ORDERING);
  });
});
