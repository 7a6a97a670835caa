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

/** Options that all functions of a table have in common. */
export interface FunctionOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Client of the table. Default: one for the function's own region, kept for the function's life. */
  client?: DynamoDBClient | undefined;
  /** The table, instead of `client`. */
  store?: (Store & ScanSource) | undefined;
  /** A pino logger, or anything like it. Default: JSON lines on stdout, level `info`. */
  logger?: FunctionLogger | undefined;
}

/** The names of these options. */
export const FUNCTION_OPTIONS: OptionNames<FunctionOptions> = {
  client: true,
  store: true,
  logger: true,
  now: true,
  wait: true,
  random: true,
};

/** The part of Lambda's context that is used. */
export interface InvocationContext {
  awsRequestId: string;
  /** The version that runs: a number where its caller calls versions or an alias of one, else `$LATEST`. */
  functionVersion?: string;
  getRemainingTimeInMillis(): number;
}

/** What a function makes once, for all of its calls. */
export interface FunctionParts extends Pick<Runtime, 'now' | 'wait' | 'random'> {
  /** Makes the SDK's client, which few calls need. */
  client: () => Promise<DynamoDBClient>;
  emit: EmitMetrics;
  logger: FunctionLogger;
}

/** @param maxAttempts how often the client tries a call. Default: as often as the SDK does. */
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

/** The time of one call of a function. */
export interface CallTime {
  /** The time that was left when the call began, in milliseconds: nearly the function's timeout. */
  timeoutMs: number;
  /** The time before the timeout at which no more work is begun, in milliseconds. */
  reserveMs: number;
  /** Milliseconds left for work. */
  remainingMs(): number;
}

/**
 * The time of the call that begins now. It keeps the reserve, but at most half of its time: else a function with a short timeout would
 * never get on.
 */
export function timeOfCall(context: InvocationContext, wantedReserveMs: number): CallTime {
  const timeoutMs = context.getRemainingTimeInMillis();
  const reserveMs = Math.min(wantedReserveMs, timeoutMs / 2);
  return { timeoutMs, reserveMs, remainingMs: () => context.getRemainingTimeInMillis() - reserveMs };
}
