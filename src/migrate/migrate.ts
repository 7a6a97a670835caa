import type { CompiledModel, OfGraph } from '../core/model/compiled.ts';
import { runObserved } from '../core/telemetry.ts';
import { checkStoreOptions, type OptionNames } from '../foundation/options.ts';
import { RUNTIME_OPTIONS } from '../foundation/runtime.ts';
import { type Definitions, definitionsOf, isViewName } from '../registry/definition.ts';
import { effectiveModel } from '../registry/effective.ts';
import { deleteState, type Head, writeDefinitions, writeHead } from '../registry/head.ts';
import { identityAtHome } from '../registry/identity.ts';
import type { Registry, TableIdentity } from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';
import { OvertakenError } from '../registry/transitions.ts';
import { runAbortable } from '../store/abortable.ts';
import { hasRate, MeteredStore, RATE_OPTIONS } from '../store/metered.ts';
import { withOutageLimit } from '../store/outage.ts';
import { type ActionTarget, actionTargets, isGoing, leftovers } from './action.ts';
import type { MigrateOptions, MigrateResult, MigrateStep } from './migrate-types.ts';
import { nextStep } from './next-step.ts';
import { StepWork } from './step-work.ts';
import { isEmptyTable } from './steps/empty.ts';
import { memoryOf, type RegistryStep, type Step, seenKey, type WriteFacts } from './steps/step.ts';
import { describeStep, kindOf, projectionNamesOf } from './steps/steps.ts';
import { waitSeconds } from './waits.ts';
import { ChangedStates, type MigratePlace, StoppedRun } from './walks/place.ts';

const OPTIONS: OptionNames<MigrateOptions> = {
  store: true,
  table: true,
  regions: true,
  action: true,
  mostSteps: 'index',
  segments: 'count',
  pageItems: 'count',
  concurrency: 'count',
  clock: 'function',
  serverTime: 'function',
  waitsBetweenCalls: 'boolean',
  lateWritesMs: 'milliseconds',
  acceptLeftOut: 'boolean',
  walks: true,
  resume: true,
  onStep: 'function',
  onWait: 'function',
  onProgress: 'function',
  onItems: 'function',
  telemetry: true,
  ...RATE_OPTIONS,
  ...RUNTIME_OPTIONS,
};

/**
 * Migrates a table to a model step by step, under live traffic. A run may be interrupted, ended by its `signal`, and
 * started again, even twice at the same time or from another checkout. Adds the indexes that the model needs, and
 * deletes indexes of native lists that an action removes. Throws `table-differs` if the table can't get an index, and
 * `items-left-out` if base items can't be in a projection that is built; a run with `acceptLeftOut` continues from
 * there. Repeats throttled calls if `maxRcu` or `maxWcu` is set.
 *
 * @example
 * const { done, next } = await migrate(graph, { store });
 */
export async function migrate(graph: CompiledModel, options: MigrateOptions): Promise<MigrateResult> {
  checkStoreOptions('migrate', options, OPTIONS);
  return await migrateTable({ ...options, graph });
}

export async function migrateTable(options: OfGraph<MigrateOptions>): Promise<MigrateResult> {
  const { maxRcu, maxWcu, random, clock } = options;
  return await runObserved('migrate', options, (options) =>
    runAbortable(options.store, options, (given, wait) => {
      // Leaves out `remainingMs`, so that a page that has begun is finished at the given rate and with all retries.
      const store = hasRate(options)
        ? new MeteredStore(given, { maxRcu, maxWcu, wait, random, now: clock })
        : withOutageLimit(given, { now: clock });
      return new MigrationRun({ ...options, store, wait }).run();
    }),
  );
}

/** Limits how often a run may be overtaken: two runs for different models could overtake each other forever. */
export const MOST_OVERTAKEN = 8;

export function overtakenTooOften(): OvertakenError {
  return new OvertakenError(
    'overtaken',
    'Another migration of this table is running, perhaps for another model.',
    'Wait for the other migration to end, then run this one again.',
  );
}

class MigrationRun {
  private readonly work: StepWork;
  private readonly memory: ReturnType<typeof memoryOf>;
  private readonly expected: Definitions;
  private targets: readonly ActionTarget[] | undefined;
  private overtaken = 0;
  private readonly made: Map<string, number>;

  constructor(private readonly options: OfGraph<MigrateOptions>) {
    this.memory = memoryOf(options.resume?.memory);
    this.made = new Map(Object.entries(options.resume?.made ?? {}));
    this.work = new StepWork(options);
    this.expected = definitionsOf(options.graph);
  }

  async run(): Promise<MigrateResult> {
    const { clock = () => performance.now(), mostSteps = Number.POSITIVE_INFINITY } = this.options;
    const { stats, waits } = this.work;
    const steps: MigrateStep[] = [];
    for (;;) {
      const { head, data } = await this.work.readRegistry();
      // Another run may have deleted an index.
      // rule: indexes-are-looked-at-before-each-step
      const missingIndexes = await this.work.missingIndexes();
      const step = this.decideNextStep(head?.registry, data, missingIndexes);
      if (step === undefined) {
        return {
          steps,
          done: true,
          next: '',
          leftovers: head === undefined ? [] : leftovers(head.registry, this.expected),
        };
      }
      if (steps.length >= mostSteps) return { steps, done: false, next: describeStep(step), leftovers: [] };
      const before = { ...stats };
      const startedAtMs = clock();
      const isMade = await this.makeObserved(step, head, data);
      if (isMade instanceof StoppedRun) {
        const place = this.placeOfStop(isMade);
        const seconds = waitSeconds(place, await waits.now());
        const { toWalk } = isMade;
        return { steps, done: false, next: describeStep(step), leftovers: [], place, waitSeconds: seconds, toWalk };
      }
      if (!isMade) {
        this.noteOvertaken();
        continue;
      }
      const made: MigrateStep = {
        step: step.kind,
        projection: projectionNamesOf(step),
        state: kindOf(step).stateAfter,
        writes: stats.writes - before.writes,
        wcu: stats.wcu - before.wcu,
        rcu: stats.rcu - before.rcu,
        seconds: (clock() - startedAtMs) / 1000,
      };
      steps.push(made);
      this.options.onStep?.(made);
    }
  }

  private decideNextStep(
    registry: Registry | undefined,
    data: DefinitionData,
    missingIndexes: readonly string[],
  ): Step | undefined {
    const { action = [], lateWritesMs } = this.options;
    const { expected, memory } = this;
    const { isEmpty } = this.work;
    if (registry !== undefined) this.targets ??= actionTargets(registry, data, expected, [action].flat());
    return nextStep({
      registry,
      data,
      expected,
      memory,
      missingIndexes,
      lateWritesMs,
      isEmpty,
      table: this.identityForRegistry(registry),
      targets: this.targets,
    });
  }

  private async makeObserved(step: Step, head: Head | undefined, data: DefinitionData): Promise<boolean | StoppedRun> {
    const { telemetry, graph } = this.options;
    if (telemetry === undefined) return await this.makeOrStop(step, head, data);
    const named = { kind: step.kind, projection: projectionNamesOf(step) };
    return await telemetry.run({ kind: 'step', table: graph.table.name, step: named }, () =>
      this.makeOrStop(step, head, data),
    );
  }

  private async makeOrStop(step: Step, head: Head | undefined, data: DefinitionData): Promise<boolean | StoppedRun> {
    try {
      this.work.checkTime();
      return await this.makeStep(step, head, data);
    } catch (error) {
      if (error instanceof StoppedRun) return error;
      if (error instanceof ChangedStates) return false;
      throw error;
    }
  }

  private async makeStep(step: Step, head: Head | undefined, data: DefinitionData): Promise<boolean> {
    const kind = kindOf(step);
    if ('write' in kind) return await this.makeRegistryStep(step, kind, head, data);
    const done = await kind.work(this.work, step, { registry: head!.registry, data });
    if (kind.remembers !== undefined) for (const seen of done) this.memory[kind.remembers].add(seenKey(seen));
    for (let left = kind.states(step).length - done.length; left > 0; left--) this.noteOvertaken();
    return true;
  }

  private async makeRegistryStep(
    step: Step,
    kind: RegistryStep<Step>,
    head: Head | undefined,
    data: DefinitionData,
  ): Promise<boolean> {
    // Only the deciding run writes the registry.
    if (this.work.isWalker) throw new StoppedRun({});
    const definitions = kind.definitions?.(step, this.expected) ?? [];
    await writeDefinitions(
      this.work,
      new Map(definitions.map(({ fingerprint, data: stored }) => [fingerprint, stored])),
    );
    let next: Registry;
    try {
      // Reads the facts after the registry, so that a noted time is never before the state that it dates.
      next = kind.write(step, head?.registry as Registry, await this.readFacts(kind, head?.registry));
    } catch (error) {
      if (error instanceof OvertakenError) return false;
      throw error;
    }
    // rule: what-goes-needs-no-code
    if (kind.brings === true) checkCompiles(next, data, this.expected, this.options.graph, this.targets);
    const isWritten = await writeHead(this.work, next, head?.revision);
    if (isWritten && head?.stateKey !== undefined) await deleteState(this.work, head.stateKey);
    if (isWritten) this.noteMade(step);
    return isWritten;
  }

  private async readFacts({ asks }: RegistryStep<Step>, registry: Registry | undefined): Promise<WriteFacts> {
    const { graph, store, stats, runtime, waits } = this.work;
    const serverTimeMs = asks === 'time' ? await waits.now() : 0;
    const facts = { expected: this.expected, table: this.identityForRegistry(registry), serverTimeMs };
    if (asks !== 'emptiness') return facts;
    const isEmpty = await isEmptyTable(graph, store, stats);
    if (isEmpty) return { ...facts, isEmpty };
    // The first id is random, because an earlier registry that was deleted may have used low ids. Keys have room for
    // nine digits.
    // rule: new-registry-stamps-no-view-again
    const firstId = 1 + Math.floor(runtime.random() * 2 ** 29);
    return { ...facts, isEmpty, firstId };
  }

  private identityForRegistry(registry: Registry | undefined): TableIdentity | undefined {
    return identityAtHome(registry?.table, this.options.table, this.options.regions);
  }

  private placeOfStop({ left }: StoppedRun): MigratePlace {
    const kept = Object.entries(this.memory).map(([name, states]) => [name, [...states]]);
    const memory = Object.fromEntries(kept) as MigratePlace['memory'];
    const made = this.made.size > 0 && { made: Object.fromEntries(this.made) };
    return { version: 1, memory, ...made, walked: this.options.resume?.walked, ...left };
  }

  /** Throws if the step was made too often, because a run for another model may revert it again and again. */
  private noteMade(step: Step): void {
    const names = projectionNamesOf(step).split(' ');
    const name = `${step.kind} ${names.map((one) => one.split('@')[0]).join(' ')}`.trim();
    if (name === step.kind) return;
    const times = (this.made.get(name) ?? 0) + 1;
    this.made.set(name, times);
    // rule: runs-do-not-take-back-each-others-steps-for-ever
    if (times > MOST_OVERTAKEN) throw overtakenTooOften();
  }

  private noteOvertaken(): void {
    this.overtaken += 1;
    if (this.overtaken <= MOST_OVERTAKEN) return;
    throw overtakenTooOften();
  }
}

/**
 * Throws if writers couldn't compile the registry's model, even without the views that this migration replaces or
 * drops.
 */
function checkCompiles(
  registry: Registry,
  data: DefinitionData,
  expected: Definitions,
  graph: CompiledModel,
  dropped: readonly ActionTarget[] = [],
): void {
  const projections = [...registry.projections].map(([name, { next, generations }]) => {
    const isView = isViewName(name);
    // Views that are dropped may conflict with other views about an edge type, and dropping them is the remedy.
    const left = generations.filter(({ id }) => !isView || !isGoing(dropped, name, id));
    const definition = isView ? expected.get(name)?.fingerprint : undefined;
    // rule: replaced-views-need-no-code
    if (definition === undefined) return [name, { next, generations: left }] as const;
    return [name, { next, generations: left.map((one) => ({ ...one, definition })) }] as const;
  });
  const all = new Map([...data, ...[...expected.values()].map((one) => [one.fingerprint, one.data] as const)]);
  effectiveModel({ ...registry, projections: new Map(projections) }, all, graph);
}
