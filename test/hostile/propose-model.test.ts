import { marshall } from '@aws-sdk/util-dynamodb';
import { transformSync } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inPlace } from '../../packages/workbench/adopt/in-place.ts';
import type { KeyNames } from '../../packages/workbench/adopt/kinds.ts';
import { mappingOf, unplaced } from '../../packages/workbench/adopt/mapping.ts';
import { mappingText, modelText } from '../../packages/workbench/adopt/proposal-text.ts';
import { type Proposal, propose } from '../../packages/workbench/adopt/propose.ts';
import { type SampledItem, sampledItem } from '../../packages/workbench/adopt/sampled-item.ts';
import * as admin from '../../src/admin.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { classifyBaseItem } from '../../src/core/model/base-item.ts';
import * as edgeloom from '../../src/index.ts';
import type { Source } from '../../src/sources/source.ts';
import { mappedItems } from '../support/mapped-items.ts';

/** Mappings and models that are proposed for tables of many layouts, some of them made to do harm. */

type Row = [pk: string, sk: string, attributes?: Record<string, string | number>];

const KEYS = ['pk', 'sk'] as const;
const HIDDEN: ReadonlySet<string> = new Set(['GSI1PK']);
const range = (count: number): number[] => [...Array(count).keys()];
const letters = (i: number): string => [...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

function imageOf([pk, sk, attributes = {}]: Row): Item {
  return marshall({ pk, sk, ...attributes }) as Item;
}

function sampleOf(rows: readonly Row[]): SampledItem[] {
  return rows.map((row) => sampledItem(imageOf(row), KEYS, HIDDEN)!);
}

function proposed(rows: readonly Row[]): Proposal {
  return propose(sampleOf(rows), KEYS);
}

interface Exported {
  default: edgeloom.CompiledModel;
  sources: [Source];
}

/** A proposed file, run as a module. */
function run(text: string): Exported {
  const { code } = transformSync(text, { loader: 'ts', format: 'cjs' });
  const module = { exports: {} };
  new Function('module', 'require', code)(module, () => ({ ...edgeloom, ...admin }));
  return module.exports as Exported;
}

const FACTS = { table: 'legacy', sampled: 1, extent: 'all 1 items', notes: [] };

/** What the proposed file makes of each item; a text where it throws. */
function madeBy(proposal: Proposal, rows: readonly Row[]): (string[] | string)[] {
  const leftOut = unplaced(proposal, 'legacy', HIDDEN);
  const {
    default: graph,
    sources: [of],
  } = run(mappingText(proposal, { ...FACTS, leftOut }, HIDDEN));
  return rows.map((row) => {
    try {
      return [...mappedItems(graph, of, imageOf(row)).keys()].map((key) => (JSON.parse(key) as string[]).join(' '));
    } catch (error) {
      return String(error);
    }
  });
}

const reasons = (proposal: Proposal): [number, string][] =>
  unplaced(proposal, 'legacy', HIDDEN).map(({ items, reason }) => [items, reason]);

describe('a proposal for crafted items', () => {
  const many = (count: number, textOf: (i: number) => [string, string]): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => textOf(i)));
  const long = 'z'.repeat(500);
  it.each<[string, (i: number) => Row]>([
    ['deep keys and long texts', (i) => [`${'a#'.repeat(300)}${i}`, 'META', many(20, (k) => [`k${k}`, long])]],
    ['other names in each item', (i) => [`n#${i}`, 'META', many(60, (k) => [`k${i}x${k}`, `${k}`])]],
    ['ids in very many attributes', (i) => [`n#${i}`, 'META', many(2_000, (k) => [`k${k}`, `${i}`])]],
  ])('looks at each text a few times: %s', (_, rowOf) => {
    const sampled = sampleOf(range(300).map(rowOf));
    let looks = 0;
    const counting = <T extends object>(value: T): T =>
      new Proxy(value, {
        get(target, name) {
          looks += 1;
          const found: unknown = Reflect.get(target, name);
          return typeof found === 'function' ? found.bind(target) : found;
        },
      });
    propose(
      sampled.map((one) => ({ ...one, item: counting(one.item), texts: counting(one.texts) })),
      KEYS,
    );
    expect(looks).toBeLessThan(300 * 200);
    expect(sampled.every(({ texts }) => texts.size <= 100)).toBe(true);
  });

  it('ends with 10,000 kinds, addresses as keys, and braces', () => {
    const kinds = proposed(range(10_000).map((i) => [`T#${i}`, 'META', { __typename: `T${letters(i)}` }]));
    expect(kinds.kinds).toHaveLength(100);
    expect(reasons(kinds)[0]).toEqual([9_900, expect.stringContaining('only the 100')]);
    const words = proposed(range(10_000).map((i) => [`T${letters(i)}#${i}`, 'META']));
    expect([words.nodes.length, reasons(words)]).toEqual([1, []]);
    const rows = range(200).map((i): Row => [`${letters(i)}@example.${i % 2 ? 'com' : 'org'}`, 'PROFILE']);
    expect(madeBy(proposed(rows), rows)[7]).toEqual(['NODE-h@example.com NODE-h@example.com']);
    const braces: Row[] = [
      ['U$\u007bS}#1', 'PRO`FILE'],
      ['ORG#1', 'META/*'],
    ];
    expect(new Set(madeBy(proposed(braces), braces).flat()).size).toBe(2);
  });

  it.each(['#', ':', '-', '_', '@', '|', '/', '~'])(
    'makes a node of its own of each id that has %s in it',
    (separator) => {
      const ids = ['a', `b${separator}c`, `d${separator}e${separator}f`, `${separator}g`, 'h1', 'i2'];
      const rows = ids.map((id): Row => [`USER#${id}`, 'PROFILE', { userId: id }]);
      const made = madeBy(proposed(rows), rows);
      expect(new Set(made.flat()).size).toBe(ids.length);
      expect(made.every((own) => Array.isArray(own) && own.length === 1)).toBe(true);
    },
  );

  const piece = fc.oneof(
    fc.constantFrom(
      'USER',
      'ORG',
      '#',
      ':',
      '_',
      '-',
      '~',
      '{',
      '}',
      "'",
      '`',
      '$\u007bx}',
      '\\',
      '\n',
      '\u2028',
      'meta',
    ),
    fc.constantFrom('$app', '7', 'a', '*/', '//', '(?=', '['),
    fc.string({ maxLength: 3, unit: 'binary' }),
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => `x${pieces.join('')}`.slice(1) || 'x');
  const marks = fc.constantFrom<Row[2][]>(
    {},
    { _type: 'User' },
    { _et: 'User', source: 'x' },
    { __edb_e__: 'org', __edb_v__: '1', '~mirror': 'x' },
    { __typename: 'Org', expiresAt: 7, gsi0pk: 'x', gsi0sk: 'y' },
  );

  it('compiles whatever the keys are, and places what it says that it places', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, marks), { minLength: 1, maxLength: 30 }), (all) => {
        const rows = [...new Map(all.map((row) => [JSON.stringify(row.slice(0, 2)), row])).values()] as Row[];
        const proposal = proposed(rows);
        if (proposal.nodes.length === 0) return;
        const left = madeBy(proposal, rows).filter((own) => typeof own === 'string' || own.length === 0);
        expect(reasons(proposal).reduce((sum, [items]) => sum + items, 0)).toBe(left.length);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a proposed mapping', () => {
  const edb = (entity: string, version = '1') => ({ __edb_e__: entity, __edb_v__: version });

  it('takes ids from attributes, whose case the keys of ElectroDB have lost', () => {
    const rows = range(9).flatMap((i): Row[] => [
      [`$app#orgid_o${i}x`, '$org_1', { ...edb('org'), orgId: `O${i}x` }],
      [`$app#userid_u${i}x`, '$user_1', { ...edb('user'), userId: `u${i}X` }],
      [`$app#orgid_o${i}x`, `$member_1#userid_u${i}x`, { ...edb('member'), orgId: `O${i}x`, userId: `u${i}X` }],
    ]);
    expect(madeBy(proposed(rows), rows.slice(0, 3))).toEqual([
      ['ORG-O0x ORG-O0x'],
      ['USER-u0X USER-u0X'],
      ['ORG-O0x MEMBER-USER-u0X'],
    ]);
  });

  it('takes keys of a number and a string with the same text as equal, as the proposal does', () => {
    const rows = range(9).flatMap((i): Row[] => [
      [i as never, `${i}`, { name: `n${i}` }],
      [i as never, `${i + 100}`],
    ]);
    const proposal = proposed(rows);
    expect(proposal.kinds.some(({ isSelf }) => isSelf)).toBe(true);
    const left = madeBy(proposal, rows).filter((own) => typeof own === 'string' || own.length === 0);
    expect(reasons(proposal).reduce((sum, [items]) => sum + items, 0)).toBe(left.length);
    expect(madeBy(proposal, rows)[0]).toContain('NODE-0 NODE-0');
  });

  it('makes several kinds of nodes of one partition', () => {
    const rows = range(9).flatMap((i): Row[] => [
      [`$app#userid_u${i}`, '$tasks#user_2', { ...edb('user', '2'), userId: `u${i}` }],
      [`$app#userid_u${i}`, '$tasks#settings_2', { ...edb('settings', '2'), userId: `u${i}` }],
      [`$app#userid_u${i}`, `$tasks#task_2#taskid_t${i}`, { ...edb('task', '2'), userId: `u${i}`, taskId: `t${i}` }],
    ]);
    const proposal = proposed(rows);
    expect([proposal.nodes.length, reasons(proposal)]).toEqual([3, []]);
    expect(madeBy(proposal, rows)[2]).toEqual(['TASK-u0.t0 TASK-u0.t0', 'TASK-u0.t0 TASK_USER-USER-u0']);
  });

  it('tells types apart by an attribute where its items look otherwise', () => {
    const types = (rows: readonly Row[]): string[] => [...proposed(rows).nodes].sort();
    const things = (attributes: (i: number) => Record<string, string>): Row[] =>
      range(20).map((i): Row => [letters(i), letters(i), attributes(i)]);
    const apart = things(
      (i): Record<string, string> => (i % 2 === 0 ? { kind: 'cat', lives: 'nine' } : { kind: 'dog', age: 'old' }),
    );
    expect(types(apart)).toEqual(['CAT', 'DOG']);
    for (const none of [
      (i: number) => ({ kind: i % 2 === 0 ? 'cat' : 'dog', age: 'old' }),
      (i: number) => ({ mood: i % 2 === 0 ? 'good' : 'bad', [`age${i % 2}`]: 'old' }),
      (i: number) => ({ type: i % 2 === 0 ? '1' : '<b>', [`age${i % 2}`]: 'old' }),
      (i: number): Record<string, string> => (i % 4 === 0 ? { type: 'cat' } : { age: 'old' }),
    ])
      expect(types(things(none))).toEqual(['NODE']);
  });

  it('makes edges of attributes that hold ids, and says that this is a guess', () => {
    const orders = (attributes: (i: number) => Record<string, string | number>): Row[] => [
      ...range(20).map((i): Row => [`CUSTOMER#c${i}`, 'PROFILE', { name: `Customer ${i}` }]),
      ...range(20).map((i): Row => [`ORDER#o${i}`, 'A', attributes(i)]),
    ];
    const edges = (attributes: (i: number) => Record<string, string | number>): string[] =>
      proposed(orders(attributes)).kinds.flatMap((kind) => kind.edges.map(({ type }) => type));
    expect(edges((i) => ({ customerId: `c${i % 7}` }))).toEqual(['ORDER_CUSTOMER']);
    expect(edges((i) => ({ buyer: `c${i % 5}` }))).toEqual(['ORDER_BUYER']);
    // A whole key, also in the key of an index, which says no more than an attribute next to it.
    expect(edges((i) => ({ buyer: i % 6 === 0 ? 'none' : `CUSTOMER#c${i % 5}` }))).toEqual(['ORDER_BUYER']);
    expect(edges((i) => ({ GSI1PK: `CUSTOMER#c${i % 7}` }))).toEqual(['ORDER_CUSTOMER']);
    expect(edges((i) => ({ buyer: `c${i % 7}`, GSI1PK: `CUSTOMER#c${i % 7}` }))).toEqual(['ORDER_BUYER']);
    // Numbers, own ids, keys of indexes and texts of which some are none.
    for (const none of [
      (i: number) => ({ rank: i % 7 }),
      (i: number) => ({ orderId: `o${i}` }),
      (i: number) => ({ GSI1PK: `ORDER#o${i}` }),
      (i: number) => ({ buyer: 'CUSTOMER#', seller: `CUSTOMERS#c${i}` }),
      (i: number) => ({ GSI1PK: `c${i % 7}` }),
      (i: number) => ({ buyer: i % 6 === 0 ? 'none' : `c${i % 7}` }),
      (i: number) => ({ customerName: `Customer ${i}` }),
    ])
      expect(edges(none)).toEqual([]);
    const proposal = proposed(orders((i) => ({ customerId: `c${i % 7}` })));
    expect(mappingText(proposal, { ...FACTS, leftOut: [] }, HIDDEN)).toContain('UNSURE: ORDER_CUSTOMER is a guess');
  });

  /** The file's items and those of the mapping that was tried, of other items than those of the sample. */
  const bothOf = (items: readonly Item[], keys: KeyNames, hidden: ReadonlySet<string>, later: readonly Item[]) => {
    const proposal = propose(
      items.map((item) => sampledItem(item, keys, hidden)!),
      keys,
    );
    const leftOut = unplaced(proposal, 'legacy', hidden);
    const file = run(mappingText(proposal, { ...FACTS, leftOut }, hidden));
    const tried = { ...file.sources[0], map: mappingOf(proposal, hidden) };
    return [file.sources[0], tried].map((of) => later.map((item) => [...mappedItems(file.default, of, item).values()]));
  };

  it('hides keys of the table and its indexes, and names of the graph, also of items beyond the sample', () => {
    const indexed = range(9).map((i) =>
      marshall({ source: `USER#u${i}`, sk: 'PROFILE', name: 'x', gsi1pk: 'EMAIL', gsi1sk: `e${i}` }),
    ) as Item[];
    const later = marshall({ ...{ source: 'USER#u1', sk: 'PROFILE', name: 'x' }, target: 'x', expiresAt: 7 }) as Item;
    const [written, tried] = bothOf(indexed, ['source', 'sk'], new Set(['gsi1pk', 'gsi1sk']), [indexed[0]!, later]);
    expect(written).toEqual([
      [{ source: { S: 'USER-u0' }, target: { S: 'USER-u0' }, name: { S: 'x' } }],
      [{ source: { S: 'USER-u1' }, target: { S: 'USER-u1' }, name: { S: 'x' }, expiresAt: { N: '7' } }],
    ]);
    expect(tried).toEqual(written);
  });

  it('makes edges of texts and numbers alone', () => {
    const rows = range(20).flatMap((i): Row[] => [
      [`CUSTOMER#${i}`, 'PROFILE', { name: `Customer ${i}` }],
      [`ORDER#o${i}`, 'A', { customerId: `${i % 7}` }],
    ]);
    const values = ['c1', 7, { $id: 'c1' }, ['c1'], new Set(['c1']), true, null, ''];
    const later = values.map((customerId) => marshall({ pk: 'ORDER#o1', sk: 'A', customerId }) as Item);
    const big = { ...later[0]!, customerId: { N: '12345678901234567890.5' } };
    const [written, tried] = bothOf(rows.map(imageOf), KEYS, HIDDEN, [...later, big]);
    expect(written!.map((made) => made.slice(1).map(({ target }) => stringOf(target)))).toEqual([
      ...[['ORDER_CUSTOMER-CUSTOMER-c1'], ['ORDER_CUSTOMER-CUSTOMER-7']],
      ...[[], [], [], [], [], []],
      ['ORDER_CUSTOMER-CUSTOMER-12345678901234567890.5'],
    ]);
    expect(tried).toEqual(written);
  });

  it('makes other ids of several fields of other keys', () => {
    const rows = range(20).map((i): Row => [`T#a${i % 5}`, `P#b${i}`]);
    const later: Row[] = [
      ['T#a1', 'P#b2#c'],
      ['T#a1#b2', 'P#c'],
      ['T#a1', 'P#b2%23c'],
    ];
    const [written, tried] = bothOf(rows.map(imageOf), KEYS, HIDDEN, later.map(imageOf));
    expect(written!.map(([first]) => first?.['source'])).toEqual([
      ...[{ S: 'P-a1#b2%23c' }, { S: 'P-a1%23b2#c' }, { S: 'P-a1#b2%2523c' }],
    ]);
    expect(tried).toEqual(written);
  });

  it('says of an item of its own, such as CONFIG, that nothing varies in its keys', () => {
    const rows = range(9).map((i): Row => [`USER#u${i}`, 'PROFILE']);
    const proposal = proposed([...rows, ['CONFIG', 'CONFIG'], ['STATS', 'TOTAL']]);
    expect(proposal.nodes).toEqual(['USER']);
    expect(reasons(proposal)).toEqual([[2, expect.stringMatching(/^nothing varies in its keys/)]]);
  });

  it('takes numbers as sort keys, and tables without one', () => {
    const numbered = range(6).map((i) => sampledItem(marshall({ pk: 's1', sk: i }) as Item, KEYS, HIDDEN)!);
    expect(unplaced(propose(numbered, KEYS), 'legacy', HIDDEN)).toEqual([]);
    const bare = range(6).map((i) => sampledItem(marshall({ pk: `USER#${i}` }) as Item, ['pk'], HIDDEN)!);
    const proposal = propose(bare, ['pk']);
    expect([proposal.nodes, unplaced(proposal, 'legacy', HIDDEN)]).toEqual([['USER'], []]);
    expect(mappingText(proposal, { ...FACTS, leftOut: [] }, HIDDEN)).toContain("keys: { partitionKey: 'pk' }");
  });
});

describe('a proposed model of items that are nodes and edges already', () => {
  const rows: Row[] = range(12).flatMap((i): Row[] => [
    [`USER-u${i}`, `USER-u${i}`, { name: 'x' }],
    [`USER-u${i}`, 'STATE'],
    [`USER-u${i}`, `FOLLOWS-USER-u${i + 1}`],
  ]);
  const table = { name: 'legacy', partitionKey: 'pk', sortKey: 'sk' };

  it('has them in place', () => {
    const found = inPlace(sampleOf([...rows, ['USER-u1', 'odd key']]))!;
    const graph = run(modelText(found, table, { ...FACTS, leftOut: found.leftOut })).default;
    expect(rows.slice(0, 3).map(([pk, sk]) => classifyBaseItem(graph, pk, sk, {}).kind)).toEqual([
      'node',
      'part',
      'edge',
    ]);
    expect(found.leftOut).toMatchObject([{ items: 1, example: ['USER-u1', 'odd key'] }]);
    expect(graph.table).toMatchObject({ partitionKey: 'pk', sortKey: 'sk' });
  });

  it('is none where most items are others', () => {
    expect(inPlace(sampleOf([...rows, ...range(9).map((i): Row => [`ORG#${i}`, 'META'])]))).toBeUndefined();
    expect(inPlace(sampleOf([['USER#1', 'PROFILE']]))).toBeUndefined();
  });
});
