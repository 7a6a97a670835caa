import { check } from '../src/trust/check/check.ts';
import { OF_EACH_KIND, plantedCorruption } from './check.ts';
import { COPY_KINDS, corruptCopy, driveFanOuts, projectedBooks } from './support/copy-corruption.ts';
import { sizeOf } from './support/extent.ts';
import { copyModel } from './support/models.ts';
import { atMost, figure, type Report } from './support/report.ts';
import { type FreshTable, scanned, scanTable, withFreshTable } from './support/table.ts';

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
