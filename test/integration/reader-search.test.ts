import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { hash128 } from '../../src/core/items/keys.ts';
import { ExactNumber } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { derive, node, rank } from '../../src/core/model/schema.ts';
import { allPages, countingReader } from '../support/reader.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    USER: node({
      view: 'ALL',
      search: {
        name: { shards: 200, hash: 'codepoint-product', project: ['email'] },
        email: { caseInsensitive: true, shards: 4 },
        favoriteFoods: { multiValue: true, shards: 3, caseInsensitive: true },
        status: { shardBy: 'source', shards: 5 },
        level: rank('level', { GOLD: 30, SILVER: 20, STEEL: 20, BRONZE: 10 }),
        initial: derive(({ name }) => (typeof name === 'string' ? name.slice(0, 1) : undefined)),
      },
    }),
    STORE: node({ view: 'ALL', search: { city: { partition: 'country', shards: 2 }, phone: { shards: 'value' } } }),
    EVENT: node({ view: 'ALL', search: { at: { type: 'date', shards: 3 }, amount: { type: 'number', shards: 3 } } }),
    TEXT: node({ view: 'ALL', search: { text: { shards: 3 } } }),
  },
});

/** Texts whose order in UTF-8 differs from that of JS, and beginnings of each other. */
const TEXTS = [
  ...['a', 'aa', 'ab', 'a\u0000', 'a\u0000b', 'a\u0001', 'a😀', 'a\uffff', 'a\ue000', 'a~', 'b', 'B', 'é', 'e\u0301'],
  ...['😀', '😁', '\uffff', '\ue000', '\ud7ff', '\u{10ffff}', '', '#', '/', '~', '|', 'x'.repeat(900)],
];

/** In ascending order; neighbors differ by less than a double can tell. */
const NUMBERS = [
  '-99999999999999999999999999999999999999',
  '-12345678901234567890123456789012345679',
  '-12345678901234567890123456789012345678',
  '-1',
  '-0.5',
  '-1E-130',
  '0',
  '1E-130',
  '0.1',
  '9007199254740992',
  '9007199254740993',
  '12345678901234567890123456789012345678',
  '12345678901234567890123456789012345679',
  '9.9999999999999999999999999999999999999E+125',
];

/** Of one instant and of others, in the order of time, then of id. */
const DATES = [
  '2019-12-31',
  '2020-07-01',
  '2020-07-01T02:00:00+02:00',
  '2020-07-01T00:00:00.001Z',
  '2020-07-01T00:30:00-01:00',
  '2020-08-01',
];

function nodeItem(id: string, attributes: Item): Item {
  return { source: { S: id }, target: { S: id }, ...attributes };
}

function items(): Item[] {
  const user = (key: string, name: string, foods: string[], level: string, status: string): Item =>
    nodeItem(`USER-${key}`, {
      name: { S: name },
      email: { S: `${name}@Example.com` },
      favoriteFoods: { SS: foods },
      level: { S: level },
      status: { S: status },
    });
  return [
    user('1', 'Terui', ['ramen', 'sushi'], 'GOLD', 'ACTIVE'),
    user('2', 'terui', ['Ramen'], 'SILVER', 'ACTIVE'),
    user('3', 'Teruiko', ['soba', 'ramen'], 'STEEL', 'ACTIVE'),
    user('4', 'Abe', ['pizza'], 'BRONZE', 'GONE'),
    user('5', 'Terui', ['pizza', 'PIZZA'], 'BRONZE', 'GONE'),
    ...['US', 'JP', 'U'].flatMap((country, i) =>
      ['Osaka', 'Oslo', 'Bonn'].map((city) =>
        nodeItem(`STORE-${country}-${city}`, {
          country: { S: country },
          city: { S: city },
          phone: { S: i === 0 ? `+1 ${city}` : 'x'.repeat(600) },
        }),
      ),
    ),
    ...NUMBERS.map((amount, i) => nodeItem(`EVENT-n${i}`, { amount: { N: amount } })),
    ...DATES.map((at, i) => nodeItem(`EVENT-d${i}`, { at: { S: at } })),
    ...TEXTS.map((text, i) => nodeItem(`TEXT-${i}`, { text: { S: text } })),
    ...TEXTS.slice(0, 8).map((text, i) => nodeItem(`TEXT-again-${i}`, { text: { S: text } })),
    // A producer's own attributes with the names of index keys put base items among the index items.
    ...[1, 2, 3].flatMap((shard) =>
      ['a', 'a\u0000TEXT-0', 'zz'].map((text, i) =>
        nodeItem(`OTHER-${shard}-${i}`, { gsi0pk: { S: `TEXT.text#${shard}` }, gsi0sk: { S: text } }),
      ),
    ),
  ];
}

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: ReturnType<typeof createReader<typeof graph>>;

beforeAll(async () => {
  table = await testTable(graph);
  await table.store.writeMany(items().map((put) => ({ put })));
  const { quarantined } = await table.projectAll();
  expect(quarantined).toBe(0);
  reader = createReader(graph, { store: table.store });
});

const ids = (page: { items: { id: string }[] }): string[] => page.items.map(({ id }) => id);
const values = (page: { items: { value: unknown }[] }): unknown[] => page.items.map(({ value }) => value);

describe('eq', () => {
  it('finds exactly the value, in one call to one shard of 200', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const calls = await callsOf(async () => {
      const page = await counted.search('USER.name').equals('Terui');
      expect(page).toEqual({
        items: [
          { id: 'USER-1', value: 'Terui', attributes: { email: 'Terui@Example.com' } },
          { id: 'USER-5', value: 'Terui', attributes: { email: 'Terui@Example.com' } },
        ],
      });
    });
    expect(calls).toEqual({ QueryCommand: 1 });
  });

  it('folds the argument as the model folds the value, and shows the original', async () => {
    const page = await reader.search('USER.email').equals('TERUI@EXAMPLE.COM');
    expect(page.items).toMatchObject([
      { id: 'USER-1', value: 'Terui@Example.com' },
      { id: 'USER-2', value: 'terui@Example.com' },
      { id: 'USER-5', value: 'Terui@Example.com' },
    ]);
    // Full-width letters are the same letters.
    expect(ids(await reader.search('USER.email').equals('ａｂｅ@example.com'))).toEqual(['USER-4']);
  });

  it('asks every shard where the model spreads by source', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const calls = await callsOf(async () => {
      expect(ids(await counted.search('USER.status').equals('ACTIVE'))).toEqual(['USER-1', 'USER-2', 'USER-3']);
    });
    expect(calls).toEqual({ QueryCommand: 5 });
  });

  it('finds a node by each of its values, once for values that fold to one', async () => {
    expect(ids(await reader.search('USER.favoriteFoods').equals('RAMEN'))).toEqual(['USER-1', 'USER-2', 'USER-3']);
    const pizza = await reader.search('USER.favoriteFoods').equals('pizza');
    expect(pizza.items.map(({ id, value }) => [id, value])).toEqual([
      ['USER-4', 'pizza'],
      ['USER-5', 'PIZZA'],
    ]);
  });

  it('takes numbers in every form and loses no digit', async () => {
    const amount = reader.search('EVENT.amount');
    const exact = '12345678901234567890123456789012345678';
    for (const value of [exact, BigInt(exact), new ExactNumber(exact), `${exact}.0`] as const) {
      const { items: hits } = await amount.equals(value);
      expect(hits).toEqual([{ id: 'EVENT-n11', value: new ExactNumber(exact), attributes: {} }]);
    }
    expect((await amount.equals(0.1)).items).toEqual([{ id: 'EVENT-n8', value: 0.1, attributes: {} }]);
    expect(ids(await amount.equals(9007199254740993n))).toEqual(['EVENT-n10']);
    expect(ids(await amount.equals(-0))).toEqual(['EVENT-n6']);
  });

  it('takes a label of a rank, and the text of a derive', async () => {
    expect(ids(await reader.search('USER.level').equals('STEEL'))).toEqual(['USER-3']);
    expect(ids(await reader.search('USER.initial').equals('T'))).toEqual(['USER-1', 'USER-3', 'USER-5']);
  });

  it('finds long values of its own partition only, whatever the names of the partitions are', async () => {
    const own = await testTable(
      defineGraph({
        table: uniqueTableName(),
        nodes: { DOC: node({ view: 'ALL', search: { body: { shards: 'value', partition: 'tenant' } } }) },
      }),
    );
    const writer = createWriter(own.graph, { store: own.store });
    const ownReader = createReader(own.graph, { store: own.store });
    const find = async (of: typeof ownReader, value: string, partition: string) =>
      ids(await of.search('DOC.body').equals(value, { partition }));
    for (const value of ['q'.repeat(600), 'q'.repeat(2_000)]) {
      const size = value.length;
      const lookalike = `a#~${hash128(value)}`;
      await writer.putNode(`DOC-long${size}`, { tenant: 'US#=a', body: value });
      await own.projectAll();
      const session = createSession();
      await writer.with(session).putNode(`DOC-other${size}`, { tenant: 'US', body: lookalike });
      expect(await find(ownReader.with(session), value, 'US#=a')).toEqual([`DOC-long${size}`]);
      expect(await find(ownReader.with(session), lookalike, 'US')).toEqual([`DOC-other${size}`]);
      await own.projectAll();
      expect(await find(ownReader, value, 'US#=a')).toEqual([`DOC-long${size}`]);
      expect(await find(ownReader, lookalike, 'US')).toEqual([`DOC-other${size}`]);
      const search = ownReader.search('DOC.body');
      expect((await search.count({ equals: value }, { partition: 'US#=a' })).count).toBe(1);
      expect((await search.count({ equals: lookalike }, { partition: 'US' })).count).toBe(1);
    }
  });

  it('finds nothing for a value that is longer than any key', async () => {
    expect(await reader.search('TEXT.text').equals('x'.repeat(5_000))).toEqual({ items: [] });
    expect(await reader.search('TEXT.text').count({ equals: 'x'.repeat(5_000) })).toMatchObject({ count: 0 });
  });
});

describe('ranges', () => {
  const stored = [...TEXTS.map((text, i) => ({ id: `TEXT-${i}`, text }))]
    .concat(TEXTS.slice(0, 8).map((text, i) => ({ id: `TEXT-again-${i}`, text })))
    .sort((left, right) => bytes(left.text, right.text) || bytes(left.id, right.id));

  function bytes(left: string, right: string): number {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }

  const argument = fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom('a\u0000c', 'x'.repeat(1_100), '\ud7ff\ud7ff'));
  const predicate = fc.oneof(
    fc.record({ beginsWith: argument }),
    fc.record({ between: fc.tuple(fc.option(argument, { nil: undefined }), fc.option(argument, { nil: undefined })) }),
    fc.record({ equals: argument }),
  );

  function matches(
    text: string,
    asked: { equals?: string; beginsWith?: string; between?: [string?, string?] },
  ): boolean {
    if (asked.equals !== undefined) return text === asked.equals;
    if (asked.beginsWith !== undefined) return text.startsWith(asked.beginsWith);
    const [from, to] = asked.between ?? [];
    return (from === undefined || bytes(from, text) <= 0) && (to === undefined || bytes(text, to) <= 0);
  }

  it('give, page by page, what a scan of all values in byte order gives', async () => {
    const search = reader.search('TEXT.text');
    await fc.assert(
      fc.asyncProperty(predicate, fc.integer({ min: 1, max: 12 }), fc.boolean(), async (asked, limit, reverse) => {
        const [from, to] = (asked as { between?: [string?, string?] }).between ?? [];
        fc.pre(from === undefined || to === undefined || bytes(from, to) <= 0);
        const pages = await allPages((cursor) => search.find(asked, { limit, reverse, cursor }));
        const expected = stored.filter(({ text }) => matches(text, asked as never));
        if (reverse) expected.reverse();
        expect(pages.flat()).toEqual(expected.map(({ id, text }) => ({ id, value: text, attributes: {} })));
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
        if (expected.length > 0) expect(pages.at(-1)).not.toHaveLength(0);
      }),
      { numRuns: 60 },
    );
  });

  it('page through everything with every page size, forwards and backwards', async () => {
    const search = reader.search('TEXT.text');
    for (let limit = 1; limit <= stored.length + 1; limit++) {
      const forwards = await allPages((cursor) => search.all({ limit, cursor }));
      expect(forwards.flat().map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
      expect(forwards).toHaveLength(Math.ceil(stored.length / limit));
      const backwards = await allPages((cursor) => search.latest({ limit, cursor }));
      expect(backwards.flat().map(({ id }) => id)).toEqual(stored.map(({ id }) => id).reverse());
      expect(backwards).toHaveLength(Math.ceil(stored.length / limit));
    }
  });

  it('merge 200 shards in order', async () => {
    const name = reader.search('USER.name');
    expect(values(await name.all())).toEqual(['Abe', 'Terui', 'Terui', 'Teruiko', 'terui']);
    expect(ids(await name.beginsWith('Teru'))).toEqual(['USER-1', 'USER-5', 'USER-3']);
    expect(ids(await name.latest({ limit: 2 }))).toEqual(['USER-2', 'USER-3']);
    expect(ids(await name.between('B', 'Terui', { reverse: true }))).toEqual(['USER-5', 'USER-1']);
  });

  it('give one hit for each value of a node', async () => {
    const { items: hits } = await reader.search('USER.favoriteFoods').all();
    expect(hits.map(({ id, value }) => `${id} ${value}`)).toEqual([
      'USER-4 pizza',
      'USER-5 PIZZA',
      'USER-1 ramen',
      'USER-2 Ramen',
      'USER-3 ramen',
      'USER-3 soba',
      'USER-1 sushi',
    ]);
  });

  it('order dates by their instant and take a UTC date in part', async () => {
    const at = reader.search('EVENT.at');
    expect(ids(await at.all())).toEqual(DATES.map((_, i) => `EVENT-d${i}`));
    expect(ids(await at.beginsWith('2020-07'))).toEqual(['EVENT-d1', 'EVENT-d2', 'EVENT-d3', 'EVENT-d4']);
    expect(ids(await at.between('2020-07-01T02:00:00+02:00', '2020-07-01T01:30:00Z'))).toEqual([
      'EVENT-d1',
      'EVENT-d2',
      'EVENT-d3',
      'EVENT-d4',
    ]);
    expect((await at.latest({ limit: 1 })).items).toEqual([{ id: 'EVENT-d5', value: '2020-08-01', attributes: {} }]);
  });

  it('of a rank go by weight', async () => {
    const level = reader.search('USER.level');
    expect(ids(await level.between('SILVER'))).toEqual(['USER-2', 'USER-3', 'USER-1']);
    expect(ids(await level.between(undefined, 'STEEL'))).toEqual(['USER-4', 'USER-5', 'USER-2', 'USER-3']);
  });

  it('with ends in the wrong order are refused: nothing lies between them', async () => {
    const amount = reader.search('EVENT.amount');
    const refusal = {
      code: 'invalid-argument',
      message: 'between of search EVENT.amount begins with 2, which comes after 1, so that nothing lies between them.',
    };
    await expect((async () => amount.between(2, 1))()).rejects.toMatchObject(refusal);
    await expect((async () => amount.count({ between: [2, 1] }))()).rejects.toMatchObject(refusal);
    const level = reader.search('USER.level');
    await expect((async () => level.between('GOLD', 'SILVER'))()).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(await amount.between(1, 1)).toMatchObject({ items: expect.any(Array) });
  });

  it('stay within the partition that is named', async () => {
    const city = reader.search('STORE.city');
    expect(ids(await city.all({ partition: 'U' }))).toEqual(['STORE-U-Bonn', 'STORE-U-Osaka', 'STORE-U-Oslo']);
    expect(ids(await city.beginsWith('Os', { partition: 'JP' }))).toEqual(['STORE-JP-Osaka', 'STORE-JP-Oslo']);
    expect(ids(await city.equals('Bonn', { partition: 'US' }))).toEqual(['STORE-US-Bonn']);
    expect(ids(await city.equals('Bonn', { partition: 'DE' }))).toEqual([]);
    expect(ids(await city.equals('Bonn', { partition: 'x'.repeat(3_000) }))).toEqual([]);
  });
});

describe('count and shards', () => {
  it('sum over the shards and say what it cost', async () => {
    expect(await reader.search('USER.name').count()).toMatchObject({ count: 5 });
    expect((await reader.search('USER.name').count({}, { capacity: true })).capacity!.rcu).toBeGreaterThan(0);
    expect(await reader.search('USER.name').count({ beginsWith: 'Teru' })).toMatchObject({ count: 3 });
    expect(await reader.search('USER.email').count({ equals: 'TERUI@example.com' })).toMatchObject({ count: 3 });
    expect(await reader.search('EVENT.amount').count({ between: [0, undefined] })).toMatchObject({ count: 8 });
    expect(await reader.search('STORE.city').count({}, { partition: 'US' })).toMatchObject({ count: 3 });
  });

  it('take half a unit of maxRcu at least for each partition, which the default is as well', async () => {
    const name = reader.search('USER.name');
    // 200 shards, each with an item or none.
    const found = await name.all({ where: { email: 'Abe@Example.com' }, capacity: true });
    expect(found).toMatchObject({ items: [{ id: 'USER-4' }] });
    expect(found.cursor).toBeUndefined();
    expect(found.capacity!.rcu).toBeLessThanOrEqual(100);
    for (const maxRcu of [99, 0, -1, Number.NaN, '100']) {
      await expect(name.all({ maxRcu: maxRcu as number })).rejects.toThrow(
        expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('takes 100') }),
      );
    }
  });

  it("show how the article's hash spreads names", async () => {
    expect(await reader.shards('USER.name')).toEqual({
      shards: 200,
      items: 5,
      hottest: { shard: 161, share: 0.4 },
      empty: 196,
      hash: 'codepoint-product',
    });
    expect(await reader.shards('STORE.city', { partition: 'nowhere' })).toEqual({
      shards: 2,
      items: 0,
      hottest: { shard: 1, share: 0 },
      empty: 2,
      hash: 'fnv1a',
    });
  });
});

describe('arguments that do not fit are refused', () => {
  const fails = (code: string, message: string | RegExp, hint: string | RegExp = '') =>
    expect.objectContaining({
      code,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });

  it('names the declared searches for an unknown one', () => {
    for (const name of ['USER.nmae', 'USER', '', 'constructor.name', 'USER.__proto__', Object.create(null)]) {
      expect(() => reader.search(name as 'USER.name')).toThrow(
        fails('unknown-name', 'no search', /USER\.name, USER\.email.*TEXT\.text/),
      );
    }
  });

  it('of a value, a label, a prefix, a partition, a limit, a consistent read', async () => {
    // The compiler refuses most of them where it knows the graph.
    const untyped = reader as unknown as Reader;
    const { search } = untyped;
    const refusals: [Promise<unknown>, string, string][] = [
      [search('EVENT.amount').equals('many'), 'invalid-argument', 'equals of search EVENT.amount should be a number'],
      [search('EVENT.amount').equals(Number.NaN), 'invalid-argument', 'should be a number'],
      [search('EVENT.amount').equals('1'.repeat(39)), 'invalid-argument', '38 significant digits'],
      [search('EVENT.amount').beginsWith('1'), 'invalid-argument', 'ordered by a number'],
      [search('EVENT.at').equals('yesterday'), 'invalid-argument', 'ISO 8601'],
      [search('EVENT.at').equals('2020-02-30'), 'invalid-argument', 'date that exists'],
      [search('EVENT.at').beginsWith('2020-07-01Z'), 'invalid-argument', 'beginning of a date in UTC'],
      [search('USER.name').equals(5), 'invalid-argument', 'should be a text, but is 5'],
      [
        search('USER.name').between('a', '\ud800'),
        'invalid-argument',
        'between of search USER.name holds a lone surrogate',
      ],
      [search('USER.level').equals('TIN'), 'unknown-name', '"TIN", which has no declared rank'],
      [search('USER.level').between('__proto__'), 'unknown-name', 'no declared rank'],
      [search('USER.level').beginsWith('G'), 'invalid-argument', 'ordered by a rank'],
      ...[
        { equals: 'a', between: ['b', undefined] },
        { equals: 'a', beginsWith: 'a' },
        { beginsWith: 'a', between: [undefined, 'b'] },
        { equals: 'a', path: ['a'] },
      ].flatMap((two): [Promise<unknown>, string, string][] => [
        [search('USER.name').find(two as never), 'invalid-argument', 'takes one of equals, beginsWith and between'],
        [search('USER.name').count(two as never), 'invalid-argument', 'takes one of equals, beginsWith and between'],
      ]),
      [search('USER.name').find({ path: ['a'], beginsWith: 'b' }), 'invalid-argument', 'the search is by one value'],
      [
        search('USER.name').find({ path: ['a'], between: ['b', undefined] }),
        'invalid-argument',
        'the search is by one value',
      ],
      [
        search('USER.name').find({ equals: undefined } as never),
        'invalid-argument',
        'should be a text, but is undefined',
      ],
      [search('STORE.phone').all(), 'not-declared', 'answers equality only'],
      [search('STORE.phone').beginsWith('+1'), 'not-declared', 'answers equality only'],
      [search('STORE.phone').count(), 'not-declared', 'answers equality only'],
      [untyped.shards('STORE.phone'), 'not-declared', 'no shards to list'],
      [search('STORE.city').equals('Bonn'), 'invalid-argument', 'is partitioned by country'],
      [search('STORE.city').count(), 'invalid-argument', 'is partitioned by country'],
      [search('USER.name').equals('Terui', { partition: 'US' }), 'invalid-argument', 'has no partition attribute'],
      [search('USER.name').all({ limit: 0 }), 'invalid-argument', 'but is 0'],
      [search('USER.name').all({ limit: 1.5 }), 'invalid-argument', 'but is 1.5'],
      [search('USER.name').all({ limit: Number.POSITIVE_INFINITY }), 'invalid-argument', 'Infinity'],
      [search('USER.name').all({ consistent: true }), 'invalid-argument', 'search reads a global secondary'],
    ];
    for (const [read, code, message] of refusals) await expect(read).rejects.toThrow(fails(code, escaped(message)));
    expect((await search('USER.name').all({ limit: Number.MAX_SAFE_INTEGER })).items).toHaveLength(5);
  });

  function escaped(text: string): string {
    return text.replace(/[+*.?()[\]]/g, '\\$&');
  }

  it('of a cursor that was altered, that a reader with a key has signed, or that is of another model', async () => {
    const invalid = fails('invalid-cursor', /^The cursor was altered, or it belongs to a different query or table\.$/);
    const page = { partition: 'US', limit: 1 };
    const city = reader.search('STORE.city');
    const { cursor } = await city.all(page);
    await expect(city.all({ ...page, cursor: `${cursor}A` })).rejects.toThrow(invalid);
    const signing = createReader(graph, { store: table.store, cursorKey: 'k' }).search('STORE.city');
    const { cursor: signed } = await signing.all(page);
    expect(ids(await signing.all({ ...page, cursor: signed }))).toEqual(['STORE-US-Osaka']);
    await expect(city.all({ ...page, cursor: signed })).rejects.toThrow(invalid);
    await expect(signing.all({ ...page, cursor })).rejects.toThrow(invalid);
    const changed = defineGraph({
      table: graph.table.name,
      nodes: { STORE: node({ view: 'ALL', search: { city: { partition: 'country', caseInsensitive: true } } }) },
    });
    const other = createReader(changed, { store: table.store }).search('STORE.city');
    await expect(other.all({ ...page, cursor })).rejects.toThrow(fails('cursor-outdated', 'a different meaning'));
  });

  it('of the reader itself', () => {
    expect(() => createReader(graph, { store: table.store, concurrency: 0 })).toThrow(
      fails('invalid-argument', 'is 0'),
    );
    expect(() => createReader(graph, { store: table.store, cursorKey: '' })).toThrow(
      fails('invalid-argument', 'empty'),
    );
    for (const cursorKey of [5, true, {}, null] as never[]) {
      expect(() => createReader(graph, { store: table.store, cursorKey })).toThrow(
        fails('invalid-argument', 'text or bytes'),
      );
    }
  });
});
