import { itemOfLine, unzippedChunks } from '../client/write/import.ts';
import { type AttributeValue, attributeOf, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { ScanSource, Store } from '../core/store-port.ts';
import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import { forEachOf } from '../foundation/for-each.ts';
import { linesOf, MAX_LINE_BYTES } from '../foundation/lines.ts';
import { checkStoreOptions } from '../foundation/options.ts';
import { retrying } from '../foundation/retry.ts';
import { type RuntimeOptions, runtimeOf } from '../foundation/runtime.ts';
import type { MirrorContext } from './context.ts';
import { type Contribution, contentOf } from './contributions.ts';
import { keyOfText, mapped } from './mapped.ts';
import { isOfItem } from './mend.ts';
import { positionOf } from './position.ts';
import { makerOf, type SourceTable } from './source.ts';
import { overBase } from './walks.ts';
import { writeAsSeen, writeOfLine } from './write-contribution.ts';

/**
 * A source that is no table of DynamoDB: a log of changes, as JSON lines with positions. There is nothing to ask for the present state, so a
 * line says all: what a record was before and is after. Positions decide, as those of stream records do.
 */

/** Options of `importLines`. */
export interface LinesOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** The table of the other system, with its mapping. */
  source: SourceTable;
  /** Our table. */
  store: Pick<Store, 'get' | 'change' | 'query'> & ScanSource;
  /** Path of the file: one change a line, `{ position, before, after }`. */
  file: string;
  /** The file has every record: what only an older version of the mapping made is taken away at the end. Default false. */
  complete?: boolean | undefined;
  /** Lines that are worked on at once. Default 16. */
  concurrency?: number | undefined;
  /** Stops it; the same import again does the rest. */
  signal?: AbortSignal | undefined;
  /** Called after each line, with the lines so far. */
  onProgress?: ((lines: number) => void) | undefined;
}

/** The result of `importLines`. */
export interface LinesResult {
  /** Changes that were read. */
  lines: number;
  /** Base items that were written. */
  written: number;
  /** Lines that are no change, or that the mapping or the table does not take, 1,000 at most. Only what the table takes may be written of one. */
  refused: { line: number; reason: string }[];
  /** All of them. */
  refusedLines: number;
}

/** All positions of lines are of one sequence. */
const LABEL = 'lines';
const MOST_LISTED = 1_000;
/** Attempts of a call that is refused for now. */
const ATTEMPTS = 10;
const FORM = 'Give {"position":"17","before":{…},"after":{…}}, with null for a record that is not there.';

/**
 * Makes base items of changes of another system, one on a line: `position` is a whole number of at most 38 digits that grows with each
 * change of a record, `before` and `after` are the record, or null. Lines may come again, and in any order, in one file or in many: each
 * base item is in the end what the line of the highest position says. A deletion is remembered for two days; a line that comes later than
 * that has to come with those after it.
 *
 * A line is refused whole if the mapping does not take one of its two records. Correct the mapping, and import the same file again.
 *
 * With another `version` of the mapping import the whole log again, with `complete`.
 *
 * @example
 * await importLines(graph, { source: sources[0], store, file: 'changes.jsonl' });
 */
export async function importLines(graph: CompiledModel, options: LinesOptions): Promise<LinesResult> {
  checkStoreOptions('importLines', options, {
    ...{ source: true, store: true, file: true, concurrency: true, signal: true, onProgress: true },
    ...{ now: true, wait: true, random: true },
    complete: 'boolean',
  });
  const { source, store, file, complete = false, concurrency = 16, signal, onProgress } = options;
  const context: MirrorContext = { graph, source, store, sourceStore: NO_TABLE, ...runtimeOf(options) };
  const result: LinesResult = { lines: 0, written: 0, refused: [], refusedLines: 0 };
  await forEachOf(
    linesOf(await unzippedChunks(file)),
    async ({ number, bytes }) => {
      signal?.throwIfAborted();
      try {
        const text = bytes === undefined ? undefined : new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
        if (text === undefined) throw mistake(`it has more than ${MAX_LINE_BYTES} bytes`);
        if (text === '') return;
        result.lines += 1;
        const written = await writeLine(context, itemOfLine(text), signal);
        result.written += written;
      } catch (error) {
        if (!(error instanceof Error) || (error instanceof StoreError && !isOfItem(error))) throw error;
        if (signal?.aborted === true) throw error;
        result.refusedLines += 1;
        if (result.refused.length < MOST_LISTED) result.refused.push({ line: number, reason: error.message });
      }
      onProgress?.(result.lines);
    },
    { concurrency },
  );
  // A line that was refused may be the one that makes it.
  // rule: lines-refused-take-nothing-away
  if (complete && result.refusedLines === 0) {
    // rule: lines-take-older-away
    const taken = await takeOlderAway(context, signal);
    result.written += taken;
  }
  result.refused.sort((left, right) => left.line - right.line);
  return result;
}

async function writeLine(context: MirrorContext, line: Item, signal: AbortSignal | undefined): Promise<number> {
  const { graph, source } = context;
  const position = positionOf(LABEL, numberOfLine(attributeOf(line, 'position')));
  const [before, after] = [recordOf(line, 'before'), recordOf(line, 'after')];
  const either = after ?? before;
  if (either === undefined) throw mistake('it has neither before nor after');
  const maker = makerOf(source, either);
  if (before !== undefined && makerOf(source, before) !== maker) throw mistake('before and after have other keys');
  const made = mapped(graph, source, after);
  // Without the keys of `before` nobody can take away its items: the line is refused whole.
  // rule: lines-name-what-was-before
  const keys = new Set([...made.keys(), ...mapped(graph, source, before).keys()]);
  let written = 0;
  for (const text of keys) {
    const word = { key: keyOfText(text), maker };
    const content = contentOf(graph, made.get(text));
    const write = (): Promise<boolean> => writeOfLine(context, word, { position, content });
    const isRetryable = (error: unknown, tries: number): boolean =>
      error instanceof StoreError && error.kind === 'retryable' && tries < ATTEMPTS;
    if (await retrying(write, { wait: context.wait, random: context.random, signal, isRetryable })) written += 1;
  }
  return written;
}

/** Takes away what older versions of the mapping made, and the lines have not made again. */
async function takeOlderAway(context: MirrorContext, signal: AbortSignal | undefined): Promise<number> {
  const { version } = context.source;
  const isOlder = (entry: Contribution | undefined): entry is Contribution =>
    entry !== undefined && entry.version < version && entry.content !== undefined;
  const { written } = await overBase(context, { signal }, async (word, entry, { item }) => {
    if (!isOlder(entry)) return false;
    return writeAsSeen(context, word, item, (now) =>
      isOlder(now) ? { position: now.position, version, content: undefined } : undefined,
    );
  });
  return written;
}

function recordOf(line: Item, name: 'before' | 'after'): Item | undefined {
  const value = attributeOf(line, name);
  if (value === undefined || 'NULL' in value) return undefined;
  if ('M' in value) return value.M;
  throw mistake(`its ${name} is no object`);
}

function numberOfLine(value: AttributeValue | undefined): string {
  const text = numberOf(value) ?? stringOf(value) ?? '';
  if (/^\d{1,38}$/.test(text)) return text;
  throw mistake('its position is no whole number of at most 38 digits');
}

function mistake(what: string): EdgeloomError {
  return new EdgeloomError('invalid-json', `The line is no change: ${what}.`, FORM);
}

/** Nothing here asks a table of others. */
const NO_TABLE: MirrorContext['sourceStore'] = {
  get: () => Promise.reject(new Error('Lines have no table.')),
  scan: () => Promise.reject(new Error('Lines have no table.')),
};
