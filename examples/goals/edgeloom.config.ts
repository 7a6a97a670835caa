import { date, defineGraph, edge, node, rank } from 'edgeloom';

/** Company goals, the people and teams that pursue them, and their subscribers. */
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
      // Each goal's view lists its leads, contributors and teams, so a page of goals doesn't query each goal's members.
      edgeSet: ['memberRole'],
      inbound: {
        orders: { byRole: rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400, TEAM: 300 }), byDate: date('date') },
        project: ['memberRole', 'date'],
      },
    }),
    // Links a goal to the team whose objective it is. The team's goals list starts with these edges.
    TEAMGOAL: edge({ from: 'GOAL', to: 'TEAM', edgeSet: false, inbound: { orders: { byRank: 'rank' } } }),
    KEYRESULT: edge({ from: 'GOAL', to: 'KEYRESULT' }),
    SUBGOAL: edge({ from: 'GOAL', to: 'GOAL' }),
    // There may be thousands: too many for an edge set, so they are only counted.
    GOALSUBSCRIBER: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: false,
      degree: true,
      inbound: { orders: { bySince: 'since' } },
    }),
  },
});
