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
/** What a Lambda invocation is rather given: 10,000 records are more than the 6 MB that it takes. */
const FEW_RECORDS = 1_000;
/** Batches in one measurement. */
const ROUNDS = 5;
const WARM_UP_ROUNDS = 10;
const MOST_OF_PARSING = { sets: 0.5, full: 0.75 };

/** Measures both models over the recorded batch, and over the first tenth of it. */
export async function cpu({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const { records } = recordedBatch();
  const event = JSON.stringify({ Records: records });
  const few = JSON.stringify({ Records: records.slice(0, FEW_RECORDS) });
  const fewRounds = (ROUNDS * RECORDS) / FEW_RECORDS;
  await measured(edgeSetModel, event, WARM_UP_ROUNDS);
  await measured(fullModel, event, WARM_UP_ROUNDS);
  const results = await interleaved(repetitions, {
    sets: () => measured(edgeSetModel, event, ROUNDS),
    full: () => measured(fullModel, event, ROUNDS),
    fewSets: () => measured(edgeSetModel, few, fewRounds),
    fewFull: () => measured(fullModel, few, fewRounds),
  });
  const cpuMs = (seconds: readonly number[]): number[] => seconds.map((cpuSeconds) => (cpuSeconds * 1000) / ROUNDS);
  const against = (name: string, runs: readonly Measured[], most?: number): Figure => {
    const value = ratios(cpuMs(runs.map(({ plan }) => plan)), cpuMs(runs.map(({ parse }) => parse)));
    const target = most === undefined ? {} : { target: { kind: 'at-most', value: most } as const };
    return { name: `against JSON.parse, ${name}`, value, unit: 'x', ...target };
  };
  const planned = (name: string, runs: readonly Measured[]): Figure => {
    return { name: `decode + fold + plan, ${name}`, value: spread(cpuMs(runs.map(({ plan }) => plan))), unit: 'ms' };
  };
  const bytes = Math.round(Buffer.byteLength(event) / RECORDS);
  return [
    {
      name: 'cpu',
      title: `CPU of a batch of ${RECORDS.toLocaleString('en-US')} records, ${bytes} bytes each as JSON`,
      figures: [
        {
          name: 'JSON.parse of the event',
          value: spread(cpuMs([...results.sets, ...results.full].map(({ parse }) => parse))),
          unit: 'ms',
        },
        planned('edge sets', results.sets),
        against('edge sets', results.sets, MOST_OF_PARSING.sets),
        planned('full model', results.full),
        against('full model', results.full, MOST_OF_PARSING.full),
        against('edge sets, batches of 1,000', results.fewSets),
        against('full model, batches of 1,000', results.fewFull),
      ],
    },
  ];
}

function parse(event: string): RawRecord[] {
  return (JSON.parse(event) as { Records: RawRecord[] }).Records;
}

/** CPU of some rounds, in seconds. */
interface Measured {
  parse: number;
  plan: number;
}

/**
 * Parses and plans in turn: records that are planned were parsed just before, as those of an invocation are, and what the
 * parser leaves to the garbage collector is spread over both.
 */
async function measured(graph: CompiledModel, event: string, rounds: number): Promise<Measured> {
  const sums: Measured = { parse: 0, plan: 0 };
  for (let round = 0; round < rounds; round++) {
    let records: RawRecord[] = [];
    const parsing = await timed(() => {
      records = parse(event);
    });
    sums.parse += parsing.cpuSeconds;
    sums.plan += (await timed(() => void plan(graph, records))).cpuSeconds;
  }
  return sums;
}

/** Gives the number of units, so that no result is unused. */
function plan(graph: CompiledModel, records: readonly RawRecord[]): number {
  let units = 0;
  for (const [source, histories] of foldBatch(decodeRecords(graph, records))) {
    units += planUnits(graph, source, histories).length;
  }
  return units;
}
