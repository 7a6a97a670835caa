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
 * The model as the table records it. Writers maintain what it lists, whatever their own checkout says, so that the
 * order of deployments doesn't matter.
 *
 * A projection with its own keys (a search, an edge type's shared orders, a named order) has generations side by side.
 * A node type's views have one shape at a time.
 */

/** Absent: not maintained, items are being deleted. Kept: writers maintain it. Ready: readers may use it. */
export type GenerationState = 'absent' | 'kept' | 'ready';

export interface Generation {
  /** Part of its keys; never reused in the projection. */
  id: number;
  definition: string;
  state: GenerationState;
  /**
   * Since when writers maintain it, in milliseconds since 1970 by DynamoDB's clock, read after the write that made it
   * so. Absent: not noted yet. 0: since before the first record.
   */
  since?: number;
  changed: number;
}

export interface Shape {
  /** The stamp of the views; never reused for the type. */
  id: number;
  definition: string;
  /** Whether readers may use its views at all. */
  trusted: boolean;
  /** Every node has such a view, so that a missing one means that there is nothing. */
  ready: boolean;
  since?: number;
  changed: number;
}

/** An unlisted id below `next` was a deleted generation's, in this registry or an earlier one. */
export interface KeyedProjection {
  next: number;
  generations: readonly Generation[];
}

export interface TypeShape {
  next: number;
  shape?: Shape;
}

/** The table and stream that the registry was made for; a restored table or a new stream differs. */
export interface TableIdentity {
  id: string;
  streamLabel: string;
  /** Where consumers and migrations run; absent without replicas. */
  home?: string;
}

export interface Registry {
  version: number;
  table?: TableIdentity;
  /** By name: `search:USER.name`, `inbound:FOLLOWS`, `order:FOLLOWS.byDate`. */
  projections: ReadonlyMap<string, KeyedProjection>;
  shapes: ReadonlyMap<string, TypeShape>;
}

const FORMAT = 1;
const STATES = ['absent', 'kept', 'ready'] as const;

/** Lists instead of objects: a head is read for every batch, and up to 4 KB cost one unit. */
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

/** No model's fingerprint looks like it. */
export function stampText(id: number): string {
  return `@${id}`;
}

/** 0 if the stamp isn't the registry's. A registry may begin with a random id of nine digits. */
export function stampedId(stamp: string | undefined): number {
  return Number(/^@([1-9]\d{0,14})$/.exec(stamp ?? '')?.[1] ?? 0);
}

export function isRegistryStamp(stamp: string | undefined): boolean {
  return stamp?.startsWith('@') === true;
}
