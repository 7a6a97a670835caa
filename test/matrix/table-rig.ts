import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { type Item, numberOf } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { USUAL_INDEXES } from '../../src/core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../src/core/items/keys.ts';
import { streamLabel } from '../../src/core/items/stream-arn.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { tableIdentity } from '../../src/store/table-description.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import type { StreamRecord, StreamSource } from '../../src/stream/source.ts';
import { testTable, uniqueTableName } from '../support/table.ts';
import type { Rig } from './rig.ts';

/**
 * A rig on the engine of the run. Its table has both indexes, as operations change what the model needs. The clock is moved by waiting
 * and by what is written, as in memory: a record is dated by this clock when it is read from the stream.
 */
export async function tableRig(model: CompiledModel): Promise<Rig> {
  const graph = {
    ...withTableName(model, uniqueTableName()),
    indexes: [...new Set([...USUAL_INDEXES, ...model.indexes])],
  };
  const { client, store, streams, streamArn, allRecords } = await testTable(graph);
  // DynamoDB Local has no ids of tables.
  const { table = { id: 'table-1', streamLabel: streamLabel(streamArn) } } = await tableIdentity(graph, { client });
  const dated: ChangeRecord[] = [];
  let nowMs = 1_800_000_000_000;

  async function records(): Promise<readonly ChangeRecord[]> {
    const all = (await allRecords()).filter(({ source }) => source !== SERVICE_PARTITION);
    for (const record of all.slice(dated.length)) {
      nowMs += 1_000;
      dated.push({ ...record, createdAtSeconds: Math.floor(nowMs / 1_000) });
    }
    return dated;
  }

  async function items(): Promise<Item[]> {
    const all: Item[] = [];
    let startKey: Item | undefined;
    do {
      const page = await store.scan({ segment: 0, segments: 1, startKey });
      all.push(...page.items.map((item) => inOrder(item) as Item));
      startKey = page.lastKey;
    } while (startKey !== undefined);
    return all;
  }

  const source = new DynamoDBStreamSource(streams, streamArn);
  const stamps = new Map<string, number>();
  /** A record as it is when this clock stamps it. */
  function stamped(record: StreamRecord): StreamRecord {
    const number = record.dynamodb?.SequenceNumber ?? '';
    const stampMs = stamps.get(number) ?? nowMs;
    stamps.set(number, stampMs);
    return { ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: new Date(stampMs) } };
  }
  const stream: StreamSource = {
    streamArn,
    describe: () => source.describe(),
    isClosed: (shardId) => source.isClosed(shardId),
    iterator: (shardId, after) => source.iterator(shardId, after),
    latest: (shardId) => source.latest(shardId),
    read: async (iterator, limit) => {
      const page = await source.read(iterator, limit);
      return { ...page, records: page.records.map(stamped) };
    },
  };

  return {
    producer: store,
    ...{ store, identity: table, countsTransactions: false, nowMs: () => nowMs, records, stream, items },
    wait: async (milliseconds) => {
      // What is written before a wait is older than it.
      await records();
      nowMs += milliseconds;
    },
    expire: async () => {
      const { name, partitionKey, sortKey, ttl } = graph.table;
      for (const item of await items()) {
        const expiry = numberOf(item[ttl]);
        if (expiry === undefined || Number(expiry) * 1_000 >= nowMs) continue;
        const Key = { [partitionKey]: item[partitionKey]!, [sortKey]: item[sortKey]! };
        await client.send(new DeleteItemCommand({ TableName: name, Key }));
      }
    },
  };
}

/** A value with the names of its maps in order: an engine gives them in another one each time, and cells compare texts. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([name, entry]) => [name, inOrder(entry)]));
}
