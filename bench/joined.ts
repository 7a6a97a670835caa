import type { ChangeRecord } from '../src/core/items/change-record.ts';
import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { date, edge, node, source } from '../src/core/model/schema.ts';
import type { Store } from '../src/core/store-port.ts';
import type { BatchResult } from '../src/projecting/apply/projector-types.ts';
import { sizeOf } from './support/extent.ts';
import type { Item } from './support/images.ts';
import { projecting } from './support/projecting.ts';
import { atMost, figure, type Report } from './support/report.ts';
import { itemKey, keyOf, withFreshTable } from './support/table.ts';

/**
 * Measures index items that use the edge's source: a change of the source, and an edge compared with an edge without
 * joined attributes.
 */

const DEGREES = sizeOf({ whole: [1, 10, 1_000], short: [1, 10] });
const EDGES = 100;
const LABEL = 'bench';
const TICKET = 'TICKET-1';

function ticketModel(table: string, inbound: NonNullable<Parameters<typeof edge>[0]['inbound']>) {
  const ends = { from: 'TICKET', to: 'PROJECT', edgeSet: false } as const;
  return defineGraph({
    table,
    nodes: { TICKET: node({ view: [] }), PROJECT: node() },
    edges: { IN: edge({ ...ends, inbound }) },
  });
}

const joined = ticketModel('joined', { orders: { gsi0: date(source('dueDate')) }, projectSource: ['title'] });
/** The same list, but producers copy the two attributes to the edge. */
const alone = ticketModel('alone', { orders: { gsi0: date('dueDate') }, project: ['title'] });

export async function joinedItems(): Promise<Report[]> {
  const reports: Report[] = [];
  for (const degree of DEGREES) reports.push(await changeOfNode(degree));
  return [...reports, await newEdges()];
}

/** `units` is the expected maximum per edge: one in the table, and in the index one, or two if the index key changes. */
const CHANGES = [
  { name: 'title changed', change: { title: { S: 'two' } }, units: 2 },
  { name: 'due date changed', change: { title: { S: 'two' }, dueDate: { S: '2026-04-01' } }, units: 3 },
  { name: 'changed and changed back: r alone', change: undefined, units: 2 },
];

async function changeOfNode(degree: number): Promise<Report> {
  return await withFreshTable(joined, [], async ({ store }) => {
    const stream = streamOf(joined, store);
    const before = await stream.put(ticket({ title: { S: 'one' }, dueDate: { S: '2026-03-01' } }));
    const edges = Array.from({ length: degree }, (_, i) => edgeTo(i, {}));
    await stream.project([before, ...(await stream.putAll(edges))]);
    const figures: Report['figures'] = [];
    for (const { name, change, units } of CHANGES) {
      const records: ChangeRecord[] = [];
      if (change === undefined) {
        const present = stream.image(TICKET);
        records.push(await stream.put(ticket({ title: { S: 'x' } })), await stream.put(present));
      } else records.push(await stream.put(ticket({ dueDate: { S: '2026-03-01' }, ...change })));
      const { writes, wcu, rcu } = await stream.project(records);
      // The node's view shows nothing, so all other writes are the continuation's.
      const pages = writes - degree;
      const bound = degree * units + pages;
      figures.push(
        figure(`${name}: writes for each edge`, (writes - pages) / degree, 'writes'),
        figure(`${name}: capacity`, wcu, 'WCU'),
        figure(`${name}: capacity by the bound of ${units} an edge`, wcu / bound, 'times', atMost(1.02)),
        figure(`${name}: reads for each edge`, rcu / degree, 'RCU'),
      );
    }
    return {
      name: 'joined',
      title: `a change of a node with ${degree.toLocaleString('en-US')} edges (dynoxide)`,
      figures,
    };
  });
}

async function newEdges(): Promise<Report> {
  const added = async (graph: CompiledModel, attributes: Item, perBatch: number): Promise<BatchResult> =>
    await withFreshTable(graph, [], async ({ store }) => {
      const stream = streamOf(graph, store);
      await stream.project([await stream.put(ticket({ title: { S: 'one' }, dueDate: { S: '2026-03-01' } }))]);
      const records = await stream.putAll(Array.from({ length: EDGES }, (_, i) => edgeTo(i, attributes)));
      let sum: BatchResult | undefined;
      for (let start = 0; start < EDGES; start += perBatch) {
        const result = await stream.project(records.slice(start, start + perBatch));
        sum = sum === undefined ? result : sumOf(sum, result);
      }
      return sum!;
    });
  const own = { title: { S: 'one' }, dueDate: { S: '2026-03-01' } };
  const figures: Report['figures'] = [];
  for (const perBatch of [1, EDGES]) {
    const byEdge = await added(alone, own, perBatch);
    const bySource = await added(joined, {}, perBatch);
    const name = perBatch === 1 ? 'one edge a batch' : `${EDGES} edges of a node in a batch`;
    figures.push(
      figure(`${name}, by the edge alone: for an edge`, byEdge.wcu / EDGES, 'WCU'),
      figure(`${name}, by the edge alone: for an edge`, byEdge.rcu / EDGES, 'RCU'),
      figure(`${name}, by its source: for an edge`, bySource.wcu / EDGES, 'WCU'),
      figure(`${name}, by its source: for an edge`, bySource.rcu / EDGES, 'RCU'),
      figure(`${name}: writes more`, bySource.writes - byEdge.writes, 'writes'),
    );
  }
  return { name: 'joined', title: 'edges added, by the edge alone and by its source (dynoxide)', figures };
}

function sumOf(sum: BatchResult, { writes, wcu, rcu }: BatchResult): BatchResult {
  return { ...sum, writes: sum.writes + writes, wcu: sum.wcu + wcu, rcu: sum.rcu + rcu };
}

function streamOf(graph: CompiledModel, store: Store) {
  const images = new Map<string, Item>();
  const project = projecting(graph, { store });
  let sequence = 0;
  const recordOf = (item: Item): ChangeRecord => {
    sequence += 1;
    const oldImage = images.get(itemKey(item));
    images.set(itemKey(item), item);
    const sequenceNumber = String(sequence);
    return { ...keyOf(item), oldImage, newImage: item, stream: LABEL, sequenceNumber };
  };
  return {
    image: (id: string) => images.get(`${id} ${id}`)!,
    put: async (item: Item): Promise<ChangeRecord> => {
      await store.put(item);
      return recordOf(item);
    },
    putAll: async (items: readonly Item[]): Promise<ChangeRecord[]> => {
      await store.writeMany(items.map((item) => ({ put: item })));
      return items.map(recordOf);
    },
    project: async (records: readonly ChangeRecord[]): Promise<BatchResult> => {
      let result = await project(records);
      for (;;) {
        const { item } = await store.get({ source: TICKET, target: '~more/#source/IN' }, { consistent: true });
        if (item?.['after'] === undefined) return result;
        result = sumOf(result, await project([recordOf(item)]));
      }
    },
  };
}

function ticket(attributes: Item): Item {
  return { source: { S: TICKET }, target: { S: TICKET }, ...attributes };
}

function edgeTo(i: number, attributes: Item): Item {
  return { source: { S: TICKET }, target: { S: `IN-PROJECT-${String(i).padStart(5, '0')}` }, ...attributes };
}
