import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { edge, node, rank } from '../src/core/model/schema.ts';
import { touched } from '../src/core/plan/touched.ts';
import { decodeRecords, type RawRecord } from '../src/stream/decode.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { sizeOf } from './support/extent.ts';
import { idleStore } from './support/idle-store.ts';
import { cpuInTurns, ratios, type Timing, timed } from './support/paired.ts';
import { projecting } from './support/projecting.ts';
import { atMost, type Figure, figure, type Report } from './support/report.ts';
import { STREAM_ARN } from './support/workload.ts';

/** CPU of projecting an edge by edges of a node in a batch, and by types of the model. */

const REPETITIONS = 5;
/** Of one repetition, in which variants alternate. */
const IN_TURNS = sizeOf({ whole: { turns: 5, warmUps: 3 }, short: { turns: 1, warmUps: 0 } });
/** Edges that are sent in batches of each size. */
const EDGES = sizeOf({ whole: 10_000, short: 1_000 });
const FEWEST = 10;
const SIZES = [FEWEST, EDGES / 100, EDGES / 10, EDGES].filter((size, i, all) => all.indexOf(size) === i);
const FEW_TYPES = 5;
const MANY_TYPES = 200;
const RECORDS_OF_TYPES = sizeOf({ whole: 10_000, short: 1_000 });
const FLAT = atMost(1.3);
const MOST_OF_MANY_TYPES = atMost(1.5);

export async function growth({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  return [await byEdges(repetitions), await byTypes(repetitions)];
}

async function byEdges(repetitions: number): Promise<Report> {
  const model = modelOf(1);
  const run = async (size: number): Promise<Timing> => {
    const batches = Array.from({ length: EDGES / size }, (_, i) =>
      Array.from({ length: size }, (_, n) => inserted(`N0-${i}`, `E0-N0-${n}`, n)),
    );
    const project = projecting(model, { store: idleStore() });
    return await timed(async () => {
      for (const records of batches) await project(decodeRecords(model, records));
    });
  };
  const variants = Object.fromEntries(SIZES.map((size) => [size, () => run(size)]));
  const cpuSeconds = await cpuInTurns(repetitions, variants, IN_TURNS);
  const figures = SIZES.filter((size) => size !== FEWEST).map(
    (size): Figure =>
      figure(
        `CPU an edge, ${size.toLocaleString('en-US')} in a batch against ${FEWEST}`,
        ratios(cpuSeconds[size]!, cpuSeconds[FEWEST]!),
        'x',
        FLAT,
      ),
  );
  return {
    name: 'growth',
    title: 'new edges of one node in a batch, with an edge set and two orders, before a store that does nothing',
    figures,
  };
}

async function byTypes(repetitions: number): Promise<Report> {
  const run = (types: number) => {
    const model = modelOf(types);
    const records = Array.from({ length: RECORDS_OF_TYPES }, (_, i) => {
      const type = i % types;
      return inserted(`N${type}-${i}`, `E${type}-N${type}-${i}`, i);
    });
    return async (): Promise<Timing> => {
      return await timed(() => {
        const touches = touched(model, decodeRecords(model, records));
        if (touches.length < records.length) throw new Error('each record should touch an item');
      });
    };
  };
  const variants = { few: run(FEW_TYPES), many: run(MANY_TYPES) };
  const { few, many } = await cpuInTurns(repetitions, variants, IN_TURNS);
  const name = `CPU of a record, ${MANY_TYPES} types against ${FEW_TYPES}`;
  return {
    name: 'growth-types',
    title: 'records of edges, planned with models of few and of many types',
    figures: [figure(name, ratios(many, few), 'x', MOST_OF_MANY_TYPES)],
  };
}

/** Each type has an edge type with an edge set and two orders. */
function modelOf(types: number): CompiledModel {
  const numbers = Array.from({ length: types }, (_, i) => i);
  return defineGraph({
    table: 'bench',
    nodes: Object.fromEntries(numbers.map((i) => [`N${i}`, node()])),
    edges: Object.fromEntries(
      numbers.map((i) => [
        `E${i}`,
        edge({
          from: `N${i}`,
          to: `N${i}`,
          edgeSet: ['role'],
          inbound: { orders: { gsi0: rank('role', { LEAD: 2, OTHER: 1 }), gsi1: 'since' } },
        }),
      ]),
    ),
  });
}

function inserted(source: string, target: string, number: number): RawRecord {
  const key = { source: { S: source }, target: { S: target } };
  const sequenceNumber = String(442_158_450_000_000_017_450_439_091n + BigInt(number) * 13n);
  return {
    eventID: `${source} ${target}`,
    eventName: 'INSERT',
    eventSourceARN: STREAM_ARN,
    dynamodb: {
      ...{ ApproximateCreationDateTime: 1_700_000_000, SequenceNumber: sequenceNumber, Keys: key },
      NewImage: { ...key, role: { S: 'OTHER' }, since: { S: `2026-01-${String((number % 28) + 1).padStart(2, '0')}` } },
    },
  } as RawRecord;
}
