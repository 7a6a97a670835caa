import type { AttributeValue, Item } from '../../../src/core/items/attribute-value.ts';
import type {
  BaseChange,
  BaseCondition,
  ChangeAllResult,
  ChangeResult,
  DeleteResult,
  DerivedUpdate,
  ItemKey,
  QueryRequest,
  QueryResult,
  RevisionCondition,
  ScanPage,
  ScanRequest,
  TransactResult,
  UpdateCondition,
  UpdateResult,
  WriteResult,
} from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { exactOf, isStorable, plus, textOf } from './decimal.ts';
import type { Dice } from './dice.ts';
import { bytesOf, compareBytes, fingerprint, frozen, text } from './values.ts';

/** Names of the key attributes, and of the one that TTL uses. */
export interface Names {
  partitionKey: string;
  sortKey: string;
  ttl: string;
}

/** A change of one item, in the order in which the table made them. */
export interface TableChange {
  key: ItemKey;
  before: Item | undefined;
  after: Item | undefined;
}

/** One item as it was from a moment on. */
interface Version {
  since: number;
  item: Item | undefined;
}

/** The items of a partition key, and their sort keys in order. */
interface Partition {
  items: Map<string, Version[]>;
  order: string[];
  /** Its place among the segments of a scan. */
  spread: number;
}

/** A transaction that is still being made: its items show before or after, and take no other write. */
interface Commit {
  until: number;
  before: ReadonlyMap<string, Item | undefined>;
}

const MOST_BYTES = 400 * 1024;
const [MOST_PARTITION_BYTES, MOST_SORT_BYTES, MOST_INDEX_BYTES] = [2048, 1024, 1024];
const INDEXES = { gsi0: ['gsi0pk', 'gsi0sk'], gsi1: ['gsi1pk', 'gsi1sk'] } as const;
const KEPT_VERSIONS = 12;

/**
 * A table with the promises of DynamoDB, and none besides: a call changes one item, or the items of a transaction, at once;
 * a read that is not consistent shows the table some changes ago; an index is read like that; a Query next to a
 * transaction sees some of its items before, some after.
 */
export class Table {
  /** Called for each change. A put that changes nothing is one only if `tellsUnchanged`. */
  onChange: (change: TableChange) => void = () => undefined;
  tellsUnchanged = false;
  /** How many changes a read may be behind; 0: none, everything is quiet. */
  lag = 0;
  /** Calls that a transaction takes; 0: it is made at once. */
  commitCalls = 0;
  private readonly partitions = new Map<string, Partition>();
  private sources: string[] = [];
  private tick = 1;
  private calls = 0;
  private commits: Commit[] = [];

  constructor(
    readonly names: Names,
    private readonly dice: Dice,
  ) {}

  // ---- reads

  get(key: ItemKey, consistent: boolean): Item | undefined {
    return this.at(key, consistent ? this.tick : this.earlier());
  }

  /** Items of a partition, or of an index partition, by sort key. */
  query(request: QueryRequest): QueryResult {
    this.calls += 1;
    const { index, reverse = false, limit = Number.POSITIVE_INFINITY, startKey } = request;
    if (index !== undefined && request.consistent === true) throw refused('an index has no consistent reads');
    const moment = request.consistent === true ? this.tick : this.earlier();
    const rows = index === undefined ? this.partition(request.partition, moment) : this.indexed(request, moment);
    const position = (item: Item): string[] => this.position(item, index);
    const range = rangeOf(request);
    const sorted = rows
      .filter((item) => range(position(item)[0]!))
      .sort((left, right) => comparePositions(position(left), position(right)));
    if (reverse) sorted.reverse();
    const after = startKey === undefined ? undefined : position(startKey);
    const sign = reverse ? -1 : 1;
    const rest = sorted.filter((item) => after === undefined || sign * comparePositions(position(item), after) > 0);
    const page = rest.slice(0, limit);
    const kept = page.filter((item) => this.passes(item, request));
    const last = page.length < rest.length || page.length === limit ? page.at(-1) : undefined;
    return {
      items: request.countOnly === true ? [] : kept,
      count: kept.length,
      scanned: page.length,
      rcu: unitsOf(page, 4096),
      ...(last && { lastKey: this.keyAttributes(last, index) }),
    };
  }

  /** A page of a segment, partition by partition. */
  scan({ segment, segments, startKey, limit = 40, consistent, index }: ScanRequest): ScanPage {
    this.calls += 1;
    const moment = consistent === true ? this.tick : this.earlier();
    const position = (item: Item): string[] => [text(item[this.names.partitionKey])!, text(item[this.names.sortKey])!];
    const rows = this.sources
      .filter((source) => this.partitions.get(source)!.spread % segments === segment)
      .flatMap((source) => this.partition(source, moment))
      .filter((item) => index === undefined || text(item[INDEXES[index][0]]) !== undefined);
    const after = startKey === undefined ? undefined : position(startKey);
    const rest = rows.filter((item) => after === undefined || comparePositions(position(item), after) > 0);
    const items = rest.slice(0, limit);
    const last = items.length < rest.length ? items.at(-1) : undefined;
    return { items, rcu: unitsOf(items, 4096), ...(last && { lastKey: this.keyAttributes(last, index) }) };
  }

  /** Every item as it is, for those who stand outside. */
  all(): Item[] {
    const keys = this.sources.flatMap((source) =>
      this.partitions.get(source)!.order.map((target): ItemKey => ({ source, target })),
    );
    return keys.map((key) => this.at(key, this.tick)).filter((item) => item !== undefined);
  }

  // ---- writes of derived items

  update(update: DerivedUpdate): UpdateResult {
    this.calls += 1;
    this.refuseInCommit([update.key]);
    const current = this.at(update.key, this.tick);
    if (!holds(update.condition, current)) {
      return { applied: false, wcu: 1, ...(current && { current }) };
    }
    const next = this.updated(update, current);
    this.write(update.key, next);
    return { applied: true, wcu: unitsOf([next, current ?? {}], 1024, true) };
  }

  transact(updates: readonly DerivedUpdate[]): TransactResult {
    this.calls += 1;
    if (updates.length === 0 || updates.length > 100) throw refused('1 to 100 items in a transaction');
    if (new Set(updates.map(({ key }) => name(key))).size < updates.length) throw refused('an item twice');
    this.refuseInCommit(updates.map(({ key }) => key));
    const currents = updates.map(({ key }) => this.at(key, this.tick));
    if (!updates.every(({ condition }, i) => holds(condition, currents[i])))
      return { applied: false, wcu: 2 * updates.length };
    const next = updates.map((update, i) => this.updated(update, currents[i]));
    this.commit(updates.map(({ key }, i) => [key, currents[i]]));
    updates.forEach(({ key }, i) => {
      this.write(key, next[i]);
    });
    return { applied: true, wcu: 2 * updates.length };
  }

  // ---- writes of whole items

  put(item: Item): WriteResult {
    this.calls += 1;
    const key = this.keyOf(item);
    this.refuseInCommit([key]);
    this.check(key, item);
    this.write(key, item);
    return { wcu: unitsOf([item], 1024) };
  }

  delete(key: ItemKey, unchanged?: RevisionCondition): DeleteResult {
    this.calls += 1;
    this.refuseInCommit([key]);
    if (unchanged !== undefined && !holds(unchanged, this.at(key, this.tick))) return { applied: false, wcu: 1 };
    this.write(key, undefined);
    return { applied: true, wcu: 1 };
  }

  change(change: BaseChange): ChangeResult {
    this.calls += 1;
    this.refuseInCommit([change.key]);
    const current = this.at(change.key, this.tick);
    if (!holdsForBase(change.condition, current)) return { applied: false, wcu: 1, ...(current && { current }) };
    const item = this.changed(change, current);
    if (change.kind !== 'look') this.write(change.key, item);
    return { applied: true, wcu: 1, ...(item && { item }) };
  }

  changeAll(changes: readonly BaseChange[]): ChangeAllResult {
    this.calls += 1;
    this.refuseInCommit(changes.map(({ key }) => key));
    const currents = changes.map(({ key }) => this.at(key, this.tick));
    const failed = changes.flatMap(({ condition }, place) =>
      holdsForBase(condition, currents[place]) ? [] : [{ place, ...(currents[place] && { current: currents[place] }) }],
    );
    if (failed.length > 0) return { applied: false, wcu: 2 * changes.length, failed };
    const next = changes.map((change, i) => this.changed(change, currents[i]));
    this.commit(changes.map(({ key }, i) => [key, currents[i]]));
    changes.forEach(({ key, kind }, i) => {
      if (kind !== 'look') this.write(key, next[i]);
    });
    return { applied: true, wcu: 2 * changes.length };
  }

  /** Deletes what has expired, as TTL does: without anyone's condition. */
  expire(nowMs: number): void {
    for (const item of this.all()) {
      const until = item[this.names.ttl];
      if (until !== undefined && 'N' in until && Number(until.N) * 1000 < nowMs)
        this.write(this.keyOf(item), undefined);
    }
  }

  keyOf(item: Item): ItemKey {
    const { partitionKey, sortKey } = this.names;
    return { source: text(item[partitionKey]) ?? '', target: text(item[sortKey]) ?? '' };
  }

  // ---- inside

  private at({ source, target }: ItemKey, moment: number): Item | undefined {
    return this.partitions
      .get(source)
      ?.items.get(target)
      ?.findLast(({ since }) => since <= moment)?.item;
  }

  private earlier(): number {
    return this.tick - (this.lag === 0 ? 0 : this.dice.below(this.lag + 1));
  }

  private partition(source: string, moment: number): Item[] {
    const items: Item[] = [];
    for (const target of this.partitions.get(source)?.order ?? []) {
      const item = this.seen({ source, target }, moment);
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  /** The item as a Query sees it: next to a transaction, before or after. */
  private seen(key: ItemKey, moment: number): Item | undefined {
    const open = this.commits.find((commit) => commit.until > this.calls && commit.before.has(name(key)));
    return open !== undefined && this.dice.chance(0.5) ? open.before.get(name(key)) : this.at(key, moment);
  }

  private indexed({ index, partition }: QueryRequest, moment: number): Item[] {
    const [partitionKey, sortKey] = INDEXES[index!];
    const items: Item[] = [];
    for (const [source, { order }] of this.partitions) {
      for (const target of order) {
        const item = this.at({ source, target }, moment);
        if (item !== undefined && text(item[partitionKey]) === partition && text(item[sortKey]) !== undefined)
          items.push(item);
      }
    }
    return items;
  }

  private position(item: Item, index: QueryRequest['index']): string[] {
    const { source, target } = this.keyOf(item);
    return index === undefined ? [target] : [text(item[INDEXES[index][1]])!, source, target];
  }

  private keyAttributes(item: Item, index: QueryRequest['index']): Item {
    const names = [this.names.partitionKey, this.names.sortKey, ...(index === undefined ? [] : INDEXES[index])];
    return Object.fromEntries(names.map((key) => [key, item[key]!]));
  }

  private passes(item: Item, { where = [], itemKeys }: QueryRequest): boolean {
    const shown = item['attributes'];
    const attributes = shown !== undefined && 'M' in shown ? shown.M : {};
    for (const term of where) {
      if (term.compare !== '=') throw new Error(`The table of the attack does not compare by ${term.compare}.`);
      if (fingerprint(attributes[term.attribute]) !== fingerprint(term.value)) return false;
    }
    if (itemKeys === undefined) return true;
    const { source, target } = this.keyOf(item);
    const isTarget = itemKeys.isPrefix ? target.startsWith(itemKeys.target) : target === itemKeys.target;
    return isTarget && itemKeys.sources.some((prefix) => source.startsWith(prefix));
  }

  private updated(update: DerivedUpdate, current: Item | undefined): Item {
    const { key, set, unset, add = {}, addTo = {}, addElements, deleteElements, setElements, condition } = update;
    const { partitionKey, sortKey } = this.names;
    const next: Item = { ...current, [partitionKey]: { S: key.source }, [sortKey]: { S: key.target } };
    const restarts = condition.kind === 'revision' && condition.malformed !== undefined;
    const elements = [addElements, deleteElements, setElements].filter((list) => list !== undefined && list.length > 0);
    const touched = [...Object.keys(set), ...unset, ...Object.keys(add), ...Object.keys(addTo), 'r'];
    if (elements.length > 0) touched.push(...elements.map(() => 'edgeSet'));
    if (new Set(touched).size < touched.length) throw refused(`two paths overlap: ${touched.join(', ')}`);
    if (touched.includes(partitionKey) || touched.includes(sortKey)) throw refused('a key cannot be updated');
    for (const [attribute, value] of Object.entries(set)) next[attribute] = value;
    for (const attribute of unset) delete next[attribute];
    for (const [attribute, amount] of Object.entries(add)) next[attribute] = added(current?.[attribute], amount);
    next['r'] = restarts ? { N: '1' } : added(current?.['r'], '1');
    for (const [attribute, texts] of Object.entries(addTo)) next[attribute] = joined(current?.[attribute], texts);
    if (addElements !== undefined && addElements.length > 0)
      next['edgeSet'] = joined(current?.['edgeSet'], addElements);
    if (setElements !== undefined && setElements.length > 0) next['edgeSet'] = joined(undefined, setElements);
    if (deleteElements !== undefined && deleteElements.length > 0) {
      const left = textsOf(current?.['edgeSet']).filter((element) => !deleteElements.includes(element));
      if (left.length > 0) next['edgeSet'] = { SS: left };
      else delete next['edgeSet'];
    }
    this.check(key, next);
    return next;
  }

  private changed(change: BaseChange, current: Item | undefined): Item | undefined {
    if (change.kind === 'delete') return undefined;
    if (change.kind === 'look') return current;
    if (change.kind === 'put') {
      this.check(change.key, change.item);
      return change.item;
    }
    const { set = {}, remove = [], add = {}, addTo = {}, deleteFrom = {} } = change.changes;
    if (Object.keys(addTo).length + Object.keys(deleteFrom).length > 0)
      throw new Error('this table has no sets of producers');
    const { source, target } = change.key;
    const { partitionKey, sortKey } = this.names;
    const next: Item = { ...current, [partitionKey]: { S: source }, [sortKey]: { S: target }, ...set };
    for (const attribute of remove) delete next[attribute];
    for (const [attribute, amount] of Object.entries(add)) next[attribute] = added(current?.[attribute], amount);
    this.check(change.key, next);
    return next;
  }

  private check({ source, target }: ItemKey, item: Item): void {
    if (source === '' || Buffer.byteLength(source) > MOST_PARTITION_BYTES) throw refused('partition key');
    if (target === '' || Buffer.byteLength(target) > MOST_SORT_BYTES) throw refused('sort key');
    for (const key of Object.values(INDEXES).flat()) {
      const value = item[key];
      if (value === undefined) continue;
      const is = text(value);
      const most = key.endsWith('pk') ? MOST_PARTITION_BYTES : MOST_INDEX_BYTES;
      if (is === undefined || is === '' || Buffer.byteLength(is) > most) throw refused(`index key ${key}`);
    }
    for (const [attribute, value] of Object.entries(item)) {
      if (value === undefined) throw refused(`${attribute} is undefined`);
      if ('SS' in value && (value.SS.length === 0 || new Set(value.SS).size < value.SS.length))
        throw refused(`the set ${attribute}`);
      if ('N' in value) checkedNumber(value.N);
    }
    if (bytesOf(item) > MOST_BYTES) throw refused('Item size has exceeded the maximum allowed size');
  }

  private write(key: ItemKey, item: Item | undefined): void {
    const before = this.at(key, this.tick);
    const isSame = fingerprint(before) === fingerprint(item);
    this.tick += 1;
    const versions = this.versionsOf(key);
    const after = frozen(item);
    versions.push({ since: this.tick, item: after });
    if (versions.length > KEPT_VERSIONS) {
      versions.shift();
      versions[0] = { since: 0, item: versions[0]!.item };
    }
    if (before === undefined && after === undefined) return;
    if (!isSame || this.tellsUnchanged) this.onChange({ key, before, after });
  }

  private versionsOf({ source, target }: ItemKey): Version[] {
    let partition = this.partitions.get(source);
    if (partition === undefined) {
      partition = { items: new Map(), order: [], spread: spread(source) };
      this.partitions.set(source, partition);
      this.sources = [...this.sources, source].sort(compareBytes);
    }
    let versions = partition.items.get(target);
    if (versions === undefined) {
      versions = [{ since: 0, item: undefined }];
      partition.items.set(target, versions);
      partition.order = [...partition.order, target].sort(compareBytes);
    }
    return versions;
  }

  private commit(items: [ItemKey, Item | undefined][]): void {
    if (this.commitCalls === 0) return;
    this.commits = this.commits.filter(({ until }) => until > this.calls);
    const until = this.calls + 1 + this.dice.below(this.commitCalls);
    this.commits.push({ until, before: new Map(items.map(([key, item]) => [name(key), item])) });
  }

  private refuseInCommit(keys: readonly ItemKey[]): void {
    for (const { until, before } of this.commits) {
      if (until > this.calls && keys.some((key) => before.has(name(key))))
        throw new StoreError('retryable', 'TransactionConflictException', 'A transaction holds the item.');
    }
  }
}

function name({ source, target }: ItemKey): string {
  return `${source}\n${target}`;
}

function refused(reason: string): StoreError {
  return new StoreError('terminal', 'ValidationException', `The table refuses: ${reason}.`);
}

function checkedNumber(number: string): void {
  const exact = exactOf(number);
  if (exact === undefined || !isStorable(exact)) throw refused(`the number ${number}`);
}

function added(value: AttributeValue | undefined, amount: string): AttributeValue {
  if (value !== undefined && !('N' in value)) throw refused('ADD to what is no number');
  checkedNumber(amount);
  const sum = plus(exactOf(value?.N ?? '0')!, exactOf(amount)!);
  checkedNumber(textOf(sum));
  return { N: textOf(sum) };
}

function joined(value: AttributeValue | undefined, more: readonly string[]): AttributeValue {
  if (value !== undefined && !('SS' in value)) throw refused('ADD to what is no set');
  return { SS: [...new Set([...textsOf(value), ...more])] };
}

function textsOf(value: AttributeValue | undefined): string[] {
  return value !== undefined && 'SS' in value ? value.SS : [];
}

function holds(condition: UpdateCondition, item: Item | undefined): boolean {
  if (condition.kind === 'none') return true;
  if (condition.kind === 'revision') {
    const { revision, malformed, expiry } = condition;
    const expected = malformed ?? (revision === undefined ? undefined : { N: revision });
    if (expected === undefined) return item?.['r'] === undefined;
    if (fingerprint(item?.['r']) !== fingerprint(expected)) return false;
    return expiry === undefined || fingerprint(item?.[expiry.attribute]) === fingerprint(expiry.value);
  }
  if (condition.kind === 'holding') {
    const sets = Object.entries(condition.texts);
    return sets.every(([name, texts]) => texts.every((held) => textsOf(item?.[name]).includes(held)));
  }
  const { watermark, notEvicted = [], evicted = [], shape, fenceBefore } = condition;
  const seen = item?.['w'];
  if (seen !== undefined && !('S' in seen && compareBytes(seen.S, watermark) < 0)) return false;
  const fence = item?.['fence'];
  if (fenceBefore !== undefined && fence !== undefined && !('N' in fence && Number(fence.N) < fenceBefore))
    return false;
  const gone = textsOf(item?.['evicted']);
  if (notEvicted.some((type) => gone.includes(type)) || !evicted.every((type) => gone.includes(type))) return false;
  if (shape === undefined || (shape.mayBeMissing && item?.['r'] === undefined)) return true;
  return text(item?.['model']) === shape.stamp;
}

function holdsForBase({ present, equal = {}, absent = [] }: BaseCondition = {}, item: Item | undefined): boolean {
  if (present !== undefined && present !== (item !== undefined)) return false;
  if (
    !Object.entries(equal).every(([key, value]) => item !== undefined && fingerprint(item[key]) === fingerprint(value))
  )
    return false;
  return absent.every((key) => item?.[key] === undefined);
}

function rangeOf({ sortKey }: QueryRequest): (key: string) => boolean {
  if (sortKey === undefined) return () => true;
  if ('beginsWith' in sortKey) return (key) => key.startsWith(sortKey.beginsWith);
  const { from, to } = sortKey;
  return (key) =>
    (from === undefined || compareBytes(key, from) >= 0) && (to === undefined || compareBytes(key, to) <= 0);
}

function comparePositions(left: readonly string[], right: readonly string[]): number {
  for (const [i, text] of left.entries()) {
    const order = compareBytes(text, right[i]!);
    if (order !== 0) return order;
  }
  return 0;
}

function unitsOf(items: readonly Item[], unit: number, largest = false): number {
  const sizes = items.map(bytesOf);
  const bytes = largest ? Math.max(0, ...sizes) : sizes.reduce((sum, size) => sum + size, 0);
  return Math.max(1, Math.ceil(bytes / unit));
}

/** A number by which partitions are spread over segments, and items over shards. */
export function spread(text: string): number {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash >>> 3;
}
