import type { StoreError } from '../../foundation/errors.ts';
import { type Item, stringOf } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { INDEX_KEYS, MODEL, QUARANTINE_FIELDS, REVISION, WATERMARK } from '../items/derived-item.ts';
import { baseKeyOfIndexItem, parseDerivedKey } from '../items/derived-key.ts';
import type { CompiledModel, TableNames } from '../model/compiled.ts';
import { entryKeyOf } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';
import { type CountedUnit, type JoinedUnit, positionSpan, type QuarantineUnit, type Unit } from './unit.ts';

/** The index partition of all quarantine entries; entries are sorted by the time when their record was made. */
export const QUARANTINE_PARTITION = '~quarantine';

/** The code of an entry that names a derived item alone, whose present model decides about it. */
export const REBUILT_MEANWHILE = 'rebuilt-meanwhile';

/** The most characters of the reason in an entry: it quotes names and values of the record, and the entry has to fit. */
export const MAX_REASON_CHARACTERS = 4_000;
/** The most bytes of derived items' sort keys in an entry. A check reconciles the items beyond them. */
export const MAX_DERIVED_KEY_BYTES = 200_000;

/** A quarantine entry: the base item that cannot be projected, with the reason and the time. */
export interface QuarantineEntry {
  source: string;
  /** Sort key of the base item; `~view` for a view that cannot be written. Empty if the entry does not show it. */
  target: string;
  /** The code of the reason, for programs. */
  code: string;
  /** One or more sentences that name the attribute. */
  reason: string;
  /** When the record was made, ISO 8601. */
  since: string;
  /** Sort keys of the affected derived items in the base item's partition. */
  derivedKeys: string[];
  /** The affected derived item in another partition. The key of a deleted edge may not name that partition. */
  elsewhere?: ItemKey;
}

/** Makes the entry for a record that could not be derived in full. */
export function derivationEntry(graph: CompiledModel, unit: QuarantineUnit, nowMs: number): Item {
  const reason = unit.problems.map(({ message }) => message).join('; ');
  const codes = [...new Set(unit.problems.map(({ code }) => code))].join(' ');
  // rule: entry-keeps-no-image
  return entryItem(graph, unit, unit.target, { code: codes, reason, derivedKeys: unit.derivedKeys }, nowMs);
}

/**
 * Makes the entry for a derived item that DynamoDB refuses. The derived sort key is in its name, so that two derived items of one
 * record have an entry each.
 */
export function refusalEntry(graph: CompiledModel, refused: Unit, error: StoreError, nowMs: number): Item {
  const unit = refused.kind === 'counted' || refused.kind === 'joined' ? refused.items[0]! : refused;
  const isBeside = unit.kind !== 'index' || unit.source === unit.base.source;
  const reason = `${unit.sortKey} cannot be written: ${error.message}`;
  const entry = entryItem(graph, unit, unit.sortKey, { code: error.code, reason, derivedKeys: [unit.sortKey] }, nowMs);
  return isBeside ? entry : { ...entry, [QUARANTINE_FIELDS.in]: { S: unit.source } };
}

/** Makes the entry for a derived item that a batch of another model has written during a rebuild. */
export function rebuiltEntry(
  graph: CompiledModel,
  key: ItemKey,
  records: readonly ChangeRecord[],
  nowMs: number,
): Item {
  const { source, target: sortKey } = key;
  const unit: QuarantineUnit = {
    kind: 'quarantine',
    source,
    sortKey,
    target: sortKey,
    problems: [],
    derivedKeys: [],
    records,
    ...positionSpan(records),
  };
  const reason = 'The table was rebuilt by another model while this item was written.';
  return entryItem(graph, unit, sortKey, { code: REBUILT_MEANWHILE, reason, derivedKeys: [sortKey] }, nowMs);
}

function entryItem(
  graph: CompiledModel,
  unit: Exclude<Unit, CountedUnit | JoinedUnit>,
  named: string,
  { code, reason, derivedKeys }: { code: string; reason: string; derivedKeys: readonly string[] },
  nowMs: number,
): Item {
  const { partitionKey, sortKey } = graph.table;
  const since = sinceOf(unit.records, nowMs);
  const { source, target } = keyToReconcile(unit);
  return {
    [partitionKey]: { S: source },
    [sortKey]: { S: entryKeyOf(named, unit.newest) },
    [INDEX_KEYS.gsi0.partition]: { S: QUARANTINE_PARTITION },
    [INDEX_KEYS.gsi0.sort]: { S: `${since}/${unit.newest}` },
    [QUARANTINE_FIELDS.of]: { S: target },
    [QUARANTINE_FIELDS.code]: { S: code },
    [QUARANTINE_FIELDS.reason]: {
      S: shortenedReason(`${source} ${unit.kind === 'view' ? '' : `${target} `}- ${reason}`),
    },
    [QUARANTINE_FIELDS.since]: { S: since },
    [WATERMARK]: { S: unit.newest },
    [REVISION]: { N: '1' },
    [MODEL]: { S: graph.fingerprint },
    ...(derivedKeys.length > 0 && { [QUARANTINE_FIELDS.derivedKeys]: { SS: fittingKeys(derivedKeys) } }),
  };
}

/**
 * The forms of an entry, each for a table that refuses the one before: whole; with its keys alone, which name the item and the record;
 * and both without the keys of the index, which may have other types there. A check finds all of them, a redrive of all the first two.
 */
export function formsOfEntry({ partitionKey, sortKey }: TableNames, entry: Item): readonly Item[] {
  const { [INDEX_KEYS.gsi0.partition]: partition, [INDEX_KEYS.gsi0.sort]: sort, ...unlisted } = entry;
  const bare: Item = { [partitionKey]: entry[partitionKey]!, [sortKey]: entry[sortKey]! };
  const listed: Item = { ...bare, [INDEX_KEYS.gsi0.partition]: partition!, [INDEX_KEYS.gsi0.sort]: sort! };
  return [entry, listed, unlisted, bare];
}

/** The entry, for a log alone, of which the table takes no form: its reason says so. */
export function unwrittenEntry(entry: Item, { message }: StoreError): Item {
  const reason = stringOf(entry[QUARANTINE_FIELDS.reason]) ?? '';
  const text = `${reason.replace(/\.$/, '')}. The table refuses the quarantine entry, too: ${message} A check finds what is missing.`;
  return { ...entry, [QUARANTINE_FIELDS.reason]: { S: text } };
}

function shortenedReason(reason: string): string {
  return reason.length <= MAX_REASON_CHARACTERS ? reason : `${reason.slice(0, MAX_REASON_CHARACTERS)}...`;
}

/** Returns the first keys, as many as there is room for. */
function fittingKeys(keys: readonly string[]): string[] {
  let bytes = 0;
  return keys.filter((key) => {
    bytes += Buffer.byteLength(key);
    return bytes <= MAX_DERIVED_KEY_BYTES;
  });
}

/** Returns the key that a redrive has to reconcile: of a base item, or of a whole view. The entry is in the same partition. */
function keyToReconcile(unit: Exclude<Unit, CountedUnit | JoinedUnit>): ItemKey {
  if (unit.kind === 'index') return unit.base;
  if (unit.kind === 'view') return { source: unit.source, target: unit.sortKey };
  // A fan-out is repeated from its parent.
  return { source: unit.source, target: unit.kind === 'quarantine' ? unit.target : unit.source };
}

/** Parses an entry; `derivedKeys` is empty if none were known. If the base item's key is lost, the entry's own key is used. */
export function readEntry(graph: CompiledModel, item: Item): QuarantineEntry {
  const text = (name: string): string => (item[name] !== undefined && 'S' in item[name] ? item[name].S : '');
  const keys = item[QUARANTINE_FIELDS.derivedKeys];
  const sortKeys = keys !== undefined && 'SS' in keys ? keys.SS : [];
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

/** Returns the sort key in an entry's key: of the base item, or of the base item of a derived one. Empty if a hash hides it. */
function targetOfKey(source: string, sortKey: string): string {
  const key = parseDerivedKey(sortKey);
  const named = key?.kind === 'quarantine-entry' ? (key.target.text ?? '') : '';
  const derived = parseDerivedKey(named);
  if (derived === undefined || derived.kind === 'view') return named;
  return derived.kind === 'index-item' ? (baseKeyOfIndexItem(source, named) ?? '') : '';
}

/** Uses the stream's clock if the record has it, so that a replay writes the same entry. */
function sinceOf(records: readonly ChangeRecord[], nowMs: number): string {
  const seconds = records[0]?.createdAtSeconds;
  return new Date(seconds === undefined ? nowMs : seconds * 1000).toISOString();
}
