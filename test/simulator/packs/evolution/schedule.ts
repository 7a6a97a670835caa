import type { MigrateStep } from '../../../../src/admin.ts';
import type { Kept, Pack, SeedOutcome, Short } from '../../kernel/pack.ts';
import { asFailures } from '../../kernel/pack.ts';
import type { Random } from '../../kernel/random.ts';
import { withoutParts } from '../../kernel/shrink.ts';
import { watched } from './checks.ts';
import { deliver, redeliver, redriveGivenUp } from './consumers.ts';
import { directedEvolutions } from './directed.ts';
import { checkEnd } from './ending.ts';
import { Observing } from './observing.ts';
import { changePart, changeSomething, putFirstItems, putFirstParts } from './producers.ts';
import { ReadingProcess } from './readers.ts';
import { type Action, type Run, registryOf, runCheck, runDivided, runMigrate, runRedrive } from './tools.ts';
import { World } from './world.ts';

/** How a schedule is run. */
export interface RunOptions {
  /** Tells what happens, line by line. */
  log?: (line: string) => void;
  /** What is left out, by the names that the outcome of the whole schedule has. */
  without?: readonly string[];
  /** After this many events a schedule does not come to rest. Default 300,000. */
  mostEvents?: number;
}

/** What became of a schedule. */
export interface EvolutionOutcome extends SeedOutcome {
  /** What happened in it, and could be left out. */
  happened: string[];
}

/** More events than this, and a schedule does not come to rest; one that is kept has a few thousand. */
const MOST_EVENTS = 300_000;
const MOST_EVENTS_KEPT = 6_000;

/** The pack of model changes. */
export const PACK: Pack = {
  run: (seed) => runEvolution(seed),
  play: ({ seed, without = [] }, log) =>
    runEvolution(seed, { without, mostEvents: MOST_EVENTS_KEPT, ...(log && { log }) }),
  shorten: shortened,
  written: async () => asFailures(await directedEvolutions()),
};

/**
 * Runs the schedule of a seed: a model changes beside live traffic. What is stable has to be in every answer that is no error; what
 * changes, in a state that it had since all was last applied.
 */
export async function runEvolution(
  seed: number,
  { log, without, mostEvents = MOST_EVENTS }: RunOptions = {},
): Promise<EvolutionOutcome> {
  const world = new World(seed, without);
  if (log !== undefined) world.log = (text) => log(`${world.seconds()} ${text}`);
  try {
    await world.timeline.run(new Schedule(world).run(), mostEvents);
  } catch (error) {
    world.fail('endless', `the schedule breaks off: ${(error as Error).stack}`);
  }
  world.count('evictions', world.table.evictions);
  return { failures: world.failures, counters: world.counters, happened: [...world.plan.happened] };
}

/** Leaves out of a failing schedule what it does not need; what is left fails as the whole did. */
async function shortened(seed: number): Promise<Short> {
  const whole = await runEvolution(seed);
  const kinds = new Set(whole.failures.map(({ kind }) => kind));
  if (kinds.size === 0) throw new Error(`The schedule of seed ${seed} does not fail.`);
  const start: { without: string[]; left: string[] } = { without: [], left: whole.happened };
  const { without } = await withoutParts(
    start,
    ({ left }) => left,
    async (best, parts) => {
      const tried = [...best.without, ...parts];
      const { failures, happened } = await runEvolution(seed, { without: tried });
      return failures.some(({ kind }) => kinds.has(kind)) ? { without: tried, left: happened } : undefined;
    },
  );
  const trace: string[] = [];
  const { failures, happened } = await runEvolution(seed, { without, log: (line) => trace.push(line) });
  const kept: Kept = { seed, without };
  return { kept, failures, left: happened, trace };
}

/** A backup that is restored, a stream that is made anew, a registry that is deleted, two days in which nothing happens. */
const ACCIDENTS = ['restore', 'new stream', 'registry deleted', 'two days'] as const;
type Accident = (typeof ACCIDENTS)[number];

const ACTIONS = ['withdraw', 'retire', 'drop'] as const;
const MODES = ['report', 'report', 'repair', 'rebuild'] as const;
const VERSIONS = [0, 1, 2] as const;
/** How long a question is waited for. */
const PATIENCE_MS = 3_600_000;
/** Until all that was written shows everywhere. */
const SHOWN_MS = 10_000;

class Schedule {
  private isProducing = false;
  private readonly tools = new Set<Promise<unknown>>();
  private readonly readers: (ReadingProcess | undefined)[] = [];
  /** What happens once in some schedules. */
  private accident: Accident | undefined;
  private readonly random: Random;
  private readonly observing: Observing | undefined;

  constructor(private readonly world: World) {
    this.observing = Observing.of(world);
    this.random = world.plan.draws('schedule');
    const { random } = this;
    const accident = random.oneOf(ACCIDENTS);
    if (!world.hasFunctions && random.chance(0.3)) this.accident = accident;
  }

  async run(): Promise<void> {
    const { world, random } = this;
    await this.begin();
    if (world.failures.length > 0) return;
    for (const version of [...VERSIONS, ...(random.chance(0.3) ? [0] : [])]) {
      if (world.plan.happens(`questions of a reader of model ${version}`)) void this.read(version);
    }
    void this.produce();
    if (world.hasTotalsAndParts) void this.produceParts();
    const steps = 2 + random.below(4);
    for (let i = 1; i <= steps && world.failures.length === 0; i++) {
      const draws = world.plan.draws('step');
      if (!world.plan.happens(`step ${i}`)) continue;
      await this.oneStep(draws);
      await world.timeline.sleep(draws.below(draws.chance(0.5) ? 2_000 : 60_000));
    }
    this.isProducing = false;
    world.isEnding = true;
    await Promise.all(this.tools);
    world.isCalm = true;
    if (world.failures.length === 0) await checkEnd(world);
    if (world.failures.length === 0) await this.observing?.rest();
  }

  /** The table as it stands before the model changes: registered empty, or used without a registry first. */
  private async begin(): Promise<void> {
    const { world, random } = this;
    const isLate = random.chance(0.35);
    for (const lane of world.lanes) void deliver(world, lane);
    if (!isLate && this.observing?.isEarly) this.observing.start();
    const [mayBeMixed, isBeside] = [random.chance(0.5), random.chance(0.4)];
    if (!isLate) {
      // Producers that write while an empty table is registered, and a consumer that has not read the registry yet.
      if (isBeside) void this.writeSome(3, 100);
      await this.migrateFully(0);
    } else if (mayBeMixed && world.plan.happens('consumers of two models without a registry')) {
      world.deployed = [0, 1];
      world.hasLitter = true;
    }
    if (world.hasTotalsAndParts) putFirstParts(world);
    await putFirstItems(world, !isLate);
    await this.drain();
    if (isLate) {
      world.deployed = [0];
      // What consumers of two models have left is nobody's until there is a registry.
      if (!world.hasLitter && this.observing?.isEarly) this.observing.start();
      await this.migrateFully(0);
      await this.drain();
    }
    await world.timeline.sleep(SHOWN_MS);
    world.markNow();
    this.observing?.start();
    world.isCalm = false;
  }

  private async writeSome(count: number, withinMs: number): Promise<void> {
    const { world } = this;
    for (let i = 0; i < count; i++) {
      const draws = world.plan.draws('early write');
      await world.timeline.sleep(draws.below(withinMs));
      if (world.plan.happens(`early write ${i}`)) changeSomething(world, draws);
    }
  }

  private async migrateFully(version: number, onStep?: (step: MigrateStep) => void): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const options = { isCalm: true, ...(onStep && { onStep }) };
      const result = await (this.isDivided() ? runDivided : runMigrate)(this.world, version, options);
      if (typeof result === 'object' && 'ended' in result && result.ended.done) {
        this.world.noteBrought(version);
        return;
      }
      await this.world.timeline.sleep(5_000);
    }
    this.world.fail('unfinished', `a migration to model ${version} does not come to its end`);
  }

  /** Waits until every record was delivered; false where code is missing for that. */
  private async drain(): Promise<boolean> {
    const { world, random } = this;
    const untilMs = world.timeline.nowMs + 600_000;
    while (!world.checkDrained()) {
      if (world.givenUp.length > 0) await redriveGivenUp(world, random.oneOf(world.deployed as [number]));
      await world.timeline.sleep(world.givenUp.length > 0 ? 20_000 : 500);
      if (world.timeline.nowMs > untilMs) return false;
    }
    return true;
  }

  private async oneStep(random: Random): Promise<void> {
    const { world } = this;
    const version = random.below(world.specs.length);
    const crashes = random.chance(0.35);
    const chance = random.next();
    world.log(`step ${chance} with model ${version}`);
    if (this.accident !== undefined && random.chance(0.3)) await this.haveAccident(random);
    else if (chance < 0.4) this.start(this.bring(version, crashes, random));
    else if (chance < 0.5) {
      const action = await this.oneAction(random);
      if (action !== undefined) this.start(runMigrate(world, version, { action, crashes }));
    } else if (chance < 0.62) {
      const others = VERSIONS.filter(() => random.chance(0.5));
      world.deployed = others.length > 0 ? [...others] : [version];
    } else if (chance < 0.7) {
      this.start(runCheck(world, version, random.oneOf(MODES), { crashes, onFinding: watched(world) }));
    } else if (chance < 0.74) this.start(runRedrive(world, version));
    else if (chance < 0.78) this.start(redriveGivenUp(world, version));
    else await this.beQuiet(random);
    if (random.chance(0.6)) this.start(redeliver(world));
  }

  private async bring(version: number, crashes: boolean, random: Random): Promise<void> {
    const mostSteps = random.chance(0.25) ? 1 + random.below(5) : undefined;
    const isEager = random.chance(0.4);
    const onStep = ({ step }: MigrateStep): void => {
      if (isEager && step === 'ready') this.start(this.askAtOnce(version));
    };
    if (mostSteps === undefined && this.isDivided()) {
      const runs = random.chance(0.3) ? 2 : 1;
      const divided = Array.from({ length: runs }, () => runDivided(this.world, version, { crashes, onStep }));
      for (const result of await Promise.all(divided)) this.noteIfBrought(version, result);
      return;
    }
    this.noteIfBrought(
      version,
      await runMigrate(this.world, version, { crashes, onStep, ...(mostSteps && { mostSteps }) }),
    );
  }

  /** Whether a migration is made by many workers. It draws by itself, so that schedules without it stay as they are. */
  private isDivided(): boolean {
    const { plan } = this.world;
    return plan.draws('way of a migration').chance(0.35) && plan.happens('divided migrations');
  }

  private noteIfBrought(version: number, result: Run<{ done: boolean }>): void {
    if (typeof result === 'object' && 'ended' in result && result.ended.done) this.world.noteBrought(version);
  }

  /** What has just become ready is asked for by a reader that begins then. */
  private async askAtOnce(version: number): Promise<void> {
    const { world } = this;
    if (!world.plan.happens('readers that begin when something is ready')) return;
    world.count('readers that begin when something is ready');
    const reader = new ReadingProcess(world, version);
    await this.patiently(reader, reader.askAll());
  }

  /** A tool that runs beside everything else. */
  private start(tool: Promise<unknown>): void {
    const run = tool.catch((error: Error) => this.world.fail('threw', `a tool fails: ${error.stack}`));
    this.tools.add(run);
    void run.finally(() => this.tools.delete(run));
  }

  /** What only people can mend: until a migration has noticed it, nothing is promised. */
  private async haveAccident(random: Random): Promise<void> {
    const { world, accident } = this;
    const { timeline } = world;
    this.accident = undefined;
    if (!world.plan.happens(`accident: ${accident}`)) return;
    world.log(`accident: ${accident}`);
    world.count(`accident: ${accident}`);
    if (accident === 'two days') return await this.passTwoDays();
    const backup = accident === 'restore' ? world.table.backup() : [];
    const observed = this.observing?.saved;
    await timeline.sleep(random.below(60_000));
    this.isProducing = false;
    await this.cutOff();
    if (accident === 'registry deleted') {
      world.wasForgotten = true;
      for (const { key } of world.table.backup()) if (key.source === '~edgeloom') world.table.write(key, undefined);
      this.observing?.accident(accident, observed);
    } else {
      world.hasLostRecords = true;
      const id = accident === 'restore' ? 'table-2' : world.identity.id;
      world.identity = { id, streamLabel: '2026-03-02T00:00:00.000' };
      if (accident === 'restore') world.restore(backup);
      world.newStream();
      this.observing?.accident(accident, observed);
      if (world.plan.happens('writes after an accident that no record tells of'))
        world.unrecorded(() => {
          for (let i = random.below(3); i > 0; i--) changeSomething(world, random);
        });
      for (const lane of world.lanes) void deliver(world, lane);
    }
    const version = random.below(3);
    world.deployed = [version];
    world.isCalm = true;
    this.isProducing = random.chance(0.5) && accident !== 'registry deleted';
    // From here on nothing counts as ready that was not verified: readers that begin now are told nothing wrong.
    const onStep = ({ step }: MigrateStep): void => {
      if (step !== 'doubt' || !world.isLenient) return;
      this.dropReaders();
      this.promiseAgain();
    };
    await this.migrateFully(version, onStep);
    this.isProducing = false;
    await this.drain();
    await timeline.sleep(SHOWN_MS);
    if (world.isLenient) this.promiseAgain();
    world.markNow();
    world.isCalm = false;
    this.isProducing = true;
  }

  /** Everything that works with the table ends, and nothing is promised. */
  private async cutOff(): Promise<void> {
    const { world } = this;
    world.isLenient = true;
    world.epoch += 1;
    world.endProcesses();
    await Promise.all(this.tools);
    // Of two runs side by side one may have ended long ago: it is noted when the other ends, which is now.
    world.brought.clear();
    this.dropReaders();
  }

  private promiseAgain(): void {
    const { world } = this;
    world.epoch += 1;
    world.isLenient = false;
    world.history.mark(world.timeline.nowMs);
  }

  private dropReaders(): void {
    this.readers.length = 0;
  }

  /** Tombstones expire, and so do records: what stood still for so long is dead. */
  private async passTwoDays(): Promise<void> {
    const { world } = this;
    this.isProducing = false;
    if (await this.drain()) {
      world.endProcesses();
      await Promise.all(this.tools);
      this.dropReaders();
      world.timeline.skip(50 * 3_600_000);
      if (world.checkDrained()) {
        for (const lane of world.lanes) {
          lane.records = [];
          lane.done = 0;
        }
        world.table.expire();
      }
    }
    this.isProducing = true;
  }

  private async oneAction(random: Random): Promise<Action | undefined> {
    const registry = await registryOf(this.world);
    const names = [...(registry?.projections ?? [])].flatMap(([name, { generations }]) => [
      name,
      ...generations.map(({ id }) => `${name}@${id}`),
    ]);
    if (names.length === 0) return undefined;
    this.world.tookAway = true;
    const action = { kind: random.oneOf(ACTIONS), name: random.oneOf(names as [string]) };
    this.world.log(`${action.kind} ${action.name}`);
    return action;
  }

  private async produce(): Promise<void> {
    const { world } = this;
    this.isProducing = true;
    for (let i = 1; !world.isEnding; i++) {
      const random = world.plan.draws('write');
      await world.timeline.sleep(random.below(random.chance(0.5) ? 2_000 : 30_000));
      if (this.isProducing && world.plan.happens(`write ${i}`)) changeSomething(world, random);
    }
  }

  /** Parts change apart from everything else, so that schedules without them stay as they are. */
  private async produceParts(): Promise<void> {
    const { world } = this;
    for (let i = 1; !world.isEnding; i++) {
      const random = world.plan.draws('write of a part');
      await world.timeline.sleep(random.below(random.chance(0.5) ? 5_000 : 60_000));
      if (this.isProducing && world.plan.happens(`part ${i}`)) changePart(world, random);
    }
  }

  /** A reader's life: questions at any time, and now and then a new process. */
  private async read(version: number): Promise<void> {
    const { world } = this;
    const random = world.plan.draws('reader');
    while (!world.isEnding) {
      await world.timeline.sleep(200 * 2 ** (random.next() * 10));
      if (random.chance(0.03)) this.readers[version] = undefined;
      const reader = this.reader(version);
      // One that ended with its process is never heard of again.
      await this.patiently(reader, reader.ask());
    }
  }

  /** Waits for an answer, if it comes: one that takes longer than a lease is read again, and a slow reader may never have it. */
  private async patiently(reader: ReadingProcess, answer: Promise<unknown>): Promise<void> {
    await Promise.race([answer, reader.ended, this.world.timeline.sleep(PATIENCE_MS)]);
  }

  private reader(version: number): ReadingProcess {
    this.readers[version] ??= new ReadingProcess(this.world, version);
    return this.readers[version];
  }

  /** Producers wait, all is delivered, and readers are asked, one of them everything, while migrations go on. */
  private async beQuiet(random: Random): Promise<void> {
    const { world } = this;
    this.isProducing = false;
    const isDrained = await this.drain();
    await world.timeline.sleep(SHOWN_MS);
    world.markNow();
    if (random.chance(0.5)) this.start(this.bring(random.below(3), false, random));
    await world.timeline.sleep(SHOWN_MS);
    world.count(isDrained ? 'quiet' : 'quiet but blocked');
    const most = random.below(3);
    for (const version of VERSIONS) {
      const reader = this.reader(version);
      const asking = version === most ? reader.askAll() : Promise.all([1, 2, 3, 4].map(() => reader.ask()));
      await this.patiently(reader, asking);
    }
    this.isProducing = true;
  }
}
