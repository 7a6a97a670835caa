import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, rank } from '../../src/core/model/schema.ts';

const ROLES = { LEAD: 500, CONTRIBUTOR: 400, VIEWER: 300 };
/** Room for the largest set, so that no type is evicted, and all consumers end with the same items. */
const VIEW_BUDGET_BYTES = 300 * 1024;
export const ROLE_NAMES: readonly string[] = Object.keys(ROLES);

/** Has one derived item per source: the view. */
export const edgeSetModel = defineGraph({
  table: 'bench',
  nodes: { GOAL: node({ view: ['title', 'status'], viewBudgetBytes: VIEW_BUDGET_BYTES }), USER: node({ view: 'ALL' }) },
  edges: { GOALMEMBERSHIP: edge({ from: 'GOAL', to: 'USER', edgeSet: ['memberRole'] }) },
});

export const copyModel = defineGraph({
  table: 'bench',
  nodes: { BOOK: node({ view: ['title'] }), AUTHOR: node({ view: ['name'] }) },
  edges: { WROTE: edge({ from: 'BOOK', to: 'AUTHOR', copy: ['name', 'birthYear'] }) },
});

/** Has edge sets, an index item with two orders per edge, and two search items per goal. */
export const fullModel = defineGraph({
  table: 'bench',
  nodes: {
    GOAL: node({
      view: ['title', 'status'],
      viewBudgetBytes: VIEW_BUDGET_BYTES,
      search: { status: { shardBy: 'source' }, dueDate: { type: 'date' } },
    }),
    USER: node({ view: 'ALL' }),
  },
  edges: {
    GOALMEMBERSHIP: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: ['memberRole'],
      inbound: {
        orders: { gsi0: rank('memberRole', ROLES), gsi1: date('date') },
        project: ['memberRole', 'date'],
      },
    }),
  },
});
