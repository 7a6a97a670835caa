import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import type { AttributeValue, Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel, SearchModel } from '../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../src/core/model/native-indexes.ts';
import { SEARCH_OPTIONS, textFormOf } from '../../src/core/model/options/option-tables.ts';
import { optionLines } from '../../src/core/model/options/option-works.ts';
import { hasShape, type Shape } from '../../src/core/model/options/shape.ts';
import { date, derive, node, number, rank } from '../../src/core/model/schema.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import { ModelError } from '../../src/foundation/errors.ts';
import { withoutRegistry } from '../../src/registry/reader-lease.ts';
import { isOfRun, isWhole } from '../support/extent.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { DEALT } from '../support/sizes.ts';

/**
 * Every pair of options of a search, taken from the table that describes them: a model with the pair is refused, or finds each stored
 * value by the value itself and by each text of its form. No option is named here; the values come from what their checks take.
 */

interface Word {
  word: string;
  amount?: number;
  day: string;
  words: string[];
  team?: 'LEAD' | 'CREW';
}

const fields = z.object({
  word: z.string(),
  amount: z.number().optional(),
  day: z.string(),
  words: z.array(z.string()),
  team: z.enum(['LEAD', 'CREW']).optional(),
});

const TEXTS = [
  ...[
    'Ann',
    'ann',
    ' Ann',
    'Ann\t',
    'ＡＮＮ',
    'Straße',
    'STRASSE',
    'é',
    'e\u0301',
    '\u00a8a',
    ' \u0308a',
    ' ',
    'a b',
    ' a  b ',
  ],
  ...['\u00a0a\u2003b', 'a\u0000b', '\u0001', '\u{10ffff}', 'x'.repeat(1_100), ` ${'Y'.repeat(900)}`, 'a-b', 'A_B'],
];
const DAYS = ['2026-01-02', '2026-01-02T10:00:00Z', '2026-01-02T12:00:00+02:00'];
const WORDS: readonly Word[] = TEXTS.map((word, i) => ({
  ...{ word, day: DAYS[i % DAYS.length]!, words: [word, TEXTS[(i * 7 + 3) % TEXTS.length]!] },
  ...(i % 4 !== 0 && { amount: i % 5 === 0 ? -i : i / 2 }),
  ...(i % 5 !== 0 && { team: i % 2 === 0 ? 'LEAD' : 'CREW' }),
}));

/** Values that options take; an option that takes any name takes these names. */
const NAMES = ['word', 'amount', 'day', 'words', 'team'];
const VALUES: readonly unknown[] = [
  ...[true, 1, 3, 'value', 'source', 'fnv1a', 'codepoint-product', 'string', 'number', 'date', 'KEYS_ONLY', 'ALL'],
  ...[['word', 'team'], ['team', 'word'], date('day'), number('amount'), rank('team', { LEAD: 20, CREW: 10 })],
  derive(({ word }: Word) => (word === 'ann' ? undefined : `${word}!`)),
];

interface Chosen {
  option: string;
  value: unknown;
}

function valuesOf(check: Shape<unknown>): unknown[] {
  const takesAnyName = hasShape(check, 'any name at all');
  const taken = VALUES.filter((value) => !(takesAnyName && typeof value === 'string') && hasShape(check, value));
  return takesAnyName ? [...NAMES, ...taken.filter((value) => typeof value === 'object')] : taken;
}

const CHOSEN: readonly Chosen[] = optionLines(SEARCH_OPTIONS).flatMap(([option, { check }]) =>
  valuesOf(check).map((value) => ({ option, value })),
);
/** Each option alone, too. */
const PAIRS = CHOSEN.flatMap((left, i) =>
  CHOSEN.slice(i)
    .filter((right) => right === left || right.option !== left.option)
    .map((right) => [left, right] as const),
);

function modelOf(name: string, pair: readonly Chosen[]): CompiledModel | undefined {
  const options = Object.fromEntries(pair.map(({ option, value }) => [option, value]));
  try {
    const nodes = { ITEM: node({ fields, search: { [name]: options } as never }) };
    return defineGraph({ table: 'records', nodes, edges: {} }) as CompiledModel;
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}

function stored(value: unknown): AttributeValue {
  if (typeof value === 'number') return { N: String(value) };
  return Array.isArray(value) ? { L: value.map(stored) } : { S: value as string };
}

function idOf(i: number): string {
  return `ITEM-${String(i).padStart(2, '0')}`;
}

/** The base items with their index items, and the places of those that are reported as unfit. */
async function filled(model: CompiledModel): Promise<{ store: MemoryStore; unfit: ReadonlySet<number> }> {
  const store = new MemoryStore(model.table, { nativeIndexes: nativeIndexes(model) });
  const unfit = new Set<number>();
  for (const [i, word] of WORDS.entries()) {
    const [source, target] = [idOf(i), idOf(i)];
    const attributes = Object.entries(word).map(([name, value]) => [name, stored(value)] as const);
    const image: Item = { source: { S: source }, target: { S: target }, ...Object.fromEntries(attributes) };
    await store.put(image);
    const { indexItems, problems } = derivedOf(model, source, target, image);
    if (problems.length > 0) unfit.add(i);
    for (const [key, item] of indexItems) await store.put({ source: { S: source }, target: { S: key }, ...item });
  }
  return { store, unfit };
}

type Values = readonly (string | number)[] | undefined;

/** The values that an item is found by, or the segments of its path; undefined: the search leaves it out. */
function valuesOfItem({ order, multiValue }: SearchModel, word: Word): Values {
  const of = (name: string): unknown => word[name as keyof Word];
  if (order.kind === 'derive') {
    const text = order.compute({ ...word }, {} as never);
    return text === undefined ? undefined : [text];
  }
  if (order.kind === 'path') {
    const all = order.attributes.map(of);
    const hole = all.indexOf(undefined);
    const segments = hole < 0 ? all : all.slice(0, hole);
    return segments.length === 0 ? undefined : (segments as string[]);
  }
  const value = of(order.attribute);
  if (value === undefined) return undefined;
  return (multiValue ? value : [value]) as (string | number)[];
}

/** Texts of the same form as this one. */
function sameForm(search: SearchModel, text: string): string[] {
  const form = textFormOf(search);
  const { order } = search;
  if (order.kind === 'rank' || (order.kind === 'attribute' && order.type !== 'string')) return [text];
  const others = [
    form(text),
    text.toUpperCase(),
    text.toLowerCase(),
    `\t${text} `,
    text.trim(),
    text.replace(/\s+/g, ' '),
  ];
  const all = [
    text,
    ...others,
    text.normalize('NFKD'),
    text.normalize('NFC'),
    text.replace('-', '_'),
    text.replace('_', '-'),
  ];
  return [...new Set(all)].filter((one) => form(one) === form(text));
}

type Predicate = Parameters<ReturnType<Reader<CompiledModel>['search']>['find']>[0];

/** The questions that have to find a value of a search. */
function questionsFor(search: SearchModel, values: readonly (string | number)[]): Predicate[] {
  const { order, shards } = search;
  const forms = (value: string | number) =>
    typeof value === 'number' ? [value, String(value)] : sameForm(search, value);
  if (order.kind === 'path') {
    const segments = values as string[];
    const variants = Array.from({ length: 3 }, (_, i) => segments.map((one) => forms(one).at(i) ?? one) as string[]);
    return variants.flatMap((path) => [
      ...path.map((_, i) => ({ path: path.slice(0, i + 1) })),
      ...path.flatMap((one, i) => [
        { path: path.slice(0, i), beginsWith: [...one].slice(0, 1).join('') },
        { path: path.slice(0, i), between: [one, one] as const },
      ]),
    ]);
  }
  const isEqualityOnly = shards === 'value';
  const hasPrefixes = order.kind !== 'rank' && !(order.kind === 'attribute' && order.type !== 'string');
  return values.flatMap((value) =>
    forms(value).flatMap((one): Predicate[] => [
      { equals: one },
      ...(isEqualityOnly ? [] : [{ between: [one, one] as const }, { between: [one, undefined] as const }, {}]),
      ...(isEqualityOnly || !hasPrefixes
        ? []
        : [0, 1, 2, 9_999].map((length) => ({ beginsWith: [...String(one)].slice(0, length).join('') }))),
    ]),
  );
}

/** Finds every value of every item that a model takes; the number of items that were found. */
async function findAll(model: CompiledModel, what: string): Promise<number> {
  const search = [...model.nodes.get('ITEM')!.searches.values()][0]!;
  const { store, unfit } = await filled(model);
  const reader = createReader(model, { store, leases: withoutRegistry(model) });
  const answers = new Map<string, ReadonlySet<string>>();
  let found = 0;
  for (const [i, word] of WORDS.entries()) {
    const values = valuesOfItem(search, word);
    const partition = search.partition === undefined ? undefined : word[search.partition as keyof Word];
    if (values === undefined || unfit.has(i) || (search.partition !== undefined && partition === undefined)) continue;
    found += 1;
    for (const predicate of questionsFor(search, values)) {
      const question = JSON.stringify([predicate, partition]);
      let ids = answers.get(question);
      if (ids === undefined) {
        const page = await reader.search(`ITEM.${search.name}` as never).find(predicate as never, {
          limit: 100,
          ...(partition !== undefined && { partition: partition as string }),
        });
        ids = new Set(page.items.map(({ id }) => id));
        answers.set(question, ids);
      }
      if (!ids.has(idOf(i))) expect.fail(`${what}: ${question} does not find ${JSON.stringify(word)}`);
      if ('equals' in predicate && typeof predicate.equals === 'string' && search.order.kind === 'attribute')
        expect(ids, `${what}: ${question}`).toEqual(idsOfForm(search, predicate.equals, partition, unfit));
    }
  }
  return found;
}

/** The items with a value of the same form. */
function idsOfForm(search: SearchModel, text: string, partition: unknown, unfit: ReadonlySet<number>): Set<string> {
  if (search.order.kind !== 'attribute' || search.order.type !== 'string') return expect.anything() as never;
  const form = textFormOf(search);
  const ids = WORDS.flatMap((word, i) => {
    const isWithin = search.partition === undefined || word[search.partition as keyof Word] === partition;
    const values = valuesOfItem(search, word) ?? [];
    return isWithin && !unfit.has(i) && values.some((value) => form(String(value)) === form(text)) ? [idOf(i)] : [];
  });
  return new Set(ids);
}

describe('each pair of options of a search', () => {
  it.each(optionLines(SEARCH_OPTIONS))('has a value of %s to try', (option) => {
    expect(CHOSEN.filter((one) => one.option === option)).not.toEqual([]);
  });

  it('is refused, or finds each stored value by itself and by each text of its form', async () => {
    const finding = new Set<string>();
    for (const [place, pair] of PAIRS.entries()) {
      if (!isOfRun(place, DEALT.optionPairs)) continue;
      for (const name of NAMES.slice(0, 4)) {
        const model = modelOf(name, pair);
        if (model === undefined) continue;
        const what = `${name}: ${JSON.stringify(Object.fromEntries(pair.map(({ option, value }) => [option, value])))}`;
        if ((await findAll(model, what)) > WORDS.length / 2) for (const { option } of pair) finding.add(option);
      }
    }
    if (isWhole) expect(finding).toEqual(new Set(optionLines(SEARCH_OPTIONS).map(([option]) => option)));
  });
});
