import type { RawRecord } from '../../../../src/admin.ts';
import { nativeIndexes } from '../../../../src/core/model/native-indexes.ts';
import type { Moment } from '../../../../src/foundation/clocks.ts';
import type { CompiledModel } from '../../../../src/index.ts';
import { registeredModel, type WriterModel } from '../../../../src/registry/writer-model.ts';
import type { SeedFailure } from '../../kernel/pack.ts';
import { CALM, Process, type Weather } from '../../kernel/process.ts';
import type { Random } from '../../kernel/random.ts';
import { recordOf, type TableChange } from '../../kernel/shown-stream.ts';
import { Table, usualIndexLag } from '../../kernel/table.ts';
import { storeOf } from '../../kernel/table-store.ts';
import { Timeline } from '../../kernel/timeline.ts';
import { Consumers } from './consumers.ts';
import { History } from './history.ts';
import { Plan } from './plan.ts';
import {
  firstSpec,
  graphOf,
  type ModelSpec,
  nextSpec,
  versionsOf,
  withNatives,
  withPackings,
  withTotalsAndParts,
} from './specs.ts';

/** What can be wrong with a schedule. */
export interface EvolutionFailure extends SeedFailure {
  kind:
    | 'wrong' /** an answer is not what the oracle says, or what is stored in the end */
    | 'threw' /** a read, a projector or a tool ended with an error that it may not end with */
    | 'alarm' /** a check finds what is not so, or leaves what has to go */
    | 'unfinished' /** a migration, or the stream, does not come to its end */
    | 'endless' /** the schedule does not come to rest */
    | 'unsound' /** the observer claims a time through which not all is right */
    | 'false-alarm' /** it tells of drift that is none */
    | 'unseen-drift' /** at rest it does not tell of something wrong */
    | 'stalled' /** at rest its time does not move */;
}

/** A shard of the stream: the records of some items, in the order in which they were made. */
export interface Lane {
  records: RawRecord[];
  /** How many were taken off by a consumer that said it is done with them, or by one that gave up. */
  done: number;
  /** Until when its mapping stands still: nobody consumes it. Default: it does not. */
  stoodUntilMs?: number;
  /** Tells its mapping, which has nothing to do, that there is a record. */
  wake: () => void;
}

const LANES = 3;
const START_MS = Date.UTC(2026, 2, 1);
/** Milliseconds that a call of a slow reader takes at most: its answer may take longer than a lease. */
const SLOW_READER_MS = 15_000;

/** All that the processes of one schedule share. */
export class World {
  readonly timeline = new Timeline();
  readonly history = new History();
  /** What happens in the schedule, and who draws. */
  readonly plan: Plan;
  readonly random: Random;
  readonly table: Table;
  readonly specs: readonly ModelSpec[];
  /** Whether models may have totals of edges and parts of nodes, and producers write values for them. */
  readonly hasTotalsAndParts: boolean;
  /** Whether models may have orders and searches that DynamoDB keeps. */
  readonly hasNatives: boolean;
  /** By the code that the checkouts have; in the end they all have all of it. */
  graphs: readonly CompiledModel[];
  /** What projects. */
  readonly consumers = new Consumers(this);
  lanes: Lane[] = [];
  /** Batches that a mapping gave up on, until they are redriven. */
  givenUp: RawRecord[][] = [];
  /** Whether there were any. */
  gaveUp = false;
  /** Models of the consumers that are at work. */
  deployed: number[] = [0];
  /** Whether some model has functions, which another one may lack. */
  readonly hasFunctions: boolean;
  identity = { id: 'table-1', streamLabel: '2026-03-01T00:00:00.000' };
  readonly failures: EvolutionFailure[] = [];
  readonly counters: Record<string, number> = {};
  /** Nothing can be promised at the moment: the registry is gone, or the table was restored. */
  isLenient = false;
  /** Rises with each accident, after which nothing counts that began before it. */
  epoch = 0;
  /** The registry was deleted by hand: what it knew of has no owner any more. */
  wasForgotten = false;
  /** The table was restored, or its stream was made anew: what no migration has verified since may be wrong, and is not ready. */
  hasLostRecords = false;
  /** Models that were brought to the table whole, and when: their readers never hear again that something is not ready. */
  readonly brought = new Map<number, number>();
  /** Consumers of two models wrote before there was a registry: what the registered model never had lies under its plain keys. */
  hasLitter = false;
  /** Something was taken from readers on purpose. */
  tookAway = false;
  isEnding = false;
  /** Nothing stalls, crashes or is refused: at the beginning, and at the end. */
  isCalm = true;
  /** Clocks of parts of DynamoDB: how far each is off, in milliseconds. */
  readonly skews: { server: number; stream: number; machine: number };
  private readonly rough: Weather;
  private processes: Process[] = [];
  private readonly laneOf = new Map<string, number>();
  private sequence = 1_000;
  private isDrained = true;
  private unreadSinceMs = 0;
  isUnrecorded = false;
  private stale: Promise<CompiledModel> | undefined;

  /** @param without what of the schedule is left out, by name. */
  constructor(seed: number, without?: readonly string[]) {
    this.plan = new Plan(seed, without);
    this.random = this.plan.draws('world');
    const { random } = this;
    const first = firstSpec(random);
    const second = nextSpec(first, random);
    const specs = [first, second, random.chance(0.7) ? nextSpec(second, random) : nextSpec(first, random)];
    // They draw by themselves, so that schedules without them stay as they are.
    const draws = this.plan.draws('totals and parts');
    this.hasTotalsAndParts = draws.chance(0.6) && this.plan.happens('totals and parts');
    const packings = this.plan.draws('packings');
    const packed = packings.chance(0.25) && this.plan.happens('packings') ? withPackings(specs, packings) : specs;
    const derived = this.hasTotalsAndParts ? withTotalsAndParts(packed, draws) : packed;
    const natives = this.plan.draws('native');
    this.hasNatives = natives.chance(1 / 3) && this.plan.happens('native lists');
    this.specs = this.hasNatives ? withNatives(derived, natives) : derived;
    this.graphs = this.specs.map((spec) => graphOf(spec));
    this.hasFunctions = this.specs.map(versionsOf).some(({ initial, mark }) => initial + mark > 0);
    this.rough = this.drawWeather();
    const isSkewed = this.plan.happens('clocks that differ');
    const skew = (most: number): number => (random.below(2 * most) - most) * (isSkewed ? 1 : 0);
    this.skews = { server: skew(60_000), stream: skew(60_000), machine: skew(600_000) };
    this.table = new Table(this.timeline, this.plan.draws('table'), (change) => this.record(change), {
      indexLag: usualIndexLag(this.plan.happens('late indexes')),
      nativeIndexes: [],
      indexesOfAll: seed % 3 === 0 && this.plan.happens('indexes of all attributes'),
    });
    this.newStream();
  }

  private drawWeather(): Weather {
    const { plan, random } = this;
    const isRough = random.chance(0.75);
    const drawn = {
      stall: random.oneOf([0, 0.001, 0.004, 0.01, 0.03]),
      longestStallMs: random.oneOf([5_000, 45_000, 400_000, 1_500_000]),
      fault: random.oneOf([0, 0, 0.002, 0.01, 0.05]),
      crash: random.oneOf([0, 0, 0.005, 0.02]),
    };
    const has = (what: string, chance: number): number => (isRough && plan.happens(what) ? chance : 0);
    return {
      stall: has('calls that stand still', drawn.stall),
      longestStallMs: drawn.longestStallMs,
      fault: has('calls that fail', drawn.fault),
      crash: has('calls that are the last', drawn.crash),
    };
  }

  /** How calls fare now. */
  readonly weather = (): Weather => (this.isCalm ? CALM : this.rough);

  /** Whether a call may ever stand still, or land late. */
  get mayLandLate(): boolean {
    return this.rough.stall + this.rough.fault > 0;
  }

  /** How long a call of a reader may stand still, in milliseconds. */
  get longestReaderStallMs(): number {
    return SLOW_READER_MS + (this.rough.stall > 0 ? this.rough.longestStallMs : 0);
  }

  get mayEvict(): boolean {
    return this.specs.some(({ budget }) => budget < 10_000);
  }

  /** DynamoDB's clock, as one part of it tells it: whole seconds, as a header has them. */
  readonly serverTime = async (): Promise<number> =>
    Math.floor((this.timeline.nowMs + this.skews.server) / 1_000) * 1_000;
  /** A machine's clock. */
  readonly machineTime = (): number => this.timeline.nowMs + this.skews.machine;

  /** Clocks of a process: one of the two may stand still, as while a laptop sleeps, or the wall clock is set back now and then. */
  clocksOf(random: Random): () => Moment {
    const { timeline } = this;
    const began = timeline.nowMs;
    const skew = random.below(1_000_000_000);
    const drawn = random.oneOf(['right', 'steady stands', 'wall stands', 'wall goes back'] as const);
    const how = this.plan.happens('clocks that stand still or go back') ? drawn : 'right';
    let setBackMs = 0;
    return () => {
      if (how === 'wall goes back' && random.chance(0.1)) setBackMs += random.below(600_000);
      return {
        steadyMs: how === 'steady stands' ? skew : timeline.nowMs + skew,
        wallMs: how === 'wall stands' ? began : timeline.nowMs - setBackMs,
      };
    };
  }

  /** Tells what happens, to a person who looks at one schedule. */
  log: (text: string) => void = () => undefined;

  noteBrought(version: number): void {
    if (!this.brought.has(version)) this.brought.set(version, this.timeline.nowMs);
  }

  fail(kind: EvolutionFailure['kind'], text: string): void {
    this.failures.push({ kind, message: `${this.seconds()} ${text}` });
  }

  count(name: string, times = 1): void {
    this.counters[name] = (this.counters[name] ?? 0) + times;
  }

  seconds(): string {
    return `${((this.timeline.nowMs - START_MS) / 1000).toFixed(1)} s`;
  }

  /** A process that ends when all do. */
  process(name: string, weather: () => Weather = this.weather): Process {
    const process = new Process(this.timeline, this.plan.draws(name), weather, () => this.count('faults'), name);
    this.processes.push(process);
    return process;
  }

  /** A process that reads: its calls fare so well that an answer comes in the end. */
  readingProcess(isCalm: boolean): Process {
    const { stall, longestStallMs, fault } = this.rough;
    const rough = { stall: Math.min(stall, 0.01), longestStallMs, fault: Math.min(fault, 0.01), crash: 0 };
    const process = this.process('reader', () => (isCalm || this.isCalm ? CALM : rough));
    if (!isCalm && process.random.chance(0.1) && this.plan.happens('slow readers')) process.slowDown(SLOW_READER_MS);
    return process;
  }

  /** An operator adds the indexes that a model needs to the table, before its migration. */
  updateTable(version: number): void {
    for (const index of nativeIndexes(this.graphs[version]!)) this.table.addNativeIndex(index);
  }

  /** Tells whether the table lacks an index that a model needs. */
  lacksIndexes(version: number): boolean {
    return nativeIndexes(this.graphs[version]!).some(({ name }) => !this.table.nativeIndexes!.has(name));
  }

  /** Every process that was begun ends at once, those that stand still too. */
  endProcesses(): void {
    for (const process of this.processes) process.end();
    this.processes = [];
  }

  /** The model of the first batch that asked, for ever: what no writer may do; a planted bug does it. */
  staleModel(own: CompiledModel): WriterModel {
    this.stale ??= registeredModel(
      own,
      storeOf(
        this.table,
        this.process('stale model', () => CALM),
      ),
    ).current();
    const { stale } = this;
    return { current: () => stale };
  }

  /** Whether every record was delivered, or redriven. */
  checkDrained(): boolean {
    const isDrained = this.givenUp.length === 0 && this.lanes.every(({ records, done }) => done === records.length);
    if (isDrained && !this.isDrained) this.history.mark(this.timeline.nowMs);
    this.isDrained = isDrained;
    return isDrained;
  }

  /** All is applied up to now, as far as consumers know. */
  markNow(): void {
    if (this.checkDrained()) this.history.mark(this.timeline.nowMs);
  }

  /** Every record that was made before this moment was answered for. */
  get appliedUpToMs(): number {
    return this.checkDrained() ? this.timeline.nowMs : this.unreadSinceMs;
  }

  /** The table is as it was; its base items are the truth from now on. */
  restore(backup: ReturnType<Table['backup']>): void {
    const { nowMs } = this.timeline;
    const before = this.table.backup();
    this.table.restore(backup);
    for (const { key } of [...before, ...backup])
      if (!key.target.startsWith('~') && key.source !== '~edgeloom')
        this.history.note(key, this.table.current(key), nowMs);
    this.history.forget();
  }

  /** The table has a stream that begins empty. */
  newStream(): void {
    this.lanes = Array.from({ length: LANES }, () => ({ records: [], done: 0, wake: () => undefined }));
    this.givenUp = [];
    this.laneOf.clear();
  }

  /** Something is written of which no record tells: before there was a stream, or while no consumer has read it. */
  unrecorded(write: () => void): void {
    this.isUnrecorded = true;
    write();
    this.isUnrecorded = false;
  }

  private record(change: TableChange): void {
    const { key, after } = change;
    const { nowMs } = this.timeline;
    if (key.source === '~edgeloom') return;
    if (key.target.startsWith('~')) this.count('records of fan-outs');
    else {
      this.markNow();
      this.history.note(key, after, nowMs);
    }
    if (this.isUnrecorded) return;
    const name = `${key.source}\n${key.target}`;
    const { random } = this;
    const lane = this.laneOf.get(name) ?? random.below(LANES);
    this.laneOf.set(name, lane);
    this.sequence += 1 + random.below(3);
    // Numbers of one item rise; those of different shards say nothing of each other.
    const number = String(this.sequence + lane * 1_000_000).padStart(21, '1');
    const made = recordOf(change, number, Math.floor((nowMs + this.skews.stream) / 1000));
    const eventSourceARN = `arn:aws:dynamodb:us-east-1:000000000000:table/records/stream/${this.identity.streamLabel}`;
    if (this.checkDrained()) this.unreadSinceMs = nowMs;
    this.lanes[lane]!.records.push({ ...made, eventSourceARN } as RawRecord);
    this.lanes[lane]!.wake();
    this.isDrained = false;
  }
}
