import { date, defineGraph, edge, node, rank, source } from 'edgeloom';
import { z } from 'zod';

/**
 * A tracker for many organizations in one table. Every key starts with the organization (`TICKET-acme.42`), so a
 * request can't name another organization's ids. Searches are partitioned by organization.
 */
export const tracker = defineGraph({
  table: 'tracker',
  nodes: {
    ORG: node({ view: 'ALL', list: true }),
    USER: node({ view: 'ALL', fields: z.object({ org: z.string(), name: z.string().min(1) }) }),
    PROJECT: node({ view: 'ALL', fields: z.object({ org: z.string(), name: z.string().min(1) }) }),
    LABEL: node({ view: 'ALL' }),
    TICKET: node({
      fields: z.object({
        org: z.string(),
        title: z.string().min(1).max(200),
        status: z.enum(['OPEN', 'DONE']).default('OPEN'),
        dueDate: z.iso.date().optional(),
        assignee: z.string().optional(),
        votes: z.number().default(0),
        watchers: z.set(z.string()).optional(),
        v: z.number().optional(),
      }),
      view: ['title', 'status', 'votes'],
      // If two people save the same form, the second save fails.
      versionAttribute: 'v',
      search: { title: { partition: 'org', caseInsensitive: true, shards: 1, project: ['title', 'status'] } },
    }),
  },
  edges: {
    // Sorts a project's tickets by their current attributes, which aren't copied to the edge. Tickets without a due
    // date are missing from `byDueDate`.
    IN_PROJECT: edge({
      from: 'TICKET',
      to: 'PROJECT',
      inbound: {
        orders: {
          gsi0: date('since'),
          byDueDate: [source('status'), date(source('dueDate'))],
          byAssignee: [source('assignee'), source('status')],
        },
        projectSource: ['title', 'status', 'dueDate', 'assignee'],
      },
    }),
    ASSIGNED: edge({
      from: 'TICKET',
      to: 'USER',
      edgeSet: ['priority'],
      inbound: { orders: { byPriority: rank('priority', { HIGH: 3, NORMAL: 2, LOW: 1 }) }, project: ['priority'] },
    }),
    LABELLED: edge({ from: 'TICKET', to: 'LABEL', inbound: { orders: { bySince: 'since' } } }),
  },
});
