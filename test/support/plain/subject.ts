import {
  type AttributeValue,
  attributeOf,
  type Item,
  MalformedValueError,
  setOwn,
  withBinaryAsBytes,
} from '../../../src/core/items/attribute-value.ts';
import { TARGET_ID } from '../../../src/core/items/hashed-key.ts';
import { toPlainItem } from '../../../src/core/items/plain.ts';
import type { CompiledModel, Compute, Projection } from '../../../src/core/model/compiled.ts';
import type { DeriveContext } from '../../../src/core/model/options/derive-options.ts';

/** Why a part of a base item could not be derived. */
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

/** One image with what its parts share: keys, and the plain form for `derive` functions, made once and only if asked. */
export class Subject {
  private plain: Record<string, unknown> | undefined;
  /** @param isHashed whether it is an edge with a hashed key, whose target is named by an attribute. */
  constructor(
    readonly graph: CompiledModel,
    readonly context: DeriveContext,
    readonly image: Item,
    private readonly isHashed = false,
  ) {}

  /** The partition key. */
  get source(): string {
    return this.context.source;
  }

  /** An attribute by name, binary as bytes; what is no attribute value is a `PartError`. */
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

  /** The text of a `derive` function for the image; anything but a text or nothing is a `PartError`. */
  compute(compute: Compute, purpose: string): string | undefined {
    this.plain ??= toPlainItem(this.project({ kind: 'ALL' }));
    let text: unknown;
    try {
      text = compute(this.plain, this.context);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new PartError('derive-failed', `derive for ${purpose} threw: ${reason}`);
    }
    if (text === undefined || typeof text === 'string') return text;
    if (text instanceof Promise) {
      // Nothing else awaits it, and an unhandled rejection would end the process.
      text.catch(() => undefined);
      throw new PartError('derive-failed', `derive for ${purpose} gave a promise: it has to give its text at once`);
    }
    throw new PartError('derive-failed', `derive for ${purpose} gave ${typeof text} instead of a string`);
  }

  /**
   * The attributes that a projection names; keys, and the target of a hashed one, are left out. An attribute that is
   * malformed is left out and noted; where there is nothing to note it in, it is a `PartError`.
   */
  project(projection: Projection, problems?: Problem[]): Item {
    const copy: Item = {};
    if (projection.kind === 'KEYS_ONLY') return copy;
    const { partitionKey, sortKey } = this.graph.table;
    const names = projection.kind === 'ALL' ? Object.keys(this.image) : projection.attributes;
    for (const name of names) {
      if (name === partitionKey || name === sortKey || (this.isHashed && name === TARGET_ID)) continue;
      const value = problems === undefined ? this.attribute(name) : part(problems, () => this.attribute(name));
      if (value !== undefined) setOwn(copy, name, value);
    }
    return copy;
  }
}

/** Runs one part; its failure is noted and the part is absent. */
export function part<T>(problems: Problem[], run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    problems.push(error.problem);
    return undefined;
  }
}
