import pMap from 'p-map';
import { StoreError } from '../foundation/errors.ts';
import { retrying } from '../foundation/retry.ts';
import type { Abortable, RuntimeOptions } from '../foundation/runtime.ts';
import type { RawRecord } from '../stream/raw-record.ts';
import { type ItemWork, planBatch } from './batch.ts';
import type { MirrorContext } from './context.ts';
import { keyOfText } from './mapped.ts';
import { correctPoisoned, isOfItem } from './mend.ts';
import { poisonedEntry, quarantine } from './poison.ts';
import { settle, writeOfRecord } from './write-contribution.ts';

/** Source items that are worked on at once. */
const CONCURRENCY = 16;
/** Attempts of a call that is refused for now, before the batch is given back. */
const ATTEMPTS = 4;
/** The time that a source item may take; with less than that left none is begun. */
const RESERVE_MS = 3_000;

/** Options of `apply`. */
export interface ApplyOptions extends Abortable {
  /** Milliseconds left; called many times. At 0 the run stops where it can go on later. Default: no end. */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** The label of the source table's stream. */
  streamLabel: string;
}

/** The result of `apply`. */
export interface ApplyResult {
  /** The sequence number of the first record that is not applied, with all after it; absent: all are. */
  failedFrom?: string;
  /** Why. */
  error?: unknown;
}

/** Carries out a batch of records of the source table. Throws if no retry succeeds before an operator acts. */
export async function applyRecords(
  context: MirrorContext,
  records: readonly RawRecord[],
  { streamLabel, remainingMs, signal }: ApplyOptions,
  settledBefore: number,
): Promise<ApplyResult> {
  const works = planBatch(context.graph, context.source, records, { streamLabel, settledBefore });
  let failed: { work: ItemWork; error: unknown } | undefined;
  const note = (work: ItemWork, error: unknown): void => {
    if (failed === undefined || work.firstPlace < failed.work.firstPlace) failed = { work, error };
  };
  await pMap(
    works,
    async (work) => {
      if (signal?.aborted === true || (remainingMs?.() ?? Number.POSITIVE_INFINITY) < RESERVE_MS) {
        note(work, signal?.reason);
        return;
      }
      try {
        await applyWork(context, work, { remainingMs, signal });
      } catch (error) {
        if (!(error instanceof StoreError) || error.kind !== 'retryable') throw error;
        note(work, error);
      }
    },
    { concurrency: CONCURRENCY },
  );
  return failed === undefined ? {} : { failedFrom: failed.work.firstNumber, error: failed.error };
}

/**
 * A source item that the store refused (the base item is too large) stays in quarantine though later records are taken: to know of its entry
 * would take a read for each record. A reconcile, or a check with repair, ends it.
 */
async function applyWork(
  context: MirrorContext,
  work: ItemWork,
  runtime: Pick<RuntimeOptions, 'remainingMs' | 'signal'>,
): Promise<void> {
  const { maker, poison, mendedAt } = work;
  const attempt = <T>(action: () => Promise<T>): Promise<T> =>
    retrying(action, {
      ...runtime,
      wait: context.wait,
      random: context.random,
      // The writes are conditional, so a call whose answer was lost may be made again.
      isRetryable: (error, tries) => error instanceof StoreError && error.kind === 'retryable' && tries < ATTEMPTS,
    });
  for (const [text, { kind, position, content }] of work.keys) {
    const word = { key: keyOfText(text), maker };
    try {
      await attempt<unknown>(() =>
        kind === 'settle' ? settle(context, word, position) : writeOfRecord(context, word, { position, content }),
      );
    } catch (error) {
      if (!isOfItem(error)) throw error;
      const keys = [...work.keys.keys(), ...(poison?.keys ?? [])];
      const found = { position: poison?.position ?? position, error: poison?.error ?? error, keys };
      await attempt(() => quarantine(context, maker, found));
      return;
    }
  }
  if (poison !== undefined) await attempt(() => quarantine(context, maker, poison));
  if (poison !== undefined || mendedAt === undefined) return;
  await attempt(async () => {
    await correctPoisoned(context, maker, await poisonedEntry(context, maker), mendedAt);
  });
}
