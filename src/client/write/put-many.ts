import type { Item } from '../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { describe } from '../../foundation/describe.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { untilAborted } from '../../store/abortable.ts';
import type { CallOptions, CallResult } from '../call/capacity.ts';
import { type BadOperation, InvalidBatchError } from './batch.ts';
import { isPlainObject } from './checks/values.ts';
import { edgeItem, nodeItem, partItem } from './item/prepare.ts';
import { OrderedPuts } from './ordered-puts.ts';
import { unfinished } from './unfinished.ts';

/** A node, part or edge to put. */
export type PutManyItem =
  | { id: string; part?: string; attributes?: unknown }
  | { source: string; type: string; target: string; attributes?: unknown };

/** Options of `putMany`. */
export interface PutManyOptions extends CallOptions {
  /** Calls in flight at once, with up to 25 items each. Default: 8. */
  concurrency?: number | undefined;
  /**
   * Called after each written batch, with the number of items written so far and the number of leading entries that are
   * all written.
   */
  onProgress?: ((items: number, done: number) => void) | undefined;
}

/** The result of `putMany`. */
export interface PutManyResult extends CallResult {
  /** Number of puts. If a key repeats while its first put waits, only the last put is made. */
  items: number;
  calls: number;
}

interface Entry {
  position: number;
  item: () => Promise<Item>;
}

export function checkIterable(entries: unknown): void {
  // A text is iterable, but its characters aren't entries.
  if (typeof entries === 'object' && entries !== null) {
    const { [Symbol.iterator]: each, [Symbol.asyncIterator]: eachLater } = entries as Partial<AsyncIterable<unknown>> &
      Partial<Iterable<unknown>>;
    if (typeof each === 'function' || typeof eachLater === 'function') return;
  }
  throw new EdgeloomError(
    'invalid-argument',
    `putMany takes a list or stream of entries, but was given ${describe(entries)}.`,
    'Give an array, or a generator that yields { id, attributes } or { source, type, target, attributes }.',
  );
}

export async function putMany(
  graph: CompiledModel,
  store: Store,
  entries: Iterable<PutManyItem> | AsyncIterable<PutManyItem>,
  { concurrency, onProgress, signal }: PutManyOptions = {},
): Promise<PutManyResult> {
  checkIterable(entries);
  const puts = new OrderedPuts(graph, store, {
    ...{ concurrency, signal },
    onWritten: () => onProgress?.(puts.items, puts.done),
  });
  let failure: { error: unknown } | undefined;
  let at: number | undefined;
  try {
    const all = Array.isArray(entries)
      ? await checkedEntries(graph, entries, signal)
      : entriesOf(graph, entries, signal);
    for await (const { position, item } of all) {
      signal?.throwIfAborted();
      if (puts.hasFailed) break;
      at = position;
      await puts.add(await item(), position);
      at = undefined;
    }
  } catch (error) {
    if (error instanceof InvalidBatchError) throw error;
    failure = { error };
  }
  // The entries before a bad one are still written, but none after a failed call.
  await puts.end();
  if (failure === undefined && !puts.hasFailed) return { items: puts.items, calls: puts.calls };
  const { error } = failure ?? puts.failure ?? { error: signal?.reason };
  throw unfinished(error, {
    ...{ what: 'putMany', items: puts.items, done: puts.done },
    hint: `Correct what is wrong, and go on with entry ${puts.done + 1}: those before it are written.`,
    ...(at !== undefined && { position: at }),
  });
}

async function checkedEntries(
  graph: CompiledModel,
  entries: readonly PutManyItem[],
  signal: AbortSignal | undefined,
): Promise<Entry[]> {
  const checked: Entry[] = [];
  const bad: BadOperation[] = [];
  for (const [i, entry] of entries.entries()) {
    signal?.throwIfAborted();
    const position = i + 1;
    try {
      const item = await itemOf(graph, entry);
      checked.push({ position, item: async () => item });
    } catch (error) {
      if (!(error instanceof EdgeloomError)) throw error;
      bad.push({ position, error });
    }
  }
  if (bad.length > 0) throw new InvalidBatchError(bad, entries.length, 'putMany');
  return checked;
}

async function* entriesOf(
  graph: CompiledModel,
  entries: Iterable<PutManyItem> | AsyncIterable<PutManyItem>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry> {
  let position = 0;
  for await (const entry of untilStopped(entries, signal)) {
    position += 1;
    yield { position, item: async () => itemOf(graph, entry) };
  }
}

/** Stops when the signal is aborted, without waiting for the next item. */
async function* untilStopped<T>(
  entries: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  if (signal === undefined) {
    yield* entries;
    return;
  }
  const iterator = Symbol.asyncIterator in entries ? entries[Symbol.asyncIterator]() : entries[Symbol.iterator]();
  let isOver = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await untilAborted(signal, Promise.resolve(iterator.next()));
      isOver = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // A generator that waits for an item only ends after the wait, when nobody is left to catch its error.
    if (!isOver) Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

function itemOf(graph: CompiledModel, entry: PutManyItem): Promise<Item> {
  const isObject = isPlainObject(entry);
  if (isObject && 'id' in entry) {
    const { id, part, attributes = {}, ...unknown } = entry;
    checkNothingElse(unknown, '{ id, attributes: { … } }');
    return part === undefined ? nodeItem(graph, id, attributes, 'batch') : partItem(graph, id, part, attributes);
  }
  if (isObject && 'source' in entry) {
    const { source, type, target, attributes, ...unknown } = entry;
    checkNothingElse(unknown, '{ source, type, target, attributes: { … } }');
    return edgeItem(graph, source, type, target, attributes ?? {});
  }
  throw new EdgeloomError(
    'invalid-argument',
    'An entry of putMany is neither a node nor an edge.',
    'Give { id, attributes } or { source, type, target, attributes }.',
  );
}

/** A field next to `attributes` would be lost, and the put would remove what is stored under that name. */
function checkNothingElse(unknown: object, form: string): void {
  const names = Object.entries(unknown).flatMap(([name, value]) => (value === undefined ? [] : [JSON.stringify(name)]));
  if (names.length === 0) return;
  throw new EdgeloomError(
    'invalid-argument',
    `An entry of putMany has no field ${names.join(', ')}.`,
    `Put what is to be written under attributes: ${form}.`,
  );
}
