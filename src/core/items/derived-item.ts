import { type AttributeValue, type Item, numberOf } from './attribute-value.ts';

/** Names of the attributes of derived items: views, index items, tombstones and quarantine entries. */
export const EDGE_SET = 'edgeSet';
export const ATTRIBUTES = 'attributes';
/** Counts a derived item's writes; conditional writes compare it. */
export const REVISION = 'r';
/** Edge types evicted from a view's edge set because it exceeded its budget (string set). */
export const EVICTED = 'evicted';
/** The original value of a search item, before folding and encoding: see `valueIn`. */
export const VALUE = 'value';
/** The name of a count, on the count and the items it counts. */
export const COUNTED = 'counted';
/** What a counted item adds besides itself: values of sums (N) and groups (S), by the count's attributes. */
export const LEDGER = 'ledger';
/** Groups of the ledger for whose values the count has no room (string set). */
export const OTHER = 'other';
/** Copies of target nodes' attributes in a view: a map of maps by the edge's sort key. */
export const COPIES = 'copies';
/** On an edge's reverse item: the node that the edge leaves. */
export const CHILD = 'child';
/** On a fan-out's continuation: sort key of the last visited reverse item; absent when done. */
export const AFTER = 'after';
/** On a running continuation after a further change: where to start visiting the children again. */
export const AGAIN = 'again';
/** Number of counted edges of a type. */
export const COUNT = 'count';
/** Fingerprint of the model that shaped the item, for information. */
export const MODEL = 'model';

/** As many indexes as DynamoDB allows. */
// biome-ignore format: a list of numbers
export const INDEX_NAMES = [
  'gsi0', 'gsi1', 'gsi2', 'gsi3', 'gsi4', 'gsi5', 'gsi6', 'gsi7', 'gsi8', 'gsi9',
  'gsi10', 'gsi11', 'gsi12', 'gsi13', 'gsi14', 'gsi15', 'gsi16', 'gsi17', 'gsi18', 'gsi19',
] as const;

/** An index that a model can use. */
export type IndexName = (typeof INDEX_NAMES)[number];

/** The indexes that every table of a stack has, and that a model uses by default. */
export const USUAL_INDEXES: readonly IndexName[] = INDEX_NAMES.slice(0, 2);

export const INDEX_KEYS = Object.fromEntries(
  INDEX_NAMES.map((index) => [index, { partition: `${index}pk`, sort: `${index}sk` }]),
) as { readonly [Index in IndexName]: { readonly partition: `${Index}pk`; readonly sort: `${Index}sk` } };

/** The attribute with a search item's original value: an item shared by several searches has one per index. */
export function valueIn(index: IndexName): string {
  return index === 'gsi0' ? VALUE : `${index}${VALUE}`;
}

/** The attributes besides keys that readers need. */
function readInIndex(index: IndexName): readonly string[] {
  return [ATTRIBUTES, valueIn(index)];
}

/**
 * Attributes of quarantine entries: base item, reason, time, and the affected derived keys; `in` is the partition of a
 * derived key outside the base item's partition.
 */
export const QUARANTINE_FIELDS = {
  of: 'of',
  code: 'code',
  reason: 'reason',
  since: 'since',
  derivedKeys: 'derivedKeys',
  in: 'in',
} as const;

/**
 * Non-key attributes of an index; changes of others, such as the revision, cost nothing in the index. gsi0 also lists
 * quarantine entries. DynamoDB allows 20 per index and 100 for all indexes of a table.
 */
export function attributesInIndex(index: IndexName): readonly string[] {
  return index === 'gsi0' ? [...readInIndex(index), ...Object.values(QUARANTINE_FIELDS)] : readInIndex(index);
}

/** What an index holds of a derived item, without the table's keys. */
export function shownInIndex(index: IndexName, item: Item): Item {
  const shown: Item = {};
  for (const name of [...Object.values(INDEX_KEYS[index]), ...attributesInIndex(index)]) {
    if (item[name] !== undefined) shown[name] = item[name];
  }
  return shown;
}

export function fieldsIn(index: IndexName): readonly string[] {
  return [...Object.values(INDEX_KEYS[index]), valueIn(index)];
}

/** Attributes of an index item or reverse item that the planner decides; a tombstone has none. */
export const INDEX_ITEM_FIELDS: ReadonlySet<string> = new Set([
  ...INDEX_NAMES.flatMap(fieldsIn),
  ATTRIBUTES,
  COUNTED,
  LEDGER,
  CHILD,
]);

/** All attributes of derived items besides the table's key and TTL. */
export const DERIVED_ATTRIBUTES: ReadonlySet<string> = new Set([
  EDGE_SET,
  REVISION,
  EVICTED,
  COPIES,
  AFTER,
  AGAIN,
  MODEL,
  COUNT,
  OTHER,
  ...INDEX_ITEM_FIELDS,
  ...Object.values(QUARANTINE_FIELDS),
]);

/**
 * All attributes of items in the service partition, besides the table's keys, its TTL, and those of derived items. A
 * table can't call its keys so. If an index has one of them as a key of another type, DynamoDB refuses these items.
 */
export const SERVICE_ATTRIBUTES: ReadonlySet<string> = new Set([
  'state',
  'stateName',
  'version',
  'place',
  'places',
  'definition',
  'claims',
  'stream',
]);

/** Attributes with few, short texts in our own items: an index may have them as a text key. */
export const SHORT_TEXTS: ReadonlySet<string> = new Set([QUARANTINE_FIELDS.since, QUARANTINE_FIELDS.code]);

/**
 * How long a tombstone is kept, in hours: longer than any write may take to arrive after the read that it is based on.
 */
// rule: tombstone-outlives-late-writes
export const TOMBSTONE_HOURS = 48;

/** What an empty derived item may have besides its key and expiry. */
const OF_EMPTY_ITEMS: ReadonlySet<string> = new Set([REVISION, MODEL]);

export function isTombstone(item: Item, { partitionKey, sortKey, ttl }: TombstoneNames): boolean {
  if (item[ttl] === undefined) return false;
  const own = new Set([partitionKey, sortKey, ttl]);
  return Object.keys(item).every((name) => own.has(name) || OF_EMPTY_ITEMS.has(name));
}

interface TombstoneNames {
  partitionKey: string;
  sortKey: string;
  ttl: string;
}

/** Adding one must change the number: DynamoDB keeps 38 digits, so a fraction or huge number might stay the same. */
const COUNTED_REVISION = /^\d{1,15}$/;

export function revisionOf(item: Item | undefined): string | undefined {
  const revision = numberOf(item?.[REVISION]);
  return revision !== undefined && COUNTED_REVISION.test(revision) ? revision : undefined;
}

export interface Unchanged {
  kind: 'revision';
  revision: string | undefined;
  malformed?: AttributeValue;
  expiry?: { attribute: string; value: AttributeValue };
}

/**
 * Also compares the expiry: TTL may have deleted a tombstone, and a new item in its place may have the same revision.
 *
 * @param ttl the table's TTL attribute; undefined for an item that never has it.
 */
export function unchangedCondition(item: Item | undefined, ttl: string | undefined): Unchanged {
  const stored = item?.[REVISION];
  const revision = revisionOf(item);
  const expiry = ttl === undefined ? undefined : item?.[ttl];
  return {
    kind: 'revision',
    revision,
    ...(stored !== undefined && revision === undefined && { malformed: stored }),
    ...(ttl !== undefined && expiry !== undefined && { expiry: { attribute: ttl, value: expiry } }),
  };
}
