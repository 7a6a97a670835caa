import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import { node } from '../src/core/model/schema.ts';
import type { Claim } from '../src/stream/progress/claims.ts';
import { claimsItem } from '../src/stream/progress/claims.ts';
import { progressItem } from '../src/stream/progress/consumers.ts';
import { streamPosition } from '../src/stream/progress/stream-position.ts';
import { MemoryStore } from '../test/support/memory-store/memory-store.ts';
import { MemoryStream } from '../test/support/memory-stream.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { sizeOf } from './support/extent.ts';
import { interleaved, ratios, timed } from './support/paired.ts';
import { atMost, type Figure, figure, type Report } from './support/report.ts';

/**
 * A look at a stream's position, which compares each shard's records with the claims of functions: calls, and CPU with reads of a stream in memory.
 */

const REPETITIONS = 5;
/** Over all looks of a measurement. */
const SHARDS_MEASURED = sizeOf({ whole: 4_000, short: 400 });
const FEW_SHARDS = 100;
const MANY_SHARDS = sizeOf({ whole: 1_000, short: 200 });
const FUNCTIONS = 100;
const RECORDS_OF_SHARD = 20;
const LABEL = '2026-01-01T00:00:00.000';
/** Ten times the shards, or a hundred times the functions, may take so many times as long. */
const FLAT = 1.5;

const graph = defineGraph({ table: 'bench', nodes: { USER: node() }, edges: {} });
const NOW = Date.UTC(2026, 0, 2);

export async function position({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const sizes = { few: [FEW_SHARDS, 1], functions: [FEW_SHARDS, FUNCTIONS], many: [MANY_SHARDS, FUNCTIONS] } as const;
  const seen = new Map<string, Applied>();
  const run = async (name: keyof typeof sizes): Promise<() => Promise<number>> => {
    const [shards, functions] = sizes[name];
    const applied = await appliedStream(shards, functions);
    seen.set(name, applied);
    return () => cpuOfShard(applied, shards);
  };
  const variants = { few: await run('few'), functions: await run('functions'), many: await run('many') };
  const results = await interleaved(repetitions, variants, { warmUps: 1 });
  const many = `${MANY_SHARDS.toLocaleString('en-US')} shards`;
  const { iterators, reads } = await callsOfLook(seen.get('many')!);
  const figures: Figure[] = [
    figure(`iterators of a shard, ${many}`, iterators / MANY_SHARDS, 'calls'),
    figure(`reads of a shard, ${many}`, reads / MANY_SHARDS, 'calls'),
    figure(
      `CPU of a shard, ${FUNCTIONS} functions against 1`,
      ratios(results.functions, results.few),
      'x',
      atMost(FLAT),
    ),
    figure(
      `CPU of a shard, ${FUNCTIONS} functions, ${many} against ${FEW_SHARDS}`,
      ratios(results.many, results.functions),
      'x',
      atMost(FLAT),
    ),
  ];
  const title = `a look at the position of a stream, ${RECORDS_OF_SHARD} records a shard, all of them claimed`;
  return [{ name: 'position', title, figures }];
}

/** A stream, and a table with claims of all its records. */
interface Applied {
  stream: MemoryStream;
  store: MemoryStore;
}

/** Shards go to the functions in turn, all records applied. */
async function appliedStream(shards: number, functions: number): Promise<Applied> {
  const stream = new MemoryStream(NOW);
  const store = new MemoryStore(graph.table);
  const claims = Array.from({ length: functions }, (): Claim[] => []);
  for (let shard = 0; shard < shards; shard++) {
    const numbers = Array.from({ length: RECORDS_OF_SHARD }, (_, i) => shard * RECORDS_OF_SHARD + i + 1);
    stream.add(`shard-${shard}`, numbers);
    const [first, last] = [String(numbers[0]), String(numbers.at(-1))];
    claims[shard % functions]!.push({ stream: LABEL, first, last, records: RECORDS_OF_SHARD });
  }
  for (const [i, own] of claims.entries()) {
    await store.put(claimsItem(graph.table, `function-${i}`, own, NOW - 50_000));
    const progress = { id: `function-${i}`, kind: 'lambda', model: graph.fingerprint, seenAtMs: NOW - 1_000 } as const;
    const sequenceNumbers = own.map(({ last }) => ({ sequenceNumber: last }));
    const rest = { records: own.length * RECORDS_OF_SHARD, intervalMs: 10_000, isStopped: false };
    await store.put(progressItem(graph.table, { ...progress, ...rest, shards: sequenceNumbers }, 0));
  }
  return { stream, store };
}

/** Seconds of CPU for a shard, over some looks. */
async function cpuOfShard(applied: Applied, shards: number): Promise<number> {
  const looks = SHARDS_MEASURED / shards;
  const { cpuSeconds } = await timed(async () => {
    for (let i = 0; i < looks; i++) await look(applied);
  });
  return cpuSeconds / SHARDS_MEASURED;
}

async function callsOfLook(applied: Applied): Promise<{ iterators: number; reads: number }> {
  const { stream } = applied;
  const before = { iterators: stream.iterators, reads: stream.reads };
  await look(applied);
  return { iterators: stream.iterators - before.iterators, reads: stream.reads - before.reads };
}

async function look({ stream, store }: Applied): Promise<void> {
  const { shards, claimedUpToMs } = await streamPosition(graph, {
    ...{ store, source: stream, now: () => NOW },
    isProjected: async () => {
      throw new Error('all records are claimed: none is compared');
    },
  });
  if (claimedUpToMs !== NOW || shards.some(({ atEnd }) => !atEnd)) throw new Error('the look did not find all applied');
}
