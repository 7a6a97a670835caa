import { createProjector } from '../src/apply/projector.ts';
import type { CompiledModel } from '../src/model/compiled.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import { lowerBound } from './support/bound.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { derivedItems } from './support/derived.ts';
import type { Item } from './support/images.ts';
import { edgeSetModel, fullModel } from './support/models.ts';
import { applyOneByOne } from './support/naive.ts';
import { checkEdgeSets, checkIndexItems } from './support/oracle.ts';
import { interleaved, ratios, timed } from './support/paired.ts';
import type { Figure, Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { type FreshTable, itemKey, scanTable, withFreshTable } from './support/table.ts';
import { recordedBatch, type Workload } from './support/workload.ts';

/**
 * The recorded batch against consumers that do not fold: calls, capacity and speed, with all of them on the same client.
 * Each run has an engine of its own, and the bench fails where a consumer leaves other items than the oracle says.
 */

const CONCURRENCY = 32;
const REPETITIONS = 3;
const WARM_UP_RECORDS = 1_000;

/** What one run gives. */
interface Run {
  seconds: number;
  writes: number;
  wcu: number;
  rcu: number;
  /** Units that met a condition failure and were written again. */
  retries: number;
  after: ReadonlyMap<string, Item>;
}

/** A consumer of the batch. */
type Consumer = (table: FreshTable, workload: Workload) => Promise<Omit<Run, 'seconds' | 'after'>>;

/** Runs the batch through the edge sets alone, then through the full model. */
export async function batch({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  return [
    await measure('batch', edgeSetModel, recordedBatch(), repetitions, { inOrder: 13, bySource: 8 }),
    await measure('batch-full', fullModel, recordedBatch({ nodeChanges: 1_000 }), repetitions),
  ];
}

async function measure(
  name: string,
  graph: CompiledModel,
  workload: Workload,
  repetitions: number,
  speedTargets?: { inOrder: number; bySource: number },
): Promise<Report> {
  const before = derivedItems(graph, workload.before);
  const consumers: Record<'projector' | 'inOrder' | 'bySource', Consumer> = {
    projector: projectorOf(graph),
    inOrder: oneByOneOf(graph, 1),
    bySource: oneByOneOf(graph, CONCURRENCY),
  };
  const runs = (consumer: Consumer, records: number) => () =>
    withFreshTable(graph, before, async (table) => {
      const part = { ...workload, records: workload.records.slice(0, records) };
      let cost: Omit<Run, 'seconds' | 'after'> | undefined;
      const { seconds } = await timed(async () => {
        cost = await consumer(table, part);
      });
      return { ...cost!, seconds, after: await scanTable(table.client, graph) };
    });
  // Unmeasured: the first calls of a process also pay for its compilation.
  for (const consumer of Object.values(consumers)) await runs(consumer, WARM_UP_RECORDS)();
  const results = await interleaved(repetitions, {
    projector: runs(consumers.projector, workload.records.length),
    inOrder: runs(consumers.inOrder, workload.records.length),
    bySource: runs(consumers.bySource, workload.records.length),
  });
  for (const [consumer, list] of Object.entries(results)) {
    for (const { after } of list) {
      checkEdgeSets(consumer, workload, after);
      if (graph === fullModel) checkIndexItems(consumer, workload, after);
    }
  }
  const beforeByKey = new Map(before.map((item) => [itemKey(item), item]));
  return {
    name,
    title: `${workload.records.length.toLocaleString('en-US')} records over 2,000 sources, ${graph === fullModel ? 'edge sets, index items and search items' : 'edge sets alone'}`,
    figures: figures(graph, beforeByKey, results, speedTargets),
  };
}

function projectorOf(graph: CompiledModel): Consumer {
  return async ({ store }, { records }) => {
    const projector = createProjector(graph, { store, concurrency: CONCURRENCY });
    const result = await projector.project(decodeRecords(graph, records));
    if (result.error !== undefined) throw result.error;
    return { writes: result.writes, wcu: result.wcu, rcu: result.rcu, retries: result.writes - result.units };
  };
}

function oneByOneOf(graph: CompiledModel, concurrency: number): Consumer {
  return async ({ client }, { records }) => {
    const cost = await applyOneByOne(client, graph, decodeRecords(graph, records), concurrency);
    return { ...cost, rcu: 0, retries: 0 };
  };
}

function figures(
  graph: CompiledModel,
  before: ReadonlyMap<string, Item>,
  { projector, inOrder, bySource }: Record<'projector' | 'inOrder' | 'bySource', Run[]>,
  speedTargets?: { inOrder: number; bySource: number },
): Figure[] {
  const last = projector.at(-1)!;
  const bound = lowerBound(before, last.after, graph.indexes);
  const seconds = (runs: Run[]): number[] => runs.map((run) => run.seconds);
  const exact = (pick: (run: Run) => number, runs: Run[]) => {
    const values = spread(runs.map(pick));
    return values.min === values.max ? values.min : values;
  };
  const speed = (name: string, runs: Run[], least: number | undefined): Figure => ({
    name,
    value: ratios(seconds(runs), seconds(projector)),
    unit: 'x',
    ...(least !== undefined && { target: { kind: 'at-least', value: least } }),
  });
  return [
    { name: 'derived items touched', value: bound.touched, unit: 'items' },
    { name: 'slow-path retries', value: exact((run) => run.retries, projector), unit: 'calls' },
    {
      name: 'writes',
      value: exact((run) => run.writes, projector),
      unit: 'calls',
      target: { kind: 'at-most', value: bound.touched + last.retries },
    },
    { name: 'write capacity, lower bound', value: bound.wcu, unit: 'WCU' },
    { name: 'write capacity', value: exact((run) => run.wcu, projector), unit: 'WCU' },
    {
      name: 'write capacity over the lower bound',
      value: exact((run) => run.wcu / bound.wcu, projector),
      unit: 'x',
      target: { kind: 'at-most', value: 1.02 },
    },
    { name: 'read capacity', value: exact((run) => run.rcu, projector), unit: 'RCU' },
    { name: 'seconds', value: spread(seconds(projector)), unit: 's' },
    { name: 'one by one, in order: writes', value: exact((run) => run.writes, inOrder), unit: 'calls' },
    { name: 'one by one, in order: write capacity', value: exact((run) => run.wcu, inOrder), unit: 'WCU' },
    { name: 'one by one, in order: seconds', value: spread(seconds(inOrder)), unit: 's' },
    speed('speed against it', inOrder, speedTargets?.inOrder),
    { name: `one by one, ${CONCURRENCY} sources at once: seconds`, value: spread(seconds(bySource)), unit: 's' },
    speed('speed against it', bySource, speedTargets?.bySource),
  ];
}
