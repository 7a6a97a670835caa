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

/** The reason why a part of a base item could not be derived. */
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
  /** The base item's attribute, if one is the cause. */
  attribute?: string;
  /** One sentence that names the attribute and the index or label that needs it. */
  message: string;
  /** True if only a total lacks the value, and counts it as a problem: the item has its place all the same. */
  isOfTotal?: true;
}

/** A part that cannot be derived. The code that derives the part catches it. */
export class PartError extends Error {
  readonly problem: Problem;
  constructor(code: Problem['code'], message: string, attribute?: string) {
    super(message);
    this.problem = { code, message, attribute };
  }
}

/** The type of a base item, as far as its images are read by it. */
export interface SubjectType {
  kind: 'node' | 'part' | 'edge';
  graph: CompiledModel;
  /** The node or edge type. */
  type: string;
  /** True if it is an edge type with hashed keys: an attribute holds the target. */
  isHashed: boolean;
  /** The attribute with the time at which it ends; undefined: none. */
  expires?: string;
}

/** The key of a base item. */
export interface SubjectKey {
  source: string;
  sortKey: string;
  /** The target of an edge with a hashed key, which its image names. */
  target?: string;
}

/** The target of an edge; for a node, or a part of one, the node. */
export function targetOf({ kind, type }: SubjectType, { source, sortKey, target }: SubjectKey): string {
  return target ?? (kind === 'edge' ? sortKey.slice(type.length + 1) : source);
}

const NONE: readonly Problem[] = [];

/**
 * One image, with the values that its parts share: its keys, the plain form for `derive` functions, which is made once and only if
 * needed, and its problems.
 */
export class Subject {
  private plain: Record<string, unknown> | undefined;
  private noted: Problem[] | undefined;

  constructor(
    private readonly of: Readonly<SubjectType>,
    private readonly key: Readonly<SubjectKey>,
    private readonly image: Item,
    /** Where to note what becomes of each line of the model; absent: nobody asks. */
    readonly outcomes?: Outcomes,
  ) {}

  /** The partition key. */
  get source(): string {
    return this.key.source;
  }

  /** What the image is of. */
  get kind(): SubjectType['kind'] {
    return this.of.kind;
  }

  /** The node or edge type. */
  get type(): string {
    return this.of.type;
  }

  /** The problems so far. */
  get problems(): readonly Problem[] {
    return this.noted ?? NONE;
  }

  /** Calls the function `noteProblem` for this image. */
  noteProblem(error: unknown, isSuperseded?: boolean): Problem {
    this.noted ??= [];
    return noteProblem(this.noted, error, isSuperseded);
  }

  /** Returns an attribute by name, binary as bytes; throws a `PartError` if it is no attribute value. */
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

  /** Returns the text of a `derive` function for the image; throws a `PartError` for anything but a text or nothing. */
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
      // The problem is reported already. Nothing else awaits the promise, and an unhandled rejection would end the process.
      text.catch(() => undefined);
      throw new PartError('derive-failed', `derive for ${purpose} gave a promise: it has to give its text at once`);
    }
    throw new PartError('derive-failed', `derive for ${purpose} gave ${typeof text} instead of a string`);
  }

  /** The time at which the item ends; undefined: never. */
  get end(): AttributeValue | undefined {
    return endOf(this.of, this.image);
  }

  /**
   * Returns the attributes that a projection names, without the keys and without the target of a hashed key, and the time at which the
   * item ends. Throws a `PartError` for a malformed attribute.
   *
   * @param isLenient notes such an attribute and leaves it out instead.
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

/** An image of a node, by its id; undefined: there is none, or the node counts as deleted. */
export function nodeSubject(graph: CompiledModel, id: string, image: Item | undefined): Subject | undefined {
  // rule: edges-of-a-soft-deleted-node-lose-its-share
  if (!isNodeThere(graph, id, image)) return undefined;
  const of: SubjectType = { kind: 'node', graph, type: parseNodeId(id)?.type ?? '', isHashed: false };
  return new Subject(of, { source: id, sortKey: id }, image);
}

/**
 * Notes the failure of a part, which is absent then, and returns the problem; throws any other error again. Each part has a `try` of its own, instead of a
 * function that is passed here: that would make several functions for each image of a batch.
 *
 * @param isSuperseded whether a newer generation of the projection replaces this one: then the failure is no problem of the item.
 */
export function noteProblem(problems: Problem[], error: unknown, isSuperseded = false): Problem {
  if (!(error instanceof PartError)) throw error;
  if (!isSuperseded) problems.push(error.problem);
  return error.problem;
}
