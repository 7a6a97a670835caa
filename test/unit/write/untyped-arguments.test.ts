import { expect, it } from 'vitest';
import { createReader, createWriter, defineGraph, node } from '../../../src/index.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

/** Arguments that the compiler refuses, and that code without types gives: none may be taken for another, or do nothing without a word. */
const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL', search: { name: 'name' } }) },
  edges: {},
});
const store = new MemoryStore(graph.table);
const writer = createWriter(graph, { store }) as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
const reader = createReader(graph, { store }) as never as {
  search: (name: string) => Record<string, (...given: unknown[]) => Promise<unknown>>;
  with: (session?: unknown) => unknown;
  getCollection: (id: string, options: object) => Promise<unknown>;
};
const refused = { code: 'invalid-argument' };

it.each([[undefined], [5], [null], ['name'], [[]], [{ set: 5 }], [{ remove: 'name' }], [{ addTo: ['a'] }]])(
  'an update refuses %j as its change',
  async (change) => {
    await writer['putNode']!('USER-1', { name: 'Ada', n: 'n', a: 'a' });
    await expect(writer['updateNode']!('USER-1', change)).rejects.toMatchObject(refused);
    const transacted = writer['transact']!((one: never) => (one as typeof writer)['updateNode']!('USER-1', change));
    await expect(transacted).rejects.toMatchObject({ ...refused, problems: [{ position: 1 }] });
  },
);

it.each([[5], ['name'], [[]], [['name']]])('a condition refuses %j, which names no attributes', async (values) => {
  await writer['putNode']!('USER-1', {});
  const options = { if: values };
  await expect(writer['updateNode']!('USER-1', { set: { n: 1 } }, options)).rejects.toMatchObject(refused);
  await expect(writer['putNode']!('USER-1', {}, options)).rejects.toMatchObject(refused);
  await expect(writer['deleteNode']!('USER-1', options)).rejects.toMatchObject(refused);
});

it.each([['T'], [null], [5], [{}]])('a node with its edges refuses %j as a list of types', async (types) => {
  await expect(reader.getCollection('USER-1', { types })).rejects.toMatchObject({
    ...refused,
    hint: expect.stringContaining("types: ['"),
  });
});

it('a batch and a transaction ask for a function, a search for a predicate, with for a session', async () => {
  await expect(writer['batch']!()).rejects.toMatchObject(refused);
  await expect(writer['transact']!([])).rejects.toMatchObject(refused);
  const search = reader.search('USER.name');
  await expect(search['find']!()).rejects.toMatchObject(refused);
  await expect(search['count']!()).resolves.toMatchObject({ count: 0 });
  for (const given of [undefined, 'token', {}])
    expect(() => reader.with(given)).toThrow(expect.objectContaining(refused));
  expect(() => writer['with']!()).toThrow(expect.objectContaining(refused));
});
