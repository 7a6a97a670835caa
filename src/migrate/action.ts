import { nearest } from '../core/model/options/nearest.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { type Definitions, isViewName, searchesIn } from '../registry/definition.ts';
import { isLive, liveGenerations, projectionsInForce, type Registry } from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';

/** A change to one projection, in addition to the changes that the model requires. */
export interface MigrateAction {
  kind: 'withdraw' | 'retire' | 'drop';
  /**
   * A projection (`search:USER.name`, `list:USER`) or one of its generations (`search:USER.name@2`). A search that
   * shares another search's item stands for the generations of that item that contain it.
   */
  name: string;
}

export interface ActionTarget extends Pick<MigrateAction, 'kind' | 'name'> {
  generations: ReadonlySet<number>;
  /** Whether the run leaves out the model's own definition: its generation goes, or everything of the name. */
  dropsOwn: boolean;
}

export function actionTargets(
  registry: Registry,
  data: DefinitionData,
  expected: Definitions,
  actions: readonly MigrateAction[],
): ActionTarget[] {
  const targets = actions.map((action) => actionTarget(registry, data, expected, action));
  for (const { kind, name, generations } of targets) {
    const ready = liveGenerations(registry, name).filter(({ state }) => state === 'ready');
    const isLast = ready.every(({ id }) => isGoing(targets, name, id));
    if (kind !== 'drop' && isLast && ready.some(({ id }) => generations.has(id))) throw lastGenerationError(name);
  }
  return targets;
}

export function isGoing(targets: readonly ActionTarget[], name: string, id: number): boolean {
  return targets.some((target) => target.name === name && target.generations.has(id));
}

function actionTarget(
  registry: Registry,
  data: DefinitionData,
  expected: Definitions,
  action: MigrateAction,
): ActionTarget {
  const { name, id, search } = projectionNamedBy(action, registry, data, expected);
  const { kind } = action;
  // A type has only one generation of views, and readers of the model use it.
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
  // A type has one view, so dropping it drops the model's view, whatever its definition.
  const isOwnGoing = going.some(({ definition }) => isViewName(name) || definition === own);
  if (search !== undefined && kind === 'drop' && isOwnGoing) throw sharedItemError(search, name);
  return {
    kind,
    name,
    generations: new Set(going.map((generation) => generation.id)),
    dropsOwn: kind !== 'retire' && search === undefined && (id === undefined || isOwnGoing),
  };
}

function sharedItemError(search: string, name: string): EdgeloomError {
  return new EdgeloomError(
    'shared-item',
    `The search ${search} shares its index item with ${name}, which this model keeps.`,
    `Remove the search from the model and migrate, or drop the whole item with --drop ${name}.`,
  );
}

function lastGenerationError(name: string): EdgeloomError {
  return new EdgeloomError(
    'last-generation',
    `Readers would have no ${name} left.`,
    `First migrate to the model that should have it, or drop it completely with --drop ${name}.`,
  );
}

/**
 * Tries the whole name before splitting off a generation, because a search's name may end like a generation's (`@2`).
 * The registry keeps the names of forgotten projections, so a drop can be repeated.
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
    'unknown-name',
    `Neither the table nor the model has a projection ${name}.`,
    `${near === undefined ? '' : `Did you mean ${near}? `}edgeloom status lists them; --undo takes away all that only other models have.`,
  );
}

/**
 * Returns the projection's name if the action drops a projection of the model, which the next migration would build
 * again.
 */
export function ownDrop(
  registry: Registry,
  data: DefinitionData,
  expected: Definitions,
  action: MigrateAction,
): string | undefined {
  if (action.kind !== 'drop') return undefined;
  const { name, generations, dropsOwn } = actionTarget(registry, data, expected, action);
  return dropsOwn && generations.size > 0 && expected.has(name) ? name : undefined;
}

/** The actions name generations by id, so that they never remove later ones. */
export function leftovers(registry: Registry, expected: Definitions): MigrateAction[] {
  return projectionsInForce(registry).flatMap(({ name, id, definition, ...one }): MigrateAction[] => {
    const own = expected.get(name);
    // The migration replaces views of the model's types without an action.
    if (!isLive(one) || own?.fingerprint === definition || (own !== undefined && isViewName(name))) return [];
    return [{ kind: own === undefined ? 'drop' : 'retire', name: `${name}@${id}` }];
  });
}
