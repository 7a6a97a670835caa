import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, number, rank } from '../../src/core/model/schema.ts';

/**
 * The model of goals with their members, for a table of any name: that of `edgeloom.config.ts`, but with names sharded by the
 * code-point product. A table that the packaged functions work on has to be projected by the model of that file.
 */
export function goalGraph(table = 'records') {
  return defineGraph({
    table,
    nodes: {
      GOAL: node({
        view: ['title', 'status'],
        search: { status: { shardBy: 'source' }, dueDate: { type: 'date' } },
      }),
      USER: node({
        view: 'ALL',
        search: {
          name: { shards: 200, hash: 'codepoint-product' },
          email: { caseInsensitive: true },
          favoriteFoods: { multiValue: true },
        },
      }),
      STORE: node({
        view: 'ALL',
        search: { location: { partition: 'country', path: ['state', 'city', 'zip'], shards: 1 } },
      }),
      TEAM: node({ view: ['name'] }),
      ORG: node({ view: 'ALL' }),
    },
    edges: {
      GOALMEMBERSHIP: edge({
        from: 'GOAL',
        to: ['USER', 'TEAM', 'ORG'],
        edgeSet: ['memberRole'],
        inbound: {
          orders: {
            gsi0: rank('memberRole', { LEAD: 500, CONTRIBUTOR: 400, TEAM: 300 }),
            gsi1: date('date'),
            byPriority: number('priority'),
          },
          project: ['memberRole', 'date'],
        },
      }),
      GOALSUBSCRIBER: edge({
        from: 'GOAL',
        to: 'USER',
        edgeSet: false,
        inbound: { orders: { gsi0: 'since' }, includeTarget: true },
      }),
    },
  });
}
