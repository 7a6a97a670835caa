import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import type { OptionNames } from '../../foundation/options.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { deferredCalls } from '../../store/client/deferred.ts';
import { DynamoDBStore } from '../../store/dynamodb.ts';
import { type FunctionLogger, functionLogger } from './function-logger.ts';
import { type EmitMetrics, metricsOf } from './metrics.ts';
import { functionClientOptions } from './settings.ts';

/** Options that all functions of a table share. */
export interface FunctionOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** The table's client. Default: one for the function's region. */
  client?: DynamoDBClient | undefined;
  /** Replaces `client`. */
  store?: (Store & ScanSource) | undefined;
  /** A logger such as pino's. Default: JSON lines on stdout, level `info`. */
  logger?: FunctionLogger | undefined;
}

export const FUNCTION_OPTIONS: OptionNames<FunctionOptions> = {
  client: true,
  store: true,
  logger: true,
  now: 'internal',
  wait: 'internal',
  random: 'internal',
};

/** The fields of Lambda's context that the handlers read. */
export interface InvocationContext {
  awsRequestId: string;
  /** The version's number if the caller named a version or an alias; otherwise `$LATEST`. */
  functionVersion?: string;
  getRemainingTimeInMillis(): number;
}

export interface FunctionParts extends Pick<Runtime, 'now' | 'wait' | 'random'> {
  client: () => Promise<DynamoDBClient>;
  emit: EmitMetrics;
  logger: FunctionLogger;
}

export function functionParts<S extends Store>(
  { table }: CompiledModel,
  {
    client,
    store,
    logger = functionLogger('info'),
    ...runtime
  }: Omit<FunctionOptions, 'store'> & { store?: S | undefined },
  maxAttempts?: number,
): FunctionParts & { store: S | DynamoDBStore } {
  const calls = client ?? deferredCalls({ ...functionClientOptions(), maxAttempts });
  return {
    ...runtimeOf(runtime),
    store: store ?? new DynamoDBStore(calls, table),
    client: async () => ('callOnce' in calls ? await calls.client() : calls),
    emit: metricsOf(table.name),
    logger,
  };
}

export interface CallTime {
  /** The time left when the call began, which is nearly the function's timeout. */
  timeoutMs: number;
  /** Milliseconds before the timeout at which no more work begins. */
  reserveMs: number;
  remainingMs(): number;
}

/** Limits the reserve to half of the time left, so that a function with a short timeout makes progress. */
export function timeOfCall(context: InvocationContext, wantedReserveMs: number): CallTime {
  const timeoutMs = context.getRemainingTimeInMillis();
  const reserveMs = Math.min(wantedReserveMs, timeoutMs / 2);
  return { timeoutMs, reserveMs, remainingMs: () => context.getRemainingTimeInMillis() - reserveMs };
}
