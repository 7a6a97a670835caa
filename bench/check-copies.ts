import { check } from '../src/trust/check/check.ts';
import { OF_EACH_KIND, plantedCorruption } from './check.ts';
import { checked, type Seen } from './check-memory.ts';
import {
  authorImage,
  COPY_KINDS,
  corruptCopy,
  driveFanOuts,
  projectedBooks,
  wroteImage,
} from './support/copy-corruption.ts';
import { derivedItems } from './support/derived.ts';
import { sizeOf } from './support/extent.ts';
import type { Item } from './support/images.ts';
import { copyModel } from './support/models.ts';
import { MEMORY_VARIES, type Report } from './support/report.ts';
import { type FreshTable, load, scanTable, withFreshTable } from './support/table.ts';

/** The check of copies: completeness, cost, and memory for hubs. */

const BOOKS = OF_EACH_KIND * COPY_KINDS.length + sizeOf({ whole: 2_000, short: 100 });
const AT_ONCE = sizeOf({ whole: 10_000, short: 100 });
const HUB_EDGES = 6 * AT_ONCE;
const MOST_MEGABYTES = 400;

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
  let scanRcu = 0;
  let startKey: Item | undefined;
  do {
    const page = await store.scan({ segment: 0, segments: 1, startKey });
    scanRcu += page.rcu;
    startKey = page.lastKey;
  } while (startKey !== undefined);
  const started = performance.now();
  const { rcu } = await check(copyModel, { store });
  const seconds = (performance.now() - started) / 1000;
  return {
    name: 'check-copies-cost',
    title: `a clean table of ${items.size.toLocaleString('en-US')} items, ${edges.toLocaleString('en-US')} edges that copy (dynoxide)`,
    figures: [
      { name: 'read capacity of the scan', value: scanRcu, unit: 'RCU' },
      { name: 'read capacity of the check', value: rcu, unit: 'RCU' },
      {
        name: 'look-ups for each edge',
        value: (rcu - scanRcu) / edges,
        unit: 'RCU',
        target: { kind: 'at-most', value: 2 },
      },
      { name: 'check', value: items.size / seconds, unit: 'items/s' },
    ],
  };
}

/** A book without edge set and an author, both with very many edges. */
export async function checkCopiesMemory(): Promise<Report[]> {
  const child = await withFreshTable(copyModel, [], async ({ store, endpoint }) => {
    let view: Item | undefined;
    for (let first = 0; first < HUB_EDGES; first += AT_ONCE) {
      const edges = numbers(first).map((n) => wroteImage('BOOK-HUB', `AUTHOR-${n}`));
      const derived = derivedItems(copyModel, edges);
      view = derived.find((item) => 'S' in item['target']! && item['target'].S === '~view');
      await load(store, [...edges, ...derived.filter((item) => item !== view)]);
    }
    const { edgeSet: _, ...rest } = view!;
    await store.put({ ...rest, evicted: { SS: ['WROTE'] } });
    return await checked(endpoint, 'copies', 'BOOK-HUB');
  });
  const parent = await withFreshTable(copyModel, [], async ({ store, endpoint }) => {
    const hub = authorImage('AUTHOR-HUB');
    for (let first = 0; first < HUB_EDGES; first += AT_ONCE) {
      const edges = numbers(first).map((n) => wroteImage(`BOOK-${n}`, 'AUTHOR-HUB'));
      // Of the books only the hub's partition is checked.
      const derived = derivedItems(copyModel, [hub, ...edges]);
      await load(store, [hub, ...edges, ...derived]);
    }
    return await checked(endpoint, 'copies', 'AUTHOR-HUB');
  });
  for (const { wrong } of [child, parent]) if (wrong > 0) throw new Error(`the check found ${wrong} items wrong`);
  const figure = (name: string, { megabytes, items }: Seen) => ({
    name: `${name} (${items.toLocaleString('en-US')} items)`,
    value: Math.round(megabytes),
    unit: 'MB',
    varies: MEMORY_VARIES,
    target: { kind: 'at-most', value: MOST_MEGABYTES } as const,
  });
  return [
    {
      name: 'check-copies-memory',
      title: 'peak memory of a process that checks one partition of a hub (dynoxide)',
      figures: [figure('edges that copy', child), figure('reverse items', parent)],
    },
  ];
}

function numbers(first: number): number[] {
  return Array.from({ length: AT_ONCE }, (_, i) => first + i);
}
