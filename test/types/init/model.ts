import {
  createClient,
  createReader,
  createWriter,
  DynamoDBStore,
  defineGraph,
  derive,
  edge,
  node,
  rank,
  source,
} from 'edgeloom';
import { streamHandler } from 'edgeloom/lambda';
import { startLocal } from 'edgeloom/local';
import { z } from 'zod';

/**
 * What a project exports without a type of its own. With `declaration`, the compiler has to be able to name each of these
 * types from the package's entry points.
 */

export const graph = defineGraph({
  table: 'records',
  nodes: {
    GOAL: node({
      fields: z.object({ title: z.string(), due: z.string().optional() }),
      view: ['title'],
      search: {
        title: { caseInsensitive: true },
        place: { path: ['title', 'due'] },
        code: { attribute: 'title', shards: 'value' },
      },
      list: true,
    }),
    USER: node({
      view: 'ALL',
      search: {
        name: { attribute: derive((user) => String(user['name'])) },
        age: { type: 'number' },
        born: { type: 'date', partition: 'country' },
      },
    }),
    TEAM: node({ view: 'ALL' }),
  },
  edges: {
    MEMBER: edge({
      fields: z.object({ role: z.enum(['LEAD', 'GUEST']) }),
      from: 'GOAL',
      to: ['USER', 'TEAM'],
      edgeSet: { shown: derive((member: { role: string }) => member.role) },
      inbound: { orders: { gsi0: rank('role', { LEAD: 500, GUEST: 400 }), byRole: 'role' }, includeTarget: true },
    }),
    FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: false, degree: true }),
    LIKES: edge({ from: 'USER', to: 'GOAL', copy: ['title'] }),
    PART_OF: edge({
      from: 'GOAL',
      to: 'TEAM',
      inbound: { orders: { byDue: [source('due'), 'rank'] }, projectSource: ['title'] },
    }),
  },
});

const store = new DynamoDBStore(createClient(), graph.table);
export const writer = createWriter(graph, { store });
export const reader = createReader(graph, { store });
export const handler = streamHandler(graph);
export const local = () => startLocal(graph, {});
export const put = () => writer.putNode('GOAL-1', { title: 'Ship' });
export const deleted = () => writer.deleteNodeWithEdges('GOAL-1');
export const batch = () => writer.batch((each) => each.deleteNode('GOAL-1'));
export const got = () => reader.getViews(['GOAL-1', 'USER-1']);
export const edges = () => reader.edges('USER-1', 'FOLLOWS');
export const inbound = () => reader.inbound('USER-1', 'MEMBER', { includeTarget: true });
export const search = () => reader.search('GOAL.title');
export const found = () => reader.search('USER.age').between(18);
export const page = () => reader.page('TEAM-1', 'MEMBER');
export const path = () => reader.search('GOAL.place');
export const code = () => reader.search('GOAL.code');
export const goals = () => reader.nodes('GOAL');
export const shards = () => reader.shards('USER.name');
export const parts = () => reader.inbound('TEAM-1', 'PART_OF', { where: { title: 'Ship' } });
