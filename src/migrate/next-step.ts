import { LATEST_WRITE_MS } from '../foundation/late-writes.ts';
import { type Definitions, indexName, indexNamedIn, meaningsOf, typeOfView, viewName } from '../registry/definition.ts';
import type { Generation, Registry, Shape, TableIdentity } from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';
import { isAnnounced, isUntouchedSinceRegistration, type SeenState } from '../registry/transitions.ts';
import { type ActionTarget, liveGenerations } from './action.ts';
import { retiredIndex } from './steps/retired-index.ts';
import { type RunMemory, type Step, seenKey } from './steps/step.ts';

/**
 * A pure function of the registry, the expected model, and what this run has done under the ids that it has seen. Each
 * step is one write of the registry, or the work before one, so an interrupted run can simply be started again.
 */

export interface Situation {
  registry: Registry | undefined;
  data: DefinitionData;
  expected: Definitions;
  memory: RunMemory;
  missingIndexes?: readonly string[];
  /** After the registration; absent: not checked. */
  isEmpty?: boolean;
  table?: TableIdentity;
  targets?: readonly ActionTarget[];
  /** How late a consumer's write may arrive. Default: 20 minutes. */
  lateWritesMs?: number | undefined;
}

export function nextStep(situation: Situation): Step | undefined {
  const { registry, table, expected } = situation;
  if (registry === undefined) return { kind: 'register' };
  if (isAnnounced(registry)) {
    // rule: table-with-items-is-announced-for-a-lease
    const waiting = waitForReadersWithoutRegistry(registry, situation.memory);
    return waiting ?? { kind: 'enforce' };
  }
  // rule: restored-table-is-doubted
  if (table !== undefined && !isForTable(registry, table)) return { kind: 'doubt', table };
  if (table !== undefined && registry.table?.home !== table.home) return { kind: 'note-home', table };
  if (isUntouchedSinceRegistration(registry)) {
    if (situation.isEmpty === undefined) return { kind: 'look' };
    // Readers use a native list as soon as it is ready.
    if (situation.isEmpty) return indexStep(situation) ?? { kind: 'open-empty' };
    const waiting = waitForReadersWithoutRegistry(registry, situation.memory);
    if (waiting !== undefined) return waiting;
  }
  if (hasStateWithoutSince(registry)) return { kind: 'note-since' };
  const bringing = (): Step | undefined => {
    // rule: deleted-index-is-gone-before-it-is-added-again
    const deletion = deleteStep(registry, situation, (name) => isIndex(name) && expected.projections.has(name));
    return deletion ?? keepStep(registry, situation) ?? indexStep(situation) ?? buildStep(registry, situation);
  };
  return (
    // Readers of the model would lose a search that has another place in it.
    (takesLast(registry, situation) ? bringing() : undefined) ??
    actionStep(registry, situation) ??
    bringing() ??
    shapeStep(registry, situation) ??
    retireStep(registry, situation) ??
    deleteStep(registry, situation)
  );
}

/**
 * A reader that found no registry uses plain keys and views by its own model, but writers of another model are about to
 * change the table.
 */
function waitForReadersWithoutRegistry({ projections, shapes }: Registry, { unused }: RunMemory): Step | undefined {
  const seen = [
    ...[...projections].flatMap(([name, { generations }]) => generations.map((one) => seenGeneration(name, one))),
    ...[...shapes].flatMap(([type, { shape }]) => seenShape(type, shape)),
  ].filter((one) => !unused.has(seenKey(one)));
  return seen.length === 0 ? undefined : { kind: 'wait', seen };
}

function isForTable({ table: stored }: Registry, table: TableIdentity): boolean {
  return stored?.id === table.id && stored.streamLabel === table.streamLabel;
}

function hasStateWithoutSince({ projections, shapes }: Registry): boolean {
  for (const { generations } of projections.values()) {
    if (generations.some(({ state, since }) => state !== 'absent' && since === undefined)) return true;
  }
  return [...shapes.values()].some(({ shape }) => shape !== undefined && shape.since === undefined);
}

function keepStep({ projections }: Registry, situation: Situation): Step | undefined {
  const missing = [...situation.expected.projections.values()].filter(({ name, fingerprint }) => {
    if (isDropped(name, situation)) return false;
    const { generations = [] } = projections.get(name) ?? {};
    return !generations.some(({ definition, state }) => definition === fingerprint && state !== 'absent');
  });
  return missing.length === 0 ? undefined : { kind: 'keep', definitions: missing };
}

function isIndex(name: string): boolean {
  return indexNamedIn(name) !== undefined;
}

function indexStep(situation: Situation): Step | undefined {
  // rule: index-is-filled-before-readers-use-it
  const indexes = (situation.missingIndexes ?? []).filter((name) => !isDropped(indexName(name), situation));
  return indexes.length === 0 ? undefined : { kind: 'add-index', indexes };
}

function buildStep(registry: Registry, situation: Situation): Step | undefined {
  const { expected, memory } = situation;
  const building = [...expected.projections.values()].flatMap(({ name, fingerprint }) => {
    if (isDropped(name, situation)) return [];
    const generations = registry.projections.get(name)?.generations ?? [];
    const own = generations.find(({ definition, state }) => definition === fingerprint && state === 'kept');
    if (own === undefined || generations.some((other) => isReadyWithDefinition(other, own))) return [];
    return [{ ...seenGeneration(name, own), definition: fingerprint }];
  });
  // rule: ready-after-a-backfill
  const open = building.filter((seen) => !isIndex(seen.name) && !memory.verified.has(seenKey(seen)));
  if (open.length > 0) return { kind: 'backfill', generations: open };
  return pauseStep(building, memory) ?? (building.length === 0 ? undefined : { kind: 'ready', seen: building[0]! });
}

/** Every replica has to show the last write: a reader may ask any of them, and would take a gap for absence. */
function pauseStep(building: readonly SeenState[], { shown }: RunMemory): Step | undefined {
  const seen = building.filter((one) => !shown.has(seenKey(one)));
  return seen.length === 0 ? undefined : { kind: 'pause', seen };
}

function isReadyWithDefinition(other: Generation, own: Generation): boolean {
  return other.state === 'ready' && other.definition === own.definition;
}

/** Shapes change together: those of two node types must always agree about an edge type. */
function shapeStep(registry: Registry, situation: Situation): Step | undefined {
  const { expected, memory } = situation;
  const types = [...expected.views.keys()].filter((type) => !isDropped(viewName(type), situation));
  const shapes = new Map(types.map((type) => [type, registry.shapes.get(type)?.shape]));
  const other = types.filter((type) => shapes.get(type)?.definition !== expected.views.get(type)!.fingerprint);
  const idle = types.filter((type) => !other.includes(type) && shapes.get(type)!.trusted === false);
  if (idle.length > 0) return { kind: 'trust-again', types: idle };
  const trusted = other.filter((type) => shapes.get(type)?.trusted === true);
  if (trusted.length > 0) return { kind: 'distrust', types: trusted };
  if (other.length > 0) {
    const replaced = other.flatMap((type) => seenShape(type, shapes.get(type)));
    const waiting = replaced.filter((seen) => !memory.unused.has(seenKey(seen)));
    // rule: replaced-shape-is-out-of-use-for-a-lease
    if (waiting.length > 0) return { kind: 'wait', seen: waiting };
    return { kind: 'install', definitions: other.map((type) => expected.views.get(type)!), seen: replaced };
  }
  const building = types.flatMap((type) => (shapes.get(type)!.ready ? [] : seenShape(type, shapes.get(type))));
  const open = building.filter((seen) => !memory.reconciled.has(seenKey(seen)));
  if (open.length > 0) return { kind: 'reconcile-views', shapes: open };
  return (
    pauseStep(building, memory) ?? (building.length === 0 ? undefined : { kind: 'shape-ready', seen: building[0]! })
  );
}

/**
 * Earlier generations whose meanings newer ones all have. No `MigrateAction` is needed, since readers use the newer
 * ones.
 */
function retireStep(registry: Registry, { expected, data, memory }: Situation): Step | undefined {
  const leaving: SeenState[] = [];
  const own = new Map<string, { name: string; generation: Generation }>();
  for (const { name, fingerprint, meanings } of expected.projections.values()) {
    const generations = registry.projections.get(name)?.generations ?? [];
    const generation = generations.findLast(({ definition, state }) => definition === fingerprint && state === 'ready');
    if (generation !== undefined) for (const meaning of meanings) own.set(meaning, { name, generation });
  }
  for (const [name, { generations }] of registry.projections) {
    for (const generation of generations) {
      const stored = data.get(generation.definition);
      if (generation.state === 'absent' || stored === undefined) continue;
      const isReplaced = meaningsOf(stored).every((meaning) => {
        const other = own.get(meaning);
        if (other === undefined) return false;
        if (other.name === name) return generation.id < other.generation.id;
        return (
          generation.definition !== expected.projections.get(name)?.fingerprint &&
          (generation.since ?? 0) <= (other.generation.since ?? 0)
        );
      });
      if (!isReplaced) continue;
      if (generation.state === 'ready') return { kind: 'withdraw', seen: seenGeneration(name, generation) };
      leaving.push(seenGeneration(name, generation));
    }
  }
  return removalStep(leaving, memory);
}

/**
 * An index goes at once. Since its deletion cannot be made conditional, it is forgotten, and may be added again, only
 * when no late call of another run can reach it.
 */
function deleteStep(
  registry: Registry,
  situation: Situation,
  isOne: (name: string) => boolean = () => true,
  views: readonly SeenState[] = [],
): Step | undefined {
  const absent = [...registry.projections]
    .filter(([name]) => isOne(name))
    .flatMap(([name, { generations }]) =>
      generations.filter(({ state }) => state === 'absent').map((generation) => seenGeneration(name, generation)),
    );
  const open = [...absent, ...views].filter((seen) => !situation.memory.deleted.has(seenKey(seen)));
  const indexes = open.filter(({ name }) => isIndex(name));
  if (indexes.length > 0) return { kind: 'delete', generations: indexes };
  const gone = absent.filter((seen) => retiredIndex(registry, situation.data, seen) !== undefined);
  // rule: late-deletion-of-an-index-lands-before-it-is-forgotten
  const outlasting = outlastStep([...open, ...gone], situation);
  if (outlasting !== undefined) return outlasting;
  if (open.length > 0) return { kind: 'delete', generations: open };
  return absent.length === 0 ? undefined : { kind: 'forget', seen: absent[0]! };
}

/**
 * The items of a generation are deleted when every writer has read in the registry that it is retired, and earlier
 * writes have arrived.
 */
function outlastStep(
  retired: readonly SeenState[],
  { memory, lateWritesMs = LATEST_WRITE_MS }: Situation,
): Step | undefined {
  const seen = retired.filter((one) => !memory.outlasted.has(seenKey(one)));
  return seen.length === 0 || lateWritesMs === 0 ? undefined : { kind: 'outlast', seen, forMs: lateWritesMs };
}

/** All targets leave together, so that a run waits once for all of them. */
function actionStep(registry: Registry, situation: Situation): Step | undefined {
  const { targets = [], memory } = situation;
  const leaving: SeenState[] = [];
  const shapes: SeenState[] = [];
  const goneViews: SeenState[] = [];
  for (const { name, generations } of targets) {
    const going = liveGenerations(registry, name).filter(({ id }) => generations.has(id));
    const ready = going.find(({ state }) => state === 'ready');
    if (ready !== undefined) return { kind: 'withdraw', seen: seenGeneration(name, ready) };
    leaving.push(...going.map((generation) => seenGeneration(name, generation)));
    const type = typeOfView(name);
    const entry = type === undefined ? undefined : registry.shapes.get(type);
    if (type === undefined || entry === undefined || !generations.has(entry.next - 1)) continue;
    if (entry.shape?.trusted === true) return { kind: 'distrust', types: [type] };
    shapes.push(...seenShape(type, entry.shape));
    // The registry doesn't record whether the views are deleted: a restarted run deletes again.
    if (entry.shape === undefined) goneViews.push({ name, id: entry.next - 1, changed: entry.next });
  }
  const waiting = [...leaving, ...shapes].filter((seen) => !memory.unused.has(seenKey(seen)));
  if (waiting.length > 0) return { kind: 'wait', seen: waiting };
  if (leaving.length > 0) return { kind: 'abandon', seen: leaving[0]! };
  if (shapes.length > 0) return { kind: 'drop-shape', seen: shapes[0]! };
  const isDeleted = goneViews.every((seen) => memory.deleted.has(seenKey(seen)));
  return isDeleted ? undefined : deleteStep(registry, situation, undefined, goneViews);
}

/** Whether an action would remove the last ready generation of a search that the model gives another place. */
function takesLast({ projections }: Registry, situation: Situation): boolean {
  const { targets = [], expected, data } = situation;
  const isTarget = (name: string, id: number): boolean =>
    targets.some((target) => target.name === name && target.generations.has(id));
  const meaningsOfReady = (isGoing: boolean): Set<string> =>
    new Set(
      [...projections].flatMap(([name, { generations }]) =>
        generations
          .filter(({ id, state }) => state === 'ready' && isTarget(name, id) === isGoing)
          .flatMap(({ definition }) => {
            const stored = data.get(definition);
            return stored === undefined ? [] : meaningsOf(stored);
          }),
      ),
    );
  if (targets.length === 0) return false;
  const [going, others] = [meaningsOfReady(true), meaningsOfReady(false)];
  return [...expected.projections.values()].some(
    ({ name, meanings }) =>
      !isDropped(name, situation) && meanings.some((meaning) => going.has(meaning) && !others.has(meaning)),
  );
}

/** Waits until this run has seen for a full lease that they aren't ready. */
function removalStep(leaving: readonly SeenState[], memory: RunMemory): Step | undefined {
  const waiting = leaving.filter((seen) => !memory.unused.has(seenKey(seen)));
  if (waiting.length > 0) return { kind: 'wait', seen: waiting };
  return leaving.length === 0 ? undefined : { kind: 'abandon', seen: leaving[0]! };
}

function isDropped(name: string, { targets = [] }: Situation): boolean {
  return targets.some((target) => target.kind !== 'retire' && target.name === name && target.search === undefined);
}

function seenGeneration(name: string, { id, changed }: Generation): SeenState {
  return { name, id, changed };
}

function seenShape(type: string, shape: Shape | undefined): SeenState[] {
  return shape === undefined ? [] : [{ name: type, id: shape.id, changed: shape.changed }];
}
