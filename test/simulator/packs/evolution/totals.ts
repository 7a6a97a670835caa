import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { type Exact, exactOf, isSummable, reduced, textOf } from '../../kernel/decimal.ts';
import { numberOf, stableText } from '../../kernel/values.ts';
import type { History, State } from './history.ts';
import type { Span } from './oracle.ts';
import type { TotalSpec } from './specs.ts';

/** What totals of edges should say, from the base items alone: by what the options mean, apart from the product's ledgers. */

/** Digits behind the point that a sum keeps. */
const DECIMALS = 12;
const ONE = 10n ** BigInt(DECIMALS);
/** Bytes of a text that edges are grouped by, at most. */
const MOST_BYTES = 256;
/** Sums that are told apart for one answer; beyond it only the count is judged. */
const MOST_SUMS = 4_000;

/** Numbers by name: `count`, `problems`, `sum hours`, `by kind "code"`. */
export type Numbers = ReadonlyMap<string, bigint>;

/** What an edge adds to a total: numbers by their names. */
export function numbersOf({ sums, groups }: TotalSpec, edge: State): Numbers {
  const numbers = new Map<string, bigint>();
  if (edge === undefined) return numbers;
  numbers.set('count', ONE);
  let problems = 0n;
  for (const [name, attribute] of Object.entries(sums)) {
    const value = edge[attribute];
    if (value === undefined) continue;
    const units = typeof value === 'number' ? unitsOf(value) : undefined;
    if (units === undefined) problems += ONE;
    else numbers.set(`sum ${name}`, units);
  }
  for (const name of groups) {
    const value = edge[name];
    if (value === undefined) continue;
    if (isGroup(value)) numbers.set(`by ${name} ${JSON.stringify(value)}`, ONE);
    else problems += ONE;
  }
  if (problems > 0n) numbers.set('problems', problems);
  return numbers;
}

/** A number in units of 10^-12; undefined where no sum takes it. */
function unitsOf(value: number): bigint | undefined {
  const exact = exactOf(String(value));
  return exact !== undefined && isSummable(exact) ? unitsOfExact(exact) : undefined;
}

function unitsOfExact({ units, exponent }: Exact): bigint {
  return units * 10n ** BigInt(exponent + DECIMALS);
}

function isGroup(value: unknown): boolean {
  if (typeof value === 'number') return unitsOf(value) !== undefined;
  return typeof value === 'boolean' || (typeof value === 'string' && Buffer.byteLength(value) <= MOST_BYTES);
}

/** The numbers of a stored total. */
export function storedNumbers(item: Item): Numbers {
  const numbers = Object.entries(item).flatMap(([attribute, value]): [string, bigint][] => {
    const found = /^(count|problems)$|^(sum)\/(.*)$|^(by)\/([^/]*)\/([SNB])(.*)$/s.exec(attribute);
    if (found === null) return [];
    const [, plain, , sum, by, group, tag, text] = found;
    const units = unitsOfExact(exactOf(numberOf(value))!);
    if (by !== undefined) return [[`by ${group} ${tag === 'S' ? JSON.stringify(text) : text}`, units]];
    return [[plain ?? `sum ${sum}`, units]];
  });
  return addedUp([new Map(numbers)]);
}

/** All numbers of edges, added up. */
export function addedUp(all: Iterable<Numbers>): Map<string, bigint> {
  const sum = new Map<string, bigint>();
  for (const numbers of all) for (const [name, units] of numbers) sum.set(name, (sum.get(name) ?? 0n) + units);
  for (const [name, units] of sum) if (units === 0n) sum.delete(name);
  return sum;
}

/** The edges of a type that enter a node, or leave it. */
export function isEdgeAt(edgeType: string, id: string, isInbound: boolean): (key: ItemKey) => boolean {
  return ({ source, target }) =>
    isInbound ? target === `${edgeType}-${id}` : source === id && target.startsWith(`${edgeType}-`);
}

/** Every total that the edges may have, by the states that each had; undefined where there are too many to tell. */
function totalsOf(history: History, { fromMs, toMs }: Span, spec: TotalSpec, isEdge: (key: ItemKey) => boolean) {
  let sums = new Map<string, Numbers>([['{}', new Map()]]);
  for (const key of history.keys(isEdge)) {
    const parts = new Map<string, Numbers>();
    for (const state of history.statesOf(key, fromMs, toMs)) {
      const numbers = numbersOf(spec, state);
      parts.set(textOfNumbers(numbers), numbers);
    }
    const next = new Map<string, Numbers>();
    for (const sum of sums.values())
      for (const part of parts.values()) {
        const added = addedUp([sum, part]);
        next.set(textOfNumbers(added), added);
      }
    if (next.size > MOST_SUMS) return undefined;
    sums = next;
  }
  return [...sums.values()];
}

/** Numbers as text. */
export function textOfNumbers(numbers: Numbers): string {
  return [...numbers]
    .map(([name, units]) => `${name}=${units}`)
    .sort()
    .join();
}

/** An answer of a reader. */
export interface TotalGiven {
  count: number;
  problems?: number;
  groups: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** The answer that a reader should give for a total. */
function answerOf({ sums, groups }: TotalSpec, numbers: Numbers): object {
  const number = (name: string): number => Number((numbers.get(name) ?? 0n) / ONE);
  const problems = number('problems');
  const found = groups.map((name) => [name, groupOf(numbers, `by ${name} `)] as const);
  return {
    count: number('count'),
    ...(problems > 0 && { problems }),
    ...Object.fromEntries(
      Object.keys(sums).map((name) => [
        name,
        textOf(reduced({ units: numbers.get(`sum ${name}`) ?? 0n, exponent: -DECIMALS })),
      ]),
    ),
    groups: Object.fromEntries(found),
  };
}

/** Numbers and booleans by their text; a text that reads like one of them is in quotes. */
function groupOf(numbers: Numbers, prefix: string): Record<string, number> {
  const values = [...numbers].filter(([name]) => name.startsWith(prefix));
  const plain = values.map(([name]) => name.slice(prefix.length)).filter((text) => !text.startsWith('"'));
  const entries = values.map(([name, units]): [string, number] => {
    const text = name.slice(prefix.length);
    const bare = text.startsWith('"') ? (JSON.parse(text) as string) : text;
    return [text.startsWith('"') && plain.includes(bare) ? text : bare, Number(units / ONE)];
  });
  return Object.fromEntries(entries);
}

/** What is wrong with a total that a reader was told: it has to be the sum of one state of each edge. */
export function judgeTotal(
  history: History,
  span: Span,
  spec: TotalSpec,
  isEdge: (key: ItemKey) => boolean,
  given: TotalGiven,
): string[] {
  const totals = totalsOf(history, span, spec, isEdge);
  if (totals === undefined) return [];
  const texts = new Set(totals.map((numbers) => stableText(answerOf(spec, numbers))));
  const text = stableText(given);
  if (texts.has(text)) return [];
  return [`the total is ${text} instead of ${[...texts].slice(0, 6).join(' or ')}`];
}
