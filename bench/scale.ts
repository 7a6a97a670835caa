import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import { node } from '../src/core/model/schema.ts';
import { decideMigration, walkShare } from '../src/migrate/divided/divided.ts';
import { MeteredStore } from '../src/store/metered.ts';
import { MemoryStore } from '../test/support/memory-store/memory-store.ts';
import { derivedItems } from './support/derived.ts';
import { sizeOf } from './support/extent.ts';
import { answeringLate } from './support/late-table.ts';
import { managed } from './support/managed.ts';
import { type Person, personImage } from './support/people.ts';
import type { Figure, Report } from './support/report.ts';

/**
 * A walk of a migration by 1 to 8 workers at once, each with few write units a second. The table is in this process and answers after
 * some milliseconds, so that neither an engine nor the number of cores decides.
 */

/** As many for each worker: a worker begins with a second's units, which would count more where there are more workers. */
const NODES_A_WORKER = sizeOf({ whole: 400, short: 100 });
const WORKERS = [1, 2, 4, 8] as const;
/** Write units a second of a worker. */
const WORKER_WCU = 100;
const SEGMENTS_A_WORKER = 8;
const ANSWER_MS = 3;
const LEAST_SCALING = 6;

const before = defineGraph({ table: 'bench', nodes: { PERSON: node() }, edges: {} });
const after = defineGraph({ table: 'bench', nodes: { PERSON: node({ search: { name: { shards: 8 } } }) }, edges: {} });

/** Builds a search with different numbers of workers. */
export async function scale(): Promise<Report[]> {
  const figures: Figure[] = [];
  let one = 0;
  let units = 0;
  for (const workers of WORKERS) {
    const { seconds, wcu } = await built(workers);
    const nodes = NODES_A_WORKER * workers;
    const rate = nodes / seconds;
    if (workers === 1) one = rate;
    units = wcu / nodes;
    figures.push({ name: `nodes a second, workers: ${workers}`, value: rate, unit: 'nodes/s' });
  }
  const scaling = (figures.at(-1)!.value as number) / one;
  return [
    {
      name: 'scale',
      title: `a search built for ${NODES_A_WORKER.toLocaleString('en-US')} nodes a worker, by workers of ${WORKER_WCU} WCU a second each`,
      figures: [
        ...figures,
        { name: 'write capacity of a node', value: units, unit: 'WCU' },
        {
          name: '8 workers against 1',
          ...{ value: scaling, unit: 'x', varies: 0.25, target: { kind: 'at-least', value: LEAST_SCALING } },
        },
      ],
    },
  ];
}

/** The seconds and write units of the first walk, which builds. */
async function built(workers: number): Promise<{ seconds: number; wcu: number }> {
  const store = await tableOf(NODES_A_WORKER * workers);
  const options = { graph: after, store: answeringLate(store, ANSWER_MS).store, wait: async () => undefined };
  for (;;) {
    const { shares } = await decideMigration(options, { shares: workers, segmentsOfShare: SEGMENTS_A_WORKER });
    if (shares.length === 0) continue;
    const start = performance.now();
    const metered = shares.map(() => new MeteredStore(options.store, { maxWcu: WORKER_WCU }));
    await Promise.all(
      shares.map(async (share, i) => {
        while (!(await walkShare({ ...options, store: metered[i]! }, share)).isDone);
      }),
    );
    const seconds = (performance.now() - start) / 1000;
    return { seconds, wcu: metered.reduce((sum, { wcu }) => sum + wcu, 0) };
  }
}

async function tableOf(nodes: number): Promise<MemoryStore> {
  const { graph, store: registry } = await managed(before, 'registered');
  const base = Array.from({ length: nodes }, (_, i) => {
    const person: Person = { name: `name ${i}`, city: 'city', change: 1 };
    return personImage(i, person);
  });
  const store = new MemoryStore(after.table, { indexes: ['gsi0'] });
  for (const item of [...registry.items(), ...base, ...derivedItems(graph, base)]) await store.put(item);
  return store;
}
