import { date, defineGraph, edge, node } from 'edgeloom';
import { fromElectroDB, sourceTable } from 'edgeloom/admin';
import { customer, order, product, TABLE } from './entities.ts';

/** Projects the items that ElectroDB writes. The old table needs no new index. */
export default defineGraph({
  table: 'shop-graph',
  nodes: {
    CUSTOMER: node({ view: ['name'], search: { name: { caseInsensitive: true, shards: 1 } } }),
    PRODUCT: node({ view: ['title'] }),
    ORDER: node({ view: ['placed'] }),
  },
  edges: {
    PLACED_BY: edge({ from: 'ORDER', to: 'CUSTOMER', edgeSet: false, inbound: { orders: { byDate: date('placed') } } }),
    OF: edge({ from: 'ORDER', to: 'PRODUCT', inbound: { orders: { byDate: date('placed') } } }),
  },
  mirrored: ['CUSTOMER', 'PRODUCT', 'ORDER', 'PLACED_BY', 'OF'],
});

/** The old table, and how its items map to the graph. */
export const sources = [
  sourceTable(TABLE, {
    map: fromElectroDB([
      { schema: customer, node: 'CUSTOMER' },
      { schema: product, node: 'PRODUCT' },
      {
        schema: order,
        node: 'ORDER',
        edges: [
          { type: 'PLACED_BY', to: { type: 'CUSTOMER', id: ['customerId'] }, attributes: ['placed'] },
          { type: 'OF', to: { type: 'PRODUCT', id: ['productId'] }, attributes: ['placed'] },
        ],
      },
    ]),
  }),
];
