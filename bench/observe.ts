import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { type Local, startLocal } from '../packages/local/local.ts';
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
import { median } from './support/statistics.ts';
import { load } from './support/table.ts';

/** The observer's read units for a million changes, its CPU against the projector's, and how soon it finds damage. */

const SAMPLE = sizeOf({ whole: 400, short: 20 });
const EDGES_OF_A_NODE = 20;
const MILLION = 1_000_000;
const CPU_CHANGES = sizeOf({ whole: 4_000, short: 200 });
const REPETITIONS = 5;
/** One clock, and records shown at once. */
const AT_ONCE = { lateMs: 100, skewMs: 50, graceMs: 200, listMs: 500 };
/** Records on both sides of a look bring a second one. */
const TIMING_VARIES = 0.5;
/** Milliseconds. */
const MOST_WAIT_MS = 60_000;

export async function observe({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const figures: Figure[] = [];
  // Mostly waits. A whole run takes one kind after the other, since counts depend on timing.
  const units = await pMap(KINDS, unitsOf, { concurrency: sizeOf({ whole: 1, short: KINDS.length }) });
  for (const [i, { name }] of KINDS.entries())
    figures.push(varying(TIMING_VARIES, figure(name, Math.round(units[i]! * MILLION), 'RCU')));
  const title = `read units of the observer for a million changes, counted on ${SAMPLE} of each kind`;
  return [{ name: 'observe-units', title, figures }, await cpuReport(repetitions)];
}

/** 100 changes a second. */
export async function observeSlow(): Promise<Report[]> {
  return [await detection(100)];
}

/** 1,000 changes a second. */
export async function observeFast(): Promise<Report[]> {
  return [await detection(1_000)];
}

/** Items before, and the changes. */
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

/** Without reads of its state and the registry. */
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

/** Records of base and derived items. */
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

const LOAD_SECONDS = sizeOf({ whole: 25, short: 2 });
const DAMAGES = sizeOf({ whole: 50, short: 2 });
const TICK_MS = 100;
/** A node, its view and two index items. */
const RECORDS_OF_A_NODE = 4;

/** Damages views under such a load, and waits for findings. */
async function detection(rate: number): Promise<Report> {
  // An engine of a file is too slow: nothing is judged before it is projected.
  const local = await startLocal(fullModel, { engine: 'memory', observe: false });
  const streams = createStreamsClient({ endpoint: local.endpoint });
  const foundMs = new Map<string, number>();
  let isOver = false;
  let verifiedThroughMs: number | undefined;
  // A whole run waits as in production.
  const observing = runObserver({
    ...{ graph: fullModel, store: local.store, limits: sizeOf<Partial<typeof AT_ONCE>>({ whole: {}, short: AT_ONCE }) },
    source: new DynamoDBStreamSource(streams, local.streamArn),
    remainingMs: () => (isOver ? 0 : Number.POSITIVE_INFINITY),
    onDrift: ({ suspect }) => foundMs.set(suspect.source, foundMs.get(suspect.source) ?? Date.now()),
    onProgress: (progress) => {
      verifiedThroughMs = progress.verifiedThroughMs;
    },
  });
  observing.catch(() => undefined);
  try {
    await load(local.store, times(DAMAGES, goal));
    await local.worker.idle();
    if (!(await isTrueInTime(() => verifiedThroughMs !== undefined))) throw new Error('the table is not verified');
    const { damagedMs, written, seconds } = await damageUnderLoad(local, rate);
    // Damage isn't judged while the projector is late; report that, too.
    await isTrueInTime(() => damagedMs.size === foundMs.size);
    const waits = [...damagedMs]
      .flatMap(([id, atMs]) => (foundMs.has(id) ? [(foundMs.get(id)! - atMs) / 1000] : []))
      .sort((a, b) => a - b);
    const found: Figure[] =
      waits.length === 0
        ? []
        : [
            figure('from damage to finding, median', median(waits), 's'),
            figure('from damage to finding, 99th percentile', waits[Math.ceil(waits.length * 0.99) - 1]!, 's'),
          ];
    return {
      name: `observe-detection-${rate}`,
      title: `${DAMAGES} views damaged while ${rate.toLocaleString('en-US')} nodes a second are written, ${RECORDS_OF_A_NODE} records each, waits as in production`,
      figures: [
        ...found,
        varying(true, figure('found within a minute of the last write', waits.length / damagedMs.size, 'share')),
        figure('nodes written', written / seconds, 'nodes/s'),
      ],
    };
  } finally {
    isOver = true;
    await observing.catch(() => undefined);
    streams.destroy();
    await local.stop();
  }
}

async function damageUnderLoad({ store }: Local, rate: number) {
  const damagedMs = new Map<string, number>();
  const [startedMs, ticks] = [Date.now(), (LOAD_SECONDS * 1000) / TICK_MS];
  let written = 0;
  for (let tick = 0; tick < ticks; tick++) {
    const aTick = (rate * TICK_MS) / 1000;
    await load(
      store,
      times(aTick, (i) => goal(DAMAGES + tick * aTick + i)),
    );
    written += aTick;
    while (damagedMs.size < Math.ceil(((tick + 1) * DAMAGES) / ticks)) {
      const id = `GOAL-${damagedMs.size}`;
      const { item } = await store.get({ source: id, target: '~view' }, { consistent: true });
      await store.put({ ...item, attributes: { M: { title: { S: 'wrong' } } } });
      damagedMs.set(id, Date.now());
    }
    await delay(Math.max(0, startedMs + (tick + 1) * TICK_MS - Date.now()));
  }
  return { damagedMs, written, seconds: (Date.now() - startedMs) / 1000 };
}

/** Waits for a minute at most. */
async function isTrueInTime(holds: () => boolean): Promise<boolean> {
  for (const deadlineMs = Date.now() + MOST_WAIT_MS; !holds(); await delay(50)) {
    if (Date.now() > deadlineMs) return false;
  }
  return true;
}
