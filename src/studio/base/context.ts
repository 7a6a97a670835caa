import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { losslessNumber } from '../../exact-json.ts';
import { type PositionOfStream, positionOfStream } from '../../explain/position.ts';
import type { Logger } from '../../logger.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { createReader, type Reader } from '../../read/reader.ts';
import type { ReaderLeases } from '../../registry/reader-lease.ts';
import { MeteredStore } from '../../store/metered.ts';
import type { ScanSource, Store } from '../../store/port.ts';
import { describeTable } from '../../store/table.ts';
import { DynamoDBStreamSource } from '../../stream/dynamodb-source.ts';
import type { CheckJob } from './check-job.ts';

/** The table that a studio shows. */
export interface StudioTable {
  graph: CompiledModel;
  store: Store & ScanSource;
  /** Client to describe the table with. */
  client: DynamoDBClient;
  /** Client to read its stream with. */
  streams: ConstructorParameters<typeof DynamoDBStreamSource>[0];
}

/** Context that all answers of a studio share. */
export interface StudioContext extends StudioTable {
  /** Whether it may write. */
  isWritable: boolean;
  leases: ReaderLeases;
  checks: CheckJob;
  logger: Logger;
}

/** Context of one answer: its store counts the capacity. */
export interface RequestContext extends Omit<StudioContext, 'store'> {
  store: MeteredStore;
  reader: Reader;
}

/** The context of one request: a store that counts the capacity of this request, and a reader of that store. */
export function requestContext(context: StudioContext): RequestContext {
  const { graph, leases } = context;
  const store = new MeteredStore(context.store);
  return { ...context, store, reader: createReader(graph, { store, leases, readNumber: losslessNumber }) };
}

/** How far the current stream of the table is applied; undefined if the table has none. */
export async function currentPosition(
  { graph, client, streams }: StudioTable,
  store: Store,
): Promise<PositionOfStream | undefined> {
  const { streamArn } = await describeTable(client, graph);
  if (streamArn === undefined) return undefined;
  return positionOfStream(graph, store, new DynamoDBStreamSource(streams, streamArn));
}
