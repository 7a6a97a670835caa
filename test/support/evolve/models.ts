import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../../src/core/model/schema.ts';

/** How much flies on a route in a year. */
export type Traffic = 'LOW' | 'MEDIUM' | 'HIGH';

/** The model that the table has at first, and with which the first deployment was made. */
export const earlierModel = defineGraph({
  table: 'edgeloom-evolve',
  nodes: { AIRPORT: node({ view: ['name', 'city'], search: { name: { caseInsensitive: true, shards: 4 } } }) },
  edges: {
    ROUTE: edge({
      from: 'AIRPORT',
      to: 'AIRPORT',
      edgeSet: ['traffic'],
      degree: true,
      inbound: {
        orders: { gsi0: rank('traffic', { LOW: 100, MEDIUM: 200, HIGH: 300 }) },
        project: ['traffic', 'flights'],
      },
    }),
  },
});

/** Other shards, a search more, a label more in the view, and a rank table that turns the order round. */
export const laterModel = defineGraph({
  table: 'edgeloom-evolve',
  nodes: {
    AIRPORT: node({
      view: ['name', 'city', 'state'],
      search: { name: { caseInsensitive: true, shards: 8 }, city: { caseInsensitive: true, shards: 2 } },
    }),
  },
  edges: {
    ROUTE: edge({
      from: 'AIRPORT',
      to: 'AIRPORT',
      edgeSet: ['traffic'],
      degree: true,
      inbound: {
        orders: { gsi0: rank('traffic', { HIGH: 100, MEDIUM: 200, LOW: 300 }) },
        project: ['traffic', 'flights'],
      },
    }),
  },
});

/** The facts of a model, written a second time by hand: the judge shares nothing with the planner. */
export interface ModelFacts {
  weights: Readonly<Record<Traffic, number>>;
  viewed: readonly string[];
  hasCity: boolean;
}

/** The two models, as the judge has them. */
export const FACTS = {
  old: { weights: { LOW: 100, MEDIUM: 200, HIGH: 300 }, viewed: ['name', 'city'], hasCity: false },
  new: { weights: { HIGH: 100, MEDIUM: 200, LOW: 300 }, viewed: ['name', 'city', 'state'], hasCity: true },
} as const satisfies Record<string, ModelFacts>;

/** Which of the two models a process was deployed with. */
export type Side = keyof typeof FACTS;

/** The two models by their side. */
export const MODELS = { old: earlierModel, new: laterModel };

/** The class of a route with this number of flights: `LOW`, `MEDIUM` or `HIGH`. */
export function trafficOf(flights: number): Traffic {
  if (flights >= 2_000) return 'HIGH';
  return flights >= 500 ? 'MEDIUM' : 'LOW';
}
