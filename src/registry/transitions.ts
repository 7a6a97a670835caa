import { EdgeloomError } from '../foundation/errors.ts';
import type { Generation, KeyedProjection, Registry, Shape, TableIdentity, TypeShape } from './registry.ts';

/**
 * Each change of a registry is written under the revision that it was made from. It names the id, and the change that
 * led to the state it begins from: it fails if the state has changed, even if it changed back.
 */

export interface SeenState {
  name: string;
  id: number;
  changed: number;
}

interface Fingerprinted {
  projections: ReadonlyMap<string, { fingerprint: string }>;
  views: ReadonlyMap<string, { fingerprint: string }>;
}

const ANNOUNCED_VERSION = 0;
const FIRST_VERSION = 1;

/**
 * For an empty table without registry.
 *
 * @param firstId the first id of shapes. Generations begin after it: only a projection's first generation has the plain
 * keys, which also existed without a registry.
 */
export function registerAll({ projections, views }: Fingerprinted, table?: TableIdentity, firstId = 1): Registry {
  // rule: new-registry-gives-no-generation-again
  const next = firstId + 1;
  return {
    version: FIRST_VERSION,
    ...(table && { table }),
    projections: new Map(
      [...projections].map(([name, { fingerprint: definition }]) => {
        return [name, { next, generations: [{ id: 1, definition, state: 'kept', changed: 1 }] }];
      }),
    ),
    shapes: new Map(
      [...views].map(([type, { fingerprint: definition }]) => {
        const shape = { id: firstId, definition, trusted: true, ready: false, changed: 1 };
        return [type, { next: firstId + 1, shape }];
      }),
    ),
  };
}

/**
 * For a table with items but no registry: readers that find the registry stop using keyed projections, and writers
 * continue as without one until `enforceAnnounced`. For one lease, readers that found no registry use what such writers
 * make.
 */
export function announce(definitions: Fingerprinted, table?: TableIdentity, firstId = 1): Registry {
  return { ...registerAll(definitions, table, firstId), version: ANNOUNCED_VERSION };
}

export function isAnnounced({ version }: Registry): boolean {
  return version === ANNOUNCED_VERSION;
}

export function enforceAnnounced(registry: Registry): Registry {
  if (!isAnnounced(registry)) throw overtakenError('the registry');
  // Not the first version: this table wasn't empty.
  return { ...registry, version: FIRST_VERSION + 1 };
}

export function isUntouchedSinceRegistration({ version }: Registry): boolean {
  return version === FIRST_VERSION;
}

/** The table was empty after the registration: writers have maintained everything since before the first record. */
export function makeAllReady(registry: Registry): Registry {
  if (!isUntouchedSinceRegistration(registry)) throw overtakenError('the registry');
  const changed = registry.version + 1;
  const projections = [...registry.projections].map(([name, { next, generations }]): [string, KeyedProjection] => [
    name,
    { next, generations: generations.map((one) => ({ ...one, state: 'ready', since: 0, changed })) },
  ]);
  const shapes = [...registry.shapes].map(([type, { next, shape }]): [string, TypeShape] => [
    type,
    { next, ...(shape && { shape: { ...shape, ready: true, since: 0, changed } }) },
  ]);
  return { ...registry, version: changed, projections: new Map(projections), shapes: new Map(shapes) };
}

/**
 * As a new generation. A projection that the table wasn't registered with has no first one: writers without registry
 * may have written its plain keys, by any model.
 */
export function keepGeneration(registry: Registry, name: string, definition: string): Registry {
  // rule: added-projection-begins-beyond-plain-keys
  const { next, generations } = registry.projections.get(name) ?? { next: firstIdOf(registry), generations: [] };
  const added: Generation = { id: next, definition, state: 'kept', changed: registry.version + 1 };
  // rule: ids-are-not-used-again
  return withProjection(registry, name, { next: next + 1, generations: [...generations, added] });
}

/** @param since by a clock read after the write that kept or installed it. */
export function noteKeptSince(registry: Registry, since: number): Registry {
  const withSince = <T extends { since?: number }>(entry: T): T =>
    entry.since === undefined ? { ...entry, since } : entry;
  return {
    ...registry,
    version: registry.version + 1,
    projections: new Map(
      [...registry.projections].map(([name, { next, generations }]) => {
        return [name, { next, generations: generations.map(withSince) }];
      }),
    ),
    shapes: new Map(
      [...registry.shapes].map(([type, { next, shape }]) => [
        type,
        { next, ...(shape && { shape: withSince(shape) }) },
      ]),
    ),
  };
}

/** After a backfill and verification that began under this id and change. */
export function makeReady(registry: Registry, seen: SeenState): Registry {
  return withState(registry, seen, 'kept', 'ready');
}

export function withdrawGeneration(registry: Registry, seen: SeenState): Registry {
  // rule: ready-becomes-kept-before-absent
  return withState(registry, seen, 'ready', 'kept');
}

/** No reader has been able to rely on it for a full lease. */
export function stopMaintaining(registry: Registry, seen: SeenState): Registry {
  return withState(registry, seen, 'kept', 'absent');
}

export function forgetGeneration(registry: Registry, seen: SeenState): Registry {
  const { next, generations } = findGeneration(registry, seen, 'absent').projection;
  return withProjection(registry, seen.name, { next, generations: generations.filter(({ id }) => id !== seen.id) });
}

export function distrustViews(registry: Registry, types: readonly string[]): Registry {
  return withShapes(registry, types, (shape) => ({ ...shape, trusted: false }));
}

/** Their shapes haven't been replaced since they were distrusted. */
export function trustViewsAgain(registry: Registry, types: readonly string[]): Registry {
  return withShapes(registry, types, (shape) => ({ ...shape, trusted: true }));
}

/**
 * Refuses a type whose views are in use: it has to be distrusted for a full lease first.
 *
 * @param seen the shapes that they replace, if any.
 */
export function installShapes(
  registry: Registry,
  definitions: ReadonlyMap<string, string>,
  seen: ReadonlyMap<string, SeenState>,
): Registry {
  const shapes = new Map(registry.shapes);
  for (const [type, definition] of definitions) {
    const { next, shape }: TypeShape = registry.shapes.get(type) ?? { next: firstIdOf(registry) };
    if (shape?.id !== seen.get(type)?.id || shape?.changed !== seen.get(type)?.changed) throw overtakenError(type);
    if (shape?.trusted) throw overtakenError(type);
    const installed: Shape = { id: next, definition, trusted: true, ready: false, changed: registry.version + 1 };
    shapes.set(type, { next: next + 1, shape: installed });
  }
  return { ...registry, version: registry.version + 1, shapes };
}

/**
 * For a name new to the registry. A deleted registry may have known it and used low ids, so all ids of this one are
 * beyond those, and never 1.
 */
function firstIdOf({ projections, shapes }: Registry): number {
  const ids = [...projections.values(), ...shapes.values()].map(({ next }) => next);
  // rule: unknown-name-begins-with-the-registry
  return ids.length === 0 ? 2 : Math.min(...ids);
}

export function makeShapeReady(registry: Registry, { name, id, changed }: SeenState): Registry {
  const shape = registry.shapes.get(name)?.shape;
  if (shape?.id !== id || shape.changed !== changed || !shape.trusted) throw overtakenError(name);
  return withShapes(registry, [name], (current) => ({ ...current, ready: true }));
}

export function dropShape(registry: Registry, { name, id, changed }: SeenState): Registry {
  const entry = registry.shapes.get(name);
  const { shape } = entry ?? {};
  if (entry === undefined || shape?.id !== id || shape.changed !== changed || shape.trusted) throw overtakenError(name);
  const shapes = new Map(registry.shapes).set(name, { next: entry.next });
  return { ...registry, version: registry.version + 1, shapes };
}

/** The table was restored, has a new stream, or its consumer was away longer than the stream keeps records. */
export function distrustEverything(registry: Registry, table: TableIdentity | undefined): Registry {
  const version = registry.version + 1;
  const projections = [...registry.projections].map(([name, { next, generations }]): [string, KeyedProjection] => [
    name,
    {
      next,
      generations: generations.map(({ id, definition, state }): Generation => {
        return { id, definition, state: state === 'ready' ? 'kept' : state, changed: version };
      }),
    },
  ]);
  const shapes = [...registry.shapes].map(([type, { next, shape }]): [string, TypeShape] => {
    if (shape === undefined) return [type, { next }];
    // A view with the old id may be wrong without showing it.
    return [
      type,
      {
        next: next + 1,
        // rule: restored-views-are-of-another-shape
        shape: { id: next, definition: shape.definition, trusted: true, ready: false, changed: version },
      },
    ];
  });
  return { version, ...(table && { table }), projections: new Map(projections), shapes: new Map(shapes) };
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
  state: Generation['state'],
): { projection: KeyedProjection; generation: Generation } {
  const projection = projections.get(name);
  const generation = projection?.generations.find((candidate) => candidate.id === id);
  if (projection === undefined || generation?.state !== state || generation.changed !== changed)
    throw overtakenError(name);
  return { projection, generation };
}

function withState(registry: Registry, seen: SeenState, from: Generation['state'], to: Generation['state']): Registry {
  const { projection, generation } = findGeneration(registry, seen, from);
  const changed: Generation = { ...generation, state: to, changed: registry.version + 1 };
  const generations = projection.generations.map((other) => (other.id === seen.id ? changed : other));
  return withProjection(registry, seen.name, { next: projection.next, generations });
}

function withProjection(registry: Registry, name: string, projection: KeyedProjection): Registry {
  const projections = new Map(registry.projections).set(name, projection);
  return { ...registry, version: registry.version + 1, projections };
}

function withShapes(registry: Registry, types: readonly string[], change: (shape: Shape) => Shape): Registry {
  const shapes = new Map(registry.shapes);
  for (const type of types) {
    const entry = shapes.get(type);
    if (entry?.shape === undefined) throw overtakenError(type);
    shapes.set(type, { next: entry.next, shape: { ...change(entry.shape), changed: registry.version + 1 } });
  }
  return { ...registry, version: registry.version + 1, shapes };
}
