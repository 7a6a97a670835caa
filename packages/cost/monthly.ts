import { EVENTUAL_READ_UNIT_BYTES, readUnits, WRITE_UNIT_BYTES } from '../../src/core/items/capacity.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { isJoinedEdge } from '../../src/core/model/joined.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { type ModelCost, modelCost, OBSERVER_SAVE_SECONDS, PROGRESS_SECONDS } from './capacity.ts';
import type { Prices } from './prices.ts';
import type { ValueCounts, WriteCost } from './writes.ts';

/** A load of a table. */
export interface Load {
  /** Base items that are written a second. */
  putsPerSecond: number;
  /** Gigabytes of the table and its indexes. */
  gigabytes: number;
  /** How often each type is written, compared with the others; without any, all types are written equally often. */
  shares: ReadonlyMap<string, number>;
  /** Queries a second, by their names in `modelCost` or the beginnings of these. Default: none. */
  reads?: ReadonlyMap<string, number>;
  /** The numbers of values of multi-valued searches. Default: one each. */
  values?: ValueCounts;
  /** Kilobytes of a view. Default 1. */
  viewKilobytes?: number;
  /** Shards of the stream. Default: by the table's size and its writes. */
  streamShards?: number;
}

/** The numbers of a stack's resources that are billed by number. */
export interface Fixtures {
  alarms: number;
  dashboards: number;
  /** Metrics that the functions and the mapping emit. */
  metrics: number;
  /** The same of a stack with an observer. Default: as without one. */
  withObserver?: Omit<Fixtures, 'withObserver'> | undefined;
}

/** The cost of an observer in the stack, on demand, in US dollars a month. It is no part of the other bills. */
export interface ObserverCost {
  /** Function, reads, state and alarms, without the reads of the stream. */
  usd: number;
  /** Reads of the stream a month, in millions. DynamoDB bills them apart, and the prices lack them. */
  millionStreamReads: number;
  /** Events of the feed a month at most, in millions, for a model whose feed tells all. */
  millionFeedEvents: number;
  /** The cost of `feedEventBus` at most, with every event in a message of its own, without targets. */
  feedUsd: number;
  /** The check every night, and once a month. */
  checkUsd: number;
  monthlyCheckUsd: number;
}

/** One part of the bill. */
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
  /** US dollars a month. */
  usd: number;
}

/** A bill of a month, for both ways in which DynamoDB bills. */
export interface MonthlyCost {
  monthly: MonthlyPart[];
  /** The same with provisioned capacity that follows the load. */
  monthlyProvisioned: MonthlyPart[];
  /** The same load on demand without Edgeloom: see `alternativesText`. */
  alternatives: { documentClient: MonthlyPart[]; openSearch: MonthlyPart[] };
  /** The cost of the stack's parameter `observe`. */
  observer: ObserverCost;
  /** Shards of the stream, each with batches of its own. */
  streamShards: number;
  priceDate: string;
  /** The days of prices that were looked up on another day, by what they are of. */
  otherPriceDates: Readonly<Record<string, string>>;
  priceRegion: string;
  monthlyAssumptions: string;
}

/** Read units of the observer for a new node or edge, and more for an edge that copies, whose items use the source, or that is counted: `npm run bench -- observe`. */
const OBSERVED_RCU = { node: 2, edge: 4.5, copy: 6.8, joined: 1, counted: 1 };
/** Seconds that a call of the observer lasts each minute, while the table is written to and at rest, and gigabytes of its function. */
const OBSERVER = { busySeconds: 50, restSeconds: 4, gigabytes: 0.5 };
/** Calls of a message in the queue of the feed: it is sent, received and deleted. */
const CALLS_A_MESSAGE = 3;
/** Lambda's pollers of a queue, and the seconds that each waits for a message. */
const [POLLERS, POLL_SECONDS] = [5, 20];
/** Seconds and gigabytes of the feed's function for one message. */
const FEED_CALL = { seconds: 0.05, gigabytes: 0.25 };
/** Seconds between two reads of a shard. */
const OBSERVER_READ_SECONDS = 1;
const HOURS = 730;
const SECONDS = HOURS * 3600;
const NIGHTS = HOURS / 24;
const MILLION = 1_000_000;
/** How much of provisioned capacity is used where it follows the load. */
const UTILISATION = 0.7;
/** Milliseconds of the stream function for one derived item, at 1 GB: measured on the engines, with room for TLS. */
const MS_A_WRITE = 1;
/** The same of a function that loops over records with the DocumentClient: measured by `npm run bench -- peers`. */
const MS_A_WRITE_BY_HAND = 2;
/** Batches a second of a shard that has records for them: the window is one second. */
const BATCHES_A_SECOND = 1;
/** A shard of the stream for each partition of the table: each takes this load, and a new table on demand has four. */
const PARTITION_WCU = 1_000;
export const PARTITION_GIGABYTES = 10;
const FEWEST_PARTITIONS = 4;
/** Bytes of a batch's log lines: its own, its metrics, and Lambda's three. */
const LOG_BYTES_A_BATCH = 1_300;
/** OpenSearch at its smallest with a second zone, and one unit that feeds it. */
const LEAST_COMPUTE_UNITS = 3;
const MS_A_BATCH = 20;
/** Bytes of a gigabyte, as AWS bills storage and logs. */
export const GIGABYTE = 1024 ** 3;
/** Units a second that the check reads while its function runs; between its calls the state machine waits. */
const CHECK_UNITS_A_SECOND = 1_000;
/** Units that one call of the check's function reads. */
const UNITS_A_CALL = 30_000;
/** Transitions that the state machine makes for one such call. */
const TRANSITIONS_A_CALL = 4;

const ASSUMPTIONS =
  `items of up to 1 KB; no two records of a batch share a derived item, so projections are an upper bound; capacity that is ` +
  `provisioned is used to ${UTILISATION * 100} %; a check every night; point-in-time recovery; no ` +
  'free tiers, discounts, transfer or taxes';

/** The monthly cost of a load. Throws `unknown-type` or `unknown-query` where the load names a type or a query that the model lacks. */
export function monthlyCost(graph: CompiledModel, load: Load, fixtures: Fixtures, prices: Prices): MonthlyCost {
  const capacity = modelCost(graph, load.values);
  const units = unitsOf(capacity, load);
  const readUnits = readUnitsOf(capacity, load.reads);
  const streamShards = load.streamShards ?? shardsOf(load, units);
  const checkUnits = ((load.gigabytes * GIGABYTE) / EVENTUAL_READ_UNIT_BYTES) * (hasCopies(graph) ? 2 : 1);
  const { dynamodb, lambda, stepFunctions, cloudwatch } = prices;
  const functionMs = load.putsPerSecond * units.derivedItems * MS_A_WRITE;
  // A write of a derived item tells one change, or one for each of the two orders that share it.
  const millionFeedEvents = (load.putsPerSecond * SECONDS * units.derivedItems * graph.indexes.length) / MILLION;
  const batches = Math.min(load.putsPerSecond, streamShards * BATCHES_A_SECOND);
  const calls = (checkUnits / UNITS_A_CALL) * NIGHTS;
  const checkFunction =
    (checkUnits / CHECK_UNITS_A_SECOND) * NIGHTS * lambda.gigabyteSecond +
    (calls / MILLION) * lambda.millionRequests +
    ((calls * TRANSITIONS_A_CALL) / 1000) * stepFunctions.thousandTransitions;
  const functionUsd = (milliseconds: number): number =>
    ((milliseconds + batches * MS_A_BATCH) / 1000) * SECONDS * lambda.gigabyteSecond +
    ((batches * SECONDS) / MILLION) * lambda.millionRequests;
  const logs: MonthlyPart = {
    part: 'logs',
    usd: ((batches * SECONDS * LOG_BYTES_A_BATCH) / GIGABYTE) * cloudwatch.logGigabyte,
  };
  const storage: MonthlyPart = {
    part: 'storage',
    usd: load.gigabytes * (dynamodb.gigabyteMonth + dynamodb.restorableGigabyteMonth),
  };
  const usdOfWrites = (unitsPerSecond: number): number =>
    ((unitsPerSecond * SECONDS) / MILLION) * dynamodb.millionWriteUnits;
  const usdOfReads = (unitsPerSecond: number): number =>
    ((unitsPerSecond * SECONDS) / MILLION) * dynamodb.millionReadUnits;
  const partsOfBill = (
    write: (unitsPerSecond: number) => number,
    readUsd: (unitsPerSecond: number) => number,
    checkReads: number,
  ): MonthlyPart[] =>
    withTotal([
      { part: 'puts', usd: write(load.putsPerSecond * units.base) },
      {
        part: 'projections',
        usd: write(load.putsPerSecond * units.derived) + readUsd(load.putsPerSecond * units.read),
      },
      {
        part: 'bookkeeping',
        // The registry, read for each batch, and the progress of each shard.
        usd: readUsd(batches) + write(load.putsPerSecond === 0 ? 0 : (2 * streamShards) / PROGRESS_SECONDS),
      },
      { part: 'reads', usd: readUsd(readUnits) },
      { part: 'stream function', usd: functionUsd(functionMs) },
      logs,
      { part: 'check', usd: checkReads + checkFunction },
      storage,
      {
        part: 'alarms',
        usd:
          fixtures.alarms * cloudwatch.alarmMonth +
          fixtures.metrics * cloudwatch.metricMonth +
          fixtures.dashboards * cloudwatch.dashboardMonth,
      },
    ]);
  const checkUsd = ((checkUnits * NIGHTS) / MILLION) * dynamodb.millionReadUnits + checkFunction;
  const provisionedHours = (unitsPerSecond: number): number => (unitsPerSecond / UTILISATION) * HOURS;
  const { computeUnitHour, gigabyteMonth } = prices.openSearch;
  return {
    monthly: partsOfBill(usdOfWrites, usdOfReads, ((checkUnits * NIGHTS) / MILLION) * dynamodb.millionReadUnits),
    monthlyProvisioned: partsOfBill(
      (unitsPerSecond) => provisionedHours(unitsPerSecond) * dynamodb.writeUnitHour,
      (unitsPerSecond) => provisionedHours(unitsPerSecond) * dynamodb.readUnitHour,
      // The units of a night, as if they were provisioned for just the time that they are read in.
      (checkUnits / 3600 / UTILISATION) * NIGHTS * dynamodb.readUnitHour,
    ),
    alternatives: {
      documentClient: withTotal([
        { part: 'puts', usd: usdOfWrites(load.putsPerSecond * units.base) },
        // It reads an item before it writes it, since nothing tells it which record is newer.
        {
          part: 'projections',
          usd: usdOfWrites(load.putsPerSecond * units.derived) + usdOfReads(load.putsPerSecond * units.derivedItems),
        },
        { part: 'reads', usd: usdOfReads(readUnits) },
        {
          part: 'stream function',
          usd: functionUsd(load.putsPerSecond * units.derivedItems * MS_A_WRITE_BY_HAND),
        },
        logs,
        storage,
      ]),
      openSearch: withTotal([
        { part: 'puts', usd: usdOfWrites(load.putsPerSecond) },
        { part: 'search', usd: LEAST_COMPUTE_UNITS * HOURS * computeUnitHour + load.gigabytes * gigabyteMonth },
        storage,
      ]),
    },
    observer: {
      ...observerCost(graph, { load, fixtures, streamShards }, prices),
      millionFeedEvents,
      feedUsd: feedUsd(millionFeedEvents, prices),
      checkUsd,
      monthlyCheckUsd: checkUsd / NIGHTS,
    },
    streamShards,
    priceDate: prices.date,
    otherPriceDates: prices.otherDates ?? {},
    priceRegion: prices.region,
    monthlyAssumptions: ASSUMPTIONS,
  };
}

/** The cost of the feed at most, in US dollars a month. */
function feedUsd(millionEvents: number, { eventBridge, sqs, lambda }: Prices): number {
  const millionPolls = (POLLERS * SECONDS) / POLL_SECONDS / MILLION;
  const usdOfFunction =
    lambda.millionRequests + MILLION * FEED_CALL.seconds * FEED_CALL.gigabytes * lambda.gigabyteSecond;
  return (
    millionEvents * (eventBridge.millionEvents + CALLS_A_MESSAGE * sqs.millionFifoRequests + usdOfFunction) +
    millionPolls * sqs.millionFifoRequests
  );
}

/** The cost of an observer that a schedule calls every minute. */
function observerCost(
  graph: CompiledModel,
  { load, fixtures, streamShards }: { load: Load; fixtures: Fixtures; streamShards: number },
  { dynamodb, lambda, cloudwatch }: Prices,
): Pick<ObserverCost, 'millionStreamReads' | 'usd'> {
  const minutes = HOURS * 60;
  const seconds = minutes * (load.putsPerSecond > 0 ? OBSERVER.busySeconds : OBSERVER.restSeconds);
  const { alarms, metrics, dashboards } = fixtures.withObserver ?? fixtures;
  const ofAlarms =
    (alarms - fixtures.alarms) * cloudwatch.alarmMonth +
    (metrics - fixtures.metrics) * cloudwatch.metricMonth +
    (dashboards - fixtures.dashboards) * cloudwatch.dashboardMonth;
  const reads = load.putsPerSecond * SECONDS * observedUnits(graph, load.shares);
  // Its state and the stream's position, and the position of each shard.
  const writes = (seconds / OBSERVER_SAVE_SECONDS) * (2 + streamShards);
  return {
    usd:
      seconds * OBSERVER.gigabytes * lambda.gigabyteSecond +
      (minutes / MILLION) * lambda.millionRequests +
      (reads / MILLION) * dynamodb.millionReadUnits +
      (writes / MILLION) * dynamodb.millionWriteUnits +
      ofAlarms,
    millionStreamReads: ((seconds / OBSERVER_READ_SECONDS) * streamShards) / MILLION,
  };
}

/** Read units of the observer for one put, on the average of the mix. */
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
  const puts = createsOf(modelCost(graph));
  const weightOf = (type: string): number => (shares.size === 0 ? 1 : (shares.get(type) ?? 0));
  const weights = puts.reduce((sum, { type }) => sum + weightOf(type), 0);
  return puts.reduce((sum, { type }) => sum + unitsOf(type) * weightOf(type), 0) / weights;
}

/** Read units a second of the queries of a load. Throws `unknown-query` for a name that is none, or that of several. */
function readUnitsOf({ queries }: ModelCost, reads: Load['reads'] = new Map()): number {
  let units = 0;
  for (const [name, rate] of reads) {
    const exact = queries.filter(({ query }) => query === name);
    const found = exact.length > 0 ? exact : queries.filter(({ query }) => query.startsWith(name));
    if (found.length !== 1) {
      throw new EdgeloomError(
        'unknown-query',
        `${found.length === 0 ? 'No query' : 'More than one query'} of the model begins with ${name}.`,
        `Its queries are: ${queries.map(({ query }) => query).join('; ')}.`,
      );
    }
    units += found[0]!.rcu * rate;
  }
  return units;
}

/** The shards of the stream: one for each partition of the table. */
function shardsOf({ putsPerSecond, gigabytes }: Load, { derivedWrites }: ReturnType<typeof unitsOf>): number {
  const forWrites = (putsPerSecond * (1 + derivedWrites)) / PARTITION_WCU;
  return Math.ceil(Math.max(FEWEST_PARTITIONS, forWrites, gigabytes / PARTITION_GIGABYTES));
}

/** Write units and derived items of one put, on the average of the mix. */
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
  const weightOf = ({ type }: WriteCost): number => (shares.size === 0 ? 1 : (shares.get(type) ?? 0));
  // A part has a view of its own, as small as the part.
  const viewUnits = ({ kind, view }: WriteCost): number => view * (kind === 'part' ? 1 : Math.ceil(viewKilobytes));
  const viewBytes = viewKilobytes * WRITE_UNIT_BYTES;
  const weights = puts.reduce((sum, put) => sum + weightOf(put), 0);
  const meanOverMix = (count: (put: WriteCost) => number): number =>
    puts.reduce((sum, put) => sum + count(put) * weightOf(put), 0) / weights;
  return {
    base: meanOverMix(({ base }) => base),
    // A write of a view is billed by the size of the whole.
    derived: meanOverMix((put) => put.total - put.base + viewUnits(put) - put.view),
    // A view is read whole, too, eventually consistently; half a unit for its first 4 KB is in `read`.
    read: meanOverMix((put) => put.read + (put.kind === 'part' ? 0 : put.view * (readUnits(viewBytes, false) - 0.5))),
    // In the table; an index has partitions of its own.
    derivedWrites: meanOverMix((put) => viewUnits(put) + put.indexItems / 2 + put.reverseItem + put.totalEntry),
    // `indexItems` has two units for an index item, and `totalEntry` four for an entry with its total: each is one write of the function.
    derivedItems: meanOverMix(
      ({ view, indexItems, reverseItem, totalEntry }) => view + indexItems / 2 + reverseItem + totalEntry / 4,
    ),
  };
}

/** The writes that a load is of: new items. */
function createsOf({ writes }: ModelCost): WriteCost[] {
  return writes.filter(({ write }) => write === 'create');
}

function hasCopies({ edges }: CompiledModel): boolean {
  return [...edges.values()].some(({ copy }) => copy !== undefined);
}

function withTotal(parts: MonthlyPart[]): MonthlyPart[] {
  return [...parts, { part: 'total', usd: parts.reduce((sum, { usd }) => sum + usd, 0) }];
}
