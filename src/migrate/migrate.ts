import type { ApplyStats } from '../apply/context.ts';
import { EdgeloomError } from '../errors.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { Data } from '../registry/data.ts';
import { type Definitions, definitionsOf } from '../registry/definition.ts';
import { effectiveModel, keptOf } from '../registry/effective.ts';
import { type Head, readDefinitions, readHead, writeDefinitions, writeHead } from '../registry/head.ts';
import { compileLayers } from '../registry/layer.ts';
import { LEASE_MS } from '../registry/reader-lease.ts';
import type { Registry } from '../registry/registry.ts';
import { type DefinitionData, reviveKeyed } from '../registry/revive.ts';
import {
  abandon,
  distrust,
  doubt,
  dropShape,
  forget,
  install,
  keep,
  makeReady,
  noteSince,
  OvertakenError,
  register,
  type SeenState,
  shapeReady,
  trustAgain,
  withdraw,
} from '../registry/transitions.ts';
import { sleep } from '../retry.ts';
import { runAbortable } from '../store/abortable.ts';
import { type BuildContext, backfill, settleViews, verify } from './build.ts';
import type { MigrateOptions, MigrateResult, MigrateStep } from './migrate-types.ts';
import { actionTargets, nextStep, type RunMemory, type Step, seenKey } from './next-step.ts';
import { removeGenerations } from './remove.ts';
import { describeStep, STATE_AFTER, subjectOf } from './step-text.ts';

/**
 * Brings a table to a model, step by step, beside live traffic. Any run may be interrupted, and begun again, also twice at
 * once or from another checkout: each step is one conditional write, or work that can be repeated. That holds for one that a
 * `signal` ends, too: steps that `onStep` has told are made.
 *
 * @example
 * const { done, next } = await migrate({ graph, store });
 */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  return await runAbortable(options.store, options, (store, wait) =>
    new MigrationRun({ ...options, store, wait }).run(),
  );
}

/** Tries of one step before another run is taken to be at work. */
const MOST_OVERTAKEN = 8;

class MigrationRun {
  private readonly memory = {
    verified: new Set<string>(),
    settled: new Set<string>(),
    deleted: new Set<string>(),
    unused: new Set<string>(),
  } satisfies RunMemory;
  private targets: ReadonlySet<string> | undefined;
  /** How often another run has moved what this one was about to move. */
  private overtaken = 0;
  private readonly known = new Map<string, Data>();
  private readonly wanted: Definitions;
  private readonly stats: ApplyStats = { writes: 0, wcu: 0, rcu: 0, stale: 0, contradictions: 0, quarantined: 0 };

  constructor(private readonly options: MigrateOptions) {
    this.wanted = definitionsOf(options.graph);
  }

  async run(): Promise<MigrateResult> {
    const { clock = () => performance.now(), mostSteps = Number.POSITIVE_INFINITY } = this.options;
    const steps: MigrateStep[] = [];
    for (;;) {
      const { head, data } = await this.read();
      const step = this.next(head?.registry, data);
      if (step === undefined) return { steps, done: true, next: '' };
      if (steps.length >= mostSteps) return { steps, done: false, next: describeStep(step) };
      const before = { ...this.stats };
      const startedAtMs = clock();
      const isMade = await this.make(step, head, data);
      if (!isMade) {
        this.noteOvertaken();
        continue;
      }
      const { writes, wcu, rcu } = this.stats;
      const made: MigrateStep = {
        ...{ step: step.kind, projection: subjectOf(step), state: STATE_AFTER[step.kind] },
        ...{ writes: writes - before.writes, wcu: wcu - before.wcu, rcu: rcu - before.rcu },
        seconds: (clock() - startedAtMs) / 1000,
      };
      steps.push(made);
      this.options.onStep?.(made);
    }
  }

  /** Two runs that want different things would go on for ever. */
  private noteOvertaken(): void {
    this.overtaken += 1;
    if (this.overtaken <= MOST_OVERTAKEN) return;
    throw new OvertakenError(
      'overtaken',
      'Another migration is at work and wants something else.',
      'Let one of the two come to its end, then run the other.',
    );
  }

  private async read() {
    const reader = { store: this.options.store, stats: this.stats };
    const head = await readHead(reader);
    const data: DefinitionData =
      head === undefined ? this.known : await readDefinitions(reader, head.registry, this.known);
    return { head, data };
  }

  private next(registry: Registry | undefined, data: DefinitionData): Step | undefined {
    const { table, action } = this.options;
    const { wanted, memory } = this;
    if (registry !== undefined && action !== undefined) this.targets ??= actionTargets(registry, wanted, action);
    return nextStep({
      ...{ registry, data, wanted, memory },
      ...(table && { table }),
      ...(action && { action }),
      ...(this.targets && { targets: this.targets }),
    });
  }

  /** Makes a step; false where the registry has changed since it was read. */
  private async make(step: Step, head: Head | undefined, data: DefinitionData): Promise<boolean> {
    const { store, now = Date.now, serverTime } = this.options;
    if (await this.work(step, head, data)) return true;
    const definitions = 'definitions' in step ? step.definitions : step.kind === 'register' ? this.all() : [];
    await writeDefinitions(store, new Map(definitions.map(({ fingerprint, data: stored }) => [fingerprint, stored])));
    let next: Registry;
    try {
      // Read after the state that it is noted for was seen.
      const time = step.kind === 'note-since' ? await serverTime?.() : undefined;
      next = this.change(step, head?.registry, time ?? now());
    } catch (error) {
      if (error instanceof OvertakenError) return false;
      throw error;
    }
    // What writers could not compile must not be written.
    const all = new Map([
      ...data,
      ...this.all().map(({ fingerprint, data: stored }) => [fingerprint, stored] as const),
    ]);
    effectiveModel(next, all, this.options.graph);
    this.stats.writes += 1;
    return await writeHead(store, next, head?.revision);
  }

  private all() {
    return [...this.wanted.projections.values(), ...this.wanted.views.values()];
  }

  /** The work of a step that writes no registry; false where the step is a write of the registry. */
  private async work(step: Step, head: Head | undefined, data: DefinitionData): Promise<boolean> {
    const { graph, wait = sleep } = this.options;
    if (step.kind === 'wait') {
      // Longer than a lease that was taken just before this run saw the state.
      await wait(LEASE_MS + 1);
      for (const seen of step.seen) {
        if (await this.isStill(seen)) this.memory.unused.add(seenKey(seen));
        else this.noteOvertaken();
      }
      return true;
    }
    if (step.kind === 'backfill') {
      const parts = step.generations.map(({ name, id, definition }) => {
        return { definition: reviveKeyed(name, definition, data, graph), kept: keptOf(id) };
      });
      const built = compileLayers([], parts, graph, `@${head!.registry.version}`);
      // No views: `shapes` without a type.
      const context = this.context({ ...built, shapes: new Map() });
      await backfill(context, step.generations);
      await verify(context);
      for (const seen of step.generations) this.memory.verified.add(seenKey(seen));
      return true;
    }
    if (step.kind === 'settle-views') {
      const context = this.context(effectiveModel(head!.registry, data, graph));
      await settleViews(context, new Set(step.shapes.map(({ name }) => name)));
      for (const seen of step.shapes) this.memory.settled.add(seenKey(seen));
      return true;
    }
    if (step.kind !== 'delete') return false;
    await removeGenerations(this.context(graph), step.generations);
    for (const seen of step.generations) this.memory.deleted.add(seenKey(seen));
    return true;
  }

  /** Whether a generation or shape is in the very state still that it was seen in. */
  private async isStill({ name, id, changed }: SeenState): Promise<boolean> {
    const { head } = await this.read();
    const generation = head?.registry.projections.get(name)?.generations.find((other) => other.id === id);
    const shape = head?.registry.shapes.get(name)?.shape;
    return generation?.changed === changed || (shape?.id === id && shape.changed === changed);
  }

  private change(step: Step, registry: Registry | undefined, serverTimeMs: number): Registry {
    if (step.kind === 'register') return this.registration();
    const current = registry!;
    switch (step.kind) {
      case 'doubt':
        return doubt(current, step.table);
      case 'keep':
        return step.definitions.reduce((next, { name, fingerprint }) => keep(next, name, fingerprint), current);
      case 'note-since':
        return noteSince(current, serverTimeMs);
      case 'ready':
        return makeReady(current, step.seen);
      case 'distrust':
        return distrust(current, step.types);
      case 'trust-again':
        return trustAgain(current, step.types);
      case 'install':
        return install(
          current,
          new Map(step.definitions.map(({ name, fingerprint }) => [name.slice('view:'.length), fingerprint])),
          new Map(step.seen.map((seen) => [seen.name, seen])),
        );
      case 'shape-ready':
        return shapeReady(current, step.seen);
      case 'withdraw':
        return withdraw(current, step.seen);
      case 'abandon':
        return abandon(current, step.seen);
      case 'forget':
        return forget(current, step.seen);
      case 'drop-shape':
        return dropShape(current, step.seen);
      default:
        throw new EdgeloomError('usage', `${step.kind} does not change the registry.`);
    }
  }

  private registration(): Registry {
    const { isEmpty = false, table } = this.options;
    const { projections, views } = this.wanted;
    const fingerprints = (defined: Definitions['projections'] | Definitions['views']): Map<string, string> =>
      new Map([...defined].map(([name, { fingerprint }]) => [name, fingerprint]));
    return register({ projections: fingerprints(projections), shapes: fingerprints(views) }, isEmpty, table);
  }

  private context(graph: CompiledModel): BuildContext {
    const { store, segments = 4, concurrency = 16, now = Date.now, wait = sleep, onProgress } = this.options;
    return {
      ...{ graph, store, segments, concurrency, now, wait, stats: this.stats },
      ...{ random: Math.random, remainingMs: () => Number.POSITIVE_INFINITY },
      ...(onProgress && { onProgress }),
    };
  }
}
