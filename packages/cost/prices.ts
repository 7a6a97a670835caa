import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { packageFile } from '../../src/deployment/package/package-files.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';

const price = z.number().min(0);
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, 'should be a day, such as 2026-01-31');
const pricesSchema = z.strictObject({
  /** The region that the prices are of. */
  region: z.string().min(1),
  /** The day on which they were looked up. */
  date: day,
  /** The days of prices that were looked up on another day, by the name of the service. */
  otherDates: z.optional(z.record(z.string(), day)),
  currency: z.literal('USD'),
  dynamodb: z.strictObject({
    millionWriteUnits: price,
    millionReadUnits: price,
    writeUnitHour: price,
    readUnitHour: price,
    gigabyteMonth: price,
    /** The price of point-in-time recovery. */
    restorableGigabyteMonth: price,
  }),
  /** The prices of functions on arm64. */
  lambda: z.strictObject({ millionRequests: price, gigabyteSecond: price }),
  stepFunctions: z.strictObject({ thousandTransitions: price }),
  cloudwatch: z.strictObject({ alarmMonth: price, metricMonth: price, dashboardMonth: price, logGigabyte: price }),
  /** Its serverless collections and its ingestion pipelines, which have one price. */
  openSearch: z.strictObject({ computeUnitHour: price, gigabyteMonth: price }),
  /** The price of a program's own events, of 64 KB each. */
  eventBridge: z.strictObject({ millionEvents: price }),
  /** The price of calls of FIFO queues, of 64 KB each. */
  sqs: z.strictObject({ millionFifoRequests: price }),
});

/** Prices of a region, in US dollars, without free tiers, discounts and taxes. */
export type Prices = z.output<typeof pricesSchema>;

/** The prices that come with the package. */
const OWN_FILE = 'assets/prices.json';

/**
 * Reads a file of prices; without a name the one that comes with the package. Throws `invalid-prices` where it is missing or
 * lacks a price, and `other-region` where it is not of the region that is asked for.
 */
export function readPrices(file: string | undefined, region: string | undefined): Prices {
  const own = packageFile(OWN_FILE);
  const name = file ?? own;
  const hint = `Copy ${own.pathname}, put in the prices, and name the copy with --prices.`;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(name, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EdgeloomError('invalid-prices', `The prices ${file} cannot be read: ${reason}.`, hint, { cause: error });
  }
  const result = pricesSchema.safeParse(content);
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new EdgeloomError('invalid-prices', `The prices ${file} are incomplete: ${problems.join('; ')}.`, hint);
  }
  if (region !== undefined && result.data.region !== region) {
    throw new EdgeloomError('other-region', `The prices are those of ${result.data.region}, not of ${region}.`, hint);
  }
  return result.data;
}
