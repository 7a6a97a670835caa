import { type Item, itemSizeBytes, sameItem } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { countedTypes, type ModelOptions, TIGHT_BUDGET_BYTES } from './models.ts';
import { type ExpectedPartition, expectedPartitions, isPoison } from './oracle.ts';

/** A batch, and how many of its records, from the first on, the projector says are done. */
export interface Answered {
  records: readonly ChangeRecord[];
  done: number;
}

/** What a quiet table is judged by. */
export interface QuietTable {
  options: ModelOptions;
  /** Every item. */
  items: readonly Item[];
  /** The batches that were answered for. */
  answered: readonly Answered[];
  /** Quarantine entries that were settled and deleted, as `entryOf` names them. */
  settledEntries: ReadonlySet<string>;
  /** Partitions with records that were given up: what is quarantined there is not known. */
  givenUp: ReadonlySet<string>;
  /** Those of them that no repair has gone over. */
  unmended: ReadonlySet<string>;
}

const ENTRY_PREFIX = '~quarantine/';

/** The differences between the derived items and what the base items say, one sentence each. */
export function differences(quiet: QuietTable): string[] {
  const { options, items, givenUp, unmended } = quiet;
  // Of all items: what is derived from one partition may lie in another.
  const found = derivedDifferences(options, items).filter((text) => !unmended.has(text.split(' ')[0]!));
  const entries = items.filter((item) => keyText(item, 'target').startsWith(ENTRY_PREFIX));
  const judged = entries.filter((item) => !givenUp.has(keyText(item, 'source')));
  compareEntries(found, new Set(judged.map(entryOf)), quiet);
  for (const item of items) if (!givenUp.has(keyText(item, 'source'))) compareSize(found, options, item);
  return found;
}

/** A view grows beyond its budget by a write and is cut by the next; where that was given up it waits for another record. */
function compareSize(found: string[], { budget }: ModelOptions, item: Item): void {
  const isBounded = keyText(item, 'target') === '~view' && keyText(item, 'source').startsWith('GOAL-');
  if (budget === 'ample' || !isBounded || itemSizeBytes(item) <= TIGHT_BUDGET_BYTES) return;
  found.push(`${keyText(item, 'source')} ~view is beyond its budget with ${itemSizeBytes(item)} bytes`);
}

/** The differences between views and index items and what the base items say, one sentence each, its partition first. */
export function derivedDifferences(options: ModelOptions, items: readonly Item[]): string[] {
  const found: string[] = [];
  const base: Item[] = [];
  const derived: Item[] = [];
  for (const item of items) (keyText(item, 'target').startsWith('~') ? derived : base).push(item);
  const expected = expectedPartitions(options, base);
  for (const item of derived) {
    const source = keyText(item, 'source');
    const target = keyText(item, 'target');
    const wanted = expected.get(source);
    if (target === '~view') {
      compareView(found, options, source, wanted, item);
      if (wanted !== undefined) wanted.elements = new Set();
      if (wanted !== undefined) wanted.attributes = undefined;
    } else if (target.startsWith('~more/')) {
      if (item['after'] !== undefined) found.push(`${source} ${target} has not come to its end`);
      else if (item['expiresAt'] === undefined) found.push(`${source} ${target} has no expiry`);
    } else if (/^~(ix|rev|in|view)\//.test(target)) {
      compareIndexItem(found, `${source} ${target}`, wanted?.indexItems.get(target), item);
      wanted?.indexItems.delete(target);
    } else if (target === '~total/WORK' || target === '~degree/WORK') {
      compareTotal(found, `${source} ${target}`, wanted?.totals.get(target), item);
      wanted?.totals.delete(target);
    } else if (countedTypes(options).some((type) => target === `~degree/${type}`)) {
      const type = target.slice('~degree/'.length);
      const count = item['count'] !== undefined && 'N' in item['count'] ? Number(item['count'].N) : undefined;
      const right = wanted?.counted.get(type) ?? 0;
      if (count !== right) found.push(`${source} ${target} is ${count} instead of ${right}`);
      wanted?.counted.delete(type);
    } else if (!target.startsWith(ENTRY_PREFIX)) {
      found.push(`${source} ${target} is no derived item`);
    }
  }
  for (const [source, { elements, attributes, indexItems, counted, totals }] of expected) {
    for (const key of totals.keys()) found.push(`${source} ${key} is missing`);
    for (const type of counted.keys()) found.push(`${source} ~degree/${type} is missing`);
    if (elements.size > 0 || attributes !== undefined) found.push(`${source} ~view is missing`);
    for (const target of indexItems.keys()) found.push(`${source} ${target} is missing`);
  }
  return found;
}

function compareView(
  found: string[],
  options: ModelOptions,
  source: string,
  wanted: ExpectedPartition | undefined,
  view: Item,
): void {
  const elements = setOf(view['edgeSet']);
  const evicted = setOf(view['evicted']);
  // Readers look for the edges of an evicted type elsewhere.
  const expected = [...(wanted?.elements ?? [])].filter((element) => !evicted.includes(element.split('-')[0]!));
  if (options.budget === 'ample' && evicted.length > 0) found.push(`${source} ~view has evicted ${list(evicted)}`);
  if (elements.length !== expected.length || !expected.every((element) => elements.includes(element))) {
    found.push(`${source} ~view has the edge set ${list(elements)} instead of ${list(expected)}`);
  }
  const attributes = view['attributes'] !== undefined && 'M' in view['attributes'] ? view['attributes'].M : undefined;
  if (!sameItem(attributes, wanted?.attributes)) {
    found.push(`${source} ~view has the attributes ${json(attributes)} instead of ${json(wanted?.attributes)}`);
  }
  const copies = view['copies'] !== undefined && 'M' in view['copies'] ? view['copies'].M : undefined;
  const expectedCopies = [...(wanted?.copies ?? [])].filter(([edge]) => !evicted.includes(edge.split('-')[0]!));
  const wantedCopies = Object.fromEntries(
    expectedCopies.map(([edge, copy]): [string, Item[string]] => [edge, { M: copy }]),
  );
  if (!sameItem(copies ?? {}, wantedCopies)) {
    found.push(`${source} ~view has the copies ${json(copies)} instead of ${json(wantedCopies)}`);
  }
  if (view['gsi0pk'] !== undefined) found.push(`${source} ~view has keys of an index`);
  const isLive = elements.length > 0 || attributes !== undefined || evicted.length > 0;
  if (view['expiresAt'] !== undefined && isLive) {
    found.push(`${source} ~view has an expiry and is no tombstone`);
  }
}

/** Numbers of a total are compared in tenths: producers write no others. */
export function compareTotal(
  found: string[],
  name: string,
  wanted: Map<string, number> = new Map(),
  item: Item = {},
): void {
  const stored = new Map<string, number>();
  for (const [attribute, value] of Object.entries(item)) {
    if (!/^(count|problems|sum\/|by\/)/.test(attribute)) continue;
    const number = 'N' in value ? Math.round(Number(value.N) * 10) : Number.NaN;
    if (number !== 0) stored.set(attribute, number);
  }
  const right = new Map([...wanted].filter(([, number]) => number !== 0));
  const isSame =
    stored.size === right.size && [...right].every(([attribute, number]) => stored.get(attribute) === number);
  if (isSame) return;
  found.push(`${name} is ${json(Object.fromEntries(stored))} instead of ${json(Object.fromEntries(right))}`);
}

const FIELDS = [
  ...['gsi0pk', 'gsi0sk', 'gsi1pk', 'gsi1sk', 'value', 'attributes', 'counted', 'ledger', 'child'],
] as const;

function compareIndexItem(found: string[], name: string, wanted: Item | undefined, item: Item): void {
  const stored: Item = {};
  for (const field of FIELDS) if (item[field] !== undefined) stored[field] = item[field];
  if (!sameItem(stored, wanted ?? {})) {
    found.push(`${name} holds ${json(stored)} instead of ${json(wanted ?? {})}`);
  }
  const isLive = Object.keys(stored).length > 0;
  if (isLive && item['expiresAt'] !== undefined) found.push(`${name} has an expiry and is no tombstone`);
}

/** An entry for each record of poison that a batch ended in, if it was not settled; none for another record. */
function compareEntries(
  found: string[],
  entries: ReadonlySet<string>,
  { options, answered, settledEntries, givenUp }: QuietTable,
): void {
  const poison = new Set<string>();
  for (const { records, done } of answered) {
    const newest = new Map<string, number>();
    for (const [i, record] of records.entries()) {
      if (givenUp.has(record.source)) continue;
      newest.set(`${record.source} ${record.target}`, i);
      if (record.newImage !== undefined && isPoison(options, record.newImage)) poison.add(entryText(record));
    }
    for (const i of newest.values()) {
      const entry = entryText(records[i]!);
      const isKept = entries.has(entry) || settledEntries.has(entry);
      if (i < done && poison.has(entry) && !isKept) found.push(`there is no quarantine entry ${entry}`);
    }
  }
  for (const entry of entries) if (!poison.has(entry)) found.push(`the quarantine entry ${entry} has no reason`);
}

/** A quarantine entry as it is told from others: by the record that it stands for. */
export function entryOf(item: Item): string {
  return `${keyText(item, 'source')} ${keyText(item, 'of')} ${keyText(item, 'w')}`;
}

function entryText({ source, target, position }: ChangeRecord): string {
  return `${source} ${target} ${position}`;
}

function keyText(item: Item, name: string): string {
  const value = item[name];
  return value !== undefined && 'S' in value ? value.S : '';
}

function setOf(value: Item[string] | undefined): readonly string[] {
  return value !== undefined && 'SS' in value ? value.SS : [];
}

function list(texts: readonly string[]): string {
  return `{${[...texts].sort().join(', ')}}`;
}

function json(item: object | undefined): string {
  return item === undefined ? 'none' : JSON.stringify(item);
}
