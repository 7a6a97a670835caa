import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { VIEW_KEY } from '../src/core/items/keys.ts';
import { projectedGoals } from './support/corruption.ts';
import { derivedItems } from './support/derived.ts';
import { sizeOf } from './support/extent.ts';
import { edgeImage, type Item } from './support/images.ts';
import { fullModel } from './support/models.ts';
import { MEMORY_VARIES, type Report } from './support/report.ts';
import { type FreshTable, load, withFreshTable } from './support/table.ts';

/** The check's memory doesn't grow with the table or a partition. */

/** A goal and its user have so many, with derived ones. */
const ITEMS_OF_A_GOAL = 12;
const SIZES = sizeOf({ whole: [70_000, 210_000], short: [240, 720] });
const HUB_EDGES = sizeOf({ whole: 60_000, short: 400 });
const GOALS_AT_ONCE = 2_000;
const MOST_GROWTH = 1.3;
/** The child's largest heap. A check whose memory grew with the table wouldn't end. */
const MOST_HEAP_MB = 96;

export interface Seen {
  items: number;
  wrong: number;
  megabytes: number;
}

/** Loads without a stream, and checks in a process. */
export async function checkMemory(): Promise<Report[]> {
  const seen: Seen[] = [];
  for (const size of SIZES) {
    seen.push(
      await withFreshTable(fullModel, [], async ({ store, endpoint }) => {
        const goals = Math.round(size / ITEMS_OF_A_GOAL);
        for (let first = 0; first < goals; first += GOALS_AT_ONCE) {
          await load(store, projectedGoals(fullModel, Math.min(GOALS_AT_ONCE, goals - first), first));
        }
        return await checked(endpoint, 'full');
      }),
    );
  }
  const [small, large] = seen as [Seen, Seen];
  return [
    {
      name: 'check-memory',
      title: 'peak memory of a process that checks a table (dynoxide)',
      figures: [
        figure('small table', small),
        figure('large table', large),
        {
          name: 'large against small',
          value: large.megabytes / small.megabytes,
          unit: 'x',
          varies: MEMORY_VARIES,
          target: { kind: 'at-most', value: MOST_GROWTH },
        },
      ],
    },
  ];
}

/** Checks one partition with very many edges. */
export async function checkHubMemory(): Promise<Report[]> {
  const hub = await withFreshTable(fullModel, [], async (table) => {
    await loadHub(table);
    return await checked(table.endpoint, 'full', 'GOAL-HUB');
  });
  const title = 'peak memory of a process that checks a hub (dynoxide)';
  return [{ name: 'check-hub-memory', title, figures: [figure('one partition', hub)] }];
}

function figure(name: string, { megabytes, items, wrong }: Seen) {
  if (wrong > 0) throw new Error(`the check found ${wrong} items wrong`);
  return {
    name: `${name} (${items.toLocaleString('en-US')} items)`,
    value: Math.round(megabytes),
    unit: 'MB',
    varies: MEMORY_VARIES,
  };
}

/** Its type has left the edge set. */
async function loadHub({ store }: FreshTable): Promise<void> {
  const source = 'GOAL-HUB';
  let view: Item | undefined;
  for (let first = 0; first < HUB_EDGES; first += GOALS_AT_ONCE) {
    const edges = Array.from({ length: GOALS_AT_ONCE }, (_, i) =>
      edgeImage({ source, target: `USER-U${first + i}`, version: 1, role: 'LEAD', date: '2026-03-01' }),
    );
    const derived = derivedItems(fullModel, edges);
    view = derived.find(({ target }) => 'S' in target! && target.S === VIEW_KEY);
    await load(store, [...edges, ...derived.filter((item) => item !== view)]);
  }
  const { edgeSet: _, ...rest } = view!;
  await store.put({ ...rest, evicted: { SS: ['GOALMEMBERSHIP'] } });
}

/** Checks a table, or some partitions, in a process whose heap is bounded: unbounded, it grows until the first full collection. */
export async function checked(endpoint: string, model: 'full' | 'copies', ...sources: string[]): Promise<Seen> {
  const child = fileURLToPath(new URL('support/check-child.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    `--max-old-space-size=${MOST_HEAP_MB}`,
    child,
    endpoint,
    model,
    ...sources,
  ]);
  return JSON.parse(stdout) as Seen;
}
