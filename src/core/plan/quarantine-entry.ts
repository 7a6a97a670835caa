import type { StoreError } from '../../foundation/errors.ts';
import { type Item, stringOf, textsOf } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { INDEX_KEYS, MODEL, QUARANTINE_FIELDS } from '../items/derived-item.ts';
import { baseKeyOfIndexItem, parseDerivedKey } from '../items/derived-key.ts';
import type { Problem } from '../kinds/parts/subject.ts';
import { namedInEntryKey, quarantineEntry } from '../kinds/quarantine-entry.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { entryKeyOf } from '../model/projection/places.ts';
import type { DerivedUpdate, ItemKey } from '../store-port.ts';
import { keyOfTouch, type Touch } from './touch.ts';
import { type EpochSeconds, itemUpdate } from './writes/item-update.ts';

/** The index partition of all entries, sorted by time. */
export const QUARANTINE_PARTITION = '~quarantine';

/** Limited because the reason quotes names and values of the base item. */
export const MAX_REASON_CHARACTERS = 4_000;

export interface QuarantineEntry {
  source: string;
  /** `~view` for a view that can't be written; empty if unknown. */
  target: string;
  code: string;
  reason: string;
  /** When the fault was found, in ISO 8601. */
  since: string;
  /** The sort key of the refused derived item, if that is in the base item's partition. */
  derivedKeys: string[];
  /** The key of the refused derived item, if that is in another partition. */
  elsewhere?: ItemKey;
}

export interface FaultOfBase {
  base: ItemKey;
  /** The entry as it was read before the base item. */
  was: Item | undefined;
  /** If empty, the entry is removed. */
  problems: readonly Problem[];
  records: readonly ChangeRecord[];
}

export function faultEntry({ base, was, problems, records }: FaultOfBase, nowMs: number): Item | undefined {
  if (problems.length === 0) return undefined;
  const reason = problems.map(({ message }) => message).join('; ');
  const code = [...new Set(problems.map((problem) => problem.code))].join(' ');
  return entryContent(base, { code, reason, since: sinceOf(was, records, nowMs), shown: base.target });
}

/**
 * The key of an item in a target's partition is combined with the edge's, because edges of one type from one node have
 * items with the same sort key in all their targets' partitions.
 */
export function refusalKey(touch: Touch): ItemKey {
  const { source, target } = baseOfTouch(touch);
  const name = source === touch.source ? touch.sortKey : `${touch.sortKey}/${target}`;
  return { source, target: entryKeyOf(name) };
}

/** The entry stays until a redrive or a later change writes the item. */
export function refusalEntry(touch: Touch, was: Item | undefined, error: StoreError, nowMs: number): Item {
  const { source, target } = keyOfTouch(touch);
  const base = baseOfTouch(touch);
  const reason = `${target} cannot be written: ${error.message}`;
  const since = sinceOf(was, touch.records, nowMs);
  return {
    ...entryContent(base, { code: error.code, reason, since, shown: touch.kind === 'view' ? '' : base.target }),
    [QUARANTINE_FIELDS.derivedKeys]: { SS: [target] },
    ...(base.source !== source && { [QUARANTINE_FIELDS.in]: { S: source } }),
  };
}

/**
 * Returns the update of an entry. If the table accepts only the entry's keys, the update sets no model, so that the
 * entry isn't taken for a tombstone.
 */
export function entryUpdate(
  graph: CompiledModel,
  key: ItemKey,
  was: Item | undefined,
  content: Item | undefined,
  nowMs: number,
): DerivedUpdate {
  const now: EpochSeconds = Math.floor(nowMs / 1000);
  const update = itemUpdate(graph, key, was, content, now);
  if (content === undefined || content[QUARANTINE_FIELDS.of] !== undefined) return update;
  const { [MODEL]: _, ...set } = update.set;
  return { ...update, set, unset: was?.[MODEL] === undefined ? update.unset : [...update.unset, MODEL] };
}

function entryContent(
  { source, target }: ItemKey,
  { code, reason, since, shown }: { code: string; reason: string; since: string; shown: string },
): Item {
  return {
    [INDEX_KEYS.gsi0.partition]: { S: QUARANTINE_PARTITION },
    [INDEX_KEYS.gsi0.sort]: { S: `${since}/${source}` },
    [QUARANTINE_FIELDS.of]: { S: target },
    [QUARANTINE_FIELDS.code]: { S: code },
    [QUARANTINE_FIELDS.reason]: { S: shortenedReason(`${source} ${shown === '' ? '' : `${shown} `}- ${reason}`) },
    [QUARANTINE_FIELDS.since]: { S: since },
  };
}

function baseOfTouch(touch: Touch): ItemKey {
  if (touch.kind === 'item' || touch.kind === 'entry') return touch.base;
  // A fan-out is repeated from its parent node.
  return { source: touch.source, target: touch.kind === 'view' ? touch.sortKey : touch.source };
}

/**
 * Returns the forms of an entry, each for a table that refuses the previous one: whole, only its index keys, without
 * its index keys, and empty. A check finds all of them; a redrive of everything finds the first two.
 */
export function formsOfEntry(content: Item): readonly Item[] {
  const { [INDEX_KEYS.gsi0.partition]: partition, [INDEX_KEYS.gsi0.sort]: sort, ...unlisted } = content;
  const listed: Item = { [INDEX_KEYS.gsi0.partition]: partition!, [INDEX_KEYS.gsi0.sort]: sort! };
  return [content, listed, unlisted, {}];
}

export function unwrittenEntry(entry: Item, { message }: StoreError): Item {
  const reason = stringOf(entry[QUARANTINE_FIELDS.reason]) ?? '';
  const text = `${reason.replace(/\.$/, '')}. The table refuses the quarantine entry, too: ${message} A check finds what is missing.`;
  return { ...entry, [QUARANTINE_FIELDS.reason]: { S: text } };
}

function shortenedReason(reason: string): string {
  return reason.length <= MAX_REASON_CHARACTERS ? reason : `${reason.slice(0, MAX_REASON_CHARACTERS)}...`;
}

/** Reads the base item's key from the entry's own key if the entry's attributes lack it. */
export function readEntry(graph: CompiledModel, item: Item): QuarantineEntry {
  const text = (name: string): string => (item[name] !== undefined && 'S' in item[name] ? item[name].S : '');
  const sortKeys = [...textsOf(item[QUARANTINE_FIELDS.derivedKeys])];
  const partition = text(QUARANTINE_FIELDS.in);
  const source = text(graph.table.partitionKey);
  return {
    source,
    target: text(QUARANTINE_FIELDS.of) || targetOfKey(source, text(graph.table.sortKey)),
    code: text(QUARANTINE_FIELDS.code),
    reason: text(QUARANTINE_FIELDS.reason),
    since: text(QUARANTINE_FIELDS.since),
    derivedKeys: partition === '' ? sortKeys : [],
    ...(partition !== '' && sortKeys[0] !== undefined && { elsewhere: { source: partition, target: sortKeys[0] } }),
  };
}

function targetOfKey(source: string, sortKey: string): string {
  const named = namedInEntryKey(sortKey);
  const derived = parseDerivedKey(named);
  if (derived === undefined || derived.kind === 'view') return named;
  return derived.kind === 'index-item' ? (baseKeyOfIndexItem(source, named) ?? '') : '';
}

/** Keeps the time of an existing entry. Otherwise, uses the stream's clock if there is a record. */
function sinceOf(was: Item | undefined, records: readonly ChangeRecord[], nowMs: number): string {
  const known = quarantineEntry.isLive(was) ? stringOf(was?.[QUARANTINE_FIELDS.since]) : undefined;
  if (known !== undefined) return known;
  const seconds = records[0]?.createdAtSeconds;
  return new Date(seconds === undefined ? nowMs : seconds * 1000).toISOString();
}
