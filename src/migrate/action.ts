import { nearest } from '../core/model/options/nearest.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { type Definitions, indexNamedIn, searchesIn, viewName } from '../registry/definition.ts';
import type { Generation, KeyedProjection, Registry } from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';

/** Actions: a person asks for a change that the model does not contain. */

/** A change for one projection, besides those of the model. */
export interface MigrateAction {
  kind: 'withdraw' | 'retire' | 'drop';
  /**
   * `search:USER.name`, `list:USER`, or a generation of it by its id: `search:USER.name@2`. A search that shares the item of another means
   * the generations of that item which have it. If the registry or the model has a projection with
   * the whole text as its name, the action means that projection.
   */
  name: string;
}

/** The target of an action. It is decided when a run begins, and stays the same to the run's end. */
export interface ActionTarget {
  /** The name of the projection, or of a type's views. */
  name: string;
  /** The ids of the generations that the action removes. */
  generations: ReadonlySet<number>;
  /** The search that the action names, where it shares the item of another: `USER.email`. */
  search?: string;
}

/**
 * Returns the target of an action: the generations that it removes, or the shape. Throws `last-generation` if readers would have no
 * generation left; only a drop may do that. Throws `shared-item` if a drop of one search would take away others of the model.
 */
export function actionTarget(
  registry: Registry,
  data: DefinitionData,
  expected: Definitions,
  action: MigrateAction,
): ActionTarget {
  const { name, id, search } = projectionNamedBy(action, registry, data, expected);
  const type = name.startsWith('view:') ? name.slice('view:'.length) : undefined;
  if (type !== undefined) {
    // The views of a type have one shape, which readers of the model use: there is no other one to take away.
    if (expected.views.has(type) && action.kind !== 'drop') throw lastGenerationError(name);
    const shape = newestShape(registry, type);
    return { name, generations: new Set(shape !== undefined && (id ?? shape) === shape ? [shape] : []) };
  }
  const live = liveGenerations(registry, name);
  const own = expected.projections.get(name)?.fingerprint;
  const going = live.filter((generation) => {
    if (search !== undefined && !searchesIn(data.get(generation.definition)).includes(search)) return false;
    if (id !== undefined) return generation.id === id;
    if (action.kind === 'drop') return true;
    if (action.kind === 'retire') return generation.definition !== own;
    return generation === live.at(-1);
  });
  if (search !== undefined && action.kind === 'drop' && going.some(({ definition }) => definition === own))
    throw sharedItemError(search, name);
  const isLast = !live.some((generation) => generation.state === 'ready' && !going.includes(generation));
  if (action.kind !== 'drop' && isLast && going.some(({ state }) => state === 'ready')) {
    throw lastGenerationError(name);
  }
  return {
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
 * Returns the projection that an action names, and the generation, if it names one. Throws `unknown-projection` for a name that neither the
 * registry nor the model has. The name of a search may end like that of a generation. The registry keeps the names of projections that it has forgotten, so that a repeated drop means the same as before.
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

/** The projection that a drop takes away although the model has it, so that the next migration builds it again; undefined for none. */
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

/** The id of the shape that a type's views have, or had before they were dropped; undefined for a type without views. */
export function newestShape({ shapes }: Registry, type: string): number | undefined {
  const entry = shapes.get(type);
  return entry && entry.next - 1;
}

/** The generations of a projection that writers maintain. */
export function liveGenerations({ projections }: Registry, name: string): Generation[] {
  return (projections.get(name)?.generations ?? []).filter(({ state }) => state !== 'absent');
}

/**
 * Returns the actions that take away what a registry keeps besides a model: what other models added, and their definitions of what the
 * model has, too. Each costs every write of its items. An action names one generation by its id, so that it never takes away a later one.
 * The order is that of the registry.
 */
export function leftovers({ projections, shapes }: Registry, expected: Definitions): MigrateAction[] {
  const actions: MigrateAction[] = [];
  // Indexes go last: they take DynamoDB longest.
  const [indexes, others] = [true, false].map((isIndex) =>
    [...projections].filter(([name]) => (indexNamedIn(name) !== undefined) === isIndex),
  ) as [[string, KeyedProjection][], [string, KeyedProjection][]];
  for (const [name, { generations }] of [...others, ...indexes]) {
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
