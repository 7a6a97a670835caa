import { createHash, randomUUID } from 'node:crypto';
import { writeUnits } from '../../../src/core/items/capacity.ts';
import { checkKeyValue, type KeyNames, keyAttributeNames, keyText, partitionText } from './keys.ts';
import { Ordered } from './ordered.ts';
import { invalid, Refusal } from './refusal.ts';
import { type StreamView, TableStream } from './stream.ts';
import { sameItem, sizeOf, typeOf, type Value, type Values } from './values.ts';

const MOST_ITEM_BYTES = 400 * 1024;

export interface Stored {
  item: Values;
  size: number;
}

export interface WriteUnits {
  table: number;
  indexes: Record<string, number>;
}

export class Partitions {
  private readonly byKey = new Map<string, Ordered<Stored>>();
  private sorted: { key: string; rank: number }[] | undefined;

  findPartition(key: string): Ordered<Stored> | undefined {
    return this.byKey.get(key);
  }

  openPartition(key: string): Ordered<Stored> {
    let found = this.byKey.get(key);
    if (found === undefined) {
      found = new Ordered();
      this.byKey.set(key, found);
      this.sorted = undefined;
    }
    return found;
  }

  all(): Iterable<Ordered<Stored>> {
    return this.byKey.values();
  }

  forgetIfEmpty(key: string): void {
    if (this.byKey.get(key)?.entries.length !== 0) return;
    this.byKey.delete(key);
    this.sorted = undefined;
  }

  /** As in DynamoDB, a scan's order is unrelated to the order of keys. */
  inScanOrder(): readonly { key: string; rank: number }[] {
    this.sorted ??= [...this.byKey.keys()].map((key) => ({ key, rank: rankOf(key) })).sort(compareRanks);
    return this.sorted;
  }
}

export function rankOf(key: string): number {
  return createHash('md5').update(key).digest().readUInt32BE();
}

export function compareRanks(left: { key: string; rank: number }, right: { key: string; rank: number }): number {
  return left.rank - right.rank || (left.key < right.key ? -1 : left.key > right.key ? 1 : 0);
}

export interface IndexSettings {
  name: string;
  keys: KeyNames;
  tableKeys: KeyNames;
  isLocal: boolean;
  /** As the call gave it. */
  definition: Record<string, unknown>;
  /** Projected attributes, besides the keys. Undefined means all. */
  included: readonly string[] | undefined;
}

export class Index {
  readonly partitions = new Partitions();

  readonly name: string;
  readonly keys: KeyNames;

  constructor(readonly settings: IndexSettings) {
    this.name = settings.name;
    this.keys = settings.keys;
  }

  asIndexed(stored: Stored | undefined): Stored | undefined {
    if (stored === undefined || !hasKeys(stored.item, this.keys)) return undefined;
    const { included, tableKeys } = this.settings;
    if (included === undefined) return stored;
    const names = [...included, ...keyAttributeNames(this.keys), ...keyAttributeNames(tableKeys)];
    const item = Object.fromEntries(
      names.filter((name) => stored.item[name] !== undefined).map((name) => [name, stored.item[name]!]),
    );
    return { item, size: sizeOf(item) };
  }

  write(before: Stored | undefined, after: Stored | undefined): number {
    const [old, next] = [this.asIndexed(before), this.asIndexed(after)];
    if (old === undefined && next === undefined) return 0;
    const [from, to] = [old, next].map(
      (one) => one && `${keyText(one.item, this.keys)} ${keyText(one.item, this.settings.tableKeys)}`,
    );
    if (from === to) {
      if (sameItem(old!.item, next!.item)) return 0;
      this.put(next!);
      return writeUnits(Math.max(old!.size, next!.size));
    }
    if (old !== undefined) this.remove(old);
    if (next !== undefined) this.put(next);
    return (old === undefined ? 0 : writeUnits(old.size)) + (next === undefined ? 0 : writeUnits(next.size));
  }

  private put(stored: Stored): void {
    const { item } = stored;
    this.partitions.openPartition(partitionText(item[this.keys.partition]!)).put(this.entry(stored));
  }

  private remove(stored: Stored): void {
    const key = partitionText(stored.item[this.keys.partition]!);
    const { sort, tie } = this.entry(stored);
    this.partitions.findPartition(key)?.remove(sort, tie);
    this.partitions.forgetIfEmpty(key);
  }

  private entry(stored: Stored) {
    const { sort } = this.keys;
    return {
      sort: sort === undefined ? undefined : stored.item[sort],
      tie: keyText(stored.item, this.settings.tableKeys),
      item: stored,
    };
  }
}

export class Table {
  readonly id = randomUUID();
  readonly createdMs = Date.now();
  readonly partitions = new Partitions();
  readonly indexes = new Map<string, Index>();
  stream: TableStream | undefined;
  ttl: string | undefined;
  items = 0;
  bytes = 0;

  constructor(
    readonly name: string,
    readonly keys: KeyNames,
    readonly types: Map<string, string>,
    readonly settings: Record<string, unknown>,
  ) {}

  get arn(): string {
    return `arn:aws:dynamodb:local:000000000000:table/${this.name}`;
  }

  /** An earlier stream of the table stays readable under its own ARN. */
  openStream(view: StreamView): TableStream {
    this.stream = new TableStream(this.arn, view, this.keys);
    return this.stream;
  }

  addIndex(index: Index): void {
    this.indexes.set(index.name, index);
    for (const { key } of this.partitions.inScanOrder()) {
      for (const { item } of this.partitions.findPartition(key)!.entries) {
        index.write(undefined, this.asFit(item, index));
      }
    }
  }

  findItem(key: Values): Stored | undefined {
    return this.partitions.findPartition(partitionText(key[this.keys.partition]!))?.get(this.sortValueOf(key), '');
  }

  checkItem(item: Values): Stored {
    this.checkKeysOfItem(item);
    for (const index of this.indexes.values()) this.checkIndexKeys(item, index);
    const size = sizeOf(item);
    if (size > MOST_ITEM_BYTES) throw invalid('Item size has exceeded the maximum allowed size');
    return { item, size };
  }

  write(key: Values, after: Stored | undefined): WriteUnits {
    const before = this.findItem(key);
    const name = partitionText(key[this.keys.partition]!);
    if (after === undefined) {
      this.partitions.findPartition(name)?.remove(this.sortValueOf(key), '');
      this.partitions.forgetIfEmpty(name);
    } else {
      this.partitions.openPartition(name).put({ sort: this.sortValueOf(key), tie: '', item: after });
    }
    this.items += (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    this.bytes += (after?.size ?? 0) - (before?.size ?? 0);
    const indexes: Record<string, number> = {};
    for (const index of this.indexes.values()) {
      const units = index.write(this.asFit(before, index), after);
      if (units > 0) indexes[index.name] = units;
    }
    if (!sameItem(before?.item, after?.item)) this.stream?.addRecord(before, after);
    return { table: writeUnits(Math.max(before?.size ?? 0, after?.size ?? 0)), indexes };
  }

  checkKey(key: Values): void {
    const names = keyAttributeNames(this.keys);
    if (Object.keys(key).length !== names.length) throw keyMismatch();
    for (const name of names) {
      const value = key[name];
      if (value === undefined || typeOf(value) !== this.types.get(name)) throw keyMismatch();
      checkKeyValue(this.keys, name, value);
    }
  }

  private checkKeysOfItem(item: Values): void {
    for (const name of keyAttributeNames(this.keys)) {
      const value = item[name];
      if (value === undefined) {
        throw invalid(`One or more parameter values were invalid: Missing the key ${name} in the item`);
      }
      if (typeOf(value) !== this.types.get(name)) {
        throw invalid(
          `One or more parameter values were invalid: Type mismatch for key ${name} expected: ${this.types.get(name)} actual: ${typeOf(value)}`,
        );
      }
      checkKeyValue(this.keys, name, value);
    }
  }

  /** Like DynamoDB, leaves older items out of a new index if it can't take their keys. */
  private asFit(stored: Stored | undefined, index: Index): Stored | undefined {
    if (stored === undefined) return undefined;
    try {
      this.checkIndexKeys(stored.item, index);
      return stored;
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  private checkIndexKeys(item: Values, index: Index): void {
    for (const name of keyAttributeNames(index.keys)) {
      const value = item[name];
      if (value === undefined) continue;
      if (typeOf(value) !== this.types.get(name)) {
        throw invalid(
          `One or more parameter values were invalid: Type mismatch for Index Key ${name} Expected: ${this.types.get(name)} Actual: ${typeOf(value)} IndexName: ${index.name}`,
        );
      }
      checkKeyValue(index.keys, name, value);
    }
  }

  private sortValueOf(key: Values): Value | undefined {
    return this.keys.sort === undefined ? undefined : key[this.keys.sort];
  }
}

function keyMismatch(): Refusal {
  return invalid('The provided key element does not match the schema');
}

function hasKeys(item: Values, keys: KeyNames): boolean {
  return keyAttributeNames(keys).every((name) => item[name] !== undefined);
}
