import {
  finite,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  recordOf,
  type Shaped,
  text,
  tuple,
  wholeNumberBetween,
} from '../core/model/options/shape.ts';
import { EdgeloomError } from '../foundation/errors.ts';

/**
 * The registry is the table's own record of its model. Writers maintain what it lists, whatever their own model has, so
 * the order of deployments doesn't matter.
 *
 * A projection whose keys contain the generation can have several generations at once. A node has one view item, so a
 * new generation of views replaces the last one.
 */

/**
 * `building`: writers maintain the generation, but readers don't use it, because it is being built, verified or
 * removed. `ready`: readers may use it. `retired`: nothing maintains it, and its items are being deleted.
 */
export type ProjectionState = (typeof STATES)[number];

export interface Generation {
  /** Part of the items' keys, or the stamp of the views. Never reused within a projection. */
  id: number;
  definition: string;
  state: ProjectionState;
  /**
   * Milliseconds since 1970 by DynamoDB's clock, read after the generation was added: from then on, writers maintain
   * it. Undefined: not noted yet. 0: writers have maintained it since the table's first record.
   */
  since?: number;
  changed: number;
}

/**
 * Ids below `next` are never given again, even if they aren't listed, because items of deleted generations may still
 * have them.
 */
export interface RegisteredProjection {
  next: number;
  generations: readonly Generation[];
}

/** The table and stream that the registry was made for. A restored table or a new stream has other values. */
export interface TableIdentity {
  id: string;
  streamLabel: string;
  /** The region where consumers and migrations run. Absent if the table has no replicas. */
  home?: string;
}

export interface Registry {
  version: number;
  table?: TableIdentity;
  /** Keyed by projection names, such as `search:USER.name` (see definition.ts). */
  projections: ReadonlyMap<string, RegisteredProjection>;
}

export interface ProjectionInForce extends Generation {
  name: string;
}

export function projectionsInForce(registry: Registry | undefined): ProjectionInForce[] {
  return [...(registry?.projections ?? [])].flatMap(([name, { generations }]) =>
    generations.map((generation) => ({ name, ...generation })),
  );
}

export function isLive({ state }: Pick<Generation, 'state'>): boolean {
  return state !== 'retired';
}

export function liveGenerations({ projections }: Registry, name: string): Generation[] {
  return (projections.get(name)?.generations ?? []).filter(isLive);
}

const FORMAT = 1;
const STATES = ['retired', 'building', 'ready'] as const;

/** Arrays instead of objects keep the head small (see `MOST_BYTES_IN_HEAD`). */
const headShape = object({
  format: oneOf(FORMAT),
  version: integer,
  table: optional(object({ id: text, streamLabel: text, home: optional(text) })),
  projections: recordOf(
    text,
    tuple(integer, listOf(tuple(integer, text, wholeNumberBetween(0, STATES.length - 1), nullable(finite), integer))),
  ),
});

export function encodeRegistry({ version, table, projections }: Registry): string {
  const head: Shaped<typeof headShape> = { format: FORMAT, version, table, projections: {} };
  for (const [name, { next, generations }] of projections) {
    const entries = generations.map(
      ({ id, definition, state, since, changed }): [number, string, number, number | null, number] => {
        return [id, definition, STATES.indexOf(state), since ?? null, changed];
      },
    );
    head.projections[name] = [next, entries];
  }
  return JSON.stringify(head);
}

function parsedHead(content: string): Shaped<typeof headShape> {
  try {
    const head: unknown = JSON.parse(content);
    headShape(head, (path, message) => {
      throw new TypeError(`${path.join('.')} ${message}`);
    });
    return head as Shaped<typeof headShape>;
  } catch (cause) {
    throw new EdgeloomError(
      'unknown-registry',
      "The table's registry has a layout that this version of Edgeloom does not know.",
      'Update Edgeloom here: a newer version has changed the registry.',
      { cause },
    );
  }
}

export function decodeRegistry(content: string): Registry {
  const head = parsedHead(content);
  return {
    version: head.version,
    table: head.table,
    projections: new Map(
      Object.entries(head.projections).map(([name, [next, entries]]) => {
        const generations = entries.map(
          ([id, definition, state, since, changed]): Generation => ({
            id,
            definition,
            state: STATES[state]!,
            changed,
            ...(since !== null && { since }),
          }),
        );
        return [name, { next, generations }];
      }),
    ),
  };
}

/** Returns the stamp of a generation's views. Unlike the fingerprints of model files, it begins with `@`. */
export function stampText(id: number): string {
  return `@${id}`;
}

/** Returns 0 for a stamp that isn't the registry's. A registry may begin with a random id of nine digits. */
export function stampedId(stamp: string | undefined): number {
  return Number(/^@([1-9]\d{0,14})$/.exec(stamp ?? '')?.[1] ?? 0);
}
