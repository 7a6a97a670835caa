import { createReader, type Reader } from '../../../src/client/read/reader.ts';
import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { node } from '../../../src/core/model/schema.ts';
import { EdgeloomError, StoreError } from '../../../src/foundation/errors.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import type { MigrateOptions } from '../../../src/migrate/migrate-types.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { registryLeases } from '../../../src/registry/reader-lease.ts';
import type { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { byOneClock } from '../../support/moments.ts';
import { StreamedStore } from '../../support/streamed-store.ts';
import { codeRunsOn } from '../kernel/agenda.ts';
import { LONGEST_TIMEOUT } from '../packs/projecting/time.ts';
import { GatedProcess, type PendingCall } from './process.ts';
import type { Begin, Numbering, Play, Step } from './walk.ts';

/** The models before and after: a search is added, or its items are spread over more partitions. */
export type ModelChange = 'search-added' | 'search-resharded';

const UNSEARCHED = defineGraph({ table: 'records', nodes: { N: node({ view: ['tag'] }) }, edges: {} });
const SEARCHED = searched(1);
const RESHARDED = searched(2);
const CHANGES: Readonly<Record<ModelChange, { before: CompiledModel; after: CompiledModel }>> = {
  'search-added': { before: UNSEARCHED, after: SEARCHED },
  'search-resharded': { before: SEARCHED, after: RESHARDED },
};

function searched(shards: number) {
  return defineGraph({
    table: 'records',
    nodes: { N: node({ view: ['tag'], search: { tag: { shards } } }) },
    edges: {},
  });
}

const START = Date.parse('2026-01-02T00:00:00Z');
const ID = 'N-1';
/** The node's tag before and after the producer's write. */
const TAGS = ['p', 'q'] as const;

/** What the schedules of a scope are of. */
export interface MigratingScope {
  change: ModelChange;
  /** The model of the reader. */
  reads: 'before' | 'after';
  /** The updates of a call land at once. Default: each lands for itself. */
  updatesAtOnce?: boolean;
  /** The consumer knows the model of a batch before, and reads ahead by it. Default: its only batch is the first. */
  hasBatchBefore?: boolean;
}

/** A table with the model before, with a node that is projected. */
interface Prepared {
  items: readonly Item[];
  records: readonly ChangeRecord[];
  nowMs: number;
  /** Steps of the migration to the model after. */
  stepCount: number;
}

/**
 * One run of a scope of a model change: one step of the migration, which may be any of them; a producer's write and its record; a
 * read. Then the migration is brought to its end, and all records come again.
 */
export class MigratingPlay implements Play {
  private readonly table: StreamedStore;
  private nowMs = START;
  private made: number | undefined;
  private isWritten = false;
  private isApplied = false;
  private processes: GatedProcess[] = [];
  private readonly begun = new Set<string>();
  private readonly failures: string[] = [];
  private readonly before: CompiledModel;
  private readonly after: CompiledModel;

  constructor(
    private readonly scope: MigratingScope,
    private readonly numbering: Numbering,
    private readonly prepared: Prepared,
  ) {
    ({ before: this.before, after: this.after } = CHANGES[scope.change]);
    this.table = new StreamedStore(this.before, () => this.nowMs);
  }

  steps(): readonly Step[] {
    if (this.made === undefined) {
      return Array.from({ length: this.prepared.stepCount }, (_, made) => ({
        name: `the migration has made ${made} of ${this.prepared.stepCount} steps`,
        take: () => this.prepare(made),
      }));
    }
    const pending = this.processes.flatMap((process) => process.pending.map((call) => ({ process, call })));
    const settled = pending.find(({ call }) => this.isSettledRead(call));
    if (settled !== undefined) return [this.callStep(settled.process, settled.call)];
    const calls = pending.map(({ process, call }) => this.callStep(process, call));
    const steps = [...calls, ...this.beginnings()];
    if (steps.length > 0 || this.begun.has('end')) return steps;
    return [{ name: 'the migration comes to its end', take: () => this.finish() }];
  }

  state(): string {
    const items = [...this.table.items()].map((item) => JSON.stringify(item)).sort();
    const processes = this.processes.map(({ name, state }) => `${name} ${state}`).sort();
    const rest = [this.made, this.nowMs, this.table.records, this.isWritten, this.isApplied];
    return [...items, JSON.stringify([...rest, processes, [...this.begun].sort(), this.failures])].join('\n');
  }

  judge(): readonly string[] {
    return this.failures;
  }

  /** The migration makes its first steps, and stands before the next one. */
  private async prepare(made: number): Promise<void> {
    const { items, records, nowMs } = this.prepared;
    for (const item of items) await this.table.put(item);
    this.table.records.splice(0, Number.POSITIVE_INFINITY, ...records);
    this.nowMs = nowMs;
    this.made = made;
    await this.begin(MIGRATION, (process) => this.migrate(process, made));
    while (this.processes.every(({ pending }) => pending.length === 0)) await codeRunsOn();
  }

  private async migrate(process: GatedProcess, free: number): Promise<void> {
    let left = free;
    process.isGated = left === 0;
    await migrate(this.after, {
      ...migrateOptions(process.storeOf(this.table), this),
      mostSteps: free + 1,
      onStep: () => {
        left -= 1;
        if (left === 0) process.isGated = true;
      },
      wait: (milliseconds) =>
        process.pause(`${milliseconds} ms`, () => {
          this.nowMs += milliseconds;
        }),
    });
  }

  /** What may begin now. */
  private beginnings(): Step[] {
    const steps: Step[] = [];
    const mayBegin = (name: string, run: (process: GatedProcess) => Promise<void>): void => {
      if (!this.begun.has(name)) steps.push({ name: `the ${name} begins`, take: () => this.begin(name, run) });
    };
    if (!this.isWritten) steps.push({ name: 'the producer writes', take: () => this.write() });
    else {
      mayBegin('consumer', async (process) => {
        const project = this.projecting(process.storeOf(this.table), this.before);
        const records = this.table.records.slice(1);
        // A batch that touches nothing: the consumer takes its model for that of the next one, until the head says otherwise.
        if (this.scope.hasBatchBefore === true)
          await project(records.map((record) => ({ ...record, source: 'X-1', target: 'X-1' })));
        await project(records);
        this.isApplied = true;
      });
    }
    const graph = this.scope.reads === 'before' ? this.before : this.after;
    mayBegin(READER, (process) => this.ask(process, graph, TAGS[0]));
    return steps;
  }

  private async begin(name: string, run: (process: GatedProcess) => Promise<void>): Promise<void> {
    this.begun.add(name);
    const process = new GatedProcess(name, {
      updatesAtOnce: this.scope.updatesAtOnce ?? false,
      task: name,
      numbering: this.numbering,
      effect: (call) => call(),
      lostAnswer: () => new StoreError('retryable', 'simulated', 'The answer was lost.'),
      now: () => this.nowMs,
    });
    this.processes.push(process);
    run(process).then(
      () => this.end(process),
      (error: unknown) => {
        if (!process.isOver) this.failures.push(`${name} threw ${String(error)}`);
        this.end(process);
      },
    );
    await codeRunsOn();
  }

  private end(process: GatedProcess): void {
    process.isOver = true;
    this.processes = this.processes.filter((other) => other !== process);
  }

  /** Whether a call reads what does not change any more: a definition that is there, or the node after the write. */
  private isSettledRead({ method, keys: [key] }: PendingCall): boolean {
    if (method !== 'get' || key === undefined) return false;
    if (key === `${ID} ${ID}`) return this.isWritten;
    return key.includes(' definitions/') && this.hasItem(key);
  }

  private hasItem(key: string): boolean {
    for (const item of this.table.items()) {
      if (`${stringOf(item['source'])} ${stringOf(item['target'])}` === key) return true;
    }
    return false;
  }

  private callStep(process: GatedProcess, call: PendingCall): Step {
    const name = `${process.name}: ${call.method} ${call.keys.join(', ')}`;
    return { name, take: () => process.letThrough(call) };
  }

  private async write(): Promise<void> {
    this.isWritten = true;
    await this.table.producer(ID, ID, { tag: { S: TAGS[1] } });
  }

  /** A consumer: applies one batch after the other. */
  private projecting(store: MemoryStore, graph: CompiledModel): (records: readonly ChangeRecord[]) => Promise<void> {
    const projector = createProjector(graph, {
      ...{ store, concurrency: 1, now: () => this.nowMs, wait: () => Promise.resolve(), random: () => 0.5 },
    });
    return async (records) => {
      for (;;) {
        const { error } = await projector.project(records, { remainingMs: () => LONGEST_TIMEOUT });
        if (error === undefined) return;
        // The batch of a consumer that stood still for long comes again.
        if (error.code !== 'out-of-time') throw error;
      }
    };
  }

  /** A reader asks for a tag. The answer has to be right of the node before or after the write, as far as both can be meant. */
  private async ask(process: GatedProcess, graph: CompiledModel, tag: string): Promise<void> {
    const { isApplied } = this;
    const answer = await searcher(graph, process.storeOf(this.table), this.now)(tag);
    const meant = [...(isApplied ? [] : [TAGS[0]]), ...(this.isWritten ? [TAGS[1]] : [])];
    const right = ['not-ready', ...meant.map((now) => (now === tag ? ID : ''))];
    if (!right.includes(answer)) this.failures.push(`the ${READER} found "${answer}" for ${tag}`);
  }

  private async finish(): Promise<void> {
    this.begun.add('end');
    const { table } = this;
    const later = (milliseconds: number): Promise<void> => {
      this.nowMs += milliseconds;
      return Promise.resolve();
    };
    await migrate(this.after, { ...migrateOptions(table, this), wait: later });
    await this.judgeAnswers('in the end');
    const project = this.projecting(table, this.after);
    for (const record of [...table.records]) await project([record]);
    await this.judgeAnswers('after all records came again');
  }

  private async judgeAnswers(when: string): Promise<void> {
    const searches = searcher(this.after, this.table, this.now);
    for (const tag of TAGS) {
      const answer = await searches(tag);
      if (answer !== (tag === TAGS[1] ? ID : '')) this.failures.push(`${when} a reader found "${answer}" for ${tag}`);
    }
  }

  /** The clock of everything in it. */
  readonly now = (): number => this.nowMs;
}

const MIGRATION = 'migration';
const READER = 'reader';

/** Begins the runs of a scope. The table before them is made once. */
export function migratingBegin(scope: MigratingScope): Begin {
  let prepared: Promise<Prepared> | undefined;
  return async (numbering) => {
    prepared ??= preparedTable(scope.change);
    return new MigratingPlay(scope, numbering, await prepared);
  };
}

async function preparedTable(change: ModelChange): Promise<Prepared> {
  const { before, after } = CHANGES[change];
  let nowMs = START;
  const clock = { now: () => nowMs };
  const table = new StreamedStore(before, clock.now);
  const wait = (milliseconds: number): Promise<void> => {
    nowMs += milliseconds;
    return Promise.resolve();
  };
  await migrate(before, { ...migrateOptions(table, clock), wait });
  await table.producer(ID, ID, { tag: { S: TAGS[0] } });
  await createProjector(before, { store: table, ...clock }).project(table.records);
  // Later than the margin in which a record still counts as old.
  nowMs += 6 * 60_000;
  const prepared = { items: [...table.items()], records: [...table.records], nowMs };
  const { steps } = await migrate(after, { ...migrateOptions(table, clock), wait });
  return { ...prepared, stepCount: steps.length };
}

function migrateOptions(store: MemoryStore, { now }: { now: () => number }): MigrateOptions {
  return { store, segments: 1, concurrency: 1, clock: now, now, random: () => 0.5 };
}

/** Searches nodes by a tag, as a reader of a model: gives their ids, or that it is not ready. */
function searcher(graph: CompiledModel, store: MemoryStore, now: () => number): (tag: string) => Promise<string> {
  const leases = registryLeases(graph, store, byOneClock(now));
  const reader = createReader(graph, { store, leases }) as Reader<typeof SEARCHED>;
  return async (tag) => {
    try {
      const { items } = await reader.search('N.tag').equals(tag);
      return items.map(({ id }) => id).join(' ');
    } catch (error) {
      if (error instanceof EdgeloomError && error.code === 'projection-not-ready') return 'not-ready';
      throw error;
    }
  };
}
