import { nearest } from '../core/model/options/nearest.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { type Definitions, searchesIn, typeOfView, viewName } from '../registry/definition.ts';
import type { Generation, Registry } from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';

/** A change of one projection, besides those of the model. */
export interface MigrateAction {
  kind: 'withdraw' | 'retire' | 'drop';
  /**
   * `search:USER.name`, `list:USER`, or one generation by its id: `search:USER.name@2`. For a search that shares
   * another one's item, the generations of that item that have the search.
   */
  name: string;
}

/** Decided when a run begins. */
export interface ActionTarget extends Pick<MigrateAction, 'kind' | 'name'> {
  generations: ReadonlySet<number>;
  /** The named search, if it shares another one's item: `USER.email`. */
  search?: string;
}

/**
 * Throws `last-generation` if readers would have no generation left, which only a drop may do, and `shared-item` if
 * dropping a search would also remove others of the model.
 */
export function actionTargets(
  registry: Registry,
  data: DefinitionData,
  expected: Definitions,
  actions: readonly MigrateAction[],
): ActionTarget[] {
  const targets = actions.map((action) => actionTarget(registry, data, expected, action));
  const isGoing = (name: string, id: number): boolean =>
    targets.some((target) => target.name === name && target.generations.has(id));
  for (const { kind, name, generations } of targets) {
    const ready = liveGenerations(registry, name).filter(({ state }) => state === 'ready');
    const isLast = ready.every(({ id }) => isGoing(name, id));
    if (kind !== 'drop' && isLast && ready.some(({ id }) => generations.has(id))) throw lastGenerationError(name);
  }
  return targets;
}

function actionTarget(
  registry: Registry,
  data: DefinitionData,
  expected: Definitions,
  action: MigrateAction,
): ActionTarget {
  const { name, id, search } = projectionNamedBy(action, registry, data, expected);
  const { kind } = action;
  const type = typeOfView(name);
  if (type !== undefined) {
    // Readers of the model use the type's only shape: nothing else to remove.
    if (expected.views.has(type) && kind !== 'drop') throw lastGenerationError(name);
    const shape = newestShape(registry, type);
    return { kind, name, generations: new Set(shape !== undefined && (id ?? shape) === shape ? [shape] : []) };
  }
  const live = liveGenerations(registry, name);
  const own = expected.projections.get(name)?.fingerprint;
  const going = live.filter((generation) => {
    if (search !== undefined && !searchesIn(data.get(generation.definition)).includes(search)) return false;
    if (id !== undefined) return generation.id === id;
    if (kind === 'drop') return true;
    if (kind === 'retire') return generation.definition !== own;
    return generation === live.at(-1);
  });
  if (search !== undefined && kind === 'drop' && going.some(({ definition }) => definition === own))
    throw sharedItemError(search, name);
  return {
    kind,
    name,
    generations: new Set(going.map((generation) => generation.id)),
    ...(search !== undefined && { search }),
  };
}

function sharedItemError(search: string, name: string): EdgeloomError {
  return new EdgeloomError(
    'shared-item',
    `The search ${search} shares the item of ${name}, and this model has it.`,
    `Take it out of the model and migrate, or take all of the item away with --drop ${name}.`,
  );
}

function lastGenerationError(name: string): EdgeloomError {
  return new EdgeloomError(
    'last-generation',
    `Readers would have no ${name} left.`,
    `Migrate to the model that is to have it first, or take all of it away with --drop ${name}.`,
  );
}

/**
 * Throws `unknown-projection`. A search's name may end like a generation's. The registry keeps the names of forgotten
 * projections, so that a repeated drop means the same.
 */
function projectionNamedBy(
  { name }: MigrateAction,
  registry: Registry,
  data: DefinitionData,
  expected: Definitions,
): { name: string; id?: number; search?: string } {
  const { projections, shapes } = registry;
  if (name.startsWith('search:') && !expected.projections.has(name) && liveGenerations(registry, name).length === 0) {
    const search = name.slice('search:'.length);
    const shared = [...projections.keys()].find((other) =>
      liveGenerations(registry, other).some(({ definition }) => searchesIn(data.get(definition)).includes(search)),
    );
    if (shared !== undefined) return { name: shared, search };
  }
  const known = new Set([
    ...[...projections.keys(), ...expected.projections.keys()],
    ...[...shapes.keys(), ...expected.views.keys()].map(viewName),
  ]);
  if (known.has(name)) return { name };
  const match = /^(.+)@([1-9]\d{0,14})$/s.exec(name);
  if (match !== null && known.has(match[1]!)) return { name: match[1]!, id: Number(match[2]) };
  const near = nearest(name, known);
  throw new EdgeloomError(
    'unknown-projection',
    `Neither the table nor the model has a projection ${name}.`,
    `${near === undefined ? '' : `Did you mean ${near}? `}edgeloom status lists them; --undo takes away all that only other models have.`,
  );
}

/** A dropped projection of the model, which the next migration builds again. */
export function ownDrop(
  registry: Registry,
  data: DefinitionData,
  expected: Definitions,
  action: MigrateAction,
): string | undefined {
  if (action.kind !== 'drop') return undefined;
  const { name, generations } = actionTarget(registry, data, expected, action);
  if (generations.size === 0) return undefined;
  const own = expected.projections.get(name)?.fingerprint;
  const isOwn =
    own === undefined
      ? [...expected.views.keys()].some((type) => viewName(type) === name)
      : liveGenerations(registry, name).some(({ id, definition }) => generations.has(id) && definition === own);
  return isOwn ? name : undefined;
}

function newestShape({ shapes }: Registry, type: string): number | undefined {
  const entry = shapes.get(type);
  return entry && entry.next - 1;
}

export function liveGenerations({ projections }: Registry, name: string): Generation[] {
  return (projections.get(name)?.generations ?? []).filter(({ state }) => state !== 'absent');
}

/**
 * Actions that remove what the registry has besides the model, each of which costs every write of its items. An action
 * names one generation by id, so that it never removes a later one.
 */
export function leftovers({ projections, shapes }: Registry, expected: Definitions): MigrateAction[] {
  const actions: MigrateAction[] = [];
  for (const [name, { generations }] of projections) {
    const live = generations.filter(({ state }) => state !== 'absent');
    const own = expected.projections.get(name)?.fingerprint;
    for (const { id, definition } of live) {
      if (definition !== own) actions.push({ kind: own === undefined ? 'drop' : 'retire', name: `${name}@${id}` });
    }
  }
  for (const [type, { shape }] of shapes) {
    if (shape !== undefined && !expected.views.has(type))
      actions.push({ kind: 'drop', name: `${viewName(type)}@${shape.id}` });
  }
  return actions;
}
