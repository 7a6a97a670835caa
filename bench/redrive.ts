import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { check } from '../src/check/check.ts';
import type { RawRecord } from '../src/stream/decode.ts';
import { edgeImage, type Item } from './support/images.ts';
import { fullModel } from './support/models.ts';
import type { Figure, Report } from './support/report.ts';
import { withFreshTable } from './support/table.ts';

/** A redrive of a failed batch: what it costs where nothing of it is projected, and once more where all of it is right. */

const EDGES_OF_A_GOAL = 20;
/** MB of the heap, so that a function of 512 MB has room for the rest of the process. */
const HEAP_MB = 384;
const FUNCTION_MB = 512;
/** The child goes on trying where the engine is gone with the benchmark. */
const MOST_MS = 150_000;

/** What a process that redrives a batch came to. */
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

/** Redrives 4,000 new edges, twice, each time in a process of its own. */
export async function redrive(): Promise<Report[]> {
  return [await redriven(4_000)];
}

/** The same with 10,000: as many as a batch of Lambda may have. */
export async function redriveLarge(): Promise<Report[]> {
  return [await redriven(10_000)];
}

async function redriven(size: number): Promise<Report> {
  const edges = Array.from({ length: size }, (_, i) =>
    edgeImage({
      source: `GOAL-${i % (size / EDGES_OF_A_GOAL)}`,
      target: `USER-${i}`,
      version: 1,
      role: 'LEAD',
      date: '2026-03-01',
    }),
  );
  const records = edges.map(inserted);
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-redrive-'));
  try {
    const file = join(folder, 'batch.json');
    const text = JSON.stringify({ Records: records });
    await writeFile(file, text);
    return await withFreshTable(fullModel, edges, async ({ endpoint, store }) => {
      const first = await inOwnProcess(endpoint, file);
      const again = await inOwnProcess(endpoint, file);
      const { drift } = await check({ graph: fullModel, store, settleMs: 0 });
      const wrong = drift.missing + drift.stale + drift.orphan;
      for (const { repaired, left } of [first, again]) {
        if (repaired !== size || left > 0) throw new Error(`${repaired} of ${size} records are settled`);
      }
      if (wrong > 0) throw new Error(`after the redrive ${wrong} items are wrong`);
      const kilobytes = Math.round(Buffer.byteLength(text) / 1000);
      return {
        name: `redrive-${size}`,
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
    { name: `${what}: CPU`, value: cpuSeconds, unit: 's' },
    { name: `${what}: in all`, value: seconds, unit: 's' },
    { name: `${what}: writes`, value: writes, unit: 'writes' },
    { name: `${what}: write capacity`, value: wcu, unit: 'WCU' },
    { name: `${what}: read capacity`, value: rcu, unit: 'RCU' },
    {
      name: `${what}: peak memory`,
      value: Math.round(megabytes),
      unit: 'MB',
      target: { kind: 'at-most', value: FUNCTION_MB },
    },
  ];
}
