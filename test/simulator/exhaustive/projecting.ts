import { type Item, numberOf } from '../../../src/core/items/attribute-value.ts';
import { REVISION } from '../../../src/core/items/derived-item.ts';
import type { Suspect } from '../../../src/core/kinds/difference.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { Repairer } from '../../../src/trust/repair/repairer.ts';
import { type ItemChange, MemoryStore } from '../../support/memory-store/memory-store.ts';
import { codeRunsOn } from '../kernel/agenda.ts';
import { Choices, type Script } from '../kernel/choices.ts';
import { graphOf, type ModelOptions, PLAIN_OPTIONS } from '../packs/projecting/models.ts';
import { type Shard, type ShardRecord, type StreamReader, Streams } from '../packs/projecting/streams.ts';
import { HOUR, LONGEST_TIMEOUT } from '../packs/projecting/time.ts';
import { derivedDifferences } from '../packs/projecting/verdict.ts';
import { GatedProcess, type PendingCall } from './process.ts';
import type { Numbering, Play, Step } from './walk.ts';

/** A write of a producer: the item's key and its attributes, or none: it is deleted. Or the stream's shard splits. */
export type Write = { source: string; target: string; put?: Readonly<Record<string, string>> } | 'split';

/** How often something may go wrong in one schedule. */
export interface Accidents {
  /** A process dies after one of its writes. */
  crashes: number;
  /** The mapping loses sight of an invocation, which runs on, and starts over. */
  abandoned: number;
  /** A batch comes twice: another process has it too, for as long as it likes. */
  duplicates: number;
  /** The answer of a write is lost. */
  lost: number;
}

/** What the schedules of a scope are of. */
export interface ProjectingScope {
  /** What differs from the plain model. */
  model?: Partial<ModelOptions>;
  /** Where items are in the stream and which numbers their records have, as `Streams` asks. Default: one shard, rising numbers. */
  stream?: Script;
  /** Written and projected before it begins. */
  before?: readonly Write[];
  /** What each producer writes, in this order. Producers write side by side. */
  producers: readonly (readonly Write[])[];
  accidents?: Partial<Accidents>;
  /** What an operator repairs beside it. */
  repairs?: readonly Suspect[];
  /**
   * Leaves out schedules that differ from others only in the order of steps that commute: a read of a base item that no producer
   * has yet to write is made at once. Nothing that another process does changes its answer, and it changes nothing.
   */
  isPruned?: boolean;
  /** The updates of a call land at once. Default: each lands for itself, and a process may die between two of them. */
  updatesAtOnce?: boolean;
}

/** A row of records that one batch after the other is delivered of. */
interface Lane {
  shard: Shard;
  records: ShardRecord[];
  checkpoint: number;
  /** The invocation whose answer it waits for. */
  invocation: GatedProcess | undefined;
}

const NOW = Date.UTC(2026, 0, 20);

/** One run of a scope of the projector: producers, shards, invocations and a repair, which take their steps in any order. */
export class ProjectingPlay implements Play, StreamReader {
  private readonly options: ModelOptions;
  private readonly graph: CompiledModel;
  private readonly table: MemoryStore;
  private readonly streams: Streams;
  private readonly lanes: Lane[] = [];
  private processes: GatedProcess[] = [];
  private readonly written: number[];
  private readonly left: Accidents;
  private readonly failures: string[] = [];
  private isProjecting = false;
  private isOver = false;
  private started = 0;

  private constructor(
    private readonly scope: ProjectingScope,
    private readonly numbering: Numbering,
  ) {
    this.options = { ...PLAIN_OPTIONS, ...scope.model };
    this.graph = graphOf(this.options);
    this.table = new MemoryStore(this.graph.table, { onChange: (change) => this.changed(change) });
    this.streams = new Streams(this.graph, Choices.scripted(scope.stream ?? {}), this);
    this.written = scope.producers.map(() => 0);
    this.left = { crashes: 0, abandoned: 0, duplicates: 0, lost: 0, ...scope.accidents };
  }

  /** Begins a run. */
  static async begin(scope: ProjectingScope, numbering: Numbering): Promise<ProjectingPlay> {
    const play = new ProjectingPlay(scope, numbering);
    await play.prepare();
    return play;
  }

  opened(shard: Shard): void {
    this.lanes.push({ shard, records: [], checkpoint: 0, invocation: undefined });
  }

  closed(_shard: Shard): void {}

  arrived(shard: Shard, record: ShardRecord): void {
    this.lanes.find((lane) => lane.shard === shard)!.records.push(record);
  }

  steps(): readonly Step[] {
    const calls = this.processes.flatMap((process) => process.pending.map((call) => ({ process, call })));
    const alone = this.scope.isPruned === true && calls.find(({ call }) => this.isSettledRead(call));
    if (alone) return [this.callStep(alone.process, alone.call, 'done')];
    return [
      ...calls.flatMap(({ process, call }) => this.endings(process, call)),
      ...this.scope.producers.flatMap((writes, producer) => this.writeSteps(writes, producer)),
      ...this.lanes.flatMap((lane) => this.deliveries(lane)),
    ];
  }

  state(): string {
    const lanes = this.lanes.map(({ shard, records, checkpoint, invocation }) => {
      const task = this.numbering.of(JSON.stringify(records.map(({ change }) => change)));
      return `${shard.id} ${shard.isClosed} ${task} ${checkpoint} ${invocation?.state}`;
    });
    const owned = new Set(this.lanes.map(({ invocation }) => invocation));
    const others = this.processes.filter((process) => !owned.has(process)).map(({ state }) => state);
    const rest = [this.written, Object.values(this.left), lanes, others.sort(), this.failures];
    return [...this.items(), JSON.stringify(rest)].join('\n');
  }

  /** The items of the table, each as a text. */
  items(): string[] {
    return [...this.table.items()].map((item) => JSON.stringify(item)).sort();
  }

  judge(): readonly string[] {
    this.isOver = true;
    const unread = this.lanes.filter(({ records, checkpoint }) => checkpoint < records.length);
    const found = [
      ...this.failures,
      ...unread.map(({ shard }) => `${shard.id} is not read to its end`),
      ...derivedDifferences(this.options, [...this.table.items()]),
    ];
    // Nothing that is needed may have an expiry.
    this.table.expire((NOW + 72 * HOUR) / 1000);
    return [...found, ...derivedDifferences(this.options, [...this.table.items()])];
  }

  private async prepare(): Promise<void> {
    const { scope, table, graph } = this;
    for (const write of scope.before ?? []) {
      this.write(write);
      for (const lane of this.lanes) {
        const records = lane.records.slice(lane.checkpoint);
        lane.checkpoint = lane.records.length;
        if (records.length > 0) await this.projector(table).project(records.map(({ change }) => change));
      }
    }
    if (scope.repairs === undefined) return;
    const repair = this.process('repair', 'repair');
    const store = repair.storeOf(table);
    const mender = new Repairer({
      ...{ graph, store, model: fixedModel(graph) },
      ...{ now: () => NOW, wait: () => Promise.resolve(), random: () => 0.5 },
    });
    this.processes.push(repair);
    void mender.repair(scope.repairs).then(
      () => this.end(repair),
      (error: unknown) => this.failed(repair, error),
    );
    await codeRunsOn();
  }

  private process(name: string, task: string): GatedProcess {
    const effect = <T>(call: () => T): T => this.projecting(call);
    const { numbering, scope } = this;
    return new GatedProcess(name, { task, numbering, effect, lostAnswer, updatesAtOnce: scope.updatesAtOnce ?? false });
  }

  /** A producer's write, now. */
  private write(write: Write): void {
    if (write === 'split') {
      this.streams.split('split');
      return;
    }
    const { source, target, put } = write;
    if (put === undefined) {
      void this.table.delete({ source, target });
      return;
    }
    const attributes = Object.entries(put).map(([name, text]) => [name, { S: text }]);
    void this.table.put({ source: { S: source }, target: { S: target }, ...(Object.fromEntries(attributes) as Item) });
  }

  private writeSteps(writes: readonly Write[], producer: number): Step[] {
    const write = writes[this.written[producer]!];
    if (write === undefined) return [];
    const take = async (): Promise<void> => {
      this.written[producer]! += 1;
      this.write(write);
    };
    return [{ name: `producer ${producer + 1}: ${JSON.stringify(write)}`, take }];
  }

  /** The batches that a lane may be given now, each with what may happen to it. */
  private deliveries(lane: Lane): Step[] {
    const { shard, records, checkpoint, invocation } = lane;
    const parent = this.lanes.find((other) => other.shard === shard.parent);
    if (parent !== undefined && parent.checkpoint < parent.records.length) return [];
    if (invocation !== undefined) return [];
    const steps: Step[] = [];
    for (let end = checkpoint + 1; end <= records.length; end++) {
      const batch = records.slice(checkpoint, end);
      const name = `${shard.id}: ${batch.map(({ change }) => change.sequenceNumber).join(' ')}`;
      steps.push({ name, take: () => this.deliver(lane, batch, ['answers']) });
      if (this.left.duplicates > 0) {
        steps.push({
          name: `${name}, twice`,
          take: () => {
            this.left.duplicates -= 1;
            return this.deliver(lane, batch, ['answers', 'apart']);
          },
        });
      }
      if (this.left.abandoned > 0) {
        steps.push({
          name: `${name}, abandoned`,
          take: () => {
            this.left.abandoned -= 1;
            return this.deliver(lane, batch, ['apart']);
          },
        });
      }
    }
    return steps;
  }

  private async deliver(
    lane: Lane,
    batch: readonly ShardRecord[],
    roles: readonly ('answers' | 'apart')[],
  ): Promise<void> {
    const { table } = this;
    const changes = batch.map(({ change }) => change);
    const task = JSON.stringify(changes);
    for (const role of roles) {
      const name = `invocation ${++this.started}`;
      const process = this.process(name, task);
      this.processes.push(process);
      if (role === 'answers') lane.invocation = process;
      void this.projector(process.storeOf(table))
        .project(changes, { remainingMs: () => LONGEST_TIMEOUT })
        .then(
          ({ failedFrom }) => {
            if (process.isOver) return;
            if (role === 'answers') {
              lane.checkpoint += failedFrom === undefined ? changes.length : changes.indexOf(failedFrom);
            }
            this.end(process);
          },
          (error: unknown) => this.failed(process, error),
        );
    }
    await codeRunsOn();
  }

  private projector(store: MemoryStore) {
    return createProjector(this.graph, {
      ...{ store, model: fixedModel(this.graph), concurrency: 1, fanOutPageSize: 1 },
      ...{ now: () => NOW, wait: () => Promise.resolve(), random: () => 0.5 },
    });
  }

  private endings(process: GatedProcess, call: PendingCall): Step[] {
    const steps = [this.callStep(process, call, 'done')];
    if (call.isWrite && this.left.crashes > 0) steps.push(this.callStep(process, call, 'last'));
    if (call.isWrite && this.left.lost > 0) steps.push(this.callStep(process, call, 'lost'));
    return steps;
  }

  private callStep(process: GatedProcess, call: PendingCall, ending: 'done' | 'last' | 'lost'): Step {
    const how = { done: '', last: ', and dies', lost: ', and the answer is lost' }[ending];
    const take = async (): Promise<void> => {
      if (ending === 'last') this.left.crashes -= 1;
      if (ending === 'lost') this.left.lost -= 1;
      await process.letThrough(call, ending);
      if (process.isOver) this.end(process);
    };
    return { name: `${process.name}: ${call.method} ${call.keys.join(', ')}${how}`, take };
  }

  /** Whether a call reads a base item that no producer has yet to write: projectors and repairs write none. */
  private isSettledRead({ method, keys: [key] }: PendingCall): boolean {
    if (method !== 'get' || key === undefined || key.includes(' ~')) return false;
    return this.scope.producers.every((writes, producer) =>
      writes
        .slice(this.written[producer])
        .every((write) => write === 'split' || `${write.source} ${write.target}` !== key),
    );
  }

  /** A process is no more. */
  private end(process: GatedProcess): void {
    process.isOver = true;
    this.processes = this.processes.filter((other) => other !== process);
    for (const lane of this.lanes) if (lane.invocation === process) lane.invocation = undefined;
  }

  private failed(process: GatedProcess, error: unknown): void {
    if (process.isOver) return;
    this.failures.push(`${process.name} threw ${String(error)}`);
    this.end(process);
  }

  private projecting<T>(call: () => T): T {
    this.isProjecting = true;
    try {
      return call();
    } finally {
      this.isProjecting = false;
    }
  }

  private changed(change: ItemChange): void {
    if (this.isOver) return;
    const { key, oldImage, newImage } = change;
    const isDerived = key.target.startsWith('~');
    if (this.isProjecting && !isDerived) this.failures.push(`${key.source} ${key.target} was written by a projector`);
    if (isDerived && oldImage !== undefined && newImage !== undefined) {
      const [before, after] = [Number(numberOf(oldImage[REVISION])), Number(numberOf(newImage[REVISION]))];
      if (!(after > before))
        this.failures.push(`the revision of ${key.source} ${key.target} went from ${before} to ${after}`);
    }
    this.streams.append(change, NOW);
  }
}

function lostAnswer(): StoreError {
  return new StoreError('retryable', 'simulated', 'The answer was lost.');
}
