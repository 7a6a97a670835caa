import { type Item, sameItem, stringOf } from '../../items/attribute-value.ts';
import {
  fieldsIn,
  INDEX_ITEM_FIELDS,
  INDEX_NAMES,
  MODEL,
  TOMBSTONE_HOURS,
  USUAL_INDEXES,
  unchangedCondition,
  WATERMARK,
} from '../../items/derived-item.ts';
import { laterOf } from '../../items/watermark.ts';
import { type CompiledModel, type IndexName, layersOf } from '../../model/compiled.ts';
import type { DerivedUpdate } from '../../store-port.ts';
import { fenceLimitMs } from '../by-base.ts';
import type { EpochSeconds, IndexUnit } from '../unit.ts';

/** Plans the writes of index items: pure functions from a unit to one conditional update. */

/** The fields of a derived item: defined ones are set, the others removed; an empty item becomes a tombstone. */
export function fieldsUpdate(
  graph: CompiledModel,
  stamp: string,
  isTombstone: boolean,
  watermark: string,
  now: EpochSeconds,
  fields: Record<string, Item[string] | undefined>,
): Pick<DerivedUpdate, 'set' | 'unset'> {
  // rule: seen-write-moves-watermark
  const set: Item = { [WATERMARK]: { S: watermark }, [MODEL]: { S: stamp } };
  const unset: string[] = [];
  for (const name in fields) {
    const value = fields[name];
    // rule: fields-not-expected-are-cleared
    if (value === undefined) unset.push(name);
    else set[name] = value;
  }
  // Every write that is not a tombstone removes the expiry: otherwise TTL would delete a live item.
  // rule: only-a-tombstone-expires
  if (isTombstone) set[graph.table.ttl] = { N: String(now + TOMBSTONE_HOURS * 3600) };
  else unset.push(graph.table.ttl);
  return { set, unset };
}

/** Makes the first update of an index unit, which reads nothing: all of its fields, or a tombstone without fields. */
export function indexUpdate(graph: CompiledModel, unit: IndexUnit, now: EpochSeconds): DerivedUpdate {
  return {
    key: { source: unit.source, target: unit.sortKey },
    ...fieldsUpdate(
      graph,
      graph.fingerprint,
      unit.expected === undefined,
      unit.newest,
      now,
      indexFields(graph, unit.expected),
    ),
    // rule: unseen-index-item-takes-newer-records
    // rule: unseen-index-item-stops-at-fence
    condition: { kind: 'newer-than', watermark: unit.newest, fenceBefore: fenceLimitMs(unit.records) },
  };
}

/** Makes the update of an index item that was read, to the fields that the base item asks for. */
export function reconciledIndexUpdate(
  graph: CompiledModel,
  unit: IndexUnit,
  current: Item | undefined,
  expected: Item | undefined,
  now: EpochSeconds,
): DerivedUpdate {
  // rule: index-item-watermark-never-falls
  const watermark = laterOf(stringOf(current?.[WATERMARK]), unit.newest);
  return {
    key: { source: unit.source, target: unit.sortKey },
    ...fieldsUpdate(
      graph,
      graph.fingerprint,
      expected === undefined,
      watermark,
      now,
      indexFields(graph, expected, current),
    ),
    // The tombstone of a live edge may have expired and been replaced: so the condition includes its expiry.
    // rule: index-item-is-written-under-the-revision-seen
    condition: unchangedCondition(current, graph.table.ttl),
  };
}

/** Tells whether a stored index item has the expected fields; an absent item and a tombstone are equal. */
export function hasExpectedFields(stored: Item | undefined, expected: Item | undefined): boolean {
  const present: Item = {};
  for (const name in stored) if (INDEX_ITEM_FIELDS.has(name)) present[name] = stored[name]!;
  return sameItem(present, expected ?? {});
}

/** The expected fields, and as undefined all others that the model's items may have, or the item has. */
function indexFields(
  graph: CompiledModel,
  expected: Item | undefined,
  current?: Item,
): Record<string, Item[string] | undefined> {
  const fields: Record<string, Item[string] | undefined> = {};
  for (const name of writtenFields(graph)) fields[name] = expected?.[name];
  // Where there is no registry, the model before may have had keys of further indexes.
  for (const name in current) if (INDEX_ITEM_FIELDS.has(name)) fields[name] = expected?.[name];
  return fields;
}

const fieldsOfModels = new WeakMap<CompiledModel, readonly string[]>();

/** The fields of index items without the keys of indexes that the model has no use for: a write names each. */
function writtenFields(graph: CompiledModel): readonly string[] {
  let fields = fieldsOfModels.get(graph);
  if (fields === undefined) {
    // The usual indexes are cleared always: an earlier model's second order may have left keys where there is no registry.
    // rule: keys-of-other-indexes-are-cleared
    const used = new Set<IndexName>([...USUAL_INDEXES, ...layersOf(graph).flatMap(({ indexes }) => indexes)]);
    const unused = INDEX_NAMES.filter((index) => !used.has(index)).flatMap(fieldsIn);
    fields = [...INDEX_ITEM_FIELDS].filter((name) => !unused.some((other) => other === name));
    fieldsOfModels.set(graph, fields);
  }
  return fields;
}
