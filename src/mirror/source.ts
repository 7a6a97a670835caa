import { type AttributeValue, attributeOf, type Item, withBinaryAsBytes } from '../core/items/attribute-value.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { checkOptions } from '../foundation/options.ts';
import type { MappedItem } from './items.ts';

/** Names of the key attributes of a source table; without a sort key the table has only the other. */
export interface SourceKeys {
  partitionKey: string;
  sortKey?: string | undefined;
}

/** Options of `source`. */
export interface SourceTableOptions {
  /**
   * The nodes and edges that an item of the source table makes. It sees the item alone, as plain values, and gives the same for the same
   * item: no clock, no look-up. An item that it throws for is quarantined by its key.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the items of others have whatever attributes they have
  map: (item: Readonly<Record<string, any>>) => readonly MappedItem[];
  /** Counted up with every change of what `map` gives. Default 1. */
  version?: number;
  /** The key attributes of the source table. Default `pk` and `sk`. */
  keys?: SourceKeys;
}

/** A table of others whose items become base items of this one. */
export interface SourceTable extends Required<Omit<SourceTableOptions, 'keys'>> {
  readonly table: string;
  readonly keys: SourceKeys;
}

/**
 * Declares a table as a source. A model file exports the list of them as `sources`.
 *
 * Throws `invalid-option` or `unknown-option`.
 *
 * @example
 * export const sources = [
 *   sourceTable('app-table', {
 *     map: (item) => (item.kind === 'issue' ? [mappedNode(`ISSUE-${item.number}`, { subject: item.subject })] : []),
 *   }),
 * ];
 */
export function sourceTable(table: string, options: SourceTableOptions): SourceTable {
  checkOptions('sourceTable', options, { map: true, version: true, keys: true });
  const { map, version = 1, keys = { partitionKey: 'pk', sortKey: 'sk' } } = options ?? {};
  const name = `The source ${JSON.stringify(table)}`;
  if (typeof table !== 'string' || !/^[\w.-]{3,255}$/.test(table)) {
    throw new EdgeloomError('invalid-option', `${name} has no name of a table.`, 'Give the name of the table.');
  }
  if (typeof map !== 'function') {
    throw new EdgeloomError('invalid-option', `${name} has no function map.`, 'Give what an item makes: { map }.');
  }
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new EdgeloomError('invalid-option', `${name} has version ${version}.`, 'Give a whole number from 1 on.');
  }
  checkOptions('keys of sourceTable', keys, { partitionKey: true, sortKey: true });
  const { partitionKey, sortKey } = keys;
  const isName = (given: unknown): boolean => typeof given === 'string' && given !== '';
  if (!isName(partitionKey) || (sortKey !== undefined && !isName(sortKey)) || sortKey === partitionKey) {
    const remedy = "Give the names of its key attributes: keys: { partitionKey: 'pk', sortKey: 'sk' }.";
    throw new EdgeloomError('invalid-option', `${name} has no key attributes.`, remedy);
  }
  return { table, map, version, keys };
}

/** The key of a source item, from its key attributes. Throws `invalid-record` where one is missing. */
export function keyOfSourceItem({ table, keys }: SourceTable, item: Item): Item {
  const key: Item = {};
  for (const name of namesOf(keys)) {
    const value = attributeOf(item, name);
    if (value === undefined) {
      throw new EdgeloomError(
        'invalid-record',
        `An item of the source ${table} has no key attribute ${name}.`,
        'Name its key attributes in the model file: sourceTable(table, { keys: { partitionKey, sortKey } }).',
      );
    }
    // Lambda gives binary as base64 text.
    key[name] = withBinaryAsBytes(value);
  }
  return key;
}

/**
 * The name of a source item as the maker of base items: the source table, a `/`, and the key itself. It is no hash, since the way back
 * from a base item to its source item needs the key.
 */
export function makerOf(source: SourceTable, item: Item): string {
  const key = keyOfSourceItem(source, item);
  const values = namesOf(source.keys).map((name) => [name, keyText(key[name]!)]);
  return `${source.table}/${JSON.stringify(Object.fromEntries(values))}`;
}

/** Tells whether a maker, by its name, is an item of the source. */
export function isOfSource({ table }: SourceTable, maker: string): boolean {
  return maker.startsWith(`${table}/`);
}

/** The key that a maker's name holds. */
export function keyOfMaker({ table }: SourceTable, maker: string): Item {
  const key = JSON.parse(maker.slice(table.length + 1)) as Record<string, { S?: string; N?: string; B?: string }>;
  const values = Object.entries(key).map(([name, value]) => [
    name,
    value.B === undefined ? value : { B: new Uint8Array(Buffer.from(value.B, 'base64')) },
  ]);
  return Object.fromEntries(values) as Item;
}

function keyText(value: AttributeValue): object {
  return 'B' in value ? { B: Buffer.from(value.B).toString('base64') } : value;
}

function namesOf({ partitionKey, sortKey }: SourceKeys): string[] {
  return sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
}
