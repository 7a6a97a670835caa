import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DerivedUpdate } from '../../src/core/store-port.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { Statements } from '../../src/store/statement.ts';
import { decodeRecords, type RawRecord } from '../../src/stream/decode.ts';
import { derivedItems } from '../support/derived.ts';
import { sizeOf } from '../support/extent.ts';
import { withFreeTable } from '../support/free-table.ts';
import type { Item } from '../support/images.ts';
import { fullModel } from '../support/models.ts';
import { wrongItems } from '../support/oracle.ts';
import { timed } from '../support/paired.ts';
import { memoryTable, projecting } from '../support/projecting.ts';
import { SimulatedTable } from '../support/simulated-table.ts';
import { byKey, itemKey } from '../support/table.ts';
import { baseItemsAfter, recordedBatch, type Workload } from '../support/workload.ts';
import { lambdaStreamHandler } from './aws-lambda-stream/consumer.ts';
import { loadLambdaStream } from './aws-lambda-stream/library.ts';
import { plainHandler } from './document-client.ts';
import { toolboxHandler } from './dynamodb-toolbox/consumer.ts';
import { loadToolbox } from './dynamodb-toolbox/library.ts';
import type { Handler, StreamEvent } from './event.ts';
import { powertoolsHandler } from './powertools.ts';

const BATCH = 10_000;
const NODE_CHANGES = sizeOf({ whole: 1_000, short: 100 });
/** Limits of BatchGetItem and BatchExecuteStatement. */
const [READS_A_CALL, STATEMENTS_A_CALL] = [100, 25];
const TABLE = fullModel.table.name;

function callsOf(name: string | symbol, given: unknown): number {
  if (name === 'getMany') return Math.ceil((given as readonly unknown[]).length / READS_A_CALL);
  if (name !== 'updateMany') return 1;
  const updates = given as readonly DerivedUpdate[];
  const statements = new Statements(fullModel.table);
  const together = updates.filter((update) => statements.of(update, 'keyword for each') !== undefined).length;
  return Math.ceil(together / STATEMENTS_A_CALL) + updates.length - together;
}

export interface Peer {
  name: string;
  /** Files that the user would write. */
  files: readonly string[];
  handler: (client: DynamoDBClient) => Handler | Promise<Handler>;
}

const BY_HAND = 'bench/peers/by-hand.ts';
const DOCUMENTS = 'bench/peers/document-client.ts';
const POWERTOOLS = 'bench/peers/powertools.ts';

export const PEERS: readonly Peer[] = [
  {
    name: 'DocumentClient',
    files: [BY_HAND, DOCUMENTS],
    handler: (client) => plainHandler(client, TABLE),
  },
  {
    name: 'Powertools batch, default',
    files: [BY_HAND, DOCUMENTS, POWERTOOLS],
    handler: (client) => powertoolsHandler(client, TABLE, true),
  },
  {
    name: 'Powertools batch, sequential',
    files: [BY_HAND, DOCUMENTS, POWERTOOLS],
    handler: (client) => powertoolsHandler(client, TABLE, false),
  },
  {
    name: 'aws-lambda-stream',
    files: [BY_HAND, 'bench/peers/aws-lambda-stream/consumer.ts'],
    handler: async (client) => lambdaStreamHandler(await loadLambdaStream(client), TABLE),
  },
  {
    name: 'dynamodb-toolbox',
    files: [BY_HAND, 'bench/peers/dynamodb-toolbox/consumer.ts'],
    handler: async (client) => toolboxHandler(await loadToolbox(), client, TABLE),
  },
];

export interface Outcome {
  calls: number;
  wcu: number;
  cpuSeconds: number;
  wrong: number;
}

export const PROJECTOR = 'projector';

/** Delivers the stream, then its first half again. */
export async function outcomesOf(name: string): Promise<[Outcome, Outcome]> {
  const workload = recordedBatch({ nodeChanges: NODE_CHANGES });
  const late = workload.records.slice(0, workload.records.length / 2);
  const before = derivedItems(fullModel, workload.before);
  const found = PEERS.find((one) => one.name === name);
  return found === undefined ? await ours(workload, before, late) : await peer(found.handler, workload, before, late);
}

function batchesOf(records: readonly RawRecord[]): RawRecord[][] {
  const batches: RawRecord[][] = [];
  for (let start = 0; start < records.length; start += BATCH) batches.push(records.slice(start, start + BATCH));
  return batches;
}

async function peer(
  handlerOf: Peer['handler'],
  workload: Workload,
  derived: readonly Item[],
  late: readonly RawRecord[],
): Promise<[Outcome, Outcome]> {
  const table = new SimulatedTable(fullModel.indexes);
  for (const item of derived) table.items.set(itemKey(item), item);
  const handler = await handlerOf(table.client);
  const deliver = async (records: readonly RawRecord[]): Promise<Outcome> => {
    const before = { calls: table.calls, wcu: table.wcu, ownMs: table.ownMs };
    const { cpuSeconds } = await timed(async () => {
      for (const batch of batchesOf(records)) await handler({ Records: batch } as StreamEvent);
    });
    return {
      calls: table.calls - before.calls,
      wcu: table.wcu - before.wcu,
      cpuSeconds: cpuSeconds - (table.ownMs - before.ownMs) / 1000,
      wrong: wrongItems(workload, table.items),
    };
  };
  return [await deliver(workload.records), await deliver(late)];
}

/** Counts calls and units on a table in memory, and the CPU time of the same calls on a table that answers at once. */
async function ours(
  workload: Workload,
  derived: readonly Item[],
  late: readonly RawRecord[],
): Promise<[Outcome, Outcome]> {
  // Late records read base items as the last record left them.
  const items = [...baseItemsAfter(workload), ...derived];
  const memory = await memoryTable(fullModel, items);
  return await withFreeTable(
    async (endpoint) => {
      const client = createClient({ endpoint });
      const projectFree = projecting(fullModel, { store: new DynamoDBStore(client, fullModel.table) });
      const deliver = async (records: readonly RawRecord[]): Promise<Outcome> => {
        let calls = 0;
        const counted = new Proxy(memory, {
          get(target, name) {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            return (...args: unknown[]): unknown => {
              calls += callsOf(name, args[0]);
              return member.apply(target, args);
            };
          },
        });
        let wcu = 0;
        for (const batch of batchesOf(records)) {
          wcu += (await projecting(fullModel, { store: counted })(decodeRecords(fullModel, batch))).wcu;
        }
        const { cpuSeconds } = await timed(async () => {
          for (const batch of batchesOf(records)) await projectFree(decodeRecords(fullModel, batch));
        });
        return { calls, wcu, cpuSeconds, wrong: wrongItems(workload, byKey(memory.items())) };
      };
      const outcomes: [Outcome, Outcome] = [await deliver(workload.records), await deliver(late)];
      client.destroy();
      return outcomes;
    },
    { items },
  );
}
