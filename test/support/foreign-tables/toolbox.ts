import { defineGraph, edge, node } from '../../../src/index.ts';
import { fromToolbox } from '../../../src/sources/layouts/toolbox.ts';
import type { SourceItem } from '../../../src/sources/source.ts';
import type { Random } from '../../simulator/kernel/random.ts';
import { type MappedTable, numbers, query, sourcesOf } from './fixture.ts';

/** Customers and their orders, with an attribute under another name. */

function items(random: Random): SourceItem[] {
  const customers = numbers(4).map((i) => `c${i}`) as [string, ...string[]];
  const times = { _ct: '2026-01-01T00:00:00.000Z', _md: '2026-01-02T00:00:00.000Z' };
  return [
    ...customers.map((id) => ({
      PK: `CUSTOMER#${id}`,
      SK: 'PROFILE',
      customerId: id,
      n: `Name ${id}`,
      _et: 'Customer',
      ...times,
    })),
    ...numbers(18).map((i) => {
      const [customerId, placed] = [
        random.oneOf(customers),
        `2026-${String(1 + random.below(12)).padStart(2, '0')}-${10 + i}`,
      ];
      return {
        PK: `CUSTOMER#${customerId}`,
        SK: `ORDER#${placed}`,
        orderId: `o${i}`,
        customerId,
        placed,
        _et: 'Order',
        ...times,
      };
    }),
    { PK: 'CUSTOMER#c1', SK: 'CART', customerId: 'c1', _et: 'Cart', ...times },
    { PK: 'COUNTER', SK: 'COUNTER', value: 7 },
  ];
}

/** DynamoDB-Toolbox. */
export const toolbox: MappedTable = {
  name: 'DynamoDB-Toolbox',
  keys: { partitionKey: 'PK', sortKey: 'SK' },
  graph: (table) =>
    defineGraph({
      table,
      nodes: { CUSTOMER: node({ view: ['name'] }), ORDER: node({ view: 'ALL' }) },
      edges: { BY: edge({ from: 'ORDER', to: 'CUSTOMER', inbound: { orders: { gsi0: 'placed' } } }) },
    }),
  layout: fromToolbox([
    { entity: 'Customer', node: 'CUSTOMER', id: ['customerId'], savedAs: { name: 'n' } },
    {
      entity: 'Order',
      node: 'ORDER',
      id: ['orderId'],
      edges: [{ type: 'BY', to: { type: 'CUSTOMER', id: ['customerId'] }, attributes: ['placed'] }],
    },
  ]),
  items,
  reasons: ['the entity Cart is not declared', 'no attribute _et names its entity'],
  questions: (all) =>
    ['c1', 'c2', 'c3', 'c4'].flatMap((id) => [
      {
        text: `the orders of ${id}, newest first`,
        old: query(all, ['PK', 'SK'], `CUSTOMER#${id}`, 'ORDER#')
          .reverse()
          .map(({ orderId }) => `ORDER-${orderId}`),
        ours: (reader) => sourcesOf(reader, 'BY', `CUSTOMER-${id}`, { reverse: true }),
      },
      {
        text: `the name of ${id}`,
        old: query(all, ['PK', 'SK'], `CUSTOMER#${id}`, 'PROFILE').map(({ n }) => ({ name: n })),
        ours: async (reader) => (await reader.getViews([`CUSTOMER-${id}`])).map((view) => view?.attributes),
      },
    ]),
};
