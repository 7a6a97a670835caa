import { randomUUID } from 'node:crypto';
import { pause } from '../../../../src/stream/concurrency.ts';
import { isFullPage, ShardPages, type StartingPoint } from '../../../../src/stream/shard-pages.ts';
import { ShardWorker } from '../../../../src/stream/shard-work.ts';
import { BatchBuffer, type BufferedRecord } from './batch-buffer.ts';
import { type BatchPart, decideAfterFailure, doneCount } from './batch-outcome.ts';
import { invocationRecord } from './failure-destination.ts';
import type { MappingRun } from './mapping-run.ts';
import type { GiveUpCondition, InvokeResult } from './mapping-types.ts';

/** Lambda's limit of an event, in bytes. */
const PAYLOAD_BYTES = 6 * 1024 * 1024;

/** The last invocation of some records. */
type LastInvocation = { requestId: string; result: InvokeResult } | undefined;

/** Reads one shard and invokes the function with its batches, one after the other. */
export class MappingShard extends ShardWorker<MappingRun> {
  private readonly pages: ShardPages;
  private readonly buffer: BatchBuffer;

  constructor(run: MappingRun, shardId: string, start: StartingPoint) {
    super(run, shardId);
    const { source, rules } = run;
    this.pages = new ShardPages(source, shardId, start, (message) => this.onTrimmed(message));
    const limits = { batchSize: rules.batchSize, payloadBytes: PAYLOAD_BYTES, windowMs: rules.windowMs };
    this.buffer = new BatchBuffer(source.streamArn, rules.passes, limits, rules.now);
  }

  override async work(): Promise<void> {
    const { run, shardId } = this;
    run.quiet.noteOpened(shardId);
    try {
      while (!this.isEnding()) {
        const page = await this.retrying('reading', () => this.pages.next());
        if (page === undefined) return;
        run.report.onFiltered(this.buffer.add(page));
        const { isEnd } = page;
        if (!(await this.deliverDue(isEnd, isFullPage(page)))) return;
        if (this.buffer.isEmpty && (page.records.length > 0 || isEnd)) await this.noteRead(isEnd);
        if (page.records.length > 0) run.quiet.noteActivity();
        if (isEnd) {
          run.onLineageChange();
          return;
        }
        if (page.records.length === 0) {
          // A batch that waits for its window is not delivered yet, so the stream is not quiet.
          if (this.buffer.isEmpty) run.onEmptyPoll(shardId);
          await pause(Math.min(run.options.pollIntervalMs ?? 200, this.buffer.dueInMs), run.stopping);
        }
      }
    } finally {
      run.quiet.noteClosed(shardId);
    }
  }

  /**
   * Delivers the batches that are full or due; false where the run ended before. Without a window a batch waits for no
   * new records, but it takes along those that the stream already holds.
   */
  private async deliverDue(isEnd: boolean, isBehind: boolean): Promise<boolean> {
    const { rules, quiet } = this.run;
    const which = isEnd ? 'all' : isBehind && rules.windowMs === 0 ? 'full' : 'due';
    for (let batch = this.buffer.takeBatch(which); batch !== undefined; batch = this.buffer.takeBatch(which)) {
      if (!(await this.deliver(batch))) return false;
      // The function's own writes, in whichever shard, have to be read too before the stream is quiet.
      quiet.noteActivity();
    }
    return true;
  }

  /** Delivers a batch until every record of it is done or given up; false where the run ended before. */
  private async deliver(batch: readonly BufferedRecord[]): Promise<boolean> {
    const { run } = this;
    const { rules } = run;
    const parts: BatchPart<BufferedRecord>[] = [{ records: batch, failedTries: 0, invocations: 0 }];
    let last: LastInvocation;
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const fresh = await this.giveUpExpired(part, last);
      if (fresh.records.length === 0) continue;
      if (run.stopping.aborted) return false;
      const startedMs = rules.now();
      const requestId = randomUUID();
      const result = await this.invoke(fresh.records, requestId);
      if (result === undefined) return false;
      last = { requestId, result };
      const sequenceNumbers = fresh.records.map(({ sequenceNumber }) => sequenceNumber);
      const done = doneCount(sequenceNumbers, result, rules.reportsItems);
      const isDone = done === fresh.records.length;
      const invoked = { ...fresh, invocations: fresh.invocations + 1 };
      const aftermath = isDone ? undefined : decideAfterFailure(invoked, done, rules);
      run.report.onInvocation({
        shardId: this.shardId,
        requestId,
        sequenceNumbers,
        retries: fresh.failedTries,
        milliseconds: rules.now() - startedMs,
        result,
        done,
        next: aftermath?.next ?? 'done',
      });
      await this.noteDone(fresh.records.slice(0, done));
      if (aftermath === undefined) continue;
      if (aftermath.next === 'give-up') {
        await this.giveUp(aftermath.left, 'RetryAttemptsExhausted', last);
        continue;
      }
      parts.unshift(...aftermath.parts);
      if (aftermath.next === 'retry') {
        await pause(rules.retryDelayMs(aftermath.parts[0]!.failedTries), run.stopping);
      }
    }
    return true;
  }

  /** Gives up the records that are too old; gives the others. */
  private async giveUpExpired(
    part: BatchPart<BufferedRecord>,
    last: LastInvocation,
  ): Promise<BatchPart<BufferedRecord>> {
    const { maximumAgeMs, now } = this.run.rules;
    const oldestMs = now() - maximumAgeMs;
    const isExpired = ({ createdAtMs }: BufferedRecord): boolean => createdAtMs < oldestMs;
    // Records are in the order of their changes, so the expired ones come first.
    const firstFresh = part.records.findIndex((record) => !isExpired(record));
    const count = firstFresh === -1 ? part.records.length : firstFresh;
    if (count === 0) return part;
    const expired = { ...part, records: part.records.slice(0, count) };
    await this.giveUp(expired, 'RecordAgeExceeded', part.invocations === 0 ? undefined : last);
    return { ...part, records: part.records.slice(count) };
  }

  /** Invokes the function; undefined where the run was stopped and the function took too long. */
  private async invoke(records: readonly BufferedRecord[], requestId: string): Promise<InvokeResult | undefined> {
    const { stopping, options, graceMs } = this.run;
    const answer = options.function.invoke({ Records: records.map(({ record }) => record) }, requestId);
    const answered = new AbortController();
    const abandoned = untilAborted(stopping, answered.signal).then(async () => {
      await pause(graceMs(), answered.signal);
      return undefined;
    });
    try {
      return await Promise.race([answer, abandoned]);
    } finally {
      answered.abort();
      // Where the invocation is abandoned, its later failure is not waited for.
      answer.catch(() => undefined);
    }
  }

  private async giveUp(
    { records, invocations }: BatchPart<BufferedRecord>,
    condition: GiveUpCondition,
    last: LastInvocation,
  ): Promise<void> {
    const { run, shardId } = this;
    const { onFailure, function: lambda } = run.options;
    const { streamArn } = run.source;
    const batch = { shardId, streamArn, functionArn: lambda.arn, condition, records, invocations, last };
    const keptAt = await onFailure?.send(invocationRecord(batch, run.rules.now()));
    const sequenceNumbers = records.map(({ sequenceNumber }) => sequenceNumber);
    run.report.onGivenUp({ shardId, condition, sequenceNumbers, keptAt });
    await this.noteDone(records);
  }

  /** Notes records that are answered for. */
  private async noteDone(records: readonly BufferedRecord[]): Promise<void> {
    const newest = records.at(-1);
    if (newest === undefined || this.isCancelled()) return;
    this.run.journal.noteShard({ shardId: this.shardId, sequenceNumber: newest.sequenceNumber, finished: false });
    await this.run.journal.flush();
  }

  /** Notes that all that was read is answered for, filtered records included. */
  private async noteRead(finished: boolean): Promise<void> {
    if (this.isCancelled()) return;
    const { run, shardId, pages } = this;
    run.journal.noteShard({ shardId, sequenceNumber: pages.lastRead, finished });
    if (finished) await run.journal.flush();
  }
}

/** Resolves when `signal` aborts. Once `ignoring` has aborted, it does not listen any more, and a pending promise never resolves. */
function untilAborted(signal: AbortSignal, ignoring: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true, signal: ignoring });
  });
}
