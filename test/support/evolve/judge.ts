import { compareKeys } from '../../../src/core/items/encoding.ts';
import { textOfKey } from '../../../src/core/items/keys.ts';
import type { BaseKey, BaseState, PossibleItem } from './history.ts';

/** One base item as an answer shows it. */
export interface Row {
  key: BaseKey;
  text: string;
}

/** An answer: a list, or a number of hits. */
export type GivenAnswer = { rows: readonly Row[]; isCut?: boolean } | { count: number };

/** The text that an answer shows for a base item, and the item's place in the order; empty where there is no order. */
export interface Entry {
  text: string;
  order: string;
}

/** The verdict on an answer. Wrong: it shows something that was never true. Partial: something is missing. */
export interface Judgement {
  verdict: 'right' | 'wrong' | 'partial';
  /** Why, where it is not right. */
  reason?: string;
}

interface Expected {
  key: BaseKey;
  entries: readonly (Entry | undefined)[];
}

const RIGHT: Judgement = { verdict: 'right' };

/**
 * Judges an answer by what the base items may be. An item that is the same all the while has to be there, once, and in its
 * place. One that changes meanwhile may be as it was or as it is; where its place changes, a list may also miss it, or
 * have it twice, as any list does that is read shard by shard and page by page.
 *
 * @param entryOf what a version has in the right answer; undefined: nothing.
 */
export function judge(
  answer: GivenAnswer,
  possible: readonly PossibleItem[],
  entryOf: (key: BaseKey, attributes: NonNullable<BaseState>) => Entry | undefined,
): Judgement {
  const expected = possible.map(({ source, target, versions }): Expected => {
    const key = { source, target };
    return { key, entries: versions.map((attributes) => attributes && entryOf(key, attributes)) };
  });
  return 'count' in answer ? judgeCount(answer.count, expected) : judgeRows(answer, expected);
}

function judgeCount(count: number, expected: readonly Expected[]): Judgement {
  let least = 0;
  let most = 0;
  for (const { entries } of expected) {
    const isThere = entries.some((entry) => entry !== undefined);
    if (isThere) most += changesPlace(entries) ? 2 : 1;
    if (isThere && !changesPlace(entries)) least += 1;
  }
  if (count < least) return { verdict: 'partial', reason: `counted ${count}, there are ${least} at least` };
  return count > most ? { verdict: 'wrong', reason: `counted ${count}, there are ${most} at most` } : RIGHT;
}

function judgeRows(
  { rows, isCut = false }: Extract<GivenAnswer, { rows: unknown }>,
  all: readonly Expected[],
): Judgement {
  const expected = new Map(all.map((one) => [textOfKey(one.key), one.entries]));
  const seen = new Map<string, number>();
  let last = '';
  for (const { key, text } of rows) {
    const name = textOfKey(key);
    const entries = expected.get(name) ?? [];
    const orders = entries.flatMap((entry) => (entry?.text === text ? [entry.order] : []));
    if (orders.length === 0) return { verdict: 'wrong', reason: `${nameOf(key)} is shown as ${text}` };
    const order = orders.filter((one) => compareKeys(one, last) >= 0).sort(compareKeys)[0];
    if (order === undefined) return { verdict: 'wrong', reason: `${nameOf(key)} is not in its place` };
    last = order;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    if (seen.get(name)! > 1 && !changesPlace(entries))
      return { verdict: 'wrong', reason: `${nameOf(key)} is shown twice` };
  }
  for (const { key, entries } of all) {
    if (seen.has(textOfKey(key)) || changesPlace(entries) || entries[0] === undefined) continue;
    if (isCut && compareKeys(entries[0].order, last) >= 0) continue;
    return { verdict: 'partial', reason: `${nameOf(key)} is missing` };
  }
  return RIGHT;
}

/** Tells whether an item comes, goes or changes its place. */
function changesPlace([first, ...others]: readonly (Entry | undefined)[]): boolean {
  return others.some((other) => other?.order !== first?.order);
}

function nameOf({ source, target }: BaseKey): string {
  return source === target ? source : `${source} ${target}`;
}
