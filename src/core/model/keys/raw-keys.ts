import { attributeOf, type Item, textOfUntrusted } from '../../items/attribute-value.ts';
import { compareKeys } from '../../items/encoding.ts';
import { isDerivedKey, isWithinBytes, SERVICE_PARTITION } from '../../items/keys.ts';

/**
 * Raw keys: those of a table whose items other software wrote under keys of its own. All code above the store, and behind the decoding
 * of stream records, knows items by Edgeloom's keys: a node's id, `EDGETYPE-` and a target's id, the name of a part. This file alone
 * turns raw keys into Edgeloom's, and back. A derived item keeps its sort key, and lies in the raw partition of its node.
 */

/** A key of Edgeloom's form, or a raw one. */
export interface KeyPair {
  source: string;
  target: string;
}

/** A place for the id of the partition's node. */
export const ID = Symbol('id');
/** A text with places for the id of the partition's node. */
export type Pattern = readonly (string | typeof ID)[];

/** Attributes that an item has to have besides its keys: they tell templates of the same keys apart. */
export type Marks = readonly (readonly [attribute: string, value: string])[];

/** The base items of one kind in the partitions of a node type. */
export interface Entry {
  /** The beginning of the sort keys in Edgeloom's form, `FOLLOWS-USER-`; of a part the whole sort key; of the node undefined. */
  known: string | undefined;
  /** The same of the raw keys. */
  raw: Pattern;
  /** Whether more follows, the id of an edge's target. */
  isPrefix: boolean;
  /** The case of the ids that follow. */
  letters: Letters;
  marks: Marks;
  /** The attributes with the id of the partition's node and the one that follows, where the keys have lost their case. */
  from?: string | undefined;
  to?: string | undefined;
  /** Whether it is the item of the node, which by its attribute `to` is an edge, too. */
  isNode?: boolean;
  /** Whether a template of the type makes the sort keys. */
  isTemplated?: boolean;
}

/** The case of the letters of ids in raw keys; `'any'`: as they are. */
export type Letters = 'any' | 'lower' | 'upper';

/** The raw partitions of a node type. */
export interface Partition {
  type: string;
  before: string;
  after: string;
  letters: Letters;
  /** The attribute with the id, where the keys have lost its case. */
  id: string | undefined;
  /** Whether a template of the type makes the partition keys. */
  isTemplated: boolean;
  entries: readonly Entry[];
}

/** The beginning of keys in Edgeloom's form that no template makes. No type begins so: theirs is unknown. */
const UNPLACED = '?';
/** The character before the id in the sort key of a derived item, in a partition whose key has lost the case of the id. */
const BEFORE_ID = '\0';
/** The most bytes of id and sort key there, so that those of derived items have room for the id. */
const MOST_BYTES = 640;

/** The raw keys of a table. */
export class RawKeys {
  private readonly byType: ReadonlyMap<string, Partition>;
  /** Texts that the raw sort keys of base items begin with. */
  readonly sortKeyPrefixes: readonly string[];

  constructor(private readonly partitions: readonly Partition[]) {
    this.byType = new Map(partitions.map((partition) => [partition.type, partition]));
    const leads = partitions.flatMap(({ entries }) => entries.map(({ raw }) => leadOf(raw)));
    const distinct = [...new Set(leads)].sort(compareKeys);
    this.sortKeyPrefixes = distinct.filter((lead, i) => !distinct.slice(0, i).some((other) => lead.startsWith(other)));
  }

  /** The key of an item in Edgeloom's form. Every raw key has one, and `toRaw` takes it back. */
  fromRaw({ source, target }: KeyPair, item: Item | undefined): KeyPair {
    if (source === SERVICE_PARTITION) return { source, target };
    const found = this.nodeOf(source);
    const isDerived = isDerivedKey(target);
    const unplaced = { source: UNPLACED + source, target: isDerived ? target : UNPLACED + target };
    if (found === undefined) return unplaced;
    const { partition, key } = found;
    const known = `${partition.type}-`;
    if (!isDerived) return knownKey(partition, key, target, item) ?? { source: known + key, target: unplaced.target };
    if (partition.id === undefined) return { source: known + key, target };
    const end = target.lastIndexOf(BEFORE_ID);
    const id = target.slice(end + 1);
    return end < 0 || !isIdOf(partition, key, id) ? unplaced : { source: known + id, target: target.slice(0, end) };
  }

  /** All keys of an item in Edgeloom's form: `fromRaw`'s first, then those of the edges that attributes of a node make. */
  allFromRaw(raw: KeyPair, item: Item | undefined): KeyPair[] {
    const key = this.fromRaw(raw, item);
    return [key, ...this.madeBy(key, item)];
  }

  /** The keys of the edges that attributes of a node make; none where the item is no node. */
  madeBy({ source, target }: KeyPair, item: Item | undefined): KeyPair[] {
    if (item === undefined || source !== target) return [];
    return (this.partitionOf(source)?.partition.entries ?? []).flatMap(({ isNode, known, to, letters }) => {
      const id = isNode === true ? idIn(item, to) : undefined;
      return id === undefined ? [] : [{ source, target: known! + folded(letters, id) }];
    });
  }

  /** Whether an attribute of a node makes an edge, which has no item of its own. */
  isMadeByNode({ source, target }: KeyPair): boolean {
    return this.entryOf(source, target)?.isNode === true;
  }

  /** Whether the keys of a node's items have lost the case of its id. */
  hasLostCase(source: string): boolean {
    return this.partitionOf(source)?.partition.id !== undefined;
  }

  /** The raw key; undefined where no item can have this one, since a template cannot hold the id. */
  toRaw({ source, target }: KeyPair): KeyPair | undefined {
    if (source === SERVICE_PARTITION) return { source, target };
    const partition = this.rawPartition(source);
    if (partition === undefined) return undefined;
    const sortKey = this.rawSortKey(source, target);
    return sortKey === undefined ? undefined : { source: partition, target: sortKey };
  }

  /** The raw partition key of a node's items; undefined where there is none. */
  rawPartition(source: string): string | undefined {
    if (source === SERVICE_PARTITION) return source;
    if (source.startsWith(UNPLACED)) return source.slice(UNPLACED.length);
    const { partition, key } = this.partitionOf(source) ?? {};
    if (partition === undefined || key === undefined || !isHeld(partition, key)) return undefined;
    return partition.before + foldedKey(partition, key) + partition.after;
  }

  /** The beginnings of the raw partition keys of nodes whose ids begin with a text, such as `USER-`. */
  rawPartitionPrefix(beginning: string): string {
    const { partition, key } = this.partitionOf(beginning) ?? {};
    return partition === undefined ? beginning : partition.before + key;
  }

  /** Why the raw keys of a node's items cannot hold its id, in words; undefined where they can. */
  misfitOf(id: string): string | undefined {
    const { partition, key } = this.partitionOf(id) ?? {};
    if (partition === undefined || key === undefined || isHeld(partition, key)) return undefined;
    const { letters, after, type } = partition;
    if (!isOfCase(letters, foldedKey(partition, key))) return `ids of ${type} are in ${letters} case in this table`;
    return `ids of ${type} hold no ${JSON.stringify(after[0])} in this table, since that follows them in its keys`;
  }

  /** The attributes that tell what kind of base item one is; empty where its keys do. */
  marksOf({ source, target }: KeyPair): Marks {
    return this.entryOf(source, target)?.marks ?? [];
  }

  /** The attributes that tell whose base item one is; empty where its keys do. */
  idsOf({ source, target }: KeyPair): Marks {
    const { known = source, from, to } = this.entryOf(source, target) ?? {};
    const ids: [string, string][] = [];
    if (from !== undefined) ids.push([from, source.slice(source.indexOf('-') + 1)]);
    if (to !== undefined) ids.push([to, target.slice(known.length)]);
    return ids;
  }

  /**
   * Why a base item is not Edgeloom's to write, in words: its keys are made by a template of the model, or no template fits it, so that
   * other software writes there. Undefined: it is Edgeloom's.
   */
  readOnlyReason({ source, target }: KeyPair): string | undefined {
    if (isDerivedKey(target)) return undefined;
    if (source.startsWith(UNPLACED) || target.startsWith(UNPLACED)) return 'no template of the model fits it';
    const partition = this.partitionOf(source)?.partition;
    if (partition?.isTemplated === true) return `the model has templates for the keys of ${partition.type}`;
    const entry = this.entryOf(source, target);
    if (entry?.isTemplated !== true) return undefined;
    return `the model has templates for the keys of ${target.slice(0, target.indexOf('-'))}`;
  }

  /** The kinds of base items in a node's partition, in the order of their keys in Edgeloom's form. */
  entriesOf(source: string): readonly PlacedEntry[] {
    const { partition, key } = this.partitionOf(source) ?? {};
    if (partition === undefined || key === undefined) return [];
    return partition.entries
      .map(({ known = source, raw, isPrefix, isNode = false, to }) => {
        // The order of the raw keys is not that of ids in another case.
        return {
          known,
          raw: filled(raw, foldedKey(partition, key)),
          isPrefix,
          isNode,
          isFolded: to !== undefined && !isNode,
        };
      })
      .sort((left, right) => compareKeys(left.known, right.known));
  }

  private rawSortKey(source: string, target: string): string | undefined {
    const { partition, key } = this.partitionOf(source) ?? {};
    const hasLostCase = partition?.id !== undefined;
    if (isDerivedKey(target)) return hasLostCase ? target + BEFORE_ID + key : target;
    if (target.startsWith(UNPLACED)) return target.slice(UNPLACED.length);
    const entry = this.entryOf(source, target);
    if (entry === undefined || partition === undefined || key === undefined) return undefined;
    if (hasLostCase && !hasRoomForId(key, target)) return undefined;
    const start = filled(entry.raw, foldedKey(partition, key));
    if (!entry.isPrefix || entry.isNode === true) return start;
    const rest = target.slice(entry.known!.length);
    const stored = entry.to === undefined ? rest : folded(entry.letters, rest);
    return isOfCase(entry.letters, stored) ? start + stored : undefined;
  }

  private entryOf(source: string, target: string): Entry | undefined {
    return this.partitionOf(source)?.partition.entries.find(({ known, isPrefix }) =>
      isPrefix ? target.length > known!.length && target.startsWith(known!) : target === (known ?? source),
    );
  }

  private partitionOf(id: string): { partition: Partition; key: string } | undefined {
    const dash = id.indexOf('-');
    const partition = this.byType.get(id.slice(0, Math.max(0, dash)));
    return partition && { partition, key: id.slice(dash + 1) };
  }

  /** The node whose items have a raw partition key. */
  private nodeOf(source: string): { partition: Partition; key: string } | undefined {
    for (const partition of this.partitions) {
      const { before, after } = partition;
      if (!source.startsWith(before) || !source.endsWith(after)) continue;
      const key = source.slice(before.length, source.length - after.length);
      if (source.length <= before.length + after.length) continue;
      if (isHeld(partition, key) && isOfCase(partition.letters, key)) return { partition, key };
    }
    return undefined;
  }
}

/** The kind of base items in one partition: the beginning of their keys, or the whole one, in both forms. */
export interface PlacedEntry {
  known: string;
  raw: string;
  isPrefix: boolean;
  /** As of `Entry`: all keys of it are those of the node's item. */
  isNode: boolean;
  /** Whether raw keys have lost the case of what follows. */
  isFolded: boolean;
}

/** The key of a base item; undefined where no template fits it. Where only its raw key is known, ids are in the case of that. */
function knownKey(partition: Partition, key: string, target: string, item: Item | undefined): KeyPair | undefined {
  for (const { known, raw, isPrefix, letters, marks, from, to, isNode } of partition.entries) {
    const start = filled(raw, key);
    const fits = isPrefix ? target.length > start.length && target.startsWith(start) : target === start;
    if (isNode === true || !fits || !hasMarks(item, marks)) continue;
    const end = target.slice(start.length);
    const own = item === undefined || from === undefined ? key : idIn(item, from);
    const rest = item === undefined || to === undefined ? end : idIn(item, to);
    if (own === undefined || !isIdOf(partition, key, own)) continue;
    if (rest === undefined || !isOfCase(letters, end) || (rest !== end && folded(letters, rest) !== end)) continue;
    const source = `${partition.type}-${own}`;
    const found = { source, target: known === undefined ? source : known + rest };
    if (partition.id === undefined || hasRoomForId(own, found.target)) return found;
  }
  return undefined;
}

/** The id that an attribute of an item holds. */
function idIn(item: Item, attribute: string | undefined): string | undefined {
  return (attribute !== undefined && textOfUntrusted(attributeOf(item, attribute))) || undefined;
}

/** Whether the items of a node with this id have a partition key with `key` in it. */
function isIdOf(partition: Partition, key: string, id: string): boolean {
  return isHeld(partition, id) && foldedKey(partition, id) === key;
}

function foldedKey({ id, letters }: Partition, key: string): string {
  return id === undefined ? key : folded(letters, key);
}

function folded(letters: Letters, text: string): string {
  return letters === 'any' ? text : letters === 'lower' ? text.toLowerCase() : text.toUpperCase();
}

function hasRoomForId(id: string, target: string): boolean {
  return isWithinBytes(id + target, MOST_BYTES);
}

/** Whether an item has the attributes that a template asks for; where only its keys are known, it may. */
function hasMarks(item: Item | undefined, marks: Marks): boolean {
  return item === undefined || marks.every(([name, value]) => textOfUntrusted(attributeOf(item, name)) === value);
}

function filled(pattern: Pattern, key: string): string {
  return pattern.length === 1 && typeof pattern[0] === 'string'
    ? pattern[0]
    : pattern.map((piece) => (piece === ID ? key : piece)).join('');
}

/** The text that a pattern begins with. */
export function leadOf(pattern: Pattern): string {
  return typeof pattern[0] === 'string' ? pattern[0] : '';
}

/** Whether the partition keys of a type can hold the key of an id: one that is not last holds no separator. */
function isHeld(partition: Partition, key: string): boolean {
  const { after, letters, id } = partition;
  if (id !== undefined && key.includes(BEFORE_ID)) return false;
  const stored = foldedKey(partition, key);
  return stored !== '' && (after === '' || !stored.includes(after[0]!)) && isOfCase(letters, stored);
}

/** Whether a text has the case of ids in raw keys. */
function isOfCase(letters: Letters, text: string): boolean {
  return text === folded(letters, text);
}
