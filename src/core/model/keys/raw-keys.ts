import { attributeOf, type Item, textOfUntrusted } from '../../items/attribute-value.ts';
import { compareKeys } from '../../items/encoding.ts';
import { isDerivedKey, SERVICE_PARTITION } from '../../items/keys.ts';

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
}

/** The case of the letters of ids in raw keys; `'any'`: as they are. */
export type Letters = 'any' | 'lower' | 'upper';

/** The raw partitions of a node type. */
export interface Partition {
  type: string;
  before: string;
  after: string;
  letters: Letters;
  entries: readonly Entry[];
}

/** The beginning of keys in Edgeloom's form that no template makes. No type begins so: theirs is unknown. */
const UNPLACED = '?';

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
    if (found === undefined) {
      return { source: UNPLACED + source, target: isDerivedKey(target) ? target : UNPLACED + target };
    }
    const { partition, key } = found;
    const id = `${partition.type}-${key}`;
    return { source: id, target: isDerivedKey(target) ? target : knownSortKey(partition, key, id, target, item) };
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
    return partition.before + key + partition.after;
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
    if (!isOfCase(letters, key)) return `ids of ${type} are in ${letters} case in this table`;
    return `ids of ${type} hold no ${JSON.stringify(after[0])} in this table, since that follows them in its keys`;
  }

  /** The attributes that tell what kind of base item one is; empty where its keys do. */
  marksOf({ source, target }: KeyPair): Marks {
    return this.entryOf(source, target)?.marks ?? [];
  }

  /** The kinds of base items in a node's partition, in the order of their keys in Edgeloom's form. */
  entriesOf(source: string): readonly PlacedEntry[] {
    const { partition, key } = this.partitionOf(source) ?? {};
    if (partition === undefined || key === undefined) return [];
    return partition.entries
      .map(({ known = source, raw, isPrefix }) => ({ known, raw: filled(raw, key), isPrefix }))
      .sort((left, right) => compareKeys(left.known, right.known));
  }

  private rawSortKey(source: string, target: string): string | undefined {
    if (isDerivedKey(target)) return target;
    if (target.startsWith(UNPLACED)) return target.slice(UNPLACED.length);
    const { key } = this.partitionOf(source) ?? {};
    const entry = this.entryOf(source, target);
    if (entry === undefined || key === undefined) return undefined;
    const start = filled(entry.raw, key);
    if (!entry.isPrefix) return start;
    const rest = target.slice(entry.known!.length);
    return isOfCase(entry.letters, rest) ? start + rest : undefined;
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
      if (source.length > before.length + after.length && isHeld(partition, key)) return { partition, key };
    }
    return undefined;
  }
}

/** The kind of base items in one partition: the beginning of their keys, or the whole one, in both forms. */
export interface PlacedEntry {
  known: string;
  raw: string;
  isPrefix: boolean;
}

function knownSortKey({ entries }: Partition, key: string, id: string, target: string, item: Item | undefined): string {
  for (const { known = id, raw, isPrefix, letters, marks } of entries) {
    const start = filled(raw, key);
    const fits = isPrefix ? target.length > start.length && target.startsWith(start) : target === start;
    if (!fits || !hasMarks(item, marks)) continue;
    const rest = target.slice(start.length);
    if (isOfCase(letters, rest)) return known + rest;
  }
  return UNPLACED + target;
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
function isHeld({ after, letters }: Partition, key: string): boolean {
  return key !== '' && (after === '' || !key.includes(after[0]!)) && isOfCase(letters, key);
}

/** Whether a text has the case of ids in raw keys. */
function isOfCase(letters: Letters, text: string): boolean {
  if (letters === 'any') return true;
  return text === (letters === 'lower' ? text.toLowerCase() : text.toUpperCase());
}
