import * as cloudformation from '@aws-sdk/client-cloudformation';
import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as events from '@aws-sdk/client-eventbridge';
import * as lambda from '@aws-sdk/client-lambda';
import * as s3api from '@aws-sdk/client-s3';
import * as sqs from '@aws-sdk/client-sqs';
import * as sts from '@aws-sdk/client-sts';
import type { Input } from './stand-in.ts';

/** The services by their names on the command line, with what the SDK knows of their operations. */
const SERVICES: Readonly<Record<string, object>> = {
  ...{ cloudformation, cloudwatch, dynamodb, events, lambda, s3api, sqs, sts },
};

/** Options of the command line itself. */
const OF_COMMAND_LINE = ['Query', 'Output', 'MaxItems', 'Region', 'NoCliPager', 'CliBinaryFormat'];

/** Commands that are no operation of a service, or of one whose client is not installed: their options, required ones first. */
const OTHERS: Readonly<Record<string, { options: readonly string[]; required: number }>> = {
  'cloudformation deploy': {
    options: ['TemplateFile', 'StackName', 'S3Bucket', 'Capabilities', 'NoFailOnEmptyChangeset'],
    required: 2,
  },
  'configure get': { options: ['Words'], required: 1 },
  's3 mb': { options: ['Words'], required: 1 },
  's3 cp': { options: ['Words', 'Recursive'], required: 1 },
  's3 rm': { options: ['Words', 'Recursive'], required: 1 },
  's3 rb': { options: ['Words'], required: 1 },
  'stepfunctions start-execution': { options: ['StateMachineArn', 'Input', 'Name'], required: 1 },
  'stepfunctions describe-execution': { options: ['ExecutionArn'], required: 1 },
};

/** Operations whose answer goes to a file, which the command line names without an option. */
const INTO_FILE = ['lambda invoke'];

/** What a waiter asks again and again. */
const WAITERS: Readonly<Record<string, string>> = {
  'cloudformation stack-delete-complete': 'describe-stacks',
  'cloudformation stack-import-complete': 'describe-stacks',
  'cloudformation stack-update-complete': 'describe-stacks',
  'cloudformation change-set-create-complete': 'describe-change-set',
  'dynamodb table-exists': 'describe-table',
  'dynamodb table-not-exists': 'describe-table',
};

/** A schema of the SDK: its kind, namespace, name, traits, then what belongs to the kind. */
type Schema = readonly unknown[];
const STRUCTURE = 3;
const OPERATION = 9;
/** Added to the kind of what a list, or a map, has. */
const LIST_OF = 64;
const MAP_OF = 128;

/**
 * What a call of the command line has that its service would not take: an operation that there is not, an option that it does not have,
 * one that it lacks, or a value of another type. By the schemas of the SDK's clients.
 */
export function callProblems(service: string, operation: string, { Words, ...input }: Input): string[] {
  const options = Object.fromEntries(Object.entries(input).filter(([name]) => !OF_COMMAND_LINE.includes(name)));
  const other = OTHERS[`${service} ${operation}`];
  if (other !== undefined) {
    const given = Object.keys((Words as string[]).length > 0 ? { Words, ...options } : options);
    return [
      ...given.filter((name) => !other.options.includes(name)).map((name) => `there is no option ${name}`),
      ...other.options
        .slice(0, other.required)
        .filter((name) => !given.includes(name))
        .map((name) => `${name} is missing`),
    ];
  }
  const isWaiter = operation === 'wait';
  const asked = isWaiter ? WAITERS[`${service} ${Words[0]}`] : operation;
  if (asked === undefined) return [`there is no waiter ${Words[0]}`];
  const most = INTO_FILE.includes(`${service} ${operation}`) ? 1 : 0;
  if (!isWaiter && Words.length > most) return [`${Words.join(' ')} belongs to no option`];
  const schema = schemaOf(service, asked);
  if (schema === undefined) return [`there is no operation ${asked}`];
  return structureProblems('', options, schema);
}

/** The input of an operation. */
function schemaOf(service: string, operation: string): Schema | undefined {
  const expected = plain(operation);
  const all = Object.values(SERVICES[service] ?? {}) as unknown[];
  const found = all.find(
    (one): one is Schema => Array.isArray(one) && one[0] === OPERATION && plain(String(one[2])) === expected,
  );
  return found === undefined ? undefined : (unwrapped(found[4]) as Schema);
}

function structureProblems(path: string, value: object, schema: Schema): string[] {
  const names = schema[4] as string[];
  const types = schema[5] as unknown[];
  const given = new Map(Object.entries(value).map(([name, one]) => [plain(name), { name, one }]));
  const known = new Set(names.map(plain));
  const required = names.slice(0, (schema[6] as number | undefined) ?? 0);
  return [
    ...[...given].filter(([name]) => !known.has(name)).map(([, { name }]) => `there is no ${path}${name}`),
    ...required.filter((name) => !given.has(plain(name))).map((name) => `${path}${name} is missing`),
    ...names.flatMap((name, i) => {
      const one = given.get(plain(name));
      return one === undefined ? [] : valueProblems(`${path}${name}`, one.one, types[i]);
    }),
  ];
}

function valueProblems(path: string, given: unknown, type: unknown): string[] {
  const schema = unwrapped(type);
  const isNot = (what: string): string[] => [`${path}: ${JSON.stringify(given)} is not ${what}`];
  // A file may hold what an option wants as JSON.
  const value = typeof given === 'string' && /^\s*[[{]/.test(given) && schema !== 0 ? JSON.parse(given) : given;
  if (Array.isArray(schema)) {
    const [kind] = schema as [number];
    if (kind === STRUCTURE)
      return isObject(value) ? structureProblems(`${path}.`, value, schema) : isNot('a structure');
    // A list's only element may stand for it on the command line; of texts, all of them together.
    if (kind === 1) return [value].flat().flatMap((one, i) => valueProblems(`${path}[${i}]`, one, schema[4]));
    if (kind === 2) {
      if (!isObject(value)) return isNot('a map');
      return Object.entries(value).flatMap(([name, one]) => valueProblems(`${path}.${name}`, one, schema[5]));
    }
    return kind === 0 ? valueProblems(path, value, schema[4]) : [];
  }
  if (typeof schema !== 'number') return [];
  if (schema >= MAP_OF) return isObject(value) ? [] : isNot('a map');
  if (schema >= LIST_OF)
    return [value].flat().flatMap((one, i) => valueProblems(`${path}[${i}]`, one, schema - LIST_OF));
  if (schema === 1) return /^-?\d+(\.\d+)?$/.test(String(value)) ? [] : isNot('a number');
  if (schema === 2) return typeof value === 'boolean' || /^(true|false)$/.test(String(value)) ? [] : isNot('a boolean');
  if (schema === 4) return Number.isNaN(Date.parse(String(value))) ? isNot('a time') : [];
  // A text may be JSON, which has been read before.
  return [];
}

/** A schema without traits, and without the function that gives one which is declared later. */
function unwrapped(type: unknown): unknown {
  if (typeof type === 'function') return unwrapped((type as () => unknown)());
  return Array.isArray(type) && type.length === 2 ? unwrapped(type[0]) : type;
}

/** A name as the command line and the API both have it: `update-table`, `UpdateTable`. */
function plain(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
