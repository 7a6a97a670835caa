import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './command.ts';

/** A phrase that docs/reference/glossary.md replaces, where a comment or a page has it. */
export interface Phrase {
  /** From the repository's root. */
  path: string;
  line: number;
  /** The name of its pattern. */
  phrase: string;
  /** The line. */
  text: string;
}

/** How many such phrases each folder has at the most. */
export const COUNTS_FILE = join(ROOT, 'test/unit/plain-words.json');

/** Where a sentence begins: after a full stop, or at the beginning of a comment, a paragraph, a cell or an entry of a list. */
const START = String.raw`(?:^|[.:!?] |\| |^[-*] )`;

/** The patterns, each with its name. They look at prose only: code in backticks is taken out before. */
const PATTERNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['begins with What', new RegExp(`${START}What(?!'s| (?:is|are|to|happens) [^.]*\\?)\\b`, 'g')],
  ['begins with Whether', new RegExp(`${START}Whether\\b`, 'g')],
  ['begins with Of', new RegExp(`${START}Of\\b`, 'g')],
  ['begins with Whose', new RegExp(`${START}Whose\\b`, 'g')],
  ['begins with Since when', new RegExp(`${START}Since when\\b`, 'g')],
  ['begins with Those', new RegExp(`${START}Those\\b`, 'g')],
  ['that which', /\bthat (?:which|what)\b/gi],
  ['is told', /\b(?:is|are|be|was|were) told\b/gi],
  ['comes to', /\b(?:comes?|came|coming) to (?:an end|its end|rest|it|them|be|a|the|no|all)\b/gi],
  ['so many', /\bso (?:many|much)\b/gi],
  ['shall', /\bshall\b/gi],
  ['anew', /\banew\b/gi],
  ['beside', /\bbeside\b/gi],
  ['mend', /\bmend(?:s|ed|ing)?\b/gi],
  ['settle', /\bsettl(?:e|es|ed|ing)\b/gi],
  ['wanted', /\bwanted\b/gi],
  ['goes by', /\b(?:goes|go|went|going) by\b/gi],
  ['is met', /\b(?:is|are|was|were|been) met\b/gi],
  ['stands in', /\bst(?:ands?|ood) (?:in|for|at|still)\b/gi],
  ['in place of', /\bin (?:the |its |their )?places? of\b/gi],
  ['twin', /\btwins?\b/gi],
  ['no further', /\bno further\b/gi],
  ['concern', /\bconcerns?\b/gi],
];

/** All phrases in comments of `src` and `packages`, in README.md, CONTRIBUTING.md and `docs`, decision records included. */
export function phrases(): Phrase[] {
  const sources = ['src', 'packages'].flatMap((folder) => files(folder, /\.tsx?$/));
  const code = sources.flatMap((path) => found(path, commentLines(read(path))));
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    ...files('docs', /^(?!reference\/(?!glossary|model-options)).*\.md$/),
  ].filter((path) => path !== 'docs/reference/glossary.md');
  return [...code, ...pages.flatMap((path) => found(path, proseLines(read(path))))];
}

/** Their number for each folder: of `src` and `packages` the folders in them. */
export function countsByFolder(all: readonly Phrase[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of all) {
    const folder = /^(src|packages)\//.test(path) ? path.split('/').slice(0, 2).join('/') : dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The most words that the pages of `docs` may have together: without decision records, and pages that a program writes. */
export const MAX_DOC_WORDS = 24_000;

/** Pages that are not counted: a program writes them, or (decisions) they have a bound of their own. */
const UNCOUNTED =
  /^(?:project\/(?:faults|figures|friends|matrix)\.md|decisions\/.*|reference\/(?!glossary|model-options).*)$/;

/** The words of each counted page of `docs`. A word has a letter or a digit; those of code and tables count, those of tables that come from a test or a benchmark do not. */
export function docWords(): Record<string, number> {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.md') && !UNCOUNTED.test(name),
  );
  return Object.fromEntries(pages.sort().map((name) => [name, wordsIn(read(join('docs', name)))]));
}

function wordsIn(page: string): number {
  const written = page
    .replace(/<!-- figures: [a-z-]+ -->.*?<!-- \/figures -->/gs, '')
    .replace(/<!-- faults -->.*?<!-- \/faults -->/gs, '');
  return written.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

interface Line {
  line: number;
  text: string;
}

function found(path: string, lines: readonly Line[]): Phrase[] {
  return lines.flatMap(({ line, text }) => {
    const prose = text.replace(/`[^`]*`/g, '`').replace(/\]\([^)]*\)/g, ']');
    return PATTERNS.flatMap(([phrase, pattern]) =>
      [...prose.matchAll(pattern)].map(() => ({ path, line, phrase, text })),
    );
  });
}

/** The lines of a file's comments, without their signs. */
function commentLines(text: string): Line[] {
  let inside = false;
  return text.split('\n').flatMap((source, i) => {
    const line = i + 1;
    const begins = /^\s*\/\*\*?/.test(source);
    const single = /(?:^|\s)\/\/ (.*)$/.exec(source)?.[1];
    if (!inside && !begins) return single === undefined ? [] : [{ line, text: single }];
    inside = !source.includes('*/');
    return [{ line, text: source.replace(/^\s*\/?\*+\/?\s?/, '').replace(/\s*\*\/.*$/, '') }];
  });
}

/** The lines of a page that are no code. */
function proseLines(text: string): Line[] {
  let isCode = false;
  return text.split('\n').flatMap((source, i) => {
    if (/^\s*```/.test(source)) {
      isCode = !isCode;
      return [];
    }
    return isCode ? [] : [{ line: i + 1, text: source }];
  });
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function files(folder: string, pattern: RegExp): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => join(folder, name));
}
