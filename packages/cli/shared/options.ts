import { type Command, InvalidArgumentError, Option } from 'commander';
import { LEAST_RCU } from '../../../src/client/read/lists/budget.ts';
import type { FilterOptions } from '../../../src/client/read/lists/filter.ts';
import type { Where } from '../../../src/client/read/request/where.ts';
import { whereOfTexts } from '../../../src/client/read/request/where-text.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { ENDPOINT } from '../../../src/store/environment.ts';
import { attributeValue, collectValue } from './attribute-values.ts';

export interface PagingFlags {
  limit?: number;
  cursor?: string;
  reverse?: boolean;
  includeExpired?: boolean;
}

export function withPaging(command: Command): Command {
  const paged = command
    .option('--limit <n>', 'items per page (default: 100)', wholeNumber)
    .option('--cursor <cursor>', 'continue after the page that returned this cursor');
  return withExpired(paged);
}

export function withExpired(command: Command): Command {
  return command.option('--include-expired', "include expired items that aren't deleted yet");
}

export interface FilterFlags {
  where?: string[];
  maxRcu?: number;
}

export function withFilter(command: Command): Command {
  return withMaxRcu(
    command.option(
      '--where <attribute=value>',
      'filter by a projected attribute: status=OPEN, points>=3 (also !=, <, <=, >), or date={"between":["2026-01-01","2026-01-31"]}; with = and !=, true, null and 5 are also the strings "true", "null" and "5"; repeatable',
      collectValue,
    ),
  );
}

export function withMaxRcu(command: Command): Command {
  return command.option(
    '--max-rcu <n>',
    'read units that a page may cost (default: 50 with --where, and 50 for rows that a native list skips)',
    readUnits,
  );
}

export function filterOf({ where, maxRcu }: FilterFlags): FilterOptions {
  // Cast unchecked, because the library checks the values.
  return {
    maxRcu,
    ...(where !== undefined && { where: whereOfTexts(where, readingsOf, wrongCondition) as Where }),
  };
}

/** A word such as `true` or `5` may stand for a string, as it does in `--equals`. */
function readingsOf(text: string): [unknown, ...unknown[]] {
  const value = attributeValue(text);
  const isWord = /^[^\s"[{]/.test(text);
  return isWord && value !== text ? [value, text] : [value];
}

function wrongCondition(text: string, reason: string): EdgeloomError {
  const hint = `Give conditions as --where status=OPEN or points>=3, and several values as --where 'status={"in":["OPEN","NEW"]}'.`;
  return new EdgeloomError('usage', `--where ${text} ${reason}.`, hint);
}

export interface RateFlags {
  maxRcu?: number;
  maxWcu?: number;
}

export function readRateOption(): Option {
  return new Option('--max-rcu <n>', 'consume at most this many read units a second').argParser(wholeNumber);
}

export function writeRateOption(): Option {
  return new Option('--max-wcu <n>', 'consume at most this many write units a second').argParser(wholeNumber);
}

export interface InboundOptions extends PredicateOptions {
  atLeast?: string;
  order?: string;
}

export interface OrderedOptions extends InboundOptions, PagingFlags, FilterFlags {}

export function withOrder(command: Command): Command {
  return withReverse(withInbound(withFilter(command)));
}

export function withInbound(command: Command): Command {
  const ordered = command
    .option('--at-least <label>', 'this label or a higher rank; in an order without ranks, this value or a greater one')
    .option('--order <order>', "name of an order in the model (default: the type's first)");
  return withPredicates(ordered);
}

export function inboundQuestion({ atLeast, equals, from, to, path, prefix, partition, order }: InboundOptions) {
  const between = (from ?? to) === undefined ? undefined : ([from, to] as const);
  return { atLeast, equals, ...(between && { between }), path, beginsWith: prefix, partition, order };
}

/** Drops options that belong to the command, not the query. */
export function orderedQuery(options: OrderedOptions) {
  const { reverse, limit, cursor, includeExpired } = options;
  const page = { reverse, limit, cursor, ...(includeExpired && { includeExpired }) };
  return { ...inboundQuestion(options), ...page, ...filterOf(options) };
}

export function withPredicates(command: Command): Command {
  return command
    .option('--equals <value>', 'exactly this value or label')
    .option('--prefix <text>', 'values that begin with this text; with --path, the value after the path')
    .option('--from <value>', 'this value or a greater one')
    .option('--to <value>', 'this value or a smaller one; a date without a time includes the whole day (UTC)')
    .option(
      '--path <value>',
      'first value of an order or search of several values; repeat it for the next values',
      collectValue,
    )
    .option('--partition <value>', 'the partition, if the order or search declares one');
}

export function refuseBeside(flag: string, options: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  const flags = flagsGiven(options, names);
  if (flags === '') return;
  throw new EdgeloomError('usage', `${flags} cannot be combined with ${flag}.`, `Leave it out, or ${flag}.`);
}

export function refuseWithout(
  flag: string,
  options: Readonly<Record<string, unknown>>,
  names: readonly string[],
): void {
  const flags = flagsGiven(options, names);
  if (flags === '') return;
  throw new EdgeloomError('usage', `${flags} needs ${flag}.`, `Leave it out, or add ${flag}.`);
}

function flagsGiven(options: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  const given = names.filter((name) => options[name] !== undefined);
  return given.map(flagOf).join(', ');
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function commandText(
  command: string,
  options: Readonly<Record<string, string | readonly string[] | true | undefined>>,
): string {
  const texts = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [flagOf(name), ...(value === true ? [] : [value].flat())],
  );
  return [command, ...texts].join(' ');
}

export function withReverse(command: Command): Command {
  return command.option('--reverse', 'sort in descending order: latest first');
}

export interface PredicateOptions {
  equals?: string;
  prefix?: string;
  from?: string;
  to?: string;
  path?: string[];
  partition?: string;
}

export function wholeNumber(text: string): number {
  return parseNumber(text, 'a whole number of at least 1', (number) => isWhole(text) && number >= 1);
}

export function readUnits(text: string): number {
  return parseNumber(text, `a number of at least ${LEAST_RCU}`, (units) => units >= LEAST_RCU);
}

export function share(text: string): number {
  return parseNumber(text, 'a number from 0 to 1', (number) => number <= 1);
}

export function parseNumber(text: string, what: string, isMeant: (number: number) => boolean = () => true): number {
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && isMeant(number)) return number;
  throw new InvalidArgumentError(`It should be ${what}.`);
}

function isWhole(text: string): boolean {
  return !text.includes('.') && Number.isSafeInteger(Number(text));
}

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  edgeloom ${line}`).join('\n')}\n`;
}

export function exitCodes(meanings: Readonly<Record<number, string>>): string {
  const lines = Object.entries(meanings).map(([code, means]) => `  ${code}  ${means}`);
  return `\nExit codes:\n${lines.join('\n')}\n`;
}

export function endpointUrl(text: string): string {
  if (ENDPOINT.safeParse(text).success) return text;
  throw new InvalidArgumentError('It should be an address such as http://127.0.0.1:8000.');
}

export function portNumber(text: string): number {
  return parseNumber(text, 'a port, 1 to 65535', (port) => isWhole(text) && port >= 1 && port <= 65_535);
}
