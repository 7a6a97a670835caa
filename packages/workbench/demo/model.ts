import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, number } from '../../../src/core/model/schema.ts';

/**
 * The demo's model: US airports, found by name, by state and by location on four levels (country, state, city, name), and
 * the routes between them with their yearly count of flights.
 */
export const airports = defineGraph({
  table: 'edgeloom-demo',
  nodes: {
    AIRPORT: node({
      view: ['name', 'city'],
      search: {
        name: { caseInsensitive: true },
        state: { shards: 10, shardBy: 'source' },
        location: { partition: 'country', path: ['state', 'city', 'name'], shards: 1 },
      },
    }),
  },
  edges: {
    ROUTE: edge({
      from: 'AIRPORT',
      to: 'AIRPORT',
      edgeSet: ['count'],
      inbound: { orders: { gsi0: number('count') }, project: ['count'] },
    }),
  },
});
