import {
  type AttributeValue,
  attributeOf,
  type Item,
  MalformedValueError,
  setOwn,
  withBytes,
} from '../../items/attribute-value.ts';
import { TARGET_ID } from '../../items/hashed-key.ts';
import { parseNodeId } from '../../items/keys.ts';
import { toPlainItem } from '../../items/plain.ts';
import type { CompiledModel, Compute, Projection } from '../../model/compiled.ts';

/** Why a part of a base item could not be derived. */
export interface Problem {
  code:
    | 'misfit'
    | 'malformed'
    | 'wrong-type'
    | 'undeclared-label'
    | 'derive-failed'
    | 'key-too-long'
    | 'item-too-large'
    | 'too-many-values';
  /** The base item's attribute, where one is to blame. */
  attribute?: string;
  /** One sentence that names the attribute and the index or label it was needed for. */
  message: string;
}

/** A part that cannot be derived; caught at the part's border. */
export class PartError extends Error {
  readonly problem: Problem;
  constructor(code: Problem['code'], message: string, attribute?: string) {
    super(message);
    this.problem = { code, message, attribute };
  }
}

/** Whose an image is. */
export interface ImageOwner {
  graph: CompiledModel;
  /** The partition key. */
  source: string;
  /** The node or edge type. */
  type: string;
  /** The target's id, of a node its own. */
  target: string;
  /** Whether it is an edge with a hashed key, whose target stands in an attribute. */
  isHashed: boolean;
}

/** The owner of a node's images. */
export function nodeOwner(graph: CompiledModel, id: string): ImageOwner {
  return { graph, source: id, type: parseNodeId(id)?.type ?? '', target: id, isHashed: false };
}

const NONE: readonly Problem[] = [];

/**
 * One image with what its parts share: keys, the plain form for `derive` functions, made once and only if asked, and what
 * is wrong with it.
 */
export class Subject {
  private plain: Record<string, unknown> | undefined;
  private noted: Problem[] | undefined;

  constructor(
    private owner: Readonly<ImageOwner>,
    private image: Item,
  ) {}

  /** Turns to another image, as a new subject would. A batch has thousands of them, each looked at once. */
  turnTo(owner: Readonly<ImageOwner>, image: Item): this {
    this.owner = owner;
    this.image = image;
    this.plain = undefined;
    this.noted = undefined;
    return this;
  }

  /** The partition key. */
  get source(): string {
    return this.owner.source;
  }

  /** The node or edge type. */
  get type(): string {
    return this.owner.type;
  }

  /** What could not be derived so far. */
  get problems(): readonly Problem[] {
    return this.noted ?? NONE;
  }

  /** As the function `note`. */
  note(error: unknown, isSuperseded?: boolean): void {
    this.noted ??= [];
    note(this.noted, error, isSuperseded);
  }

  /** An attribute by name, binary as bytes; what is no attribute value is a `PartError`. */
  attribute(name: string): AttributeValue | undefined {
    const value = attributeOf(this.image, name);
    if (value === undefined) return undefined;
    try {
      return withBytes(value);
    } catch (error) {
      if (!(error instanceof MalformedValueError)) throw error;
      throw new PartError('malformed', `attribute ${name} ${error.message}`, name);
    }
  }

  /** What a `derive` of the model gives for the image; anything but a text or nothing is a `PartError`. */
  compute(compute: Compute, purpose: string): string | undefined {
    this.plain ??= toPlainItem(this.project({ kind: 'ALL' }));
    const { source, type, target } = this.owner;
    let text: unknown;
    try {
      text = compute(this.plain, { source, type, target });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new PartError('derive-failed', `derive for ${purpose} threw: ${reason}`);
    }
    if (text === undefined || typeof text === 'string') return text;
    if (text instanceof Promise) {
      // It is told already, and nobody else waits for it: a rejection would end the process.
      text.catch(() => undefined);
      throw new PartError('derive-failed', `derive for ${purpose} gave a promise: it has to give its text at once`);
    }
    throw new PartError('derive-failed', `derive for ${purpose} gave ${typeof text} instead of a string`);
  }

  /**
   * The attributes that a projection names; keys, and the target of a hashed one, are left out. An attribute that is
   * malformed is a `PartError`.
   *
   * @param isLenient leaves such an attribute out and notes it.
   */
  project(projection: Projection, isLenient = false): Item {
    const copy: Item = {};
    if (projection.kind === 'KEYS_ONLY') return copy;
    const { graph, isHashed } = this.owner;
    const { partitionKey, sortKey } = graph.table;
    const names = projection.kind === 'ALL' ? Object.keys(this.image) : projection.attributes;
    for (const name of names) {
      if (name === partitionKey || name === sortKey || (isHashed && name === TARGET_ID)) continue;
      try {
        const value = this.attribute(name);
        if (value !== undefined) setOwn(copy, name, value);
      } catch (error) {
        if (!isLenient) throw error;
        this.note(error);
      }
    }
    return copy;
  }
}

/**
 * Notes the failure of a part, which is absent then; any other error is thrown on. Parts run in a `try` of their own, not in a
 * function that is passed: there are several for each image of a batch.
 *
 * @param isSuperseded whether a newer generation of the projection says what is right: then it is no problem of the item.
 */
export function note(problems: Problem[], error: unknown, isSuperseded = false): void {
  if (!(error instanceof PartError)) throw error;
  if (!isSuperseded) problems.push(error.problem);
}
