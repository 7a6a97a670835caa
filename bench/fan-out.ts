import type { ChangeRecord } from '../src/core/items/change-record.ts';
import { copiesByEdge } from '../src/core/items/stored-view.ts';
import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import { edge, node } from '../src/core/model/schema.ts';
import { isContinuationKey } from '../src/core/plan/stream-filter.ts';
import type { Store } from '../src/core/store-port.ts';
import { MeteredStore } from '../src/store/metered.ts';
import { withReplacedCalls } from '../src/store/wrapped.ts';
import { derivedItems } from './support/derived.ts';
import { sizeOf } from './support/extent.ts';
import type { Item } from './support/images.ts';
import { projecting } from './support/projecting.ts';
import { atMost, figure, type Report } from './support/report.ts';
import { load, withFreshTable } from './support/table.ts';

/** Changes a node with many children, whose views copy it. */

const CHILDREN = sizeOf({ whole: [1_000, 100_000], short: [1_000] });
const LOADED_AT_ONCE = 2_000;
const CHECKED_AT_ONCE = 5_000;
const LABEL = 'bench';
const AUTHOR = 'AUTHOR-1';
const EDGE = `WROTE-${AUTHOR}`;
const CONTINUATION = '~more/WROTE';

const graph = defineGraph({
  table: 'fan-out',
  nodes: { BOOK: node(), AUTHOR: node() },
  edges: { WROTE: edge({ from: 'BOOK', to: 'AUTHOR', edgeSet: ['role'], copy: ['name', 'birthYear'] }) },
});

interface Seen {
  children: number;
  writes: number;
  notOnce: number;
  wrong: number;
  wcu: number;
  rcu: number;
  pages: number;
  seconds: number;
}

export async function fanOut(): Promise<Report[]> {
  const reports: Report[] = [];
  for (const children of CHILDREN) reports.push(report(await changed(children)));
  return reports;
}

function report({ children, writes, notOnce, wrong, wcu, rcu, pages, seconds }: Seen): Report {
  if (notOnce > 0 || wrong > 0) throw new Error(`${notOnce} views were not written once, ${wrong} have another copy`);
  return {
    name: 'fan-out',
    title: `a parent's change brought to ${children.toLocaleString('en-US')} children (dynoxide)`,
    figures: [
      figure('children', children, 'views'),
      figure('writes to them', writes, 'writes', atMost(children)),
      figure('invocations, a page each', pages, 'pages'),
      figure('for a child', wcu / children, 'WCU'),
      figure('for a child', rcu / children, 'RCU'),
      figure('children in a second', children / seconds, '1/s'),
      figure('in all', seconds, 's'),
    ],
  };
}

async function changed(children: number): Promise<Seen> {
  return await withFreshTable(graph, [], async ({ store }) => {
    await loadChildren(children, (items) => load(store, items));
    const oldImage = author('Ann');
    const newImage = author('Anne');
    await store.put(newImage);
    const metered = new MeteredStore(store);
    const counted = countingViews(metered);
    const startMs = performance.now();
    const pages = await drive(counted.store, record(AUTHOR, 1, oldImage, newImage));
    const seconds = (performance.now() - startMs) / 1000;
    const { wcu, rcu } = metered;
    const times = [...counted.times.values()];
    return {
      children,
      writes: times.reduce((sum, count) => sum + count, 0),
      notOnce: times.filter((count) => count !== 1).length + Math.abs(children - times.length),
      wrong: await wrongCopies(store, children),
      wcu,
      rcu,
      pages,
      seconds,
    };
  });
}

async function drive(store: Store, first: ChangeRecord): Promise<number> {
  const project = projecting(graph, { store });
  let next: ChangeRecord | undefined = first;
  let pages = 0;
  for (; next !== undefined; pages++) {
    await project([next]);
    const { item } = await store.get({ source: AUTHOR, target: CONTINUATION }, { consistent: true });
    next = item?.['after'] === undefined ? undefined : record(CONTINUATION, pages + 2, undefined, item);
  }
  return pages;
}

function record(target: string, sequence: number, oldImage: Item | undefined, newImage: Item): ChangeRecord {
  const sequenceNumber = String(sequence);
  return { source: AUTHOR, target, oldImage, newImage, stream: LABEL, sequenceNumber };
}

function author(name: string): Item {
  return { source: { S: AUTHOR }, target: { S: AUTHOR }, name: { S: name }, birthYear: { N: '1960' } };
}

function child(i: number): string {
  return `BOOK-${String(i).padStart(6, '0')}`;
}

async function loadChildren(children: number, put: (items: readonly Item[]) => Promise<void>): Promise<void> {
  for (let first = 0; first < children; first += LOADED_AT_ONCE) {
    const bases = [author('Ann')];
    for (let i = first; i < Math.min(children, first + LOADED_AT_ONCE); i++) {
      bases.push({ source: { S: child(i) }, target: { S: EDGE }, role: { S: 'writer' } });
    }
    await put([...bases, ...derivedItems(graph, bases)]);
  }
}

async function wrongCopies(store: Store, children: number): Promise<number> {
  const { name, birthYear } = author('Anne');
  const expected = JSON.stringify({ name, birthYear });
  let wrong = 0;
  for (let first = 0; first < children; first += CHECKED_AT_ONCE) {
    const count = Math.min(CHECKED_AT_ONCE, children - first);
    const keys = Array.from({ length: count }, (_, i) => ({ source: child(first + i), target: '~view' }));
    const { items } = await store.getMany(keys, { consistent: true });
    for (const view of items) {
      const copy = copiesByEdge(view).get(EDGE);
      if (JSON.stringify(copy && { name: copy['name'], birthYear: copy['birthYear'] }) !== expected) wrong += 1;
    }
  }
  return wrong;
}

function countingViews(store: Store): { store: Store; times: Map<string, number> } {
  const times = new Map<string, number>();
  const counting = withReplacedCalls(store, {
    async update(update) {
      const { source, target } = update.key;
      if (!isContinuationKey(target) && source !== AUTHOR) times.set(source, (times.get(source) ?? 0) + 1);
      return await store.update(update);
    },
  });
  return { store: counting, times };
}
