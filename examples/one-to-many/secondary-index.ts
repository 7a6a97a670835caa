import { createReader, createWriter, date, defineGraph, edge, node, number } from 'edgeloom';
import type { Example } from './example.ts';

const graph = defineGraph({
  table: 'tickets',
  nodes: { USER: node({ view: ['name'] }), TICKET: node({ view: ['title', 'status'] }) },
  edges: {
    FILED_BY: edge({
      from: 'TICKET',
      to: 'USER',
      inbound: {
        orders: {
          // Both orders share one index item, in two indexes.
          byOpened: date('opened'),
          byHours: number('hours'),
        },
        project: ['title'],
        // Adds the user as the last item of their own index partition, so a reverse Query returns it first.
        includeTarget: true,
      },
    }),
  },
});

const TICKETS: [id: `TICKET-${string}`, title: string, opened: string, hours: number][] = [
  ['TICKET-1', 'Login fails', '2026-01-03', 8],
  ['TICKET-2', 'Typo', '2026-01-05', 0.5],
  ['TICKET-3', 'Slow search', '2026-01-09', 21],
];

/** Sorts the children by a value in the parent's index partition. The parent comes last. */
export const secondaryIndex: Example = {
  title: 'secondary index + Query: a user and their newest tickets',
  graph,
  async run({ store, projected }) {
    const writer = createWriter(graph, { store });
    const reader = createReader(graph, { store });
    await writer.batch((batch) => {
      batch.putNode('USER-ada', { name: 'Ada' });
      for (const [id, title, opened, hours] of TICKETS) {
        batch.putNode(id, { title, status: 'open' });
        batch.putEdge(id, 'FILED_BY', 'USER-ada', { title, opened, hours });
      }
    });
    await projected();
    const newest = await reader.inbound('USER-ada', 'FILED_BY', { reverse: true, includeTarget: true, limit: 2 });
    const longest = await reader.inbound('USER-ada', 'FILED_BY', { order: 'byHours', reverse: true, limit: 1 });
    return {
      'the owner and the two newest, in one Query': [
        newest.target,
        ...newest.items.map(({ attributes }) => attributes),
      ],
      'since January 5': (
        await reader.inbound('USER-ada', 'FILED_BY', { between: ['2026-01-05', undefined] })
      ).items.map(({ source }) => source),
      'the longest': longest.items.map(({ source }) => source),
    };
  },
};
