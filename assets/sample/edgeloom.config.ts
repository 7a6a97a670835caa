import { date, defineGraph, edge, node } from 'edgeloom';

/** Users who follow each other: put your own types here. */
export default defineGraph({
  table: 'TABLE',
  nodes: { USER: node({ view: ['name'], search: { name: { caseInsensitive: true, shards: 1 } } }) },
  edges: {
    FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: ['since'], inbound: { orders: { byDate: date('since') } } }),
  },
});
