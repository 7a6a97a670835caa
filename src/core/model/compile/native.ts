import { attributesInIndex, DERIVED_ATTRIBUTES, SERVICE_ATTRIBUTES, SHORT_TEXTS } from '../../items/derived-item.ts';
import { TARGET_ID } from '../../items/hashed-key.ts';
import { derivedSearches, indexesInUse, indexKeysOf, type OrderModel } from '../compiled.ts';
import { BOOKKEEPING } from '../mirrored.ts';
import {
  MOST_INDEXES,
  type NativeDeclarations,
  type NativeType,
  nativeIndexesOf,
  placedNativeIndexes,
} from '../native.ts';
import { lineOfSearch } from '../options/option-tables.ts';
import type { MistakeLog } from './schemas.ts';

/** The checks of a model's native orders and searches: a table has to take their indexes, and the indexes all items. */

function isOwnAttribute(name: string): boolean {
  return DERIVED_ATTRIBUTES.has(name) || SERVICE_ATTRIBUTES.has(name) || BOOKKEEPING.includes(name);
}

/** The two keys in the name of an index: it has at most 255 characters, and 9 of them may say what the index holds. */
const IN_INDEX_NAMES = /^[A-Za-z0-9_.-]{3,246}$/;
/** DynamoDB copies at most so many attributes that are no keys into one index, and into all indexes of a table. */
const [MOST_IN_INDEX, MOST_COPIED] = [20, 100];

/** The attributes that cannot be keys of another type: DynamoDB would refuse each item that has what the model asks for. */
function neededTypes({ table, nodes, edges }: NativeDeclarations) {
  const types = new Map<string, { type: NativeType; of: string }>();
  const need = (attribute: string, type: NativeType, of: string): unknown => types.set(attribute, { type, of });
  const needOfOrder = (order: OrderModel, of: string): void => {
    if (order.kind === 'parts') for (const part of order.parts) needOfOrder(part, of);
    else if (order.kind === 'source') needOfOrder(order.order, of);
    else if (order.kind === 'rank') need(order.attribute, 'S', of);
    else if (order.kind === 'attribute') need(order.attribute, order.type === 'number' ? 'N' : 'S', of);
  };
  for (const { type, inbound, count, incoming } of edges.values()) {
    const orders = inbound?.native === true ? [] : [...(inbound?.orders.values() ?? [])];
    for (const { name, order } of orders) needOfOrder(order, `edges.${type}.inbound.orders.${name}`);
    for (const { attribute } of [count, incoming].flatMap((one) => one?.totals?.sums ?? []))
      need(attribute, 'N', `a sum of edges.${type}`);
  }
  for (const { type, searches, versionAttribute } of nodes.values()) {
    for (const search of derivedSearches(searches).filter(({ multiValue }) => !multiValue))
      needOfOrder(search.order, lineOfSearch(search));
    if (versionAttribute !== undefined) need(versionAttribute, 'N', `the version of nodes.${type}`);
  }
  if ([...edges.values()].some(({ keys }) => keys === 'hashed')) need(TARGET_ID, 'S', 'each edge with a hashed key');
  need(table.ttl, 'N', 'the TTL of the table');
  return types;
}

/**
 * Reports native orders and searches in a model with tenants. No projector judges what enters a native index, so any tenant could fill the
 * list of another: its edges and values would be read, and paid for, before a reader drops them.
 */
export function checkNativeTenants(declarations: NativeDeclarations, mistakes: MistakeLog): void {
  for (const { path } of placedNativeIndexes(declarations)) {
    const message = 'is native, in a model with tenantSeparator: every tenant could fill the list. Leave out native';
    mistakes.push({ path, message });
  }
}

/** Reports native orders and searches whose indexes a table cannot have, or whose keys derived items would have, too. */
export function checkNativeIndexes({ table, nodes, edges }: NativeDeclarations, mistakes: MistakeLog): void {
  const types = neededTypes({ table, nodes, edges });
  const keysOfIndexes = table.indexes.flatMap((index) => Object.values(indexKeysOf(table)[index]));
  for (const { path, keys } of placedNativeIndexes({ table, nodes, edges })) {
    const { attribute, type } = keys;
    const note = (message: string): unknown => mistakes.push({ path, message });
    const quoted = JSON.stringify(attribute);
    if ([table.partitionKey, table.sortKey].includes(attribute)) note(`names ${quoted}, a key of the table`);
    else if (
      keysOfIndexes.includes(attribute) ||
      (isOwnAttribute(attribute) && !(type === 'S' && SHORT_TEXTS.has(attribute)))
    )
      note(`names ${quoted}, an attribute of Edgeloom's own items, which DynamoDB would put into the index or refuse`);
    else if (!IN_INDEX_NAMES.test(`${keys.partition}-${keys.sort}`))
      note(
        `names ${quoted}, but the index has both keys as its name, and takes only A-Z, a-z, 0-9, _, - and .: 246 of them`,
      );
    const other = types.get(attribute);
    if (other === undefined) types.set(attribute, { type, of: path });
    else if (other.type !== type)
      note(`has ${quoted} as ${type === 'N' ? 'a number' : 'a text'}, and ${other.of} has it as another type`);
  }
  const needs = nativeIndexesOf({ table, nodes, edges });
  if (needs.length === 0) return;
  for (const [i, { name }] of needs.entries()) {
    if (needs[i + 1]?.name === name) {
      const message = `have the name ${name} for two native ones, which differ: name an attribute otherwise`;
      mistakes.push({ path: 'table.indexes', message });
    }
    if (!table.indexes.some((index) => table.indexNames[index] === name)) continue;
    const message = `give an index the name ${name}, which a native order or search has: give it another one`;
    mistakes.push({ path: 'table.indexes', message });
  }
  const derived = indexesInUse({ nodes: nodes.values(), edges: edges.values() });
  const all = Math.max(table.indexes.length, derived.length) + needs.length;
  if (all > MOST_INDEXES)
    mistakes.push({
      path: 'table.indexes',
      message: `are ${all} with the native ones, but a table has ${MOST_INDEXES} at most`,
    });
  for (const { name, attributes = [] } of needs) {
    if (attributes.length <= MOST_IN_INDEX) continue;
    const message = `would have ${attributes.length} attributes in the index ${name}, but DynamoDB takes ${MOST_IN_INDEX}: project fewer, or 'ALL'`;
    mistakes.push({ path: 'table.indexes', message });
  }
  const copied = [...table.indexes.map(attributesInIndex), ...needs.map(({ attributes = [] }) => attributes)].flat()
    .length;
  if (copied > MOST_COPIED) {
    const message = `hold ${copied} attributes with those of native orders and searches, but DynamoDB takes ${MOST_COPIED}: project fewer`;
    mistakes.push({ path: 'table.indexes', message });
  }
}
