import pMap from 'p-map';
import { EdgeloomError, isRetryableStoreError, StoreError } from '../foundation/errors.ts';
import { retrying } from '../foundation/retry.ts';
import type { SourceContext } from './context.ts';
import { requireInForce } from './head.ts';
import { beginTouch, isTimeOver, type LedgerRead, type TouchRun, touch } from './touch.ts';

/** Touches of many keys, side by side: a key that fails, or that makes thousands of items, holds up no other. */

/** Source items that are touched at once. */
const CONCURRENCY = 16;
/** Keys that share one look at the head. */
const CHUNK = 100;

/**
 * Touches keys. Gives the keys that are left to be touched again, each with the reason; throws if no retry succeeds before an operator
 * acts.
 */
export async function touchAll(
  context: SourceContext,
  keys: Iterable<string>,
  run: TouchRun,
): Promise<Map<string, unknown>> {
  const left = new Map<string, unknown>();
  const all = [...new Set(keys)];
  // Where time may be short the first keys come alone: they are touched before the ledgers of others are read.
  for (let start = 0, size = run.remainingMs === undefined ? CHUNK : CONCURRENCY; start < all.length; start += size, size = CHUNK) {
    await touchChunk(context, all.slice(start, start + size), run, left);
  }
  return left;
}

async function touchChunk(
  context: SourceContext,
  keys: readonly string[],
  run: TouchRun,
  left: Map<string, unknown>,
): Promise<void> {
  const { wait, random } = context;
  const { remainingMs, signal, attempts } = run;
  const attempt = <T>(action: (tries: number) => Promise<T>): Promise<T> =>
    retrying(action, {
      ...{ wait, random, remainingMs, signal },
      isRetryable: (error, tries) => isRetryableStoreError(error) && tries < attempts,
    });
  const leave = async (some: readonly string[], action: () => Promise<void>): Promise<void> => {
    try {
      signal?.throwIfAborted();
      if (isTimeOver(run)) throw timeIsOver();
      await action();
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'fatal') throw error;
      for (const key of some) left.set(key, error);
    }
  };
  const begun = new Map<string, LedgerRead>();
  await pMap(
    keys,
    (key) =>
      leave([key], async () => {
        begun.set(key, await attempt(() => beginTouch(context, key)));
      }),
    { concurrency: CONCURRENCY },
  );
  await leave([...begun.keys()], async () => {
    // One look at the head is enough for all whose ledgers were read before it.
    if (run.isRetiring !== true) await attempt(() => requireInForce(context, context.source));
    await pMap(
      begun,
      ([key, first]) =>
        leave([key], () => attempt((tries) => touch(context, key, run, tries === 1 ? first : undefined))),
      { concurrency: CONCURRENCY },
    );
  });
}

function timeIsOver(): EdgeloomError {
  return new EdgeloomError('touch-unfinished', 'The time ran out.', 'Touch the key again.');
}
