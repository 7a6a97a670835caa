import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createReader, type Reader } from '../../../src/client/read/reader.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { ScanSource, Store } from '../../../src/core/store-port.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import type { Logger } from '../../../src/foundation/logger.ts';
import type { ReaderLeases } from '../../../src/registry/reader-lease.ts';
import { MeteredStore } from '../../../src/store/metered.ts';
import { describeTable } from '../../../src/store/table-description.ts';
import { DynamoDBStreamSource } from '../../../src/stream/dynamodb-source.ts';
import { type PositionOfStream, positionOfStream } from '../../../src/trust/explain/position.ts';
import type { CheckJob } from './check-job.ts';
import type { Flow } from './flow.ts';
import type { ProjectorTap } from './projector-tap.ts';
import type { TableSample } from './table-sample.ts';
import type { Timeline } from './timeline.ts';

/** The table that a studio shows. */
export interface StudioTable {
  graph: CompiledModel;
  store: Store & ScanSource;
  /** Client to describe the table with. */
  client: DynamoDBClient;
  /** Client to read its stream with. */
  streams: ConstructorParameters<typeof DynamoDBStreamSource>[0];
  /** The tap of the projector, if it runs in this process. Default: a tap for the studio's own writes. */
  tap?: ProjectorTap | undefined;
}

/** Context that all answers of a studio share. */
export interface StudioContext extends StudioTable {
  tap: ProjectorTap;
  /** True if it may write. */
  isWritable: boolean;
  leases: ReaderLeases;
  checks: CheckJob;
  position: CurrentPosition;
  sample: TableSample;
  flow: Flow;
  timeline: Timeline;
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

/** The current stream of the table; undefined: it has none. */
export async function streamOfTable({
  graph,
  client,
  streams,
}: Pick<StudioTable, 'graph' | 'client' | 'streams'>): Promise<DynamoDBStreamSource | undefined> {
  const { streamArn } = await describeTable(graph, { client });
  return streamArn === undefined ? undefined : new DynamoDBStreamSource(streams, streamArn);
}

/** Tells how far the current stream of a table is applied. One for a studio: each look reads what is new since the one before. */
export class CurrentPosition {
  private streamArn: string | undefined;
  private position: PositionOfStream | undefined;

  constructor(
    private readonly table: StudioTable,
    private readonly isWritable: boolean,
  ) {}

  /** The position of the table's present stream; undefined if the table has none. */
  async find(): Promise<PositionOfStream | undefined> {
    const { graph, store } = this.table;
    const source = await streamOfTable(this.table);
    if (source?.streamArn !== this.streamArn) {
      this.streamArn = source?.streamArn;
      this.position = source && positionOfStream(graph, store, source, { savesPlaces: this.isWritable });
    }
    return this.position;
  }
}
