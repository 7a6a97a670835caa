import { type AttributeValue, type Item, numberOf } from './attribute-value.ts';

export const EDGE_SET = 'edgeSet';
export const ATTRIBUTES = 'attributes';
export const REVISION = 'r';
/** On a view: the edge types evicted to stay within the view's budget. */
export const EVICTED = 'evicted';
/** On a search item: the value before text forms and encoding. */
export const VALUE = 'value';
export const COUNTED = 'counted';
/**
 * On a counted item: a map of amounts for sums and problems (N) and of values for groups (S), such as `sum/hours` and
 * `by/kind`.
 */
export const LEDGER = 'ledger';
/** On a counted item: the groups in which the count doesn't name the item's value. */
export const OTHER = 'other';
/** On a view: copied attributes by the edge's sort key. */
export const COPIES = 'copies';
/** On a reverse item, and on an edge's entry in a total: the edge's source. */
export const CHILD = 'child';
/** On a continuation: the sort key after which the fan-out continues; absent when the fan-out is done. */
export const AFTER = 'after';
/** On a continuation: the sort key after which another round starts, because the node changed during the fan-out. */
export const AGAIN = 'again';
export const COUNT = 'count';
/**
 * The fingerprint of the model that wrote the item, for information only. In a table with a registry, a view has the
 * stamp of its shape instead, and readers ignore views of other shapes.
 */
export const MODEL = 'model';

// biome-ignore format: a list of numbers
export const INDEX_NAMES = [
  'gsi0', 'gsi1', 'gsi2', 'gsi3', 'gsi4', 'gsi5', 'gsi6', 'gsi7', 'gsi8', 'gsi9',
  'gsi10', 'gsi11', 'gsi12', 'gsi13', 'gsi14', 'gsi15', 'gsi16', 'gsi17', 'gsi18', 'gsi19',
] as const;

/** An index that a model can use. */
export type IndexName = (typeof INDEX_NAMES)[number];

export const USUAL_INDEXES: readonly IndexName[] = INDEX_NAMES.slice(0, 2);

export const INDEX_KEYS = Object.fromEntries(
  INDEX_NAMES.map((index) => [index, { partition: `${index}pk`, sort: `${index}sk` }]),
) as { readonly [Index in IndexName]: { readonly partition: `${Index}pk`; readonly sort: `${Index}sk` } };

/** Each search that shares an item uses another index, and has its value in another attribute. */
export function valueIn(index: IndexName): string {
  return index === 'gsi0' ? VALUE : `${index}${VALUE}`;
}

/** `in` is the partition of the items in `derivedKeys`, if that isn't the base item's partition. */
export const QUARANTINE_FIELDS = {
  of: 'of',
  code: 'code',
  reason: 'reason',
  since: 'since',
  derivedKeys: 'derivedKeys',
  in: 'in',
} as const;

/**
 * Returns the attributes that the index holds besides keys. A change to any other attribute, such as the revision,
 * costs no write to the index.
 */
export function attributesInIndex(index: IndexName): readonly string[] {
  const readByAll = [ATTRIBUTES, valueIn(index)];
  return index === 'gsi0' ? [...readByAll, ...Object.values(QUARANTINE_FIELDS)] : readByAll;
}

export function shownInIndex(index: IndexName, item: Item): Item {
  const shown: Item = {};
  for (const name of [...Object.values(INDEX_KEYS[index]), ...attributesInIndex(index)]) {
    if (item[name] !== undefined) shown[name] = item[name];
  }
  return shown;
}

export const INDEX_ITEM_FIELDS: ReadonlySet<string> = new Set([
  ...INDEX_NAMES.flatMap((index) => [...Object.values(INDEX_KEYS[index]), valueIn(index)]),
  ATTRIBUTES,
  COUNTED,
  LEDGER,
  CHILD,
]);

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
 * Attributes of items in the service partition. DynamoDB would refuse these items if an index used one of the names for
 * a key of another type.
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

/** Attributes of derived items that a native index may use as a string key, because their values are short strings. */
export const SHORT_TEXTS: ReadonlySet<string> = new Set([QUARANTINE_FIELDS.since, QUARANTINE_FIELDS.code]);

/** Longer than the time between a read and the arrival of a write based on it. */
// rule: tombstone-outlives-late-writes
export const TOMBSTONE_HOURS = 48;

export function tombstoneExpiry(nowSeconds: number): AttributeValue {
  return { N: String(nowSeconds + TOMBSTONE_HOURS * 3600) };
}

const OF_EMPTY_ITEMS: ReadonlySet<string> = new Set([REVISION, MODEL]);

export function isTombstone(
  item: Item,
  { partitionKey, sortKey, ttl }: Record<'partitionKey' | 'sortKey' | 'ttl', string>,
): boolean {
  if (item[ttl] === undefined) return false;
  const own = new Set([partitionKey, sortKey, ttl]);
  return Object.keys(item).every((name) => own.has(name) || OF_EMPTY_ITEMS.has(name));
}

/** At most 15 digits, so that adding 1 changes the revision even if it is read as a JavaScript number. */
const COUNTED_REVISION = /^\d{1,15}$/;

export function revisionOf(item: Item | undefined): string | undefined {
  const revision = numberOf(item?.[REVISION]);
  return revision !== undefined && COUNTED_REVISION.test(revision) ? revision : undefined;
}

/** Also compares the expiry, because an item that replaces a deleted tombstone may have the same revision. */
export function unchangedCondition(item: Item | undefined, ttl: string | undefined) {
  const stored = item?.[REVISION];
  const revision = revisionOf(item);
  const expiry = ttl === undefined ? undefined : item?.[ttl];
  return {
    kind: 'revision' as const,
    revision,
    ...(stored !== undefined && revision === undefined && { malformed: stored }),
    ...(ttl !== undefined && expiry !== undefined && { expiry: { attribute: ttl, value: expiry } }),
  };
}
