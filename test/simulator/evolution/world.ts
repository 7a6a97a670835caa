import type { Moment } from '../../../src/clocks.ts';
import type { Item } from '../../../src/items/attribute-value.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import type { MigrateOptions } from '../../../src/migrate/migrate-types.ts';
import type { CompiledModel } from '../../../src/model/compiled.ts';
import { definitionsOf } from '../../../src/registry/definition.ts';
import { registeredModel, type WriterModel } from '../../../src/registry/writer-model.ts';
import { Agenda, codeRunsOn } from '../agenda.ts';
import { Random } from '../random.ts';
import { EvolvingConsumers } from './consumers.ts';
import { EvolvingLane } from './lane.ts';
import { drawSpecs, MARK, modelOf, type Spec } from './models.ts';
import { EvolvingProcess, type Roughness, SMOOTH } from './process.ts';
import { EvolvingReader } from './reader.ts';
import { EvolvingTable } from './table.ts';

const START = Date.parse('2026-01-02T00:00:00Z');
const NODES = 4;
/** Tell the numbers that clocks and replicas draw from those of the schedule. */
const CLOCKS_APART = 2_000_003;
const LAGS_APART = 3_000_017;
const LANES = 2;
/** What producers say of an edge. */
const EDGES: [Item, ...Item[]] = [{}, ...Array<Item>(4).fill({ r: { S: 'Y' } })];
EDGES.push(...Array<Item>(5).fill({ r: { S: 'X' }, mark: { S: MARK } }));
/** More happenings than this, and a schedule does not come to rest. */
const MOST_HAPPENINGS = 60_000;

/** What can be wrong with a schedule. */
export interface EvolutionFailure {
  kind:
    | 'wrong' /** an answer is not that of the reader's own model */
    | 'threw' /** a read, a projector or a migration ended with an error that it may not end with */
    | 'alarm' /** a check finds what is not so, or leaves what has to go */
    | 'unfinished' /** the last migration does not come to its end */
    | 'endless' /** it does not come to rest */;
  message: string;
}

interface ProcessOptions {
  /** Milliseconds that a call takes at most. */
  slowness?: number;
  /** Nothing goes wrong for readers. */
  isReader?: boolean;
  /** Default: that of the schedule. */
  random?: Random;
}

/** What a schedule runs in: the table, its stream, three models and everything that works with them. */
export class EvolvingWorld {
  readonly agenda = new Agenda(START);
  readonly random: Random;
  readonly specs: readonly Spec[];
  readonly models: readonly CompiledModel[];
  /** A model whose code knows all that any of them needs. */
  readonly wholeCode: CompiledModel;
  readonly table: EvolvingTable;
  readonly failures: EvolutionFailure[] = [];
  readonly counters: Record<string, number> = {};
  /** How often a batch that was applied comes again. */
  readonly repeats: number;
  private readonly migrations: { process: EvolvingProcess; isOver: boolean }[] = [];
  /** What projects. */
  readonly consumers = new EvolvingConsumers(this);
  private readonly lanes: EvolvingLane[];
  private readonly rough: Roughness;
  private roughness: Roughness;
  private happenings = 0;
  private unreadSinceMs = 0;
  private restores = 0;
  private stale: Promise<CompiledModel> | undefined;
  /** Apart from what else is drawn. */
  private readonly clocks: Random;

  constructor(seed: number) {
    const random = new Random(seed);
    this.random = random;
    this.clocks = new Random(seed + CLOCKS_APART);
    this.specs = drawSpecs(random);
    this.models = this.specs.map(modelOf);
    this.wholeCode = modelOf({ ...this.specs[0]!, derived: 1, hasOthers: true });
    const isRough = random.chance(0.6);
    this.rough = isRough
      ? {
          fault: random.oneOf([0, 0.02, 0.1]),
          crash: random.oneOf([0, 0.01, 0.03]),
          stall: random.oneOf([0, 0.01, 0.05]),
        }
      : SMOOTH;
    this.roughness = this.rough;
    this.repeats = random.oneOf([0, 0.05, 0.3]);
    this.lanes = Array.from({ length: LANES }, () => new EvolvingLane(this));
    this.table = new EvolvingTable(
      this.models[0]!,
      this.agenda,
      random,
      (record) => {
        if (this.isRead) this.unreadSinceMs = this.agenda.now;
        this.lanes[laneOf(record.source)]!.add(record);
      },
      (what) => this.count(what),
      new Random(seed + LAGS_APART),
    );
  }

  /** A new process that calls the table. */
  process({ slowness, isReader = false, random = this.random }: ProcessOptions = {}): EvolvingProcess {
    const roughness = (): Roughness => (isReader ? SMOOTH : this.roughness);
    const { restores } = this;
    return new EvolvingProcess(
      ...([this.agenda, random, this.table.store, roughness, slowness] as const),
      () => this.count('faults'),
      () => this.restores !== restores,
    );
  }

  /** A reader of a model. */
  reader(spec: Spec): EvolvingReader {
    const { random } = this;
    const skew = random.below(1_000_000_000);
    // Slow now and then, so that an answer may take longer than a lease.
    const process = this.process({ slowness: random.chance(0.2) ? 15_000 : 50, isReader: true });
    return new EvolvingReader(spec, process.store, this.clocksOf(skew));
  }

  /** Clocks of a process: one of the two may stand still, as while a laptop sleeps, or the wall clock is set back now and then. */
  private clocksOf(skew: number): () => Moment {
    const { agenda, clocks } = this;
    const began = agenda.now;
    const how = clocks.oneOf(['right', 'steady stands', 'wall stands', 'wall goes back'] as const);
    let setBackMs = 0;
    return () => {
      if (how === 'wall goes back' && clocks.chance(0.1)) setBackMs += clocks.below(600_000);
      return {
        steadyMs: how === 'steady stands' ? skew : agenda.now + skew,
        wallMs: how === 'wall stands' ? began : agenda.now - setBackMs,
      };
    };
  }

  /** The model of whichever version of a consumer is given the next batch. */
  consumerModel(): CompiledModel {
    // What waits for code is given it in the end: only that may hold a stream up.
    if (this.isCalm && this.random.chance(0.5)) return this.wholeCode;
    return this.random.oneOf(this.models as [CompiledModel, ...CompiledModel[]]);
  }

  /** Starts a migration to a model, which may crash at any call; gives how it ended. */
  migrate(model: CompiledModel, options: Partial<MigrateOptions> = {}): Promise<string> {
    const { agenda, random } = this;
    const process = this.process();
    const skew = random.below(1_000_000_000);
    this.count('migrations');
    const run = { process, isOver: false };
    this.migrations.push(run);
    return migrate({
      ...{ graph: model, store: process.store, segments: 1, concurrency: 4, wait: process.wait },
      random: () => random.next(),
      table: this.table.identity,
      clock: () => agenda.now + skew,
      now: () => agenda.now,
      // Whole seconds, as a header has them.
      serverTime: async () => Math.floor(agenda.now / 1000) * 1000,
      ...options,
      onStep: (made) => {
        this.count(`step ${made.step}`);
        options.onStep?.(made);
      },
    }).then(
      ({ done }) => {
        run.isOver = true;
        return done ? 'done' : 'open';
      },
      (error: unknown) => {
        run.isOver = true;
        const code = (error as { code?: string }).code ?? String(error);
        this.count(`migrations that end with ${code}`);
        if (!['simulated', 'projection-code-missing', 'overtaken', 'last-generation'].includes(code))
          this.fail('threw', `migrate threw ${String((error as Error).stack)}`);
        return code;
      },
    );
  }

  /** The model of the first batch that asked, for ever: what no writer may do; a planted bug does it. */
  staleModel(own: CompiledModel): WriterModel {
    this.stale ??= registeredModel(own, this.table.store).current();
    const { stale } = this;
    return { current: () => stale };
  }

  /**
   * The table is restored from a backup, in place of the one that was: all that worked with it is gone, and so are the records that
   * were not projected yet.
   */
  restore(): void {
    this.count('restores');
    this.restores += 1;
    this.table.restore();
    for (const lane of this.lanes) lane.restart();
  }

  /** A producer writes something. */
  produce(): void {
    const { random, table } = this;
    const source = `N-${random.below(NODES)}`;
    const target = random.chance(0.5) ? source : `E-N-${random.below(NODES)}`;
    this.count('writes of producers');
    if (random.chance(0.25)) {
      void table.items.delete({ source, target });
      return;
    }
    const attributes: Item =
      target === source
        ? {
            a: { S: random.oneOf(['1', '2']) },
            b: { S: random.oneOf(['3', '4']) },
            ...(random.chance(0.8) && { tag: { S: random.oneOf(['p', 'P', 'q']) } }),
          }
        : random.oneOf<Item>(EDGES);
    void table.items.put({ source: { S: source }, target: { S: target }, ...attributes });
  }

  /** Whether a migration is at work. */
  get isMigrating(): boolean {
    return this.migrations.some(({ process, isOver }) => !isOver && !process.isGone);
  }

  /** Whether every record was answered for. */
  get isRead(): boolean {
    return this.lanes.every((lane) => lane.isRead);
  }

  /** Every record that was made before this moment was answered for. */
  get appliedUpToMs(): number {
    return this.isRead ? this.agenda.now : this.unreadSinceMs;
  }

  /** Whether nothing goes wrong any more. */
  get isCalm(): boolean {
    return this.roughness === SMOOTH;
  }

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.roughness = SMOOTH;
  }

  /** Things go wrong again. */
  roughen(): void {
    this.roughness = this.rough;
  }

  /** Lets things happen until a time, or until something holds. */
  async run(until: () => boolean): Promise<void> {
    while (!until() && this.failures.length === 0) {
      this.happenings += 1;
      if (this.happenings > MOST_HAPPENINGS) {
        this.fail('endless', 'the schedule does not come to rest');
        return;
      }
      const happening = this.agenda.next();
      if (happening === undefined) return;
      if (happening()) await codeRunsOn();
    }
  }

  /** Lets things happen for so many milliseconds. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.agenda.now + milliseconds;
    let isOver = false;
    this.agenda.in(milliseconds, () => {
      isOver = true;
      return false;
    });
    await this.run(() => isOver || this.agenda.now > end);
  }

  fail(kind: EvolutionFailure['kind'], message: string): void {
    this.failures.push({ kind, message });
  }

  count(what: string, times = 1): void {
    this.counters[what] = (this.counters[what] ?? 0) + times;
  }

  /** A name of something that a migration can be asked to take away. */
  drawAction(): MigrateOptions['action'] {
    const { random } = this;
    const kind = random.oneOf(['withdraw', 'retire', 'drop'] as const);
    const model = this.consumerModel();
    const names = [...definitionsOf(model).projections.keys()];
    return { kind, name: names[random.below(names.length)]! };
  }
}

function laneOf(source: string): number {
  return Number(source.slice(2)) % LANES;
}
