import { messageOf } from '../../../foundation/errors.ts';
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
import type { CompiledModel, Compute, MaybeSuperseded, Projection } from '../../model/compiled.ts';
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
  message: string;
  /** True if only a total needs the value. The total counts the problem, and the derived item still exists. */
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
  /** True for an edge type with hashed keys, whose edges hold their target in an attribute. */
  isHashed: boolean;
  expires?: string;
}

export interface SubjectKey {
  source: string;
  sortKey: string;
  /** The target of an edge with a hashed key, from its image. */
  target?: string;
}

/** Returns an edge's target; for a node or part, the node's id. */
export function targetOf({ kind, type }: SubjectType, { source, sortKey, target }: SubjectKey): string {
  return target ?? (kind === 'edge' ? sortKey.slice(type.length + 1) : source);
}

const NONE: readonly Problem[] = [];

/**
 * An image, with the data that the derivation of all its items shares: keys, problems, and the plain form for `derive`
 * functions, which is made once and on demand.
 */
export class Subject {
  private plain: Record<string, unknown> | undefined;
  private noted: Problem[] | undefined;

  constructor(
    private readonly of: Readonly<SubjectType>,
    private readonly key: Readonly<SubjectKey>,
    private readonly image: Item,
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

  noteProblem(error: unknown, projection?: MaybeSuperseded): Problem {
    this.noted ??= [];
    return noteProblem(this.noted, error, projection);
  }

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

  computeText(compute: Compute, purpose: string): string | undefined {
    this.plain ??= toPlainItem(this.copyAttributes({ kind: 'ALL' }));
    const { source } = this.key;
    const { type } = this.of;
    const target = targetOf(this.of, this.key);
    let text: unknown;
    try {
      text = compute(this.plain, { source, type, target });
    } catch (error) {
      throw new PartError('derive-failed', `derive for ${purpose} threw: ${messageOf(error)}`);
    }
    if (text === undefined || typeof text === 'string') return text;
    if (text instanceof Promise) {
      // An unhandled rejection would end the process, and the error below already reports the promise.
      text.catch(() => undefined);
      throw new PartError('derive-failed', `derive for ${purpose} gave a promise: it has to give its text at once`);
    }
    throw new PartError('derive-failed', `derive for ${purpose} gave ${typeof text} instead of a string`);
  }

  get end(): AttributeValue | undefined {
    return endOf(this.of, this.image);
  }

  /**
   * Adds the time at which the item ends, even for `KEYS_ONLY`. Leaves out keys, the target of a hashed key, and a
   * mirror's bookkeeping.
   *
   * @param options `isLenient` leaves out a malformed attribute and notes the problem. Otherwise, such an attribute
   * throws a `PartError`.
   */
  projectAttributes(projection: Projection, { isLenient = false } = {}): Item {
    const copy = this.copyAttributes(projection, { isLenient });
    const { end } = this;
    if (end !== undefined) copy[ENDS] = end;
    return copy;
  }

  private copyAttributes(projection: Projection, { isLenient = false } = {}): Item {
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

export function nodeSubject(graph: CompiledModel, id: string, image: Item | undefined): Subject | undefined {
  if (!isNodeThere(graph, id, image)) return undefined;
  const of: SubjectType = { kind: 'node', graph, type: parseNodeId(id)?.type ?? '', isHashed: false };
  return new Subject(of, { source: id, sortKey: id }, image);
}

/**
 * Rethrows any error that isn't a `PartError`. Callers have their own `try`, because passing callbacks would allocate
 * several closures for each image.
 *
 * @param projection if a newer generation replaces it, the failure isn't a problem of the item.
 */
export function noteProblem(problems: Problem[], error: unknown, projection?: MaybeSuperseded): Problem {
  if (!(error instanceof PartError)) throw error;
  if (projection?.isSuperseded !== true) problems.push(error.problem);
  return error.problem;
}
