import pMap from 'p-map';
import { startLocal } from '../packages/local/local.ts';
import { SERVICE_PARTITION } from '../src/core/items/keys.ts';
import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { edge, node, source } from '../src/core/model/schema.ts';
import type { ScanSource, Store } from '../src/core/store-port.ts';
import { fixedModel } from '../src/registry/writer-model.ts';
import { createStreamsClient } from '../src/store/client.ts';
import { withReplacedCalls } from '../src/store/wrapped.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import { DynamoDBStreamSource } from '../src/stream/dynamodb-source.ts';
import type { StreamRecord, StreamSource } from '../src/stream/source.ts';
import { observe as runObserver } from '../src/trust/observe/observe.ts';
import { Observer } from '../src/trust/observe/observer.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { sizeOf } from './support/extent.ts';
import { idleStore } from './support/idle-store.ts';
import type { Item } from './support/images.ts';
import { fullModel } from './support/models.ts';
import { interleaved, ratios, timed } from './support/paired.ts';
import { projecting } from './support/projecting.ts';
import { type Figure, figure, type Report, varying } from './support/report.ts';
import { load } from './support/table.ts';

/** Measures the observer's read units per million changes, and its CPU time against the projector's. */

const SAMPLE = sizeOf({ whole: 400, short: 20 });
const EDGES_OF_A_NODE = 20;
const MILLION = 1_000_000;
const CPU_CHANGES = sizeOf({ whole: 4_000, short: 200 });
const REPETITIONS = 5;
/** Shorter than on AWS: there is one clock, and records appear at once. */
const AT_ONCE = { lateMs: 100, skewMs: 50, graceMs: 200, listMs: 500 };
/** Share by which the units vary: an item with records before and after a look is looked at twice. */
const TIMING_VARIES = 0.5;

export async function observe({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const figures: Figure[] = [];
  // The short run measures all kinds at once, because they mostly wait. A whole run measures them one by one, because
  // counts depend on timing.
  const units = await pMap(KINDS, unitsOf, { concurrency: sizeOf({ whole: 1, short: KINDS.length }) });
  for (const [i, { name }] of KINDS.entries())
    figures.push(varying(TIMING_VARIES, figure(name, Math.round(units[i]! * MILLION), 'RCU')));
  const title = `read units of the observer for a million changes, counted on ${SAMPLE} of each kind`;
  return [{ name: 'observe-units', title, figures }, await cpuReport(repetitions)];
}

interface Kind {
  name: string;
  graph: CompiledModel;
  before: readonly Item[];
  changes: readonly Item[];
}

const nodeItem = (id: string, attributes: Record<string, string> = {}): Item => ({
  ...{ source: { S: id }, target: { S: id } },
  ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, { S: value }])),
});
const edgeItem = (source: string, type: string, target: string, attributes: Record<string, string> = {}): Item => ({
  ...nodeItem(source, attributes),
  target: { S: `${type}-${target}` },
});
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const owners = times(SAMPLE / EDGES_OF_A_NODE, (i) => `BOOK-${i}`);
const ownerOf = (i: number): string => owners[i % owners.length]!;
const authors = times(SAMPLE, (i) => nodeItem(`AUTHOR-${i}`, { name: `Author ${i}` }));
const books = owners.map((id) => nodeItem(id, { title: id }));
const edgesTo = (attributes: Record<string, string> = {}): Item[] =>
  times(SAMPLE, (i) => edgeItem(ownerOf(i), 'WROTE', `AUTHOR-${i}`, attributes));

const bookGraph = (settings: object): CompiledModel =>
  defineGraph({
    table: 'bench',
    nodes: { BOOK: node({ view: ['title'], search: { title: {} } }), AUTHOR: node({ view: ['name'] }) },
    edges: { WROTE: edge({ from: 'BOOK', to: 'AUTHOR', ...settings }) },
  });
const listed = bookGraph({ edgeSet: ['role'], inbound: { orders: { gsi0: 'role' }, project: ['role'] } });
const copying = bookGraph({ copy: ['name'] });
const counted = bookGraph({ edgeSet: false, degree: true, inbound: { orders: { gsi0: 'role' } } });
const joined = bookGraph({ inbound: { orders: { gsi0: source('title') } } });

const KINDS: readonly Kind[] = [
  { name: 'a node with a view and a search', graph: listed, before: [], changes: authors },
  {
    name: 'an edge in a view and a list',
    graph: listed,
    before: [...books, ...authors],
    changes: edgesTo({ role: 'A' }),
  },
  { name: 'an edge that copies', graph: copying, before: [...books, ...authors], changes: edgesTo() },
  {
    name: 'a change of what one edge copies',
    graph: copying,
    before: [...books, ...authors, ...edgesTo()],
    changes: authors.map((item) => ({ ...item, name: { S: 'Renamed' } })),
  },
  {
    name: `a counted edge, ${EDGES_OF_A_NODE} of a node`,
    graph: counted,
    before: [...books, ...authors],
    changes: edgesTo({ role: 'A' }),
  },
  { name: 'an edge in a list by its source', graph: joined, before: [...books, ...authors], changes: edgesTo() },
];

async function unitsOf({ name, graph, before, changes }: Kind): Promise<number> {
  const local = await startLocal(graph, { engine: 'memory', observe: false });
  const streams = createStreamsClient({ endpoint: local.endpoint });
  try {
    let rcu = 0;
    const counting = countingReads(local.store, (units) => (rcu += units));
    const run = async (): Promise<void> => {
      const { endedBy, drift } = await runObserver({
        ...{ graph, store: counting, limits: AT_ONCE, untilVerified: true },
        source: new DynamoDBStreamSource(streams, local.streamArn),
        lowWatermark: async () => Date.now(),
      });
      if (endedBy !== 'verified' || drift.length > 0) throw new Error(`${name}: the observer ended by ${endedBy}`);
    };
    await load(local.store, before);
    await local.worker.idle();
    await run();
    rcu = 0;
    await load(local.store, changes);
    await local.worker.idle();
    await run();
    return rcu / changes.length;
  } finally {
    streams.destroy();
    await local.stop();
  }
}

/** Excludes reads of the observer's state and of the registry. */
function countingReads(store: Store & ScanSource, add: (units: number) => void): Store & ScanSource {
  const counting = withReplacedCalls(store, {
    getMany: async (...call) => {
      const result = await store.getMany(...call);
      add(result.rcu);
      return result;
    },
    query: async (...call) => {
      const result = await store.query(...call);
      if (call[0].partition !== SERVICE_PARTITION) add(result.rcu);
      return result;
    },
  });
  return Object.assign(counting, { scan: (...call: Parameters<ScanSource['scan']>) => store.scan(...call) });
}

async function cpuReport(repetitions: number): Promise<Report> {
  const { records, streamArn } = await recordedStream();
  const base = records.filter(({ dynamodb }) => !(dynamodb?.Keys?.['target']?.S ?? '~').startsWith('~'));
  const store = idleStore(newestImages(records));
  const variants = {
    observer: async () => (await timed(() => observeRecords(records, streamArn, store))).cpuSeconds,
    projector: async () => {
      const project = async () =>
        void (await projecting(fullModel, { store })(decodeRecords(fullModel, base, streamArn)));
      return (await timed(project)).cpuSeconds;
    },
  };
  const { observer, projector } = await interleaved(repetitions, variants, { warmUps: 1 });
  return {
    name: 'observe-cpu',
    title: `CPU of observing ${records.length.toLocaleString('en-US')} records that ${base.length.toLocaleString('en-US')} changes made, full model, reads that take no time`,
    figures: [
      figure('a change observed against the same projected', ratios(observer, projector), 'x'),
      figure(
        'a record observed against one projected',
        ratios(
          observer.map((seconds) => seconds / records.length),
          projector.map((seconds) => seconds / base.length),
        ),
        'x',
      ),
    ],
  };
}

async function recordedStream(): Promise<{ records: StreamRecord[]; streamArn: string }> {
  const local = await startLocal(fullModel, { engine: 'memory', observe: false });
  const streams = createStreamsClient({ endpoint: local.endpoint });
  try {
    await load(local.store, times(CPU_CHANGES, goal));
    await local.worker.idle();
    const source = new DynamoDBStreamSource(streams, local.streamArn);
    const records: StreamRecord[] = [];
    for (const { shardId } of (await source.describe()).shards) {
      let iterator: string | undefined = await source.iterator(shardId, undefined);
      while (iterator !== undefined) {
        const page = await source.read(iterator, 1_000);
        records.push(...page.records);
        iterator = page.records.length === 0 ? undefined : page.next;
      }
    }
    return { records, streamArn: local.streamArn };
  } finally {
    streams.destroy();
    await local.stop();
  }
}

function newestImages(records: readonly StreamRecord[]): Item[] {
  const images = new Map<string, Item>();
  for (const { dynamodb } of records) {
    const { Keys, NewImage } = dynamodb ?? {};
    if (NewImage !== undefined) images.set(JSON.stringify(Keys), NewImage as Item);
  }
  return [...images.values()];
}

async function observeRecords(records: readonly StreamRecord[], streamArn: string, store: Store): Promise<void> {
  const source: StreamSource = {
    streamArn,
    describe: async () => ({ status: 'ENABLED', shards: [{ shardId: 'shard' }] }),
    isClosed: async () => false,
    iterator: async () => '0',
    latest: async () => '0',
    read: async (iterator, limit) => {
      const page = records.slice(Number(iterator), Number(iterator) + limit);
      return { records: page, next: String(Number(iterator) + page.length) };
    },
  };
  const model = fixedModel(fullModel);
  const observer = new Observer(
    {
      ...{ model, store, source, table: fullModel.table, now: Date.now },
      lowWatermark: async () => undefined,
      limits: { graceMs: 0, mostOpen: Number.POSITIVE_INFINITY },
    },
    undefined,
  );
  let read = 0;
  for (let turn = 0; read < records.length || observer.open > 0; turn++) {
    if (turn > records.length) throw new Error(`${observer.open} parts stay open`);
    read += (await observer.runTurn()).records;
  }
}

function goal(i: number): Item {
  return nodeItem(`GOAL-${i}`, { title: `Goal ${i}`, status: i % 2 === 0 ? 'open' : 'done', dueDate: '2026-03-01' });
}
