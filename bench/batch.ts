import { stringOf } from '../src/core/items/attribute-value.ts';
import { isDerivedKey } from '../src/core/items/keys.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { createProjector } from '../src/projecting/apply/projector.ts';
import { createClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import { MemoryStore } from '../test/support/memory-store/memory-store.ts';
import { lowerBound } from './support/bound.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { derivedItems } from './support/derived.ts';
import { withFreeTable } from './support/free-table.ts';
import { edgeSetModel, fullModel } from './support/models.ts';
import { applyOneByOne, costOneByOne } from './support/naive.ts';
import { checkEdgeSets, checkIndexItems } from './support/oracle.ts';
import { interleaved, ratios, type Timing, timed } from './support/paired.ts';
import { atLeast, atMost, type Figure, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { itemKey } from './support/table.ts';
import { baseItemsAfter, recordedBatch, type Workload } from './support/workload.ts';

/**
 * The recorded batch against a consumer that applies records one by one. The projector's calls and capacity are those of a table in memory, and
 * its items must be the oracle's. The other's follow from DynamoDB's billing rules. Speed is measured against a table that answers at once.
 */

const CONCURRENCY = 32;
const REPETITIONS = 5;
/** All repetitions of the consumers with a call for each record take at most so long. */
const BUDGET_SECONDS = 40;

export async function batch({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const sets = recordedBatch();
  const full = recordedBatch({ nodeChanges: 1_000 });
  return [
    await counted('batch', edgeSetModel, sets, 'edge sets alone'),
    await speed(sets, repetitions),
    await counted('batch-full', fullModel, full, 'edge sets, index items and search items'),
  ];
}

async function counted(name: string, graph: CompiledModel, workload: Workload, what: string): Promise<Report> {
  const before = derivedItems(graph, workload.before);
  const records = decodeRecords(graph, workload.records);
  const store = new MemoryStore(graph.table, { indexes: graph.indexes });
  for (const item of [...baseItemsAfter(workload), ...before]) await store.put(item);
  const result = await createProjector(graph, { store, concurrency: CONCURRENCY }).project(records);
  if (result.error !== undefined) throw result.error;
  const derived = [...store.items()].filter((item) => isDerivedKey(stringOf(item['target'])!));
  const after = new Map(derived.map((item) => [itemKey(item), item]));
  checkEdgeSets('the projector', workload, after);
  if (graph === fullModel) checkIndexItems('the projector', workload, after);
  const beforeByKey = new Map(before.map((item) => [itemKey(item), item]));
  const bound = lowerBound(beforeByKey, after, graph.indexes);
  const oneByOne = costOneByOne(graph, beforeByKey, records);
  const retries = result.writes - result.touches;
  const figures: Figure[] = [
    figure('derived items touched', bound.touched, 'items'),
    figure('slow-path retries', retries, 'calls'),
    figure('writes', result.writes, 'calls', atMost(bound.touched + retries)),
    figure('write capacity, lower bound', bound.wcu, 'WCU'),
    figure('write capacity', result.wcu, 'WCU'),
    figure('write capacity over the lower bound', result.wcu / bound.wcu, 'x', atMost(1.02)),
    figure('read capacity', result.rcu, 'RCU'),
    figure('one by one: writes', oneByOne.writes, 'calls'),
    figure('one by one: write capacity', oneByOne.wcu, 'WCU'),
  ];
  return { name, title: `${records.length.toLocaleString('en-US')} records over 2,000 sources, ${what}`, figures };
}

async function speed(workload: Workload, repetitions: number): Promise<Report> {
  const raw = workload.records;
  const items = [...baseItemsAfter(workload), ...derivedItems(edgeSetModel, workload.before)];
  const records = decodeRecords(edgeSetModel, raw);
  const results = await withFreeTable(
    async (endpoint) => {
      const client = createClient({ endpoint });
      const store = new DynamoDBStore(client, edgeSetModel.table);
      const projector = createProjector(edgeSetModel, { store, concurrency: CONCURRENCY });
      const oneByOne =
        (given = records) =>
        () =>
          timed(() => applyOneByOne(client, edgeSetModel, given, CONCURRENCY));
      const project = () =>
        timed(async () => {
          const { error } = await projector.project(decodeRecords(edgeSetModel, raw));
          if (error !== undefined) throw error;
        });
      // Unmeasured: the first calls also pay for compilation.
      await project();
      await oneByOne(records.slice(0, 2_000))();
      const variants = { project, bySource: oneByOne() };
      const timings = await interleaved(repetitions, variants, BUDGET_SECONDS);
      client.destroy();
      return timings;
    },
    { items },
  );
  const cpu = (runs: Timing[]): number[] => runs.map(({ cpuSeconds }) => cpuSeconds);
  const wall = (runs: Timing[]): number[] => runs.map(({ seconds }) => seconds);
  const against = (name: string, runs: Timing[], least: number): Figure[] => [
    figure(`${name}: seconds`, spread(wall(runs)), 's'),
    figure(`${name}: CPU`, spread(cpu(runs)), 's'),
    figure(`${name}: seconds against the projector's`, ratios(wall(runs), wall(results.project)), 'x', atLeast(least)),
    figure(`${name}: CPU against the projector's`, ratios(cpu(runs), cpu(results.project)), 'x'),
  ];
  return {
    name: 'batch-speed',
    title: 'the same records, edge sets alone, against a table that answers at once',
    figures: [
      figure('projector: seconds', spread(wall(results.project)), 's'),
      figure('projector: CPU', spread(cpu(results.project)), 's'),
      ...against(`one by one, ${CONCURRENCY} sources at once`, results.bySource, 8),
    ],
  };
}
