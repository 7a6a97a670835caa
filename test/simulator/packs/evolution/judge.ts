import type { Candidate, Row } from './oracle.ts';

/** A row of an answer: whose it is, and all that it says. */
export interface Given {
  key: string;
  text: string;
}

/**
 * What is wrong with a list that was read to its end. Of an item that had one state meanwhile exactly that must be told,
 * once, in its place; of one that changed, no more than one of its states says.
 *
 * @param isNative DynamoDB keeps the list, and promises no order of equal values.
 */
export function judgeList(
  candidates: readonly Candidate[],
  given: readonly Given[],
  reverse = false,
  isNative = false,
): string[] {
  const problems: string[] = [];
  const byKey = new Map(candidates.map((one) => [one.key, one]));
  for (const { key, text } of given) {
    const known = byKey.get(key)?.states.some((rows) => rows.some((row) => row.text === text)) ?? false;
    if (!known) problems.push(`it says ${text}, which never was so`);
  }
  const exact: Row[] = candidates.flatMap(({ states }) => (states.length === 1 ? states[0]! : []));
  const places = new Map<string, number>();
  for (const [place, { text }] of given.entries()) {
    const isExact = exact.some((row) => row.text === text);
    if (isExact && places.has(text)) problems.push(`it says ${text} twice`);
    places.set(text, place);
  }
  for (const { text } of exact) if (!places.has(text)) problems.push(`it lacks ${text}`);
  const sorted = [...exact].sort((left, right) => {
    if (!isNative) return compareSorts(left.sort, right.sort) * (reverse ? -1 : 1);
    const byValue = compareSorts(left.sort.slice(0, -1), right.sort.slice(0, -1)) * (reverse ? -1 : 1);
    return byValue || (places.get(left.text) ?? 0) - (places.get(right.text) ?? 0);
  });
  const order = sorted.map(({ text }) => places.get(text)).filter((place) => place !== undefined);
  for (let i = 1; i < order.length; i++)
    if (order[i - 1]! > order[i]!) problems.push(`it has ${sorted[i]!.text} in a wrong place`);
  return problems;
}

/** What is wrong with a number of rows. */
export function judgeCount(candidates: readonly Candidate[], count: number): string[] {
  const sizes = candidates.map(({ states }) => states.map((rows) => rows.length));
  const least = sizes.reduce((sum, each) => sum + Math.min(...each), 0);
  const most = sizes.reduce((sum, each) => sum + Math.max(...each), 0);
  // What changes while an index is counted may be met twice, or not at all.
  const moving = candidates
    .filter(({ states }) => states.length > 1)
    .reduce((sum, { states }) => sum + states.length, 0);
  const isRight = moving === 0 ? count === least : count >= least - moving && count <= most + moving;
  return isRight ? [] : [`it counts ${count} instead of ${least}${most > least ? ` to ${most}` : ''}`];
}

function compareSorts(left: readonly (string | number)[], right: readonly (string | number)[]): number {
  for (const [i, value] of left.entries()) {
    const other = right[i];
    if (other === undefined) return 1;
    if (value !== other) return value < other ? -1 : 1;
  }
  return left.length - right.length;
}
