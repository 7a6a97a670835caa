import { deliver, redeliver, redriveGivenUp } from './consumers.ts';
import { checkEnd } from './ending.ts';
import { changeSomething, putFirstItems } from './producers.ts';
import { ReadingProcess } from './questions.ts';
import { type Action, registryOf, runCheck, runMigrate, runRedrive } from './tools.ts';
import { World } from './world.ts';

/** Options of one schedule. */
export interface RunOptions {
  /** Gets the world as it is at the end. */
  report?: (world: World) => void;
  /** Tells what happens. */
  log?: (text: string) => void;
  /** What shall happen once. Default: now and then one of them. */
  accident?: Accident;
}

/**
 * One schedule of a model that changes beside live traffic, on a table, streams and an oracle of its own. What is stable
 * has to be in every answer that is no error; what changes, in a state that it had since all was last applied.
 */
export async function runEvolution(seed: number, options: RunOptions = {}): Promise<string[]> {
  const { report, log, accident } = options;
  const world = new World(seed);
  if (log !== undefined) world.log = (text) => log(`${world.seconds()} ${text}`);
  const schedule = new Schedule(world, accident);
  try {
    await world.timeline.run(schedule.run());
  } catch (error) {
    world.fail(`the schedule breaks off: ${(error as Error).stack}`);
  }
  report?.(world);
  return world.failures;
}

/** A backup that is restored, a stream that is made anew, a registry that is deleted, two days in which nothing happens. */
const ACCIDENTS = ['restore', 'new stream', 'registry deleted', 'two days'] as const;
export type Accident = (typeof ACCIDENTS)[number];

const KINDS = ['withdraw', 'retire', 'drop'] as const;

class Schedule {
  private isProducing = false;
  private readonly tools = new Set<Promise<unknown>>();
  private readonly readers: (ReadingProcess | undefined)[] = [];
  /** What happens once in some schedules. */
  private accident: Accident | undefined;
  private backup: ReturnType<World['table']['backup']> = [];

  constructor(
    private readonly world: World,
    accident: Accident | undefined,
  ) {
    if (!world.hasFunctions && world.random.chance(0.3)) this.accident = world.random.oneOf(ACCIDENTS);
    this.accident = accident ?? this.accident;
  }

  async run(): Promise<void> {
    const { world } = this;
    const { random, timeline } = world;
    await this.begin();
    if (world.failures.length > 0) return;
    for (const version of [0, 1, 2]) void this.read(version);
    if (random.chance(0.3)) void this.read(0);
    void this.produce();
    for (let step = 4 + random.below(7); step > 0 && world.failures.length === 0; step--) {
      await this.oneStep();
      await timeline.sleep(random.below(random.chance(0.5) ? 2_000 : 60_000));
    }
    this.isProducing = false;
    world.isEnding = true;
    await Promise.all(this.tools);
    world.isCalm = true;
    if (world.failures.length === 0) await checkEnd(world);
  }

  /** The table as it stands before the model changes: registered empty, or used without a registry first. */
  private async begin(): Promise<void> {
    const { world } = this;
    const { random } = world;
    const isLate = random.chance(0.3);
    for (const lane of world.lanes) void deliver(world, lane);
    if (!isLate) await this.migrateFully(0);
    if (isLate && random.chance(0.5)) {
      world.deployed = [0, 1];
      world.hasLitter = true;
    }
    await putFirstItems(world);
    await this.drain();
    if (isLate) {
      world.deployed = [0];
      await this.migrateFully(0);
      await this.drain();
    }
    world.markNow();
    await world.timeline.sleep(10_000);
    world.markNow();
    world.isCalm = false;
  }

  private async migrateFully(version: number): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const result = await runMigrate(this.world, version, { isCalm: true });
      if (typeof result === 'object' && 'ended' in result && result.ended.done) {
        this.world.noteBrought(version);
        return;
      }
      await this.world.timeline.sleep(5_000);
    }
    this.world.fail(`a migration to model ${version} does not come to its end`);
  }

  /** Waits until every record was delivered; false where code is missing for that. */
  private async drain(): Promise<boolean> {
    const { world } = this;
    const untilMs = world.timeline.nowMs + 600_000;
    while (!world.checkDrained()) {
      if (world.givenUp.length > 0) await redriveGivenUp(world, world.random.oneOf(world.deployed as [number]));
      await world.timeline.sleep(500);
      if (world.timeline.nowMs > untilMs) return false;
    }
    return true;
  }

  private async oneStep(): Promise<void> {
    const { world } = this;
    const { random } = world;
    const version = random.below(world.specs.length);
    const crashes = random.chance(0.35);
    const chance = random.next();
    world.log(`step ${chance} with model ${version}`);
    if (this.accident !== undefined && random.chance(0.25)) await this.haveAccident();
    else if (chance < 0.4) this.start(this.bring(version, crashes));
    else if (chance < 0.5) {
      const action = await this.oneAction();
      if (action !== undefined) this.start(runMigrate(world, version, { action, crashes }));
    } else if (chance < 0.65) {
      const others = [0, 1, 2].filter(() => random.chance(0.5));
      world.deployed = others.length > 0 ? others : [version];
    } else if (chance < 0.7) this.start(runCheck(world, version, random.oneOf(['repair', 'rebuild']), { crashes }));
    else if (chance < 0.75) this.start(runRedrive(world, version));
    else if (chance < 0.82) this.start(redeliver(world));
    else if (chance < 0.86) this.start(redriveGivenUp(world, version));
    else await this.beQuiet();
    if (random.chance(0.5)) this.start(redeliver(world));
  }

  private async bring(version: number, crashes: boolean): Promise<void> {
    const result = await runMigrate(this.world, version, { crashes });
    if (typeof result === 'object' && 'ended' in result && result.ended.done) this.world.noteBrought(version);
  }

  /** A tool that runs beside everything else. */
  private start(tool: Promise<unknown>): void {
    const run = tool.catch((error: Error) => this.world.fail(`a tool fails: ${error.stack}`));
    this.tools.add(run);
    void run.finally(() => this.tools.delete(run));
  }

  /** What only people can mend: until a migration has come to its end, nothing is promised. */
  private async haveAccident(): Promise<void> {
    const { world, accident } = this;
    const { random, timeline } = world;
    this.accident = undefined;
    world.log(`accident: ${accident}`);
    world.count(`accident: ${accident}`);
    if (accident === 'two days') return await this.passTwoDays();
    if (accident === 'restore') this.backup = world.table.backup();
    await timeline.sleep(random.below(60_000));
    world.isLenient = true;
    this.isProducing = false;
    world.endProcesses();
    await Promise.all(this.tools);
    for (let version = 0; version < 3; version++) this.readers[version] = undefined;
    if (accident === 'registry deleted') {
      world.wasForgotten = true;
      for (const { key } of world.table.backup()) if (key.source === '~edgeloom') world.table.write(key, undefined);
    } else {
      const id = accident === 'restore' ? 'table-2' : world.identity.id;
      world.identity = { id, streamLabel: '2026-03-02T00:00:00.000' };
      if (accident === 'restore') world.restore(this.backup);
      world.newStream();
      for (const lane of world.lanes) void deliver(world, lane);
    }
    const version = random.below(3);
    world.brought.clear();
    world.deployed = [version];
    world.isCalm = true;
    this.isProducing = random.chance(0.5) && accident !== 'registry deleted';
    await this.migrateFully(version);
    this.isProducing = false;
    await this.drain();
    await timeline.sleep(8_000);
    world.markNow();
    world.isLenient = false;
    world.isCalm = false;
    this.isProducing = true;
  }

  /** Tombstones expire, and so do records: what stood still for so long is dead. */
  private async passTwoDays(): Promise<void> {
    const { world } = this;
    this.isProducing = false;
    if (await this.drain()) {
      world.endProcesses();
      await Promise.all(this.tools);
      for (let version = 0; version < 3; version++) this.readers[version] = undefined;
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

  private async oneAction(): Promise<Action | undefined> {
    const { random } = this.world;
    const registry = await registryOf(this.world);
    if (registry === undefined) return undefined;
    const names = [...registry.projections].flatMap(([name, { generations }]) => [
      name,
      ...generations.map(({ id }) => `${name}@${id}`),
    ]);
    if (names.length === 0) return undefined;
    this.world.tookAway = true;
    const action = { kind: random.oneOf(KINDS), name: random.oneOf(names as [string]) };
    this.world.log(`${action.kind} ${action.name}`);
    return action;
  }

  private async produce(): Promise<void> {
    const { world } = this;
    const { random, timeline } = world;
    this.isProducing = true;
    while (!world.isEnding) {
      await timeline.sleep(random.below(random.chance(0.5) ? 400 : 12_000));
      if (this.isProducing) changeSomething(world);
    }
  }

  /** A reader's life: questions at any time, and now and then a new process. */
  private async read(version: number): Promise<void> {
    const { world } = this;
    const { random, timeline } = world;
    while (!world.isEnding) {
      const pause = 20 * 2 ** (random.next() * 13);
      await timeline.sleep(pause);
      if (random.chance(0.03)) this.readers[version] = undefined;
      this.readers[version] ??= new ReadingProcess(world, version);
      const reader = this.readers[version];
      // One that ended with its process is never heard of again.
      await Promise.race([askOnce(world, reader, version), reader.ended]);
    }
  }

  /** Producers wait, all is delivered, and every reader is asked. */
  private async beQuiet(): Promise<void> {
    const { world } = this;
    this.isProducing = false;
    const isDrained = await this.drain();
    await world.timeline.sleep(8_000);
    world.markNow();
    await world.timeline.sleep(8_000);
    world.count(isDrained ? 'quiet' : 'quiet but blocked');
    for (const version of [0, 1, 2]) {
      this.readers[version] ??= new ReadingProcess(world, version);
      const reader = this.readers[version];
      for (let i = 0; i < 6; i++) await askOnce(world, reader, version);
    }
    this.isProducing = true;
  }
}

export async function askOnce(world: World, reader: ReadingProcess, version: number): Promise<string | undefined> {
  // A reader may go on for a lease with what it has read before.
  const wasReady = (world.brought.get(version) ?? Number.POSITIVE_INFINITY) + 31_000 < world.timeline.nowMs;
  const { question, refused, problems } = await reader.ask();
  world.log(`model ${version}: ${question} ${refused ?? problems.join('; ')}`);
  if (refused === 'projection-not-ready' && wasReady && !world.tookAway && !world.isLenient)
    world.fail(`a reader of model ${version} hears that something is not ready, although it was once`);
  world.count(refused === undefined ? 'answered' : `refused: ${refused}`);
  if (problems.length > 0 && !world.isLenient)
    world.fail(`a reader of model ${version} asks "${question}": ${problems.join('; ')}`);
  return refused;
}
