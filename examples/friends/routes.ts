import { createReader, createWriter, newId, type Store } from 'edgeloom';
import { pageOf, type Routes } from '../rest.ts';
import graph from './edgeloom.config.ts';

export function routes(store: Store): Routes {
  const writer = createWriter(graph, { store });
  const reader = createReader(graph, { store });
  return {
    'PUT /users/:id': ({ names: [id], body }) => writer.putNode(`USER-${id}`, body),
    'PUT /users/:id/follows/:other': ({ names: [id, other], body: { since } }) =>
      writer.putEdge(`USER-${id}`, 'FOLLOWS', `USER-${other}`, { since }),
    'DELETE /users/:id/follows/:other': ({ names: [id, other] }) =>
      writer.deleteEdge(`USER-${id}`, 'FOLLOWS', `USER-${other}`),
    'POST /users/:id/posts': async ({ names: [author], body: { text, at } }) => {
      const post = newId('POST');
      await writer.putNode(post, { text, author: author! });
      const followers = reader.all((cursor) => reader.inbound(`USER-${author}`, 'FOLLOWS', { cursor }));
      async function* edges() {
        for await (const { source } of followers) {
          yield { source: post, type: 'REACHES' as const, target: source, attributes: { at } };
        }
      }
      await writer.putMany(edges());
      return { post };
    },

    'GET /users': ({ query }) => reader.search('USER.name').beginsWith(query.get('name') ?? '', pageOf(query)),
    // One read returns a person and the people they follow.
    'GET /users/:id': ({ names: [id] }) => reader.getView(`USER-${id}`),
    'GET /users/:id/followers': ({ names: [id], query }) =>
      reader.page(`USER-${id}`, 'FOLLOWS', { reverse: true, ...pageOf(query) }),
    'GET /users/:id/feed': ({ names: [id], query }) =>
      reader.page(`USER-${id}`, 'REACHES', { reverse: true, ...pageOf(query) }),
  };
}
