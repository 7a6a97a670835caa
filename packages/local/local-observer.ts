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
   * Every derived item that nothing has touched since this time is right, but for the known drift: milliseconds since 1970. Undefined: not
   * known yet.
   */
  readonly verifiedThroughMs: number | undefined;
  /** Number of derived items that are known to be wrong. */
  readonly drift: number;
  /** Resolves when it was stopped. Rejects with the error that it gave up with; the worker goes on. */
  ended: Promise<void>;
}

/** Settings of the observer of a local table. */
export interface LocalObserverSettings {
  /** Called for each drift that was not known before. Default: it is logged. */
  onDrift?: ((drift: ObservedDrift) => void) | undefined;
  logger?: Logger | undefined;
}

/** A running observer, and its end. */
export interface RunningObserver {
  observer: LocalObserver;
  /** Stops it, after its state is saved. Calling it again is fine. */
  stop(): Promise<void>;
}

/** An engine on this machine shows records at once, and there is one clock. */
const LIMITS = { lateMs: 500, skewMs: 100, graceMs: 1_000, listMs: 2_000 };
/** How often the position of the consumer is read, in milliseconds. */
const MARK_MS = 2_000;
/** Milliseconds until another try where a process before has left its lease. */
const RETRY_MS = 5_000;

/** Starts the observer of a local table, in this process. */
export function startLocalObserver(
  graph: CompiledModel,
  { streams, store, streamArn, loss }: Pick<LocalTable, 'streams' | 'store' | 'streamArn' | 'loss'>,
  { logger, onDrift }: LocalObserverSettings,
): RunningObserver {
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
      // Another process may have the lease, or a process that was killed.
      await wait(RETRY_MS);
    }
  };
  const ended = Promise.race([run(), loss]);
  // `ended` tells of a failure. A program that does not use it goes on without.
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
