import { date, defineGraph, edge, node } from 'edgeloom';
import { z } from 'zod';

/** People, the people they follow, and the posts that reach their followers. */
export default defineGraph({
  table: 'friends',
  nodes: {
    USER: node({
      fields: z.object({ name: z.string().min(1), bio: z.string().optional() }),
      view: ['name'],
      search: { name: { caseInsensitive: true, shards: 1 } },
    }),
    POST: node({ fields: z.object({ text: z.string().min(1), author: z.string() }), view: ['text', 'author'] }),
  },
  edges: {
    FOLLOWS: edge({
      fields: z.object({ since: z.string() }),
      from: 'USER',
      to: 'USER',
      edgeSet: ['since'],
      inbound: { orders: { bySince: date('since') }, project: ['since'] },
    }),
    // Each post has an edge to every follower, so a feed takes one Query however many people someone follows.
    REACHES: edge({
      fields: z.object({ at: z.string() }),
      from: 'POST',
      to: 'USER',
      edgeSet: false,
      inbound: { orders: { byTime: date('at') } },
    }),
  },
});
