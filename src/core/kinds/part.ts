import { hash } from 'node:crypto';
import { type AttributeType, canonicalText, type Item } from '../items/attribute-value.ts';
import { revisionOf } from '../items/derived-item.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { SourceNode } from '../model/joined.ts';
import type { ItemKey, Store } from '../store-port.ts';
import type { Derived } from './derived.ts';

/** A part of a derived item that can be wrong by itself: what check and repair need to know. */

/** A part of a derived item that may be wrong. */
export type Part =
  /** An index item's fields; `target`: sort key of the base item that would ask for them, if known. */
  | { kind: 'index-item'; target: string | undefined }
  /** The elements of an edge in a view; `target`: the edge's sort key. */
  | { kind: 'element'; target: string }
  /** An element that names no edge, or `NO_SET`. */
  | { kind: 'garbage'; element: string }
  | { kind: 'attributes' }
  | { kind: 'mark'; edgeType: string }
  /** A whole view, whose shape isn't its type's, so that readers don't use it. */
  | { kind: 'shape' }
  /** A copy of an edge's target; `target`: the edge's sort key, or the attribute name of a copy without an edge. */
  | { kind: 'copy'; target: string }
  /** An edge's item in its target's partition; `base`: the edge, if known. */
  | { kind: 'reverse-item'; base: ItemKey | undefined }
  | { kind: 'continuation' }
  | { kind: 'count' }
  /** Group values without a name although the count has room for some. */
  | { kind: 'room' }
  /** The expiry of a live item: TTL would delete an item that readers need. */
  | { kind: 'expiry' }
  /** Attributes that the item's kind doesn't have, or a malformed revision. */
  | { kind: 'form' }
  /** A derived sort key of no maintained kind. */
  | { kind: 'unknown-item' }
  /** An item of a retired generation or shape. */
  | { kind: 'retired' }
  /** An item in an index partition of a registered projection that doesn't make such a key. */
  | { kind: 'misplaced' }
  /** An item of a generation or projection that the registry doesn't know. */
  | { kind: 'unregistered' };

/** A derived item, or a part of one, that may be wrong. */
export interface Suspect<P extends Part = Part> {
  source: string;
  /** Sort key of the derived item. */
  sortKey: string;
  part: P;
}

export interface JudgeContext {
  graph: CompiledModel;
  store: Pick<Store, 'getMany' | 'query'>;
}

/** The planner's `derivedOf`, passed in since the planner is above the kinds. */
export type DeriveFrom = (
  graph: CompiledModel,
  source: string,
  sortKey: string,
  image: Item | undefined,
  node?: SourceNode,
) => Derived;

export interface CompareContext extends JudgeContext {
  derivedOf: DeriveFrom;
}

export interface ItemForm {
  /**
   * Allowed attributes with their types, besides key, revision and expiry. `any`: the comparison with the deciding
   * items checks the value.
   */
  attributes: ReadonlyMap<string, AttributeType | 'any'>;
  /** Whether it may have further attributes. Default: no. */
  canHave?(attribute: string): boolean;
  /** True if it becomes an expiring tombstone when no base item asks for it. */
  hasTombstones: boolean;
  /** Without content an item is a tombstone, or should be one. */
  isLive(item: Item | undefined): boolean;
}

/** A suspect's derived item, and the items that decide about it, read afterwards. */
export interface Seen<P extends Part = Part> {
  suspect: Suspect<P>;
  form: ItemForm;
  derived: Item | undefined;
  /** The keys of the deciding items, parallel to `items`. */
  keys: readonly ItemKey[];
  items: readonly (Item | undefined)[];
}

/** Expected and actual content, as texts that are equal exactly if nothing is wrong; null: nothing. */
export interface Compared {
  expected: string | null;
  stored: string | null;
}

/** Shows whether something has changed between two looks. */
export interface State {
  /**
   * The derived item's revision, if any. For a copy, combined with the revision of the fan-out that has yet to visit
   * it.
   */
  revision: string | undefined;
  base: string;
  /** The place of a fan-out that would still repair it, if any. */
  fanOut?: string;
}

export interface ViewRepair {
  /** Base items whose part in the view is reconciled. */
  targets: Set<string>;
  unmark: Set<string>;
  drop: string[];
}

export interface PartKind<P extends Part = Part> {
  /** True if no reader gets a wrong answer from it, so that observers leave it to a check. Default: no. */
  isUnobserved?: boolean;
  /** True if base items decide about it. An expiry is wrong whatever they say. */
  isContent: boolean;
  /** Whether a difference is just due maintenance, and no write has failed. Default: no. */
  isMaintenance?(graph: CompiledModel, part: P): boolean;
  /** True if it can't be repaired, only reported. Default: no. */
  isBeyondRepair?: boolean;
  /** True if a repair first removes attributes that the item can't have. Default: no. */
  isOfForm?: boolean;
  /** True if the whole item doesn't belong in this table, so that a repair removes it. Default: no. */
  isAlien?: boolean;
  /** Keys of the deciding items, to be read after the derived item. */
  decidingKeys(
    context: JudgeContext,
    suspect: Suspect<P>,
    derived: Item | undefined,
  ): readonly ItemKey[] | Promise<readonly ItemKey[]>;
  compare(context: CompareContext, seen: Seen<P>): Compared | Promise<Compared>;
  /** Default: the revision, and the first deciding item. */
  state?(seen: Seen<P>): State;
  repairInView?(repair: ViewRepair, graph: CompiledModel, suspect: Suspect<P>): void;
}

export function stateByBase({ derived, items }: Seen): State {
  return { revision: revisionOf(derived), base: items[0] === undefined ? '' : hashOfText(imageText(items[0])) };
}

export function imageText(item: Item | undefined): string {
  return item === undefined ? '' : canonicalText({ M: item });
}

export function hashOfText(text: string): string {
  return hash('sha256', text, 'base64');
}
