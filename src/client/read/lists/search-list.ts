import { type AttributeValue, type Item, stringOf } from '../../../core/items/attribute-value.ts';
import { INDEX_KEYS, valueIn } from '../../../core/items/derived-item.ts';
import { escapeValue, lowestSortKeyOfValue } from '../../../core/items/encoding.ts';
import { hash128, isWithinBytes, PARTITION_KEY_BYTES, SORT_KEY_BYTES, typePrefix } from '../../../core/items/keys.ts';
import { toPlain } from '../../../core/items/plain.ts';
import type { CompiledModel, IndexName, SearchModel } from '../../../core/model/compiled.ts';
import { textsOfSearch } from '../../../core/model/declared-texts.ts';
import { indexOfSearch } from '../../../core/model/native-indexes.ts';
import { lineOfSearch, textFormOf } from '../../../core/model/options/option-tables.ts';
import { isHashedInKey } from '../../../core/model/projection/index-places.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions } from '../../../foundation/options.ts';
import { meaningOfSearch } from '../../../registry/definition.ts';
import { boundOptions, type CursorBinding } from '../request/cursor.ts';
import { isInRange, type KeyRange, prefixRange } from '../request/key-range.ts';
import {
  attributeArgument,
  checkPartition,
  encodeWhole,
  endsOf,
  equalRange,
  type OrderOfQuery,
  type OrderValue,
  valueRange,
} from '../request/order-argument.ts';
import { noticeOfOwnWrites, readRelevantOwnWrites } from '../request/own.ts';
import { beginsWithRange, encodePathArgument, pathRange } from '../request/prefix-argument.ts';
import { checkLimit, type ReadContext, refuseConsistent } from '../request/read-context.ts';
import { indexAttributes, type Page, type SearchResult, sourceOf } from '../request/result.ts';
import { whereBinding } from '../request/where.ts';
import { checkMaxRcu } from './budget.ts';
import { listFilter, valuesOfSearch } from './kept-values.ts';
import { readListPage } from './list-page.ts';
import type { NativeList, PlacedList } from './placed-list.ts';
import { hitTest } from './scatter.ts';
import {
  type PathPredicate,
  PREDICATES,
  SEARCH_QUERY_OPTIONS,
  type SearchPredicate,
  type SearchQuery,
  type SearchScope,
} from './search-query.ts';

export interface ResolvedSearch {
  list: PlacedList;
  /** Sort key ranges of the hits. A value that is too long for a key is found by its hash. */
  ranges: readonly KeyRange[];
}

export async function readSearch(
  context: ReadContext,
  search: SearchModel,
  predicate: SearchPredicate,
  options: SearchQuery = {},
): Promise<Page<SearchResult>> {
  refusePredicateAmongOptions(search, options);
  checkOptions(`search ${search.indexPartition}`, options, SEARCH_QUERY_OPTIONS);
  const { graph } = context;
  const limit = checkLimit(options.limit);
  const { list } = resolveSearch(context, search, predicate, options);
  const bound: CursorBinding = {
    query: [
      graph.table.name,
      'search',
      search.indexPartition,
      boundOptions(predicate),
      boundOptions(options, { where: whereBinding(list.where, list.ofKept) }),
    ],
    meaning: meaningOfSearch(graph, search),
  };
  const own = await readRelevantOwnWrites(context, (key) => isSearched(search, key));
  const page = { cursor: options.cursor, bound, limit, own: own.writes };
  const { items, cursor } = await readListPage(context, list, page);
  const hits = items.map((item) => hitOfItem(context, list.index, item));
  return { items: hits, ...(cursor !== undefined && { cursor }), ...noticeOfOwnWrites(context) };
}

function refusePredicateAmongOptions({ indexPartition }: SearchModel, options: object): void {
  const name = Object.keys(Object(options)).find((one) => Object.hasOwn(PREDICATES, one));
  if (name === undefined) return;
  throw new EdgeloomError(
    'invalid-argument',
    `search ${indexPartition} has no option ${JSON.stringify(name)}: it is a part of the predicate.`,
    "Give it to find, such as find({ path: ['CA'], beginsWith: 'San' }, options).",
  );
}

export function resolveSearch(
  { graph, projections }: Pick<ReadContext, 'graph' | 'projections'>,
  search: SearchModel,
  predicate: SearchPredicate,
  options: Pick<SearchQuery, keyof SearchScope | 'where' | 'maxRcu' | 'reverse'>,
): ResolvedSearch {
  const stored = projections.search(search);
  const { index } = stored;
  const { itemKeys } = stored.inForce.places;
  const { ranges, ...places } = placesOfSearch(graph, stored, predicate, options);
  const subject = {
    name: `search ${search.indexPartition}`,
    projection: search.project,
    path: lineOfSearch(search),
  };
  const { where, ofKept, passesKept } = listFilter(graph, options.where, subject, valuesOfSearch(search, index));
  const isOfProjection = hitTest(graph, itemKeys);
  const accept = (item: Item): boolean =>
    isOfProjection(item) && passesKept(item) && (ranges === undefined || hasKeyIn(index, ranges, item));
  const maxRcu = checkMaxRcu(options.maxRcu, where !== undefined || ofKept.length > 0, places.partitions);
  const { reverse = false } = options;
  const list: PlacedList = { ...places, index, itemKeys, reverse, where, ofKept, maxRcu, accept };
  return { list, ranges: ranges ?? [list.range] };
}

export function hitOfItem(context: ReadContext, index: IndexName, item: Item): SearchResult {
  const value = item[valueIn(index)];
  return {
    id: sourceOf(context, item),
    value: value === undefined ? null : toPlain(value, context.readNumber),
    attributes: indexAttributes(context, item),
  };
}

function hasKeyIn(index: IndexName, ranges: readonly KeyRange[], item: Item): boolean {
  const key = stringOf(item[INDEX_KEYS[index].sort]) ?? '';
  return ranges.some((range) => isInRange(range, key));
}

export function isSearched(search: SearchModel, { source, target }: ItemKey): boolean {
  return target === (search.part ?? source) && typePrefix(source) === searchedType(search);
}

/** Node types contain no dots, so the first dot ends the type. */
function searchedType({ indexPartition }: SearchModel): string {
  return indexPartition.slice(0, indexPartition.indexOf('.'));
}

function nativeListOfSearch(graph: CompiledModel, search: SearchModel, value: AttributeValue): NativeList {
  const type = searchedType(search);
  const text = stringOf(value);
  const isPossible = text === undefined || (text !== '' && isWithinBytes(text, PARTITION_KEY_BYTES));
  return {
    index: indexOfSearch(graph, search),
    partition: isPossible ? value : undefined,
    // `.` follows `-`, so this bound sorts after all ids of the type without being one.
    ...{ from: { S: `${type}-` }, to: { S: `${type}.` } },
    itemKey: search.inForce.places.first,
  };
}

type Places = Pick<PlacedList, 'partitions' | 'range' | 'native'> & {
  ranges?: readonly KeyRange[];
};

function placesOfSearch(
  graph: CompiledModel,
  search: SearchModel,
  predicate: SearchPredicate,
  scope: SearchScope,
): Places {
  if (predicate === undefined) {
    const hint = 'Give { equals }, { beginsWith }, { between } or {} for every value.';
    throw new EdgeloomError('invalid-argument', `search ${search.indexPartition} takes a predicate.`, hint);
  }
  checkOptions(`search ${search.indexPartition}`, predicate, PREDICATES);
  refuseConsistent(scope.consistent, 'search');
  const query: OrderOfQuery = {
    order: search.order,
    form: textFormOf(search),
    name: `search ${search.indexPartition}`,
    declared: textsOfSearch(graph, searchedType(search), search),
  };
  const partition = checkPartition(`The search ${search.indexPartition}`, search.partition, scope.partition);
  const way = wayOf(search, query, predicate);
  if (way === 'equals') return placesOfValue(graph, search, query, partition, predicate.equals!);
  if (search.shards === 'value') {
    throw new EdgeloomError(
      'not-declared',
      `The search ${search.indexPartition} answers equality only: ${search.native ? 'it is native, and' : "with shards: 'value'"} the value is in the partition key.`,
      `Search with equals, or ${search.native ? 'leave native out of' : 'give the search a number of shards in'} the model.`,
    );
  }
  if (way === 'path') return placesOfPath(search, query, partition, predicate as PathPredicate);
  const { low, high } = endsOf(query, predicate.between);
  const range =
    way === 'beginsWith' ? beginsWithRange(query, predicate.beginsWith!) : valueRange(query, 'between', low, high);
  return { partitions: search.inForce.places.partitions(partition), range };
}

function placesOfValue(
  graph: CompiledModel,
  search: SearchModel,
  query: OrderOfQuery,
  partition: string | undefined,
  value: OrderValue,
): Places {
  const { places } = search.inForce;
  const encoded = encodeWhole(query, value, 'equals');
  if (search.native) {
    const native = nativeListOfSearch(graph, search, attributeArgument(query, value, 'equals'));
    return { partitions: [places.partition(undefined, encoded, '')], range: {}, native };
  }
  const partitions = places.partitionsOfValue(partition, encoded);
  if (search.shards !== 'value' || !isHashedInKey(encoded)) return { partitions, range: equalRange(encoded) };
  // A partition value may contain the separator, so this index partition may also hold other values.
  const ranges = [encoded, hash128(encoded)]
    .filter((text) => isWithinBytes(lowestSortKeyOfValue(text), SORT_KEY_BYTES))
    .map(equalRange);
  return { partitions, range: {}, ranges };
}

/** A name with an undefined value counts only if no other name has a value. */
function wayOf(
  search: SearchModel,
  query: OrderOfQuery,
  predicate: SearchPredicate,
): 'equals' | 'path' | 'beginsWith' | 'range' {
  const { equals, path, beginsWith } = predicate;
  const { isRange } = endsOf(query, predicate.between);
  const ways = [equals !== undefined, beginsWith !== undefined, isRange].filter(Boolean).length;
  if (ways > 1 || (path !== undefined && equals !== undefined)) {
    throw new EdgeloomError(
      'invalid-argument',
      `The search ${search.indexPartition} takes one of equals, beginsWith and between.`,
      'Leave the others out. Only a search by path takes path, alone or with beginsWith or between.',
    );
  }
  const names = ['path', 'equals', 'beginsWith'] as const;
  const given = names.find((name) => predicate[name] !== undefined);
  if (given !== undefined || isRange) return given ?? 'range';
  return names.find((name) => name in predicate) ?? 'range';
}

/** Unless the model spreads by source, the hits of a whole path are in one shard; hits of a prefix may be in any. */
function placesOfPath(
  search: SearchModel,
  query: OrderOfQuery,
  partition: string | undefined,
  predicate: PathPredicate,
): Places {
  const { path, beginsWith, between } = predicate;
  const { places } = search.inForce;
  if (beginsWith !== undefined || endsOf(query, between).isRange) {
    const range = pathRange(query, { path, beginsWith, between });
    return { partitions: places.partitions(partition), range };
  }
  const encoded = encodePathArgument(query, path);
  const isWhole = search.order.kind === 'path' && path.length === search.order.attributes.length;
  const partitions = isWhole ? places.partitionsOfValue(partition, encoded) : places.partitions(partition);
  return { partitions, range: prefixRange(escapeValue(encoded)) };
}
