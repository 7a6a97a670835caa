import type { RawRecord } from '../../../../src/admin.ts';
import { check } from '../../../../src/admin.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { modelToCheck } from '../../../../src/registry/checked.ts';
import { Observer } from '../../../../src/trust/observe/observer.ts';
import type { ObserverState } from '../../../../src/trust/observe/state.ts';
import { CALM, type Process, type Weather } from '../../kernel/process.ts';
import type { Random } from '../../kernel/random.ts';
import { storeOf } from '../../kernel/table-store.ts';
import { type StreamNature, WholeStream } from '../../kernel/whole-stream.ts';
import { EXCEPTIONS, OBSERVER_LIMITS } from '../observer/limits.ts';
import { lacksCode } from './consumers.ts';
import { damageReady, plantStray } from './foreign.ts';
import { isMoving, ObservedJudge } from './observed-judge.ts';
import type { Lane, World } from './world.ts';
import { storedRegistry } from './wrong-items.ts';

const PAGES = [1_000, 1, 2, 5] as const;

/** Draws how the stream is. */
function natureOf(random: Random): StreamNature {
  return {
    shards: 3,
    isLate: random.chance(0.7),
    isSkewed: random.chance(0.6),
    splits: random.oneOf([0, 0, 0.002, 0.01]),
    page: random.oneOf(PAGES),
    keptMs: 24 * 3_600_000,
  };
}

/** The share of the schedules that have an observer. */
const SHARE = 0.4;
const PAUSES = [500, 2_000, 5_000] as const;
const LONGEST_PAUSE_MS = 20_000;
/** How long nothing but the observer may be at work before its last word, in milliseconds. */
const CALM_MS = 60 * 60_000;

/**
 * The observer next to everything else: it reads the whole stream, crashes, is away, and goes on from what it has saved. It only reads, so
 * that the rest of a schedule is what it would be without it, but for what is damaged for it to find.
 */
export class Observing {
  private readonly random: Random;
  private readonly stream: WholeStream;
  private readonly judge: ObservedJudge;
  private state: ObserverState | undefined;
  private process: Process | undefined;
  private observer: Observer | undefined;
  private isStarted = false;
  private hasEnded = false;
  private isResting = false;
  private readonly pauseMs: number;
  private readonly knowsMark: boolean;
  private readonly mostExceptions: number;
  private readonly weather: Weather;
  private readonly plantsStrays: boolean;
  private readonly holdsLanes: boolean;
  /** Whether it begins with the table. */
  readonly isEarly: boolean;

  constructor(private readonly world: World) {
    const random = world.plan.draws('life of an observer');
    this.random = random;
    const streamRandom = world.plan.draws('whole stream');
    const nature = natureOf(streamRandom);
    this.stream = new WholeStream(() => world.timeline.nowMs, streamRandom, nature);
    this.judge = new ObservedJudge(world, world.plan.draws('judge of an observer'));
    const pauseMs = random.oneOf(PAUSES);
    // One that reads a record a turn must not be hours late.
    this.pauseMs = nature.page === 1 ? PAUSES[0] : pauseMs;
    this.knowsMark = random.chance(0.9);
    this.mostExceptions = EXCEPTIONS[random.chance(0.85) ? 0 : 1];
    const isRough = random.chance(0.6) && world.plan.happens('an observer whose calls fail');
    this.weather = {
      stall: isRough ? random.oneOf([0, 0.001, 0.005]) : 0,
      longestStallMs: random.oneOf([5_000, 45_000, 400_000]),
      fault: isRough ? random.oneOf([0, 0.0005, 0.002]) : 0,
      crash: isRough ? random.oneOf([0, 0.0005, 0.002]) : 0,
    };
    this.plantsStrays = random.chance(0.5) && world.plan.happens('strays for an observer');
    this.holdsLanes = random.chance(0.4) && world.plan.happens('lanes that stand still for an observer');
    this.isEarly = random.chance(0.5);
    this.stream.begin(world.identity.streamLabel);
    world.table.listener = (change, writer) => {
      if (!world.isUnrecorded) this.stream.add(change);
      this.judge.note(change, writer);
    };
  }

  /** An observer in a share of the schedules. It draws by itself, so that schedules without it stay as they are. */
  static of(world: World): Observing | undefined {
    const isObserved = world.plan.draws('observer').chance(SHARE) && world.plan.happens('an observer');
    if (isObserved) world.count('observed schedules');
    return isObserved ? new Observing(world) : undefined;
  }

  /** Begins to observe, now or some time later. */
  start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    void this.live();
    if (this.plantsStrays) void this.plant();
    if (this.holdsLanes) void this.holdLanes();
  }

  private async live(): Promise<void> {
    const { world, random } = this;
    await world.timeline.sleep(random.below(random.oneOf([1, 60_000, 300_000])));
    while (!this.hasEnded) {
      const process = world.process('observer', () => (world.isCalm ? CALM : this.weather));
      this.process = process;
      const observing = this.observe(process).catch((error: Error) => this.ended(error));
      await Promise.race([observing, process.crashed]);
      process.end();
      if (this.hasEnded) return;
      world.count('observed: restarts');
      await world.timeline.sleep(random.below(this.isResting ? 1_000 : random.oneOf([1_000, 60_000, 600_000])));
    }
  }

  /** A run ends with a call that failed, or where code is missing: the next one begins with what was saved. */
  private ended(error: Error): void {
    if (error.name !== 'StoreError') this.world.fail('threw', `the observer fails: ${error.stack}`);
    this.world.count('observed: runs that fail');
  }

  /** One process of the observer. */
  private async observe(process: Process): Promise<void> {
    const { world, random, stream, judge } = this;
    const { timeline } = world;
    const store = storeOf(world.table, process);
    const graph = this.graph();
    const source = stream.source((effect) => process.call(effect));
    const observer = new Observer(
      {
        ...{ model: modelToCheck(graph, store), store, source },
        ...{ table: graph.table, now: () => timeline.nowMs },
        lowWatermark: async () => (this.knowsMark ? this.appliedUpToMs() : undefined),
        onDrift: (drift) => {
          // The answer of a call that stood still may reach a process that has ended.
          if (!process.isDead) judge.alarm(drift);
        },
        limits: { ...OBSERVER_LIMITS, mostExceptions: this.mostExceptions },
      },
      this.state,
    );
    this.observer = observer;
    let pauseMs = this.pauseMs;
    while (!process.isDead && !this.hasEnded) {
      const { isIdle } = await observer.runTurn();
      pauseMs = isIdle ? Math.min(LONGEST_PAUSE_MS, pauseMs * 2) : this.pauseMs;
      if (process.isDead) return;
      if (observer.needsWholeCheck) await this.base(process, graph, observer);
      if (process.isDead) return;
      judge.claim(observer);
      if (random.chance(0.7)) this.state = structuredClone(observer.stateToSave());
      if (!world.isCalm && random.chance(0.003) && world.plan.happens('observers that crash')) return;
      await timeline.sleep(pauseMs);
    }
  }

  /** The model of a process: while there is no registry, that of the consumers; later any. In the end it has all functions. */
  private graph(): CompiledModel {
    const { world, random } = this;
    const drawn = random.below(world.specs.length);
    if (storedRegistry(world) === undefined) return world.graphs[world.deployed[0]!]!;
    const capable = world.specs.findIndex((_, version) => !lacksCode(world, version));
    return world.graphs[this.isResting && capable >= 0 ? capable : drawn]!;
  }

  /** Every record that was made before this time is applied. */
  private appliedUpToMs(): number {
    const { lanes, givenUp, timeline, skews } = this.world;
    const waiting = [...lanes.map(({ records, done }) => records[done]), ...givenUp.map(([first]) => first)];
    const madeMs = waiting.flatMap((record) => (record === undefined ? [] : [madeAtMs(record) - skews.stream]));
    return Math.min(timeline.nowMs, ...madeMs);
  }

  /** A check of the whole table, as the base of the proof. */
  private async base(process: Process, graph: CompiledModel, observer: Observer): Promise<void> {
    const { world } = this;
    const { timeline } = world;
    const left: ItemKey[] = [];
    const beganMs = timeline.nowMs;
    await check(graph, {
      ...{ store: storeOf(world.table, process), mode: 'report', graceMs: 1_000, segments: 2 },
      now: () => timeline.nowMs,
      wait: (milliseconds) => timeline.sleep(milliseconds),
      random: () => process.random.next(),
      onFinding: ({ source, target }) => void left.push({ source, target }),
    });
    if (process.isDead) return;
    await observer.endWholeCheck(beganMs, left);
    world.count('observed: bases');
    if (left.length > 0) world.count('observed: bases with differences');
  }

  /** Items that no base item asks for, of generations of any kind: only the observer finds them. */
  private async plant(): Promise<void> {
    const { world } = this;
    while (!world.isEnding) {
      const random = world.plan.draws('stray');
      await world.timeline.sleep(random.below(300_000));
      if (!world.isEnding && !world.isLenient) plantStray(world, random);
    }
  }

  /** A shard that nobody consumes for minutes, so that records are on their way while a model becomes ready. */
  private async holdLanes(): Promise<void> {
    const { world } = this;
    const { timeline } = world;
    while (!world.isEnding) {
      const random = world.plan.draws('lane that stands still');
      await timeline.sleep(random.below(60_000));
      const registry = storedRegistry(world);
      if (world.isEnding || world.isCalm || registry === undefined || !isMoving(registry)) continue;
      random.oneOf(world.lanes as [Lane]).stoodUntilMs = timeline.nowMs + random.below(240_000);
      world.count('observed: lanes that stand still');
    }
  }

  /** What only people can mend has happened: the state of the observer lies in the table. */
  accident(kind: string | undefined, before: ObserverState | undefined): void {
    const { world } = this;
    this.judge.forget();
    if (kind === 'registry deleted') this.state = undefined;
    else this.stream.begin(world.identity.streamLabel);
    if (kind === 'restore') this.state = before;
  }

  /** The state, for a backup of the table. */
  get saved(): ObserverState | undefined {
    return structuredClone(this.state);
  }

  /** Everything else is at rest. Some items are damaged; then the observer tells of all that is wrong, and its time moves. */
  async rest(): Promise<void> {
    const { world } = this;
    const { timeline } = world;
    this.isResting = true;
    this.judge.judgeAlarms();
    // What is damaged now, no answer of a reader that still waits for it is judged by.
    world.epoch += 1;
    this.process?.end();
    if (world.specs.every((_, version) => lacksCode(world, version))) {
      this.hasEnded = true;
      world.count('observed: ends that no model has the code to observe');
      return;
    }
    const random = world.plan.draws('damage in the end');
    await timeline.sleep(random.below(600_000));
    const damaged = random.chance(0.5) && world.plan.happens('damage in the end') ? damageReady(world, random) : 0;
    if (damaged > 0) world.count('observed: damaged items', damaged);
    const calmMs = timeline.nowMs;
    while (timeline.nowMs < calmMs + CALM_MS && world.failures.length === 0) {
      await timeline.sleep(30_000);
      if ((this.observer?.verifiedThroughMs ?? 0) > calmMs + 180_000) break;
    }
    this.hasEnded = true;
    const { observer } = this;
    if (world.failures.length > 0 || observer === undefined) return;
    this.judge.lastWord(observer);
    const { verifiedThroughMs = 0, drift, heldBy } = observer;
    if (verifiedThroughMs > calmMs || drift.length > this.mostExceptions) return;
    world.fail(
      'stalled',
      `verified through ${timeline.nowMs - verifiedThroughMs} ms ago although all is calm, held by ${heldBy}`,
    );
  }
}

/** When a record was made, by the clock of the stream. */
function madeAtMs({ dynamodb }: RawRecord): number {
  return Number(dynamodb?.ApproximateCreationDateTime) * 1_000;
}
