import { defineGraph, edge, node, rank } from 'edgeloom';

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
        email: { fold: true },
        favoriteFoods: { each: true },
      },
    }),
    STORE: node({ search: { location: { partition: 'country', path: ['state', 'city', 'zip'], shards: 1 } } }),
    TEAM: node({ view: ['name'] }),
    ORG: node(),
  },
  edges: {
    GOALMEMBERSHIP: edge({
      from: 'GOAL',
      to: ['USER', 'TEAM', 'ORG'],
      edgeSet: ['memberRole'],
      inbound: {
        gsi0: rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400, TEAM: 300 }),
        gsi1: { from: 'date', type: 'date' },
        byPriority: { from: 'priority', type: 'number' },
        project: ['memberRole', 'date'],
      },
    }),
    GOALSUBSCRIBER: edge({ from: 'GOAL', to: 'USER', edgeSet: false, inbound: { gsi0: 'since', includeOwner: true } }),
  },
});
