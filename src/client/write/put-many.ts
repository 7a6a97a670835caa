import type { CompiledModel } from '../../core/model/compiled.ts';
import type { BatchWrite, Store } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { untilAborted } from '../../store/abortable.ts';
import type { CallOptions, CallResult } from '../call/capacity.ts';
import { baseKeyText } from './batch.ts';
import { edgeItem, nodeItem, partItem } from './item/prepare.ts';

/** A node, a part of one, or an edge to put. */
export type PutManyItem =
  | { id: string; part?: string; attributes?: unknown }
  | { source: string; type: string; target: string; attributes?: unknown };

/** Options of `putMany`. */
export interface PutManyOptions extends CallOptions {
  /** Calls in flight at once, of 25 items each. Default 8. */
  concurrency?: number | undefined;
  /** Called after each call with the items written so far. */
  onProgress?: ((items: number) => void) | undefined;
}

/** The result of `putMany`. */
export interface PutManyResult extends CallResult {
  /** Puts made; where a key comes again while its first put waits, only the last one is made. */
  items: number;
  /** DynamoDB calls made. */
  calls: number;
}

const BATCH_ITEMS = 25;

/**
 * Puts a stream of nodes and edges, 25 a call. Items are taken as fast as they are written; puts of one key are made in
 * their order. A bad item ends it with its error, after the calls in flight; what came before it is written.
 */
export async function putMany(
  graph: CompiledModel,
  store: Store,
  entries: Iterable<PutManyItem> | AsyncIterable<PutManyItem>,
  { concurrency = 8, onProgress, signal }: PutManyOptions = {},
): Promise<PutManyResult> {
  const result: PutManyResult = { items: 0, calls: 0 };
  const inFlight = new Map<Promise<void>, ReadonlySet<string>>();
  let failure: { error: unknown } | undefined;
  let batch = new Map<string, BatchWrite>();

  const send = (): void => {
    const writes = batch;
    batch = new Map();
    const call = store
      .writeMany([...writes.values()], { signal })
      .then(({ calls }) => {
        result.items += writes.size;
        result.calls += calls;
        onProgress?.(result.items);
      })
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => inFlight.delete(call));
    inFlight.set(call, new Set(writes.keys()));
  };

  let position = 0;
  try {
    for await (const entry of untilStopped(entries, signal)) {
      if (failure !== undefined) break;
      position += 1;
      const put = { put: await itemOf(graph, entry, position) };
      const key = baseKeyText(graph, put);
      // Two calls in flight come in any order: a put waits for one of the same key that was sent.
      await Promise.all([...inFlight].filter(([, keys]) => keys.has(key)).map(([call]) => call));
      batch.set(key, put);
      if (batch.size >= BATCH_ITEMS) send();
      while (inFlight.size >= concurrency) await Promise.race(inFlight.keys());
    }
    if (batch.size > 0 && failure === undefined) send();
  } catch (error) {
    if (batch.size > 0 && failure === undefined && signal?.aborted !== true) send();
    throw error;
  } finally {
    await Promise.all(inFlight.keys());
  }
  if (failure !== undefined) throw failure.error;
  return result;
}

/** The items until a signal is aborted; then it throws the signal's reason, without waiting for an item that may not come. */
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
    // A generator that waits ends only after its wait; no caller is left for an error that it then throws.
    if (!isOver) Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

async function itemOf(graph: CompiledModel, entry: PutManyItem, position: number) {
  if ('id' in entry) {
    const { id, part, attributes = {} } = entry;
    return part === undefined ? nodeItem(graph, id, attributes, 'batch') : partItem(graph, id, part, attributes);
  }
  if ('source' in entry) {
    return edgeItem(graph, entry.source, entry.type, entry.target, entry.attributes ?? {});
  }
  throw new EdgeloomError(
    'invalid-argument',
    `Item ${position} of putMany is neither a node nor an edge.`,
    'Give { id, attributes } or { source, type, target, attributes }.',
  );
}
