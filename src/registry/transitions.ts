import { EdgeloomError } from '../foundation/errors.ts';
import { isViewName } from './definition.ts';
import {
  type Generation,
  isLive,
  type ProjectionState,
  type RegisteredProjection,
  type Registry,
  type TableIdentity,
} from './registry.ts';

/**
 * A change of the registry is written only if the registry still has the revision that was read. A change of a
 * generation's state also names the generation's id and last change, so it fails if the state has changed, even if it
 * changed back.
 */

export interface SeenState {
  name: string;
  id: number;
  changed: number;
}

interface Named {
  name: string;
  fingerprint: string;
}

const ANNOUNCED_VERSION = 0;
const FIRST_VERSION = 1;

/**
 * Returns the registry for an empty table that has none.
 *
 * @param firstId the first id of views, below the ids of all later generations. A random one repeats no id of an
 * earlier registry that was deleted.
 */
export function registerAll(definitions: readonly Named[], table?: TableIdentity, firstId = 1): Registry {
  return {
    version: FIRST_VERSION,
    ...(table && { table }),
    projections: new Map(
      definitions.map(({ name, fingerprint: definition }) => {
        const id = isViewName(name) ? firstId : 1;
        // rule: new-registry-gives-no-generation-again
        const next = firstId + 1;
        return [name, { next, generations: [{ id, definition, state: 'building', changed: 1 }] }];
      }),
    ),
  };
}

/**
 * Returns the registry for a table with items but no registry. Readers that find it stop using projections with their
 * own keys; writers continue as without a registry until `enforceAnnounced`. Readers that found no registry may use
 * what these writers make until their lease ends.
 */
export function announce(definitions: readonly Named[], table?: TableIdentity, firstId = 1): Registry {
  return { ...registerAll(definitions, table, firstId), version: ANNOUNCED_VERSION };
}

export function isAnnounced({ version }: Registry): boolean {
  return version === ANNOUNCED_VERSION;
}

export function enforceAnnounced(registry: Registry): Registry {
  if (!isAnnounced(registry)) throw overtakenError('the registry');
  // `FIRST_VERSION` would mean that the table was empty.
  return { ...registry, version: FIRST_VERSION + 1 };
}

export function isUntouchedSinceRegistration({ version }: Registry): boolean {
  return version === FIRST_VERSION;
}

/**
 * Requires that the table was empty after the registration, so that writers have maintained everything from the start.
 */
export function makeAllReady(registry: Registry): Registry {
  if (!isUntouchedSinceRegistration(registry)) throw overtakenError('the registry');
  return withEachGeneration(registry, (one, changed) => ({ ...one, state: 'ready', since: 0, changed }));
}

/**
 * Adds a generation. Never gives the id 1 to a projection that the table wasn't registered with, because writers
 * without the registry may have written its plain keys for any model.
 */
export function addGeneration(registry: Registry, name: string, definition: string): Registry {
  const { next, generations } = projectionOf(registry, name);
  const added: Generation = { id: next, definition, state: 'building', changed: registry.version + 1 };
  // rule: ids-are-not-used-again
  return withProjection(registry, name, { next: next + 1, generations: [...generations, added] });
}

/** @param since the time of a clock that was read after the generation was written. */
export function noteSince(registry: Registry, since: number): Registry {
  return withEachGeneration(registry, (one) => (one.since === undefined ? { ...one, since } : one));
}

/** Requires a backfill and a verification that began in the state `seen`. */
export function makeReady(registry: Registry, seen: SeenState): Registry {
  return withState(registry, seen, 'building', 'ready');
}

export function withdrawGeneration(registry: Registry, seen: SeenState): Registry {
  // rule: ready-becomes-building-before-retired
  return withState(registry, seen, 'ready', 'building');
}

/** Requires a full lease in which no reader could rely on the generation. */
export function retireGeneration(registry: Registry, seen: SeenState): Registry {
  return withState(registry, seen, 'building', 'retired');
}

export function forgetGeneration(registry: Registry, seen: SeenState): Registry {
  const { next, generations } = findGeneration(registry, seen, 'retired').projection;
  return withProjection(registry, seen.name, { next, generations: generations.filter(({ id }) => id !== seen.id) });
}

/**
 * Replaces views with views of a new definition. Requires a full lease in which no reader could rely on the old ones.
 * The views of all types change together, so that they always agree about each edge type.
 */
export function replaceViews(
  registry: Registry,
  definitions: readonly Named[],
  replaced: readonly SeenState[],
): Registry {
  const changed = registry.version + 1;
  const projections = new Map(registry.projections);
  for (const { name, fingerprint } of definitions) {
    const { next, generations } = projectionOf(registry, name);
    const live = generations.find(isLive);
    const seen = replaced.find((one) => one.name === name);
    if (live?.id !== seen?.id || live?.changed !== seen?.changed || live?.state === 'ready') throw overtakenError(name);
    const added: Generation = { id: next, definition: fingerprint, state: 'building', changed };
    const retired = generations.filter((one) => !isLive(one));
    projections.set(name, { next: next + 1, generations: [...retired, added] });
  }
  return { ...registry, version: changed, projections };
}

function projectionOf(registry: Registry, name: string): RegisteredProjection {
  // rule: added-projection-begins-beyond-plain-keys
  return registry.projections.get(name) ?? { next: firstIdOf(registry), generations: [] };
}

/**
 * Returns the first id for a name that is new to the registry: the lowest `next` of all names. An earlier registry that
 * was deleted may have used lower ids, and id 1 stands for plain keys.
 */
function firstIdOf({ projections }: Registry): number {
  const ids = [...projections.values()].map(({ next }) => next);
  // rule: unknown-name-begins-with-the-registry
  return ids.length === 0 ? 2 : Math.min(...ids);
}

export function distrustEverything(registry: Registry, table: TableIdentity | undefined): Registry {
  const version = registry.version + 1;
  const projections = [...registry.projections].map(([name, { next, generations }]): [string, RegisteredProjection] => {
    // Views get a new id, because nothing in a view with the old id shows that it may be wrong.
    // rule: restored-views-are-of-another-generation
    const isStamped = isViewName(name);
    const doubted = generations.map(({ id, definition, state }): Generation => {
      if (state === 'retired') return { id, definition, state, changed: version };
      return { id: isStamped ? next : id, definition, state: 'building', changed: version };
    });
    return [name, { next: isStamped ? next + 1 : next, generations: doubted }];
  });
  return { version, ...(table && { table }), projections: new Map(projections) };
}

export class OvertakenError extends EdgeloomError {}

function overtakenError(name: string): OvertakenError {
  return new OvertakenError(
    'overtaken',
    `${name} has changed in the registry since this run has looked at it.`,
    'Another migration is at work; this one looks again.',
  );
}

function findGeneration(
  { projections }: Registry,
  { name, id, changed }: SeenState,
  state: ProjectionState,
): { projection: RegisteredProjection; generation: Generation } {
  const projection = projections.get(name);
  const generation = projection?.generations.find((candidate) => candidate.id === id);
  if (projection === undefined || generation?.state !== state || generation.changed !== changed)
    throw overtakenError(name);
  return { projection, generation };
}

function withState(registry: Registry, seen: SeenState, from: ProjectionState, to: ProjectionState): Registry {
  const { projection, generation } = findGeneration(registry, seen, from);
  const changed: Generation = { ...generation, state: to, changed: registry.version + 1 };
  const generations = projection.generations.map((other) => (other.id === seen.id ? changed : other));
  return withProjection(registry, seen.name, { next: projection.next, generations });
}

function withProjection(registry: Registry, name: string, projection: RegisteredProjection): Registry {
  const projections = new Map(registry.projections).set(name, projection);
  return { ...registry, version: registry.version + 1, projections };
}

function withEachGeneration(
  registry: Registry,
  change: (generation: Generation, changed: number) => Generation,
): Registry {
  const version = registry.version + 1;
  const projections = [...registry.projections].map(([name, { next, generations }]): [string, RegisteredProjection] => [
    name,
    { next, generations: generations.map((one) => change(one, version)) },
  ]);
  return { ...registry, version, projections: new Map(projections) };
}
