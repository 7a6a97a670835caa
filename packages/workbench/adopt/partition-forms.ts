import type { Letters } from '../../../src/core/model/keys/raw-keys.ts';
import { isOfElectroDb, type SampledItem } from './sampled-item.ts';
import { endOfFirstWord, grouped, hasDigit, isOfWord, tally, typeNameOf } from './texts.ts';

/** Finds what partition keys have before and after their ids. */

/** The partition keys that one template makes. */
export interface PartitionForm {
  before: string;
  after: string;
  letters: Letters;
  /** The ids of the partitions, by their keys. */
  ids: ReadonlyMap<string, string>;
  items: readonly SampledItem[];
  /** Attributes whose values have a case that the keys have lost. */
  lostCase: string | undefined;
  isElectroDb: boolean;
}

/** A partition with its items. */
interface Partition {
  key: string;
  items: SampledItem[];
}

/** The share of partitions that an evidence has to be seen in. */
const MOST = 0.8;
/** The number of beginnings that each one key alone has, above which they are taken for ids. */
const MOST_SINGLE = 20;
/** Partitions that show what their keys have in common. */
const ENOUGH = 3;
/** The most different words at one place of the keys that are taken for words, and not for ids. */
const MOST_WORDS = 20;

/**
 * The forms of the partition keys of a sample, those with most items first.
 *
 * @param keyAttributes the key attributes of the table's indexes: they hold keys, not ids.
 */
export function partitionForms(items: readonly SampledItem[], keyAttributes: ReadonlySet<string>): PartitionForm[] {
  const partitions = [...grouped(items, ({ source }) => source)].map(([key, own]) => ({ key, items: own }));
  const heads = grouped(partitions, ({ key }) => headOf(key));
  const single = [...heads].filter(([head, [first, ...others]]) => others.length === 0 && !isNamed(head, first!));
  // Many beginnings with one key each are ids with a separator in them, such as addresses of mail.
  const areIds = single.length > MOST_SINGLE && single.length > heads.size / 2;
  const ids = new Set(single.filter(([head]) => areIds || hasDigit(head)).map(([head]) => head));
  const joined = grouped(partitions, ({ key }) => (ids.has(headOf(key)) ? '' : headOf(key)));
  const befores = [...joined].flatMap(([head, own]) => [...byBefore(head, own, keyAttributes)]);
  return befores
    .map(([before, own]) => formOf(before, own, keyAttributes))
    .sort((left, right) => right.items.length - left.items.length || (left.before < right.before ? -1 : 1));
}

/** Whether the type of an item names the beginning of its partition key. */
function isNamed(head: string, { items }: Partition): boolean {
  return items.some(({ mark }) => mark !== undefined && typeNameOf(mark.value) === typeNameOf(head));
}

function headOf(key: string): string {
  const end = endOfFirstWord(key);
  return end === undefined ? '' : key.slice(0, end);
}

/** Partitions of one beginning by what their keys have before the ids. */
function byBefore(
  head: string,
  partitions: readonly Partition[],
  keyAttributes: ReadonlySet<string>,
): Map<string, Partition[]> {
  const ofElectroDb = partitions.map(electroDbBefore);
  if (ofElectroDb.every((before) => before !== undefined)) {
    return grouped(partitions, (partition) => electroDbBefore(partition)!);
  }
  const named = partitions.map((partition) => beforesByAttributes(head, partition, keyAttributes));
  const votes = tally(named.flat());
  if (named.filter(({ length }) => length > 0).length < partitions.length * MOST) return byWords(head, partitions);
  const best = named.map((befores) => befores.sort((a, b) => votes.get(b)! - votes.get(a)! || a.length - b.length)[0]);
  const chosen = [...tally(best.filter((one) => one !== undefined))];
  // A text of few keys that begins with one of more keys has a part of an id in it.
  const kept = chosen.filter(
    ([long, count]) => !chosen.some(([short, more]) => long !== short && long.startsWith(short) && more >= count),
  );
  const beforeOf = new Map(
    partitions.map((partition, i) => {
      const own =
        kept.find(([before]) => before === best[i]) ?? kept.find(([before]) => partition.key.startsWith(before));
      return [partition, own?.[0] ?? head];
    }),
  );
  return grouped(partitions, (partition) => beforeOf.get(partition)!);
}

/** The beginning of ElectroDB's partition keys: `$service#attribute_`. */
function electroDbBefore({ key, items }: Partition): string | undefined {
  if (!items.some(isOfElectroDb)) return undefined;
  return /^\$[^#]{1,100}#[a-z0-9]{1,100}_(?=.)/.exec(key)?.[0];
}

/** The texts before the values of attributes with which a key ends, in whatever case. */
function beforesByAttributes(head: string, { key, items }: Partition, keyAttributes: ReadonlySet<string>): string[] {
  const befores = new Set<string>();
  const folded = key.toLowerCase();
  const [{ texts }] = items as [SampledItem];
  for (const [name, text] of texts) {
    if (keyAttributes.has(name) || text.length >= key.length || !folded.endsWith(text.toLowerCase())) continue;
    const before = key.slice(0, key.length - text.length);
    if (before.startsWith(head) && !isOfWord(before.at(-1)) && !isValue(before.slice(head.length, -1), items)) {
      befores.add(before);
    }
  }
  return [...befores];
}

/** Whether a part of a key is the value of an attribute: then it varies as ids do. */
function isValue(part: string, items: readonly SampledItem[]): boolean {
  const [{ folded }] = items as [SampledItem];
  return part !== '' && folded.has(part.toLowerCase());
}

/** Goes on from a beginning where all keys have one of few words behind it. */
function byWords(head: string, partitions: readonly Partition[]): Map<string, Partition[]> {
  const groups = grouped(partitions, ({ key }) => {
    const rest = key.slice(head.length);
    const end = endOfFirstWord(rest);
    return end === undefined || hasDigit(rest.slice(0, end)) ? '' : rest.slice(0, end);
  });
  const isVarying = ([word, own]: [string, Partition[]]): boolean =>
    own.some(({ items }) => isValue(word.slice(0, -1), items));
  const areWords =
    head !== '' &&
    groups.size <= MOST_WORDS &&
    [...groups].every(([word, own]) => word !== '' && own.length > Math.max(ENOUGH, groups.size)) &&
    ![...groups].some(isVarying);
  if (!areWords) return new Map([[head, [...partitions]]]);
  return new Map([...groups].flatMap(([word, own]) => [...byWords(head + word, own)]));
}

function formOf(before: string, partitions: readonly Partition[], keyAttributes: ReadonlySet<string>): PartitionForm {
  const rests = partitions.map(({ key }) => key.slice(before.length));
  const after = sharedEnd(rests);
  const ids = new Map(partitions.map(({ key }) => [key, key.slice(before.length, key.length - after.length)]));
  const items = partitions.flatMap((partition) => partition.items);
  const isElectroDb = items.length > 0 && items.every(isOfElectroDb);
  const lost = lostCase(items, ids, keyAttributes);
  const all = [...ids.values()];
  const letters: Letters =
    lost === undefined && !isElectroDb
      ? 'any'
      : all.every((id) => id === id.toLowerCase())
        ? 'lower'
        : lost !== undefined && all.every((id) => id === id.toUpperCase())
          ? 'upper'
          : 'any';
  return { before, after, letters, ids, items, isElectroDb, lostCase: lost };
}

/** The text behind the ids, from a separator on; empty where the keys show none. */
function sharedEnd(rests: readonly string[]): string {
  if (rests.length < ENOUGH) return '';
  const [first] = rests;
  let length = 0;
  while (length < first!.length && rests.every((rest) => rest.at(-1 - length) === first!.at(-1 - length))) length += 1;
  for (; length > 1; length--) {
    const after = first!.slice(first!.length - length);
    const isFree = rests.every((rest) => {
      const id = rest.slice(0, rest.length - length);
      return id !== '' && !id.includes(after[0]!);
    });
    if (!isOfWord(after[0]) && isFree) return after;
  }
  return '';
}

/** An attribute whose values are the ids in another case. */
function lostCase(
  items: readonly SampledItem[],
  ids: ReadonlyMap<string, string>,
  keyAttributes: ReadonlySet<string>,
): string | undefined {
  const changed = items.flatMap(({ source, texts }) => {
    const id = ids.get(source)!;
    const names = [...texts].filter(
      ([name, text]) => !keyAttributes.has(name) && text !== id && text.toLowerCase() === id.toLowerCase(),
    );
    return names.map(([name]) => name);
  });
  const [most] = [...tally(changed)].sort(([, left], [, right]) => right - left);
  return most?.[0];
}
