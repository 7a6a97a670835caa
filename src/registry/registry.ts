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
 * The registry: the model as the table records it. For those who write derived items it *is* the model: they maintain what
 * it lists, whatever their own checkout says, so that the order of deployments does not matter.
 *
 * A projection with keys of its own (a search, the edges that enter a node, a named order) has generations side by side.
 * The views of a node type have one shape at a time.
 */

/** Absent: nothing maintains it, its items are being deleted. Kept: writers maintain it. Ready: readers may use it. */
export type GenerationState = 'absent' | 'kept' | 'ready';

/** One definition of a projection, with keys of its own. */
export interface Generation {
  /** Part of its keys; unique among the projection's generations, and never used again. */
  id: number;
  /** Fingerprint of its definition. */
  definition: string;
  state: GenerationState;
  /**
   * The time since which writers keep it, in milliseconds since 1970 by DynamoDB's clock: later than the write that made it so. Absent: not
   * noted yet. 0: since before the first record.
   */
  since?: number;
  /** The registry's version that brought it into this state. */
  changed: number;
}

/** The shape of the views of a node type. */
export interface Shape {
  /** The stamp of the views; unique among the type's shapes, and never used again. */
  id: number;
  definition: string;
  /** True if readers may use views of it at all. */
  trusted: boolean;
  /** True if every node has a view of it, so that a missing one says that there is nothing. */
  ready: boolean;
  /** As of a generation. */
  since?: number;
  changed: number;
}

/** The generations of a projection. An id below `next` that is not listed is of a deleted generation, of this registry or of one before it. */
export interface KeyedProjection {
  /** The id of the generation to come. */
  next: number;
  generations: readonly Generation[];
}

/** The shape of a node type's views; none where the type was dropped. */
export interface TypeShape {
  next: number;
  shape?: Shape;
}

/** Which table and stream it was made for: a restored table, or a new stream, has others. */
export interface TableIdentity {
  id: string;
  streamLabel: string;
  /** The region in which consumers and migrations run; absent if the table has no replicas in other regions. */
  home?: string;
}

/** The registry's head: states and fingerprints. The definitions are items next to it. */
export interface Registry {
  /** Counts the changes. */
  version: number;
  table?: TableIdentity;
  /** By name: `search:USER.name`, `inbound:FOLLOWS`, `order:FOLLOWS.byDate`. */
  projections: ReadonlyMap<string, KeyedProjection>;
  /** By node type. */
  shapes: ReadonlyMap<string, TypeShape>;
}

/** The layout of the head that this software knows. */
const FORMAT = 1;
const STATES = ['absent', 'kept', 'ready'] as const;

/** Entries are lists, not objects: a head is read for every batch, and up to 4 KB of it cost one unit. */
const headShape = object({
  format: oneOf(FORMAT),
  version: integer,
  table: optional(object({ id: text, streamLabel: text, home: optional(text) })),
  projections: recordOf(
    text,
    tuple(integer, listOf(tuple(integer, text, wholeNumberBetween(0, STATES.length - 1), nullable(finite), integer))),
  ),
  shapes: recordOf(text, tuple(integer, nullable(tuple(integer, text, integer, integer, nullable(finite), integer)))),
});

/** The text of a head. */
export function encodeRegistry({ version, table, projections, shapes }: Registry): string {
  const head: Shaped<typeof headShape> = { format: FORMAT, version, table, projections: {}, shapes: {} };
  for (const [name, { next, generations }] of projections) {
    const entries = generations.map(
      ({ id, definition, state, since, changed }): [number, string, number, number | null, number] => {
        return [id, definition, STATES.indexOf(state), since ?? null, changed];
      },
    );
    head.projections[name] = [next, entries];
  }
  for (const [type, { next, shape }] of shapes) {
    if (shape === undefined) head.shapes[type] = [next, null];
    else {
      const { id, definition, trusted, ready, since, changed } = shape;
      head.shapes[type] = [next, [id, definition, Number(trusted), Number(ready), since ?? null, changed]];
    }
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

/** A head out of its text; throws `unknown-registry` for a layout that this software does not know. */
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
    shapes: new Map(
      Object.entries(head.shapes).map(([type, [next, entry]]): [string, TypeShape] => {
        if (entry === null) return [type, { next }];
        const [id, definition, trusted, ready, since, changed] = entry;
        const state = { trusted: trusted === 1, ready: ready === 1, changed };
        return [type, { next, shape: { id, definition, ...state, ...(since !== null && { since }) } }];
      }),
    ),
  };
}

/** The stamp in `model` of a generation's items and of a shape's views: no fingerprint of a model begins so. */
export function stampText(id: number): string {
  return `@${id}`;
}

/** The id in a stamp; 0 if the stamp is not the registry's. A registry may begin with a random id of nine digits. */
export function stampedId(stamp: string | undefined): number {
  return Number(/^@([1-9]\d{0,14})$/.exec(stamp ?? '')?.[1] ?? 0);
}

/** Tells whether an item was stamped by software that knows the registry. */
export function isRegistryStamp(stamp: string | undefined): boolean {
  return stamp?.startsWith('@') === true;
}
