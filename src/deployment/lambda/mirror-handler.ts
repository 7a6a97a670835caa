import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isSequenceNumber } from '../../core/items/change-record.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { SourceStore } from '../../sources/access.ts';
import { type OpenSources, openSources } from '../../sources/create-sources.ts';
import type { NotesContext } from '../../sources/notes.ts';
import { isTable, keyTextOfItem, type Source } from '../../sources/source.ts';
import { lagOf, SourceProgress, sourcesStatus } from '../../sources/status.ts';
import type { RawRecord } from '../../stream/raw-record.ts';
import { tableArnOfStream, tableNameIn } from '../stack/base/arns.ts';
import { recordsOf } from './event-records.ts';
import { checkEvent } from './events.ts';
import {
  type CallTime,
  FUNCTION_OPTIONS,
  type FunctionOptions,
  type FunctionParts,
  functionParts,
  type InvocationContext,
  timeOfCall,
} from './function-parts.ts';
import type { StreamEvent, StreamResponse } from './stream-handler.ts';

/** A batch of a source table's stream, or a schedule's call to watch the sources. */
export type MirrorEvent = StreamEvent | { watch: true };

/** A source table that the mirror function reads. */
export interface WatchedSource extends SourceStore {
  /** Returns the ARN of the table's stream, or undefined if it has none. */
  streamArn(): Promise<string | undefined>;
}

/** Options of a mirror handler. */
export interface MirrorHandlerOptions extends FunctionOptions {
  /** The sources that the model file exports. */
  sources: readonly Source[];
  /**
   * The streams that the function's mappings read. A watch compares them with the tables' current streams. Default:
   * none.
   */
  streamArns?: readonly string[] | undefined;
  /** Opens a source table by its ARN. Default: reads it with `client`. */
  openSource?: ((tableArn: string) => WatchedSource) | undefined;
}

/** A Lambda handler for the streams of source tables. */
export type MirrorHandler = (event: MirrorEvent, context: InvocationContext) => Promise<StreamResponse>;

const RESERVE_MS = 5_000;
const MOST_LOGGED = 20;

/**
 * Makes the handler that mirrors changes from the streams of source tables. It reports the first record that it could
 * not mirror; a source item that `map` refuses does not block others. `{ watch: true }` logs refusals, conflicts and
 * replaced streams. Logs contain only keys. Throws for events from streams of other tables.
 *
 * @example
 * export const handler = mirrorHandler(graph, { sources });
 */
export function mirrorHandler(graph: CompiledModel, options: MirrorHandlerOptions): MirrorHandler {
  const own = { sources: true, streamArns: true, openSource: 'function' } as const;
  checkOptions('mirrorHandler', options, { ...FUNCTION_OPTIONS, ...own });
  const { sources, streamArns = [] } = options;
  // `touchTexts` retries instead of the client, since it knows the time left.
  const { store, client, now, wait, random, emit, logger: rootLogger } = functionParts(graph, options, 1);
  const openSource = options.openSource ?? deferredSource(client);
  const opened = new Map<string, OpenSource>();
  return async (event, context) => {
    const logger = rootLogger.child({ requestId: context.awsRequestId });
    const call = { logger, emit, now, time: timeOfCall(context, RESERVE_MS) };
    if (Object.hasOwn(Object(event), 'watch')) {
      checkEvent('mirror', event);
      // Compares the streams first, because that is quick and the time may run out later.
      await watchStreams(call, streamArns, openSource);
      await watchMappings(call, { graph, store, prunes: store }, sources);
      return { batchItemFailures: [] };
    }
    const records = recordsOf(event as StreamEvent, 'stream');
    if (records.length === 0) return { batchItemFailures: [] };
    return touchBatch(call, open(tableArnOfStream(streamArnOf(records))), records);
  };

  function open(tableArn: string): OpenSource {
    const known = opened.get(tableArn);
    if (known !== undefined) return known;
    const source = sourceOf(sources, tableArn);
    const openTable = (): SourceStore => openSource(tableArn);
    const touches = openSources(graph, { sources, store, openTable, now, wait, random });
    const made = { source, touches, progress: new SourceProgress(graph, store, source.name) };
    opened.set(tableArn, made);
    return made;
  }
}

type OpenTable = (tableArn: string) => WatchedSource;
type MirrorCall = Pick<FunctionParts, 'logger' | 'emit' | 'now'> & { time: CallTime };

async function touchBatch(call: MirrorCall, of: OpenSource, records: readonly RawRecord[]): Promise<StreamResponse> {
  const { logger, emit, now, time } = call;
  const { source, touches, progress } = of;
  const keys = records.map((record) => keyOfRecord(source, record));
  const left = await touches.touchTexts(source, keys, { remainingMs: time.remainingMs });
  const nowMs = now();
  const lagSeconds = lagOf(records, nowMs);
  emit({ MirrorRecords: records.length, MirrorRetriedBatches: left.size > 0 ? 1 : 0, MirrorLagSeconds: lagSeconds });
  if (left.size > 0) return reportLeft(call, records, keys, left);
  // A failure does no harm, because the next batch notes its progress again.
  await progress.note(lagSeconds, nowMs).catch((error: unknown) => {
    logger.warn({ error: String(error) }, 'the progress could not be noted');
  });
  logger.info({ records: records.length }, 'batch touched');
  return { batchItemFailures: [] };
}

async function watchStreams(call: MirrorCall, streamArns: readonly string[], openSource: OpenTable): Promise<void> {
  const { logger, emit } = call;
  let isReplaced = false;
  for (const reads of streamArns) {
    const has = (await openSource(tableArnOfStream(reads)).streamArn()) ?? null;
    if (has === reads) continue;
    isReplaced = true;
    logger.error({ reads, has }, 'the stack does not read the stream of the source');
  }
  if (streamArns.length > 0) emit({ SourceStreamReplaced: isReplaced ? 1 : 0 });
}

async function watchMappings(call: MirrorCall, notes: NotesContext, sources: readonly Source[]): Promise<void> {
  const { logger, emit, time } = call;
  const names = sources.map(({ name }) => name);
  const { refused, conflicts, hasMore } = await sourcesStatus({ ...notes, remainingMs: time.remainingMs }, names);
  const refusals = [...refused].flatMap(([source, items]) => items.map(({ key, code }) => ({ source, key, code })));
  emit({ MirrorRefused: refusals.length, MirrorConflicts: conflicts.length });
  for (const one of refusals.slice(0, MOST_LOGGED)) logger.warn(one, 'refused by the mapping');
  for (const one of conflicts.slice(0, MOST_LOGGED)) logger.warn({ ...one }, 'several source items make it');
  if (refusals.length <= MOST_LOGGED && conflicts.length <= MOST_LOGGED) return;
  const counts = { refused: refusals.length, conflicts: conflicts.length, hasMoreConflicts: hasMore };
  logger.warn(counts, 'there are more than were named');
}

function reportLeft(
  { logger, time: { timeoutMs, reserveMs } }: MirrorCall,
  records: readonly RawRecord[],
  keys: readonly string[],
  left: ReadonlyMap<string, unknown>,
): StreamResponse {
  const place = keys.findIndex((key) => left.has(key));
  const sequenceNumber = records[place]!.dynamodb!.SequenceNumber!;
  const { message: reason, code, hint } = Object(left.get(keys[place]!)) as EdgeloomError;
  logger.warn(
    { records: records.length, left: left.size, sequenceNumber, timeoutMs, reserveMs, code, reason, hint },
    'batch not touched in full; it will be retried',
  );
  return { batchItemFailures: [{ itemIdentifier: sequenceNumber }] };
}

function streamArnOf(records: readonly RawRecord[]): string {
  const [arn = '', ...others] = new Set(records.map(({ eventSourceARN = '' }) => eventSourceARN));
  if (others.length === 0) return arn;
  throw new EdgeloomError(
    'invalid-record',
    'The records of the event are of several streams.',
    'Call the function by event source mappings alone.',
  );
}

interface OpenSource {
  source: Source;
  touches: OpenSources;
  progress: SourceProgress;
}

function keyOfRecord(source: Source, { dynamodb }: RawRecord): string {
  if (isTable(source) && isSequenceNumber(dynamodb?.SequenceNumber) && dynamodb.Keys !== undefined) {
    return keyTextOfItem(source, dynamodb.Keys);
  }
  throw new EdgeloomError(
    'invalid-record',
    `A record of the source ${source.name} has no sequence number, or no keys.`,
    'Give records as a stream of DynamoDB or Lambda gives them: dynamodb.SequenceNumber, dynamodb.Keys.',
  );
}

function sourceOf(sources: readonly Source[], tableArn: string): Source {
  const name = tableNameIn(tableArn);
  const source = sources.find((one) => one.name === name && isTable(one));
  if (source !== undefined) return source;
  throw new EdgeloomError(
    'wrong-table',
    `The stream is one of the table ${name}, which is not a source.`,
    'Add it to the sources that the model file exports, or let no mapping of its stream call this function.',
  );
}

/** Local engines report this account in ARNs, but accept only table names. */
const LOCAL_ACCOUNT = ':000000000000:';

/** Loads the client at the first read, since a call may not need it. */
function deferredSource(client: () => Promise<DynamoDBClient>): OpenTable {
  return (tableArn) => {
    const table = tableArn.includes(LOCAL_ACCOUNT) ? tableNameIn(tableArn) : tableArn;
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
