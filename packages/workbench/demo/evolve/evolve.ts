import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { sleep } from '../../../../src/foundation/runtime.ts';
import { migrate } from '../../../../src/migrate/migrate.ts';
import type { MigrateOptions, MigrateStep } from '../../../../src/migrate/migrate-types.ts';
import { LEASE_MS } from '../../../../src/registry/reader-lease.ts';
import { createClient, createStreamsClient } from '../../../../src/store/client.ts';
import { DynamoDBStore } from '../../../../src/store/dynamodb.ts';
import { createTable, serverTime, tableIdentity } from '../../../../src/store/table.ts';
import { check } from '../../../../src/trust/check/check.ts';
import { type EngineName, startEngine } from '../../../local/engine/engine.ts';
import { loadDemoData } from '../data.ts';
import { airportId } from '../expected.ts';
import { expectSame, type Say } from '../report.ts';
import { type Asking, askUntil, LEASE_SECONDS, waitForShortLeases } from './askers.ts';
import { Consumers } from './consumers.ts';
import { History } from './history.ts';
import { earlierModel, laterModel, MODELS, type Side } from './models.ts';
import { type AnswerCounts, type EvolvePhase, Tally, type WrongAnswer } from './tally.ts';
import { type BusyKeys, busiestAirports, importAll, Producer } from './traffic.ts';

/** Options of the demo of a model change. */
export interface EvolveOptions {
  say: Say;
  /** Airports in the table, those with the most routes. Default 40. */
  airports?: number;
  /** Default: as `startEngine` has it. */
  engine?: EngineName | undefined;
}

/** The result of the demo of a model change; the shape of `demo --evolve --json`. */
export interface EvolveResult {
  phases: EvolvePhase[];
  answers: AnswerCounts;
  /** Answers that were not right, the first of them. */
  mistakes: WrongAnswer[];
  /** Writes of producers, without those of the import. */
  writes: number;
  /** Records that consumers have projected. */
  records: number;
  steps: MigrateStep[];
  /** Drift that the check found at the end. */
  drift: { missing: number; stale: number; orphan: number };
  /** Duration of the whole demo. */
  seconds: number;
}

const WRITES_PER_SECOND = 12;
/** Duration of a phase in which there is only traffic. */
const QUIET_MS = 3_000;
/** Milliseconds from one deployment of a consumer to the next. */
const DEPLOY_MS = 5_000;
/** How long a projection may take before the check calls it drift, in milliseconds. */
const GRACE_MS = 2_000;
const RETIRED = 'inbound:ROUTE';

/**
 * Changes a model under traffic: producers, consumers and readers of the old and of the new model work side by side while
 * `migrate` brings the new one to the table and retires what the old one means. Every answer is judged by what the base
 * items said.
 */
export async function runEvolve(options: EvolveOptions): Promise<EvolveResult> {
  const engine = await startEngine({ engine: options.engine });
  const client = createClient({ endpoint: engine.endpoint });
  const streams = createStreamsClient({ endpoint: engine.endpoint });
  try {
    const { streamArn = '' } = await createTable(earlierModel, { client });
    const store = new DynamoDBStore(client, earlierModel.table);
    return await new Evolution(options, { client, store, streams, streamArn }).run();
  } finally {
    client.destroy();
    streams.destroy();
    await engine.stop();
  }
}

interface EvolveTable {
  client: ReturnType<typeof createClient>;
  store: DynamoDBStore;
  streams: ReturnType<typeof createStreamsClient>;
  streamArn: string;
}

class Evolution {
  private readonly history = new History();
  private readonly tally = new Tally();
  private readonly steps: MigrateStep[] = [];
  private readonly consumers: Consumers;
  private isWriting = true;
  private isAsking = true;

  constructor(
    private readonly options: EvolveOptions,
    private readonly table: EvolveTable,
  ) {
    this.consumers = new Consumers(table, this.history);
  }

  async run(): Promise<EvolveResult> {
    const startedAtMs = performance.now();
    const { store } = this.table;
    const data = busiestAirports(await loadDemoData(), this.options.airports ?? 40);
    const airports = data.airports.map(({ iata }) => airportId(iata));
    await this.migrate(earlierModel);
    await this.consumers.deploy('old');
    await importAll(store, data, this.history);
    await this.consumers.waitUntilIdle();
    this.say(`imported ${data.airports.length} airports and ${data.routes.length} routes; the old model keeps them`);
    this.say(`leases of ${LEASE_MS / 1000} s are ${LEASE_SECONDS} s here, so that the demo is short`);
    const busy: BusyKeys = new Set();
    const sides: readonly Side[] = ['old', 'new'];
    const producers = sides.map((side) => new Producer(MODELS[side], store, data, this.history, busy));
    this.tally.beginPhase('before');
    const writing = producers.map((producer) => producer.run(WRITES_PER_SECOND, () => !this.isWriting));
    const context: Asking = { store, airports, history: this.history, tally: this.tally };
    const asking = sides.map((side) => askUntil(side, context, () => !this.isAsking));
    const change = this.changeModel(Promise.all(writing)).finally(() => {
      this.isAsking = false;
    });
    const all = Promise.all([change, ...writing, ...asking]).then(([found]) => found);
    const drift = await Promise.race([all, this.consumers.failed]).finally(() => {
      this.isWriting = false;
      this.isAsking = false;
    });
    this.tally.endPhase();
    const { phases, mistakes } = this.tally;
    return {
      phases,
      answers: this.tally.sums(),
      mistakes,
      steps: this.steps,
      drift,
      writes: producers.reduce((sum, { writes }) => sum + writes, 0),
      records: this.consumers.records,
      seconds: (performance.now() - startedAtMs) / 1000,
    };
  }

  /** The change itself, step by step, while traffic goes on. */
  private async changeModel(writing: Promise<unknown>): Promise<EvolveResult['drift']> {
    await sleep(QUIET_MS);
    this.beginPhase(
      'while migrate runs',
      'migrate: more shards, a search, a label in the view, and the rank table turned round',
    );
    let isMigrating = true;
    const migration = this.migrate(laterModel).finally(() => {
      isMigrating = false;
    });
    await Promise.all([migration, this.rollConsumers(() => isMigrating)]);
    this.beginPhase('both models side by side', 'migrated: each reader has its own order of routes');
    await sleep(QUIET_MS);
    this.beginPhase('while migrate --retire runs', `migrate --retire ${RETIRED}: the old readers have to go`);
    await this.migrate(laterModel, { action: { kind: 'retire', name: RETIRED } });
    this.beginPhase('retired', 'retired: what is left is what the new model says');
    await sleep(QUIET_MS);
    this.isWriting = false;
    await writing;
    await this.consumers.waitUntilIdle();
    this.beginPhase('at rest', 'nothing is written any more: every answer is exact');
    await sleep(QUIET_MS / 2);
    const { drift, unknown } = await check(laterModel, { store: this.table.store, graceMs: GRACE_MS });
    expectSame('the number of unknown items', unknown, 0);
    await this.consumers.stop();
    return drift;
  }

  /** Deploys consumers of the new model, rolls back, and deploys them again. */
  private async rollConsumers(isMigrating: () => boolean): Promise<void> {
    const order: readonly Side[] = ['new', 'old'];
    for (let i = 0; i === 0 || isMigrating(); i++) {
      const side = order[i % 2]!;
      await this.consumers.deploy(side);
      this.say(`  consumers run the ${side} model now`);
      await sleep(DEPLOY_MS);
    }
    await this.consumers.deploy('new');
    this.say('  consumers run the new model for good');
  }

  private async migrate(graph: CompiledModel, options: Pick<MigrateOptions, 'action'> = {}): Promise<void> {
    const { client, store } = this.table;
    await migrate(graph, {
      ...options,

      store,
      ...(await tableIdentity(graph, { client })),
      serverTime: () => serverTime(graph, { client }),
      wait: waitForShortLeases,
      onStep: (step) => {
        this.steps.push(step);
        if (graph !== earlierModel) this.say(`  ${step.step} ${step.projection}: ${step.state}`);
      },
    });
  }

  private beginPhase(name: string, line: string): void {
    this.tally.beginPhase(name);
    this.say(line);
  }

  private say(line: string): void {
    this.options.say(line);
  }
}
