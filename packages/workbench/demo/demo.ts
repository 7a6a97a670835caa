import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createReader } from '../../../src/client/read/reader.ts';
import { createWriter } from '../../../src/client/write/writer.ts';
import { registerIfEmpty } from '../../../src/migrate/register-empty.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import type { Projector } from '../../../src/projecting/apply/projector-types.ts';
import { createWorker } from '../../../src/projecting/worker/worker.ts';
import type { WorkerStats } from '../../../src/projecting/worker/worker-types.ts';
import { createClient, createStreamsClient } from '../../../src/store/client.ts';
import { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import { createTable, serverTime, tableIdentity } from '../../../src/store/table-description.ts';
import { memoryCheckpoint } from '../../../src/stream/checkpoint.ts';
import { check } from '../../../src/trust/check/check.ts';
import { type EngineName, startEngine } from '../../local/engine/engine.ts';
import type { StudioTable } from '../../studio/base/context.ts';
import { type DemoData, loadDemoData } from './data.ts';
import { airportId, ExpectedWorld } from './expected.ts';
import { lookAround } from './look-around.ts';
import { airports, airportsAndGoals } from './model.ts';
import { type DemoResult, expectSame, percentile, type Say } from './report.ts';
import { showLocations, showPages, showPrefixSearch, showShards, verifyAll } from './show.ts';
import type { DemoWorld } from './world.ts';

export interface DemoOptions {
  say: Say;
  engine?: EngineName | undefined;
  onProgress: (step: 'import' | 'project', done: number, total: number) => void;
  /** Called once everything is verified. The projector runs until `look` resolves. */
  look?: ((table: StudioTable) => Promise<void>) | undefined;
}

const PROGRESS_RECORDS = 1_000;
/** Far above the size of the table and its stream. */
const MOST_BYTES = 1024 ** 3;
const LAG_WRITES = 60;
const GRACE_MS = 2_000;

export async function runDemo({ say, engine: name, onProgress, look }: DemoOptions): Promise<DemoResult> {
  const started = performance.now();
  const data = await loadDemoData();
  const engine = await startEngine({ engine: name, mostBytes: MOST_BYTES });
  const client = createClient({ endpoint: engine.endpoint });
  const streams = createStreamsClient({ endpoint: engine.endpoint });
  try {
    const { streamArn = '' } = await createTable(look === undefined ? airports : airportsAndGoals, { client });
    const store = new DynamoDBStore(client, airports.table);
    // Without a registry, the migration in `lookAround` would build all projections anew.
    if (look !== undefined) await registerAirports(client, store);
    const world: DemoWorld = {
      say,
      expected: new ExpectedWorld(data),
      writer: createWriter(airports, { store }),
      reader: createReader(airports, { store }),
    };
    const imported = await importAll(world, data, onProgress);
    say(
      `imported ${data.airports.length} airports and ${data.routes.length} routes: ${imported.wcu} WCU in ${seconds(imported.ms)} s`,
    );

    const toProject = data.airports.length + data.routes.length;
    const lag = new LagClock(createProjector(airports, { store }));
    let totals: Readonly<WorkerStats> | undefined;
    const checkpoint = memoryCheckpoint();
    const worker = createWorker(airports, {
      store,
      streams,
      streamArn,
      checkpoint,
      projector: lag.projector,
      pollIntervalMs: 50,
      // On a slow machine, a retry would only add work.
      batchTimeoutMs: 600_000,
      // A batch of the default size would contain all records, so there would be no progress to show.
      maxBatchRecords: PROGRESS_RECORDS,
      onBatch: (report) => {
        totals = report.totals;
        onProgress('project', report.totals.records, toProject);
      },
    });
    onProgress('project', 0, toProject);
    const projectionStart = performance.now();
    const run = worker.run();
    // `idle()` and the `await` below throw the failure.
    run.catch(() => undefined);
    await worker.idle();
    const bulk = { ...totals! };
    sayProjected(say, bulk, performance.now() - projectionStart);
    expectSame('the number of records', bulk.records, toProject);

    await verifyAll(world);
    await showPages(world);
    await showPrefixSearch(world);
    await showLocations(world);
    await showShards(world);
    await changeAndDelete(world);
    const lagMs = await measureLag(world, data, lag);
    say(`lag of ${LAG_WRITES} single writes: p50 ${lagMs.p50} ms, p99 ${lagMs.p99} ms`);
    await verifyAll(world);
    await checkAll(world, store);
    say('everything read agrees with the data files');
    const elapsed = (performance.now() - started) / 1000;
    await worker.stop();
    const { records, touches, writes, wcu, rcu } = await run;
    if (look !== undefined) await lookAround({ client, streams, store, streamArn, checkpoint }, data, say, look);
    return { records, touches, writes, wcu, rcu, seconds: elapsed, lagMs, check: 'ok' };
  } finally {
    client.destroy();
    streams.destroy();
    await engine.stop();
  }
}

async function registerAirports(client: DynamoDBClient, store: DynamoDBStore): Promise<void> {
  await registerIfEmpty({
    graph: airports,
    store,
    serverTime: () => serverTime(airports, { client }),
    ...(await tableIdentity(airports, { client })),
  });
}

async function checkAll({ say }: DemoWorld, store: DynamoDBStore): Promise<void> {
  const { drift, baseItems, derivedItems, rcu } = await check(airports, { store, graceMs: GRACE_MS });
  expectSame('what the check found', drift, { missing: 0, stale: 0, orphan: 0 });
  say(`check of ${baseItems} base items and ${derivedItems} derived items: no drift, ${rcu} RCU`);
}

async function importAll(
  { writer }: DemoWorld,
  { airports: nodes, routes }: DemoData,
  onProgress: DemoOptions['onProgress'],
): Promise<{ wcu: number; ms: number }> {
  const started = performance.now();
  const total = nodes.length + routes.length;
  onProgress('import', 0, total);
  let wcu = 0;
  const step = 500;
  for (let from = 0; from < total; from += step) {
    const result = await writer.batch(
      (batch) => {
        for (let i = from; i < Math.min(total, from + step); i++) {
          const node = nodes[i];
          const route = routes[i - nodes.length];
          if (node !== undefined) {
            const { iata, ...attributes } = node;
            batch.putNode(airportId(iata), attributes);
          } else if (route !== undefined) {
            batch.putEdge(airportId(route.origin), 'ROUTE', airportId(route.destination), { count: route.count });
          }
        }
      },
      { capacity: true },
    );
    wcu += result.capacity!.wcu;
    onProgress('import', Math.min(total, from + step), total);
  }
  return { wcu, ms: performance.now() - started };
}

function sayProjected(say: Say, { records, touches, writes, wcu, rcu }: WorkerStats, ms: number): void {
  const rate = Math.round(records / (ms / 1000));
  say(
    `projected ${records} records into ${touches} derived items: ${writes} writes, ${wcu} WCU, ${rcu} RCU in ${seconds(ms)} s`,
  );
  say(`  ${rate} records/s, ${(wcu / records).toFixed(2)} WCU a record`);
}

async function changeAndDelete({ say, expected, writer, reader }: DemoWorld): Promise<void> {
  const [busiest, second] = expected.inbound('ATL');
  const origin = airportId(busiest!.origin);
  await writer.putEdge(origin, 'ROUTE', 'AIRPORT-ATL', { count: 1 });
  expected.setRoute({ ...busiest!, count: 1 });
  const dropped = airportId(second!.origin);
  await writer.deleteEdge(dropped, 'ROUTE', 'AIRPORT-ATL');
  expected.deleteRoute(second!.origin, 'ATL');
  for (const source of [origin, dropped]) {
    await reader.waitForProjection(source, 'ROUTE', 'AIRPORT-ATL', { timeoutMs: 30_000 });
  }
  const [changed, without] = await reader.getViews([origin, dropped], { consistent: true });
  expectSame('the view with a changed count', changed!.edgeSet, expected.edgeSet(busiest!.origin));
  expectSame('the view with a deleted route', without!.edgeSet, expected.edgeSet(second!.origin));
  const { items } = await reader.inbound('AIRPORT-ATL', 'ROUTE', { reverse: true, limit: 1000 });
  expectSame(
    'the order after both',
    items.map(({ source }) => source),
    expected.inbound('ATL').map(({ origin: iata }) => airportId(iata)),
  );
  say(`changed ${origin} -> ATL to 1 flight and deleted ${dropped} -> ATL: both views and the index follow`);
}

async function measureLag(
  { expected, writer }: DemoWorld,
  { routes }: DemoData,
  lag: LagClock,
): Promise<DemoResult['lagMs']> {
  const lagsMs: number[] = [];
  for (const route of routes.filter(({ destination }) => destination !== 'ATL').slice(0, LAG_WRITES)) {
    const count = route.count + 1;
    const source = airportId(route.origin);
    const target = airportId(route.destination);
    const projectedAt = lag.timeOfNextRecord(source, `ROUTE-${target}`);
    await writer.putEdge(source, 'ROUTE', target, { count });
    const writtenAt = performance.now();
    lagsMs.push(Math.max(0, (await projectedAt) - writtenAt));
    expected.setRoute({ ...route, count });
  }
  return { p50: Math.round(percentile(lagsMs, 0.5)), p99: Math.round(percentile(lagsMs, 0.99)) };
}

/** Measures lag by its own clock, because stream timestamps are whole seconds. */
class LagClock {
  readonly projector: Projector;
  private readonly waiting = new Map<string, (at: number) => void>();

  constructor(inner: Projector) {
    this.projector = {
      project: async (records, options) => {
        const result = await inner.project(records, options);
        const now = performance.now();
        if (result.failedFrom === undefined)
          for (const { source, target } of records) this.resolveWaiting(source, target, now);
        return result;
      },
    };
  }

  /** Resolves with the time at which the item's next record is projected. Call it before the write. */
  timeOfNextRecord(source: string, target: string): Promise<number> {
    return new Promise((resolve) => this.waiting.set(`${source} ${target}`, resolve));
  }

  private resolveWaiting(source: string, target: string, at: number): void {
    const key = `${source} ${target}`;
    this.waiting.get(key)?.(at);
    this.waiting.delete(key);
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
