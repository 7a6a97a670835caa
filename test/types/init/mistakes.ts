import { defineGraph, edge, node, source } from 'edgeloom';
import { z } from 'zod';
import { graph, reader, writer } from './model.js';

/** What the compiler refuses of a model, as it would fail at run time, under the flags that `tsc --init` writes. */

// @ts-expect-error GUEST and LEAD have ranks, BOSS has none
await reader.inbound('USER-1', 'MEMBER', { atLeast: 'BOSS' });
// @ts-expect-error FOLLOWS has no orders
await reader.inbound('USER-1', 'FOLLOWS');
// @ts-expect-error no member is a goal
await reader.inbound('GOAL-1', 'MEMBER');
// @ts-expect-error names are spread by country
await reader.search('USER.born').equals('1815-12-10');
// @ts-expect-error a number is no date
await reader.search('USER.born').equals(5, { partition: 'UK' });
// @ts-expect-error users are in no list
await reader.nodes('USER');
// @ts-expect-error a goal has no attribute of that name
await writer.putNode('GOAL-1', { titel: 'Ship' });
// @ts-expect-error the model has no such node type
await reader.getViews(['GAOL-1']);

const [goal] = await reader.getViews(['GOAL-1']);
// @ts-expect-error the view shows the title only
goal?.attributes?.due;

const { items } = await reader.page('USER-1', 'MEMBER', { with: [{ edge: 'MEMBER', with: ['LIKES'] }] });
// @ts-expect-error there may be no first node
items[0].id;
const liked = items[0]?.edges.MEMBER[0]?.node.edges.LIKES[0]?.node;
const title: string | undefined = liked?.attributes?.title;
// @ts-expect-error the view of a goal has no such attribute
liked?.attributes?.due;
const members = await reader.page('USER-1', 'MEMBER', { with: ['MEMBER'] });
// @ts-expect-error no level is below the members
members.items[0]?.edges.MEMBER[0]?.node.edges;

const { items: edges } = await reader.inbound('USER-1', 'MEMBER');
// @ts-expect-error the index items have keys only
edges[0]?.attributes.role;

const { items: goals } = await reader.inbound('TEAM-1', 'PART_OF');
// @ts-expect-error the index items show the title of a goal only
goals[0]?.attributes.due;
await reader.inbound('TEAM-1', 'PART_OF', { where: { due: '2026-01-01', rank: '1' } });
// @ts-expect-error the index items show the title of a goal only, and their keys when it is due
await reader.inbound('TEAM-1', 'PART_OF', { where: { place: 'here' } });

defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL', fields: z.object({ title: z.string() }) }), TEAM: node({ view: 'ALL' }) },
  edges: {
    RIGHT: edge({ from: 'GOAL', to: 'TEAM', inbound: { orders: { gsi0: source('title') } } }),
    // @ts-expect-error a goal has no attribute of that name
    ORDERED: edge({ from: 'GOAL', to: 'TEAM', inbound: { orders: { gsi0: source('titel') } } }),
    // @ts-expect-error a goal has no attribute of that name
    PROJECTED: edge({ from: 'GOAL', to: 'TEAM', inbound: { orders: { gsi0: 'since' }, projectSource: ['titel'] } }),
  },
});

export const named = { title, table: graph.table.name, goals: () => reader.nodes('GOAL') };
