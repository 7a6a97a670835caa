import { type AttributeValue, type Item, numberOf } from './attribute-value.ts';

/** Names of the attributes of derived items: views, index items, tombstones and quarantine entries. */
export const EDGE_SET = 'edgeSet';
export const ATTRIBUTES = 'attributes';
/** Counts the writes of a derived item: what a conditional write on a read state compares. */
export const REVISION = 'r';
/** Edge types that left a view's set because it grew beyond its budget (string set). */
export const EVICTED = 'evicted';
/** The original value of a search item, before folding and encoding: see `valueIn`. */
export const VALUE = 'value';
/** On an item that a count counts, or a total: the name of that. */
export const COUNTED = 'counted';
/** On such an item: what it adds to the count besides itself: values of sums (N) and of groups (S), by the count's attributes. */
export const LEDGER = 'ledger';
/** On such an item: the groups of the ledger whose values the count has no room for (string set). */
export const OTHER = 'other';
/** Copies of target nodes' attributes in a view: a map of maps, by the edge's sort key. */
export const COPIES = 'copies';
/** On the reverse item of an edge: the node that the edge leaves. */
export const CHILD = 'child';
/** On the continuation of a fan-out: sort key of the last reverse item that was visited; absent where it is done. */
export const AFTER = 'after';
/** On a continuation under way that a further change has met: the place from which the children are visited once more. */
export const AGAIN = 'again';
/** How many counted edges of a type a node has. */
export const COUNT = 'count';
/** Fingerprint of the model that shaped the item; for information. */
export const MODEL = 'model';

/** The indexes that a table may have: as many as DynamoDB takes. */
// biome-ignore format: a list of numbers
export const INDEX_NAMES = [
  'gsi0', 'gsi1', 'gsi2', 'gsi3', 'gsi4', 'gsi5', 'gsi6', 'gsi7', 'gsi8', 'gsi9',
  'gsi10', 'gsi11', 'gsi12', 'gsi13', 'gsi14', 'gsi15', 'gsi16', 'gsi17', 'gsi18', 'gsi19',
] as const;

/** An index that a model can use. */
export type IndexName = (typeof INDEX_NAMES)[number];

/** The indexes that a model may use unless it says how many, and that every table of a stack has. */
export const USUAL_INDEXES: readonly IndexName[] = INDEX_NAMES.slice(0, 2);

/** Key attributes of an index item, in each index. */
export const INDEX_KEYS = Object.fromEntries(
  INDEX_NAMES.map((index) => [index, { partition: `${index}pk`, sort: `${index}sk` }]),
) as { readonly [Index in IndexName]: { readonly partition: `${Index}pk`; readonly sort: `${Index}sk` } };

/** The attribute with the original value that a search item has in an index: an item that several searches share has one for each. */
export function valueIn(index: IndexName): string {
  return index === 'gsi0' ? VALUE : `${index}${VALUE}`;
}

/** The attributes that readers need of an index item besides its keys: all that an index holds of it. */
function readInIndex(index: IndexName): readonly string[] {
  return [ATTRIBUTES, valueIn(index)];
}

/**
 * Attributes of quarantine entries: the base item, why, since when, and the derived keys concerned; `in` is the partition of a
 * derived key that is not in that of the base item.
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
 * The attributes that an index holds besides the keys. A change of others, such as the revision, costs nothing in the index. Entries of
 * the quarantine are listed in gsi0. DynamoDB takes 20 for an index and 100 for all indexes of a table.
 */
export function attributesInIndex(index: IndexName): readonly string[] {
  return index === 'gsi0' ? [...readInIndex(index), ...Object.values(QUARANTINE_FIELDS)] : readInIndex(index);
}

/** The part of a derived item that an index holds, without the keys of the table. */
export function shownInIndex(index: IndexName, item: Item): Item {
  const shown: Item = {};
  for (const name of [...Object.values(INDEX_KEYS[index]), ...attributesInIndex(index)]) {
    if (item[name] !== undefined) shown[name] = item[name];
  }
  return shown;
}

/** The attributes that an index item has for one index: its keys there, and a searched value. */
export function fieldsIn(index: IndexName): readonly string[] {
  return [...Object.values(INDEX_KEYS[index]), valueIn(index)];
}

/** The attributes of an index item, or a reverse item, that the planner decides, all of them cleared in a tombstone. */
export const INDEX_ITEM_FIELDS: ReadonlySet<string> = new Set([
  ...INDEX_NAMES.flatMap(fieldsIn),
  ATTRIBUTES,
  COUNTED,
  LEDGER,
  CHILD,
]);

/** Every attribute name that derived items use besides the table's key and TTL. */
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
 * Every attribute name of the items in the service partition, besides the table's keys, its TTL, and those of derived items. An index with
 * such a key of another type would have DynamoDB refuse these items.
 */
export const SERVICE_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['state', 'version', 'place', 'definition', 'sinceMs', 'claims', 'stream', 'versions'],
  ...['maker', 'p', 'keys', 'resolved', 'key', 'rev', 'seen', 'lag'],
]);

/** Attributes that own items have as short texts, and few of them: an index of texts may have them as a key. */
export const SHORT_TEXTS: ReadonlySet<string> = new Set([QUARANTINE_FIELDS.since, QUARANTINE_FIELDS.code]);

/** How long a tombstone is kept, in hours: longer than a write can take to land after the read that it rests on, whoever sends it. */
// rule: tombstone-outlives-late-writes
export const TOMBSTONE_HOURS = 48;

/** The attributes that an empty derived item may have, without its key and its expiry. */
const OF_EMPTY_ITEMS: ReadonlySet<string> = new Set([REVISION, MODEL]);

/** Tells whether a derived item is a tombstone of any kind: it holds nothing, and has an expiry. */
export function isTombstone(item: Item, { partitionKey, sortKey, ttl }: TombstoneNames): boolean {
  if (item[ttl] === undefined) return false;
  const own = new Set([partitionKey, sortKey, ttl]);
  return Object.keys(item).every((name) => own.has(name) || OF_EMPTY_ITEMS.has(name));
}

/** Names of a table's attributes. */
interface TombstoneNames {
  partitionKey: string;
  sortKey: string;
  ttl: string;
}

/** A number that adding one changes: DynamoDB keeps 38 digits, so a fraction or a huge number may stay as it is. */
const COUNTED_REVISION = /^\d{1,15}$/;

/** Returns the stored revision of a derived item; undefined if it has none, or a malformed one. */
export function revisionOf(item: Item | undefined): string | undefined {
  const revision = numberOf(item?.[REVISION]);
  return revision !== undefined && COUNTED_REVISION.test(revision) ? revision : undefined;
}

/** The condition of a write to an item that was seen: that nothing has been written to it since. */
export interface Unchanged {
  kind: 'revision';
  revision: string | undefined;
  malformed?: AttributeValue;
  expiry?: { attribute: string; value: AttributeValue };
}

/**
 * Makes the condition that nothing has been written to an item since it was read. The condition also compares the expiry: TTL may
 * have deleted a tombstone since then, and a new item in its place may have the same revision.
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
