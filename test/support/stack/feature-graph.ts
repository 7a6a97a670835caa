import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, source } from '../../../src/core/model/schema.ts';

/** Models by what they make the functions do; each for a table of any name. */
export const FEATURE_GRAPHS = {
  /** Views alone. */
  views: (table: string) =>
    defineGraph({
      table,
      nodes: { USER: node({ view: 'ALL' }) },
      edges: { MEMBER: edge({ from: 'USER', to: 'USER' }) },
    }),
  /** Searches, inbound orders and owners, besides views that outgrow their budget. */
  indexes: (table: string) =>
    defineGraph({
      table,
      nodes: {
        USER: node({
          view: ['name'],
          viewBudgetBytes: 32_768,
          search: { name: { caseInsensitive: true }, joined: { type: 'date' } },
        }),
      },
      edges: {
        MEMBER: edge({
          from: 'USER',
          to: 'USER',
          edgeSet: ['role'],
          inbound: { orders: { gsi0: 'since' }, includeTarget: true },
        }),
      },
    }),
  /** Copies and their fan-outs. */
  copies: (table: string) =>
    defineGraph({
      table,
      nodes: { USER: node({ view: ['name'], viewBudgetBytes: 32_768 }) },
      edges: { MEMBER: edge({ from: 'USER', to: 'USER', copy: ['name'], edgeSet: ['role'] }) },
    }),
  /** Index items of edges that use the source node, and the fan-outs to them. */
  joined: (table: string) =>
    defineGraph({
      table,
      nodes: { USER: node({ view: ['name'], viewBudgetBytes: 32_768 }) },
      edges: {
        MEMBER: edge({
          ...{ from: 'USER', to: 'USER', edgeSet: ['role'] },
          inbound: { orders: { gsi0: source('name'), byRole: ['role', source('joined')] }, projectSource: ['name'] },
        }),
      },
    }),
  /** Exact counts and hashed keys. */
  counts: (table: string) =>
    defineGraph({
      table,
      nodes: { USER: node({ view: ['name'] }) },
      edges: {
        MEMBER: edge({
          ...{ from: 'USER', to: 'USER', edgeSet: false, keys: 'hashed', degree: true },
          inbound: { orders: { gsi0: 'since' } },
        }),
      },
    }),
  /** Orders and searches that DynamoDB keeps. */
  native: (table: string) =>
    defineGraph({
      table,
      nodes: { USER: node({ view: ['name'], search: { joined: { native: true } } }) },
      edges: {
        MEMBER: edge({
          ...{ from: 'USER', to: 'USER', edgeSet: ['role'], degree: true },
          inbound: { native: true, orders: { bySince: 'since' } },
        }),
      },
    }),
  /** All of these. */
  everything: (table: string) =>
    defineGraph({
      table,
      nodes: { USER: node({ view: ['name'], viewBudgetBytes: 32_768, search: { joined: { type: 'date' } } }) },
      edges: {
        MEMBER: edge({
          from: 'USER',
          to: 'USER',
          copy: ['name'],
          edgeSet: ['role'],
          inbound: { orders: { gsi0: 'since' }, includeTarget: true },
        }),
        KNOWS: edge({
          ...{ from: 'USER', to: 'USER', edgeSet: false, keys: 'hashed', degree: true },
          inbound: { orders: { byName: source('name') } },
        }),
      },
    }),
} as const;
