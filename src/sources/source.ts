import { toWireItem } from '../client/write/checks/values.ts';
import {
  type AttributeValue,
  attributeOf,
  type Item,
  parseDecimal,
  withBinaryAsBytes,
} from '../core/items/attribute-value.ts';
import { isWellFormed } from '../core/items/encoding.ts';
import { exactNumber } from '../core/items/plain.ts';
import { describe } from '../foundation/describe.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { checkOptions } from '../foundation/options.ts';
import type { MappedItem } from './items.ts';

/** An item of a source, as plain values. */
// biome-ignore lint/suspicious/noExplicitAny: the items of others have whatever attributes they have
export type SourceItem = Readonly<Record<string, any>>;

/** Options of every source. */
export interface SourceOptions {
  /**
   * Returns the nodes and edges that an item, given as plain values, makes. The result must depend on the item alone:
   * no clock, no lookups. If `map` throws, the item is refused, and what it made before stays.
   */
  map: (item: SourceItem) => readonly MappedItem[];
  /**
   * Names this state of `map` and the database. Use a new name whenever either changes; going back to an earlier name
   * is fine. Default: `'1'`.
   */
  version?: string | number;
}

/** Options of `defineSource`. */
export interface DefineSourceOptions extends SourceOptions {
  /**
   * Reads a key's current item; returns undefined or null if there is none. The read must not lag, because an outdated
   * result may stay. If it throws, the touch fails with `source-failed`, and the key has to be touched again.
   */
  read: (key: string) => SourceItem | null | undefined | Promise<SourceItem | null | undefined>;
  /**
   * Returns all keys after `after` in ascending order, or all keys if `after` is undefined. Must not return a promise.
   * Required for `edgeloom mirror sync`.
   */
  keys?: (after: string | undefined) => Iterable<string> | AsyncIterable<string>;
}

/** Key attribute names of a source table. `sortKey` is absent if the table only has a partition key. */
export interface SourceKeys {
  partitionKey: string;
  sortKey?: string | undefined;
}

/** Options of `sourceTable`. */
export interface SourceTableOptions extends SourceOptions {
  /** The table's key attributes. Default: `pk` and `sk`. */
  keys?: SourceKeys;
}

/** A database whose items become nodes and edges. Made by `defineSource` and `sourceTable`. */
export interface Source {
  /** For a table, the table's name. */
  readonly name: string;
  readonly version: string;
  readonly map: SourceOptions['map'];
  /** How items are read: by functions, or from a DynamoDB table with these key attributes. */
  readonly from: Pick<DefineSourceOptions, 'read' | 'keys'> | SourceKeys;
}

/** The key of a source item: a string, or for a table an object with its key attributes. */
export type SourceKey = string | Readonly<Record<string, unknown>>;

/** Limits keys of `defineSource`, because ledgers and claims contain them. */
const MOST_KEY_BYTES = 1_024;

/**
 * Declares any database as a source, with a function that reads it. The model file exports the list of sources as
 * `sources`.
 *
 * Throws `invalid-argument`.
 *
 * @example
 * export const sources = [
 *   defineSource('orders', {
 *     read: (key) => db.prepare('SELECT * FROM orders WHERE id = ?').get(key),
 *     keys: (after = '') => db.prepare('SELECT id FROM orders WHERE id > ? ORDER BY id').pluck().iterate(after),
 *     map: (row) => [mappedNode(`ORDER-${row.id}`, { status: row.status })],
 *   }),
 * ];
 */
export function defineSource(name: string, options: DefineSourceOptions): Source {
  checkOptions('defineSource', options, { map: 'function', version: true, read: 'function', keys: 'function' });
  const { read, keys } = options ?? {};
  const common = commonOf(name, options);
  if (read === undefined) {
    throw mistake(name, 'has no function read', 'Give what reads an item by its key: { read: (key) => item }.');
  }
  return { ...common, from: { read, ...(keys && { keys }) } };
}

/**
 * Declares a DynamoDB table as a source. Items are read with GetItem. The table's stream only provides keys, so any
 * view type will do.
 *
 * Throws `invalid-argument`.
 *
 * @example
 * export const sources = [
 *   sourceTable('app-table', {
 *     map: (item) => (item.kind === 'issue' ? [mappedNode(`ISSUE-${item.number}`, { subject: item.subject })] : []),
 *   }),
 * ];
 */
export function sourceTable(table: string, options: SourceTableOptions): Source {
  checkOptions('sourceTable', options, { map: 'function', version: true, keys: true });
  const common = commonOf(table, options);
  const { keys = { partitionKey: 'pk', sortKey: 'sk' } } = options;
  checkOptions('keys of sourceTable', keys, { partitionKey: true, sortKey: true });
  const { partitionKey, sortKey } = keys;
  const isName = (given: unknown): boolean => typeof given === 'string' && given !== '';
  if (!isName(partitionKey) || (sortKey !== undefined && !isName(sortKey)) || sortKey === partitionKey) {
    const remedy = "Give the names of its key attributes: keys: { partitionKey: 'pk', sortKey: 'sk' }.";
    throw mistake(table, 'has no key attributes', remedy);
  }
  return { ...common, from: keys };
}

function commonOf(name: string, options: SourceOptions): Pick<Source, 'name' | 'version' | 'map'> {
  const { map, version = '1' } = options ?? {};
  if (typeof name !== 'string' || !/^[\w.-]{3,255}$/.test(name)) {
    const what = typeof name === 'string' && name !== '' ? 'has a name that is not allowed' : 'has no name';
    const remedy = 'Give a name of 3 to 255 letters, digits, underscores, dots and dashes; for a table, its own name.';
    throw mistake(name, what, remedy);
  }
  if (typeof map !== 'function') throw mistake(name, 'has no function map', 'Give what an item makes: { map }.');
  const isVersion = typeof version === 'number' ? Number.isFinite(version) : typeof version === 'string';
  if (!isVersion || String(version) === '') {
    throw mistake(name, `has version ${describe(version)}`, "Give a text or a number: version: '2026-03'.");
  }
  return { name, version: String(version), map };
}

export type TableSource = Source & { from: SourceKeys };

export function isTable(source: Source): source is TableSource {
  return 'partitionKey' in source.from;
}

/** Syncing a retired source removes everything that only this source made. */
export function retiredSource(name: string): Source {
  return { name, version: '', map: () => [], from: { read: () => undefined, keys: () => [] } };
}

export function isRetired({ version }: Pick<Source, 'version'>): boolean {
  return version === '';
}

/**
 * Returns the same text for all spellings of a key. Throws `invalid-key`, or `invalid-record` if a table's key lacks an
 * attribute.
 */
export function keyTextOf(source: Source, key: SourceKey): string {
  if (isTable(source)) return keyTextOfItem(source, wireKeyOf(source, key));
  if (typeof key === 'string' && key !== '' && Buffer.byteLength(key) <= MOST_KEY_BYTES && isWellFormed(key))
    return key;
  throw invalidKey(source, key, `a text of 1 to ${MOST_KEY_BYTES} bytes`, 'Give the text that read takes.');
}

function wireKeyOf(source: TableSource, key: SourceKey): Item {
  try {
    if (typeof key === 'string') return keyOfText(key);
    const names = namesOf(source.from).filter((name) => Object.hasOwn(key, name));
    return toWireItem(Object.fromEntries(names.map((name) => [name, key[name]])));
  } catch {
    const remedy = `Give an object of its key attributes: ${namesOf(source.from).join(', ')}.`;
    throw invalidKey(source, key, 'a key of its table', remedy);
  }
}

export function keyTextOfItem({ name: source, from }: TableSource, item: Item): string {
  const values = namesOf(from).map((name) => {
    const value = attributeOf(item, name);
    const shown = value && keyValueOf(value);
    if (shown !== undefined) return [name, shown];
    throw new EdgeloomError(
      'invalid-record',
      `A key of the source ${source} has no attribute ${name} that is a text, a number or binary.`,
      'Name its key attributes in the model file: sourceTable(table, { keys: { partitionKey, sortKey } }).',
    );
  });
  return JSON.stringify(Object.fromEntries(values));
}

/** Reverses `keyTextOfItem`. */
export function keyOfText(text: string): Item {
  const values = Object.entries(JSON.parse(text) as Item).map(([name, value]) => [name, withBinaryAsBytes(value)]);
  return Object.fromEntries(values) as Item;
}

/** Normalizes numbers, because DynamoDB, local engines and programs spell them differently. */
function keyValueOf(value: AttributeValue): object | undefined {
  if ('B' in value) return { B: Buffer.from((withBinaryAsBytes(value) as { B: Uint8Array }).B).toString('base64') };
  if (!('N' in value)) return 'S' in value ? value : undefined;
  const number = exactNumber(value.N);
  if (typeof number === 'number') return { N: String(number) };
  const decimal = parseDecimal(value.N);
  return decimal && { N: `${decimal.negative ? '-' : ''}0.${decimal.digits}E${decimal.exponent}` };
}

export function makerOf({ name }: Pick<Source, 'name'>, key: string): string {
  return `${name}/${key}`;
}

export function sourceOfMaker(maker: string): string {
  return maker.slice(0, maker.indexOf('/'));
}

export function namesOf({ partitionKey, sortKey }: SourceKeys): string[] {
  return sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
}

function mistake(name: unknown, what: string, remedy: string): EdgeloomError {
  return new EdgeloomError('invalid-argument', `The source ${JSON.stringify(name)} ${what}.`, remedy);
}

function invalidKey({ name }: Source, key: unknown, what: string, remedy: string): EdgeloomError {
  return new EdgeloomError('invalid-key', `The key ${describe(key)} of the source ${name} is not ${what}.`, remedy);
}
