import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { date, derive, edge, node, rank } from '../../../src/core/model/schema.ts';

/** A model with something to get wrong in each way. */
export const graph = defineGraph({
  table: 'records',
  nodes: {
    GOAL: node({
      view: 'ALL',
      search: {
        title: { caseInsensitive: true },
        points: { type: 'number' },
        dueDate: { type: 'date' },
        tags: { multiValue: true },
        initial: derive((goal) => {
          if (goal['title'] === 'throw') throw new Error('no initial');
          return typeof goal['title'] === 'string' ? goal['title'].charAt(0) : undefined;
        }),
      },
    }),
    USER: node({ view: 'ALL' }),
  },
  edges: {
    GOALMEMBERSHIP: edge({
      from: 'GOAL',
      to: 'USER',
      edgeSet: ['memberRole'],
      inbound: { orders: { gsi0: rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400 }), gsi1: date('date') } },
    }),
    FOLLOWS: edge({ from: 'USER', to: 'USER' }),
    FRIEND: edge({ from: 'USER', to: 'USER', keys: 'hashed' }),
  },
});
