import { check } from '../src/trust/check/check.ts';
import { OF_EACH_KIND, plantedCorruption } from './check.ts';
import { checked, loadEvicted, memoryFigure } from './check-memory.ts';
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
import { atMost, figure, type Report } from './support/report.ts';
import { type FreshTable, load, scanned, scanTable, withFreshTable } from './support/table.ts';

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
  const { rcu: scanRcu } = await scanned(store, 1);
  const started = performance.now();
  const { rcu } = await check(copyModel, { store });
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

/** A book without edge set and an author, both with very many edges. */
export async function checkCopiesMemory(): Promise<Report[]> {
  const child = await withFreshTable(copyModel, [], async ({ store, endpoint }) => {
    const edgesOf = (first: number) => numbers(first).map((n) => wroteImage('BOOK-HUB', `AUTHOR-${n}`));
    await loadEvicted(copyModel, store, 'WROTE', batchesOf(edgesOf));
    return await checked(endpoint, 'copies', 'BOOK-HUB');
  });
  const parent = await withFreshTable(copyModel, [], async ({ store, endpoint }) => {
    const hub = authorImage('AUTHOR-HUB');
    for (const edges of batchesOf((first) => numbers(first).map((n) => wroteImage(`BOOK-${n}`, 'AUTHOR-HUB')))) {
      // Of the books only the hub's partition is checked.
      await load(store, [hub, ...edges, ...derivedItems(copyModel, [hub, ...edges])]);
    }
    return await checked(endpoint, 'copies', 'AUTHOR-HUB');
  });
  return [
    {
      name: 'check-copies-memory',
      title: 'peak memory of a process that checks one partition of a hub (dynoxide)',
      figures: [
        memoryFigure('edges that copy', child, MOST_MEGABYTES),
        memoryFigure('reverse items', parent, MOST_MEGABYTES),
      ],
    },
  ];
}

function* batchesOf(edgesFrom: (first: number) => Item[]): Generator<Item[]> {
  for (let first = 0; first < HUB_EDGES; first += AT_ONCE) yield edgesFrom(first);
}

function numbers(first: number): number[] {
  return Array.from({ length: AT_ONCE }, (_, i) => first + i);
}
