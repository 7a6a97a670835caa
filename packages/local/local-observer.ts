import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { sleep } from '../../src/foundation/runtime.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import type { ObservedDrift } from '../../src/trust/observe/drift.ts';
import { type ObserverProgress, observe } from '../../src/trust/observe/observe.ts';
import type { LocalTable } from './local-table.ts';

/** The observer of a local table. */
export interface LocalObserver {
  /**
   * Milliseconds since 1970. Derived items not touched since then are right, except for known drift. Undefined until
   * known.
   */
  readonly verifiedThroughMs: number | undefined;
  /** Number of derived items known to be wrong. */
  readonly drift: number;
  /** Resolves when the observer stops, and rejects with the error that ended it. The worker keeps running. */
  ended: Promise<void>;
}

/** Settings of the observer of a local table. */
export interface LocalObserverSettings {
  /** Called for each new drift. Default: logs it. */
  onDrift?: ((drift: ObservedDrift) => void) | undefined;
  logger?: Logger | undefined;
}

/** Shorter than on AWS: a local engine shows records at once, and shares this machine's clock. */
const LIMITS = { lateMs: 500, skewMs: 100, graceMs: 1_000, listMs: 2_000 };
/** Milliseconds between reads of the consumer's position. */
const MARK_MS = 2_000;
const RETRY_MS = 5_000;

export function startLocalObserver(
  graph: CompiledModel,
  { streams, store, streamArn, loss }: Pick<LocalTable, 'streams' | 'store' | 'streamArn' | 'loss'>,
  { logger, onDrift }: LocalObserverSettings,
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let progress: ObserverProgress = { verifiedThroughMs: undefined, heldBy: undefined, drift: [] };
  const wait = async (milliseconds: number): Promise<void> => {
    await sleep(milliseconds, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await observe({
        graph,
        store,
        source: new DynamoDBStreamSource(streams, streamArn),
        markMs: MARK_MS,
        limits: LIMITS,
        wait,
        remainingMs: () => (signal.aborted ? 0 : Number.POSITIVE_INFINITY),
        onProgress: (now) => {
          progress = now;
        },
        onDrift: onDrift ?? ((drift) => logger?.warn({ ...drift.suspect }, 'drift')),
        onIndexDifference: (difference) => logger?.warn({ ...difference }, 'index difference'),
      });
      // Another process holds the lease, or was killed before releasing it.
      await wait(RETRY_MS);
    }
  };
  const ended = Promise.race([run(), loss]);
  // `ended` reports a failure, but a program may ignore it.
  ended.catch((error: unknown) => {
    if (!signal.aborted) logger?.error({ error: String(error) }, 'The observer has ended.');
  });
  return {
    observer: {
      get verifiedThroughMs() {
        return progress.verifiedThroughMs;
      },
      get drift() {
        return progress.drift.length;
      },
      ended,
    },
    stop: async () => {
      stopping.abort();
      await ended.catch(() => undefined);
    },
  };
}
