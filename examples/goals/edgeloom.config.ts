import { date, defineGraph, edge, node, rank } from 'edgeloom';

/** Company goals, the people and teams that pursue them, and those that follow along. */
export default defineGraph({
  table: 'goals',
  nodes: {
    GOAL: node({
      view: ['title', 'status'],
      search: { status: { shardBy: 'source', shards: 5 }, dueDate: { type: 'date', shards: 5, project: ['title'] } },
    }),
    KEYRESULT: node({ view: ['title'] }),
    USER: node({ view: ['name'], search: { name: { caseInsensitive: true } } }),
    TEAM: node({ view: ['name'] }),
    ORG: node({ view: ['name'] }),
  },
  edges: {
    GOALMEMBERSHIP: edge({
      from: ['GOAL', 'KEYRESULT'],
      to: ['USER', 'TEAM', 'ORG'],
      // Each goal's view names its leads, contributors and teams: a page of goals needs no read for each of them.
      edgeSet: ['memberRole'],
      inbound: {
        orders: { byRole: rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400, TEAM: 300 }), byDate: date('date') },
        project: ['memberRole', 'date'],
      },
    }),
    // The team whose objective a goal is; its list begins there.
    TEAMGOAL: edge({ from: 'GOAL', to: 'TEAM', edgeSet: false, inbound: { orders: { byRank: 'rank' } } }),
    KEYRESULT: edge({ from: 'GOAL', to: 'KEYRESULT' }),
    SUBGOAL: edge({ from: 'GOAL', to: 'GOAL' }),
    // Hundreds or thousands: in no set, but counted.
    GOALSUBSCRIBER: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: false,
      degree: true,
      inbound: { orders: { bySince: 'since' } },
    }),
  },
});
