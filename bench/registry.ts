import type { ChangeRecord } from '../src/core/items/change-record.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { touched } from '../src/core/plan/touched.ts';
import { fixedModel, registeredModel, type WriterModel } from '../src/registry/writer-model.ts';
import { createClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import type { MemoryStore } from '../test/support/memory-store/memory-store.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { derivedItems } from './support/derived.ts';
import { sizeOf } from './support/extent.ts';
import { withFreeTable } from './support/free-table.ts';
import { type Managed, managed } from './support/managed.ts';
import { edgeSetModel, fullModel } from './support/models.ts';
import { checkEdgeSets } from './support/oracle.ts';
import { cpuInTurns, ratios, type Timing, timed } from './support/paired.ts';
import { memoryTable, projecting } from './support/projecting.ts';
import { atMost, type Figure, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { byKey } from './support/table.ts';
import { recordedBatch, type Workload } from './support/workload.ts';

/** The batches of `batch` and `cpu` without a registry, with a new one, and with one whose every projection changed once. */

const REPETITIONS = 24;
/** One comparison takes at most so long. */
const BUDGET_SECONDS = 15;
const MOST = 1.02;
/** Records of a small batch. */
const SMALL = 100;
/** Few records a turn, so that variants alternate often. */
const PLANNED = 400;
/** Turns of one repetition. */
const TURNS = sizeOf({ whole: 30, short: 1 });
const APPLIED = sizeOf({ whole: 2_000, short: 200 });
const CONCURRENCY = 32;

interface Variants {
  without: Variant;
  registered: Variant;
  migrated: Variant;
}

interface Variant {
  graph: CompiledModel;
  /** Undefined: none, and none is looked for. */
  registry?: MemoryStore;
}

export async function registry({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const sets = recordedBatch();
  const full = recordedBatch({ nodeChanges: 1_000 });
  return [
    await capacity('registry-capacity', edgeSetModel, sets, 'edge sets alone', [sets.records.length, SMALL]),
    await capacity('registry-capacity-full', fullModel, full, 'edge sets, index items and search items', [
      full.records.length,
    ]),
    await cpuOfPlanning(edgeSetModel, 'edge sets', sets, repetitions),
    await cpuOfPlanning(fullModel, 'full model', full, repetitions),
    await cpuOfApplying(full, repetitions),
  ];
}

async function variantsOf(graph: CompiledModel): Promise<Variants> {
  const variant = ({ graph: kept, store }: Managed): Variant => ({ graph: kept, registry: store });
  return {
    without: { graph },
    registered: variant(await managed(graph, 'registered')),
    migrated: variant(await managed(graph, 'migrated')),
  };
}

async function capacity(
  name: string,
  graph: CompiledModel,
  workload: Workload,
  what: string,
  sizes: readonly number[],
): Promise<Report> {
  const variants = await variantsOf(graph);
  const figures: Figure[] = [];
  for (const batchSize of sizes) {
    const of = `batches of ${batchSize.toLocaleString('en-US')}`;
    const without = await unitsOf(graph, variants.without, workload, batchSize);
    figures.push(figure(`${of}: without a registry`, without, 'WCU + RCU'));
    for (const state of ['registered', 'migrated'] as const) {
      const value = (await unitsOf(graph, variants[state], workload, batchSize)) / without;
      figures.push(figure(`${of}: ${state}`, value, 'x', atMost(MOST)));
    }
  }
  return { name, title: `capacity of ${workload.records.length.toLocaleString('en-US')} records, ${what}`, figures };
}

/** Capacity for a workload, and whether edge sets end up right. */
async function unitsOf(own: CompiledModel, variant: Variant, workload: Workload, batchSize: number): Promise<number> {
  const { graph, registry: kept } = variant;
  const store = await memoryTable(own, kept?.items() ?? [], derivedItems(graph, workload.before), workload.before);
  const project = projecting(own, { store, concurrency: CONCURRENCY, model: modelOf(variant, own, store) });
  const records = decodeRecords(own, workload.records);
  let units = 0;
  for (let from = 0; from < records.length; from += batchSize) {
    const batch = records.slice(from, from + batchSize);
    for (const { source, target, newImage } of batch) {
      if (newImage === undefined) await store.delete({ source, target });
      else await store.put(newImage);
    }
    const { wcu, rcu } = await project(batch);
    units += wcu + rcu;
  }
  checkEdgeSets('the projector', workload, byKey(store.items()));
  return units;
}

function modelOf({ registry: kept }: Variant, own: CompiledModel, store: MemoryStore | DynamoDBStore): WriterModel {
  if (kept === undefined) return fixedModel(own);
  return registeredModel(own, {
    getMany: (keys, options) => kept.getMany(keys, options),
    async get(key, options) {
      // Made as on a table, though a free one has no answer.
      await store.get(key, options);
      return await kept.get(key, options);
    },
  });
}

async function cpuOfPlanning(own: CompiledModel, what: string, { records: raw }: Workload, repetitions: number) {
  const variants = await variantsOf(own);
  const text = JSON.stringify(raw.slice(0, PLANNED));
  const planning =
    ({ graph }: Variant) =>
    async (): Promise<Timing> => {
      const records = JSON.parse(text);
      return await timed(() => void plan(graph, decodeRecords(graph, records)));
    };
  const title = `decode, fold and plan of ${PLANNED} records, ${what}`;
  return await compared(`registry-planning`, title, variants, planning, {
    repetitions,
    turns: TURNS,
    warmUps: sizeOf({ whole: 100, short: 1 }),
  });
}

/** Returns a number, so that no result is unused. */
function plan(graph: CompiledModel, records: readonly ChangeRecord[]): number {
  return touched(graph, records).length;
}

async function cpuOfApplying({ records: raw }: Workload, repetitions: number): Promise<Report> {
  const variants = await variantsOf(fullModel);
  return await withFreeTable(async (endpoint) => {
    const client = createClient({ endpoint });
    const store = new DynamoDBStore(client, fullModel.table);
    const applying = (variant: Variant) => {
      const model = modelOf(variant, fullModel, store);
      const project = projecting(fullModel, { store, concurrency: CONCURRENCY, model });
      return () => timed(async () => void (await project(decodeRecords(fullModel, raw.slice(0, APPLIED)))));
    };
    const title = `a batch of ${APPLIED} records, decoded, planned and written, against a table that answers at once`;
    const report = await compared('registry-applying', title, variants, applying, {
      repetitions,
      turns: 1,
      warmUps: 2,
    });
    client.destroy();
    return report;
  });
}

async function compared(
  name: string,
  title: string,
  variants: Variants,
  run: (variant: Variant) => () => Promise<Timing>,
  { repetitions, ...inTurns }: { repetitions: number; turns: number; warmUps: number },
): Promise<Report> {
  const runs = {
    without: run(variants.without),
    registered: run(variants.registered),
    migrated: run(variants.migrated),
  };
  const cpu = await cpuInTurns(repetitions, runs, { ...inTurns, budgetSeconds: BUDGET_SECONDS });
  const milliseconds = cpu.without.map((seconds) => seconds * 1000);
  const figures: Figure[] = [figure('without a registry', spread(milliseconds), 'ms')];
  for (const state of ['registered', 'migrated'] as const)
    figures.push(figure(state, ratios(cpu[state], cpu.without), 'x', atMost(MOST)));
  return { name, title: `CPU of ${title}, with a registry against without`, figures };
}
