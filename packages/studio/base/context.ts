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

export interface StudioTable {
  graph: CompiledModel;
  store: Store & ScanSource;
  client: DynamoDBClient;
  streams: ConstructorParameters<typeof DynamoDBStreamSource>[0];
  tap?: ProjectorTap | undefined;
}

export interface StudioContext extends StudioTable {
  tap: ProjectorTap;
  isWritable: boolean;
  leases: ReaderLeases;
  checks: CheckJob;
  position: CurrentPosition;
  sample: TableSample;
  flow: Flow;
  logger: Logger;
}

export interface RequestContext extends Omit<StudioContext, 'store'> {
  store: MeteredStore;
  reader: Reader;
}

export function requestContext(context: StudioContext): RequestContext {
  const { graph, leases } = context;
  const store = new MeteredStore(context.store);
  return { ...context, store, reader: createReader(graph, { store, leases, readNumber: losslessNumber }) };
}

export async function streamOfTable({
  graph,
  client,
  streams,
}: Pick<StudioTable, 'graph' | 'client' | 'streams'>): Promise<DynamoDBStreamSource | undefined> {
  const { streamArn } = await describeTable(graph, { client });
  return streamArn === undefined ? undefined : new DynamoDBStreamSource(streams, streamArn);
}

/** Shared by all requests, so that each reads only new records. */
export class CurrentPosition {
  private streamArn: string | undefined;
  private position: PositionOfStream | undefined;

  constructor(
    private readonly table: StudioTable,
    private readonly isWritable: boolean,
  ) {}

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
