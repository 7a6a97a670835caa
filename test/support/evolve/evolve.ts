import { startEngine } from '../../../packages/local/engine/engine.ts';
import { loadDemoData } from '../../../packages/workbench/demo/data.ts';
import { airportId } from '../../../packages/workbench/demo/expected.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { Moment } from '../../../src/foundation/clocks.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import type { MigrateOptions } from '../../../src/migrate/migrate-types.ts';
import { createClient, createStreamsClient } from '../../../src/store/client.ts';
import { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import { createTable, serverTime, tableIdentity } from '../../../src/store/table-description.ts';
import { type CheckResult, check } from '../../../src/trust/check/check.ts';
import { type Asking, askUntil, waitForShortLeases } from './askers.ts';
import { Consumers } from './consumers.ts';
import { History } from './history.ts';
import { earlierModel, laterModel, MODELS, type Side } from './models.ts';
import { Tally } from './tally.ts';
import { type BusyKeys, busiestAirports, importAll, Producer } from './traffic.ts';

/** What a change of the model under traffic is tried with. */
export interface EvolveOptions {
  /** Airports in the table, those with the most routes. Default 40. */
  airports?: number;
  /** The clock of readers. Default: one that is faster, so that leases are short. */
  moment?: () => Moment;
}

/** What was found. */
export interface EvolveResult extends Pick<CheckResult, 'drift' | 'unknown'> {
  tally: Tally;
  /** Writes of producers, without those of the import. */
  writes: number;
}

const WRITES_PER_SECOND = 12;
/** Duration of a phase in which there is only traffic. */
const QUIET_MS = 3_000;
/** Milliseconds from one deployment of a consumer to the next. */
const DEPLOY_MS = 5_000;
/** How long a projection may take before the check calls it drift, in milliseconds. */
const GRACE_MS = 2_000;
const SIDES: readonly Side[] = ['old', 'new'];

/**
 * Changes a model under traffic: producers, consumers and readers of the old and of the new model work side by side while
 * `migrate` brings the new one to the table and retires what the old one means. Every answer is judged by what the base
 * items said.
 */
export async function runEvolve({ airports: most = 40, moment }: EvolveOptions = {}): Promise<EvolveResult> {
  const engine = await startEngine();
  const client = createClient({ endpoint: engine.endpoint });
  const streams = createStreamsClient({ endpoint: engine.endpoint });
  try {
    const { streamArn = '' } = await createTable(earlierModel, { client });
    const store = new DynamoDBStore(client, earlierModel.table);
    const identity = await tableIdentity(earlierModel, { client });
    const bringTo = async (graph: CompiledModel, options: Pick<MigrateOptions, 'action'> = {}): Promise<void> => {
      const time = () => serverTime(graph, { client });
      await migrate(graph, { ...options, store, ...identity, serverTime: time, wait: waitForShortLeases });
    };
    const data = busiestAirports(await loadDemoData(), most);
    const [history, tally, busy]: [History, Tally, BusyKeys] = [new History(), new Tally(), new Set()];
    const consumers = new Consumers({ store, streams, streamArn }, history);
    await bringTo(earlierModel);
    await consumers.deploy('old');
    await importAll(store, data, history);
    await consumers.waitUntilIdle();

    let [isWriting, isAsking] = [true, true];
    tally.beginPhase('before');
    const producers = SIDES.map((side) => new Producer(MODELS[side], store, data, history, busy));
    const writing = producers.map((producer) => producer.run(WRITES_PER_SECOND, () => !isWriting));
    const airports = data.airports.map(({ iata }) => airportId(iata));
    const context: Asking = { store, airports, history, tally, ...(moment && { moment }) };
    const asking = SIDES.map((side) => askUntil(side, context, () => !isAsking));

    /** The change itself, step by step, while traffic goes on. */
    const change = async (): Promise<CheckResult> => {
      await sleep(QUIET_MS);
      tally.beginPhase('while migrate runs');
      let isMigrating = true;
      const migration = bringTo(laterModel).finally(() => {
        isMigrating = false;
      });
      await Promise.all([migration, rollConsumers(consumers, () => isMigrating)]);
      tally.beginPhase('both models side by side');
      await sleep(QUIET_MS);
      tally.beginPhase('while migrate --retire runs');
      await bringTo(laterModel, { action: { kind: 'retire', name: 'inbound:ROUTE' } });
      tally.beginPhase('retired');
      await sleep(QUIET_MS);
      isWriting = false;
      await Promise.all(writing);
      await consumers.waitUntilIdle();
      tally.beginPhase('at rest');
      await sleep(QUIET_MS / 2);
      const result = await check(laterModel, { store, graceMs: GRACE_MS });
      await consumers.stop();
      return result;
    };
    const changed = change().finally(() => {
      isAsking = false;
    });
    const all = Promise.all([changed, ...writing, ...asking]).then(([found]) => found);
    const { drift, unknown } = await Promise.race([all, consumers.failed]).finally(() => {
      isWriting = false;
      isAsking = false;
    });
    return { tally, drift, unknown, writes: producers.reduce((sum, { writes }) => sum + writes, 0) };
  } finally {
    client.destroy();
    streams.destroy();
    await engine.stop();
  }
}

/** Deploys consumers of the new model, rolls back, and deploys them again. */
async function rollConsumers(consumers: Consumers, isMigrating: () => boolean): Promise<void> {
  for (let i = 0; i === 0 || isMigrating(); i++) {
    await consumers.deploy(i % 2 === 0 ? 'new' : 'old');
    await sleep(DEPLOY_MS);
  }
  await consumers.deploy('new');
}
