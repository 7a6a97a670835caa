import {
  type AttributeValue,
  type Item,
  itemSizeBytes,
  numberOf,
  stringOf,
  typeOf,
} from '../../items/attribute-value.ts';
import { VALUE, valueIn } from '../../items/derived-item.ts';
import type { TextForm } from '../../items/encoding.ts';
import { compareKeys, sortKeyOfEscaped, typeName } from '../../items/encoding.ts';
import { type DerivedSortKey, hash128, isWithinBytes, SORT_KEY_BYTES } from '../../items/keys.ts';
import type { SearchModel } from '../../model/compiled.ts';
import { lineOfSearch, textFormOf } from '../../model/options/option-tables.ts';
import { isHashedInKey } from '../../model/projection/index-places.ts';
import { addIndexKeys, partitionText, withProjection } from './inbound-items.ts';
import { type Encoded, encodedText, encodeForOrder, type OrderEncoder, orderEncoder } from './order-encoder.ts';
import { firstAttributeOf, lacksPartitionText, lacksValueText } from './outcomes.ts';
import { PartError, type Subject } from './subject.ts';

/**
 * The most values of one attribute that get index items. If an image needed more work than one batch has time for, its
 * record would be retried forever and block its stream shard.
 */
export const MAX_SEARCH_VALUES = 5_000;
/** The most bytes of all items for one attribute's values. Writing them takes about one write unit per KB. */
export const MAX_SEARCH_BYTES = 8 * 1024 * 1024;

interface SearchPlan {
  search: SearchModel;
  form: TextForm;
  encode: OrderEncoder;
  purpose: string;
  line: string;
}

/** Searches that share an index item, prepared once per model. A search with `multiValue` doesn't share its items. */
export interface SearchItemPlan {
  first: SearchPlan;
  searches: readonly SearchPlan[];
}

export function searchItemPlan(searches: readonly SearchModel[]): SearchItemPlan {
  const plans = searches.map((search): SearchPlan => {
    const purpose = `search ${search.indexPartition}`;
    const form = textFormOf(search);
    const line = lineOfSearch(search);
    return { search, form, encode: orderEncoder(search.order, form, purpose), purpose, line };
  });
  return { first: plans[0]!, searches: plans };
}

/** A value that can't be a key only excludes the item from the search that uses the value. */
export function searchItem({ first, searches }: SearchItemPlan, subject: Subject): Item | undefined {
  const item: Item = {};
  let indexed = false;
  const { outcomes } = subject;
  const { first: key } = first.search.inForce.places;
  for (const { search, encode: encodeOrder, purpose, line } of searches) {
    try {
      const encoded = encodeOrder(subject);
      const isIn = encoded !== undefined && addSearchKeys(item, search, subject, encoded, purpose);
      if (isIn) indexed = true;
      outcomes?.add(line, key, isIn ? undefined : whyNotFound(search, subject, encoded !== undefined));
    } catch (error) {
      const { message } = subject.noteProblem(error, search.inForce);
      outcomes?.addFault(line, key, message, search.inForce);
    }
  }
  if (!indexed) return undefined;
  try {
    return withProjection(item, first.search.project, subject, first.search.inForce.places);
  } catch (error) {
    const projection = { isSuperseded: searches.every(({ search }) => search.inForce.isSuperseded) };
    const { message } = subject.noteProblem(error, projection);
    for (const { line } of searches) outcomes?.addFault(line, key, message, projection);
    return undefined;
  }
}

function whyNotFound({ order, partition }: SearchModel, { kind }: Subject, hasValue: boolean): string {
  if (hasValue) return lacksPartitionText(kind, partition!, 'search');
  return lacksValueText(kind, firstAttributeOf(order));
}

export function searchItemsOfValues({ first }: SearchItemPlan, subject: Subject): Iterable<[DerivedSortKey, Item]> {
  const { search, purpose, line } = first;
  const { places } = search.inForce;
  const items = new Map<DerivedSortKey, Item>();
  let bytes = 0;
  const values = encodedValues(first, subject);
  for (const encoded of values) {
    const key = places.key(encoded.text);
    const present = items.get(key);
    // Values with the same key share an item. The item shows the value that sorts first, so that the order in a set
    // doesn't matter.
    if (present !== undefined && compareKeys(textOf(present[VALUE]), textOf(encoded.value)) <= 0) continue;
    const item: Item = {};
    if (!addSearchKeys(item, search, subject, encoded, purpose)) continue;
    items.set(key, withProjection(item, search.project, subject, places));
    bytes += itemSizeBytes(item);
    if (items.size > MAX_SEARCH_VALUES || bytes > MAX_SEARCH_BYTES) throw tooManyValuesError(encoded, purpose);
  }
  const { outcomes } = subject;
  if (outcomes !== undefined) {
    if (items.size === 0) outcomes.add(line, places.first, whyNotFound(search, subject, values.length > 0));
    for (const key of items.keys()) outcomes.add(line, key);
  }
  return items;
}

function textOf(value: AttributeValue | undefined): string {
  return stringOf(value) ?? numberOf(value) ?? '';
}

function tooManyValuesError({ attribute }: Encoded, purpose: string): PartError {
  const message = `attribute ${attribute}, needed for ${purpose}, makes more than ${MAX_SEARCH_VALUES} items, or more than ${MAX_SEARCH_BYTES} bytes of them. Keep fewer values, or project fewer attributes`;
  return new PartError('too-many-values', message, attribute);
}

function encodedValues({ search, form, purpose }: SearchPlan, subject: Subject): Encoded[] {
  if (search.order.kind !== 'attribute') return [];
  const { attribute, type } = search.order;
  const value = subject.attribute(attribute);
  if (value === undefined) return [];
  let values: AttributeValue[];
  if ('L' in value) values = value.L;
  else if ('SS' in value) values = value.SS.map((S) => ({ S }));
  else if ('NS' in value) values = value.NS.map((N) => ({ N }));
  else {
    const message = `attribute ${attribute}, needed for ${purpose}, should be a list or a set, but is ${typeName(typeOf(value))}`;
    throw new PartError('wrong-type', message, attribute);
  }
  return values.map((entry) => encodeForOrder(entry, type, form, purpose, attribute));
}

function addSearchKeys(item: Item, search: SearchModel, subject: Subject, encoded: Encoded, purpose: string): boolean {
  let within: string | undefined;
  if (search.partition !== undefined) {
    within = partitionText(search.partition, subject, purpose);
    if (within === undefined) return false;
  }
  const { index, inForce, shards } = search;
  const { places } = inForce;
  const { source } = subject;
  const partition = places.partition(within, encoded.text, source);
  const sorted = shards === 'value' ? withShortText(encoded, source) : encoded;
  addIndexKeys(item, { index, places }, { partition, encoded: sorted, source }, purpose);
  item[valueIn(index)] = encoded.value;
  return true;
}

/**
 * Replaces a value that is too long for a sort key by its hash. With `shards: 'value'`, all items of a partition have
 * the same value, so a hash doesn't change their order.
 */
function withShortText(encoded: Encoded, source: string): Encoded {
  // Readers use the hash only for long values, so they would never find a short value by its hash.
  const sort = sortKeyOfEscaped(encoded.escaped, source);
  if (!isHashedInKey(encoded.text) || isWithinBytes(sort, SORT_KEY_BYTES)) return encoded;
  return encodedText(hash128(encoded.text), encoded.value, encoded.attribute);
}
