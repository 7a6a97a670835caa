import type { DeleteItemCommandInput, QueryCommandInput, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { AttributeValue, Item } from '../core/items/attribute-value.ts';
import { ATTRIBUTES, EDGE_SET, INDEX_KEYS, REVISION } from '../core/items/derived-item.ts';
import type { FilterTerm } from '../core/items/filter.ts';
import { PARTITION_KEY_BYTES, SORT_KEY_BYTES } from '../core/items/keys.ts';
import type { TableNames } from '../core/model/compiled.ts';
import type { ItemKeys } from '../core/model/projection/index-places.ts';
import type {
  DerivedUpdate,
  NativeQueryRequest,
  QueryRequest,
  RevisionCondition,
  UpdateCondition,
} from '../core/store-port.ts';
import { updateClauses } from './base-change.ts';

export function updateExpression(
  update: DerivedUpdate,
  table: TableNames,
): { UpdateExpression: string } & Pick<
  UpdateItemCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
> {
  const names: Record<string, string> = { '#r': REVISION };
  // rule: every-write-raises-the-revision
  const values: Record<string, AttributeValue> = { ':one': { N: '1' } };
  const nameAs = (placeholder: string, name: string): string => {
    names[placeholder] = name;
    return placeholder;
  };
  const valueAs = (placeholder: string, value: AttributeValue): string => {
    values[placeholder] = value;
    return placeholder;
  };
  const { condition, set, unset, add = {}, addTo = {} } = update;
  const sets = Object.keys(set).map((name, i) => `${nameAs(`#s${i}`, name)} = ${valueAs(`:s${i}`, set[name]!)}`);
  const adds: string[] = [];
  const deletes: string[] = [];
  // A malformed revision can't be incremented, so the revision restarts at 1.
  // rule: revision-goes-on-after-a-tombstone
  if (condition.kind === 'revision' && condition.malformed !== undefined) sets.push('#r = :one');
  else adds.push('#r :one');
  const added: [string, AttributeValue][] = [
    ...Object.entries(add).map(([name, N]): [string, AttributeValue] => [name, { N }]),
    ...Object.entries(addTo).map(([name, texts]): [string, AttributeValue] => [name, { SS: [...texts] }]),
  ];
  adds.push(...added.map(([name, value], i) => `${nameAs(`#a${i}`, name)} ${valueAs(`:a${i}`, value)}`));
  for (const [elements, list, operator] of [
    [update.addElements, adds, ' '],
    [update.deleteElements, deletes, ' '],
    [update.setElements, sets, ' = '],
  ] as const) {
    if (elements === undefined || elements.length === 0) continue;
    list.push(`${nameAs('#e', EDGE_SET)}${operator}${valueAs(':e', { SS: [...elements] })}`);
  }
  const removals = unset.map((name, i) => nameAs(`#u${i}`, name));
  return {
    UpdateExpression: updateClauses({ SET: sets, REMOVE: removals, ADD: adds, DELETE: deletes }),
    ...(condition.kind !== 'none' && { ConditionExpression: conditionExpression(condition, table, names, values) }),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values as UpdateItemCommandInput['ExpressionAttributeValues'],
  };
}

export function deleteCondition(
  condition: RevisionCondition,
): Pick<DeleteItemCommandInput, 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'> {
  const names: Record<string, string> = { '#r': REVISION };
  const values: Record<string, AttributeValue> = {};
  return {
    ConditionExpression: revisionExpression(condition, names, values),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && {
      ExpressionAttributeValues: values as DeleteItemCommandInput['ExpressionAttributeValues'],
    }),
  };
}

function revisionExpression(
  { revision, malformed, expiry }: RevisionCondition,
  names: Record<string, string>,
  values: Record<string, AttributeValue>,
): string {
  const expected = malformed ?? (revision === undefined ? undefined : { N: revision });
  if (expected === undefined) return 'attribute_not_exists(#r)';
  values[':revision'] = expected;
  if (expiry === undefined) return '#r = :revision';
  names['#expiry'] = expiry.attribute;
  values[':expiry'] = expiry.value;
  return '#r = :revision AND #expiry = :expiry';
}

function conditionExpression(
  condition: Exclude<UpdateCondition, { kind: 'none' }>,
  { partitionKey }: TableNames,
  names: Record<string, string>,
  values: Record<string, AttributeValue>,
): string {
  if (condition.kind === 'revision') return revisionExpression(condition, names, values);
  if (condition.kind === 'absent') {
    names['#p'] = partitionKey;
    return 'attribute_not_exists(#p)';
  }
  const clauses = Object.entries(condition.texts).flatMap(([name, held], i) => {
    names[`#h${i}`] = name;
    return held.map((text, j) => {
      values[`:h${i}x${j}`] = { S: text };
      return `contains(#h${i}, :h${i}x${j})`;
    });
  });
  return clauses.join(' AND ');
}

export function queryInput(table: TableNames, request: QueryRequest): QueryCommandInput {
  const { index, partition, consistent, countOnly } = request;
  const keys = index === undefined ? { partition: table.partitionKey, sort: table.sortKey } : INDEX_KEYS[index];
  return {
    ...pageInput(table, keys, { S: partition }, sortKeyCondition(request.sortKey), request, filterOf(table, request)),
    ...(index !== undefined && { IndexName: table.indexNames[index] }),
    ...(consistent === true && { ConsistentRead: true }),
    ...(countOnly === true && { Select: 'COUNT' }),
  };
}

export function nativeQueryInput(table: TableNames, request: NativeQueryRequest): QueryCommandInput {
  const { index, partition, from, to } = request;
  return { ...pageInput(table, index, partition, betweenClause(from, to), request), IndexName: index.name };
}

function pageInput(
  table: TableNames,
  keys: { partition: string; sort: string },
  partition: AttributeValue,
  condition: { clause: string; values: Item } | undefined,
  { reverse, limit, startKey }: Pick<QueryRequest, 'reverse' | 'limit' | 'startKey'>,
  filter: FilterParts = { clauses: [], names: {}, values: {} },
): QueryCommandInput {
  const values: Item = { ':p': partition, ...condition?.values, ...filter.values };
  return {
    TableName: table.name,
    KeyConditionExpression: condition === undefined ? '#p = :p' : `#p = :p AND ${condition.clause}`,
    ...(filter.clauses.length > 0 && { FilterExpression: filter.clauses.join(' AND ') }),
    ExpressionAttributeNames: { '#p': keys.partition, ...(condition && { '#s': keys.sort }), ...filter.names },
    ExpressionAttributeValues: values as QueryCommandInput['ExpressionAttributeValues'],
    ScanIndexForward: reverse !== true,
    ...(limit !== undefined && { Limit: limit }),
    ...(startKey !== undefined && { ExclusiveStartKey: startKey as QueryCommandInput['ExclusiveStartKey'] }),
    ReturnConsumedCapacity: 'TOTAL',
  };
}

interface FilterParts {
  clauses: string[];
  names: Record<string, string>;
  values: Item;
}

function filterOf(table: TableNames, { where = [], itemKeys }: QueryRequest): FilterParts {
  const filter: FilterParts = { clauses: [], names: {}, values: {} };
  filter.clauses.push(...where.map((term) => termClause(term, filter)));
  if (itemKeys !== undefined) addItemKeys(filter, table, itemKeys);
  return filter;
}

function termClause(term: FilterTerm, filter: FilterParts): string {
  if (term.compare === 'not') return `NOT (${term.terms.map((one) => termClause(one, filter)).join(' AND ')})`;
  const i = Object.keys(filter.names).length;
  Object.assign(filter.names, { '#a': ATTRIBUTES, [`#f${i}`]: term.attribute });
  const path = `#a.#f${i}`;
  if (!('value' in term || 'values' in term)) return `attribute_${term.compare}(${path})`;
  const names = ('values' in term ? term.values : [term.value]).map((value, j) => {
    filter.values[`:f${i}_${j}`] = value;
    return `:f${i}_${j}`;
  });
  if (term.compare === 'in') return `${path} IN (${names.join(', ')})`;
  return term.compare === 'begins_with' ? `begins_with(${path}, ${names[0]})` : `${path} ${term.compare} ${names[0]}`;
}

/** Filters an index's query by the table's keys, which are ordinary attributes there. */
function addItemKeys(
  { clauses, names, values }: FilterParts,
  { partitionKey, sortKey }: TableNames,
  { sources, target, isPrefix }: ItemKeys,
): void {
  names['#is'] = partitionKey;
  names['#it'] = sortKey;
  const ofSources = sources.map((prefix, i) => {
    values[`:is${i}`] = { S: prefix };
    values[`:js${i}`] = { S: highestWithPrefix(prefix, PARTITION_KEY_BYTES) };
    return `#is BETWEEN :is${i} AND :js${i}`;
  });
  clauses.push(`(${ofSources.join(' OR ')})`);
  values[':it'] = { S: target };
  if (isPrefix) values[':jt'] = { S: highestWithPrefix(target) };
  clauses.push(isPrefix ? '#it BETWEEN :it AND :jt' : '#it = :it');
}

const LAST_CHARACTER = '\u{10FFFF}';
const LAST_CHARACTER_BYTES = 4;
/** The last characters of 1, 2 and 3 bytes in UTF-8, by their length. */
const LAST_OF_FEWER_BYTES = ['', '\u007F', '\u07FF', '\uFFFF'] as const;

/** Fills all bytes of a key, because keys with the prefix may repeat the last character. */
function highestWithPrefix(prefix: string, limitBytes = SORT_KEY_BYTES): string {
  const room = Math.max(0, limitBytes - Buffer.byteLength(prefix));
  const rest = LAST_OF_FEWER_BYTES[room % LAST_CHARACTER_BYTES]!;
  return prefix + LAST_CHARACTER.repeat(Math.floor(room / LAST_CHARACTER_BYTES)) + rest;
}

/** Returns one clause, because DynamoDB allows only one condition on the sort key. */
function sortKeyCondition(sortKey: QueryRequest['sortKey']): { clause: string; values: Item } | undefined {
  if (sortKey === undefined) return undefined;
  if ('beginsWith' in sortKey) {
    const { beginsWith } = sortKey;
    // Avoids `begins_with`, which ignores case in one local engine.
    return beginsWith === '' ? undefined : sortKeyCondition({ from: beginsWith, to: highestWithPrefix(beginsWith) });
  }
  const { from, to } = sortKey;
  return betweenClause(from === undefined ? undefined : { S: from }, to === undefined ? undefined : { S: to });
}

function betweenClause(
  from: AttributeValue | undefined,
  to: AttributeValue | undefined,
): { clause: string; values: Item } | undefined {
  if (from !== undefined && to !== undefined)
    return { clause: '#s BETWEEN :from AND :to', values: { ':from': from, ':to': to } };
  if (from !== undefined) return { clause: '#s >= :from', values: { ':from': from } };
  return to === undefined ? undefined : { clause: '#s <= :to', values: { ':to': to } };
}
