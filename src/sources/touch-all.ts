import pMap from 'p-map';
import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import { retryableUpTo, retrying } from '../foundation/retry.ts';
import type { SourceContext } from './context.ts';
import { requireInForce } from './head.ts';
import { beginTouch, type LedgerRead, type TouchRun, touch } from './touch.ts';

const concurrency = 16;
/** Number of keys that share one read of the head. */
const CHUNK = 100;

/** Returns the failed keys with their errors; throws fatal errors. */
export async function touchAll(
  context: SourceContext,
  keys: Iterable<string>,
  run: TouchRun,
): Promise<Map<string, unknown>> {
  const { wait, random } = context;
  const { remainingMs = () => Number.POSITIVE_INFINITY, signal, attempts } = run;
  const left = new Map<string, unknown>();
  const leave = async (some: readonly string[], action: (tries: number) => Promise<void>): Promise<void> => {
    try {
      signal?.throwIfAborted();
      // `remainingMs` already leaves time for the last calls, so no more is reserved here.
      if (remainingMs() <= 0) throw new EdgeloomError('out-of-time', 'The time ran out.', 'Touch the key again.');
      await retrying(action, { wait, random, remainingMs, signal, isRetryable: retryableUpTo(attempts) });
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'fatal') throw error;
      for (const key of some) left.set(key, error);
    }
  };
  const all = [...new Set(keys)];
  // If time is limited, a small first chunk is touched before more ledgers are read.
  for (let start = 0, size = run.remainingMs ? concurrency : CHUNK; start < all.length; start += size, size = CHUNK) {
    const begun = new Map<string, LedgerRead>();
    const chunk = all.slice(start, start + size);
    const begin = async (key: string): Promise<void> => void begun.set(key, await beginTouch(context, key));
    await pMap(chunk, (key) => leave([key], () => begin(key)), { concurrency });
    const go = async ([key, first]: [string, LedgerRead]): Promise<void> =>
      leave([key], (tries) => touch(context, key, run, tries === 1 ? first : undefined));
    await leave([...begun.keys()], async () => {
      // One read of the head serves all ledgers that were read before it.
      await requireInForce(context);
      await pMap(begun, go, { concurrency });
    });
  }
  return left;
}
