import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createReader, type Store } from 'edgeloom';
import { pageOf, type Routes } from '../rest.ts';
import graph from './edgeloom.config.ts';
import { createEntities } from './entities.ts';

/** Writes through ElectroDB as before, and reads projections. */
export function routes(store: Store, client: DynamoDBClient): Routes {
  const { customers, products, orders } = createEntities(client);
  const reader = createReader(graph, { store });
  return {
    'PUT /customers/:id': async ({ names: [customerId], body: { name } }) =>
      void (await customers.put({ customerId: customerId!, name }).go()),
    'PUT /products/:id': async ({ names: [productId], body: { title } }) =>
      void (await products.put({ productId: productId!, title }).go()),
    'PUT /orders/:id': async ({ names: [orderId], body: { customerId, productId, placed } }) =>
      void (await orders.put({ orderId: orderId!, customerId, productId, placed }).go()),
    'DELETE /orders/:id': async ({ names: [orderId] }) => void (await orders.delete({ orderId: orderId! }).go()),

    'GET /customers': ({ query }) => reader.search('CUSTOMER.name').beginsWith(query.get('name') ?? '', pageOf(query)),
    // A customer's orders, newest first, each with its product.
    'GET /customers/:id/orders': ({ names: [id], query }) =>
      reader.page(`CUSTOMER-${id}`, 'PLACED_BY', { reverse: true, with: ['OF'], ...pageOf(query) }),
    'GET /products/:id/orders': ({ names: [id], query }) =>
      reader.inbound(`PRODUCT-${id}`, 'OF', { reverse: true, ...pageOf(query) }),
  };
}
