import { type Item, itemSizeBytes, WRITE_UNIT_BYTES } from '../../items/attribute-value.ts';
import { COUNTED, INDEX_KEYS } from '../../items/derived-item.ts';
import { parseNodeId, VIEW_KEY } from '../../items/keys.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { isAsWanted } from '../../plan/writes/updates.ts';
import { ownedBy } from '../../registry/ownership.ts';
import { LEASE_MS } from '../../registry/reader-lease.ts';
import type { DefinitionData } from '../../registry/revive.ts';
import { isBaseSortKey } from '../../stream/filter.ts';
import { builtModel } from '../changed.ts';
import type { Step } from '../next-step.ts';
import { subjectOf } from '../step-text.ts';
import { REPLICA_LAG_MS } from '../waits.ts';
import { wantedOf } from '../walks/wanted.ts';
import type { PlannedStep } from './planned-steps.ts';
import type { TableSample } from './sample.ts';

/** The estimated cost and time of a step, from a sample of the table. */
export interface StepForecast {
  step: Step['kind'];
  /** The projections of the step, with ids. */
  projection: string;
  rcu: number;
  wcu: number;
  seconds: number;
}

/** The values that a forecast uses. */
export interface ForecastOptions {
  graph: CompiledModel;
  data: DefinitionData;
  sample: TableSample;
  /** The most write units a second; absent: no limit. */
  maxWcu?: number | undefined;
}

const READ_UNIT_BYTES = 4096;
/** Calls of one process in a second: the SDK takes about a millisecond of CPU for each. */
const CALLS_A_SECOND = 1_000;

/** The capacity units and calls of a step. */
interface Work {
  rcu: number;
  wcu: number;
  calls: number;
}

/** Estimates the cost of each step. Writes of a live table during the migration, and retries, are not included. */
export function forecast(steps: readonly PlannedStep[], options: ForecastOptions): StepForecast[] {
  return steps.map((planned) => {
    const { step } = planned;
    const { rcu, wcu, calls } = workOf(planned, options);
    const waitSeconds = waitMsOf(step) / 1000;
    const paced = options.maxWcu === undefined ? 0 : wcu / options.maxWcu;
    return {
      ...{ step: step.kind, projection: subjectOf(step), rcu: Math.ceil(rcu), wcu: Math.ceil(wcu) },
      seconds: waitSeconds + Math.max(paced, calls / CALLS_A_SECOND),
    };
  });
}

function waitMsOf({ kind }: Step): number {
  if (kind === 'wait') return LEASE_MS;
  return kind === 'pause' ? REPLICA_LAG_MS : 0;
}

function workOf({ step, registry }: PlannedStep, options: ForecastOptions): Work {
  if (step.kind === 'backfill')
    return buildWork(builtModel(step.generations, registry!, options.data, options.graph), options);
  if (step.kind === 'settle-views') return viewWork(new Set(step.shapes.map(({ name }) => name)), options);
  if (step.kind === 'delete') return deletionWork(ownedBy(step.generations), options);
  if (step.kind === 'look' || waitMsOf(step) > 0) return { rcu: 1, wcu: 0, calls: 1 };
  // The head, and one item for each new definition.
  const definitions = 'definitions' in step ? step.definitions.length : 0;
  return { rcu: 2 + definitions, wcu: 1 + definitions, calls: 2 + 2 * definitions };
}

/**
 * Estimates a backfill and its verification: two walks over the table, and one over each index. Each expected item is read once;
 * for each of its indexes it is queried there and read again; it is written if it is missing or differs.
 */
function buildWork(graph: CompiledModel, { sample }: ForecastOptions): Work {
  const stored = new Map(sample.items.map(({ source, target, item }) => [`${source}\0${target}`, item]));
  const nodes = new Map(
    sample.items.filter(({ source, target }) => source === target).map((one) => [one.source, one.item]),
  );
  const walk = walkWork(sample);
  const sum = { rcu: 2 * walk.rcu, wcu: 0, calls: 2 * walk.calls };
  const share = shareOf(sample);
  for (const { base, sortKey, fields } of sample.items.flatMap((item) => wantedOf(graph, item, nodes))) {
    const indexes = indexesOf(fields);
    const entryUnits = itemSizeBytes(fields) / READ_UNIT_BYTES / 2;
    sum.rcu += share * (1 + indexes * (0.5 + 1 + entryUnits));
    sum.calls += share * indexes;
    if (isAsWanted(stored.get(`${base.source}\0${sortKey}`), fields)) continue;
    sum.wcu += share * writeUnits(fields);
    sum.calls += share;
  }
  return sum;
}

/** Estimates the building of views: one walk, and for each node a read of all its items and a write of its view. */
function viewWork(types: ReadonlySet<string>, { sample }: ForecastOptions): Work {
  const partitions = new Map<string, { bytes: number; viewBytes: number }>();
  for (const { source, target, item } of sample.items) {
    if (!types.has(parseNodeId(source)?.type ?? '')) continue;
    if (target !== VIEW_KEY && !isBaseSortKey(target)) continue;
    const partition = partitions.get(source) ?? { bytes: 0, viewBytes: 0 };
    const bytes = itemSizeBytes(item);
    if (target === VIEW_KEY) partition.viewBytes = bytes;
    else partition.bytes += bytes;
    partitions.set(source, partition);
  }
  const sum = walkWork(sample);
  const share = shareOf(sample);
  for (const { bytes, viewBytes } of partitions.values()) {
    sum.rcu += share * (1 + Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)));
    sum.wcu += share * Math.max(1, Math.ceil((viewBytes || bytes) / WRITE_UNIT_BYTES));
    sum.calls += share * 2;
  }
  return sum;
}

function deletionWork(isGone: ReturnType<typeof ownedBy>, { sample }: ForecastOptions): Work {
  const sum = walkWork(sample);
  const share = shareOf(sample);
  for (const walked of sample.items.filter(isGone)) {
    sum.wcu += share * writeUnits(walked.item);
    sum.calls += share;
  }
  return sum;
}

/** Estimates a consistent scan of the table. */
function walkWork({ bytes, itemCount }: TableSample): Work {
  const rcu = Math.max(1, bytes / READ_UNIT_BYTES);
  return { rcu, wcu: 0, calls: Math.max(1, itemCount / 1_000) };
}

/** The number of the table's items for each item of the sample. */
function shareOf({ items, itemCount }: TableSample): number {
  return items.length === 0 ? 0 : itemCount / items.length;
}

/**
 * The write units of an item: for itself, and again in each of its indexes. A counted item is written in a transaction with its
 * count.
 */
function writeUnits(fields: Item): number {
  const units = Math.max(1, Math.ceil(itemSizeBytes(fields) / WRITE_UNIT_BYTES));
  const isCounted = fields[COUNTED] !== undefined;
  return units * (isCounted ? 2 : 1) + units * indexesOf(fields) + (isCounted ? 2 : 0);
}

function indexesOf(fields: Item): number {
  return Object.values(INDEX_KEYS).filter(({ partition }) => fields[partition] !== undefined).length;
}
