import type { CompiledModel } from '../src/core/model/compiled.ts';
import type { Touch } from '../src/core/plan/touch.ts';
import { touched } from '../src/core/plan/touched.ts';
import { decodeRecords, type RawRecord } from '../src/stream/decode.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { edgeSetModel, fullModel } from './support/models.ts';
import { interleaved, ratios, timed } from './support/paired.ts';
import { atMost, type Figure, figure, type Report } from './support/report.ts';
import { recordedBatch } from './support/workload.ts';

/**
 * Compares the CPU time for decoding a batch and computing its touches with that of `JSON.parse` for the same event.
 * One record in eleven changes a node.
 */

const REPETITIONS = 5;
const NODE_CHANGES = 1_000;
const RECORDS = 10_000;
/**
 * Lambda's limit of 6 MB holds fewer than 10,000 records. Sizes vary around 1,000, so that garbage collection doesn't
 * always come in the same phase.
 */
const FEW_RECORDS = { least: 700, most: 1_300 };
const FEW_BATCHES = 50;
const ROUNDS = 5;
const WARM_UP_ROUNDS = 10;
const MOST_OF_PARSING = { sets: 0.5, full: 0.75 };

export async function cpu({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const records = recordedBatch({ nodeChanges: NODE_CHANGES }).records.slice(0, RECORDS);
  const event = JSON.stringify({ Records: records });
  const events = Array<string>(ROUNDS).fill(event);
  const few = batchesOfFew(records);
  for (const model of [edgeSetModel, fullModel]) {
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await measured(model, [event]);
  }
  const results = await interleaved(repetitions, {
    sets: () => measured(edgeSetModel, events),
    full: () => measured(fullModel, events),
    fewSets: () => measured(edgeSetModel, few),
    fewFull: () => measured(fullModel, few),
  });
  const against = (name: string, runs: readonly Measured[], most: number): Figure =>
    figure(
      `against JSON.parse, ${name}`,
      ratios(
        runs.map(({ plan }) => plan),
        runs.map(({ parse }) => parse),
      ),
      'x',
      atMost(most),
    );
  const bytes = Math.round(Buffer.byteLength(event) / RECORDS);
  return [
    {
      name: 'cpu',
      title: `CPU of decoding and of naming what is touched, records of nodes and edges, ${bytes} bytes each as JSON`,
      figures: [
        against('edge sets, 10,000 records', results.sets, MOST_OF_PARSING.sets),
        against('full model, 10,000 records', results.full, MOST_OF_PARSING.full),
        against('edge sets, 1,000 records', results.fewSets, MOST_OF_PARSING.sets),
        against('full model, 1,000 records', results.fewFull, MOST_OF_PARSING.full),
      ],
    },
  ];
}

function batchesOfFew(records: readonly RawRecord[]): string[] {
  const { least, most } = FEW_RECORDS;
  return Array.from({ length: FEW_BATCHES }, (_, i) => {
    const start = (i * 231) % Math.max(1, records.length - most);
    const count = least + ((i * 137) % (most - least + 1));
    return JSON.stringify({ Records: records.slice(start, start + count) });
  });
}

function parse(event: string): RawRecord[] {
  return (JSON.parse(event) as { Records: RawRecord[] }).Records;
}

interface Measured {
  parse: number;
  plan: number;
}

/** Parses and plans alternately, as invocations do, which spreads the parser's garbage over both phases. */
async function measured(graph: CompiledModel, events: readonly string[]): Promise<Measured> {
  const sums: Measured = { parse: 0, plan: 0 };
  for (const event of events) {
    let records: RawRecord[] = [];
    const parsing = await timed(() => {
      records = parse(event);
    });
    sums.parse += parsing.cpuSeconds;
    let touches: Touch[] = [];
    const planning = await timed(() => {
      touches = plan(graph, records);
    });
    if (touches.length === 0) throw new Error('the batch should touch something');
    sums.plan += planning.cpuSeconds;
  }
  return sums;
}

/** Returns the touches, so that they stay alive until the measurement ends. */
function plan(graph: CompiledModel, records: readonly RawRecord[]): Touch[] {
  return touched(graph, decodeRecords(graph, records));
}
