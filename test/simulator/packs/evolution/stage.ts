import { createReader, type Reader } from '../../../../src/client/read/reader.ts';
import { Session } from '../../../../src/client/session/session.ts';
import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import { INDEX_NAMES } from '../../../../src/core/items/derived-item.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { isBaseSortKey } from '../../../../src/core/plan/stream-filter.ts';

import type {
  DerivedUpdate,
  ItemKey,
  QueryRequest,
  ReadOptions,
  ScanRequest,
  ScanSource,
  Store,
} from '../../../../src/core/store-port.ts';
import { isWrongVerdict } from '../../../../src/core/verdicts.ts';
import type { Moment } from '../../../../src/foundation/clocks.ts';
import { EdgeloomError, StoreError } from '../../../../src/foundation/errors.ts';
import { decideMigration, walkShare } from '../../../../src/migrate/divided/divided.ts';
import { migrate } from '../../../../src/migrate/migrate.ts';
import type { MigrateOptions } from '../../../../src/migrate/migrate-types.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import type { ProjectorOptions } from '../../../../src/projecting/apply/projector-types.ts';
import { registryLeases } from '../../../../src/registry/reader-lease.ts';
import { check } from '../../../../src/trust/check/check.ts';
import { type OnCall, throughCalls } from '../../../support/calls.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { byOneClock } from '../../../support/moments.ts';
import { StreamedStore } from '../../../support/streamed-store.ts';
import { standstill } from '../../kernel/gate.ts';
import { Random } from '../../kernel/random.ts';
import { textOf } from '../../kernel/values.ts';
import { History } from './history.ts';
import { type Question, Questions } from './questions.ts';
import { firstSpec, graphOf, type ModelSpec } from './specs.ts';

type Table = Store & ScanSource;
/** Tells a call of the table by its method and parameters. */
export type IsCall = (method: string, parameters: readonly unknown[]) => boolean;

const START = Date.parse('2026-01-02T00:00:00Z');
/** Single reads that no schedule gets near. */
const MOST_READS = 20_000;

const ANY_MODEL = graphOf(firstSpec(new Random(1)));
const { table: TABLE } = ANY_MODEL;
const compiled = new Map<ModelSpec, CompiledModel>();

/** A model with a view and an order, and nothing else. */
export const UNSEARCHED: ModelSpec = {
  ...{ view: ['a'], budget: 65_536, list: false, groupView: ['a'], groupSearch: false, extra: false, code: [1, 2] },
  indexes: 2,
  searches: {},
  edge: {
    ...{ set: [], mark: 0, copy: [], degree: false, shards: 1, project: [], projectSource: [], owner: false },
    orders: { gsi0: { by: 'attribute', name: 'r' } },
  },
};

/** The compiled model of a spec. */
export function modelOf(spec: ModelSpec): CompiledModel {
  const known = compiled.get(spec) ?? graphOf(spec);
  compiled.set(spec, known);
  return known;
}

/** A reader of one model, alive for the whole schedule. */
interface StageReader {
  /** What it is told wrongly; of what is not ready it says so. */
  ask: (question: Question) => Promise<string[]>;
  /** Every question. */
  all: () => Question[];
  /** The questions, for a list that two readers page through. */
  questions: Questions;
}

/** A table that refuses what reads without end: a planted bug that turns in circles fails instead of standing still. */
class BoundedStore extends StreamedStore {
  private reads = 0;

  override get(...parameters: Parameters<StreamedStore['get']>): ReturnType<StreamedStore['get']> {
    this.reads += 1;
    if (this.reads > MOST_READS) throw new Error('The schedule does not come to rest.');
    return super.get(...parameters);
  }
}

/** What a schedule of model changes that is written down plays on: a table, its records, and a clock that waits move. */
export class Stage {
  nowMs = START;
  readonly table: StreamedStore;
  private taken = 0;

  /** @param model Creates the table with the native indexes of this model. Default: without native indexes. */
  constructor(model: CompiledModel = ANY_MODEL) {
    this.table = new BoundedStore(model, () => this.nowMs);
  }

  /** Puts an item as a producer, or deletes it where no attributes are given. Gives the item's records; `records` does not give them again. */
  async write(source: string, target: string, attributes?: Readonly<Record<string, string>>): Promise<ChangeRecord[]> {
    const texts = Object.entries(attributes ?? {}).map(([name, text]) => [name, { S: text }]);
    await this.table.producer(source, target, attributes && (Object.fromEntries(texts) as Item));
    return this.records();
  }

  /** The records that were not taken yet. */
  records(): ChangeRecord[] {
    const records = this.table.records.slice(this.taken);
    this.taken = this.table.records.length;
    return records;
  }

  /** A consumer of a model projects records. */
  async project(
    spec: ModelSpec,
    records: readonly ChangeRecord[],
    options: Partial<ProjectorOptions> = {},
  ): Promise<void> {
    const { error } = await createProjector(modelOf(spec), {
      ...{ store: this.table, now: () => this.nowMs },
      ...options,
    }).project(records);
    if (error !== undefined) throw error;
  }

  /** Brings the table to a model. */
  async migrate(spec: ModelSpec, options: Partial<MigrateOptions> = {}): Promise<void> {
    await migrate(modelOf(spec), {
      ...{ store: this.table, segments: 1, concurrency: 1 },
      clock: () => this.nowMs,
      now: () => this.nowMs,
      random: () => 0.5,
      wait: async (milliseconds) => {
        this.nowMs += milliseconds;
      },
      ...options,
    });
  }

  /** Brings the table to a model by two workers, of whom only those walk that are at work: until it is done, or nothing moves any more. */
  async divided(spec: ModelSpec, isAtWork: (share: number) => boolean): Promise<void> {
    let drawn = 0;
    const options = {
      ...{ graph: modelOf(spec), store: this.table, now: () => this.nowMs, clock: () => this.nowMs },
      random: () => (drawn++ % 97) / 97,
    };
    for (let calls = 0; calls < 30; calls++) {
      const { done, shares, waitSeconds } = await decideMigration(options, { shares: 2, segmentsOfShare: 1 });
      if (done) return;
      for (const one of shares) if (isAtWork(one.share)) await walkShare(options, one);
      this.nowMs += waitSeconds * 1_000;
    }
  }

  /** One call of a divided migration that decides, and all of the walks that it deals out; whether the run has ended, or was overtaken. */
  async hasEnded(spec: ModelSpec): Promise<boolean> {
    const options = { graph: modelOf(spec), store: this.table, now: () => this.nowMs, clock: () => this.nowMs };
    try {
      const { done, shares, waitSeconds } = await decideMigration(options, { shares: 1, segmentsOfShare: 1 });
      for (const one of shares) await walkShare(options, one);
      this.nowMs += waitSeconds * 1_000;
      return done;
    } catch (error) {
      if (error instanceof EdgeloomError && error.code === 'overtaken') return true;
      throw error;
    }
  }

  /** Checks the table with a model, and repairs what it finds if asked; gives what is wrong. */
  async check(spec: ModelSpec, mode: 'report' | 'repair' = 'report', store: Table = this.table): Promise<string[]> {
    const wrong: string[] = [];
    await check(modelOf(spec), {
      ...{ store, mode, graceMs: 0, segments: 1, onlySegments: [0] },
      onFinding: ({ source, target, verdict }) => {
        if (isWrongVerdict(verdict)) wrong.push(`${source} ${target} is ${verdict}`);
      },
      now: () => this.nowMs,
      wait: async (milliseconds) => {
        this.nowMs += milliseconds;
      },
    });
    return wrong;
  }

  /** A reader of a model. With a session its answers show the session's writes. */
  reader(
    spec: ModelSpec,
    {
      store = this.table,
      moment = byOneClock(() => this.nowMs),
      session,
    }: { store?: Store; moment?: () => Moment; session?: Session } = {},
  ): StageReader {
    const model = modelOf(spec);
    const reader: Reader = createReader(model, { store, leases: registryLeases(model, store, moment) }) as never;
    const truth = { history: new History(), mayEvict: false, gaveUp: false };
    const paging = { limit: () => 1, pause: async () => undefined };
    const questions = new Questions(spec, session === undefined ? reader : reader.with(session), truth, paging);
    return {
      questions,
      all: () => questions.all(),
      ask: async (question) => {
        const asked = await question(questions).catch(unlessNotReady);
        if (asked === undefined) return [];
        const { question: text, judge } = asked;
        truth.history = this.history();
        return judge({ fromMs: this.nowMs, toMs: this.nowMs }).map((problem) => `${text}: ${problem}`);
      },
    };
  }

  /** A session by the clock of the stage that has just written; it does not know how far the stream is applied. */
  session(source: string, target: string): Session {
    const session = new Session({ now: () => this.nowMs });
    session.note([{ source, target }])();
    return session;
  }

  /** What a reader that begins now is told wrongly; of what is not ready it says so. */
  async wrongAnswers(spec: ModelSpec): Promise<string[]> {
    const reader = this.reader(spec);
    const wrong: string[] = [];
    for (const question of reader.all()) wrong.push(...(await reader.ask(question)));
    return wrong;
  }

  /** The base items as they are. */
  private history(): History {
    const history = new History();
    for (const item of this.table.items()) {
      const key = { source: textOf(item['source']), target: textOf(item['target']) };
      if (isBaseSortKey(key.target) && key.source !== '~edgeloom') history.note(key, item, 0);
    }
    return history;
  }

  /** Somebody deletes the registry by hand. */
  async deleteRegistry(): Promise<void> {
    for (const item of [...this.table.items()]) {
      const key = { source: textOf(item['source']), target: textOf(item['target']) };
      if (key.source === '~edgeloom') await this.table.delete(key);
    }
  }

  /**
   * The table of a process that stands still at the first call that it is told to: before it is made, or when its answer is
   * there. `arrived` says when it does; `letGo` lets it go on.
   *
   * @param table what it calls. Default: the table itself.
   */
  standing(
    isCall: IsCall,
    where: 'before' | 'after' = 'before',
    table: Table = this.table,
  ): { store: Table; arrived: Promise<void>; letGo: () => void } {
    const { pass, arrived, letGo } = standstill();
    let hasStood = false;
    const store = this.through(async (method, parameters, run) => {
      if (hasStood || !isCall(method, parameters)) return await run();
      hasStood = true;
      const early = where === 'after' ? await run() : undefined;
      await pass();
      return where === 'after' ? early : await run();
    }, table);
    return { store, arrived, letGo };
  }

  /** The table of a process for which some calls always fail. */
  failing(isCall: IsCall, kind: 'fatal' | 'terminal' = 'fatal'): Table {
    return this.through(async (method, parameters, run) => {
      if (isCall(method, parameters)) throw new StoreError(kind, 'simulated', 'A simulated failure.');
      return await run();
    });
  }

  /** The table, with indexes that show for so many milliseconds what was in them at the moment. */
  async lagging(milliseconds: number): Promise<Table> {
    const until = this.nowMs + milliseconds;
    const shown = new MemoryStore(TABLE, { indexes: INDEX_NAMES });
    for (const item of this.table.items()) await shown.put(item);
    return this.through(async (method, parameters, run) => {
      const [request] = parameters as [QueryRequest & ScanRequest];
      const isLate = (method === 'query' || method === 'scan') && request.index !== undefined && this.nowMs < until;
      if (!isLate) return await run();
      return method === 'query' ? await shown.query(request) : await shown.scan(request);
    });
  }

  /**
   * The table with a replica that is so many milliseconds behind what is written through this store; reads that are eventually
   * consistent ask the replica.
   */
  async replicated(milliseconds: number): Promise<Table> {
    const replica = new MemoryStore(TABLE, { indexes: INDEX_NAMES });
    for (const item of this.table.items()) await replica.put(item);
    const changes: { atMs: number; key: ItemKey; item: Item | undefined }[] = [];
    const catchUp = async (): Promise<void> => {
      for (; changes[0] !== undefined && changes[0].atMs <= this.nowMs; changes.shift()) {
        const { key, item } = changes[0];
        await (item === undefined ? replica.delete(key) : replica.put(item));
      }
    };
    return this.through(async (method, parameters, run) => {
      const [first, options] = parameters as [QueryRequest & DerivedUpdate, ReadOptions | undefined];
      const isRead = method === 'get' || method === 'getMany' || method === 'query';
      if (isRead && (options ?? first).consistent !== true) {
        await catchUp();
        return await (Reflect.get(replica, method) as typeof run).apply(replica, parameters as []);
      }
      const result = await run();
      if (method === 'update') {
        const { item } = await this.table.get(first.key, { consistent: true });
        changes.push({ atMs: this.nowMs + milliseconds, key: first.key, item });
      }
      return result;
    });
  }

  private through(onCall: OnCall, table: Table = this.table): Table {
    return throughCalls(table, onCall);
  }
}

function unlessNotReady(error: unknown): undefined {
  if (!(error instanceof EdgeloomError) || error.code !== 'projection-not-ready') throw error;
}
