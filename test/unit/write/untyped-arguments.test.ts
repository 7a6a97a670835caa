import { describe, expect, it } from 'vitest';
import { createReader, createSession, createWriter, defineGraph, edge, node } from '../../../src/index.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

/** Arguments that the compiler refuses, and that code without types gives: none may be taken for another, or do nothing without a word. */
const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL', search: { name: 'name' } }) },
  edges: { KNOWS: edge({ from: 'USER', to: 'USER' }) },
});
const store = new MemoryStore(graph.table);
const writer = createWriter(graph, { store }) as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
const reader = createReader(graph, { store }) as never as {
  search: (name: string) => Record<string, (...given: unknown[]) => Promise<unknown>>;
  with: (session?: unknown) => unknown;
  getCollection: (id: string, options: object) => Promise<unknown>;
  getView: (id: string, options?: object) => Promise<unknown>;
  pages: (read: unknown) => AsyncIterable<unknown>;
  all: (read: unknown) => AsyncIterable<unknown>;
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

it.each([[undefined], [null], [5], ['USER-1'], [{}], [() => []]])(
  'putMany refuses %j as its entries',
  async (entries) => {
    const adding = createWriter(graph, { store, onWrite: () => ({ at: 1 }) }) as unknown as typeof writer;
    for (const each of [writer, adding]) {
      await expect(each['putMany']!(entries)).rejects.toMatchObject(refused);
      await expect(each['putMany']!(entries, { signal: new AbortController().signal })).rejects.toMatchObject(refused);
    }
  },
);

it.each(['pages', 'all'] as const)('%s asks for a function that returns pages', async (method) => {
  await writer['putNode']!('USER-1', {});
  const { getView } = reader;
  const wrong = [undefined, 5, {}, () => undefined, async () => null, () => 'x', () => getView('USER-none')];
  if (method === 'all')
    wrong.push(
      () => getView('USER-1'),
      async () => ({ items: 'ab' }),
    );
  for (const read of wrong) {
    const walk = async () => {
      for await (const _ of reader[method](read));
    };
    await expect(walk()).rejects.toMatchObject({ ...refused, message: expect.stringContaining(method) });
  }
});

it.each([[null], ['5 s'], [5], [{}]])('a call refuses %j as its signal or its function', async (given) => {
  const wrong = (message: string) => ({ code: 'invalid-argument', message: expect.stringContaining(message) });
  const signal = wrong('signal');
  await expect(writer['putNode']!('USER-1', {}, { signal: given })).rejects.toMatchObject(signal);
  await expect(writer['putMany']!([], { signal: given })).rejects.toMatchObject(signal);
  await expect(reader.getView('USER-1', { signal: given })).rejects.toMatchObject(signal);
  const function_ = wrong('onProgress of putMany should be a function');
  await expect(writer['putMany']!([], { onProgress: given })).rejects.toMatchObject(function_);
});

it.each([
  [undefined, 'invalid-argument'],
  ['USER-1', 'invalid-argument'],
  [{}, 'invalid-argument'],
  [[null], 'invalid-key'],
  [[{ source: 'USER-1' }], 'invalid-key'],
  [
    [
      { source: 'USER-1', target: 'USER-1' },
      { source: 'USER-1', target: 5n },
    ],
    'invalid-key',
  ],
  [[{ source: 'nonsense', target: 'y' }], 'invalid-key'],
  [[{ source: '', target: '' }], 'invalid-key'],
  [[{ source: 'USER-1', target: '~V' }], 'invalid-key'],
])('a session refuses to note keys of no item: %#', (keys, code) => {
  const session = createSession();
  expect(() => session.note(keys as never)).toThrow(expect.objectContaining({ code }));
  expect(session.keys()).toEqual([]);
});

describe('putMany', () => {
  const id = 'USER-1';
  const [source, type, target] = [id, 'KNOWS', 'USER-2'];
  it.each([
    [{ id, name: 'Eve', born: 1815 }, '"name", "born"', '{ id, attributes: { … } }'],
    [{ id, atributes: { name: 'Eve' } }, '"atributes"', '{ id, attributes: { … } }'],
    [{ id, source, type, target, attributes: {} }, '"source", "type", "target"', '{ id, attributes: { … } }'],
    [{ source, type, target, fee: 5 }, '"fee"', '{ source, type, target, attributes: { … } }'],
  ])('refuses the fields of %j that it would lose', async (entry, names, form) => {
    await writer['putNode']!(id, { name: 'Ada' });
    const written = writer['putMany']!([{ id: 'USER-2', part: undefined, extra: undefined }, entry]);
    await expect(written).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining(`operation 2: An entry of putMany has no field ${names}.`),
      hint: `Put what is to be written under attributes: ${form}.`,
      problems: [{ position: 2 }],
    });
    async function* stream(): AsyncGenerator<unknown> {
      yield entry;
    }
    await expect(writer['putMany']!(stream())).rejects.toMatchObject({ ...refused, items: 0, position: 1 });
    const adding = createWriter(graph, { store, onWrite: () => ({ at: 1 }) }) as unknown as typeof writer;
    await expect(adding['putMany']!([entry])).rejects.toMatchObject(refused);
    const { item } = await store.get({ source: id, target: id }, { consistent: true });
    expect(item).toMatchObject({ name: { S: 'Ada' } });
  });
});

describe.each(['batch', 'transact'])('an operation that %s is given late', (way) => {
  type Each = Record<string, (...given: unknown[]) => void>;
  const late = { ...refused, hint: expect.stringContaining('await') };

  it('throws when the function has returned', async () => {
    let kept: Each = {};
    await writer[way]!((each: never) => {
      kept = each;
      kept['putNode']!('USER-1', {});
    });
    for (const name of Object.keys(kept).filter((one) => /^(put|update|delete|require)/.test(one)))
      expect(() => kept[name]!('USER-late', 'KNOWS', 'USER-1')).toThrow(expect.objectContaining(late));
  });

  it('throws in what the function has not waited for', async () => {
    let unawaited: Promise<void>[] = [];
    await writer[way]!((each: Each) => {
      each['putNode']!('USER-1', {});
      unawaited = ['USER-2', 'USER-3'].map(async (one) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        each['putNode']!(one, {});
      });
    });
    expect(await Promise.allSettled(unawaited)).toMatchObject([{ reason: late }, { reason: late }]);
  });
});

it.each([[''], ['x'.repeat(37)], [5], [null], [{}]])('a transaction refuses the token %j', async (idempotencyToken) => {
  const build = (each: Record<string, (id: string) => void>): void => each['putNode']!('USER-1');
  await expect(writer['transact']!(build, { idempotencyToken })).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringMatching(/^The option idempotencyToken of transact should be a text of 1 to 36 characters/),
  });
});
