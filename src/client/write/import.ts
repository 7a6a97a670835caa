import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Item } from '../../core/items/attribute-value.ts';
import type { CompiledModel, OfGraph } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { countText } from '../../foundation/figure.ts';
import { isGzip, linesOf, MAX_LINE_BYTES } from '../../foundation/lines.ts';
import { checkGraph, checkStoreOptions } from '../../foundation/options.ts';
import { checkedItem } from './item/prepare.ts';
import { dynamoDBItem, itemOfPlainJson, ONE_ITEM, parseLine, refuseOtherFormats } from './json-item.ts';
import { OrderedPuts } from './ordered-puts.ts';

/** Plain JSON, or DynamoDB's JSON with type descriptors. */
export type ImportFormat = 'plain' | 'dynamodb';

/** Options of `importFile`. */
export interface ImportOptions {
  /** The table's store. */
  store: Store;
  /** A file, possibly gzipped, with one JSON object per line: `{ source, target, … }`. Blank lines are skipped. */
  file: string;
  /** The format of the lines. Default: `'plain'`. */
  format?: ImportFormat | undefined;
  /** Writes the good lines even if others are bad. Default: false. */
  skipBad?: boolean | undefined;
  /** Also writes nodes with versions, whatever version is stored. Default: false. */
  force?: boolean | undefined;
  /**
   * The line to begin with, if earlier lines are already written. Default: 1. A line beyond the file's end throws
   * `invalid-argument`.
   */
  fromLine?: number | undefined;
  /** Batches in flight at once. Default: 8. */
  concurrency?: number | undefined;
  /** Stops the import after the batches in flight. */
  signal?: AbortSignal | undefined;
  /** Called as lines are written, with the number written so far and the number to write in all. */
  onProgress?: ((written: number, total: number) => void) | undefined;
}

/** The result of an import. */
export interface ImportResult {
  /** Number of puts. Of nearby lines with the same key, only the last is put. */
  items: number;
  wcu: number;
  skipped: number;
  /** Up to 1,000 skipped lines, each with its number and error. Absent if none was skipped. */
  badLines?: string[];
  /** Number of lines to write, as far as the file was checked. Set if the import was stopped. */
  total?: number;
  /** Line up to which all lines are written. Set if the import was stopped. */
  writtenThrough?: number;
}

export const MAX_LISTED_LINES = 1_000;
const MAX_HINTS = 2;
const MAX_LINE_ERROR = 1_000;

/**
 * Imports a file of JSON lines after checking all of them. Unless `skipBad` is set, a bad line throws `invalid-lines`
 * before anything is written. If a key repeats, its last line wins. An error says up to which line everything is
 * written.
 */
export async function importFile(graph: CompiledModel, options: ImportOptions): Promise<ImportResult> {
  checkGraph('importFile', graph);
  checkStoreOptions('importFile', options, {
    store: true,
    file: true,
    format: true,
    skipBad: 'boolean',
    force: 'boolean',
    fromLine: 'count',
    concurrency: 'count',
    signal: true,
    onProgress: 'function',
  });
  const { fromLine = 1, concurrency, signal, onProgress } = options;
  // The abort may have cut off the file while it was being written, so don't check its lines.
  if (signal?.aborted) return { items: 0, wcu: 0, skipped: 0, total: 0, writtenThrough: fromLine - 1 };
  const { good, skipped, bad, isWhole } = await checkLines({ ...options, graph });
  if (!isWhole) return { items: 0, wcu: 0, skipped: 0, total: good, writtenThrough: fromLine - 1 };
  const onWritten = (): void => onProgress?.(puts.entries, good);
  const puts = new OrderedPuts(graph, options.store, { concurrency, signal, onWritten }, fromLine - 1);
  for await (const line of itemLines({ ...options, graph })) {
    if (signal?.aborted || puts.hasFailed) break;
    if (!('error' in line)) await puts.add(line.item, line.number);
  }
  await puts.end();
  throwIfFailed(puts);
  const { items, wcu, entries, done } = puts;
  return {
    ...{ items, wcu, skipped, ...(skipped > 0 && { badLines: bad }) },
    ...(entries < good && { total: good, writtenThrough: done }),
  };
}

async function checkLines(
  options: OfGraph<ImportOptions>,
): Promise<{ good: number; skipped: number; bad: string[]; isWhole: boolean }> {
  const { skipBad = false, signal } = options;
  const bad: string[] = [];
  const hints = new Set<string>();
  let good = 0;
  let skipped = 0;
  for await (const line of itemLines(options)) {
    if (signal?.aborted) return { good, skipped, bad, isWhole: false };
    if ('error' in line) {
      skipped += 1;
      if (hints.size < MAX_HINTS) hints.add(line.hint);
      if (bad.length < MAX_LISTED_LINES) bad.push(`line ${line.number}: ${onOneLine(line.error)}`);
    } else good += 1;
  }
  if (skipped === 0 || skipBad) return { good, skipped, bad, isWhole: true };
  const more = skipped > bad.length ? [`... and ${skipped - bad.length} more`] : [];
  throw new EdgeloomError(
    'invalid-lines',
    `${skipped === 1 ? '1 line is' : `${skipped} lines are`} bad; nothing was written.\n${[...bad, ...more].map((line) => `  ${line}`).join('\n')}`,
    [...hints, 'Correct the lines, or write the others with --skip-bad.'].join(' '),
  );
}

function throwIfFailed({ failure, done }: OrderedPuts): void {
  if (failure === undefined) return;
  const { error } = failure;
  if (!(error instanceof EdgeloomError)) throw error;
  throw new EdgeloomError(
    error.code,
    `${error.message} ${done === 0 ? 'No line is certainly written, but some may be.' : `All lines up to ${done} are written, and some after it may be.`}`,
    `${error.hint} Then go on from line ${done + 1} (fromLine, or --from-line).`,
    { cause: error },
  );
}

/** Truncates, and removes line breaks, since quoted text could look like another line of the list. */
function onOneLine(error: string): string {
  const text = error.replaceAll('\n', ' ');
  return text.length > MAX_LINE_ERROR ? `${text.slice(0, MAX_LINE_ERROR)}...` : text;
}

type ItemLine = { number: number; item: Item } | { number: number; error: string; hint: string };

async function* itemLines({
  graph,
  file,
  format = 'plain',
  force = false,
  fromLine = 1,
}: OfGraph<ImportOptions>): AsyncGenerator<ItemLine> {
  let lines = 0;
  for await (const { number, bytes } of linesOf(await unzippedChunks(file))) {
    lines = number;
    if (number < fromLine) continue;
    try {
      if (bytes === undefined)
        throw new EdgeloomError('invalid-json', `has more than ${MAX_LINE_BYTES} bytes`, ONE_ITEM);
      const text = textOf(bytes).trim();
      if (text === '') continue;
      const line = parseLine(text);
      refuseOtherFormats(line);
      const item = format === 'plain' ? itemOfPlainJson(line) : dynamoDBItem(line);
      yield { number, item: await checkedItem(graph, item, force) };
    } catch (error) {
      if (!(error instanceof EdgeloomError)) throw error;
      yield { number, error: error.message, hint: error.hint };
    }
  }
  // The line after the last one means that all lines are written.
  if (fromLine > lines + 1) {
    throw new EdgeloomError(
      'invalid-argument',
      `The file has ${countText(lines, 'line')}, so the import can't start at line ${fromLine}.`,
      'Give fromLine (--from-line) the number of a line of this file, or import the file whose lines were meant.',
    );
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new EdgeloomError('invalid-json', 'is not UTF-8', 'Save the file as UTF-8.', { cause: error });
  }
}

async function unzippedChunks(file: string): Promise<AsyncIterable<Buffer>> {
  const start = createReadStream(file, { end: 1 });
  let isZipped = false;
  for await (const bytes of start) isZipped = isGzip(bytes as Buffer);
  const chunks = createReadStream(file);
  // The loop that reads the chunks gets the errors of both streams, so the callback ignores them.
  return isZipped ? pipeline(chunks, createGunzip(), () => undefined) : chunks;
}
