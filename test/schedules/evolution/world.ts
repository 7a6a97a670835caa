import type { CompiledModel } from '../../../src/index.ts';
import type { RawRecord } from '../../../src/tools.ts';
import { Random } from '../../simulator/random.ts';
import { History } from './history.ts';
import { Process, type Weather } from './process.ts';
import { firstSpec, graphOf, type ModelSpec, nextSpec } from './specs.ts';
import { Table, type TableChange } from './table.ts';
import { Timeline } from './timeline.ts';

/** A shard of the stream: the records of some items, in the order in which they were made. */
export interface Lane {
  records: RawRecord[];
  /** How many were taken off by a consumer that said it is done with them, or by one that gave up. */
  done: number;
}

const LANES = 3;

/** All that the processes of one schedule share. */
export class World {
  readonly random: Random;
  readonly timeline = new Timeline();
  readonly history = new History();
  readonly table: Table;
  readonly specs: readonly ModelSpec[];
  readonly graphs: readonly CompiledModel[];
  readonly weather: Weather;
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
  readonly failures: string[] = [];
  readonly tally = new Map<string, number>();
  /** Nothing can be promised at the moment: the registry is gone, or the table was restored. */
  isLenient = false;
  /** The registry was deleted by hand: what it knew of has no owner any more. */
  wasForgotten = false;
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
  private processes: Process[] = [];
  private readonly laneOf = new Map<string, number>();
  private sequence = 1_000;
  private isDrained = true;

  constructor(seed: number) {
    this.random = new Random(seed);
    const { random } = this;
    const first = firstSpec(random);
    const second = nextSpec(first, random);
    this.specs = [first, second, random.chance(0.7) ? nextSpec(second, random) : nextSpec(first, random)];
    this.graphs = this.specs.map((spec) => graphOf(spec));
    this.hasFunctions = this.specs.map(versionsOf).some(({ initial, mark }) => initial + mark > 0);
    this.weather = {
      stall: random.oneOf([0, 0.001, 0.004, 0.01]),
      longestStallMs: random.oneOf([5_000, 45_000, 400_000, 1_500_000]),
      fault: random.oneOf([0, 0, 0.002, 0.01]),
    };
    const skew = (most: number): number => random.below(2 * most) - most;
    this.skews = { server: skew(60_000), stream: skew(60_000), machine: skew(600_000) };
    this.table = new Table(this.timeline, random, (change) => this.record(change));
    this.newStream();
  }

  get mayEvict(): boolean {
    return this.specs.some(({ budget }) => budget < 10_000);
  }

  /** DynamoDB's clock, as one part of it tells it. */
  readonly serverTime = async (): Promise<number> => this.timeline.nowMs + this.skews.server;
  /** A machine's clock. */
  readonly machineTime = (): number => this.timeline.nowMs + this.skews.machine;

  /** Tells what happens, to a person who looks at one schedule. */
  log: (text: string) => void = () => undefined;

  noteBrought(version: number): void {
    if (!this.brought.has(version)) this.brought.set(version, this.timeline.nowMs);
  }

  fail(text: string): void {
    this.failures.push(`${this.seconds()} ${text}`);
  }

  count(name: string): void {
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  seconds(): string {
    return `${((this.timeline.nowMs - Date.UTC(2026, 2, 1)) / 1000).toFixed(1)} s`;
  }

  /** A process that ends when all do. */
  process(weather: Weather = this.weather): Process {
    const process = new Process(this.timeline, this.random, weather);
    this.processes.push(process);
    return process;
  }

  /** Every process that was begun ends at once, those that stand still too. */
  endProcesses(): void {
    for (const process of this.processes) process.end();
    this.processes = [];
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
    this.lanes = Array.from({ length: LANES }, () => ({ records: [], done: 0 }));
    this.givenUp = [];
    this.laneOf.clear();
  }

  private record({ key, before, after }: TableChange): void {
    const { nowMs } = this.timeline;
    const name = `${key.source}\n${key.target}`;
    if (!key.target.startsWith('~') && key.source !== '~edgeloom') {
      this.markNow();
      this.history.note(key, after, nowMs);
    }
    const lane = this.laneOf.get(name) ?? this.random.below(LANES);
    this.laneOf.set(name, lane);
    this.sequence += 1 + this.random.below(3);
    const dynamodb = {
      Keys: { source: { S: key.source }, target: { S: key.target } },
      // Numbers of one item rise; those of different shards say nothing of each other.
      SequenceNumber: String(this.sequence + lane * 1_000_000).padStart(21, '1'),
      ApproximateCreationDateTime: Math.floor((nowMs + this.skews.stream) / 1000),
      ...(before && { OldImage: before }),
      ...(after && { NewImage: after }),
    };
    const eventName = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
    const eventSourceARN = `arn:aws:dynamodb:us-east-1:000000000000:table/records/stream/${this.identity.streamLabel}`;
    this.lanes[lane]!.records.push({ eventName, eventSourceARN, dynamodb });
    this.isDrained = false;
  }
}

/** The versions of the functions that a model means; 0 where it has none. */
export function versionsOf({ searches, edge }: ModelSpec): { initial: number; mark: number } {
  const order = searches['initial']?.order;
  return { initial: order?.by === 'derive' ? order.version : 0, mark: edge.set === false ? 0 : edge.mark };
}
