import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Store } from '../src/core/store-port.ts';
import { createProjector } from '../src/projecting/apply/projector.ts';
import { decodeRecords, type RawRecord } from '../src/stream/decode.ts';
import { check } from '../src/trust/check/check.ts';
import { redriveRecords } from '../src/trust/repair/redrive-records.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { sizeOf } from './support/extent.ts';
import { edgeImage, type Item } from './support/images.ts';
import { answeringLate } from './support/late-table.ts';
import { fullModel } from './support/models.ts';
import { interleaved, ratios, timed } from './support/paired.ts';
import { memoryTable } from './support/projecting.ts';
import { atMost, type Figure, figure, MEMORY_VARIES, type Report, varying } from './support/report.ts';
import { type Spread, spread } from './support/statistics.ts';
import { withFreshTable } from './support/table.ts';
import { STREAM_ARN } from './support/workload.ts';

/** Redrives a failed batch: with nothing projected, and with everything projected correctly. */

const EDGES_OF_A_GOAL = 20;
/** Leaves a function of 512 MB enough room for the rest of the process. */
const HEAP_MB = 384;
const FUNCTION_MB = 512;
/** Limits the child's time, because it would keep retrying if the engine ended. */
const MOST_MS = 150_000;

const REPETITIONS = 5;
const SPEED_RECORDS = sizeOf({ whole: 4_000, short: 400 });
const ANSWER_MS = 5;

interface Seen {
  entries: number;
  repaired: number;
  left: number;
  writes: number;
  wcu: number;
  rcu: number;
  seconds: number;
  cpuSeconds: number;
  megabytes: number;
}

export async function redrive({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  return [await redriven(sizeOf({ whole: 4_000, short: 400 })), await speed(repetitions)];
}

export async function redriveLarge(): Promise<Report[]> {
  return [await redriven(sizeOf({ whole: 10_000, short: 1_000 }))];
}

function newEdges(size: number): Item[] {
  return Array.from({ length: size }, (_, i) =>
    edgeImage({
      source: `GOAL-${i % (size / EDGES_OF_A_GOAL)}`,
      target: `USER-${i}`,
      version: 1,
      role: 'LEAD',
      date: '2026-03-01',
    }),
  );
}

async function speed(repetitions: number): Promise<Report> {
  const edges = newEdges(SPEED_RECORDS);
  const records = decodeRecords(fullModel, edges.map(inserted), STREAM_ARN);
  const run = async (work: (store: Store) => Promise<unknown>) => {
    const counted = answeringLate(await memoryTable(fullModel, edges), ANSWER_MS);
    const timing = await timed(async () => {
      await work(counted.store);
    });
    return { ...timing, calls: counted.calls };
  };
  const { redriven, projected } = await interleaved(repetitions, {
    redriven: () => run((store) => redriveRecords(records, { graph: fullModel, store })),
    projected: () => run((store) => createProjector(fullModel, { store }).project(records)),
  });
  const seconds = (runs: typeof redriven): number[] => runs.map((one) => one.seconds);
  const perSecond = (runs: typeof redriven): Spread => spread(seconds(runs).map((one) => SPEED_RECORDS / one));
  return {
    name: 'redrive-speed',
    title: `${SPEED_RECORDS.toLocaleString('en-US')} records that nothing is projected of, redriven and projected, ${ANSWER_MS} ms a call`,
    figures: [
      figure('calls for a record, redriven', redriven[0]!.calls / SPEED_RECORDS, 'calls'),
      figure('calls for a record, projected', projected[0]!.calls / SPEED_RECORDS, 'calls'),
      figure('redriven', perSecond(redriven), 'records/s'),
      figure('projected', perSecond(projected), 'records/s'),
      figure('seconds of a redrive against projecting', ratios(seconds(redriven), seconds(projected)), 'x'),
    ],
  };
}

async function redriven(size: number): Promise<Report> {
  const edges = newEdges(size);
  const records = edges.map(inserted);
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-redrive-'));
  try {
    const file = join(folder, 'batch.json');
    const text = JSON.stringify({ Records: records });
    await writeFile(file, text);
    return await withFreshTable(fullModel, edges, async ({ endpoint, store }) => {
      const first = await inOwnProcess(endpoint, file);
      const again = await inOwnProcess(endpoint, file);
      const { drift } = await check(fullModel, { store, graceMs: 0 });
      const wrong = drift.missing + drift.stale + drift.orphan;
      for (const { repaired, left } of [first, again]) {
        if (repaired !== size || left > 0) throw new Error(`${repaired} of ${size} records are settled`);
      }
      if (wrong > 0) throw new Error(`after the redrive ${wrong} items are wrong`);
      const kilobytes = Math.round(Buffer.byteLength(text) / 1000);
      return {
        name: 'redrive-records',
        title: `a redrive of ${size.toLocaleString('en-US')} records, ${kilobytes.toLocaleString('en-US')} KB as JSON (dynoxide)`,
        figures: [...figures('nothing projected', first), ...figures('all of it right', again)],
      };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function inserted(NewImage: Item, i: number): RawRecord {
  const { source, target } = NewImage;
  const Keys = { source: source!, target: target! };
  const SequenceNumber = String(i + 1).padStart(21, '0');
  return {
    eventName: 'INSERT',
    dynamodb: { Keys, NewImage, SequenceNumber, ApproximateCreationDateTime: 1_767_225_600 },
  };
}

async function inOwnProcess(endpoint: string, file: string): Promise<Seen> {
  const child = fileURLToPath(new URL('support/redrive-child.js', import.meta.url));
  const args = [`--max-old-space-size=${HEAP_MB}`, child, endpoint, file];
  return JSON.parse((await promisify(execFile)(process.execPath, args, { timeout: MOST_MS })).stdout) as Seen;
}

function figures(what: string, { writes, wcu, rcu, seconds, cpuSeconds, megabytes }: Seen): Figure[] {
  return [
    figure(`${what}: CPU`, cpuSeconds, 's'),
    figure(`${what}: in all`, seconds, 's'),
    figure(`${what}: writes`, writes, 'writes'),
    figure(`${what}: write capacity`, wcu, 'WCU'),
    figure(`${what}: read capacity`, rcu, 'RCU'),
    varying(MEMORY_VARIES, figure(`${what}: peak memory`, Math.round(megabytes), 'MB', atMost(FUNCTION_MB))),
  ];
}
