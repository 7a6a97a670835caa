import { EdgeloomError } from '../errors.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { type ModelCost, modelCost, type PutCost } from './capacity.ts';
import type { Prices } from './prices.ts';

/** A load of a table. */
export interface Load {
  /** Base items that are written a second. */
  putsPerSecond: number;
  /** Gigabytes of the table and its indexes. */
  gigabytes: number;
  /** How often each type is written, beside the others; without any, all types are written equally often. */
  shares: ReadonlyMap<string, number>;
}

/** What a stack has that costs by its number. */
export interface Fixtures {
  alarms: number;
  dashboards: number;
  /** Metrics that the functions and the mapping emit. */
  metrics: number;
}

/** One part of the bill. */
export interface MonthlyPart {
  part: 'puts' | 'projections' | 'stream function' | 'check' | 'storage' | 'alarms' | 'total';
  /** US dollars a month. */
  usd: number;
}

/** A bill of a month, for both ways in which DynamoDB bills. */
export interface MonthlyCost {
  monthly: MonthlyPart[];
  /** The same with provisioned capacity that follows the load. */
  monthlyProvisioned: MonthlyPart[];
  priceDate: string;
  priceRegion: string;
  monthlyAssumptions: string;
}

const HOURS = 730;
const SECONDS = HOURS * 3600;
const NIGHTS = HOURS / 24;
const MILLION = 1_000_000;
/** How much of provisioned capacity is used where it follows the load. */
const UTILISATION = 0.7;
/** Milliseconds of the stream function for one derived item, at 1 GB: measured on the engines, with room for TLS. */
const MS_A_WRITE = 1;
/** Batches a second where there are records for them: the window is one second. */
const BATCHES_A_SECOND = 1;
const MS_A_BATCH = 20;
/** Bytes of an eventually consistent scan for one read unit. */
const BYTES_A_UNIT = 8192;
const GIGABYTE = 1024 ** 3;
/** Units a second that the check reads while its function runs; between its calls the state machine waits. */
const CHECK_UNITS_A_SECOND = 1_000;
/** Units that a call of the check reads, and transitions that the state machine makes for it. */
const UNITS_A_CALL = 30_000;
const TRANSITIONS_A_CALL = 4;

const ASSUMPTIONS =
  `items of up to 1 KB; no two records of a batch share a derived item, so projections are an upper bound; capacity that is ` +
  `provisioned is used to ${UTILISATION * 100} %; a check every night; point-in-time recovery; no reads by readers, logs, ` +
  'free tiers, discounts, transfer or taxes';

/** What a load costs a month. Throws `unknown-type` for a share of what is no type of the model. */
export function monthlyCost(graph: CompiledModel, load: Load, fixtures: Fixtures, prices: Prices): MonthlyCost {
  const units = unitsOf(modelCost(graph), load);
  const checkUnits = ((load.gigabytes * GIGABYTE) / BYTES_A_UNIT) * (hasCopies(graph) ? 2 : 1);
  const { dynamodb, lambda, stepFunctions, cloudwatch } = prices;
  const functionMs = load.putsPerSecond * units.derivedItems * MS_A_WRITE;
  const batches = Math.min(load.putsPerSecond, BATCHES_A_SECOND);
  const calls = (checkUnits / UNITS_A_CALL) * NIGHTS;
  const checkFunction =
    (checkUnits / CHECK_UNITS_A_SECOND) * NIGHTS * lambda.gigabyteSecond +
    (calls / MILLION) * lambda.millionRequests +
    ((calls * TRANSITIONS_A_CALL) / 1000) * stepFunctions.thousandTransitions;
  const bill = (write: (unitsPerSecond: number) => number, checkReads: number): MonthlyPart[] =>
    withTotal([
      { part: 'puts', usd: write(load.putsPerSecond * units.base) },
      { part: 'projections', usd: write(load.putsPerSecond * units.derived) },
      {
        part: 'stream function',
        usd:
          ((functionMs + batches * MS_A_BATCH) / 1000) * SECONDS * lambda.gigabyteSecond +
          ((batches * SECONDS) / MILLION) * lambda.millionRequests,
      },
      { part: 'check', usd: checkReads + checkFunction },
      { part: 'storage', usd: load.gigabytes * (dynamodb.gigabyteMonth + dynamodb.restorableGigabyteMonth) },
      {
        part: 'alarms',
        usd:
          fixtures.alarms * cloudwatch.alarmMonth +
          fixtures.metrics * cloudwatch.metricMonth +
          fixtures.dashboards * cloudwatch.dashboardMonth,
      },
    ]);
  const provisionedHours = (unitsPerSecond: number): number => (unitsPerSecond / UTILISATION) * HOURS;
  return {
    monthly: bill(
      (unitsPerSecond) => ((unitsPerSecond * SECONDS) / MILLION) * dynamodb.millionWriteUnits,
      ((checkUnits * NIGHTS) / MILLION) * dynamodb.millionReadUnits,
    ),
    monthlyProvisioned: bill(
      (unitsPerSecond) => provisionedHours(unitsPerSecond) * dynamodb.writeUnitHour,
      // The units of a night, as if they were provisioned for just the time that they are read in.
      (checkUnits / 3600 / UTILISATION) * NIGHTS * dynamodb.readUnitHour,
    ),
    priceDate: prices.date,
    priceRegion: prices.region,
    monthlyAssumptions: ASSUMPTIONS,
  };
}

/** Write units and derived items of one put, on the average of the mix. */
function unitsOf({ puts }: ModelCost, { shares }: Load) {
  for (const type of shares.keys()) {
    if (puts.some((put) => put.type === type)) continue;
    throw new EdgeloomError(
      'unknown-type',
      `The model has no type ${type}.`,
      `Its types are ${puts.map((put) => put.type).join(', ')}.`,
    );
  }
  const weightOf = ({ type }: PutCost): number => (shares.size === 0 ? 1 : (shares.get(type) ?? 0));
  const weights = puts.reduce((sum, put) => sum + weightOf(put), 0);
  const mean = (count: (put: PutCost) => number): number =>
    puts.reduce((sum, put) => sum + count(put) * weightOf(put), 0) / weights;
  return {
    base: mean(({ base }) => base),
    derived: mean(({ total, base }) => total - base),
    // An index item takes a write of the function, and a unit more in its index.
    derivedItems: mean(({ view, indexItems, reverseItem }) => view + indexItems / 2 + reverseItem),
  };
}

function hasCopies({ edges }: CompiledModel): boolean {
  return [...edges.values()].some(({ copy }) => copy !== undefined);
}

function withTotal(parts: MonthlyPart[]): MonthlyPart[] {
  return [...parts, { part: 'total', usd: parts.reduce((sum, { usd }) => sum + usd, 0) }];
}
