import { date, defineGraph, edge, node } from 'edgeloom';
import { z } from 'zod';

/** Users who follow each other. */
export default defineGraph({
  table: 'follows',
  nodes: {
    USER: node({
      fields: z.object({ name: z.string().min(1), bio: z.string().optional() }),
      view: ['name'],
      search: { name: { caseInsensitive: true } },
    }),
  },
  edges: {
    FOLLOWS: edge({
      fields: z.object({ since: z.string() }),
      from: 'USER',
      to: 'USER',
      edgeSet: ['since'],
      inbound: { orders: { bySince: date('since') }, project: ['since'] },
    }),
  },
});
