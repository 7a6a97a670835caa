import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CompiledModel, OfGraph } from '../../src/core/model/compiled.ts';
import { streamFilterPattern } from '../../src/core/plan/stream-filter.ts';
import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { IS_SOURCE, ownModule } from '../../src/deployment/package/package-files.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../src/foundation/options.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { type LocalFunction, startFunction } from './emulator/function/local-function.ts';
import { createEventSourceMapping } from './emulator/mapping/event-source-mapping.ts';
import {
  MAPPING_SETTINGS,
  type MappingOptions,
  type MappingResult,
  type MappingSettings,
} from './emulator/mapping/mapping-types.ts';
import { ENGINE_OPTIONS, type EngineName, type EngineOptions } from './engine/engine.ts';
import { type LocalObserver, type LocalObserverSettings, startLocalObserver } from './local-observer.ts';
import { type LocalMirrors, type LocalSourcesOptions, startLocalMirrors } from './local-sources.ts';
import { openLocalTable } from './local-table.ts';

/** Options of `startLocalLambda`: where the engine runs, which handler gets the stream, and how. */
export interface LocalLambdaOptions
  extends EngineOptions,
    MappingSettings,
    Pick<MappingOptions, 'onFailure' | 'onInvocation' | 'onGivenUp' | 'logger' | 'retryDelayMs'>,
    Pick<LocalObserverSettings, 'onDrift'>,
    LocalSourcesOptions {
  /** The handler's module, TypeScript or JavaScript. */
  handlerFile: string;
  /** Its export. Default `'handler'`. */
  handlerName?: string | undefined;
  /** Variables for the handler, in addition to those that name the table and the engine. Default: none. */
  environment?: NodeJS.ProcessEnv | undefined;
  /** Milliseconds that an invocation may take. Default 60,000. */
  timeoutMs?: number | undefined;
  /** A new process after each invocation that failed, so that a corrected handler is loaded. Default false. */
  restartsAfterError?: boolean | undefined;
  /** Gets what the handler writes to its output and error output. Default: dropped. */
  onOutput?: ((chunk: Buffer) => void) | undefined;
  /** Milliseconds between two polls of a quiet stream. Default 50. */
  pollIntervalMs?: number | undefined;
  /** Judges each change that the function projects: docs/explain/observing.md. Default true. */
  observe?: boolean | undefined;
}

/** An engine, a model's table in it, and a handler that its stream's records are delivered to. */
export interface LocalLambda {
  /** The engine that runs. */
  engine: EngineName;
  /** `http://127.0.0.1:PORT`; any credentials and region will do. */
  endpoint: string;
  /** A client for the engine. */
  client: DynamoDBClient;
  /** The table. */
  store: Store & ScanSource;
  /** ARN of the table's stream. */
  streamArn: string;
  mapping: {
    /** Resolves when all that was written up to now is delivered or given up. Rejects where mapping or engine end before. */
    idle(): Promise<void>;
    /** The mapping's end: what it did, or the error that it, or the engine, gave up with. */
    ended: Promise<MappingResult>;
  };
  /** Says through when everything derived is right; absent with `observe: false`. */
  observer?: LocalObserver;
  /** Mirrors the sources into the table, in this process; absent without `sources`. */
  mirrors?: LocalMirrors;
  /** Finishes the invocation in hand, then stops mirrors, mapping, function, observer and engine. Calling it again is fine. */
  stop(): Promise<void>;
}

const OPTIONS: OptionNames<LocalLambdaOptions> = {
  ...ENGINE_OPTIONS,
  ...MAPPING_SETTINGS,
  onFailure: true,
  onInvocation: true,
  onGivenUp: true,
  logger: true,
  retryDelayMs: true,
  onDrift: true,
  handlerFile: true,
  handlerName: true,
  environment: true,
  timeoutMs: true,
  restartsAfterError: 'boolean',
  onOutput: true,
  pollIntervalMs: true,
  observe: 'boolean',
  sources: true,
  sourceEndpoint: true,
};

/** More than Lambda gives: TypeScript is compiled as it is loaded. */
const INIT_TIMEOUT_MS = 60_000;

/** Settings that a deployed service should have, instead of Lambda's defaults. */
const DEFAULTS = {
  batchSize: 1000,
  functionResponseTypes: ['ReportBatchItemFailures'],
  bisectBatchOnFunctionError: true,
  maximumRetryAttempts: 10,
} as const satisfies MappingSettings;

/**
 * Starts an embedded engine with a model's table, and invokes a handler with its stream as Lambda would, in a process of
 * its own: to try a handler before it is deployed. The mapping lets base items through, reads the handler's
 * `batchItemFailures`, splits failed batches, and gives up after 10 retries, unless told otherwise. The handler finds
 * the engine through the SDK's own variables, and the table in `EDGELOOM_TABLE`. Throws as `startLocal` does, and
 * `no-handler` or `function-failed` where the handler cannot be loaded.
 *
 * @example
 * const local = await startLocalLambda(graph, { handlerFile: 'handlers/stream.ts', onFailure: folderDestination('failures') });
 */
export async function startLocalLambda(graph: CompiledModel, options: LocalLambdaOptions): Promise<LocalLambda> {
  checkOptions('startLocalLambda', options, OPTIONS);
  const { handlerFile, handlerName, environment, timeoutMs, restartsAfterError, onOutput, ...others } = options;
  const { engine, port, dataDir, mostBytes, pollIntervalMs = 50, observe = true, onDrift, ...more } = others;
  const { sources = [], sourceEndpoint, ...settings } = more;
  if (!existsSync(handlerFile)) {
    throw new EdgeloomError(
      'no-handler',
      `There is no handler file ${handlerFile}.`,
      'Name the module of the handler.',
    );
  }
  const table = await openLocalTable(graph, { engine, port, dataDir, mostBytes });
  const { endpoint, client, streams, store, streamArn, checkpoint, loss } = table;
  let stopFunction = async (): Promise<void> => undefined;
  let stopAll = async (): Promise<void> => {
    await stopFunction();
    await table.close();
  };
  try {
    const handler = { graph, handlerFile, handlerName, environment, timeoutMs, restartsAfterError, onOutput };
    const lambda = await startHandler(handler, endpoint);
    stopFunction = () => lambda.stop();
    const mapping = createEventSourceMapping({
      source: new DynamoDBStreamSource(streams, streamArn),
      ...DEFAULTS,
      filters: [streamFilterPattern(graph.table)],
      ...settings,
      function: lambda,
      checkpoint,
      pollIntervalMs,
    });
    const ended = Promise.race([mapping.run(), loss]);
    // `ended` and `idle` tell of a failure. A program that uses neither goes on without.
    ended.catch(() => undefined);
    const observing = observe ? startLocalObserver(graph, table, { onDrift, logger: options.logger }) : undefined;
    const stop = async (): Promise<void> => {
      await mapping.stop();
      await stopFunction();
      await observing?.stop();
      await table.close();
    };
    stopAll = stop;
    const mirroring =
      sources.length === 0
        ? undefined
        : await startLocalMirrors(graph, table, {
            ...{ sources, sourceEndpoint, dataDir, pollIntervalMs },
            logger: options.logger,
          });
    return {
      engine: table.engine,
      endpoint,
      client,
      store,
      streamArn,
      mapping: { idle: () => Promise.race([mapping.idle(), loss]), ended },
      ...(observing && { observer: observing.observer }),
      ...(mirroring && { mirrors: mirroring.mirrors }),
      stop: async () => {
        await mirroring?.stop();
        await stop();
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

function startHandler(options: OfGraph<LocalLambdaOptions>, endpoint: string): Promise<LocalFunction> {
  const { graph, handlerFile, handlerName = 'handler', timeoutMs, restartsAfterError, onOutput } = options;
  return startFunction({
    command: { file: process.execPath, args: [...runtimeArguments(), resolve(handlerFile), handlerName] },
    environment: {
      ...options.environment,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      EDGELOOM_TABLE: graph.table.name,
    },
    name: `${graph.table.name}-stream`,
    handler: handlerName,
    timeoutMs,
    initTimeoutMs: INIT_TIMEOUT_MS,
    restartsAfterError,
    onOutput,
  });
}

/** The runtime client, in the form (source or built) that is running. */
function runtimeArguments(): string[] {
  const client = ownModule('packages/local/emulator/function/handler-runtime');
  return IS_SOURCE ? ['--import', import.meta.resolve('jiti/register'), client] : [client];
}
