import type { Logger } from '../../../../src/foundation/logger.ts';
import type { OptionNames } from '../../../../src/foundation/options.ts';
import type { RuntimeOptions } from '../../../../src/foundation/runtime.ts';
import type { CheckpointStore } from '../../../../src/stream/checkpoint.ts';
import type { StreamSource } from '../../../../src/stream/source.ts';
import type { FilterPattern } from './filter-pattern.ts';
import type { LambdaStreamEvent } from './lambda-record.ts';

/** The result of an invocation: the function's answer, or the reason why there is none. */
export type InvokeResult =
  | {
      kind: 'response';
      /** The handler's answer as JSON values; undefined where it returned nothing. */
      payload: unknown;
    }
  | {
      /** The handler threw, or ran out of time, or its process ended. */
      kind: 'error';
      /** Such as `TypeError`, `Sandbox.Timedout`, `Runtime.ExitError`. */
      errorType: string;
      errorMessage: string;
    };

/** A function to invoke, one invocation at a time for each shard. */
export interface LambdaFunction {
  /** Its ARN, as on-failure records name it. */
  readonly arn: string;
  /**
   * Invokes it. Whatever goes wrong within the function is a result; a rejection means that it cannot be invoked at
   * all, and ends the mapping.
   */
  invoke(event: LambdaStreamEvent, requestId: string): Promise<InvokeResult>;
}

/** The settings of an event source mapping that Lambda has too, with Lambda's defaults. */
export interface MappingSettings {
  /** Records in one invocation at most, 1 to 10,000. Default 100. */
  batchSize?: number | undefined;
  /** Seconds that records may wait for a batch to fill, 0 to 300. Default 0. */
  maximumBatchingWindowSeconds?: number | undefined;
  /** A record is delivered that matches one of these; none: every record. */
  filters?: readonly FilterPattern[] | undefined;
  /** `['ReportBatchItemFailures']`: the function's `batchItemFailures` are read. Default: none. */
  functionResponseTypes?: readonly 'ReportBatchItemFailures'[] | undefined;
  /** True if a batch whose invocation failed is split in two. Default false. */
  bisectBatchOnFunctionError?: boolean | undefined;
  /** Retries after which a batch is given up, 0 to 10,000; -1: never. Default -1. */
  maximumRetryAttempts?: number | undefined;
  /** Age in seconds beyond which a record is given up, 60 to 604,800; -1: never. Default -1. */
  maximumRecordAgeSeconds?: number | undefined;
  /** Where to begin in shards that no checkpoint knows. Default `'TRIM_HORIZON'`. */
  startingPosition?: 'TRIM_HORIZON' | 'LATEST' | undefined;
}

/** The names of these settings. */
export const MAPPING_SETTINGS: OptionNames<MappingSettings> = {
  batchSize: true,
  maximumBatchingWindowSeconds: true,
  filters: true,
  functionResponseTypes: true,
  bisectBatchOnFunctionError: 'boolean',
  maximumRetryAttempts: true,
  maximumRecordAgeSeconds: true,
  startingPosition: true,
};

/** Options of `createEventSourceMapping`. */
export interface MappingOptions extends MappingSettings {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** The stream. */
  source: StreamSource;
  /** The function that gets the batches. */
  function: LambdaFunction;
  /** Where what is given up goes. Default: it is dropped, with an error in the log. */
  onFailure?: FailureDestination | undefined;
  /** Where it keeps how far it came. Default: in memory. */
  checkpoint?: CheckpointStore | undefined;
  /** Milliseconds between two polls of a shard that has nothing new. Default 200. */
  pollIntervalMs?: number | undefined;
  /** Milliseconds between two looks for new shards, where no shard ends; never less than 250. Default 5,000. */
  shardIntervalMs?: number | undefined;
  /** Milliseconds that the invocation in hand may still take after `stop()`. Default 10,000. */
  stopGraceMs?: number | undefined;
  /** Wait before retry number `attempt` (from 1), in milliseconds. Default: exponential with jitter, at most 5 s. */
  retryDelayMs?: ((attempt: number) => number) | undefined;
  /** Called after each invocation. It must not throw. */
  onInvocation?: ((report: InvocationReport) => void) | undefined;
  /** Called when records are given up. It must not throw. */
  onGivenUp?: ((report: GivenUpReport) => void) | undefined;
  /** A pino logger, or anything like it. Default: errors and warnings become process warnings, the rest is dropped. */
  logger?: Logger | undefined;
}

/** One invocation. */
export interface InvocationReport {
  shardId: string;
  requestId: string;
  /** Sequence numbers of its records, oldest first. */
  sequenceNumbers: readonly string[];
  /** How often these records were tried before; a split starts at 0 again. */
  retries: number;
  milliseconds: number;
  result: InvokeResult;
  /** How many of the records, from the first on, are done. */
  done: number;
  /** The next step for the other records: none is left, they are retried, retried in two parts, or given up. */
  next: 'done' | 'retry' | 'split' | 'give-up';
}

/** Why records were given up, in Lambda's words. */
export type GiveUpCondition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

/** Records that were given up. */
export interface GivenUpReport {
  shardId: string;
  condition: GiveUpCondition;
  /** Sequence numbers of the records, oldest first. */
  sequenceNumbers: readonly string[];
  /** Where the on-failure destination keeps them; absent where they were dropped. */
  keptAt?: string;
}

/** Sums over a run. */
export interface MappingResult {
  /** Why it ended. */
  endedBy: 'stop' | 'idle';
  invocations: number;
  /** Invocations after which something was left to do. */
  failedInvocations: number;
  /** Records that the function answered for. */
  delivered: number;
  /** Records that no filter let in. */
  filtered: number;
  /** Records that were given up. */
  givenUp: number;
}

/** Where what a mapping gives up is kept. */
export interface FailureDestination {
  /** Keeps a record, and says where. */
  send(record: InvocationRecord): Promise<string>;
}

/** The message that Lambda sends to an on-failure destination, in the form for S3: with the whole event. */
export interface InvocationRecord {
  requestContext: {
    requestId: string;
    functionArn: string;
    condition: GiveUpCondition;
    approximateInvokeCount: number;
  };
  /** Absent where the function was not invoked. */
  responseContext?: {
    statusCode: 200;
    executedVersion: '$LATEST';
    /** Absent where the function returned, but reported records as failed. */
    functionError?: 'Unhandled';
  };
  version: '1.0';
  /** ISO 8601. */
  timestamp: string;
  DDBStreamBatchInfo: {
    shardId: string;
    startSequenceNumber: string;
    endSequenceNumber: string;
    /** ISO 8601. */
    approximateArrivalOfFirstRecord: string;
    approximateArrivalOfLastRecord: string;
    batchSize: number;
    streamArn: string;
  };
  /** The event, as JSON text. */
  payload: string;
}

/** Follows a stream and invokes a function with what it reads. */
export interface EventSourceMapping {
  /**
   * Runs until `stop()`, or with `untilIdle` until everything in the stream is delivered, given up or filtered out, and nothing new came.
   * Rejects where trying again cannot help: a stream that is gone, a checkpoint that cannot be written, a function that
   * cannot be invoked. A mapping runs once.
   */
  run(options?: { untilIdle?: boolean }): Promise<MappingResult>;
  /** Resolves when every record that is in the stream now is delivered, given up or filtered out. */
  idle(): Promise<void>;
  /** Waits for the invocation in hand, keeps the checkpoint, and resolves when `run` has ended. */
  stop(): Promise<void>;
}
