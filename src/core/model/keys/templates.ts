import { ID, type Pattern } from './raw-keys.ts';

/** Templates as a model file has them, such as `'USER#{id}'`, and whether two of them can make the same key. */

/** The name of a place in a template. */
export type PlaceName = 'id' | 'from' | 'to';

/** A template in pieces: texts, and places for ids. */
export type Pieces = readonly (string | { place: PlaceName })[];

/** A template in pieces, or the mistake in it. */
export function parseTemplate(text: string, places: readonly PlaceName[]): Pieces | string {
  const parts = text.split(/[{}]/);
  const rebuilt = parts.map((part, i) => (i % 2 === 0 ? part : `{${part}}`)).join('');
  if (parts.length % 2 === 0 || rebuilt !== text) return 'has a brace without its other one';
  const isPlace = (name: string): name is PlaceName => (places as readonly string[]).includes(name);
  const unknown = parts.find((part, i) => i % 2 === 1 && !isPlace(part));
  if (unknown !== undefined) {
    return `has {${unknown}}; keys are made of ${places.map((name) => `{${name}}`).join(' and ')}`;
  }
  return parts.flatMap((part, i) => (i % 2 === 1 ? { place: part as PlaceName } : part === '' ? [] : part));
}

/** How often a template has a place. */
export function countOf(pieces: Pieces, place: PlaceName): number {
  return pieces.filter((piece) => typeof piece !== 'string' && piece.place === place).length;
}

/** The pieces before an edge's `{to}`, or those of a node's key: their places are all of the id of the partition's node. */
export function patternOf(pieces: Pieces): Pattern {
  return pieces
    .filter((piece) => typeof piece === 'string' || piece.place !== 'to')
    .map((piece) => (typeof piece === 'string' ? piece : ID));
}

/** Two texts of a partition key around its id, whether one partition can have both forms. */
export function canBeSamePartition(left: Around, right: Around): boolean {
  const [short, long] = left.before.length <= right.before.length ? [left, right] : [right, left];
  if (!long.before.startsWith(short.before)) return false;
  if (!left.after.endsWith(right.after) && !right.after.endsWith(left.after)) return false;
  // An id that is not last holds no separator: the longer beginning would be a part of it.
  const more = long.before.slice(short.before.length);
  return short.after === '' || !more.includes(short.after[0]!);
}

/** The texts around the id in a partition key. */
export interface Around {
  before: string;
  after: string;
}

/** Whether two forms of sort keys in one partition can be the same key; `isPrefix`: more follows. */
export function canBeSameSortKey(left: Form, right: Form): boolean {
  const a = unitsOf(left.raw);
  const b = unitsOf(right.raw);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] === b[i]) continue;
    // An id may hold any text.
    return a[i] === ID || b[i] === ID;
  }
  if (a.length === b.length) return left.isPrefix === right.isPrefix;
  return a.length < b.length ? left.isPrefix : right.isPrefix;
}

/** A form of sort keys. */
export interface Form {
  raw: Pattern;
  isPrefix: boolean;
}

function unitsOf(pattern: Pattern): (string | typeof ID)[] {
  return pattern.flatMap((piece): (string | typeof ID)[] => (typeof piece === 'string' ? [...piece] : [piece]));
}
