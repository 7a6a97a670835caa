import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { streamLabel } from '../../core/items/watermark.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import type { ApplyResult } from '../../mirror/apply.ts';
import { createMirror, type Mirror } from '../../mirror/mirror.ts';
import { lagOf, MirrorProgress, mirrorStatus } from '../../mirror/progress.ts';
import type { SourceTable } from '../../mirror/source.ts';
import type { SourceStore } from '../../mirror/source-store.ts';
import { deferredCalls } from '../../store/client/deferred.ts';
import { DynamoDBStore } from '../../store/dynamodb.ts';
import { type CallTime, timeOfCall } from './call-time.ts';
import { recordsOf } from './event-records.ts';
import { type FunctionLogger, jsonLines } from './json-lines.ts';
import { createMirrorMetrics } from './metrics.ts';
import { functionClientOptions } from './settings.ts';
import type { InvocationContext, StreamEvent, StreamResponse } from './stream-handler.ts';

/** A batch of a source table's stream, or a schedule's call for a look at the sources. */
export type MirrorEvent = StreamEvent | { watch: true };

/** A table of others, as a function reads it. */
export interface WatchedSource extends SourceStore {
  /** The ARN of the table's stream; undefined: it has none. */
  streamArn?(): Promise<string | undefined>;
}

/** Options of a mirror handler. */
export interface MirrorHandlerOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** The sources: those that the model file exports. */
  sources: readonly SourceTable[];
  /** The ARNs of the streams that the function's mappings read: a watch compares them with the tables. Default: none. */
  streamArns?: readonly string[] | undefined;
  /** Client to write our table with. Default: one for the function's own region, kept for the function's life. */
  client?: DynamoDBClient | undefined;
  /** Our table, instead of `client`. */
  store?: (Store & ScanSource) | undefined;
  /** Makes the way to a source table, by its ARN. Default: one that reads it with `client`. */
  openSource?: ((tableArn: string) => WatchedSource) | undefined;
  /** Milliseconds before the function's timeout at which no more source items are started; at most half of a call's time. Default 5,000. */
  reserveMs?: number | undefined;
  /** Namespace of the EMF metrics. Default `'Edgeloom'`. */
  metricsNamespace?: string | undefined;
  /** A pino logger, or anything like it. Default: JSON lines on stdout, level `info`. */
  logger?: FunctionLogger | undefined;
}

/** A Lambda handler for the streams of source tables. */
export type MirrorHandler = (event: MirrorEvent, context: InvocationContext) => Promise<StreamResponse>;

const OPTIONS: OptionNames<MirrorHandlerOptions> = {
  sources: true,
  streamArns: true,
  client: true,
  store: true,
  openSource: true,
  reserveMs: true,
  metricsNamespace: true,
  logger: true,
  now: true,
  wait: true,
  random: true,
};

const RESERVE_MS = 5_000;
/** Items of each kind that a watch logs. */
const MOST_LOGGED = 20;

/**
 * Makes the handler that mirrors the streams of source tables into base items: each batch is of one source, which the ARN of its records
 * names. One record is reported where not all is applied, the first of the source items that are left, and the mapping comes again from
 * there. A source item that the mapping does not take is quarantined by its own key, and holds up no other. `{ watch: true }` has it look at
 * the sources: quarantine, conflicts, and whether a source table has another stream than the one that is read.
 *
 * It only reads the source tables. Throws for events that are no stream of a source.
 *
 * Logs hold keys, never the contents of items.
 *
 * @example
 * export const handler = mirrorHandler(graph, { sources });
 */
export function mirrorHandler(graph: CompiledModel, options: MirrorHandlerOptions): MirrorHandler {
  checkOptions('mirrorHandler', options, OPTIONS);
  const { sources, streamArns = [], reserveMs = RESERVE_MS } = options;
  const { now, wait, random } = runtimeOf(options);
  const calls = options.client ?? deferredCalls({ ...functionClientOptions(), maxAttempts: 1 });
  const store = options.store ?? new DynamoDBStore(calls, graph.table);
  const openSource = options.openSource ?? deferredSource(async () => ('callOnce' in calls ? calls.client() : calls));
  const metrics = createMirrorMetrics(options.metricsNamespace ?? 'Edgeloom', graph.table.name);
  const rootLogger = options.logger ?? jsonLines('info');
  const mirrors = new Map<string, { mirror: Mirror; progress: MirrorProgress }>();
  const mirrorOf = (tableArn: string) => {
    const known = mirrors.get(tableArn);
    if (known !== undefined) return known;
    const source = sourceOf(sources, tableArn);
    const mirror = createMirror(graph, { source, store, sourceStore: openSource(tableArn), now, wait, random });
    const made = { mirror, progress: new MirrorProgress(graph, store, source.table) };
    mirrors.set(tableArn, made);
    return made;
  };
  const look = async (logger: FunctionLogger): Promise<void> => {
    // First what needs few calls: the call may end in what follows.
    let isReplaced = false;
    for (const reads of streamArns) {
      const has = (await openSource(tableArnOf(reads)).streamArn?.()) ?? null;
      if (has === reads) continue;
      isReplaced = true;
      logger.error({ reads, has }, 'the stack does not read the stream of the source');
    }
    if (streamArns.length > 0) metrics.emitStream(isReplaced);
    let poisoned = 0;
    const { conflicts, hasMore } = await mirrorStatus(graph, store, {
      tables: sources.map(({ table }) => table),
      prunes: store,
      onPoisoned: ({ maker, code }) => {
        poisoned += 1;
        if (poisoned <= MOST_LOGGED) logger.warn({ maker, code }, 'not taken by the mapping');
      },
    });
    metrics.emitWatch({ poisoned, conflicts: conflicts.length });
    for (const { source, target, shown, makers } of conflicts.slice(0, MOST_LOGGED)) {
      logger.warn({ source, target, shown, makers }, 'several source items make it');
    }
    if (poisoned > MOST_LOGGED || conflicts.length > MOST_LOGGED) {
      logger.warn(
        { poisoned, conflicts: conflicts.length, hasMoreConflicts: hasMore },
        'there are more than were named',
      );
    }
  };
  return async (event, context) => {
    const logger = rootLogger.child({ requestId: context.awsRequestId });
    if ('watch' in event && event.watch) {
      await look(logger);
      return { batchItemFailures: [] };
    }
    const records = recordsOf(event as StreamEvent, 'stream');
    const [arn = '', ...others] = new Set(records.map(({ eventSourceARN = '' }) => eventSourceARN));
    if (records.length === 0) return { batchItemFailures: [] };
    if (others.length > 0) {
      throw new EdgeloomError(
        'invalid-record',
        'The records of the event are of several streams.',
        'Call the function by event source mappings alone.',
      );
    }
    const label = streamLabel(arn);
    const { mirror, progress } = mirrorOf(tableArnOf(arn));
    const time = timeOfCall(context, reserveMs);
    const result = await mirror.apply(records, { streamLabel: label, remainingMs: time.remainingMs });
    const nowMs = now();
    const lagSeconds = lagOf(records, nowMs);
    metrics.emitBatch({ records: records.length, isFailed: result.failedFrom !== undefined, lagSeconds });
    if (result.failedFrom === undefined) {
      // A note that fails holds nothing up: the next batch writes it.
      await progress.note(lagSeconds, nowMs).catch((error: unknown) => {
        logger.warn({ error: String(error) }, 'the progress could not be noted');
      });
    }
    return reportFailures(result, time, logger, records.length);
  };
}

function reportFailures(
  { failedFrom, error }: ApplyResult,
  { timeoutMs, reserveMs }: CallTime,
  logger: FunctionLogger,
  records: number,
): StreamResponse {
  if (failedFrom === undefined) {
    logger.info({ records }, 'batch mirrored');
    return { batchItemFailures: [] };
  }
  const reason = error instanceof Error ? error.message : 'the time of the call is over';
  logger.warn(
    { records, sequenceNumber: failedFrom, reason, timeoutMs, reserveMs },
    'batch not mirrored in full; it will be retried',
  );
  return { batchItemFailures: [{ itemIdentifier: failedFrom }] };
}

/** The source of a table. Throws `wrong-table` where none is of it. */
function sourceOf(sources: readonly SourceTable[], tableArn: string): SourceTable {
  const name = tableArn.split(':table/').at(-1);
  const source = sources.find(({ table }) => table === name);
  if (source !== undefined) return source;
  throw new EdgeloomError(
    'wrong-table',
    `The stream is one of the table ${name}, which is no source.`,
    'Add it to the sources that the model file exports, or let no mapping of its stream call this function.',
  );
}

function tableArnOf(streamArn: string): string {
  return streamArn.split('/stream/')[0]!;
}

/** Engines on this machine have tables of this account, and take names alone. */
const LOCAL_ACCOUNT = ':000000000000:';

/** The way to a source table whose client is loaded when it is first read: fresh records need none. */
function deferredSource(client: () => Promise<DynamoDBClient>): (tableArn: string) => WatchedSource {
  return (tableArn) => {
    const table = tableArn.includes(LOCAL_ACCOUNT) ? tableArn.split(':table/').at(-1)! : tableArn;
    const open = async () => {
      const { DynamoDBSourceStore } = await import('../../store/source-table.ts');
      return new DynamoDBSourceStore(await client(), table);
    };
    return {
      get: async (key) => (await open()).get(key),
      scan: async (request) => (await open()).scan(request),
      streamArn: async () => (await open()).streamArn(),
    };
  };
}
