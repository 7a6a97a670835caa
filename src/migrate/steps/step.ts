import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import type { ApplyStats } from '../../reconcile/apply-context.ts';
import type { Defined, Definitions } from '../../registry/definition.ts';
import type { Registry, TableIdentity } from '../../registry/registry.ts';
import type { DefinitionData } from '../../registry/revive.ts';
import type { SeenState } from '../../registry/transitions.ts';
import type { WalkPlace } from '../../store/table-walk.ts';
import type { BuildContext } from '../walks/build.ts';
import type { MigratePlace } from '../walks/place.ts';

export type Step =
  | { kind: 'register' }
  | { kind: 'enforce' }
  | { kind: 'note-home'; table: TableIdentity }
  | { kind: 'look' }
  | { kind: 'open-empty' }
  | { kind: 'doubt'; table: TableIdentity }
  | { kind: 'add-index'; indexes: readonly string[] }
  | { kind: 'add'; definitions: readonly Defined[] }
  | { kind: 'note-since' }
  | { kind: 'backfill'; generations: readonly (SeenState & { definition: string })[] }
  | { kind: 'pause'; seen: readonly SeenState[] }
  | { kind: 'ready'; seen: SeenState }
  | { kind: 'wait'; seen: readonly SeenState[] }
  | { kind: 'replace-views'; definitions: readonly Defined[]; seen: readonly SeenState[] }
  | { kind: 'reconcile-views'; generations: readonly SeenState[] }
  | { kind: 'withdraw'; seen: SeenState }
  | { kind: 'retire'; seen: SeenState }
  | { kind: 'outlast'; seen: readonly SeenState[]; forMs: number }
  | { kind: 'delete'; generations: readonly SeenState[] }
  | { kind: 'forget'; seen: SeenState };

export type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

type Memory = MigratePlace['memory'];

/**
 * Work that the registry doesn't record. `unused`: states that this run has seen out of use for a full lease; `shown`:
 * states that every replica shows; `outlasted`: states that no late write can reach.
 */
export type RunMemory = Readonly<Record<keyof Memory, ReadonlySet<string>>>;

export function memoryOf(kept: Partial<Memory> = {}): Record<keyof Memory, Set<string>> {
  return {
    verified: new Set(kept.verified),
    reconciled: new Set(kept.reconciled),
    deleted: new Set(kept.deleted),
    unused: new Set(kept.unused),
    shown: new Set(kept.shown),
    outlasted: new Set(kept.outlasted),
  };
}

/** Returns a key that differs if the state has changed, even if it changed back. */
export function seenKey({ name, id, changed }: SeenState): string {
  // rule: state-that-comes-back-is-seen-again
  return `${name}@${id}/${changed}`;
}

export function seenKeys(states: readonly SeenState[]): string {
  return states.map(seenKey).join(' ');
}

export interface Known {
  registry: Registry;
  data: DefinitionData;
}

export interface StepRun {
  graph: CompiledModel;
  store: Store & ScanSource;
  stats: ApplyStats;
  isEmpty: boolean | undefined;
  /** Walks with this context end if one of `states` has changed. */
  buildContext(graph: CompiledModel, states?: readonly SeenState[]): BuildContext;
  walkOrStop(name: string, walk: (begunAt: WalkPlace | undefined) => Promise<WalkPlace | undefined>): Promise<void>;
  buildAndVerify(context: BuildContext, generations: readonly SeenState[]): Promise<void>;
  addIndexes(indexes: readonly string[]): Promise<void>;
  dropIndexes(indexes: readonly string[], seen: readonly SeenState[]): Promise<void>;
  waitUntilUnused(seen: readonly SeenState[]): Promise<readonly SeenState[]>;
  waitUntilShown(seen: readonly SeenState[]): Promise<void>;
  outlastLateWrites(seen: readonly SeenState[], forMs: number): Promise<void>;
}

export interface WriteFacts {
  expected: Definitions;
  table: TableIdentity | undefined;
  /** DynamoDB's time in milliseconds since 1970; 0 for steps that don't ask for it. */
  serverTimeMs: number;
  isEmpty?: boolean | undefined;
  firstId?: number | undefined;
}

interface StepText {
  words: string;
  stateAfter: string;
}

export interface RegistryStep<S extends Step> extends StepText {
  /** At the first registration, `registry` is undefined despite its type. */
  write(step: S, registry: Registry, facts: WriteFacts): Registry;
  definitions?(step: S, expected: Definitions): readonly Defined[];
  /** True if the step adds definitions, so that writers have to be able to compile the result. */
  brings?: boolean;
  asks?: 'time' | 'emptiness';
}

export interface WorkStep<S extends Step> extends StepText {
  work(run: StepRun, step: S, known: Known): Promise<readonly SeenState[]>;
  remembers?: keyof RunMemory;
  states(step: S): readonly SeenState[];
  /** How long the step waits; used only in forecasts. */
  waitMs?(step: S): number;
}

export type StepKind<S extends Step = Step> = RegistryStep<S> | WorkStep<S>;
