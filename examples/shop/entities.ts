import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Entity } from 'electrodb';

/** The existing shop: ElectroDB entities in one table, which know nothing about Edgeloom. */
export const TABLE = 'shop';

export const customer = {
  model: { entity: 'customer', version: '1', service: 'shop' },
  attributes: { customerId: { type: 'string', required: true }, name: { type: 'string', required: true } },
  indexes: { customer: { pk: { field: 'pk', composite: ['customerId'] }, sk: { field: 'sk', composite: [] } } },
} as const;

export const product = {
  model: { entity: 'product', version: '1', service: 'shop' },
  attributes: { productId: { type: 'string', required: true }, title: { type: 'string', required: true } },
  indexes: { product: { pk: { field: 'pk', composite: ['productId'] }, sk: { field: 'sk', composite: [] } } },
} as const;

export const order = {
  model: { entity: 'order', version: '1', service: 'shop' },
  attributes: {
    orderId: { type: 'string', required: true },
    customerId: { type: 'string', required: true },
    productId: { type: 'string', required: true },
    placed: { type: 'string', required: true },
  },
  indexes: { order: { pk: { field: 'pk', composite: ['orderId'] }, sk: { field: 'sk', composite: [] } } },
} as const;

export function createEntities(client: DynamoDBClient) {
  const place = { client, table: TABLE };
  return {
    customers: new Entity(customer, place),
    products: new Entity(product, place),
    orders: new Entity(order, place),
  };
}
