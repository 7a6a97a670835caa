import { check, createProjector, type Finding, redrive } from '../../../../src/admin.ts';
import { decodeRecords } from '../../../../src/stream/decode.ts';
import type { Pack, SeedFailure, SeedOutcome } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';
import { Table } from '../../kernel/table.ts';
import { damageAll } from './damage.ts';
import { differences, quarantineDifferences } from './judge.ts';
import { Producers, throwCast } from './producers.ts';
import { type Spec, throwSpec } from './spec.ts';
import { type Actor, drain, Stage } from './stage.ts';
import { type Faults, storeOf } from './store.ts';
import { type Shard, STREAM_ARN, Streams } from './streams.ts';
import { truthOf } from './truth.ts';

/** A consumer's place in a shard. */
interface Lane {
  shard: Shard;
  position: number;
  /** No replay goes back beyond: the stream has forgotten it. */
  floor: number;
  running?: Actor;
}

type Event =
  | 'step'
  | 'produce'
  | 'deliver'
  | 'replay'
  | 'crash'
  | 'leave'
  | 'redrive'
  | 'repair'
  | 'split'
  | 'expire'
  | 'silence'
  | 'lose';

const DAY_MS = 24 * 3_600_000;
/** Longer than a tombstone stands. */
const SILENCE_MS = 50 * 3_600_000;
const MOST_STEPS = 60_000;

/** The pack of totals and parts. */
export const PACK: Pack = { run: (seed) => new Schedule(seed).play() };

/** One schedule: a model, producers, consumers and everything that may befall them, all thrown from the seed. */
class Schedule {
  private readonly dice: Random;
  private readonly spec: Spec;
  private readonly stage: Stage;
  private readonly table: Table;
  private readonly streams: Streams;
  private readonly faults: Faults = { refused: 0, lost: 0 };
  private readonly groups: Lane[][];
  private readonly producers: Producers;
  private readonly weights: Record<Event, number>;
  private readonly ids: string[];
  private readonly mostRecords: number;
  private readonly counters: Record<string, number> = {};
  /** How many changes a read may be behind; 0: none, everything is quiet. */
  private lag = 0;
  /** The moments of the table. */
  private readonly ticks = { nowMs: 1 };
  private actors: Actor[] = [];
  private busy = 0;
  private steps = 0;
  private lost = false;
  private readonly mayLackRoom: boolean;
  private failure: unknown;

  constructor(seed: number) {
    const dice = new Random(seed);
    this.dice = dice;
    this.spec = throwSpec(dice);
    this.stage = new Stage(dice);
    const { ticks } = this;
    // A read, and an index, is so many changes behind.
    const behind = (): number => (this.lag === 0 ? 0 : dice.below(this.lag + 1));
    this.table = new Table(ticks, dice, (change) => this.streams.append(change, this.stage.nowMs), {
      ...{ names: this.spec.names, indexLag: behind, readLag: behind },
    });
    this.streams = new Streams(this.spec.names, dice, dice.between(1, 3));
    // Every change is a moment of its own.
    this.table.listener = () => {
      ticks.nowMs += 1;
    };
    this.table.tellsUnchanged = dice.chance(0.2);
    this.groups = Array.from({ length: dice.chance(0.35) ? 2 : 1 }, () => []);
    this.mostRecords = dice.pick([1, 3, 10, 40]);
    const cast = throwCast(dice);
    this.mayLackRoom = cast.manyGroups;
    const producer: Actor = { name: 'producer', alive: true, slow: false };
    const line = { stage: this.stage, table: this.table, dice, faults: this.faults };
    this.producers = new Producers(
      this.spec,
      cast,
      this.table,
      dice,
      () => this.stage.nowMs,
      storeOf(line, producer),
      (ms) => this.stage.wait(producer, ms),
    );
    const filled = cast.manyGroups ? Array.from({ length: 60 }, (_, i) => [`USER-F${i}`, `PROJECT-F${i}`]).flat() : [];
    this.ids = [...cast.users, ...cast.projects, ...filled];
    const often = (probability: number, weight: number): number => (dice.chance(probability) ? weight : 0);
    this.weights = {
      step: 60,
      produce: dice.pick([0.2, 1, 4]),
      deliver: dice.pick([0.5, 3, 9]),
      replay: often(0.6, dice.pick([0.1, 0.6])),
      crash: often(0.5, dice.pick([0.1, 0.5])),
      leave: often(0.5, dice.pick([0.1, 0.5])),
      redrive: often(0.5, 0.15),
      repair: often(0.5, dice.pick([0.02, 0.1])),
      split: often(0.3, 0.05),
      expire: 0.2,
      silence: often(0.3, 0.3),
      lose: often(0.1, 0.15),
    };
    if (cast.manyGroups) this.fillGroups();
  }

  /** Plays the schedule to its end, and judges it. */
  async play(): Promise<SeedOutcome> {
    const { dice, stage, table } = this;
    this.lag = dice.pick([0, 5, 40]);
    table.commitCalls = dice.pick([0, 4]);
    this.faults.refused = dice.pick([0, 0, 0.05, 0.2]);
    this.faults.lost = dice.pick([0, 0, 0.05]);
    let changes = dice.pick([5, 12, 25]);
    while (changes > 0 && this.failure === undefined) {
      const event = dice.weighted(this.weights);
      if (!this.happens(event)) continue;
      if (event === 'produce') changes -= 1;
      this.count(event);
      await this.breathe();
    }
    this.faults.refused = 0;
    this.faults.lost = 0;
    await this.untilQuiet();
    stage.calm = true;
    this.lag = 0;
    // By now everything shows.
    this.ticks.nowMs += 1_000;
    table.commitCalls = 0;
    const failures: SeedFailure[] = [];
    if (this.failure === undefined) await this.atRest((kind, message) => failures.push({ kind, message }));
    if (this.failure !== undefined) failures.unshift({ kind: 'thrown', message: describe(this.failure) });
    return { failures, counters: this.counters };
  }

  // ---- events

  private happens(event: Event): boolean {
    const { dice, stage, table } = this;
    if (event === 'step') return stage.step();
    if (event === 'produce') return this.launch(() => this.producers.act());
    if (event === 'deliver') return this.deliver();
    if (event === 'replay') return this.replay();
    if (event === 'redrive') return this.launch(() => this.redriveAll());
    if (event === 'repair') return this.launch(() => this.repairAll());
    if (event === 'split') {
      this.streams.split(dice.chance(0.7));
      return true;
    }
    if (event === 'expire') {
      table.expire(stage.nowMs);
      return true;
    }
    if (event === 'silence') return this.fallSilent();
    if (event === 'lose') return this.loseBatch();
    const running = this.actors.filter(({ alive }) => alive);
    if (running.length === 0) return false;
    const actor = dice.pick(running);
    if (event === 'crash') {
      stage.crash(actor, 0.5);
      this.end(actor);
    } else if (this.actors.filter(({ slow }) => slow).length < 3) {
      actor.slow = true;
      for (const lane of this.groups.flat()) if (lane.running === actor) delete lane.running;
    }
    return true;
  }

  /** Begins a batch of a lane that has records and no invocation. */
  private deliver(): boolean {
    const idle = this.lanes().filter((lane) => lane.running === undefined && lane.position < lane.shard.records.length);
    if (idle.length === 0) return false;
    const lane = this.dice.pick(idle);
    const from = lane.position;
    const records = lane.shard.records.slice(from, from + this.dice.between(1, this.mostRecords));
    return this.launch(async (actor) => {
      lane.running = actor;
      const deadline = this.dice.chance(0.85) ? undefined : this.stage.nowMs + this.dice.between(20, 4_000);
      const projector = createProjector(this.spec.graph, {
        ...this.runtime(actor),
        concurrency: this.dice.pick([1, 4, 32]),
        fanOutPageSize: this.dice.pick([1, 3, 250]),
      });
      const changes = decodeRecords(
        this.spec.graph,
        records.map(({ raw }) => raw),
        STREAM_ARN,
      );
      const { failedFrom } = await projector.project(
        changes,
        deadline === undefined ? {} : { remainingMs: () => deadline - this.stage.nowMs },
      );
      if (lane.running !== actor) return;
      delete lane.running;
      const failed = records.findIndex(({ raw }) => raw.dynamodb?.SequenceNumber === failedFrom?.sequenceNumber);
      lane.position = from + (failed < 0 ? records.length : failed);
    });
  }

  private replay(): boolean {
    const back = this.lanes().filter((lane) => lane.running === undefined && lane.position > lane.floor);
    if (back.length === 0) return false;
    const lane = this.dice.pick(back);
    lane.position = Math.max(lane.floor, lane.position - this.dice.between(1, 12));
    return true;
  }

  /** A batch that the mapping gives up: only a check can say that something is wrong. */
  private loseBatch(): boolean {
    const idle = this.lanes().filter((lane) => lane.running === undefined && lane.position < lane.shard.records.length);
    if (idle.length === 0) return false;
    const lane = this.dice.pick(idle);
    lane.position = Math.min(lane.shard.records.length, lane.position + this.dice.between(1, 4));
    this.lost = true;
    return true;
  }

  /** Days without a change: the stream forgets, TTL takes the tombstones. */
  private fallSilent(): boolean {
    const isQuiet = this.stage.isIdle && this.busy === 0;
    if (!isQuiet || this.lanes().some((lane) => lane.position < lane.shard.records.length)) return false;
    this.stage.nowMs += this.dice.pick([DAY_MS, SILENCE_MS]);
    this.table.expire(this.stage.nowMs);
    for (const lane of this.lanes()) lane.floor = lane.shard.records.findIndex(({ madeAtMs }) => this.isKept(madeAtMs));
    for (const lane of this.lanes()) if (lane.floor < 0) lane.floor = lane.position;
    return true;
  }

  private isKept(madeAtMs: number): boolean {
    return madeAtMs > this.stage.nowMs - DAY_MS;
  }

  private async redriveAll(actor = this.actor('redrive')): Promise<void> {
    await redrive(this.spec.graph, { ...this.runtime(actor) });
  }

  private async repairAll(actor = this.actor('repair')): Promise<void> {
    const { dice } = this;
    await check(this.spec.graph, {
      ...this.runtime(actor),
      mode: dice.pick(['repair', 'rebuild']),
      graceMs: dice.pick([0, 500, 5_000]),
      segments: 2,
      pageItems: dice.pick([2, 7, 100]),
      ...(dice.chance(0.3) && { sources: [dice.pick(this.ids)] }),
    });
  }

  // ---- the run of things

  /** Starts a process. */
  private launch(work: (actor: Actor) => Promise<void>): boolean {
    const actor = this.actor('process');
    this.actors.push(actor);
    this.busy += 1;
    work(actor).then(
      () => this.end(actor),
      (error: unknown) => {
        this.end(actor);
        if (!isFault(error)) this.failure ??= error;
      },
    );
    return true;
  }

  private end(actor: Actor): void {
    if (!this.actors.includes(actor)) return;
    this.actors = this.actors.filter((other) => other !== actor);
    this.busy -= 1;
    for (const lane of this.groups.flat()) if (lane.running === actor) delete lane.running;
  }

  private count(what: string): void {
    this.counters[what] = (this.counters[what] ?? 0) + 1;
  }

  private actor(name: string): Actor {
    return { name, alive: true, slow: false };
  }

  private runtime(actor: Actor) {
    const { stage, table, dice, faults } = this;
    return {
      store: storeOf({ stage, table, dice, faults }, actor),
      now: () => stage.nowMs,
      wait: (ms: number) => stage.wait(actor, ms),
      random: () => dice.next(),
    };
  }

  /** The lanes of all consumers that may run: a child only after its parent. */
  private lanes(): Lane[] {
    for (const group of this.groups) {
      for (const shard of this.streams.shards) {
        if (!group.some((lane) => lane.shard === shard)) group.push({ shard, position: 0, floor: 0 });
      }
    }
    return this.groups.flatMap((group) => group.filter((lane) => isEveryParentRead(group, lane)));
  }

  private async breathe(): Promise<void> {
    this.steps += 1;
    if (this.steps > MOST_STEPS) this.failure ??= new Error('The schedule does not come to an end.');
    await drain();
  }

  /** Lets everything arrive: late calls, what was left behind, each record. */
  private async untilQuiet(): Promise<void> {
    while (this.failure === undefined) {
      await this.breathe();
      if (this.dice.chance(0.3) && this.deliver()) continue;
      if (this.stage.step() || this.deliver()) continue;
      if (this.busy > 0) this.failure ??= new Error('A process waits for nothing.');
      return;
    }
  }

  /** Delivers what is left, in order and without any fault. */
  private async deliverAll(): Promise<void> {
    while (this.failure === undefined && (this.deliver() || this.busy > 0)) await this.breathe();
  }

  private fillGroups(): void {
    this.stage.calm = true;
    this.producers.fill(this.dice.between(44, 52));
    this.stage.calm = false;
  }

  // ---- the end

  private async atRest(fail: (kind: string, message: string) => void): Promise<void> {
    let isWrong = false;
    const wrong = (kind: string, messages: readonly string[]): void => {
      for (const message of messages) fail(kind, message);
      isWrong ||= messages.length > 0 || this.failure !== undefined;
    };
    await this.redriveAll(this.actor('end'));
    await this.deliverAll();
    const before = await this.judged(this.mayLackRoom);
    const drift = (await this.findings('report')).filter(isDrift);
    if (!this.lost) {
      wrong('wrong', before);
      wrong('false-alarm', drift.map(texted));
    } else if (before.length > 0 && drift.length === 0) wrong('unseen-drift', before);
    if (this.lost && before.length > 0) this.count('batches whose loss is seen');
    if (isWrong) return;
    // A part of the schedules adds damage to what a repair finds.
    const damages = this.dice.chance(0.5) ? damageAll(this.table, this.dice) : [];
    const found = damages.length === 0 ? [] : (await this.findings('report')).filter(isDrift);
    for (const { source, target, what } of damages) {
      this.count('damage');
      const isFound = found.some((finding) => finding.source === source && finding.target === target);
      if (!isFound) wrong('unseen-drift', [`${source} ${target}: ${what}`]);
    }
    const repaired = damages.map(({ source, target, what }) => `${source} ${target}, where ${what}`).join('; ');
    if (!isWrong)
      wrong(
        'left-by-repair',
        (await this.leftByRepair()).map((left) => `${left} (repaired: ${repaired})`),
      );
  }

  private async leftByRepair(): Promise<string[]> {
    await this.findings('repair');
    await this.deliverAll();
    let left = await this.findings('report');
    // What a repair brings back may find no room before the repair of its total has made some.
    if (left.some(({ verdict }) => verdict === 'maintenance')) {
      this.count('second repair');
      await this.findings('repair');
      left = await this.findings('report');
    }
    const open = left.filter((finding) => isDrift(finding) || finding.verdict === 'maintenance');
    return [...open.map(texted), ...(await this.judged(false))];
  }

  private async judged(mayLackRoom: boolean): Promise<string[]> {
    const items = [...this.table.items()].map(({ item }) => item);
    const truth = truthOf(this.spec, items);
    const { store } = this.runtime(this.actor('reader'));
    const wrong = await differences(this.spec, truth, store, { ids: this.ids, mayLackRoom });
    return this.lost ? wrong : [...wrong, ...quarantineDifferences(this.table, truth)];
  }

  private async findings(mode: 'report' | 'repair'): Promise<Finding[]> {
    const findings: Finding[] = [];
    await check(this.spec.graph, {
      ...this.runtime(this.actor('check')),
      mode,
      graceMs: 1_000,
      segments: 2,
      onFinding: (finding) => findings.push(finding),
    });
    return findings;
  }
}

/** Whether the shards before this one are read to their end, also those before a parent that never held a record. */
function isEveryParentRead(group: readonly Lane[], { shard }: Lane): boolean {
  const parents = group.filter((lane) => lane.shard.children.includes(shard));
  return parents.every((parent) => parent.position === parent.shard.records.length && isEveryParentRead(group, parent));
}

function isDrift({ verdict }: Finding): boolean {
  return verdict === 'missing' || verdict === 'stale' || verdict === 'orphan';
}

function texted(finding: Finding): string {
  return JSON.stringify(finding);
}

function isFault(error: unknown): boolean {
  return error instanceof Error && 'kind' in error && error.kind === 'retryable';
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 6).join(' | ') : String(error);
}
