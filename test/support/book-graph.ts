import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';

/** Books whose views hold their authors' names. */
export function bookGraph(table: string, viewBudgetBytes?: number) {
  return defineGraph({
    table,
    nodes: { BOOK: node({ view: ['title'], viewBudgetBytes }), AUTHOR: node({ view: ['name'] }) },
    edges: {
      WROTE: edge({ from: 'BOOK', to: 'AUTHOR', copy: ['name', 'birthYear'] }),
      LIKES: edge({ from: 'BOOK', to: 'AUTHOR' }),
    },
  });
}
