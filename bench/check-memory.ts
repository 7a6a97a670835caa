import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { projectedGoals } from './support/corruption.ts';
import { sizeOf } from './support/extent.ts';
import { fullModel } from './support/models.ts';
import { atMost, type Figure, figure, MEMORY_VARIES, type Report, varying } from './support/report.ts';
import { load, withFreshTable } from './support/table.ts';

/** Shows that the check's memory doesn't grow with the table. */

/** Items of a goal and its user, including derived ones. */
const ITEMS_OF_A_GOAL = 12;
const SIZES = sizeOf({ whole: [70_000, 210_000], short: [240, 720] });
const GOALS_AT_ONCE = 2_000;
const MOST_GROWTH = 1.3;
const MOST_HEAP_MB = 96;

interface Seen {
  items: number;
  wrong: number;
  megabytes: number;
}

export async function checkMemory(): Promise<Report[]> {
  const seen: Seen[] = [];
  for (const size of SIZES) {
    seen.push(
      await withFreshTable(fullModel, [], async ({ store, endpoint }) => {
        const goals = Math.round(size / ITEMS_OF_A_GOAL);
        for (let first = 0; first < goals; first += GOALS_AT_ONCE) {
          await load(store, projectedGoals(fullModel, Math.min(GOALS_AT_ONCE, goals - first), first));
        }
        return await checked(endpoint);
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

function memoryFigure(name: string, { megabytes, items, wrong }: Seen): Figure {
  if (wrong > 0) throw new Error(`the check found ${wrong} items wrong`);
  return varying(
    MEMORY_VARIES,
    figure(`${name} (${items.toLocaleString('en-US')} items)`, Math.round(megabytes), 'MB'),
  );
}

/** Limits the heap, because an unlimited heap grows until the first full collection. */
async function checked(endpoint: string): Promise<Seen> {
  const child = fileURLToPath(new URL('support/check-child.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    `--max-old-space-size=${MOST_HEAP_MB}`,
    child,
    endpoint,
  ]);
  return JSON.parse(stdout) as Seen;
}
