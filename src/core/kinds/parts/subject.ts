import {
  type AttributeValue,
  attributeOf,
  type Item,
  MalformedValueError,
  setOwn,
  withBinaryAsBytes,
} from '../../items/attribute-value.ts';
import { TARGET_ID } from '../../items/hashed-key.ts';
import { parseNodeId } from '../../items/keys.ts';
import { toPlainItem } from '../../items/plain.ts';
import type { CompiledModel, Compute, Projection } from '../../model/compiled.ts';
import { ENDS, endOf } from '../../model/ends.ts';
import { isNodeThere } from '../../model/gone.ts';
import { BOOKKEEPING } from '../../model/mirrored.ts';
import type { Outcomes } from './outcomes.ts';

export interface Problem {
  code:
    | 'misfit'
    | 'edge-between-tenants'
    | 'malformed'
    | 'wrong-type'
    | 'undeclared-label'
    | 'derive-failed'
    | 'key-too-long'
    | 'item-too-large'
    | 'too-many-values'
    | 'out-of-bounds';
  attribute?: string;
  /** A sentence that names the attribute and the index or label that needs it. */
  message: string;
  /** True if only a total lacks the value, and counts it as a problem; the item still has its place. */
  isOfTotal?: true;
}

export class PartError extends Error {
  readonly problem: Problem;
  constructor(code: Problem['code'], message: string, attribute?: string) {
    super(message);
    this.problem = { code, message, attribute };
  }
}

export interface SubjectType {
  kind: 'node' | 'part' | 'edge';
  graph: CompiledModel;
  type: string;
  /** True for an edge type with hashed keys, whose target is in an attribute. */
  isHashed: boolean;
  /** The attribute with the time at which it ends, if any. */
  expires?: string;
}

export interface SubjectKey {
  source: string;
  sortKey: string;
  /** The target of an edge with a hashed key, from its image. */
  target?: string;
}

/** An edge's target; for a node or part, the node. */
export function targetOf({ kind, type }: SubjectType, { source, sortKey, target }: SubjectKey): string {
  return target ?? (kind === 'edge' ? sortKey.slice(type.length + 1) : source);
}

const NONE: readonly Problem[] = [];

/**
 * An image with values that its parts share: keys, the plain form for `derive` functions (made once, on demand), and
 * problems.
 */
export class Subject {
  private plain: Record<string, unknown> | undefined;
  private noted: Problem[] | undefined;

  constructor(
    private readonly of: Readonly<SubjectType>,
    private readonly key: Readonly<SubjectKey>,
    private readonly image: Item,
    /** Where to note the outcome for each projection. Absent: not needed. */
    readonly outcomes?: Outcomes,
  ) {}

  get source(): string {
    return this.key.source;
  }

  get kind(): SubjectType['kind'] {
    return this.of.kind;
  }

  get type(): string {
    return this.of.type;
  }

  get problems(): readonly Problem[] {
    return this.noted ?? NONE;
  }

  noteProblem(error: unknown, isSuperseded?: boolean): Problem {
    this.noted ??= [];
    return noteProblem(this.noted, error, isSuperseded);
  }

  /** Binary as bytes; throws a `PartError` if it isn't an attribute value. */
  attribute(name: string): AttributeValue | undefined {
    const value = attributeOf(this.image, name);
    if (value === undefined) return undefined;
    try {
      return withBinaryAsBytes(value);
    } catch (error) {
      if (!(error instanceof MalformedValueError)) throw error;
      throw new PartError('malformed', `attribute ${name} ${error.message}`, name);
    }
  }

  /** The text of a `derive` function; throws a `PartError` for anything but a text or nothing. */
  computeText(compute: Compute, purpose: string): string | undefined {
    this.plain ??= toPlainItem(this.copyAttributes({ kind: 'ALL' }, false));
    const { source } = this.key;
    const { type } = this.of;
    const target = targetOf(this.of, this.key);
    let text: unknown;
    try {
      text = compute(this.plain, { source, type, target });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new PartError('derive-failed', `derive for ${purpose} threw: ${reason}`);
    }
    if (text === undefined || typeof text === 'string') return text;
    if (text instanceof Promise) {
      // The problem is already reported; an unhandled rejection would end the process.
      text.catch(() => undefined);
      throw new PartError('derive-failed', `derive for ${purpose} gave a promise: it has to give its text at once`);
    }
    throw new PartError('derive-failed', `derive for ${purpose} gave ${typeof text} instead of a string`);
  }

  /** Undefined: never. */
  get end(): AttributeValue | undefined {
    return endOf(this.of, this.image);
  }

  /**
   * The projected attributes without keys and hashed target, and the time at which the item ends. Throws a `PartError`
   * for a malformed attribute.
   *
   * @param isLenient notes and leaves out a malformed attribute instead.
   */
  projectAttributes(projection: Projection, isLenient = false): Item {
    const copy = this.copyAttributes(projection, isLenient);
    const { end } = this;
    if (end !== undefined) copy[ENDS] = end;
    return copy;
  }

  private copyAttributes(projection: Projection, isLenient: boolean): Item {
    const copy: Item = {};
    if (projection.kind === 'KEYS_ONLY') return copy;
    const { graph, isHashed } = this.of;
    const { partitionKey, sortKey } = graph.table;
    const names = projection.kind === 'ALL' ? Object.keys(this.image) : projection.attributes;
    for (const name of names) {
      if (name === partitionKey || name === sortKey || (isHashed && name === TARGET_ID)) continue;
      if (BOOKKEEPING.includes(name) || name === ENDS) continue;
      try {
        const value = this.attribute(name);
        if (value !== undefined) setOwn(copy, name, value);
      } catch (error) {
        if (!isLenient) throw error;
        this.noteProblem(error);
      }
    }
    return copy;
  }
}

/** Undefined: the node doesn't exist, or counts as deleted. */
export function nodeSubject(graph: CompiledModel, id: string, image: Item | undefined): Subject | undefined {
  // rule: edges-of-a-soft-deleted-node-lose-its-share
  if (!isNodeThere(graph, id, image)) return undefined;
  const of: SubjectType = { kind: 'node', graph, type: parseNodeId(id)?.type ?? '', isHashed: false };
  return new Subject(of, { source: id, sortKey: id }, image);
}

/**
 * Notes the failure of a part, which is absent then, and returns the problem; throws any other error again. Each part
 * has a `try` of its own, instead of a function that is passed here: that would make several functions for each image
 * of a batch.
 *
 * @param isSuperseded whether a newer generation of the projection replaces this one: then the failure isn't a problem
 * of the item.
 */
export function noteProblem(problems: Problem[], error: unknown, isSuperseded = false): Problem {
  if (!(error instanceof PartError)) throw error;
  if (!isSuperseded) problems.push(error.problem);
  return error.problem;
}
