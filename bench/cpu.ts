import type { CompiledModel } from '../src/core/model/compiled.ts';
import { foldBatch } from '../src/core/plan/fold.ts';
import type { Unit } from '../src/core/plan/unit.ts';
import { planBatch } from '../src/core/plan/units.ts';
import { decodeRecords, type RawRecord } from '../src/projecting/stream/decode.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { edgeSetModel, fullModel } from './support/models.ts';
import { interleaved, ratios, timed } from './support/paired.ts';
import type { Figure, Report } from './support/report.ts';
import { recordedBatch } from './support/workload.ts';

/**
 * The CPU of planning a batch: decode, fold and plan, compared with `JSON.parse` of the Lambda event that contains it. All units are
 * kept until the batch is planned, as the projector keeps them, and one record in eleven is of a node. Ratios only: those
 * hold on any machine.
 */

const REPETITIONS = 5;
/** Changes of nodes among those of edges. */
const NODE_CHANGES = 1_000;
const RECORDS = 10_000;
/** A Lambda invocation mostly gets fewer: 10,000 records are more than the 6 MB that it takes. */
const FEW_RECORDS = 1_000;
/** Batches in one measurement. */
const ROUNDS = 5;
const WARM_UP_ROUNDS = 10;
const MOST_OF_PARSING = { sets: 0.5, full: 0.75 };

/** Measures both models over the recorded batch, and over the first tenth of it. */
export async function cpu({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const records = recordedBatch({ nodeChanges: NODE_CHANGES }).records.slice(0, RECORDS);
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
  const against = (name: string, runs: readonly Measured[], most: number): Figure => ({
    name: `against JSON.parse, ${name}`,
    value: ratios(
      runs.map(({ plan }) => plan),
      runs.map(({ parse }) => parse),
    ),
    unit: 'x',
    target: { kind: 'at-most', value: most },
  });
  const bytes = Math.round(Buffer.byteLength(event) / RECORDS);
  return [
    {
      name: 'cpu',
      title: `CPU of decode, fold and plan with all units kept, records of nodes and edges, ${bytes} bytes each as JSON`,
      figures: [
        against('edge sets, 10,000 records', results.sets, MOST_OF_PARSING.sets),
        against('full model, 10,000 records', results.full, MOST_OF_PARSING.full),
        against('edge sets, 1,000 records', results.fewSets, MOST_OF_PARSING.sets),
        against('full model, 1,000 records', results.fewFull, MOST_OF_PARSING.full),
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
    let units: Unit[] = [];
    const planning = await timed(() => {
      units = plan(graph, records);
    });
    if (units.length === 0) throw new Error('the batch should have units');
    sums.plan += planning.cpuSeconds;
  }
  return sums;
}

/** Plans a batch; gives its units, so that all of them live until it is planned. */
function plan(graph: CompiledModel, records: readonly RawRecord[]): Unit[] {
  return planBatch(graph, foldBatch(decodeRecords(graph, records)));
}
