import * as z from 'zod';
import { tableNameIn } from './arns.ts';

/**
 * The shapes of parameters. Values from a command line (`--param`) are texts, so texts of numbers, truths, lists and tags are taken too.
 */

/** True or false. */
export const truth = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);
/** A number, also as a text of digits. `z.coerce` makes 0 of an empty text, and 1 of true. */
const numeric = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value), schema);
/** A whole number between two others, these included. */
export const wholeBetween = (least: number, most: number) => numeric(z.number().int().min(least).max(most));
/** Units a second, or 0 for what DynamoDB does without a word. */
export const unitsFrom = (least: number) =>
  wholeBetween(0, 1_000_000_000).refine((count) => count === 0 || count >= least, `should be 0, or ${least} and more`);
/** An ARN of a service, or nothing; `resource` is how it goes on after region and account. */
export const arnOfService = (service: string, what: string, resource = '.+') =>
  z.string().regex(new RegExp(`^(arn:[^:]+:${service}:[^:]*:[^:]*:${resource})?$`), `should be the ARN of ${what}`);
/** A list, or a text of it with commas. YAML makes a number of an account's. */
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
/** A list of ids of one kind of things. */
export const idsOf = (kind: string) =>
  list.refine((all) => all.every((one) => one.startsWith(`${kind}-`)), `should be ids such as ${kind}-0a1b2c3d`);
/** IAM and SQS refuse other characters; names with `aws:` are those of AWS itself. */
const TAG_TEXT = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;
const MOST_TAGS = 50;
/** Names and values. */
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

/** A field of EventBridge's cron: values, ranges and steps of them, and what only this field may have. */
const cronField = (value: string, more = ''): RegExp => {
  const one = `(?:(?:\\*|(?:${value})(?:-(?:${value}))?)(?:/0*[1-9]\\d*)?${more})`;
  // A question mark stands alone.
  return new RegExp(`^(?:\\?|${one}(?:,${one})*)$`, 'i');
};
const DAY_OF_MONTH = '0?[1-9]|[12]\\d|3[01]';
const DAY_OF_WEEK = '[1-7]|SUN|MON|TUE|WED|THU|FRI|SAT';
/** Minutes, hours, day of the month, month, day of the week, year. */
const CRON_FIELDS: readonly RegExp[] = [
  cronField('[0-5]?\\d'),
  cronField('[01]?\\d|2[0-3]'),
  cronField(DAY_OF_MONTH, `|L|LW|(?:${DAY_OF_MONTH})W`),
  cronField('0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC'),
  cronField(DAY_OF_WEEK, `|L|(?:${DAY_OF_WEEK})(?:L|#[1-5])`),
  cronField('19[7-9]\\d|2[01]\\d\\d'),
];

/** Tells whether EventBridge takes a schedule. */
function isSchedule(text: string): boolean {
  if (/^rate\((1 (minute|hour|day)|([2-9]|[1-9]\d+) (minutes|hours|days))\)$/.test(text)) return true;
  const fields = /^cron\((.+)\)$/.exec(text)?.[1]?.split(' ') ?? [];
  if (fields.some((field, i) => field === '?' && i !== 2 && i !== 4)) return false;
  if (fields.length !== CRON_FIELDS.length || !CRON_FIELDS.every((field, i) => field.test(fields[i]!))) return false;
  // Exactly one of the two days says nothing.
  return (fields[2] === '?') !== (fields[4] === '?');
}

/** A schedule of EventBridge. */
export const schedule = z
  .string()
  .refine(isSchedule, 'should be rate(1 day), rate(12 hours), or cron(...) with six fields, such as cron(0 2 * * ? *)');

/** One of some numbers. */
export const oneOf = (numbers: readonly number[], message: string) => numeric(z.literal(numbers, message));

/** The ARN of a stream of DynamoDB, from the table on. */
export const STREAM_RESOURCE = 'table/[A-Za-z0-9_.-]+/stream/.+';
const STREAM = new RegExp(`^arn:[^:]+:dynamodb:[^:]*:[^:]*:${STREAM_RESOURCE}$`);

/** The streams of some tables. A source item is known by the name of its table alone, so tables of one name would be taken for one. */
export const streamsOfTables = list
  .refine((all) => all.every((one) => STREAM.test(one)), 'should be the ARNs of streams')
  .refine(
    (all) => new Set(all.map(tableNameIn)).size === all.length,
    'should be one stream of each table, and tables of different names',
  );
