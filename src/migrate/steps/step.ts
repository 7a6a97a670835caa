import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import type { ApplyStats } from '../../reconcile/context.ts';
import type { Defined, Definitions } from '../../registry/definition.ts';
import type { Registry, TableIdentity } from '../../registry/registry.ts';
import type { DefinitionData } from '../../registry/revive.ts';
import type { SeenState } from '../../registry/transitions.ts';
import type { WalkPlace } from '../../store/table-walk.ts';
import type { BuildContext } from '../walks/build.ts';

/** A step of a migration, and everything that a kind of step says about itself. `steps.ts` is the table of the kinds. */

/** One step. */
export type Step =
  | { kind: 'register' }
  | { kind: 'enforce' }
  | { kind: 'note-home'; table: TableIdentity }
  | { kind: 'look' }
  | { kind: 'open-empty' }
  | { kind: 'doubt'; table: TableIdentity }
  | { kind: 'add-index'; indexes: readonly string[] }
  | { kind: 'drop-index'; indexes: readonly string[] }
  | { kind: 'keep'; definitions: readonly Defined[] }
  | { kind: 'note-since' }
  | { kind: 'backfill'; generations: readonly (SeenState & { definition: string })[] }
  | { kind: 'pause'; seen: readonly SeenState[] }
  | { kind: 'ready'; seen: SeenState }
  | { kind: 'distrust'; types: readonly string[] }
  | { kind: 'trust-again'; types: readonly string[] }
  | { kind: 'wait'; seen: readonly SeenState[] }
  | { kind: 'install'; definitions: readonly Defined[]; seen: readonly SeenState[] }
  | { kind: 'reconcile-views'; shapes: readonly SeenState[] }
  | { kind: 'shape-ready'; seen: SeenState }
  | { kind: 'withdraw'; seen: SeenState }
  | { kind: 'abandon'; seen: SeenState }
  | { kind: 'outlast'; seen: readonly SeenState[]; forMs: number }
  | { kind: 'delete'; generations: readonly SeenState[] }
  | { kind: 'forget'; seen: SeenState }
  | { kind: 'drop-shape'; seen: SeenState };

/** The step of a kind. */
export type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

/** The work of this run; the work of another run does not count here. */
export interface RunMemory {
  /** Generations that are backfilled and verified. */
  verified: ReadonlySet<string>;
  /** Views that are reconciled. */
  reconciled: ReadonlySet<string>;
  /** Generations, and types of views, whose items are deleted. */
  deleted: ReadonlySet<string>;
  /** Generations and shapes that no reader may have used for a full lease, as this run has seen itself. */
  unused: ReadonlySet<string>;
  /** Generations and shapes that were built so long ago that every replica shows them. */
  shown: ReadonlySet<string>;
  /** Retired generations and shapes that no late write can reach any more. */
  outlasted: ReadonlySet<string>;
}

/** The name of a state that a run has seen. The same id in another state, or in the same state a second time, has another name. */
export function seenKey({ name, id, changed }: SeenState): string {
  // rule: state-that-comes-back-is-seen-again
  return `${name}@${id}/${changed}`;
}

/** The name of some states that a run has seen: that of a walk, or of a wait, for them. */
export function seenKeys(states: readonly SeenState[]): string {
  return states.map(seenKey).join(' ');
}

/** The registry that a step begins with, and the definitions in it. */
export interface Known {
  registry: Registry;
  data: DefinitionData;
}

/** The parts of a run that the work of a step uses. */
export interface StepRun {
  graph: CompiledModel;
  store: Store & ScanSource;
  stats: ApplyStats;
  /** True if the table was empty when the run looked; undefined: it has not looked. */
  isEmpty: boolean | undefined;
  /** Makes what a walk over the table needs, for the model that is built. The walk ends where one of the states has changed. */
  buildContext(graph: CompiledModel, states?: readonly SeenState[]): BuildContext;
  /** Runs a walk over the table, from the place where the last run stopped in the same walk. Throws if time ends before the walk. */
  walkOrStop(name: string, walk: (begunAt: WalkPlace | undefined) => Promise<WalkPlace | undefined>): Promise<void>;
  /** Builds generations and verifies them, until no software from before the registry writes meanwhile. */
  buildAndVerify(context: BuildContext, generations: readonly SeenState[]): Promise<void>;
  /** Adds indexes of the model, one after the other, and waits until readers can use them. Throws if time ends before. */
  addIndexes(indexes: readonly string[]): Promise<void>;
  /** Deletes indexes, one after the other, while the states are as they were seen. Throws if time ends before. */
  dropIndexes(indexes: readonly string[], seen: readonly SeenState[]): Promise<void>;
  /** Waits until no reader uses the states any more; returns those that are still as they were seen. */
  waitUntilUnused(seen: readonly SeenState[]): Promise<readonly SeenState[]>;
  /** Waits until every replica shows the last writes. */
  waitUntilShown(seen: readonly SeenState[]): Promise<void>;
  /** Waits for some milliseconds, until no write can land that rests on an earlier registry. */
  outlastLateWrites(seen: readonly SeenState[], forMs: number): Promise<void>;
}

/** The values that a write of the registry depends on, besides the step and the registry. */
export interface WriteFacts {
  expected: Definitions;
  table: TableIdentity | undefined;
  /** The time by DynamoDB's clock; 0 for kinds that do not ask for it. */
  serverTimeMs: number;
  /** True if the table holds no item; undefined for kinds that do not ask for it. */
  isEmpty?: boolean | undefined;
  /** The first id of the registry of a table with items. */
  firstId?: number | undefined;
}

/** The texts of a kind of step. */
interface StepText {
  /** The step in words, before the names of its projections. */
  words: string;
  /** The state of its projections after it. */
  stateAfter: string;
}

/** A kind of step that writes the registry. */
export interface RegistryStep<S extends Step> extends StepText {
  /** Returns the registry to write. `registry` is undefined only for the first registration. */
  write(step: S, registry: Registry, facts: WriteFacts): Registry;
  /** The definitions that the step writes besides. Default: none. */
  definitions?(step: S, expected: Definitions): readonly Defined[];
  /** True if it adds definitions or begins to, so that writers have to be able to compile the result. */
  brings?: boolean;
  /** The fact that is read before the write: the time by DynamoDB's clock, or whether the table is empty. */
  asks?: 'time' | 'emptiness';
}

/** A kind of step that works, and changes nothing in the registry. */
export interface WorkStep<S extends Step> extends StepText {
  /** Does the work; returns the states that the run remembers as done. */
  work(run: StepRun, step: S, known: Known): Promise<readonly SeenState[]>;
  /** The memory that these states go into. Absent: none. */
  remembers?: keyof RunMemory;
  /** The states that it is done for, if nothing fails: for a plan. */
  states(step: S): readonly SeenState[];
  /** How long it waits, in milliseconds. Absent: it does not wait. */
  waitMs?(step: S): number;
}

/** A kind of step. */
export type StepKind<S extends Step = Step> = RegistryStep<S> | WorkStep<S>;
