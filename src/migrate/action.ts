import { EdgeloomError } from '../errors.ts';
import type { Definitions } from '../registry/definition.ts';
import type { Generation, Registry } from '../registry/registry.ts';

/** Actions: a person asks for something that the model does not say. */

/** What besides the model's own changes is asked for, for one projection. */
export interface MigrateAction {
  kind: 'withdraw' | 'retire' | 'drop';
  /**
   * `search:USER.name`; a generation is named by its id behind it: `search:USER.name@2`. Where the registry or the model has a
   * projection of the whole name, that one is meant.
   */
  name: string;
}

/** What an action is for: decided when a run begins, and the same to its end. */
export interface ActionTarget {
  /** The name of the projection, or of a type's views. */
  name: string;
  /** The ids of the generations that the action takes away. */
  generations: ReadonlySet<number>;
}

/** What an action takes away. Throws `last-generation` where readers would have no generation left, which only a drop may do. */
export function targetOf(registry: Registry, wanted: Definitions, action: MigrateAction): ActionTarget {
  const { name, id } = namedBy(action, registry, wanted);
  const live = liveGenerations(registry, name);
  const own = wanted.projections.get(name)?.fingerprint;
  const going = live.filter((generation) => {
    if (id !== undefined) return generation.id === id;
    if (action.kind === 'drop') return true;
    if (action.kind === 'retire') return generation.definition !== own;
    return generation === live.at(-1);
  });
  const isLast = !live.some((generation) => generation.state === 'ready' && !going.includes(generation));
  if (action.kind !== 'drop' && isLast && going.some(({ state }) => state === 'ready')) {
    throw new EdgeloomError(
      'last-generation',
      `Readers would have no ${name} left.`,
      `Migrate to the model that shall have it first, or take all of it away with --drop ${name}.`,
    );
  }
  return { name, generations: new Set(going.map((generation) => generation.id)) };
}

/**
 * The projection that an action names, and the generation if it names one. Names of searches may end as a generation's do. The registry
 * keeps the names of what it has forgotten, so that a drop that is begun again means the same as before.
 */
function namedBy(
  { name }: MigrateAction,
  { projections }: Registry,
  wanted: Definitions,
): { name: string; id?: number } {
  const isKnown = projections.has(name) || wanted.projections.has(name);
  const match = isKnown ? null : /^(.+)@([1-9]\d{0,8})$/s.exec(name);
  return match === null ? { name } : { name: match[1]!, id: Number(match[2]) };
}

/** The generations of a projection that writers maintain. */
export function liveGenerations({ projections }: Registry, name: string): Generation[] {
  return (projections.get(name)?.generations ?? []).filter(({ state }) => state !== 'absent');
}
