import { isDerivedKey } from '../src/core/items/keys.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { createClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import { lowerBound } from './support/bound.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { derivedItems } from './support/derived.ts';
import { withFreeTable } from './support/free-table.ts';
import { edgeSetModel, fullModel } from './support/models.ts';
import { applyOneByOne, costOneByOne } from './support/naive.ts';
import { checkEdgeSets, checkIndexItems } from './support/oracle.ts';
import { cpuSecondsOf, interleaved, ratios, secondsOf, type Timing, timed } from './support/paired.ts';
import { memoryTable, projecting } from './support/projecting.ts';
import { atLeast, atMost, type Figure, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { byKey, keyOf } from './support/table.ts';
import { baseItemsAfter, recordedBatch, type Workload } from './support/workload.ts';

/**
 * Compares the projector with a consumer that applies the recorded batch one record at a time. The projector's calls
 * and units come from a table in memory, and its items must equal the oracle's. The other consumer's come from
 * DynamoDB's billing rules. Speed is measured against a table that answers at once.
 */

const CONCURRENCY = 32;
const REPETITIONS = 5;
/** Limit for all repetitions of the consumers that send a call per record. */
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
  const store = await memoryTable(graph, baseItemsAfter(workload), before);
  const result = await projecting(graph, { store, concurrency: CONCURRENCY })(records);
  const after = byKey([...store.items()].filter((item) => isDerivedKey(keyOf(item).target)));
  checkEdgeSets(workload, after);
  if (graph === fullModel) checkIndexItems(workload, after);
  const beforeByKey = byKey(before);
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
      const projectBatch = projecting(edgeSetModel, { store, concurrency: CONCURRENCY });
      const oneByOne =
        (given = records) =>
        () =>
          timed(() => applyOneByOne(client, edgeSetModel, given, CONCURRENCY));
      const project = () => timed(async () => void (await projectBatch(decodeRecords(edgeSetModel, raw))));
      // Unmeasured warm-up, because the first calls also pay for compilation.
      await project();
      await oneByOne(records.slice(0, 2_000))();
      const variants = { project, bySource: oneByOne() };
      const timings = await interleaved(repetitions, variants, { budgetSeconds: BUDGET_SECONDS });
      client.destroy();
      return timings;
    },
    { items },
  );
  const against = (name: string, runs: Timing[], least: number): Figure[] => [
    figure(`${name}: seconds`, spread(secondsOf(runs)), 's'),
    figure(`${name}: CPU`, spread(cpuSecondsOf(runs)), 's'),
    figure(
      `${name}: seconds against the projector's`,
      ratios(secondsOf(runs), secondsOf(results.project)),
      'x',
      atLeast(least),
    ),
    figure(`${name}: CPU against the projector's`, ratios(cpuSecondsOf(runs), cpuSecondsOf(results.project)), 'x'),
  ];
  return {
    name: 'batch-speed',
    title: 'the same records, edge sets alone, against a table that answers at once',
    figures: [
      figure('projector: seconds', spread(secondsOf(results.project)), 's'),
      figure('projector: CPU', spread(cpuSecondsOf(results.project)), 's'),
      ...against(`one by one, ${CONCURRENCY} sources at once`, results.bySource, 8),
    ],
  };
}
