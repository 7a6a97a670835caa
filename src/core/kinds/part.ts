import { hash } from 'node:crypto';
import { type AttributeType, canonicalText, type Item } from '../items/attribute-value.ts';
import { revisionOf } from '../items/derived-item.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { SourceNode } from '../model/joined.ts';
import type { ItemKey, Store } from '../store-port.ts';
import type { Derived } from './derived.ts';

/** The description of a part of a derived item that can be wrong by itself: what check and repair need of it. */

/** The part of a derived item that may be wrong, and how to find what decides about it. */
export type Part =
  /** The fields of an index item; `target`: sort key of the base item that would ask for them, if known. */
  | { kind: 'index-item'; target: string | undefined }
  /** The elements of one edge in a view; `target`: the edge's sort key. */
  | { kind: 'element'; target: string }
  /** An element of a view that names no edge, or `NO_SET`. */
  | { kind: 'garbage'; element: string }
  /** A node's attributes in its view. */
  | { kind: 'attributes' }
  /** The mark of an evicted edge type. */
  | { kind: 'mark'; edgeType: string }
  /** A whole view: its shape is not that of its type, so readers do not use it. */
  | { kind: 'shape' }
  /** A copy of an edge's target in a view; `target`: the edge's sort key, or the attribute name of a copy without an edge. */
  | { kind: 'copy'; target: string }
  /** The fields of an edge's item in its target's partition; `base`: the edge; undefined if it is not known. */
  | { kind: 'reverse-item'; base: ItemKey | undefined }
  /** A continuation that has not ended. */
  | { kind: 'continuation' }
  /** The count of edges of a type. */
  | { kind: 'count' }
  /** The values of groups that a count has no names for, although it has room for some. */
  | { kind: 'room' }
  /** The expiry of an item that is no tombstone: TTL would delete an item that readers need. */
  | { kind: 'expiry' }
  /** Attributes that the item's kind does not have, or a malformed revision. */
  | { kind: 'form' }
  /** A derived sort key of no kind that the model maintains. */
  | { kind: 'unknown-item' }
  /** An item of a generation, or of a shape, that the registry has retired. */
  | { kind: 'retired' }
  /** An item in an index partition of a registered projection that does not make such a key. */
  | { kind: 'misplaced' }
  /** An item of a generation, or of a projection, that the registry does not know. */
  | { kind: 'unregistered' };

/** A derived item, or a part of one, that may be wrong. */
export interface Suspect<P extends Part = Part> {
  source: string;
  /** Sort key of the derived item. */
  sortKey: string;
  part: P;
}

/** The values that looking at a suspect needs. */
export interface ObserveContext {
  graph: CompiledModel;
  store: Pick<Store, 'getMany' | 'query'>;
}

/** Derives all that a base item's image asks for: `derivedOf` of the planner. The planner is above the kinds, and asks them. */
export type DeriveFrom = (
  graph: CompiledModel,
  source: string,
  sortKey: string,
  image: Item | undefined,
  node?: SourceNode,
) => Derived;

/** The values that a comparison needs. */
export interface CompareContext extends ObserveContext {
  derivedOf: DeriveFrom;
}

/** The form of the items of a kind. */
export interface ItemForm {
  /**
   * The attributes that it can have, with their types, besides its key, its revision and its expiry. `any`: the comparison with the
   * deciding items shows whether the value is right.
   */
  attributes: ReadonlyMap<string, AttributeType | 'any'>;
  /** Tells whether it can have an attribute besides these. Default: no. */
  canHave?(attribute: string): boolean;
  /** True if it becomes a tombstone if no base item asks for it. The tombstone expires. */
  hasTombstones: boolean;
  /** Tells whether an item has content. Without content it is a tombstone, or should be one. */
  isLive(item: Item | undefined): boolean;
}

/** A suspect's derived item, and the items that decide about it, which are read after it. */
export interface Seen<P extends Part = Part> {
  suspect: Suspect<P>;
  form: ItemForm;
  derived: Item | undefined;
  /** The keys of the items that decide, from `decidingKeys`; `items` are parallel to them. */
  keys: readonly ItemKey[];
  items: readonly (Item | undefined)[];
}

/** The expected and the actual content, as texts that are equal exactly if nothing is wrong; null: nothing. */
export interface Compared {
  expected: string | null;
  stored: string | null;
}

/** The values that show whether something has changed between two looks. */
export interface State {
  /**
   * Revision of the derived item; undefined if it has none. For a copy: with the revision of the fan-out that has yet to visit it.
   */
  revision: string | undefined;
  /** A hash of the items that decide. */
  base: string;
  /** The place of a fan-out that would still repair it; undefined if there is none. */
  fanOut?: string;
}

/** The repairs that one write of a view makes. */
export interface ViewRepair {
  /** Base items whose part in the view is reconciled. */
  targets: Set<string>;
  /** Edge types that come back into the edge set. */
  unmark: Set<string>;
  /** Elements that name no edge. */
  drop: string[];
}

/** A part of a derived item that can be wrong by itself. */
export interface PartKind<P extends Part = Part> {
  /** True if no reader gets a wrong answer by it, so that an observer leaves it to a check. Default: no. */
  isUnobserved?: boolean;
  /** True if base items decide about it. An expiry is wrong whatever they say. */
  isContent: boolean;
  /** Tells whether a difference is only maintenance that is due, and no write has failed. Default: no. */
  isMaintenance?(graph: CompiledModel, part: P): boolean;
  /** True if nothing shows how to repair it, so that it is only reported. Default: no. */
  isBeyondRepair?: boolean;
  /** True if a repair first removes the attributes that the item cannot have. Default: no. */
  isOfForm?: boolean;
  /** True if the whole item is wrong in this table, so that a repair removes it. Default: no. */
  isAlien?: boolean;
  /** Returns the keys of the items that decide about it. They are read after the derived item. */
  decidingKeys(
    context: ObserveContext,
    suspect: Suspect<P>,
    derived: Item | undefined,
  ): readonly ItemKey[] | Promise<readonly ItemKey[]>;
  /** Compares the actual with the expected content. */
  compare(context: CompareContext, seen: Seen<P>): Compared | Promise<Compared>;
  /** Returns the state that shows a change. Default: the revision, and the first of the items that decide. */
  state?(seen: Seen<P>): State;
  /** For a part of a view: adds its repair to the write that repairs the view. */
  repairInView?(repair: ViewRepair, graph: CompiledModel, suspect: Suspect<P>): void;
}

/** The state of a part that one item decides about. */
export function stateByBase({ derived, items }: Seen): State {
  return { revision: revisionOf(derived), base: items[0] === undefined ? '' : hashOfText(imageText(items[0])) };
}

/** An item's image as a text; empty if the item is absent. */
export function imageText(item: Item | undefined): string {
  return item === undefined ? '' : canonicalText({ M: item });
}

/** A hash that represents a text of any length. */
export function hashOfText(text: string): string {
  return hash('sha256', text, 'base64');
}
