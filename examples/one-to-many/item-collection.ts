import { createReader, createWriter, defineGraph, edge, node } from 'edgeloom';
import type { Example } from './example.ts';

const graph = defineGraph({
  table: 'organizations',
  nodes: { ORG: node({ view: 'ALL' }), USER: node({ view: 'ALL' }), ROOM: node({ view: 'ALL' }) },
  edges: {
    // Left out of edge sets: an organization may have any number of users and rooms.
    MEMBER: edge({ from: 'ORG', to: 'USER', edgeSet: false }),
    OWNS: edge({ from: 'ORG', to: 'ROOM', edgeSet: false }),
  },
});

/** Stores the children in the parent's partition: one Query returns all of them, or one type by its prefix. */
export const itemCollection: Example = {
  title: 'composite primary key + Query: an organization, its users and rooms in one item collection',
  graph,
  async run({ store, projected }) {
    const writer = createWriter(graph, { store });
    const reader = createReader(graph, { store });
    await writer.batch((batch) => {
      batch.putNode('ORG-acme', { name: 'Acme' });
      for (const user of ['ada', 'grace']) batch.putEdge('ORG-acme', 'MEMBER', `USER-${user}`, { since: '2026-01-01' });
      batch.putEdge('ORG-acme', 'OWNS', 'ROOM-1', { floor: 2 });
    });
    await projected();
    const all = await reader.edges('ORG-acme');
    const members = await reader.edges('ORG-acme', 'MEMBER');
    const { node: organization, items: together } = await reader.getCollection('ORG-acme');
    const ada = await reader.getEdge('ORG-acme', 'MEMBER', 'USER-ada');
    return {
      'the whole collection': all.items.map(({ type, target }) => `${type} ${target}`),
      'members only': members.items.map(({ target, attributes }) => ({ target, ...attributes })),
      'the organization and all of it, in one Query': [
        organization?.attributes,
        ...together.map(({ target }) => target),
      ],
      "one user's item": ada,
      'is ada a member': await reader.has('ORG-acme', 'MEMBER', 'USER-ada'),
    };
  },
};
