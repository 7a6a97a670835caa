import { nearest } from '../core/model/options/nearest.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { type Definitions, isViewName, searchesIn } from '../registry/definition.ts';
import { isLive, liveGenerations, projectionsInForce, type Registry } from '../registry/registry.ts';
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
  // Readers of the model use the type's only views: nothing else to remove.
  if (isViewName(name) && expected.has(name) && kind !== 'drop') throw lastGenerationError(name);
  const live = liveGenerations(registry, name);
  const own = expected.get(name)?.fingerprint;
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
  const { projections } = registry;
  if (name.startsWith('search:') && !expected.has(name) && liveGenerations(registry, name).length === 0) {
    const search = name.slice('search:'.length);
    const shared = [...projections.keys()].find((other) =>
      liveGenerations(registry, other).some(({ definition }) => searchesIn(data.get(definition)).includes(search)),
    );
    if (shared !== undefined) return { name: shared, search };
  }
  const known = new Set([...projections.keys(), ...expected.keys()]);
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
  const own = expected.get(name);
  // A node has one view: what is dropped is the model's, whatever its definition.
  const isOwn =
    own !== undefined &&
    (isViewName(name) ||
      liveGenerations(registry, name).some(
        ({ id, definition }) => generations.has(id) && definition === own.fingerprint,
      ));
  return isOwn ? name : undefined;
}

/**
 * Actions that remove what the registry has besides the model, each of which costs every write of its items. An action
 * names one generation by id, so that it never removes a later one.
 */
export function leftovers(registry: Registry, expected: Definitions): MigrateAction[] {
  return projectionsInForce(registry).flatMap(({ name, id, definition, ...one }): MigrateAction[] => {
    const own = expected.get(name);
    // The migration itself replaces the views of the model's types.
    if (!isLive(one) || own?.fingerprint === definition || (own !== undefined && isViewName(name))) return [];
    return [{ kind: own === undefined ? 'drop' : 'retire', name: `${name}@${id}` }];
  });
}
