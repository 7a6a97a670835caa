import { Tables } from '../../../packages/local/memory/definitions.ts';
import type { Table } from '../../../packages/local/memory/memory-table.ts';
import { Refusal } from '../../../packages/local/memory/refusal.ts';
import { memoryCalls } from '../../../packages/local/memory/server.ts';
import type { Values } from '../../../packages/local/memory/values.ts';
import { attributeOf, type Item, numberOf, setOwn } from '../../../src/core/items/attribute-value.ts';
import { USUAL_INDEXES } from '../../../src/core/items/derived-item.ts';
import { type CompiledModel, type IndexName, indexKeysOf, type TableNames } from '../../../src/core/model/compiled.ts';
import type { NativeIndexNeed } from '../../../src/core/model/native-indexes.ts';
import type { DerivedUpdate, ItemKey, NativeQueryRequest, UpdateManyOptions } from '../../../src/core/store-port.ts';
import { indexDefinition, keySchema, nativeIndexDefinition } from '../../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import { withKnownIndexKeys } from '../../../src/store/index-key-names.ts';
import type { TableCalls } from '../../../src/store/lean/calls.ts';
import { updateEach } from '../../../src/store/update-run.ts';

/** An effective change of one item: what a stream with both images tells of it. */
export interface ItemChange {
  key: ItemKey;
  /** Absent for an insert. */
  oldImage?: Item;
  /** Absent for a removal. */
  newImage?: Item;
}

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /** The indexes that the table has. Default: gsi0, gsi1 and what else its names say. */
  indexes?: readonly IndexName[];
  /** Whether its indexes hold all attributes. Default: what readers need. */
  indexesOfAll?: boolean;
  /** The native indexes that the table has. Default: each from the first query that names it on, with all attributes. */
  nativeIndexes?: readonly NativeIndexNeed[];
  /** Awaited before each call: the time that the call takes. Default: none. */
  beforeCall?: () => Promise<void>;
  /** Called within each write that changes an item; as on AWS, not for one that leaves it as it was. */
  onChange?: (change: ItemChange) => void;
}

/**
 * The store on a table of the engine in memory, in this process and without HTTP. A call runs to its end before it returns its promise, so
 * that it is atomic. Nothing is shared with the caller: items are copied on the way in and out.
 */
export class MemoryStore extends DynamoDBStore {
  private readonly engine: Table;
  private readonly tables: Tables;
  private readonly addsNativeIndexes: boolean;

  constructor(
    private readonly names: TableNames,
    { indexes, indexesOfAll = false, nativeIndexes, beforeCall, onChange }: MemoryStoreOptions = {},
  ) {
    const tables = new Tables();
    super(callsOf(tables, beforeCall), names);
    this.tables = tables;
    this.addsNativeIndexes = nativeIndexes === undefined;
    const all = indexes ?? [...new Set<IndexName>([...USUAL_INDEXES, ...names.indexes])];
    const keys = all.flatMap((index) => Object.values(indexKeysOf(names)[index]));
    const { partitionKey, sortKey } = names;
    tables.create({
      TableName: names.name,
      KeySchema: keySchema(partitionKey, sortKey),
      AttributeDefinitions: [
        ...[partitionKey, sortKey, ...keys].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
        ...(nativeIndexes ?? []).map(({ attribute, type }) => ({ AttributeName: attribute, AttributeType: type })),
      ],
      GlobalSecondaryIndexes: [
        ...all.map((index) => ({
          ...indexDefinition({ table: names } as CompiledModel, index),
          ...(indexesOfAll && { Projection: { ProjectionType: 'ALL' } }),
        })),
        ...(nativeIndexes ?? []).map(nativeIndexDefinition),
      ],
    });
    this.engine = tables.findTable(names.name);
    if (onChange === undefined) return;
    this.engine.openStream('NEW_AND_OLD_IMAGES').addRecord = (before, after) => {
      const [oldImage, newImage] = [before, after].map((stored) => stored && this.itemOf(stored.item));
      onChange({ key: this.keyIn((newImage ?? oldImage)!), oldImage, newImage });
    };
  }

  override updateMany(updates: readonly DerivedUpdate[], options?: UpdateManyOptions) {
    return updateEach(updates, (update) => this.update(update), options);
  }

  override async serverTime(): Promise<number> {
    return Date.now();
  }

  override queryNative(request: NativeQueryRequest) {
    const { index } = request;
    if (this.addsNativeIndexes && !this.engine.indexes.has(index.name)) {
      this.tables.update({
        TableName: this.names.name,
        AttributeDefinitions: [{ AttributeName: index.attribute, AttributeType: index.type }],
        GlobalSecondaryIndexUpdates: [{ Create: nativeIndexDefinition({ ...index, attributes: undefined }) }],
      });
    }
    return super.queryNative(request);
  }

  /** Every item, a copy each; partitions in the order of their first write, sort keys in theirs. */
  *items(): Generator<Item> {
    for (const { entries } of this.engine.partitions.all()) {
      for (const { item } of entries) yield this.itemOf(item.item);
    }
  }

  /** Does what DynamoDB's TTL does: deletes the items whose expiry is before now. Gives their number. */
  expire(nowSeconds: number): number {
    const expired = [...this.items()].filter(
      (item) => Number(numberOf(attributeOf(item, this.names.ttl)) ?? Number.NaN) < nowSeconds,
    );
    for (const item of expired) {
      const { source, target } = this.keyIn(item);
      this.engine.write({ [this.names.partitionKey]: { S: source }, [this.names.sortKey]: { S: target } }, undefined);
    }
    return expired.length;
  }

  /** An item with the names that the code has for the keys of indexes. */
  private itemOf(stored: Values): Item {
    const item = fromWire(stored) as Item;
    return this.names.indexKeys === undefined ? item : withKnownIndexKeys(this.names, item);
  }

  private keyIn(item: Item): ItemKey {
    const text = (name: string): string => (item[name] as { S: string }).S;
    return { source: text(this.names.partitionKey), target: text(this.names.sortKey) };
  }
}

/** The calls of a store to tables in this process. */
function callsOf(tables: Tables, beforeCall?: () => Promise<void>): TableCalls {
  const calls = memoryCalls(tables);
  const call: TableCalls['call'] = async (name, input) => {
    if (beforeCall !== undefined) await beforeCall();
    try {
      return fromWire(calls[`DynamoDB_20120810.${name}`]!(toWire(input) as Values)) as never;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw Object.assign(new Error(error.message), { name: error.type }, fromWire(error.details));
    }
  };
  return { call, callOnce: call, region: async () => undefined };
}

/** The form in which a value is sent: bytes are base64 text. Only what has bytes is copied: the engine makes its own copies. */
function toWire(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toWire);
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[name];
    const sent = toWire(part);
    if (sent === part) continue;
    copy ??= mapped(value, (same) => same);
    setOwn(copy, name, sent);
  }
  return copy ?? value;
}

/** A copy in which bytes are bytes. Only an attribute's value has a text under the name B. */
function fromWire(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromWire);
  const { B, BS } = value as { B?: unknown; BS?: unknown };
  if (typeof B === 'string') return { B: bytesOf(B) };
  if (Array.isArray(BS)) return { BS: BS.map(bytesOf) };
  return mapped(value, fromWire);
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

function mapped(value: object, map: (part: unknown) => unknown): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const part = map((value as Record<string, unknown>)[name]);
    if (part !== undefined) setOwn(copy, name, part);
  }
  return copy;
}
