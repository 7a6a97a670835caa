import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../../src/foundation/logger.ts';
import { pause } from '../../../src/stream/concurrency.ts';
import { type FollowRun, StreamFollower } from '../../../src/stream/follower.ts';
import { RunReport } from '../../../src/stream/run-report.ts';
import { type ShardPage, ShardPages } from '../../../src/stream/shard-pages.ts';
import { type ReadBatch, ShardWorker } from '../../../src/stream/shard-work.ts';
import type { StreamSource } from '../../../src/stream/source.ts';
import { matchesPattern } from '../filter-pattern.ts';
import { type InvokeResult, type LambdaFunction, type LambdaRecord, toLambdaRecord } from './lambda-function.ts';

/** The settings of an event source mapping, as Lambda names them. */
export interface MappingSettings {
  batchSize: number;
  /** A record is delivered that matches one of these. */
  filters: readonly unknown[];
  bisectBatchOnFunctionError: boolean;
  /** Retries after which a batch is given up. */
  maximumRetryAttempts: number;
}

/** A mapping, its stream and its function. */
export interface MappingOptions extends MappingSettings {
  source: StreamSource;
  function: LambdaFunction;
  /** The folder with a file for each batch that is given up, as S3 would have an object. */
  failures: string;
  onInvocation?: (report: InvocationReport) => void;
  logger: Logger;
}

/** One invocation. */
export interface InvocationReport {
  /** Sequence numbers of its records, oldest first. */
  sequenceNumbers: readonly string[];
  result: InvokeResult;
  /** How many of the records, from the first on, are done. */
  done: number;
  isDone: boolean;
}

/** Sums over a run. */
export interface MappingResult {
  invocations: number;
  /** Invocations after which something was left to do. */
  failedInvocations: number;
  /** Records that the function answered for. */
  delivered: number;
  /** Records that no filter let in. */
  filtered: number;
  givenUp: number;
}

interface MappingRun extends FollowRun {
  options: MappingOptions;
  sums: MappingResult;
}

/** Records that are delivered together. */
interface Part {
  records: readonly LambdaRecord[];
  /** Failed tries that count against the retries. */
  tries: number;
  invocations: number;
}

const POLL_MS = 20;
const RETRY_MS = 10;

/**
 * Delivers all that stands in a table's stream to a function that reports `batchItemFailures`, as Lambda's event source mapping does: one
 * batch of a shard at a time, parents before children. Failed batches are retried, split and given up by Lambda's rules.
 */
export async function runEventSourceMapping(options: MappingOptions): Promise<MappingResult> {
  const sums = { invocations: 0, failedInvocations: 0, delivered: 0, filtered: 0, givenUp: 0 };
  const follower = new StreamFollower(options.source, {
    name: 'worker',
    report: new RunReport(options.logger),
    open: (run) => (shardId) => new MappingShard({ ...run, options, sums }, shardId),
  });
  await follower.run(true);
  return sums;
}

type ReadPage = ShardPage & ReadBatch;

class MappingShard extends ShardWorker<MappingRun, ReadPage> {
  private readonly pages: ShardPages;

  constructor(run: MappingRun, shardId: string) {
    super(run, shardId, POLL_MS);
    this.pages = new ShardPages(run.source, shardId, {}, (message) => this.onTrimmed(message));
  }

  protected override async read(): Promise<ReadPage> {
    const page = await this.pages.next();
    return { ...page, isEmpty: page.records.length === 0 };
  }

  protected override async apply(page: ReadPage): Promise<boolean> {
    const { run, shardId } = this;
    const { source, options, sums } = run;
    const all = page.records.map((record) => toLambdaRecord(record, source.streamArn));
    const records = all.filter((record) => options.filters.some((filter) => matchesPattern(filter, record)));
    sums.filtered += all.length - records.length;
    for (let from = 0; from < records.length; from += options.batchSize) {
      if (!(await this.deliver(records.slice(from, from + options.batchSize)))) return false;
    }
    if (page.isEnd) run.journal.noteShard({ shardId, sequenceNumber: this.pages.lastRead, finished: true });
    return true;
  }

  /** Delivers a batch until every record of it is done or given up; false where the run ended before. */
  private async deliver(batch: readonly LambdaRecord[]): Promise<boolean> {
    const { options, sums, stopping } = this.run;
    const parts: Part[] = [{ records: batch, tries: 0, invocations: 0 }];
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      if (stopping.aborted) return false;
      const requestId = randomUUID();
      const result = await options.function.invoke({ Records: [...part.records] }, requestId);
      const sequenceNumbers = part.records.map(numberOf);
      const done = doneCount(sequenceNumbers, result);
      const isDone = done === part.records.length;
      sums.invocations += 1;
      sums.delivered += done;
      options.onInvocation?.({ sequenceNumbers, result, done, isDone });
      if (isDone) continue;
      sums.failedInvocations += 1;
      const left: Part = { ...part, records: part.records.slice(done), invocations: part.invocations + 1 };
      if (options.bisectBatchOnFunctionError && (done > 0 || left.records.length > 1)) {
        // A report splits a batch at the reported record, an error in the middle; a split is no retry.
        const middle = done > 0 ? left.records.length : Math.ceil(left.records.length / 2);
        const halves = [left.records.slice(0, middle), left.records.slice(middle)];
        parts.unshift(...halves.filter(({ length }) => length > 0).map((records) => ({ ...left, records })));
      } else if (left.tries === options.maximumRetryAttempts) {
        await this.giveUp(left, requestId, result);
      } else {
        parts.unshift({ ...left, tries: left.tries + 1 });
        await pause(RETRY_MS, stopping);
      }
    }
    return true;
  }

  /** Keeps a batch in the form of an object of S3: `edgeloom redrive --from-failure` reads it. */
  private async giveUp({ records, invocations }: Part, requestId: string, result: InvokeResult): Promise<void> {
    const { options, sums, source } = this.run;
    const arrivals = records.map(({ dynamodb }) =>
      new Date(Number(dynamodb?.ApproximateCreationDateTime) * 1000).toISOString(),
    );
    const record = {
      requestContext: {
        requestId,
        functionArn: options.function.arn,
        condition: 'RetryAttemptsExhausted',
        approximateInvokeCount: invocations,
      },
      responseContext: {
        statusCode: 200,
        executedVersion: '$LATEST',
        ...(result.kind === 'error' && { functionError: 'Unhandled' }),
      },
      version: '1.0',
      timestamp: new Date().toISOString(),
      DDBStreamBatchInfo: {
        shardId: this.shardId,
        startSequenceNumber: numberOf(records[0]!),
        endSequenceNumber: numberOf(records.at(-1)!),
        approximateArrivalOfFirstRecord: arrivals[0],
        approximateArrivalOfLastRecord: arrivals.at(-1),
        batchSize: records.length,
        streamArn: source.streamArn,
      },
      payload: JSON.stringify({ Records: records }),
    };
    await mkdir(options.failures, { recursive: true });
    await writeFile(join(options.failures, `${randomUUID()}.json`), JSON.stringify(record));
    sums.givenUp += records.length;
  }
}

/** How many records of a batch, from the first on, are done. */
function doneCount(sequenceNumbers: readonly string[], result: InvokeResult): number {
  if (result.kind === 'error') return 0;
  const { batchItemFailures } = result.payload as { batchItemFailures: { itemIdentifier: string }[] };
  const places = batchItemFailures.map(({ itemIdentifier }) => sequenceNumbers.indexOf(itemIdentifier));
  // Where a number is none of the batch, all of it is tried again.
  return places.includes(-1) ? 0 : Math.min(sequenceNumbers.length, ...places);
}

function numberOf({ dynamodb }: LambdaRecord): string {
  return dynamodb?.SequenceNumber ?? '';
}
