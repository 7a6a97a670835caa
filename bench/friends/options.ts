import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import type { KeyHash } from './layouts/hash.ts';

/** What the command line asks for. */
export interface FriendsOptions {
  /** The networks' numbers of users, ascending. */
  sizes: number[];
  /** Friends of the longest list, instead of networks: one list that grows; undefined for networks. */
  longest: number | undefined;
  /** Timed operations of each network, layout and kind, at most. */
  operations: number;
  seed: number;
  /** The hash of the layout `hash`. */
  hash: KeyHash;
  /** Folder for `friends.md`, and for the plots in `img`. */
  outDir: string;
  json: boolean;
  help: boolean;
}

/** The article's networks. */
export const ARTICLE_SIZES: readonly number[] = [5, 10, 30, 50, 70, 90, 110, 130, 150, 170];

const FEWEST_USERS = 5;
/** The layouts with one item per user end where an item does, at 400 KB. */
const MOST_USERS = 9_000;
const FEWEST_LONGEST = 10;
const MOST_LONGEST = 1_000_000;
const DEFAULT_OPERATIONS = 100;
const MOST_OPERATIONS = 1_000;
const DEFAULT_SEED = 20_200_701;
const MOST_SEED = 0xffff_ffff;

/** What `--help` prints. */
export const USAGE = `Usage: npm run bench -- friends [OPTIONS]

Adds, checks and removes friends in random networks, stored on DynamoDB in five layouts, and writes plots and a page.

  --n LIST        users in the networks, such as 10,100,1000; ${FEWEST_USERS} to ${MOST_USERS} each (default: ${ARTICLE_SIZES.join(',')})
  --longest N     instead of networks one list that grows to N friends, ${FEWEST_LONGEST} to ${MOST_LONGEST.toLocaleString('en-US')}; layouts stop where an
                  item ends, at 400 KB; plots alone are written
  --operations N  timed operations of each network, layout and kind, at most; up to ${MOST_OPERATIONS} (default: ${DEFAULT_OPERATIONS})
  --seed N        another seed makes other networks (default: ${DEFAULT_SEED})
  --hash HASH     hash of the layout hash: sha256, or md5 as in the article (default: sha256)
  --out DIR       folder for friends.md and img (default: docs/project; with --n or --longest: .edgeloom/friends)
  --json          print one JSON document
  --help          print this
`;

/** Reads the command line. Throws an `EdgeloomError` (`invalid-option`) that names the option. */
export function parseFriendsOptions(args: readonly string[]): FriendsOptions {
  const { values } = parsed(args);
  if (values.n !== undefined && values.longest !== undefined) {
    throw new EdgeloomError('invalid-option', '--n and --longest exclude each other.', 'Give one of them.');
  }
  const isArticles = values.n === undefined && values.longest === undefined;
  const sizes = values.n === undefined ? ARTICLE_SIZES : values.n.split(',');
  const numbers = sizes.map((size) => wholeNumber('--n', size, FEWEST_USERS, MOST_USERS));
  return {
    sizes: [...new Set(numbers)].sort((left, right) => left - right),
    longest:
      values.longest === undefined ? undefined : wholeNumber('--longest', values.longest, FEWEST_LONGEST, MOST_LONGEST),
    operations: wholeNumber('--operations', values.operations ?? DEFAULT_OPERATIONS, 1, MOST_OPERATIONS),
    seed: wholeNumber('--seed', values.seed ?? DEFAULT_SEED, 0, MOST_SEED),
    hash: keyHash(values.hash ?? 'sha256'),
    // The committed page is that of the article's networks: a look at others does not replace it.
    outDir: values.out ?? (isArticles ? join('docs', 'project') : join('.edgeloom', 'friends')),
    json: values.json === true,
    help: values.help === true,
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { n: text, longest: text, operations: text, seed: text, hash: text, out: text, json: flag, help: flag },
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new EdgeloomError('invalid-option', message, 'npm run bench -- friends --help lists the options.', {
      cause: error,
    });
  }
}

function keyHash(value: string): KeyHash {
  if (value === 'sha256' || value === 'md5') return value;
  throw new EdgeloomError('invalid-option', `--hash cannot be "${value}".`, 'Give sha256 or md5.');
}

function wholeNumber(option: string, value: string | number, least: number, most: number): number {
  const number = Number(value);
  if (String(value).trim() !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new EdgeloomError(
    'invalid-option',
    `${option} cannot be "${value}".`,
    `Give a whole number from ${least} to ${most.toLocaleString('en-US')}${option === '--n' ? ', or several with commas between them' : ''}.`,
  );
}
