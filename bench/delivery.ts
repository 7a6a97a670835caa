import { startEngine } from '../packages/local/engine/engine.ts';
import type { ChangeRecord } from '../src/core/items/change-record.ts';
import { fnv1a } from '../src/core/items/shard.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { createWorker } from '../src/projecting/worker/worker.ts';
import { createClient, createStreamsClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import { createTable } from '../src/store/table-description.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import type { MemoryStore } from '../test/support/memory-store/memory-store.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { derivedItems } from './support/derived.ts';
import { sizeOf } from './support/extent.ts';
import { edgeSetModel, fullModel } from './support/models.ts';
import { checkEdgeSets, checkIndexItems } from './support/oracle.ts';
import { interleaved, ratios, timed } from './support/paired.ts';
import { memoryTable, projecting } from './support/projecting.ts';
import { atLeast, atMost, type Figure, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { byKey } from './support/table.ts';
import { baseItemsAfter, insertsOverSources, recordedBatch, type Workload } from './support/workload.ts';

/** Measures the cost of delivery: batches in order, an item collection over two shards, a replay and a backlog. */

const REPETITIONS = 3;
const MOST_CONFLICTS = 0;
const MOST_REPLAY = 1.1;
const LEAST_RECOVERY = 0.8;
const BACKLOG = sizeOf({ whole: 2_000, short: 200 });
const BATCHES = [1_000];

export async function delivery({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  return [
    await shares(),
    await replays('edge sets', edgeSetModel),
    await replays('full model', fullModel),
    await recovery(repetitions),
  ];
}

async function shares(): Promise<Report> {
  const figures: Figure[] = [];
  for (const size of BATCHES) {
    const inOrder = await deliver(edgeSetModel, (records) => chunks(records, size));
    const split = await deliver(edgeSetModel, (records) => overTwoShards(records, size));
    const name = (shards: string, what: string): string => `${shards}, batches of ${size}: ${what}`;
    figures.push(
      figure(name('one shard', 'conflicts'), inOrder.conflicts, 'share', atMost(MOST_CONFLICTS)),
      figure(name('two shards', 'write capacity against one'), split.wcu / inOrder.wcu, 'x'),
    );
  }
  return {
    name: 'delivery-order',
    title: '10,000 records over 2,000 sources, edge sets alone, batch by batch',
    figures,
  };
}

async function deliver(
  graph: CompiledModel,
  cut: (records: readonly ChangeRecord[]) => ChangeRecord[][],
): Promise<{ conflicts: number; wcu: number }> {
  const workload = recordedBatch();
  const batches = cut(decodeRecords(graph, workload.records));
  const store = await inMemory(graph, workload);
  const project = projecting(graph, { store });
  const sums = { touches: 0, conflicts: 0, wcu: 0 };
  for (const batch of batches) {
    const { touches, conflicts, wcu } = await project(batch);
    sums.touches += touches;
    sums.conflicts += conflicts;
    sums.wcu += wcu;
  }
  checkEdgeSets(workload, byKey(store.items()));
  return { conflicts: sums.conflicts / sums.touches, wcu: sums.wcu };
}

/**
 * Contains the derived items from before the batch and the base items from after it, because producers are ahead of the
 * consumer.
 */
async function inMemory(graph: CompiledModel, workload: Workload): Promise<MemoryStore> {
  return await memoryTable(graph, derivedItems(graph, workload.before), baseItemsAfter(workload));
}

/** Each item stays in one shard, but a partition may be spread over both. */
function overTwoShards(records: readonly ChangeRecord[], size: number): ChangeRecord[][] {
  const shards = [0, 1].map((shard) =>
    chunks(
      records.filter(({ target }) => fnv1a(target) % 2 === shard),
      size,
    ),
  );
  const batches: ChangeRecord[][] = [];
  for (let i = 0; i < Math.max(...shards.map(({ length }) => length)); i++) {
    for (const shard of shards) if (shard[i] !== undefined) batches.push(shard[i]!);
  }
  return batches;
}

async function replays(name: string, graph: CompiledModel): Promise<Report> {
  const workload = recordedBatch();
  const records = decodeRecords(graph, workload.records);
  const figures: Figure[] = [];
  for (const size of [records.length, records.length / 10]) {
    const store = await inMemory(graph, workload);
    const project = projecting(graph, { store });
    const first = await project(records);
    let again = 0;
    for (const batch of chunks(records, size)) again += (await project(batch)).wcu;
    checkEdgeSets(workload, byKey(store.items()));
    if (graph === fullModel) checkIndexItems(workload, byKey(store.items()));
    const ratio = again / first.wcu;
    const cut = size === records.length ? 'the same batch' : `batches of ${size.toLocaleString('en-US')}`;
    const target = size === records.length ? atMost(MOST_REPLAY) : undefined;
    figures.push(figure(`replay as ${cut}: write capacity against the first run`, ratio, 'x', target));
  }
  return { name: 'delivery-replay', title: `10,000 records projected as one batch, and once more: ${name}`, figures };
}

async function recovery(repetitions: number): Promise<Report> {
  const run = (isBacklog: boolean) => () =>
    withStream(async ({ store, newWorker }) => {
      const items = insertsOverSources(BACKLOG).map(({ dynamodb }) => ({ put: dynamodb!.NewImage! }));
      const produce = (): Promise<unknown> => store.writeMany(items);
      const { worker, applied } = newWorker();
      if (isBacklog) await produce();
      const { seconds } = await timed(async () => {
        const producing = isBacklog ? undefined : produce();
        const running = worker.run();
        await producing;
        await applied;
        await worker.stop();
        await running;
      });
      return BACKLOG / seconds;
    });
  const { steady, backlog } = await interleaved(repetitions, { steady: run(false), backlog: run(true) });
  return {
    name: 'delivery-recovery',
    title: `the local worker, ${BACKLOG.toLocaleString('en-US')} records`,
    figures: [
      figure('beside a producer at full rate', spread(steady), 'records/s'),
      figure('on a backlog', spread(backlog), 'records/s'),
      figure('recovery against steady', ratios(backlog, steady), 'x', atLeast(LEAST_RECOVERY)),
    ],
  };
}

async function withStream<T>(
  run: (table: {
    store: DynamoDBStore;
    newWorker: () => { worker: ReturnType<typeof createWorker>; applied: Promise<void> };
  }) => Promise<T>,
): Promise<T> {
  const engine = await startEngine();
  const client = createClient({ endpoint: engine.endpoint });
  const streams = createStreamsClient({ endpoint: engine.endpoint });
  try {
    const { streamArn = '' } = await createTable(edgeSetModel, { client });
    const store = new DynamoDBStore(client, edgeSetModel.table);
    const newWorker = () => {
      let done: () => void = () => undefined;
      const applied = new Promise<void>((resolve) => {
        done = resolve;
      });
      const onBatch = ({ totals }: { totals: { records: number } }): void => {
        if (totals.records >= BACKLOG) done();
      };
      const worker = createWorker(edgeSetModel, { store, streams, streamArn, pollIntervalMs: 10, onBatch });
      return { worker, applied };
    };
    return await run({ store, newWorker });
  } finally {
    client.destroy();
    streams.destroy();
    await engine.stop();
  }
}

function chunks<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) => values.slice(i * size, (i + 1) * size));
}
