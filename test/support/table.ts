import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeStreamCommand, GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-dynamodb-streams';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import type { BatchResult } from '../../src/projecting/apply/projector-types.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable } from '../../src/store/table-description.ts';
import { decodeRecords, type RawRecord } from '../../src/stream/decode.ts';
import { testEndpoint } from './engine.ts';

let counter = 0;

/** A name that no other table of this run has. */
export function uniqueTableName(): string {
  counter += 1;
  return `test-${process.pid}-${Date.now().toString(36)}-${counter}`;
}

/** Creates the graph's table on the test engine; give each graph a `uniqueTableName()`. */
export async function testTable<G extends CompiledModel>(graph: G) {
  const client = createClient({ endpoint: testEndpoint() });
  const { streamArn } = await createTable(graph, { client });
  return tableOfStream(graph, client, streamArn);
}

/** The same, with a reader and a writer of the graph. */
export async function openTable<G extends CompiledModel>(graph: G) {
  const table = await testTable(graph);
  const { store } = table;
  return { ...table, reader: createReader(graph, { store }), writer: createWriter(graph, { store }) };
}

/** A table that is there, with its stream. */
export function tableOfStream<G extends CompiledModel>(
  graph: G,
  client: DynamoDBClient,
  streamArn: string | undefined,
) {
  const endpoint = testEndpoint();
  const streams = createStreamsClient({ endpoint });
  const store = new DynamoDBStore(client, graph.table);
  const projector = createProjector(graph, { store });
  let read = 0;

  /** Every record of the stream so far, oldest first for each item. */
  async function rawRecords(): Promise<RawRecord[]> {
    const raw: unknown[] = [];
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
    for (const { ShardId } of StreamDescription?.Shards ?? []) {
      const { ShardIterator } = await streams.send(
        new GetShardIteratorCommand({ StreamArn: streamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
      );
      for (let iterator = ShardIterator; iterator !== undefined; ) {
        const page = await streams.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: 1000 }));
        raw.push(...(page.Records ?? []));
        iterator = (page.Records ?? []).length > 0 ? page.NextShardIterator : undefined;
      }
    }
    return raw as RawRecord[];
  }

  /** Every base item record of the stream so far, oldest first. */
  async function allRecords(): Promise<ChangeRecord[]> {
    return decodeRecords(graph, await rawRecords(), streamArn);
  }

  /** Projects what came into the stream since the last call. */
  async function projectAll(): Promise<BatchResult> {
    const records = await allRecords();
    const fresh = records.slice(read);
    read = records.length;
    const result = await projector.project(fresh);
    if (result.error !== undefined) throw result.error;
    return result;
  }

  return {
    graph,
    endpoint,
    client,
    streams,
    streamArn: streamArn!,
    store,
    projector,
    rawRecords,
    allRecords,
    projectAll,
  };
}
