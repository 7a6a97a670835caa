import { defineGraph } from '../model/graph.ts';
import { edge, node } from '../model/schema.ts';

/** The demo's model: US airports, and the routes between them with their yearly count of flights. */
export const airports = defineGraph({
  table: 'edgeloom-demo',
  nodes: {
    AIRPORT: node({
      view: ['name', 'city'],
      search: { name: { fold: true }, city: {}, state: { shards: 10, shardBy: 'source' } },
    }),
  },
  edges: {
    ROUTE: edge({
      from: 'AIRPORT',
      to: 'AIRPORT',
      edgeSet: ['count'],
      inbound: { gsi0: { from: 'count', type: 'number' }, project: ['count'] },
    }),
  },
});
