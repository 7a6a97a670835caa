import { createReader, createWriter, type Store } from 'edgeloom';
import { pageOf, type Routes } from '../rest.ts';
import graph from './edgeloom.config.ts';

export function routes(store: Store): Routes {
  const writer = createWriter(graph, { store });
  const reader = createReader(graph, { store });
  return {
    'PUT /products/:id': ({ names: [id], body }) => writer.putNode(`PRODUCT-${id}`, body),
    'DELETE /products/:id': ({ names: [id] }) => writer.deleteNode(`PRODUCT-${id}`),
    'PUT /stores/:id': ({ names: [id], body }) => writer.putNode(`STORE-${id}`, body),
    'PUT /stores/:id/stock/:product': ({ names: [id, product], body: { count } }) =>
      writer.putEdge(`STORE-${id}`, 'STOCKS', `PRODUCT-${product}`, { count }),

    'GET /products/:id': ({ names: [id] }) => reader.getView(`PRODUCT-${id}`),
    // Takes `?tag=`, `?category=` with optional `min` and `max` prices, or `?name=` as a prefix.
    'GET /products': ({ query }) => {
      const [tag, category] = [query.get('tag'), query.get('category')];
      if (tag !== null) return reader.search('PRODUCT.tags').equals(tag, pageOf(query));
      if (category === null) return reader.search('PRODUCT.name').beginsWith(query.get('name') ?? '', pageOf(query));
      const [min, max] = ['min', 'max'].map((name) => (query.has(name) ? Number(query.get(name)) : undefined));
      return reader.search('PRODUCT.price').between(min, max, { partition: category, ...pageOf(query) });
    },
    'GET /products/:id/stores': ({ names: [id], query }) => reader.page(`PRODUCT-${id}`, 'STOCKS', pageOf(query)),
    // Takes the leading segments of a location: `?country=US&state=CA&city=Fresno`.
    'GET /stores': ({ query }) => {
      const path = ['state', 'city'].flatMap((name) => query.get(name) ?? []);
      return reader.search('STORE.location').path(path, { partition: query.get('country') ?? '', ...pageOf(query) });
    },
  };
}
