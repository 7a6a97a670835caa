import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { edge, node } from '../src/core/model/schema.ts';
import { decideMigration, walkShare } from '../src/migrate/divided/divided.ts';
import { MeteredStore } from '../src/store/metered.ts';
import type { MemoryStore } from '../test/support/memory-store/memory-store.ts';
import { derivedItems } from './support/derived.ts';
import { sizeOf } from './support/extent.ts';
import { answeringLate } from './support/late-table.ts';
import { managed } from './support/managed.ts';
import { type Person, personImage } from './support/people.ts';
import { memoryTable } from './support/projecting.ts';
import { atLeast, type Figure, figure, type Report, varying } from './support/report.ts';

/**
 * Measures a migration's walk by 1 to 8 workers with few WCU each, and the units per item. The table is in this process
 * and answers late, so that neither the engine nor the number of cores limits the speed.
 */

/** Each worker adds nodes to the table, because it begins with the units of one second. */
const NODES_A_WORKER = sizeOf({ whole: 400, short: 100 });
const UNITS_ITEMS = sizeOf({ whole: 4_000, short: 100 });
const WORKERS = [1, 2, 4, 8] as const;
const WORKER_WCU = 100;
const SEGMENTS_A_WORKER = 8;
const ANSWER_MS = 3;
const LEAST_SCALING = 6;

const before = defineGraph({ table: 'bench', nodes: { PERSON: node() }, edges: {} });
const after = defineGraph({ table: 'bench', nodes: { PERSON: node({ search: { name: { shards: 8 } } }) }, edges: {} });

function clubs(orders: { gsi0: string; gsi1?: string }) {
  const nodes = { PERSON: node(), CLUB: node() };
  return defineGraph({
    ...{ table: 'bench', nodes },
    edges: { MEMBER: edge({ from: 'PERSON', to: 'CLUB', inbound: { orders } }) },
  });
}

const [ordered, reordered] = [clubs({ gsi0: 'since' }), clubs({ gsi0: 'since', gsi1: 'rank' })];

export async function scale(): Promise<Report[]> {
  const figures: Figure[] = [];
  let one = 0;
  for (const workers of WORKERS) {
    const rate = (NODES_A_WORKER * workers) / (await built(workers));
    if (workers === 1) one = rate;
    figures.push(figure(`nodes a second, workers: ${workers}`, rate, 'nodes/s'));
  }
  const search = await unitsOf(await tableOf(UNITS_ITEMS), after);
  const order = await unitsOf(await edgesOf(UNITS_ITEMS), reordered);
  const scaling = (figures.at(-1)!.value as number) / one;
  return [
    {
      name: 'scale',
      title: `a search built for ${NODES_A_WORKER.toLocaleString('en-US')} nodes a worker, by workers of ${WORKER_WCU} WCU a second each`,
      figures: [
        ...figures,
        figure('a new search: read capacity of an item', search.rcu, 'RCU'),
        figure('a new search: write capacity of an item', search.wcu, 'WCU'),
        figure('a second order: read capacity of an item', order.rcu, 'RCU'),
        figure('a second order: write capacity of an item', order.wcu, 'WCU'),
        varying(0.25, figure('8 workers against 1', scaling, 'x', atLeast(LEAST_SCALING))),
      ],
    },
  ];
}

async function built(workers: number): Promise<number> {
  const store = await tableOf(NODES_A_WORKER * workers);
  const options = { graph: after, store: answeringLate(store, ANSWER_MS).store, wait: async () => undefined };
  for (;;) {
    const { shares } = await decideMigration(options, { shares: workers, segmentsOfShare: SEGMENTS_A_WORKER });
    if (shares.length === 0) continue;
    const start = performance.now();
    await Promise.all(
      shares.map(async (share) => {
        while (!(await walkShare({ ...options, maxWcu: WORKER_WCU }, share)).isDone);
      }),
    );
    return (performance.now() - start) / 1000;
  }
}

/** Adds up all walks: those that build, and those that verify the table and the indexes. */
async function unitsOf(table: MemoryStore, graph: CompiledModel): Promise<{ rcu: number; wcu: number }> {
  const store = new MeteredStore(table);
  const options = { graph, store, wait: async () => undefined };
  const division = { shares: 1, segmentsOfShare: SEGMENTS_A_WORKER };
  for (let walks = 0; ; ) {
    const { shares } = await decideMigration(options, division);
    if (shares.length === 0 && walks > 0) return { rcu: store.rcu / UNITS_ITEMS, wcu: store.wcu / UNITS_ITEMS };
    walks += shares.length;
    for (const share of shares) while (!(await walkShare(options, share)).isDone);
  }
}

async function edgesOf(edges: number): Promise<MemoryStore> {
  const { graph, store: registry } = await managed(ordered, 'registered');
  const base = Array.from({ length: edges }, (_, i) => ({
    ...{ source: { S: `PERSON-${i}` }, target: { S: `MEMBER-CLUB-${i % 10}` } },
    ...{ since: { S: `2020-${i}` }, rank: { S: String(i) } },
  }));
  const indexes = ['gsi0', 'gsi1'] as const;
  return await memoryTable({ table: reordered.table, indexes }, registry.items(), base, derivedItems(graph, base));
}

async function tableOf(nodes: number): Promise<MemoryStore> {
  const { graph, store: registry } = await managed(before, 'registered');
  const base = Array.from({ length: nodes }, (_, i) => {
    const person: Person = { name: `name ${i}`, city: 'city', change: 1 };
    return personImage(i, person);
  });
  const indexes = ['gsi0'] as const;
  return await memoryTable({ table: after.table, indexes }, registry.items(), base, derivedItems(graph, base));
}
