import { LATEST_WRITE_MS } from '../foundation/late-writes.ts';
import {
  type Defined,
  type Definitions,
  indexName,
  indexNamedIn,
  isViewName,
  meaningsOf,
} from '../registry/definition.ts';
import {
  isLive,
  liveGenerations,
  type ProjectionInForce,
  projectionsInForce,
  type Registry,
  type TableIdentity,
} from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';
import { isAnnounced, isUntouchedSinceRegistration, type SeenState } from '../registry/transitions.ts';
import { type ActionTarget, isGoing } from './action.ts';
import { retiredIndex } from './steps/definitions.ts';
import { type RunMemory, type Step, seenKey } from './steps/step.ts';

/**
 * `nextStep` is a pure function. Each step is one write of the registry or the work before one, so an interrupted run
 * can simply be started again.
 */

export interface Situation {
  registry: Registry | undefined;
  data: DefinitionData;
  expected: Definitions;
  memory: RunMemory;
  missingIndexes?: readonly string[];
  /** Whether the table was empty after the registration. Undefined: not checked. */
  isEmpty?: boolean;
  table?: TableIdentity;
  targets?: readonly ActionTarget[];
  lateWritesMs?: number | undefined;
}

export function nextStep(situation: Situation): Step | undefined {
  const { registry, table } = situation;
  if (registry === undefined) return { kind: 'register' };
  if (isAnnounced(registry)) {
    // rule: table-with-items-is-announced-for-a-lease
    const waiting = waitForReadersWithoutRegistry(registry, situation.memory);
    return waiting ?? { kind: 'enforce' };
  }
  const isOther = registry.table?.id !== table?.id || registry.table?.streamLabel !== table?.streamLabel;
  // rule: restored-table-is-doubted
  if (table !== undefined && isOther) return { kind: 'doubt', table };
  if (table !== undefined && registry.table?.home !== table.home) return { kind: 'note-home', table };
  if (isUntouchedSinceRegistration(registry)) {
    if (situation.isEmpty === undefined) return { kind: 'look' };
    // Adds missing indexes first, because readers use a native list as soon as it is ready.
    if (situation.isEmpty) return indexStep(situation) ?? { kind: 'open-empty' };
    const waiting = waitForReadersWithoutRegistry(registry, situation.memory);
    if (waiting !== undefined) return waiting;
  }
  if (projectionsInForce(registry).some((one) => isLive(one) && one.since === undefined)) return { kind: 'note-since' };
  return (
    // If an action removes the last ready generation of a search that the model keeps elsewhere, builds the new one
    // first.
    (takesLast(registry, situation) ? bringStep(registry, situation) : undefined) ??
    actionStep(registry, situation) ??
    bringStep(registry, situation) ??
    viewStep(registry, situation) ??
    retireStep(registry, situation) ??
    deleteStep(registry, situation)
  );
}

/**
 * A reader that found no registry uses plain keys, and views as its own model defines them. Writers of another model
 * are about to change both, so the run waits for that reader's lease to end.
 */
function waitForReadersWithoutRegistry(registry: Registry, memory: RunMemory): Step | undefined {
  return unusedStep(projectionsInForce(registry).map(seenOf), memory);
}

function bringStep(registry: Registry, situation: Situation): Step | undefined {
  // rule: deleted-index-is-gone-before-it-is-added-again
  const deletion = deleteStep(registry, situation, (name) => isIndex(name) && situation.expected.has(name));
  return deletion ?? addStep(registry, situation) ?? indexStep(situation) ?? buildStep(registry, situation);
}

function addStep(registry: Registry, situation: Situation): Step | undefined {
  const missing = toMaintain(situation).filter(({ name, fingerprint }) => {
    return !isViewName(name) && !liveGenerations(registry, name).some(({ definition }) => definition === fingerprint);
  });
  return missing.length === 0 ? undefined : { kind: 'add', definitions: missing };
}

function toMaintain(situation: Situation): Defined[] {
  return [...situation.expected.values()].filter(({ name }) => !isDropped(name, situation));
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
  const { memory } = situation;
  const building = toMaintain(situation).flatMap(({ name, fingerprint }) => {
    if (isViewName(name)) return [];
    const own = liveGenerations(registry, name).filter(({ definition }) => definition === fingerprint);
    if (own.length === 0 || own.some(({ state }) => state === 'ready')) return [];
    return [{ ...seenOf({ name, ...own[0]! }), definition: fingerprint }];
  });
  // rule: ready-after-a-backfill
  const open = building.filter((seen) => !isIndex(seen.name) && !memory.verified.has(seenKey(seen)));
  if (open.length > 0) return { kind: 'backfill', generations: open };
  return readyStep(building, memory);
}

function readyStep(building: readonly SeenState[], memory: RunMemory): Step | undefined {
  return pauseStep(building, memory) ?? (building.length === 0 ? undefined : { kind: 'ready', seen: building[0]! });
}

/** Waits until all replicas show the last write, because a reader may ask any of them and miss an item. */
function pauseStep(building: readonly SeenState[], { shown }: RunMemory): Step | undefined {
  const seen = building.filter((one) => !shown.has(seenKey(one)));
  return seen.length === 0 ? undefined : { kind: 'pause', seen };
}

/** Replaces the views of all types together, because views of two node types must always agree about an edge type. */
function viewStep(registry: Registry, situation: Situation): Step | undefined {
  const { memory } = situation;
  const views = toMaintain(situation)
    .filter(({ name }) => isViewName(name))
    .map((own) => ({ own, live: liveGenerations(registry, own.name)[0] }));
  const others = views.filter(({ own, live }) => live?.definition !== own.fingerprint);
  const replaced = others.flatMap(({ own: { name }, live }) => (live === undefined ? [] : [{ name, ...live }]));
  const used = replaced.find(({ state }) => state === 'ready');
  if (used !== undefined) return { kind: 'withdraw', seen: seenOf(used) };
  if (others.length > 0) {
    const seen = replaced.map(seenOf);
    // rule: replaced-views-are-out-of-use-for-a-lease
    const waiting = unusedStep(seen, memory);
    return waiting ?? { kind: 'replace-views', definitions: others.map(({ own }) => own), seen };
  }
  const building = views.flatMap(({ own: { name }, live }) =>
    live?.state === 'building' ? [seenOf({ name, ...live })] : [],
  );
  const open = building.filter((seen) => !memory.reconciled.has(seenKey(seen)));
  if (open.length > 0) return { kind: 'reconcile-views', generations: open };
  return readyStep(building, memory);
}

/**
 * Retires generations if newer ones have all their meanings. Needs no `MigrateAction`, since readers use the newer
 * ones.
 */
function retireStep(registry: Registry, situation: Situation): Step | undefined {
  const { expected, data, memory } = situation;
  const live = projectionsInForce(registry).filter(isLive);
  const own = new Map<string, ProjectionInForce>();
  for (const { name, fingerprint, meanings } of expected.values()) {
    const ready = live.findLast((one) => one.name === name && one.definition === fingerprint && one.state === 'ready');
    if (ready !== undefined) for (const meaning of meanings) own.set(meaning, ready);
  }
  const leaving = live.filter((one) => {
    const stored = data.get(one.definition);
    return (
      stored !== undefined &&
      meaningsOf(stored).every((meaning) => {
        const other = own.get(meaning);
        if (other === undefined) return false;
        if (other.name === one.name) return one.id < other.id;
        return one.definition !== expected.get(one.name)?.fingerprint && (one.since ?? 0) <= (other.since ?? 0);
      })
    );
  });
  return removalStep(leaving, memory);
}

/**
 * Deletes retired generations: indexes at once, items after late writes. An index's deletion can't be conditional, so
 * its generation is forgotten, and the index may be added again, only when no late call of another run can delete it.
 */
function deleteStep(
  registry: Registry,
  situation: Situation,
  isOne: (name: string) => boolean = () => true,
): Step | undefined {
  const retired = projectionsInForce(registry)
    .filter((one) => !isLive(one) && isOne(one.name))
    .map(seenOf);
  const open = retired.filter((seen) => !situation.memory.deleted.has(seenKey(seen)));
  const indexes = open.filter(({ name }) => isIndex(name));
  if (indexes.length > 0) return { kind: 'delete', generations: indexes };
  const gone = retired.filter((seen) => retiredIndex(registry, situation.data, seen) !== undefined);
  // rule: late-deletion-of-an-index-lands-before-it-is-forgotten
  const outlasting = outlastStep([...open, ...gone], situation);
  if (outlasting !== undefined) return outlasting;
  if (open.length > 0) return { kind: 'delete', generations: open };
  return retired.length === 0 ? undefined : { kind: 'forget', seen: retired[0]! };
}

function outlastStep(
  retired: readonly SeenState[],
  { memory, lateWritesMs = LATEST_WRITE_MS }: Situation,
): Step | undefined {
  const seen = retired.filter((one) => !memory.outlasted.has(seenKey(one)));
  return seen.length === 0 || lateWritesMs === 0 ? undefined : { kind: 'outlast', seen, forMs: lateWritesMs };
}

/** Removes all targets together, so that a run waits only once. */
function actionStep(registry: Registry, { targets = [], memory }: Situation): Step | undefined {
  const going = targets.flatMap(({ name, generations }) =>
    liveGenerations(registry, name)
      .filter(({ id }) => generations.has(id))
      .map((generation) => ({ name, ...generation })),
  );
  return removalStep(going, memory);
}

/** Withdraws generations from readers, and retires them once this run has seen them unready for a full lease. */
function removalStep(leaving: readonly ProjectionInForce[], memory: RunMemory): Step | undefined {
  const ready = leaving.find(({ state }) => state === 'ready');
  if (ready !== undefined) return { kind: 'withdraw', seen: seenOf(ready) };
  const seen = leaving.map(seenOf);
  return unusedStep(seen, memory) ?? (seen.length === 0 ? undefined : { kind: 'retire', seen: seen[0]! });
}

function unusedStep(leaving: readonly SeenState[], { unused }: RunMemory): Step | undefined {
  const seen = leaving.filter((one) => !unused.has(seenKey(one)));
  return seen.length === 0 ? undefined : { kind: 'wait', seen };
}

/**
 * Tells whether the actions would remove the last ready generation of a search that the model keeps in another item.
 */
function takesLast(registry: Registry, situation: Situation): boolean {
  const { targets = [], data } = situation;
  if (targets.length === 0) return false;
  const [going, others] = [new Set<string>(), new Set<string>()];
  for (const { name, id, definition, state } of projectionsInForce(registry)) {
    const stored = data.get(definition);
    if (state !== 'ready' || stored === undefined) continue;
    for (const meaning of meaningsOf(stored)) (isGoing(targets, name, id) ? going : others).add(meaning);
  }
  return toMaintain(situation).some(({ meanings }) =>
    meanings.some((meaning) => going.has(meaning) && !others.has(meaning)),
  );
}

function isDropped(name: string, { targets = [] }: Situation): boolean {
  return targets.some((target) => target.dropsOwn && target.name === name);
}

function seenOf({ name, id, changed }: ProjectionInForce): SeenState {
  return { name, id, changed };
}
