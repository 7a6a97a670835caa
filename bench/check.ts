import pMap from 'p-map';
import { canonicalText, type Item } from '../src/core/items/attribute-value.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { VERDICT_NAMES, VERDICTS } from '../src/core/verdicts.ts';
import type { DynamoDBStore } from '../src/store/dynamodb.ts';
import { check as runCheck } from '../src/trust/check/check.ts';
import type { Finding } from '../src/trust/check/finding.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { COPY_KINDS, corruptCopy, driveFanOuts, projectedBooks } from './support/copy-corruption.ts';
import { corrupt, goalOf, KINDS, projectedGoals } from './support/corruption.ts';
import { sizeOf } from './support/extent.ts';
import { copyModel, fullModel } from './support/models.ts';
import { interleaved, ratios, timed } from './support/paired.ts';
import { atLeast, atMost, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { type FreshTable, scanned, scanTable, withFreshTable } from './support/table.ts';

const REPETITIONS = 5;
const OF_EACH_KIND = sizeOf({ whole: 1_000, short: 20 });
const WHOLE = sizeOf({ whole: 500, short: 50 });
const CLEAN = sizeOf({ whole: 6_000, short: 300 });
const SEGMENTS = 8;
const LEAST_SPEED = 0.7;
const MOST_RCU = 1.01;
const MENDED = new Set<string>(VERDICT_NAMES.filter((verdict) => VERDICTS[verdict].isRepaired));

export async function check({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  return await withFreshTable(fullModel, projectedGoals(fullModel, CLEAN), async (table) => [
    await speed(table, repetitions),
  ]);
}

export async function checkCorruption(): Promise<Report[]> {
  const goals = OF_EACH_KIND * KINDS.length + WHOLE;
  return await withFreshTable(fullModel, projectedGoals(fullModel, goals), async (table) => [
    await plantedCorruption(table, {
      ...{ name: 'check-corruption', graph: fullModel, kinds: KINDS.length },
      plant: async (store, goal) => `${goalOf(goal)} ${await corrupt(store, goal)}`,
    }),
  ]);
}

interface Planting {
  name: string;
  graph: CompiledModel;
  kinds: number;
  /** Corrupts one derived item, of the kind `number` modulo the number of kinds. Returns its `source target`. */
  plant: (store: DynamoDBStore, number: number) => Promise<string>;
  afterRepair?: (store: DynamoDBStore) => Promise<void>;
}

async function plantedCorruption(
  { client, store }: FreshTable,
  { name, graph, kinds, plant, afterRepair }: Planting,
): Promise<Report> {
  const before = await scanTable(client, graph);
  const planted = new Set<string>();
  const numbers = Array.from({ length: OF_EACH_KIND * kinds }, (_, i) => i);
  await pMap(numbers, async (number) => planted.add(await plant(store, number)), { concurrency: 16 });
  const found = await driftOf(store, graph, {});
  const repair = await driftOf(store, graph, { mode: 'repair' });
  await afterRepair?.(store);
  const left = await driftOf(store, graph, {});
  const after = await scanTable(client, graph);
  const hit = [...found.keys].filter((key) => planted.has(key)).length;
  return {
    name,
    title: `${kinds} kinds of corruption, ${OF_EACH_KIND.toLocaleString('en-US')} of each, in ${before.size.toLocaleString('en-US')} items (dynoxide)`,
    figures: [
      figure('planted and found', hit / planted.size, 'share', atLeast(1)),
      figure('found and not planted', found.keys.size - hit, 'items', atMost(0)),
      figure('repaired', (repair.repaired + repair.maintenance) / planted.size, 'share', atLeast(1)),
      figure('left after repair', left.keys.size, 'items', atMost(0)),
      figure('wrong after repair', wrongAfter(before, after, planted), 'items', atMost(0)),
      figure('others touched', touched(before, after, planted), 'items', atMost(0)),
      figure('read capacity of the repair', repair.rcu, 'RCU'),
      figure('write capacity of the repair', repair.wcu, 'WCU'),
    ],
  };
}

async function driftOf(store: DynamoDBStore, graph: CompiledModel, options: { mode?: 'repair' }) {
  const keys = new Set<string>();
  const result = await runCheck(graph, {
    ...{ store, graceMs: 0, segments: SEGMENTS, onFinding: notingIn(keys) },
    ...options,
  });
  return { ...result, keys };
}

function notingIn(keys: Set<string>) {
  return ({ source, target, verdict }: Finding): void => {
    if (MENDED.has(verdict)) keys.add(`${source} ${target}`);
  };
}

/** Ignores protocol stamps, and treats a tombstone as absence. */
function wrongAfter(
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
  planted: ReadonlySet<string>,
): number {
  return [...planted].filter((key) => contents(before.get(key)) !== contents(after.get(key))).length;
}

function contents(item: Item | undefined): string {
  const { source: _s, target: _t, r: _r, model: _m, expiresAt: _e, ...rest } = item ?? {};
  return canonicalText({ M: rest });
}

function touched(
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
  planted: ReadonlySet<string>,
): number {
  const keys = new Set([...before.keys(), ...after.keys()]);
  const text = (item: Item | undefined): string => (item === undefined ? '' : canonicalText({ M: item }));
  return [...keys].filter((key) => !planted.has(key) && text(before.get(key)) !== text(after.get(key))).length;
}

async function speed({ store }: FreshTable, repetitions: number): Promise<Report> {
  let items = 0;
  let scanRcu = 0;
  let checkRcu = 0;
  const scan = async (): Promise<number> => {
    const { seconds } = await timed(async () => {
      ({ items, rcu: scanRcu } = await scanned(store, SEGMENTS));
    });
    return items / seconds;
  };
  const checked = async (): Promise<number> => {
    let count = 0;
    const { seconds } = await timed(async () => {
      const { baseItems, derivedItems, rcu, drift } = await runCheck(fullModel, { store, segments: SEGMENTS });
      if (drift.missing + drift.stale + drift.orphan > 0) throw new Error('the fixture is not clean');
      count = baseItems + derivedItems;
      checkRcu = rcu;
    });
    return count / seconds;
  };
  const runs = await interleaved(repetitions, { scan, checked }, { warmUps: 1 });
  return {
    name: 'check-speed',
    title: `a clean table of ${items.toLocaleString('en-US')} items, ${SEGMENTS} segments (dynoxide)`,
    figures: [
      figure('bare scan', spread(runs.scan), 'items/s'),
      figure('check', spread(runs.checked), 'items/s'),
      figure('check against the scan', ratios(runs.checked, runs.scan), 'x', atLeast(LEAST_SPEED)),
      figure('read capacity of the scan', scanRcu, 'RCU'),
      figure('read capacity against the scan', checkRcu / scanRcu, 'x', atMost(MOST_RCU)),
    ],
  };
}

const BOOKS = OF_EACH_KIND * COPY_KINDS.length + sizeOf({ whole: 2_000, short: 100 });

export async function checkCopies(): Promise<Report[]> {
  const [cost, corruption] = await withFreshTable(copyModel, projectedBooks(BOOKS), async (table) => [
    await costOf(table),
    await plantedCorruption(table, {
      ...{ name: 'check-copies-corruption', graph: copyModel, kinds: COPY_KINDS.length, plant: corruptCopy },
      afterRepair: (store) => driveFanOuts(store, BOOKS),
    }),
  ]);
  return [cost!, corruption!];
}

async function costOf({ client, store }: FreshTable): Promise<Report> {
  const items = await scanTable(client, copyModel);
  const edges = [...items.keys()].filter((key) => key.includes(' WROTE-')).length;
  const { rcu: scanRcu } = await scanned(store, 1);
  const started = performance.now();
  const { rcu } = await runCheck(copyModel, { store });
  const seconds = (performance.now() - started) / 1000;
  return {
    name: 'check-copies-cost',
    title: `a clean table of ${items.size.toLocaleString('en-US')} items, ${edges.toLocaleString('en-US')} edges that copy (dynoxide)`,
    figures: [
      figure('read capacity of the scan', scanRcu, 'RCU'),
      figure('read capacity of the check', rcu, 'RCU'),
      figure('look-ups for each edge', (rcu - scanRcu) / edges, 'RCU', atMost(2)),
      figure('check', items.size / seconds, 'items/s'),
    ],
  };
}
