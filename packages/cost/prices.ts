import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { packageFile } from '../../src/deployment/package/package-files.ts';
import { EdgeloomError, messageOf } from '../../src/foundation/errors.ts';

const price = z.number().min(0);
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, 'should be a day, such as 2026-01-31');
const pricesSchema = z.strictObject({
  region: z.string().min(1),
  date: day,
  otherDates: z.optional(z.record(z.string(), day)),
  currency: z.literal('USD'),
  dynamodb: z.strictObject({
    millionWriteUnits: price,
    millionReadUnits: price,
    writeUnitHour: price,
    readUnitHour: price,
    gigabyteMonth: price,
    restorableGigabyteMonth: price,
  }),
  lambda: z.strictObject({ millionRequests: price, gigabyteSecond: price }),
  stepFunctions: z.strictObject({ thousandTransitions: price }),
  cloudwatch: z.strictObject({ alarmMonth: price, metricMonth: price, dashboardMonth: price, logGigabyte: price }),
  /** Collections and ingestion pipelines cost the same per unit. */
  openSearch: z.strictObject({ computeUnitHour: price, gigabyteMonth: price }),
  eventBridge: z.strictObject({ millionEvents: price }),
  sqs: z.strictObject({ millionFifoRequests: price }),
});

/** A region's prices in US dollars, without free tiers, discounts or taxes. */
export type Prices = z.output<typeof pricesSchema>;

const OWN_FILE = 'assets/prices.json';

export function readPrices(file: string | undefined, region: string | undefined): Prices {
  const own = packageFile(OWN_FILE);
  const name = file ?? own.pathname;
  const hint = `Copy ${own.pathname}, put in the prices, and name the copy with --prices.`;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file ?? own, 'utf8'));
  } catch (error) {
    throw new EdgeloomError('invalid-file', `The prices ${name} cannot be read: ${messageOf(error)}.`, hint, {
      cause: error,
    });
  }
  const result = pricesSchema.safeParse(content);
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new EdgeloomError('invalid-file', `The prices ${name} are incomplete: ${problems.join('; ')}.`, hint);
  }
  if (region !== undefined && result.data.region !== region) {
    throw new EdgeloomError('invalid-file', `The prices are those of ${result.data.region}, not of ${region}.`, hint);
  }
  return result.data;
}
