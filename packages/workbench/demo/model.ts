import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { date, edge, node, number, rank, sum } from '../../../src/core/model/schema.ts';

const AIRPORT = {
  name: { caseInsensitive: true },
  state: { shards: 10, shardBy: 'source' },
  location: { partition: 'country', path: ['state', 'city', 'name'], shards: 1 },
} as const;

const ROUTE = edge({
  from: 'AIRPORT',
  to: 'AIRPORT',
  edgeSet: ['count'],
  inbound: { orders: { gsi0: number('count') }, project: ['count'] },
});

/** US airports, found by name, state and location (country, state, city, name), and their routes with yearly flights. */
export const airports = defineGraph({
  table: 'edgeloom-demo',
  nodes: { AIRPORT: node({ view: ['name', 'city'], search: AIRPORT }) },
  edges: { ROUTE },
});

/** The model that `demo --studio` migrates to, with airports by city and a company's goals. */
export const airportsAndGoals = defineGraph({
  table: 'edgeloom-demo',
  nodes: {
    AIRPORT: node({ view: ['name', 'city'], search: { ...AIRPORT, city: { caseInsensitive: true } } }),
    GOAL: node({
      view: ['title', 'status'],
      search: { title: { caseInsensitive: true }, status: { shardBy: 'source', shards: 4 }, dueDate: { type: 'date' } },
    }),
    KEYRESULT: node({ view: ['title', 'percent'], search: { title: { caseInsensitive: true } } }),
    TEAM: node({ view: ['name'], search: { name: { caseInsensitive: true } } }),
    USER: node({ view: ['name'], search: { name: { caseInsensitive: true } } }),
  },
  edges: {
    ROUTE,
    MEMBER: edge({
      from: ['GOAL', 'KEYRESULT'],
      to: ['USER', 'TEAM'],
      edgeSet: ['role'],
      inbound: {
        orders: { byRole: rank('role', { LEAD: 300, TEAM: 200, HELPER: 100 }), byDate: date('since') },
        project: ['role', 'hours'],
        groupBy: ['role'],
        total: { hours: sum('hours') },
      },
    }),
    HAS_RESULT: edge({ from: 'GOAL', to: 'KEYRESULT' }),
    SUBGOAL: edge({ from: 'GOAL', to: 'GOAL' }),
    FOLLOWS: edge({
      from: 'USER',
      to: 'GOAL',
      edgeSet: false,
      degree: true,
      inbound: { orders: { bySince: date('since') } },
    }),
  },
});
