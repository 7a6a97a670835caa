import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, source } from '../../../src/core/model/schema.ts';

/** A model with everything that makes programs call the table, for a table of any name. No right depends on the model. */
export const featureGraph = (table: string) =>
  defineGraph({
    table,
    nodes: {
      USER: node({
        ...{ view: ['name'], viewBudgetBytes: 32_768 },
        search: {
          name: { caseInsensitive: true },
          joined: { type: 'date' },
          nativeJoined: { attribute: 'joined', native: true },
        },
      }),
    },
    edges: {
      // Copies and their fan-outs, inbound orders and owners, besides views that outgrow their budget.
      MEMBER: edge({
        ...{ from: 'USER', to: 'USER', copy: ['name'], edgeSet: ['role'] },
        inbound: { orders: { gsi0: 'since' }, includeTarget: true },
      }),
      // Exact counts, hashed keys, and index items that use the source node.
      KNOWS: edge({
        ...{ from: 'USER', to: 'USER', edgeSet: false, keys: 'hashed', degree: true },
        inbound: { orders: { byName: source('name'), byRole: ['role', source('joined')] }, projectSource: ['name'] },
      }),
      // Orders that DynamoDB keeps.
      FOLLOWS: edge({
        ...{ from: 'USER', to: 'USER', edgeSet: false, degree: true },
        inbound: { native: true, orders: { bySince: 'since' } },
      }),
    },
  });
