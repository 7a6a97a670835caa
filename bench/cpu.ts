import { foldBatch } from '../src/fold/fold.ts';
import type { CompiledModel } from '../src/model/compiled.ts';
import { planUnits } from '../src/plan/units.ts';
import { decodeRecords, type RawRecord } from '../src/stream/decode.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { edgeSetModel, fullModel } from './support/models.ts';
import { interleaved, ratios, timed } from './support/paired.ts';
import type { Figure, Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { recordedBatch } from './support/workload.ts';

/**
 * What thinking about a batch costs: decode, fold and plan, against `JSON.parse` of the Lambda event that brings it. The
 * planner reads the attributes that a projection names and leaves the rest of each image alone.
 */

const REPETITIONS = 9;
const RECORDS = 10_000;
/** Batches in one measurement. */
const ROUNDS = 5;
const WARM_UP_ROUNDS = 10;
const MOST_OF_PARSING = 0.75;

/** Measures both models over the recorded batch. */
export async function cpu({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const event = JSON.stringify({ Records: recordedBatch().records });
  const planning = (graph: CompiledModel, rounds: number) => () =>
    measured(rounds, () => {
      // Parsed anew, as every batch is: texts that were read once are read faster the second time.
      const records = parse(event);
      return () => plan(graph, records);
    });
  await planning(edgeSetModel, WARM_UP_ROUNDS)();
  await planning(fullModel, WARM_UP_ROUNDS)();
  const results = await interleaved(repetitions, {
    parse: () => measured(ROUNDS, () => () => parse(event)),
    sets: planning(edgeSetModel, ROUNDS),
    full: planning(fullModel, ROUNDS),
  });
  const cpuMs = (runs: number[]): number[] => runs.map((cpuSeconds) => (cpuSeconds * 1000) / ROUNDS);
  const against = (name: string, runs: number[]): Figure[] => [
    { name: `decode + fold + plan, ${name}`, value: spread(cpuMs(runs)), unit: 'ms' },
    {
      name: `against JSON.parse, ${name}`,
      value: ratios(cpuMs(runs), cpuMs(results.parse)),
      unit: 'x',
      target: { kind: 'at-most', value: MOST_OF_PARSING },
    },
  ];
  const bytes = Math.round(Buffer.byteLength(event) / RECORDS);
  return [
    {
      name: 'cpu',
      title: `CPU of a batch of ${RECORDS.toLocaleString('en-US')} records, ${bytes} bytes each as JSON`,
      figures: [
        { name: 'JSON.parse of the event', value: spread(cpuMs(results.parse)), unit: 'ms' },
        ...against('edge sets', results.sets),
        ...against('full model', results.full),
      ],
    },
  ];
}

function parse(event: string): RawRecord[] {
  return (JSON.parse(event) as { Records: RawRecord[] }).Records;
}

/** The CPU of some rounds, in seconds; what prepares a round is not counted. */
async function measured(rounds: number, prepare: () => () => unknown): Promise<number> {
  let cpuSeconds = 0;
  for (let round = 0; round < rounds; round++) {
    const run = prepare();
    cpuSeconds += (await timed(() => void run())).cpuSeconds;
  }
  return cpuSeconds;
}

/** Gives the number of units, so that no result is unused. */
function plan(graph: CompiledModel, records: readonly RawRecord[]): number {
  let units = 0;
  for (const [source, histories] of foldBatch(decodeRecords(graph, records))) {
    units += planUnits(graph, source, histories).length;
  }
  return units;
}
