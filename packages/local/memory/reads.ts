import { readUnits } from '../../../src/core/items/capacity.ts';
import { consumedField, sumUnits } from './capacity.ts';
import type { Input, Tables } from './definitions.ts';
import { isInOrder, meets, projectItem } from './evaluate.ts';
import { checkKeyValue, type KeyNames, keyAttributeNames, keyText, partitionText, pickAttributes } from './keys.ts';
import { compareRanks, type Index, type Partitions, rankOf, type Stored, type Table } from './memory-table.ts';
import type { Entry, Ordered } from './ordered.ts';
import { type Condition, Names, type Operand, type Path, parseCondition, parseProjection } from './parse.ts';
import { invalid } from './refusal.ts';
import { checkedItem, compareValues, textOf, typeOf, type Value, type Values } from './values.ts';
import { countInLists } from './writes.ts';

const MOST_PAGE_BYTES = 1024 * 1024;
const MOST_BATCH_BYTES = 16 * 1024 * 1024;
const MOST_BATCH_KEYS = 100;
const RANKS = 2 ** 32;
/** A tie that sorts after all entries with the same sort key. */
const LAST_TIE = '\u{10ffff}';

export function getOne(tables: Tables, input: Input) {
  const table = tables.findTable(input['TableName']);
  const view = selectionOf(input);
  const key = checkedItem(input['Key']);
  table.checkKey(key);
  const stored = table.findItem(key);
  const units = readUnits(stored?.size ?? 0, input['ConsistentRead'] === true);
  return {
    ...(stored !== undefined && { Item: view.withSelectedAttributes(stored.item) }),
    ConsumedCapacity: consumedField(input, table, { table: units, indexes: {} }),
  };
}

export function getBatch(tables: Tables, input: Input) {
  const requests = Object.entries((input['RequestItems'] ?? {}) as Record<string, Input & { Keys: unknown[] }>);
  const count = countInLists(requests.map(([, request]) => request?.Keys));
  if (count === 0) throw invalid('The list of keys in the batch get request is empty');
  if (count > MOST_BATCH_KEYS) throw invalid('Too many items requested for the BatchGetItem call');
  const responses: Record<string, Values[]> = {};
  const unprocessed: Record<string, Input> = {};
  let bytes = 0;
  const capacity = requests.map(([name, request]) => {
    const table = tables.findTable(name);
    const view = selectionOf(request);
    const keys = request.Keys.map((key) => checkedItem(key));
    for (const key of keys) table.checkKey(key);
    const texts = keys.map((key) => keyText(key, table.keys));
    if (new Set(texts).size !== texts.length) throw invalid('Provided list of item keys contains duplicates');
    const found: Values[] = [];
    const left: Values[] = [];
    const units = keys.map((key) => {
      const stored = table.findItem(key);
      if (bytes + (stored?.size ?? 0) > MOST_BATCH_BYTES) {
        left.push(key);
        return { table: 0, indexes: {} };
      }
      bytes += stored?.size ?? 0;
      if (stored !== undefined) found.push(view.withSelectedAttributes(stored.item));
      return { table: readUnits(stored?.size ?? 0, request['ConsistentRead'] === true), indexes: {} };
    });
    responses[name] = found;
    if (left.length > 0) unprocessed[name] = { ...request, Keys: left };
    return consumedField(input, table, sumUnits(units));
  });
  return {
    Responses: responses,
    UnprocessedKeys: unprocessed,
    ...(capacity[0] !== undefined && { ConsumedCapacity: capacity }),
  };
}

interface Selection {
  withSelectedAttributes(item: Values): Values;
  isSelected(item: Values): boolean;
}

function selectionOf(
  input: Input,
  names = new Names(input['ExpressionAttributeNames'], input['ExpressionAttributeValues']),
): Selection {
  for (const name of ['AttributesToGet', 'KeyConditions', 'QueryFilter', 'ScanFilter', 'ConditionalOperator']) {
    if (input[name] !== undefined) throw invalid(`${name} is not supported by the engine in memory: use expressions`);
  }
  const { ProjectionExpression, FilterExpression } = input as Record<string, string | undefined>;
  const paths: Path[] | undefined =
    ProjectionExpression === undefined ? undefined : parseProjection(ProjectionExpression, names);
  const filter =
    FilterExpression === undefined ? undefined : parseCondition(FilterExpression, 'FilterExpression', names);
  names.checkUsed();
  return {
    withSelectedAttributes: (item) => (paths === undefined ? item : projectItem(item, paths)),
    isSelected: (item) => filter === undefined || meets(item, filter),
  };
}

interface Source {
  table: Table;
  index: Index | undefined;
  keys: KeyNames;
  partitions: Partitions;
}

function sourceOf(tables: Tables, input: Input): Source {
  const table = tables.findTable(input['TableName']);
  const name = input['IndexName'] as string | undefined;
  if (name === undefined) return { table, index: undefined, keys: table.keys, partitions: table.partitions };
  const index = table.indexes.get(name);
  if (index === undefined) throw invalid(`The table does not have the specified index: ${name}`);
  if (input['ConsistentRead'] === true && !index.settings.isLocal) {
    throw invalid('Consistent reads are not supported on global secondary indexes');
  }
  return { table, index, keys: index.keys, partitions: index.partitions };
}

class Page {
  readonly items: Values[] = [];
  scanned = 0;
  found = 0;
  private bytes = 0;
  private last: Stored | undefined;
  isFull = false;

  constructor(
    private readonly source: Source,
    private readonly input: Input,
    private readonly view: Selection,
  ) {
    const limit = input['Limit'];
    if (limit !== undefined && !((limit as number) >= 1)) {
      throw invalid(
        `1 validation error detected: Value '${String(limit)}' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1`,
      );
    }
  }

  tryAdd({ item: stored }: Entry<Stored>): boolean {
    if (this.scanned > 0 && this.bytes + stored.size > MOST_PAGE_BYTES) {
      this.isFull = true;
      return false;
    }
    this.bytes += stored.size;
    this.scanned += 1;
    this.last = stored;
    if (this.view.isSelected(stored.item)) {
      this.found += 1;
      if (this.input['Select'] !== 'COUNT') this.items.push(this.view.withSelectedAttributes(stored.item));
    }
    this.isFull = this.scanned === this.input['Limit'] || this.bytes >= MOST_PAGE_BYTES;
    return !this.isFull;
  }

  toAnswer() {
    const { table, index } = this.source;
    const units = readUnits(this.bytes, this.input['ConsistentRead'] === true);
    const all = index === undefined ? { table: units, indexes: {} } : { table: 0, indexes: { [index.name]: units } };
    return {
      ...(this.input['Select'] !== 'COUNT' && { Items: this.items }),
      Count: this.found,
      ScannedCount: this.scanned,
      ...(this.isFull &&
        this.last !== undefined && { LastEvaluatedKey: pickAttributes(this.last.item, keyNamesOf(this.source)) }),
      ConsumedCapacity: consumedField(this.input, table, all),
    };
  }
}

export function query(tables: Tables, input: Input) {
  const source = sourceOf(tables, input);
  const { table, keys, partitions } = source;
  const names = new Names(input['ExpressionAttributeNames'], input['ExpressionAttributeValues']);
  const text = input['KeyConditionExpression'] as string | undefined;
  if (text === undefined)
    throw invalid('Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.');
  const range = rangeOf(parseCondition(text, 'KeyConditionExpression', names), table, keys);
  const page = new Page(source, input, selectionOf(input, names));
  const start = startOf(source, input['ExclusiveStartKey']);
  if (start !== undefined && !isWithinRange(start, range, keys)) {
    throw invalid('The provided starting key is outside query boundaries based on provided conditions');
  }
  const ordered = partitions.findPartition(partitionText(range.partition));
  if (ordered === undefined) return page.toAnswer();
  const isBackward = input['ScanIndexForward'] === false;
  let from = range.from === undefined ? 0 : ordered.placeOf(range.from, '');
  let to = range.to === undefined ? ordered.entries.length : ordered.placeOf(range.to, LAST_TIE);
  if (start !== undefined && isBackward) to = Math.min(to, ordered.placeOf(...sortPlaceOf(source, start)));
  else if (start !== undefined) from = Math.max(from, placeAfter(ordered, source, start));
  for (let i = 0; i < to - from; i++) {
    const entry = ordered.entries[isBackward ? to - 1 - i : from + i]!;
    if (!range.isWithin(entry.sort)) continue;
    if (!page.tryAdd(entry)) break;
  }
  return page.toAnswer();
}

function isWithinRange(item: Values, { partition, isWithin }: Range, keys: KeyNames): boolean {
  const isInPartition = partitionText(item[keys.partition]!) === partitionText(partition);
  return isInPartition && isWithin(keys.sort === undefined ? undefined : item[keys.sort]);
}

/** Only indexes have ties: in a table, a sort key is unique. */
function sortPlaceOf({ table, index, keys }: Source, item: Values): [sort: Value | undefined, tie: string] {
  return [keys.sort === undefined ? undefined : item[keys.sort], index === undefined ? '' : keyText(item, table.keys)];
}

function placeAfter(ordered: Ordered<Stored>, source: Source, start: Values): number {
  const place = sortPlaceOf(source, start);
  return ordered.placeOf(...place) + (ordered.get(...place) === undefined ? 0 : 1);
}

/** An index's keys include the table's. */
function keyNamesOf({ table, keys }: Source): string[] {
  return [...new Set([...keyAttributeNames(keys), ...keyAttributeNames(table.keys)])];
}

function startOf(source: Source, given: unknown): Values | undefined {
  if (given === undefined) return undefined;
  const start = checkedItem(given);
  const names = keyNamesOf(source);
  const { types } = source.table;
  const isRight = names.every((name) => start[name] !== undefined && typeOf(start[name]) === types.get(name));
  if (!isRight || Object.keys(start).length !== names.length) {
    throw invalid('The provided starting key is invalid');
  }
  return start;
}

interface Range {
  partition: Value;
  /** Bounds for reading, if known. `isWithin` decides which keys are in the range. */
  from: Value | undefined;
  to: Value | undefined;
  isWithin(sort: Value | undefined): boolean;
}

function rangeOf(condition: Condition, table: Table, keys: KeyNames): Range {
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  let partition: Value | undefined;
  let range: Omit<Range, 'partition'> | undefined;
  for (const part of parts) {
    const name = attributeOfCondition(part);
    if (name === keys.partition && part.kind === 'compare' && part.operator === '=' && partition === undefined) {
      partition = givenValue(part.right);
    } else if (name !== undefined && name === keys.sort && range === undefined) {
      range = sortRange(part);
    } else {
      throw invalid('Query condition missed key schema element, or names another attribute');
    }
  }
  if (partition === undefined) throw invalid(`Query condition missed key schema element: ${keys.partition}`);
  checkBound(table, keys, keys.partition, partition);
  for (const part of parts) if (attributeOfCondition(part) === keys.sort) checkSortBounds(table, keys, part);
  return { partition, from: undefined, to: undefined, isWithin: () => true, ...range };
}

function attributeOfCondition(part: Condition): string | undefined {
  const operand =
    part.kind === 'compare' || part.kind === 'begins' ? part.left : part.kind === 'between' ? part.of : undefined;
  return operand !== undefined && 'path' in operand && operand.path.length === 1
    ? (operand.path[0] as string)
    : undefined;
}

function givenValue(operand: Operand): Value {
  if ('value' in operand) return operand.value;
  throw invalid('Invalid KeyConditionExpression: a key is compared with a value alone');
}

function checkSortBounds(table: Table, keys: KeyNames, part: Condition): void {
  const name = keys.sort!;
  if (part.kind === 'between') {
    const [from, to] = [givenValue(part.from), givenValue(part.to)];
    for (const bound of [from, to]) checkBound(table, keys, name, bound);
    if (compareValues(from, to) > 0) {
      throw invalid(
        'Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
      );
    }
  } else if (part.kind === 'begins') {
    const start = givenValue(part.right);
    if (table.types.get(name) === 'N')
      throw invalid(
        'Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
      );
    if (textOf(start) !== '') checkBound(table, keys, name, start);
  } else if (part.kind === 'compare') checkBound(table, keys, name, givenValue(part.right));
}

function checkBound(table: Table, keys: KeyNames, name: string, value: Value): void {
  if (typeOf(value) !== table.types.get(name)) {
    throw invalid('One or more parameter values were invalid: Condition parameter type does not match schema type');
  }
  checkKeyValue(keys, name, value);
}

function sortRange(part: Condition): Omit<Range, 'partition'> {
  const all = { from: undefined, to: undefined };
  if (part.kind === 'between') {
    const [from, to] = [givenValue(part.from), givenValue(part.to)];
    return {
      from,
      to,
      isWithin: (sort) => sort !== undefined && compareValues(sort, from) >= 0 && compareValues(sort, to) <= 0,
    };
  }
  if (part.kind === 'begins') {
    const start = givenValue(part.right);
    const isWithin = (sort: Value | undefined): boolean =>
      sort !== undefined && meets({ sort }, { kind: 'begins', left: { path: ['sort'] }, right: { value: start } });
    // There is no upper bound: `query` skips the sort keys after those with the prefix.
    return { ...all, ...(textOf(start) !== '' && { from: start }), isWithin };
  }
  if (part.kind !== 'compare' || part.operator === '<>') {
    throw invalid('Invalid operator used in KeyConditionExpression');
  }
  const bound = givenValue(part.right);
  const { operator } = part;
  return {
    from: operator === '=' || operator.startsWith('>') ? bound : undefined,
    to: operator === '=' || operator.startsWith('<') ? bound : undefined,
    isWithin: (sort) => sort !== undefined && isInOrder(operator, compareValues(sort, bound)),
  };
}

export function scan(tables: Tables, input: Input) {
  const source = sourceOf(tables, input);
  const { keys, partitions } = source;
  const page = new Page(source, input, selectionOf(input));
  const { Segment: segment = 0, TotalSegments: segments = 1 } = input as { Segment?: number; TotalSegments?: number };
  if (!(segment < segments))
    throw invalid(`The Segment parameter is zero-based and must be less than parameter TotalSegments`);
  const [from, to] = [(segment / segments) * RANKS, ((segment + 1) / segments) * RANKS];
  const start = startOf(source, input['ExclusiveStartKey']);
  const startKey = start && partitionText(start[keys.partition]!);
  const startPlace = startKey === undefined ? undefined : { key: startKey, rank: rankOf(startKey) };
  if (startPlace !== undefined && (startPlace.rank < from || startPlace.rank >= to)) {
    throw invalid(
      'The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: ' +
        segments +
        ' Segment: ' +
        segment,
    );
  }
  for (const place of partitions.inScanOrder()) {
    if (place.rank < from || place.rank >= to) continue;
    const order = startPlace === undefined ? 1 : compareRanks(place, startPlace);
    if (order < 0) continue;
    const ordered = partitions.findPartition(place.key)!;
    const first = order === 0 ? placeAfter(ordered, source, start!) : 0;
    for (let i = first; i < ordered.entries.length; i++) if (!page.tryAdd(ordered.entries[i]!)) return page.toAnswer();
  }
  return page.toAnswer();
}
