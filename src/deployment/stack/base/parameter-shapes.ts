import * as z from 'zod';
import { tableNameIn } from './arns.ts';

/** All schemas accept strings, because `--param` passes strings. */

export const truth = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);
/** Avoids `z.coerce`, which turns an empty string into 0 and `true` into 1. */
const numeric = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value), schema);
export const wholeBetween = (least: number, most: number) => numeric(z.number().int().min(least).max(most));
/** 0 means DynamoDB's default. */
export const unitsFrom = (least: number) =>
  wholeBetween(0, 1_000_000_000).refine((count) => count === 0 || count >= least, `should be 0, or ${least} and more`);
/** Accepts an ARN or an empty string. `resource` matches the part after the account. */
export const arnOfService = (service: string, what: string, resource = '.+') =>
  z.string().regex(new RegExp(`^(arn:[^:]+:${service}:[^:]*:[^:]*:${resource})?$`), `should be the ARN of ${what}`);
/** Accepts a list or a comma-separated string. YAML parses account ids as numbers. */
export const list = z.preprocess(
  (value) =>
    [value].flat().flatMap((one) =>
      typeof one === 'string' || typeof one === 'number'
        ? String(one)
            .split(',')
            .map((part) => part.trim())
            .filter((part) => part !== '')
        : [one],
    ),
  z.array(z.string('should be a text')),
);
export const idsOf = (kind: string) =>
  list.refine((all) => all.every((one) => one.startsWith(`${kind}-`)), `should be ids such as ${kind}-0a1b2c3d`);
/** IAM and SQS refuse other characters. */
const TAG_TEXT = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;
const MOST_TAGS = 50;
export const tags = z
  .union([
    z.record(z.string(), z.string()),
    z
      .string()
      .regex(/^([^=,]+=[^,]*(,[^=,]+=[^,]*)*)?$/, 'should be NAME=VALUE,NAME=VALUE')
      .transform(
        (text) =>
          Object.fromEntries(
            text === '' ? [] : text.split(',').map((tag) => tag.split(/=(.*)/s).slice(0, 2)),
          ) as Record<string, string>,
      ),
  ])
  .refine((all) => Object.keys(all).length <= MOST_TAGS, `should be ${MOST_TAGS} at most`)
  .refine(
    (all) => Object.keys(all).every((name) => /^(?!aws:).{1,128}$/is.test(name) && TAG_TEXT.test(name)),
    'should have names of at most 128 letters, digits, spaces and _.:/=+-@, without aws: at the beginning',
  )
  .refine(
    (all) => Object.values(all).every((value) => value.length <= 256 && TAG_TEXT.test(value)),
    'should have values of at most 256 letters, digits, spaces and _.:/=+-@',
  );

/** Refuses the usual mistakes: five cron fields, or not exactly one `?` in the two day fields. */
const SCHEDULE =
  /^(rate\((1 (minute|hour|day)|([2-9]|[1-9]\d+) (minutes|hours|days))\)|cron\(\S+ \S+ (\? \S+ [^\s?]+|[^\s?]+ \S+ \?) \S+\))$/;
export const schedule = z
  .string()
  .regex(SCHEDULE, 'should be rate(1 day), rate(12 hours), or cron(...) with six fields, such as cron(0 2 * * ? *)');

export const oneOf = (numbers: readonly number[], message: string) => numeric(z.literal(numbers, message));

export const STREAM_RESOURCE = 'table/[A-Za-z0-9_.-]+/stream/.+';
const STREAM = new RegExp(`^arn:[^:]+:dynamodb:[^:]*:[^:]*:${STREAM_RESOURCE}$`);

/** Refuses two tables with the same name, because a source is identified by its table's name alone. */
export const streamsOfTables = list
  .refine((all) => all.every((one) => STREAM.test(one)), 'should be the ARNs of streams')
  .refine(
    (all) => new Set(all.map(tableNameIn)).size === all.length,
    'should be one stream of each table, and tables of different names',
  );
