import type { ApplyStats } from '../apply/context.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { neededFanOuts } from '../registry/concerns.ts';
import type { Data } from '../registry/data.ts';
import { type Definitions, definitionsOf } from '../registry/definition.ts';
import { effectiveModel } from '../registry/effective.ts';
import { type Head, readDefinitions, readHead, writeDefinitions, writeHead } from '../registry/head.ts';
import { identityAtHome } from '../registry/identity.ts';
import { LEASE_MS } from '../registry/reader-lease.ts';
import type { Registry, TableIdentity } from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';
import { announce, OvertakenError, register, type SeenState } from '../registry/transitions.ts';
import { type Runtime, runtimeOf } from '../runtime.ts';
import { runAbortable } from '../store/abortable.ts';
import { type ActionTarget, targetOf } from './action.ts';
import { builtModel, changed, checkCompiles } from './changed.ts';
import { isEmptyTable } from './empty.ts';
import type { MigrateOptions, MigrateResult, MigrateStep } from './migrate-types.ts';
import { nextStep, type RunMemory, type Step, seenKey } from './next-step.ts';
import { describeStep, STATE_AFTER, subjectOf } from './step-text.ts';
import { Waits, waitSeconds } from './waits.ts';
import { type BuildContext, settleViews } from './walks/build.ts';
import { buildingWalks } from './walks/building.ts';
import { OldWrites } from './walks/old-writes.ts';
import { type MigratePlace, StoppedRun, type WalkPlace } from './walks/place.ts';
import { removeGenerations } from './walks/remove.ts';

/**
 * Brings a table to a model, step by step, during live traffic. Any run may be interrupted and started again, even twice at the
 * same time or from another checkout: each step is one conditional write, or work that can be repeated. The same holds for a run
 * that a `signal` ends: the steps that `onStep` has reported are finished.
 *
 * @example
 * const { done, next } = await migrate({ graph, store });
 */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  return await runAbortable(options.store, options, (store, wait) =>
    new MigrationRun({ ...options, store, wait }).run(),
  );
}

/** Steps that add definitions, or begin to. */
const BRINGS: ReadonlySet<Step['kind']> = new Set(['register', 'keep', 'distrust', 'install']);

/** Attempts at one step before the run assumes that another run is at work. */
const MOST_OVERTAKEN = 8;

class MigrationRun {
  private readonly memory: Record<keyof RunMemory, Set<string>>;
  /** The walk that the last run had under way. */
  private begun: MigratePlace['walk'];
  private target: ActionTarget | undefined;
  /** How often another run has changed the registry before this run could. */
  private overtaken = 0;
  private isEmpty: boolean | undefined;
  private readonly old: OldWrites;
  private readonly waits: Waits;
  /** The phase of the walk over the table that is under way. */
  private phase = '';
  private readonly known = new Map<string, Data>();
  private readonly wanted: Definitions;
  private readonly runtime: Runtime;
  private readonly stats: ApplyStats = { writes: 0, wcu: 0, rcu: 0, stale: 0, contradictions: 0, quarantined: 0 };

  constructor(private readonly options: MigrateOptions) {
    this.wanted = definitionsOf(options.graph);
    const { verified, settled, deleted, unused, shown }: Partial<MigratePlace['memory']> = options.resume?.memory ?? {};
    const [built, viewed] = [new Set(verified), new Set(settled)];
    const [seen, waited] = [new Set(shown), new Set(unused)];
    this.memory = { verified: built, settled: viewed, deleted: new Set(deleted), unused: waited, shown: seen };
    this.runtime = runtimeOf(options);
    this.begun = options.resume?.walk;
    this.waits = new Waits(options);
    this.old = new OldWrites(options.table?.streamLabel, options.resume);
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
      const isMade = await this.makeOrStop(step, head, data);
      if (isMade instanceof StoppedRun) {
        const place = this.place(isMade);
        return {
          steps,
          done: false,
          next: describeStep(step),
          place,
          waitSeconds: waitSeconds(place, await this.waits.now()),
        };
      }
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

  /** Makes a step like `make`, or returns the place where it stopped. */
  private async makeOrStop(step: Step, head: Head | undefined, data: DefinitionData): Promise<boolean | StoppedRun> {
    if (this.isOver()) return new StoppedRun({ walk: this.begun, waiting: this.options.resume?.waiting });
    try {
      return await this.make(step, head, data);
    } catch (error) {
      if (error instanceof StoppedRun) return error;
      throw error;
    }
  }

  private place({ left }: StoppedRun): MigratePlace {
    const { verified, settled, deleted, unused, shown } = this.memory;
    const done = { verified: [...verified], settled: [...settled], deleted: [...deleted] };
    return { version: 1, memory: { ...done, unused: [...unused], shown: [...shown] }, ...this.old.place, ...left };
  }

  /** Runs a walk over the table, from the place where the last run stopped in the same walk. Throws `StoppedRun` if it stops. */
  private async walked(
    name: string,
    walk: (begunAt: WalkPlace | undefined) => Promise<WalkPlace | undefined>,
  ): Promise<void> {
    [this.phase] = name.split(' ') as [string];
    const begunAt = this.begun?.name === name ? this.begun.at : undefined;
    this.begun = undefined;
    const at = await walk(begunAt);
    if (at !== undefined) throw new StoppedRun({ walk: { name, at } });
  }

  /** Builds generations and verifies them, beginning with the walk in which the last run stopped. */
  private async built(context: BuildContext, generations: readonly SeenState[]): Promise<void> {
    const name = generations.map(seenKey).join(' ');
    const walks = buildingWalks(context, generations, this.old).map((one) => ({ ...one, name: `${one.kind} ${name}` }));
    const first = walks.findIndex((one) => one.name === this.begun?.name);
    for (const one of walks.slice(Math.max(0, first))) await this.walked(one.name, one.walk);
  }

  /** Whether software from before the registry has written during the walks; if so, waits until its current batches have ended. */
  private async oldSoftwareWrites(): Promise<boolean> {
    const { waitsBetweenCalls = false } = this.options;
    const found = this.old.nextRound();
    if (found === undefined) return false;
    if (waitsBetweenCalls) throw new StoppedRun({ waiting: { seen: [], sinceMs: await this.waits.now() } });
    this.options.onWait?.(found, LEASE_MS);
    await this.runtime.wait(LEASE_MS);
    return true;
  }

  private isOver(): boolean {
    return this.runtime.remainingMs() <= 0;
  }

  /** Two runs with different aims would otherwise overtake each other for ever. */
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
    const { action } = this.options;
    const { wanted, memory } = this;
    const table = this.identity(registry);
    if (registry !== undefined && action !== undefined) this.target ??= targetOf(registry, wanted, action);
    return nextStep({
      ...{ registry, data, wanted, memory },
      ...(table && { table }),
      ...(this.isEmpty !== undefined && { isEmpty: this.isEmpty }),
      ...(action && { action }),
      ...(this.target && { target: this.target }),
    });
  }

  /** Makes a step; false if the registry has changed since it was read. */
  private async make(step: Step, head: Head | undefined, data: DefinitionData): Promise<boolean> {
    const { store } = this.options;
    if (await this.work(step, head, data)) return true;
    const definitions = 'definitions' in step ? step.definitions : step.kind === 'register' ? this.all() : [];
    const writer = { store, stats: this.stats };
    await writeDefinitions(writer, new Map(definitions.map(({ fingerprint, data: stored }) => [fingerprint, stored])));
    let next: Registry;
    try {
      // The clock is read after the registry, so that the noted time is never before the noted state.
      const time = step.kind === 'note-since' ? await this.waits.now() : 0;
      next = step.kind === 'register' ? await this.registration() : changed(step, head!.registry, time);
    } catch (error) {
      if (error instanceof OvertakenError) return false;
      throw error;
    }
    // rule: what-goes-needs-no-code
    if (BRINGS.has(step.kind)) checkCompiles(next, data, this.wanted, this.options.graph);
    return await writeHead(writer, next, head?.revision);
  }

  private all() {
    return [...this.wanted.projections.values(), ...this.wanted.views.values()];
  }

  /** Does the work of a step that does not change the registry; false if the step is a write of the registry. */
  private async work(step: Step, head: Head | undefined, data: DefinitionData): Promise<boolean> {
    const { graph, store } = this.options;
    if (step.kind === 'look') {
      this.isEmpty = await isEmptyTable(graph, store, this.stats);
      return true;
    }
    if (step.kind === 'wait') {
      await this.waits.leases(step.seen.map(seenKey));
      for (const seen of step.seen) {
        if (await this.isStill(seen)) this.memory.unused.add(seenKey(seen));
        else this.noteOvertaken();
      }
      return true;
    }
    if (step.kind === 'pause') {
      await this.waits.replicas(step.seen.map(seenKey));
      for (const seen of step.seen) this.memory.shown.add(seenKey(seen));
      return true;
    }
    if (step.kind === 'backfill') {
      const context = this.context(builtModel(step.generations, head!.registry, data, graph));
      do {
        await this.built(context, step.generations);
      } while (await this.oldSoftwareWrites());
      for (const seen of step.generations) this.memory.verified.add(seenKey(seen));
      return true;
    }
    if (step.kind === 'settle-views') {
      const context = this.context(effectiveModel(head!.registry, data, graph));
      const types = new Set(step.shapes.map(({ name }) => name));
      const walkName = `settle-views ${step.shapes.map(seenKey).join(' ')}`;
      await this.walked(walkName, (begunAt) => settleViews({ ...context, begunAt }, types));
      for (const seen of step.shapes) this.memory.settled.add(seenKey(seen));
      return true;
    }
    if (step.kind !== 'delete') return false;
    const context = this.context(graph);
    await this.walked(`delete ${step.generations.map(seenKey).join(' ')}`, (begunAt) =>
      removeGenerations({ ...context, begunAt }, step.generations),
    );
    for (const seen of step.generations) this.memory.deleted.add(seenKey(seen));
    return true;
  }

  /** Whether a generation or shape is still in the state in which it was seen. */
  private async isStill({ name, id, changed }: SeenState): Promise<boolean> {
    const { head } = await this.read();
    const generation = head?.registry.projections.get(name)?.generations.find((other) => other.id === id);
    const shape = head?.registry.shapes.get(name)?.shape;
    return generation?.changed === changed || (shape?.id === id && shape.changed === changed);
  }

  private identity(registry: Registry | undefined): TableIdentity | undefined {
    return identityAtHome(registry?.table, this.options.table, this.options.regions);
  }

  /** Makes the first registry. A deleted registry may have stamped views with low numbers, so shapes begin at a random one. */
  private async registration(): Promise<Registry> {
    const { graph, store } = this.options;
    const isEmpty = await isEmptyTable(graph, store, this.stats);
    if (isEmpty) return register(this.wanted, this.identity(undefined));
    // rule: new-registry-stamps-no-view-again
    const firstShape = 1 + Math.floor(this.runtime.random() * 2 ** 31);
    return announce(this.wanted, this.identity(undefined), firstShape);
  }

  private context(graph: CompiledModel): BuildContext {
    const { store, segments = 4, concurrency = 16, onProgress } = this.options;
    return {
      ...runtimeOf({ ...this.options, remainingMs: undefined }),
      graph,
      store,
      segments,
      concurrency,
      stats: this.stats,
      // A page that has begun is finished: only the walk asks for the time.
      isOver: () => this.isOver(),
      neededFanOuts: async () => {
        const { head, data } = await this.read();
        return neededFanOuts(head?.registry, data);
      },
      ...(onProgress && { onProgress: (items: number) => onProgress(items, this.phase) }),
    };
  }
}
