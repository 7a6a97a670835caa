import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createWriter } from '../../../src/client/write/writer.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { createWorker } from '../../../src/projecting/worker/worker.ts';
import type { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import { serverTime, tableIdentity } from '../../../src/store/table-description.ts';
import type { CheckpointStore } from '../../../src/stream/checkpoint.ts';
import { check } from '../../../src/trust/check/check.ts';
import { saveLastCheck } from '../../../src/trust/check/last-check.ts';
import { startLocalObserver } from '../../local/local-observer.ts';
import type { StudioTable } from '../../studio/base/context.ts';
import { ProjectorTap } from '../../studio/base/projector-tap.ts';
import { plantTrouble, writeCompany, writeLightly } from './company.ts';
import type { DemoData } from './data.ts';
import { airportsAndGoals } from './model.ts';
import type { Say } from './report.ts';

export interface VerifiedTable {
  client: DynamoDBClient;
  streams: StudioTable['streams'];
  store: DynamoDBStore;
  streamArn: string;
  /** The checkpoint of the stopped worker that projected the table. */
  checkpoint: CheckpointStore;
}

const GRACE_MS = 1_000;
/** Divides the migration's waits, because there are no readers whose leases could be held. */
const LEASE_SPEED = 6;

/** Migrates to a model with goals, adds problems to find, checks, observes and writes until `look` ends. */
export async function lookAround(
  { client, streams, store, streamArn, checkpoint }: VerifiedTable,
  data: DemoData,
  say: Say,
  look: (table: StudioTable) => Promise<void>,
): Promise<void> {
  const graph = airportsAndGoals;
  const tap = new ProjectorTap();
  const projector = tap.projector(graph, store);
  // The problems were added on purpose, so don't log them.
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const worker = createWorker(graph, { store, streams, streamArn, checkpoint, projector, pollIntervalMs: 50, logger });
  const run = worker.run();
  run.catch(() => undefined);
  const leaving = new AbortController();
  const loss = new Promise<never>(() => undefined);
  let observing: ReturnType<typeof startLocalObserver> | undefined;
  let writing: Promise<void> = Promise.resolve();
  try {
    const now = (): Promise<number | undefined> => serverTime(graph, { client });
    const { steps } = await migrate(graph, {
      store,
      ...(await tableIdentity(graph, { client })),
      serverTime: now,
      wait: (milliseconds) => sleep(milliseconds / LEASE_SPEED),
      lateWritesMs: 0,
    });
    say(`migrated to a model with goals, in ${steps.length} steps`);
    const tapped = tap.around(graph.table, store);
    await writeCompany(createWriter(graph, { store: tapped }));
    await worker.idle();
    observing = startLocalObserver(graph, { streams, store, streamArn, loss }, { onDrift: () => undefined });
    await plantTrouble(store);
    await worker.idle();
    const beganAtMs = Date.now();
    const found = await check(graph, { store, graceMs: GRACE_MS });
    await saveLastCheck(graph.table, store, { ...found, beganAtMs }, Date.now());
    say(`planted: ${found.quarantined} record in quarantine, ${found.drift.stale} wrong item, which a check has found`);
    writing = writeLightly(tapped, data, leaving.signal);
    await Promise.race([look({ graph, store, client, streams, tap }), run, writing.then(() => loss)]);
  } finally {
    leaving.abort();
    await writing.catch(() => undefined);
    await observing?.stop();
    await worker.stop();
  }
}
