import { marshall } from '@aws-sdk/util-dynamodb';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { unplaced } from '../../../packages/workbench/adopt/mapping.ts';
import { mappingText } from '../../../packages/workbench/adopt/proposal-text.ts';
import { propose } from '../../../packages/workbench/adopt/propose.ts';
import { sampledItem } from '../../../packages/workbench/adopt/sampled-item.ts';
import * as admin from '../../../src/admin.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import * as edgeloom from '../../../src/index.ts';
import type { Source } from '../../../src/sources/source.ts';
import { Random } from '../../simulator/kernel/random.ts';
import { FOREIGN_TABLES } from '../../support/foreign-tables/all.ts';
import { electroDB } from '../../support/foreign-tables/electrodb.ts';
import {
  adjacencyList,
  eventStore,
  invertedIndex,
  multiTenant,
  overloadedIndex,
} from '../../support/foreign-tables/hand-made.ts';
import { oneTable } from '../../support/foreign-tables/onetable.ts';
import { entityAttribute, metaItems } from '../../support/foreign-tables/told-apart.ts';
import { toolbox } from '../../support/foreign-tables/toolbox.ts';
import { mappedItems } from '../../support/mapped-items.ts';

/** What `adopt` proposes for tables that are laid out in the usual ways. */

interface Proposed {
  default: edgeloom.CompiledModel;
  sources: [Source];
}

/** A proposed file, run as a module. */
function run(text: string): Proposed {
  const { code } = transformSync(text, { loader: 'ts', format: 'cjs' });
  const module = { exports: {} };
  new Function('module', 'require', code)(module, () => ({ ...edgeloom, ...admin }));
  return module.exports as Proposed;
}

const HIDDEN = new Set(['gsi1pk', 'gsi1sk', 'gsi2pk', 'gsi2sk', 'gs1pk', 'gs1sk', 'GSI1PK', 'GSI1SK']);

/** What the proposal has to find: node types, edges with their ends, and why items are not of the graph. */
const EXPECTED: Record<string, { nodes: string[]; edges: string[]; left: string[] }> = {
  [electroDB.name]: {
    nodes: ['ISSUE', 'REPOSITORY', 'SUBSCRIPTION', 'USER'],
    edges: [
      ...['ISSUE_REPOSITORY ISSUE REPOSITORY', 'ISSUE_USERNAME ISSUE USER', 'REPOSITORY_REPO_OWNER REPOSITORY USER'],
      ...['STAR REPOSITORY USER', 'SUBSCRIPTION_USERNAME SUBSCRIPTION USER'],
    ],
    left: ['it is of version 1 of the entity issue, and version 2 is declared'],
  },
  [oneTable.name]: {
    nodes: ['ACCOUNT', 'AUDIT', 'INVOICE', 'USER'],
    edges: ['INVOICE_ACCOUNT INVOICE ACCOUNT', 'USER_ACCOUNT USER ACCOUNT'],
    left: ['it guards a unique attribute', 'no attribute _type names its model'],
  },
  [toolbox.name]: {
    nodes: ['CART', 'CUSTOMER', 'ORDER'],
    edges: ['CART_CUSTOMER CART CUSTOMER', 'ORDER_CUSTOMER ORDER CUSTOMER'],
    left: ['no attribute _et names its entity'],
  },
  [overloadedIndex.name]: {
    nodes: ['HR', 'PROJECT', 'QUOTA'],
    edges: ['PROJECT_HR PROJECT HR', 'QUOTA_HR QUOTA HR'],
    left: [],
  },
  [invertedIndex.name]: {
    nodes: ['ACTOR', 'FILM', 'SESSION'],
    edges: ['ACTOR_FILM ACTOR FILM', 'SESSION_ACTOR SESSION ACTOR'],
    left: [],
  },
  [adjacencyList.name]: {
    nodes: ['NODE'],
    edges: ['BLOCKS NODE NODE', 'LIKES NODE NODE', 'OWNS NODE NODE'],
    left: [],
  },
  [eventStore.name]: {
    nodes: ['SNAPSHOT', 'STREAM', 'VERSION'],
    edges: ['SNAPSHOT_STREAM SNAPSHOT STREAM', 'VERSION_STREAM VERSION STREAM'],
    left: [],
  },
  [multiTenant.name]: {
    nodes: ['AGENT', 'TENANT', 'TICKET'],
    edges: ['AGENT_TENANT AGENT TENANT', 'TICKET_AGENT TICKET AGENT'],
    left: [],
  },
  [entityAttribute.name]: {
    nodes: ['AUTHOR', 'BOOK', 'DRAFT'],
    edges: ['DRAFT_AUTHOR DRAFT AUTHOR', 'KNOWS AUTHOR AUTHOR', 'WROTE AUTHOR BOOK'],
    left: [],
  },
  [metaItems.name]: {
    nodes: ['SETTINGS', 'TASK', 'TEAM', 'USER'],
    edges: [
      ...['SETTINGS_USER SETTINGS USER', 'TASK_TEAM TASK TEAM', 'TEAM_LEAD TEAM USER', 'USER_TEAM USER TEAM'],
      'WATCHER TASK USER',
    ],
    left: [],
  },
};

const KEYS = ['pk', 'sk'] as const;
const numbers = (count: number): number[] => [...Array(count).keys()];

/** What is proposed for items, as a text and as a module. */
function proposed(
  items: readonly object[],
  { keys = KEYS, ttl }: { keys?: readonly [string, string]; ttl?: string } = {},
) {
  const sample = items.map((item) => sampledItem(marshall(item) as Item, keys, HIDDEN)!);
  const proposal = propose(sample, keys);
  const leftOut = unplaced(proposal, 'app-table', HIDDEN);
  const text = mappingText(
    proposal,
    { table: 'app-table', sampled: 1, extent: 'all 1 items', ttl, notes: [], leftOut },
    HIDDEN,
  );
  return { proposal, leftOut, text, ...run(text) };
}

describe('a proposal', () => {
  const users = numbers(20).map((i) => ({ pk: `USER#u${i}`, sk: 'PROFILE', name: `User ${i}` }));
  const marked = (library: object, item: object) => ({ ...item, ...library });

  it.each([
    ['by hand', {}, 'PROFILE'],
    ['of ElectroDB', { __edb_e__: 'user', __edb_v__: '1' }, '$user_1'],
    ['of OneTable', { _type: 'User' }, 'user#'],
    ['of DynamoDB-Toolbox', { _et: 'User' }, 'PROFILE'],
  ])('passes attributes that no item of the sample has: %s', (_, library, sk) => {
    const items = users.map((user, i) => marked(library, { ...user, id: `u${i}`, sk }));
    const { default: graph, sources } = proposed(items);
    const later = { ...items[0], expiresAt: 7, deletedAt: '2026', tags: { a: 1 } };
    const [made] = mappedItems(graph, sources[0], marshall(later) as Item).values();
    expect(made).toMatchObject({ name: { S: 'User 0' }, expiresAt: { N: '7' }, deletedAt: { S: '2026' }, tags: {} });
    expect(Object.keys(made!)).not.toContain('sk');
  });

  it.each([
    ['ElectroDB', { __edb_e__: 'user', __edb_v__: '1' }],
    ['OneTable', { _type: 'User' }],
    ['DynamoDB-Toolbox', { _et: 'User' }],
  ])('gives an attribute with the name of a key here another one: %s', (_, library) => {
    const items = users.map((user, i) => marked(library, { ...user, id: `u${i}`, source: `web ${i}` }));
    const { default: graph, sources } = proposed(items);
    const [made] = mappedItems(graph, sources[0], marshall(items[3]!) as Item).values();
    expect(made).toMatchObject({ source: { S: 'USER-u3' }, source_: { S: 'web 3' } });
  });

  it('hides and ends items by the attributes that say so', () => {
    const ends = (i: number) => ({ ...(i === 7 && { deletedAt: '2026-01-01' }), ttl: 1_900_000_000 + i });
    const nodes = users.map((user, i) => ({ ...user, ...ends(i) }));
    const edges = numbers(20).map((i) => ({ pk: `USER#u${i}`, sk: `FOLLOWS#USER#u${19 - i}`, _deleted: i === 3 }));
    const { text } = proposed([...nodes, ...edges]);
    expect(text).toContain("USER: node({ view: 'ALL', deletedWhen: 'deletedAt', expires: 'ttl' })");
    expect(text).toContain("FOLLOWS: edge({ from: 'USER', to: 'USER', deletedWhen: '_deleted' })");
    // A duration, a zero for "no", and an attribute that another one is the TTL of.
    const others = users.map((user, i) => ({ ...user, ttl: 3600, deleted: 0, gone: 1_900_000_000 + i }));
    expect(proposed(others).text).toContain("USER: node({ view: 'ALL' })");
    expect(proposed(others, { ttl: 'gone' }).text).toContain("USER: node({ view: 'ALL', expires: 'gone' })");
  });

  it('understands keys with another separator than most, and says which kind takes all others', () => {
    const invoices = numbers(15).map((i) => ({ pk: `account:a${i % 3}`, sk: `invoice:${1000 + i}`, amount: i }));
    const { proposal, text } = proposed([...users, ...invoices]);
    expect([...proposal.nodes].sort()).toEqual(['ACCOUNT', 'INVOICE', 'USER']);
    expect(text).toContain("INVOICE_ACCOUNT: edge({ from: 'INVOICE', to: 'ACCOUNT' })");
    const bare = proposed([...users, ...numbers(5).map((i) => ({ pk: `x${i}`, sk: `y${i}` }))]);
    expect(bare.text).toContain(
      '// UNSURE: nothing in its keys tells its kind, so it takes every item that is of no other one.',
    );
  });

  it.each(FOREIGN_TABLES)('is the same in whatever order the items of $name come', ({ items, keys }) => {
    const all = items(new Random(1));
    const options = { keys: [keys.partitionKey, keys.sortKey] as const };
    const { text } = proposed(all, options);
    const random = new Random(2);
    const drawn = all.map((item) => [random.below(1e9), item] as const).sort(([a], [b]) => a - b);
    expect(
      proposed(
        drawn.map(([, item]) => item),
        options,
      ).text,
    ).toBe(text);
  });
});

describe.each(FOREIGN_TABLES)('the proposal for $name', ({ name, items, keys: { partitionKey, sortKey } }) => {
  it.each([1, 2, 3, 48])('maps every item, or names it as not of the graph (%d)', (seed) => {
    const keys = [partitionKey, sortKey] as const;
    const images = items(new Random(seed)).map((item) => marshall(item, { removeUndefinedValues: true }) as Item);
    const sample = images.map((image) => sampledItem(image, keys, HIDDEN)!);
    const proposal = propose(sample, keys);
    const leftOut = unplaced(proposal, 'app-table', HIDDEN);
    const facts = { table: 'app-table', sampled: sample.length, extent: 'all items', notes: [], leftOut };
    const {
      default: graph,
      sources: [of],
    } = run(mappingText(proposal, facts, HIDDEN));
    const { nodes, edges, left } = EXPECTED[name]!;
    expect([...graph.nodes.keys()].sort()).toEqual(nodes);
    expect([...graph.edges.values()].map(({ type, from, to }) => `${type} ${[...from]} ${[...to]}`).sort()).toEqual(
      edges,
    );
    expect(leftOut.map(({ reason }) => reason).sort()).toEqual(left);
    const made = images.map((image) => [...mappedItems(graph, of, image).keys()]);
    const empty = made.filter((own) => own.length === 0).length;
    expect(empty).toBe(leftOut.reduce((sum, one) => sum + one.items, 0));
    // No two items make one.
    expect(new Set(made.flat()).size).toBe(made.flat().length);
  });
});
