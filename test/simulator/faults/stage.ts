import {
  type BatchResult,
  type CheckOptions,
  type CheckResult,
  check,
  createProjector,
  decodeRecords,
  type Finding,
  type MigrateOptions,
  type MigrateResult,
  migrate,
  type ProjectorOptions,
  type RawRecord,
} from '../../../src/admin.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { ScanSource, Store } from '../../../src/core/store-port.ts';
import { createReader, EdgeloomError, type Reader } from '../../../src/index.ts';
import { throughCalls } from '../../support/calls.ts';
import { CALM, Process } from '../kernel/process.ts';
import { Random } from '../kernel/random.ts';
import { recordOf, type TableChange } from '../kernel/shown-stream.ts';
import { MOST_INDEX_LAG_MS, MOST_READ_LAG_MS, Table } from '../kernel/table.ts';
import { storeOf } from '../kernel/table-store.ts';
import { Timeline } from '../kernel/timeline.ts';
import { numberOf, toItem } from '../kernel/values.ts';
import { underClocks } from './clocks.ts';

/** What a derived item holds that is no tombstone; a count holds a number. */
const CONTENTS = ['edgeSet', 'attributes', 'gsi0pk', 'gsi1pk', 'child', 'after', 'counted', 'code'] as const;

/** How long everything takes at most to show in every index and replica. */
export const SHOWN_MS = MOST_INDEX_LAG_MS + MOST_READ_LAG_MS + 1_000;

/** How a projection projects. */
interface Consumption extends Omit<ProjectorOptions, 'store' | 'now' | 'wait' | 'random'> {
  /** The port that it writes through. Default: one of the stage's. */
  store?: Store;
}

/**
 * A table with one stream shard, on a clock that moves when everything waits. Unlike a drawn schedule of the evolution it does
 * nothing by itself: each schedule says what happens when.
 */
export class Stage {
  readonly timeline = new Timeline();
  readonly random: Random;
  readonly table: Table;
  /** Records of base items and of continuations, oldest first. */
  readonly records: RawRecord[] = [];
  /** When each record was made, to the millisecond: the stream tells whole seconds. */
  readonly madeAtMs = new Map<RawRecord, number>();
  identity = { id: 'table-1', streamLabel: '2026-03-01T00:00:00.000' };
  private sleptMs = 0;
  private asleepSinceMs: number | undefined;
  private wakers: (() => void)[] = [];
  /** How far the clock on the wall was set back, in milliseconds. */
  wallBackMs = 0;
  private consumed = 0;
  private sequence = 1_000;

  constructor(seed = 1) {
    this.random = new Random(seed);
    this.table = new Table(this.timeline, this.random, (change) => this.record(change));
  }

  /** Runs a schedule to its end under the stage's clocks. */
  async run<T>(schedule: () => Promise<T>): Promise<T> {
    const { timeline } = this;
    let result: T | undefined;
    await underClocks(
      {
        wall: () => timeline.nowMs - this.wallBackMs,
        awake: () => (this.asleepSinceMs ?? timeline.nowMs) - this.sleptMs,
      },
      () =>
        timeline.run(
          schedule().then((value) => {
            result = value;
          }),
        ),
    );
    return result as T;
  }

  sleep = (milliseconds: number): Promise<void> => this.timeline.sleep(milliseconds);

  /** The machine sleeps: its awake clock stands still, and so does what asks the table through `sleepingStore`. */
  fallAsleep(): void {
    this.asleepSinceMs = this.timeline.nowMs;
  }

  wakeUp(): void {
    this.sleptMs += this.timeline.nowMs - this.asleepSinceMs!;
    this.asleepSinceMs = undefined;
    for (const wake of this.wakers.splice(0)) wake();
  }

  /** A port of a process on the machine that sleeps: no call leaves it and no answer comes to it meanwhile. */
  sleepingStore(): Store & ScanSource {
    const awake = async (): Promise<void> => {
      if (this.asleepSinceMs !== undefined) await new Promise<void>((wake) => this.wakers.push(wake));
    };
    const inner = this.store();
    return new Proxy(inner, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as unknown;
        if (typeof method !== 'function') return method;
        return async (...parameters: unknown[]) => {
          await awake();
          const answer = (await Reflect.apply(method, target, parameters)) as unknown;
          await awake();
          return answer;
        };
      },
    });
  }

  /** A port to the table, of a process that meets no fault. */
  store(): Store & ScanSource {
    return storeOf(this.table, new Process(this.timeline, this.random, () => CALM));
  }

  /** A port of which some calls are held up: so long before they arrive, and so long before their answer does, in milliseconds. */
  heldStore(holdUp: (method: string, argument: unknown) => { before?: number; after?: number } | undefined) {
    return throughCalls(this.store(), async (method, [argument], run) => {
      const { before = 0, after = 0 } = holdUp(method, argument) ?? {};
      if (before > 0) await this.sleep(before);
      const answer = await run();
      if (after > 0) await this.sleep(after);
      return answer;
    });
  }

  /** A port of a process whose calls stand still now and then. */
  stallingStore(stall: number, longestStallMs: number): Store & ScanSource {
    return storeOf(this.table, new Process(this.timeline, this.random, () => ({ ...CALM, stall, longestStallMs })));
  }

  /** A port whose reads of indexes and whose eventual reads are answered by replicas that are always late. */
  lateStore(lateMs = MOST_READ_LAG_MS - 1): Store & ScanSource {
    const { timeline } = this;
    const late = new Proxy(timeline, {
      get: (target, name) => {
        if (name === 'nowMs') return target.nowMs - lateMs;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    // It lags by so much exactly, and by nothing more.
    const never = new Random(1);
    never.chance = (probability) => probability >= 0.5;
    never.below = () => 0;
    const behind = storeOf(this.table, new Process(late, never, () => CALM));
    const current = this.store();
    return {
      ...current,
      get: (key, options) => (options.consistent ? current : behind).get(key, options),
      getMany: (keys, options) => (options.consistent ? current : behind).getMany(keys, options),
      query: (request) => (request.consistent === true ? current : behind).query(request),
    };
  }

  /** A producer puts a node or an edge whole; without attributes it deletes it. */
  put(source: string, target: string, attributes: Readonly<Record<string, unknown>> | undefined): void {
    const item = attributes && { source: { S: source }, target: { S: target }, ...toItem(attributes) };
    this.table.write({ source, target }, item);
  }

  node(id: string, attributes: Readonly<Record<string, unknown>> | undefined): void {
    this.put(id, id, attributes);
  }

  /** Projects what came into the stream since the last call, and what that brings into it. */
  async consume(graph: CompiledModel, options: Consumption = {}): Promise<void> {
    while (this.consumed < this.records.length) {
      const batch = this.records.slice(this.consumed, this.consumed + 100);
      this.consumed += batch.length;
      const { error } = await this.project(graph, batch, options);
      if (error !== undefined) throw error;
    }
  }

  /** The records since the last call are lost to the consumer: it gave up on them, or was not there. */
  loseRecords(): RawRecord[] {
    const lost = this.records.slice(this.consumed);
    this.consumed = this.records.length;
    return lost;
  }

  /** Brings a model to the table, and nodes `A-0`, `A-1` and so on with an edge to `B-1` each, and waits until all of it shows. */
  async fill(graph: CompiledModel, nodes: number): Promise<void> {
    await this.migrate(graph);
    for (let i = 0; i < nodes; i++) {
      this.node(`A-${i}`, { name: `n${i}` });
      this.put(`A-${i}`, 'AB-B-1', { since: `20${10 + i}` });
    }
    await this.consume(graph);
    await this.sleep(SHOWN_MS);
  }

  /** Projects some records. */
  async project(
    graph: CompiledModel,
    batch: readonly RawRecord[],
    { store = this.store(), ...options }: Consumption = {},
  ): Promise<BatchResult> {
    const random = (): number => this.random.next();
    const projector = createProjector(graph, { ...options, store, now: Date.now, wait: this.sleep, random });
    return await projector.project(decodeRecords(graph, batch));
  }

  /** Brings a model to the table. */
  async migrate(graph: CompiledModel, options: Partial<MigrateOptions> = {}): Promise<MigrateResult> {
    return await migrate(graph, {
      ...{ store: this.store(), table: { ...this.identity }, wait: this.sleep },
      ...{ now: Date.now, serverTime: async () => Date.now(), random: () => this.random.next() },
      ...options,
    });
  }

  /** Checks the table; gives what it found with what it came to. */
  async check(
    graph: CompiledModel,
    mode: NonNullable<CheckOptions['mode']> = 'report',
    options: Partial<CheckOptions> = {},
  ): Promise<CheckResult & { findings: Finding[] }> {
    const findings: Finding[] = [];
    const result = await check(graph, {
      ...{ store: this.store(), mode, graceMs: 5_000 },
      ...{ wait: this.sleep, now: Date.now, onFinding: (finding: Finding) => void findings.push(finding) },
      ...options,
    });
    return { ...result, findings };
  }

  /** A reader of a process of its own. */
  reader<G extends CompiledModel>(graph: G, store: Store = this.store()): Reader<G> {
    return createReader(graph, { store });
  }

  /** What is stored now under derived keys, tombstones and counts of nothing left out. */
  derived(): { source: string; target: string; item: Item }[] {
    const found: { source: string; target: string; item: Item }[] = [];
    for (const { key, item } of this.table.items()) {
      const isLive = CONTENTS.some((name) => item[name] !== undefined) || numberOf(item['count']) !== '0';
      if (key.target.startsWith('~') && isLive) found.push({ ...key, item });
    }
    return found;
  }

  private record(change: TableChange): void {
    if (change.key.source === '~edgeloom') return;
    this.sequence += 1 + this.random.below(3);
    const number = String(this.sequence).padStart(21, '1');
    const eventSourceARN = `arn:aws:dynamodb:us-east-1:000000000000:table/records/stream/${this.identity.streamLabel}`;
    const made = recordOf(change, number, Math.floor(this.timeline.nowMs / 1000));
    const record = { ...made, eventSourceARN } as RawRecord;
    this.madeAtMs.set(record, this.timeline.nowMs);
    this.records.push(record);
  }
}

/** An answer, or the code of the error that says why there is none. */
export async function answerOf<T>(ask: () => Promise<T>): Promise<T | { refused: string }> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof EdgeloomError) return { refused: error.code };
    throw error;
  }
}
