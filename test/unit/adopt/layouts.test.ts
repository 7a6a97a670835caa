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
      'ISSUE_REPOSITORY ISSUE REPOSITORY',
      'ISSUE_USERNAME ISSUE USER',
      'REPOSITORY_REPO_OWNER REPOSITORY USER',
      'STAR REPOSITORY USER',
      'SUBSCRIPTION_USERNAME SUBSCRIPTION USER',
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
      'SETTINGS_USER SETTINGS USER',
      'TASK_TEAM TASK TEAM',
      'TEAM_LEAD TEAM USER',
      'USER_TEAM USER TEAM',
      'WATCHER TASK USER',
    ],
    left: [],
  },
};

describe.each(FOREIGN_TABLES)('the proposal for $name', ({ name, items, keys: { partitionKey, sortKey } }) => {
  it.each([1, 2, 3, 48])('maps every item, or names it as not of the graph (%d)', (seed) => {
    const keys = [partitionKey, sortKey] as const;
    const images = items(new Random(seed)).map((item) => marshall(item, { removeUndefinedValues: true }) as Item);
    const sample = images.map((image) => sampledItem(image, keys, HIDDEN)!);
    const proposal = propose(sample, keys);
    const leftOut = unplaced(proposal, 'app-table', HIDDEN);
    const facts = { table: 'app-table', sampled: sample.length, tableItems: sample.length, notes: [], leftOut };
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
