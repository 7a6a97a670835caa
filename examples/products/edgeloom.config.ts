import { defineGraph, edge, node, number } from 'edgeloom';
import { z } from 'zod';

/** A catalog: products found by their attributes, and the stores that stock them. */
export default defineGraph({
  table: 'products',
  nodes: {
    PRODUCT: node({
      fields: z.object({
        name: z.string().min(1),
        category: z.string(),
        price: z.number().nonnegative(),
        tags: z.array(z.string()).default([]),
      }),
      view: ['name', 'price'],
      search: {
        name: { caseInsensitive: true, shards: 1, project: ['name', 'price'] },
        // The category is the partition: one Query returns its products, cheapest first.
        price: { partition: 'category', type: 'number', shards: 1, project: ['name', 'price'] },
        tags: { multiValue: true, shards: 1, project: ['name', 'price'] },
      },
    }),
    STORE: node({
      fields: z.object({ country: z.string(), state: z.string(), city: z.string(), name: z.string() }),
      view: ['name', 'city'],
      search: { location: { partition: 'country', path: ['state', 'city'], shards: 1, project: ['name', 'city'] } },
    }),
  },
  edges: {
    STOCKS: edge({
      from: 'STORE',
      to: 'PRODUCT',
      edgeSet: false,
      inbound: { orders: { byCount: number('count') }, project: ['count'] },
    }),
  },
});
