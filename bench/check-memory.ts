import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { VIEW_KEY } from '../src/core/items/keys.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import type { Store } from '../src/core/store-port.ts';
import { projectedGoals } from './support/corruption.ts';
import { derivedItems } from './support/derived.ts';
import { sizeOf } from './support/extent.ts';
import { edgeImage, type Item } from './support/images.ts';
import { fullModel } from './support/models.ts';
import { atMost, type Figure, figure, MEMORY_VARIES, type Report, varying } from './support/report.ts';
import { keyOf, load, withFreshTable } from './support/table.ts';

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
        memoryFigure('small table', small),
        memoryFigure('large table', large),
        varying(
          MEMORY_VARIES,
          figure('large against small', large.megabytes / small.megabytes, 'x', atMost(MOST_GROWTH)),
        ),
      ],
    },
  ];
}

/** Checks one partition with very many edges. */
export async function checkHubMemory(): Promise<Report[]> {
  const hub = await withFreshTable(fullModel, [], async ({ store, endpoint }) => {
    await loadEvicted(fullModel, store, 'GOALMEMBERSHIP', hubEdges());
    return await checked(endpoint, 'full', 'GOAL-HUB');
  });
  const title = 'peak memory of a process that checks a hub (dynoxide)';
  return [{ name: 'check-hub-memory', title, figures: [memoryFigure('one partition', hub)] }];
}

export function memoryFigure(name: string, { megabytes, items, wrong }: Seen, most?: number): Figure {
  if (wrong > 0) throw new Error(`the check found ${wrong} items wrong`);
  const title = `${name} (${items.toLocaleString('en-US')} items)`;
  const target = most === undefined ? undefined : atMost(most);
  return varying(MEMORY_VARIES, figure(title, Math.round(megabytes), 'MB', target));
}

function* hubEdges(): Generator<Item[]> {
  for (let first = 0; first < HUB_EDGES; first += GOALS_AT_ONCE) {
    const ends = Array.from({ length: GOALS_AT_ONCE }, (_, i) => ({
      source: 'GOAL-HUB',
      target: `USER-U${first + i}`,
    }));
    yield ends.map((one) => edgeImage({ ...one, version: 1, role: 'LEAD', date: '2026-03-01' }));
  }
}

/** Edges of one node, whose type has left the edge set. */
export async function loadEvicted(
  graph: CompiledModel,
  store: Store,
  type: string,
  batches: Iterable<Item[]>,
): Promise<void> {
  let view: Item | undefined;
  for (const edges of batches) {
    const derived = derivedItems(graph, edges);
    view = derived.find((item) => keyOf(item).target === VIEW_KEY);
    await load(store, [...edges, ...derived.filter((item) => item !== view)]);
  }
  const { edgeSet: _, ...rest } = view!;
  await store.put({ ...rest, evicted: { SS: [type] } });
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
