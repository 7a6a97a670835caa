import { attributeOf, type Item, setOwn, stringOf } from '../../../core/items/attribute-value.ts';
import { ATTRIBUTES } from '../../../core/items/derived-item.ts';
import { TARGET_ID } from '../../../core/items/hashed-key.ts';
import { toPlainItem } from '../../../core/items/plain.ts';
import type { CompiledModel, EdgeModel } from '../../../core/model/compiled.ts';
import { withoutEnd } from '../../../core/model/ends.ts';
import { BOOKKEEPING } from '../../../core/model/mirrored.ts';
import type { CallResult } from '../../call/capacity.ts';
import type { ReadContext } from './read-context.ts';

/** A page of results. */
export interface Page<T> extends CallResult {
  items: T[];
  /** Absent if nothing follows this page. The page after one that `maxRcu` ended may be empty. */
  cursor?: string;
  /** Set if the session has made too many writes to remember, so that some may be missing. */
  ownWrites?: 'unknown';
}

/** A page of incoming edges. */
export interface InboundPage<Edge, Target> extends Page<Edge> {
  /** On the first page, if `includeTarget` was set. Null if the node doesn't exist. */
  target?: Target | null;
}

/** The target node of a list of incoming edges. */
export interface TargetView<Id = string, Attributes = Record<string, unknown>> {
  id: Id;
  attributes: Attributes;
}

/** An edge with its attributes. */
export interface EdgeResult<Source = string, Type = string, Target = string, Attributes = Record<string, unknown>> {
  source: Source;
  type: Type;
  target: Target;
  attributes: Attributes;
}

/**
 * An edge in an edge set, with its labels. `copy` has the attributes copied from the target, if they are projected.
 * Labels of other edge types are undefined.
 */
export type EdgeSetElement<
  Type = string,
  Target = string,
  Labels = Record<string, unknown>,
  Copy = Record<string, unknown>,
  OtherLabel extends string = never,
> = {
  type: Type;
  target: Target;
  copy?: Copy;
} & Labels & { [Label in OtherLabel]?: undefined };

/** A node as its producers wrote it. */
export interface StoredNode<Id = string, Attributes = Record<string, unknown>> {
  id: Id;
  attributes: Attributes;
}

/** A node as its view shows it. `attributes` is null if only the node's edges exist. */
export interface View<Id = string, Attributes = Record<string, unknown>, Element = EdgeSetElement> {
  id: Id;
  attributes: Attributes | null;
  edgeSet: Element[];
  /**
   * Edge types that outgrew the view: `edgeSet` has only their first 100 edges, or fewer if the first 1,000 stored ones
   * include too many soft-deleted or expired edges.
   */
  truncated?: string[];
}

/** A hit of a search, with the value that it was found by. */
export interface SearchResult<Id = string, Attributes = Record<string, unknown>, Value = unknown> {
  id: Id;
  value: Value;
  attributes: Attributes;
}

export function sourceOf({ graph }: ReadContext, item: Item): string {
  return stringOf(item[graph.table.partitionKey]) ?? '';
}

export function projectedAttributes(item: Item | undefined): Item | undefined {
  const attributes = item?.[ATTRIBUTES];
  return attributes !== undefined && 'M' in attributes ? withoutEnd(attributes.M) : undefined;
}

export function indexAttributes({ readNumber }: ReadContext, item: Item): Record<string, unknown> {
  return toPlainItem(projectedAttributes(item) ?? {}, readNumber);
}

export function baseAttributes(
  { graph, readNumber }: Pick<ReadContext, 'graph' | 'readNumber'>,
  item: Item,
  edge?: EdgeModel,
): Record<string, unknown> {
  return toPlainItem(shownAttributes(graph, item, edge), readNumber);
}

export function shownAttributes({ table }: CompiledModel, item: Item, edge?: EdgeModel): Item {
  const { partitionKey, sortKey } = table;
  const keys = edge?.keys === 'hashed' ? [partitionKey, sortKey, TARGET_ID] : [partitionKey, sortKey];
  return pickAttributes(
    item,
    Object.keys(item).filter((name) => !keys.includes(name) && !BOOKKEEPING.includes(name)),
  );
}

export function pickAttributes(item: Item, names: readonly string[]): Item {
  const picked: Item = {};
  for (const name of names) {
    const value = attributeOf(item, name);
    if (value !== undefined) setOwn(picked, name, value);
  }
  return picked;
}
