import { date, defineGraph, edge, node, number, rank } from 'edgeloom';

/** Goals with their members and subscribers: the model that the README and the tests of the command line use. */
export default defineGraph({
  table: 'records',
  nodes: {
    GOAL: node({
      view: ['title', 'status'],
      search: { status: { shardBy: 'source' }, dueDate: { type: 'date' } },
    }),
    USER: node({
      view: 'ALL',
      search: {
        name: { shards: 200 },
        email: { caseInsensitive: true },
        favoriteFoods: { multiValue: true },
      },
    }),
    STORE: node({
      view: 'ALL',
      search: { location: { partition: 'country', path: ['state', 'city', 'zip'], shards: 1 } },
    }),
    TEAM: node({ view: ['name'] }),
    ORG: node({ view: 'ALL' }),
  },
  edges: {
    GOALMEMBERSHIP: edge({
      from: 'GOAL',
      to: ['USER', 'TEAM', 'ORG'],
      edgeSet: ['memberRole'],
      inbound: {
        orders: {
          gsi0: rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400, TEAM: 300 }),
          gsi1: date('date'),
          byPriority: number('priority'),
        },
        project: ['memberRole', 'date'],
      },
    }),
    GOALSUBSCRIBER: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: false,
      inbound: { orders: { gsi0: 'since' }, includeTarget: true },
    }),
  },
});
