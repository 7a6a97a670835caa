import type { StoreError } from '../errors.ts';
import type { Item } from '../model/attribute-value.ts';
import { INDEX_KEYS, MODEL, QUARANTINE_FIELDS, REVISION, WATERMARK } from '../model/derived-item.ts';
import type { AnyGraph } from '../model/graph.ts';
import { quarantineKey } from '../model/keys.ts';
import type { CountedUnit, QuarantineUnit, Unit } from '../plan/units.ts';
import type { ChangeRecord } from './record.ts';

/** The index partition of all quarantine entries; entries are sorted by when their record was made. */
export const QUARANTINE_PARTITION = '~quarantine';

/** A quarantine entry: which base item is stuck, why and since when. */
export interface QuarantineEntry {
  source: string;
  /** Sort key of the base item; of a view that cannot be written, `~view`. */
  target: string;
  /** A machine's word for the reason. */
  code: string;
  /** One or more sentences that name the attribute. */
  reason: string;
  /** When the record was made, ISO 8601. */
  since: string;
  /** Sort keys of the derived items concerned. */
  derivedKeys: string[];
}

/** The entry for a record that could not be derived in full. */
export function derivationEntry(graph: AnyGraph, unit: QuarantineUnit, nowMs: number): Item {
  const reason = unit.problems.map(({ message }) => message).join('; ');
  const codes = [...new Set(unit.problems.map(({ code }) => code))].join(' ');
  return entryItem(graph, unit, unit.target, { code: codes, reason, derivedKeys: unit.derivedKeys }, nowMs);
}

/**
 * The entry for a derived item that DynamoDB will not take. It is named by the derived sort key, so that two derived
 * items of one record have an entry each.
 */
export function refusalEntry(graph: AnyGraph, refused: Unit, error: StoreError, nowMs: number): Item {
  const unit = refused.kind === 'counted' ? refused.items[0]! : refused;
  return entryItem(
    graph,
    unit,
    unit.sortKey,
    { code: error.code, reason: `${unit.sortKey} cannot be written: ${error.message}`, derivedKeys: [unit.sortKey] },
    nowMs,
  );
}

function entryItem(
  graph: AnyGraph,
  unit: Exclude<Unit, CountedUnit>,
  named: string,
  { code, reason, derivedKeys }: { code: string; reason: string; derivedKeys: readonly string[] },
  nowMs: number,
): Item {
  const { partitionKey, sortKey } = graph.table;
  const since = sinceOf(unit.records, nowMs);
  return {
    [partitionKey]: { S: unit.source },
    [sortKey]: { S: quarantineKey(named, unit.newest) },
    [INDEX_KEYS.gsi0.partition]: { S: QUARANTINE_PARTITION },
    [INDEX_KEYS.gsi0.sort]: { S: `${since}/${unit.newest}` },
    [QUARANTINE_FIELDS.of]: { S: unit.kind === 'view' ? unit.sortKey : unit.target },
    [QUARANTINE_FIELDS.code]: { S: code },
    [QUARANTINE_FIELDS.reason]: { S: `${unit.source} ${unit.kind === 'view' ? '' : `${unit.target} `}- ${reason}` },
    [QUARANTINE_FIELDS.since]: { S: since },
    [WATERMARK]: { S: unit.newest },
    [REVISION]: { N: '1' },
    [MODEL]: { S: graph.fingerprint },
    ...(derivedKeys.length > 0 && { [QUARANTINE_FIELDS.derivedKeys]: { SS: [...derivedKeys] } }),
  };
}

/** Reads an entry back; `derivedKeys` is empty where none were known. */
export function readEntry(graph: AnyGraph, item: Item): QuarantineEntry {
  const text = (name: string): string => (item[name] !== undefined && 'S' in item[name] ? item[name].S : '');
  const keys = item[QUARANTINE_FIELDS.derivedKeys];
  return {
    source: text(graph.table.partitionKey),
    target: text(QUARANTINE_FIELDS.of),
    code: text(QUARANTINE_FIELDS.code),
    reason: text(QUARANTINE_FIELDS.reason),
    since: text(QUARANTINE_FIELDS.since),
    derivedKeys: keys !== undefined && 'SS' in keys ? keys.SS : [],
  };
}

/** The stream's clock where it says, so that a replay writes the same entry. */
function sinceOf(records: readonly ChangeRecord[], nowMs: number): string {
  const seconds = records[0]?.createdAtSeconds;
  return new Date(seconds === undefined ? nowMs : seconds * 1000).toISOString();
}
