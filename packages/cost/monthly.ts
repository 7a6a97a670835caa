import { EVENTUAL_READ_UNIT_BYTES, PARTITION_WCU, readUnits, WRITE_UNIT_BYTES } from '../../src/core/items/capacity.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { isJoinedEdge } from '../../src/core/model/joined.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { type ModelCost, modelCost, OBSERVER_SAVE_SECONDS, PROGRESS_SECONDS } from './capacity.ts';
import type { Prices } from './prices.ts';
import type { ValueCounts, WriteCost } from './writes.ts';

export interface Load {
  putsPerSecond: number;
  /** Size of the table, including its indexes. */
  gigabytes: number;
  /** Relative write rate of each type. If empty, all types are written equally often. */
  shares: ReadonlyMap<string, number>;
  /**
   * Queries per second by query name in `modelCost`, or by the beginning of a name if only one query begins so.
   * Default: none.
   */
  reads?: ReadonlyMap<string, number>;
  /** Values per item for each multi-valued search. Default: one. */
  values?: ValueCounts;
  /** Default: 1. */
  viewKilobytes?: number;
  streamShards?: number;
}

export interface Fixtures {
  alarms: number;
  dashboards: number;
  metrics: number;
  withObserver?: Omit<Fixtures, 'withObserver'> | undefined;
}

/** Monthly cost of an observer with on-demand capacity, in US dollars. The other bills exclude it. */
export interface ObserverCost {
  /** The function, table reads, saved state and alarms, but no stream reads. */
  usd: number;
  /** Millions per month. `prices` has no price for stream reads. */
  millionStreamReads: number;
  /** Upper bound of a feed's events per month, in millions, without filters. */
  millionFeedEvents: number;
  /** Upper bound for `feedEventBus`, without its targets: one message per event. */
  feedUsd: number;
  checkUsd: number;
  monthlyCheckUsd: number;
}

export interface MonthlyPart {
  part:
    | 'puts'
    | 'projections'
    | 'bookkeeping'
    | 'reads'
    | 'stream function'
    | 'logs'
    | 'check'
    | 'storage'
    | 'alarms'
    | 'search'
    | 'total';
  usd: number;
}

export interface MonthlyCost {
  monthly: MonthlyPart[];
  monthlyProvisioned: MonthlyPart[];
  /** On-demand bills for the same load with a hand-written function, and with zero-ETL to OpenSearch. */
  alternatives: { documentClient: MonthlyPart[]; openSearch: MonthlyPart[] };
  observer: ObserverCost;
  streamShards: number;
  priceDate: string;
  /** Services whose prices aren't from `priceDate`, with the dates of their prices. */
  otherPriceDates: Readonly<Record<string, string>>;
  priceRegion: string;
  monthlyAssumptions: string;
}

/** RCU per new node or edge, and extra RCU for copying, joined and counted edges. Measured by `npm run bench -- observe`. */
const OBSERVED_RCU = { node: 2, edge: 4.5, copy: 6.8, joined: 1, counted: 1 };
/** Seconds per minute that the observer's function runs with and without writes, and its memory. */
const OBSERVER = { busySeconds: 50, restSeconds: 4, gigabytes: 0.5 };
/** Each message of the feed's queue is sent, received and deleted. */
const CALLS_A_MESSAGE = 3;
/** Number of Lambda's queue pollers, and the seconds that each poll waits. */
const [POLLERS, POLL_SECONDS] = [5, 20];
/** Seconds and gigabytes that the feed's function takes per message. */
const FEED_CALL = { seconds: 0.05, gigabytes: 0.25 };
const OBSERVER_READ_SECONDS = 1;
const HOURS = 730;
const SECONDS = HOURS * 3600;
const NIGHTS = HOURS / 24;
const MILLION = 1_000_000;
const UTILISATION = 0.7;
/** The stream function's time per derived item at 1 GB, measured on local engines, with an allowance for TLS. */
const MS_A_WRITE = 1;
/** A DocumentClient loop's time per derived item, measured by `npm run bench -- peers`. */
const MS_A_WRITE_BY_HAND = 2;
const BATCHES_A_SECOND = 1;
/** Limit of a table partition, which has one stream shard. A new on-demand table has four partitions. */
export const PARTITION_GIGABYTES = 10;
const FEWEST_PARTITIONS = 4;
/** Bytes logged per batch, including metrics and Lambda's own three lines. */
const LOG_BYTES_A_BATCH = 1_300;
/** OpenSearch's minimum with a second zone, plus one unit for ingestion. */
const LEAST_COMPUTE_UNITS = 3;
const MS_A_BATCH = 20;
export const GIGABYTE = 1024 ** 3;
/** RCU per second while the check's function runs. */
const CHECK_UNITS_A_SECOND = 1_000;
const UNITS_A_CALL = 30_000;
const TRANSITIONS_A_CALL = 4;

const ASSUMPTIONS =
  `items of up to 1 KB; no two records of a batch share a derived item, so projections are an upper bound; capacity that is ` +
  `provisioned is used to ${UTILISATION * 100} %; a check every night, which, like the shards of the stream, goes by the ` +
  `whole size and so is an upper bound; point-in-time recovery; no ` +
  'free tiers, discounts, transfer or taxes';

export function monthlyCost(graph: CompiledModel, load: Load, fixtures: Fixtures, prices: Prices): MonthlyCost {
  const { putsPerSecond, gigabytes } = load;
  const capacity = modelCost(graph, load.values);
  const units = unitsOf(capacity, load);
  const readUnits = readUnitsOf(capacity, load.reads);
  const streamShards = load.streamShards ?? shardsOf(load, units);
  const batches = Math.min(putsPerSecond, streamShards * BATCHES_A_SECOND);
  const checkUnits = ((gigabytes * GIGABYTE) / EVENTUAL_READ_UNIT_BYTES) * (hasCopies(graph) ? 2 : 1);
  const checkFunction = usdOfCheckFunction(checkUnits, prices);
  const onDemand = onDemandUsd(prices);
  const streamFunction = (msPerItem: number): MonthlyPart => ({
    part: 'stream function',
    usd: usdOfStreamFunction({ batches, milliseconds: putsPerSecond * units.derivedItems * msPerItem }, prices),
  });
  const logs: MonthlyPart = {
    part: 'logs',
    usd: ((batches * SECONDS * LOG_BYTES_A_BATCH) / GIGABYTE) * prices.cloudwatch.logGigabyte,
  };
  const storage: MonthlyPart = {
    part: 'storage',
    usd: gigabytes * (prices.dynamodb.gigabyteMonth + prices.dynamodb.restorableGigabyteMonth),
  };
  const checkUsd = ({ reads }: UsdOfUnits): number => reads((checkUnits * NIGHTS) / SECONDS) + checkFunction;
  const bill = (usd: UsdOfUnits): MonthlyPart[] =>
    withTotal([
      { part: 'puts', usd: usd.writes(putsPerSecond * units.base) },
      {
        part: 'projections',
        usd: usd.writes(putsPerSecond * units.derived) + usd.reads(putsPerSecond * units.read),
      },
      {
        part: 'bookkeeping',
        // Each batch reads the registry, and each shard's progress is saved.
        usd: usd.reads(batches) + usd.writes(putsPerSecond === 0 ? 0 : (2 * streamShards) / PROGRESS_SECONDS),
      },
      { part: 'reads', usd: usd.reads(readUnits) },
      streamFunction(MS_A_WRITE),
      logs,
      { part: 'check', usd: checkUsd(usd) },
      storage,
      { part: 'alarms', usd: usdOfAlarms(fixtures, prices) },
    ]);
  // Upper bound: orders of several indexes may share an item, which yields one event per index.
  const millionFeedEvents = (putsPerSecond * SECONDS * units.derivedItems * graph.indexes.length) / MILLION;
  const { computeUnitHour, gigabyteMonth } = prices.openSearch;
  return {
    monthly: bill(onDemand),
    monthlyProvisioned: bill(provisionedUsd(prices)),
    alternatives: {
      documentClient: withTotal([
        { part: 'puts', usd: onDemand.writes(putsPerSecond * units.base) },
        // A record doesn't tell whether a newer one was applied, so the loop reads each item before writing it.
        {
          part: 'projections',
          usd: onDemand.writes(putsPerSecond * units.derived) + onDemand.reads(putsPerSecond * units.derivedItems),
        },
        { part: 'reads', usd: onDemand.reads(readUnits) },
        streamFunction(MS_A_WRITE_BY_HAND),
        logs,
        storage,
      ]),
      openSearch: withTotal([
        { part: 'puts', usd: onDemand.writes(putsPerSecond) },
        { part: 'search', usd: LEAST_COMPUTE_UNITS * HOURS * computeUnitHour + gigabytes * gigabyteMonth },
        storage,
      ]),
    },
    observer: {
      ...observerCost(graph, { load, fixtures, streamShards }, prices),
      millionFeedEvents,
      feedUsd: feedUsd(millionFeedEvents, prices),
      checkUsd: checkUsd(onDemand),
      monthlyCheckUsd: checkUsd(onDemand) / NIGHTS,
    },
    streamShards,
    priceDate: prices.date,
    otherPriceDates: prices.otherDates ?? {},
    priceRegion: prices.region,
    monthlyAssumptions: ASSUMPTIONS,
  };
}

interface UsdOfUnits {
  writes: (unitsPerSecond: number) => number;
  reads: (unitsPerSecond: number) => number;
}

function onDemandUsd({ dynamodb: { millionWriteUnits, millionReadUnits } }: Prices): UsdOfUnits {
  return {
    writes: (unitsPerSecond) => ((unitsPerSecond * SECONDS) / MILLION) * millionWriteUnits,
    reads: (unitsPerSecond) => ((unitsPerSecond * SECONDS) / MILLION) * millionReadUnits,
  };
}

function provisionedUsd({ dynamodb: { writeUnitHour, readUnitHour } }: Prices): UsdOfUnits {
  return {
    writes: (unitsPerSecond) => (unitsPerSecond / UTILISATION) * HOURS * writeUnitHour,
    reads: (unitsPerSecond) => (unitsPerSecond / UTILISATION) * HOURS * readUnitHour,
  };
}

function usdOfCheckFunction(checkUnits: number, { lambda, stepFunctions }: Prices): number {
  const calls = (checkUnits / UNITS_A_CALL) * NIGHTS;
  return (
    (checkUnits / CHECK_UNITS_A_SECOND) * NIGHTS * lambda.gigabyteSecond +
    (calls / MILLION) * lambda.millionRequests +
    ((calls * TRANSITIONS_A_CALL) / 1000) * stepFunctions.thousandTransitions
  );
}

function usdOfStreamFunction(
  perSecond: { batches: number; milliseconds: number },
  { lambda: { gigabyteSecond, millionRequests } }: Prices,
): number {
  const { batches, milliseconds } = perSecond;
  return (
    ((milliseconds + batches * MS_A_BATCH) / 1000) * SECONDS * gigabyteSecond +
    ((batches * SECONDS) / MILLION) * millionRequests
  );
}

function usdOfAlarms({ alarms, metrics, dashboards }: Fixtures, { cloudwatch }: Prices): number {
  return alarms * cloudwatch.alarmMonth + metrics * cloudwatch.metricMonth + dashboards * cloudwatch.dashboardMonth;
}

function feedUsd(millionEvents: number, { eventBridge, sqs, lambda }: Prices): number {
  const millionPolls = (POLLERS * SECONDS) / POLL_SECONDS / MILLION;
  const usdOfFunction =
    lambda.millionRequests + MILLION * FEED_CALL.seconds * FEED_CALL.gigabytes * lambda.gigabyteSecond;
  return (
    millionEvents * (eventBridge.millionEvents + CALLS_A_MESSAGE * sqs.millionFifoRequests + usdOfFunction) +
    millionPolls * sqs.millionFifoRequests
  );
}

function observerCost(
  graph: CompiledModel,
  { load, fixtures, streamShards }: { load: Load; fixtures: Fixtures; streamShards: number },
  prices: Prices,
): Pick<ObserverCost, 'millionStreamReads' | 'usd'> {
  const { dynamodb, lambda } = prices;
  const minutes = HOURS * 60;
  const seconds = minutes * (load.putsPerSecond > 0 ? OBSERVER.busySeconds : OBSERVER.restSeconds);
  const { alarms, metrics, dashboards } = fixtures.withObserver ?? fixtures;
  const more = {
    alarms: alarms - fixtures.alarms,
    metrics: metrics - fixtures.metrics,
    dashboards: dashboards - fixtures.dashboards,
  };
  const reads = load.putsPerSecond * SECONDS * observedUnits(graph, load.shares);
  // The observer's state, the stream's position and each shard's position take a unit each.
  const writes = (seconds / OBSERVER_SAVE_SECONDS) * (2 + streamShards);
  return {
    usd:
      seconds * OBSERVER.gigabytes * lambda.gigabyteSecond +
      (minutes / MILLION) * lambda.millionRequests +
      (reads / MILLION) * dynamodb.millionReadUnits +
      (writes / MILLION) * dynamodb.millionWriteUnits +
      usdOfAlarms(more, prices),
    millionStreamReads: ((seconds / OBSERVER_READ_SECONDS) * streamShards) / MILLION,
  };
}

function observedUnits(graph: CompiledModel, shares: Load['shares']): number {
  const unitsOf = (type: string): number => {
    const edge = graph.edges.get(type);
    if (edge === undefined) return OBSERVED_RCU.node;
    return (
      OBSERVED_RCU.edge +
      (edge.copy === undefined ? 0 : OBSERVED_RCU.copy) +
      (isJoinedEdge(edge) ? OBSERVED_RCU.joined : 0) +
      (edge.count === undefined ? 0 : OBSERVED_RCU.counted) +
      (edge.incoming === undefined ? 0 : OBSERVED_RCU.counted)
    );
  };
  return meanOverMix(createsOf(modelCost(graph)), shares, ({ type }) => unitsOf(type));
}

function meanOverMix(puts: readonly WriteCost[], shares: Load['shares'], of: (put: WriteCost) => number): number {
  const weightOf = ({ type }: WriteCost): number => (shares.size === 0 ? 1 : (shares.get(type) ?? 0));
  const weights = puts.reduce((sum, put) => sum + weightOf(put), 0);
  return puts.reduce((sum, put) => sum + of(put) * weightOf(put), 0) / weights;
}

/** Returns RCU per second. */
function readUnitsOf({ queries }: ModelCost, reads: Load['reads'] = new Map()): number {
  let units = 0;
  for (const [name, rate] of reads) {
    const exact = queries.filter(({ query }) => query === name);
    const found = exact.length > 0 ? exact : queries.filter(({ query }) => query.startsWith(name));
    if (found.length !== 1) {
      throw new EdgeloomError(
        'unknown-name',
        `${found.length === 0 ? 'No query' : 'More than one query'} of the model begins with ${name}.`,
        `Its queries are: ${queries.map(({ query }) => query).join('; ')}.`,
      );
    }
    units += found[0]!.rcu * rate;
  }
  return units;
}

function shardsOf({ putsPerSecond, gigabytes }: Load, { derivedWrites }: ReturnType<typeof unitsOf>): number {
  const forWrites = (putsPerSecond * (1 + derivedWrites)) / PARTITION_WCU;
  return Math.ceil(Math.max(FEWEST_PARTITIONS, forWrites, gigabytes / PARTITION_GIGABYTES));
}

function unitsOf(cost: ModelCost, { shares, viewKilobytes = 1 }: Load) {
  const puts = createsOf(cost);
  for (const type of shares.keys()) {
    if (puts.some((put) => put.type === type)) continue;
    throw new EdgeloomError(
      'unknown-type',
      `The model has no type ${type}.`,
      `Its types are ${puts.map((put) => put.type).join(', ')}.`,
    );
  }
  // `viewKilobytes` doesn't apply to parts, whose views are separate.
  const viewUnits = ({ kind, view }: WriteCost): number => view * (kind === 'part' ? 1 : Math.ceil(viewKilobytes));
  const viewBytes = viewKilobytes * WRITE_UNIT_BYTES;
  const mean = (count: (put: WriteCost) => number): number => meanOverMix(puts, shares, count);
  return {
    base: mean(({ base }) => base),
    // Every write of a view is billed for the whole view.
    derived: mean((put) => put.total - put.base + viewUnits(put) - put.view),
    // Views are read whole and eventually consistently. `read` already counts half a unit for the first 4 KB.
    read: mean((put) => put.read + (put.kind === 'part' ? 0 : put.view * (readUnits(viewBytes, false) - 0.5))),
    // About half of `indexItems` is billed to the indexes, which have their own partitions.
    derivedWrites: mean((put) => viewUnits(put) + put.indexItems / 2 + put.reverseItem + put.totalEntry),
    // Converts units to items: an index item usually takes 2 units, and an entry and its total 4.
    derivedItems: mean(
      ({ view, indexItems, reverseItem, totalEntry }) => view + indexItems / 2 + reverseItem + totalEntry / 4,
    ),
  };
}

function createsOf({ writes }: ModelCost): WriteCost[] {
  return writes.filter(({ write }) => write === 'create');
}

function hasCopies({ edges }: CompiledModel): boolean {
  return [...edges.values()].some(({ copy }) => copy !== undefined);
}

function withTotal(parts: MonthlyPart[]): MonthlyPart[] {
  return [...parts, { part: 'total', usd: parts.reduce((sum, { usd }) => sum + usd, 0) }];
}
