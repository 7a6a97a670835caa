import { hash } from 'node:crypto';
import { type AttributeType, canonicalText, type Item } from '../../items/attribute-value.ts';
import { revisionOf } from '../../items/derived-item.ts';
import type { DerivedKey, DerivedKind } from '../../items/derived-key.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import type { ItemKey, Store } from '../../store/port.ts';
import type { StreamLabel } from '../../stream/stream-label.ts';
import type { SettleContext } from '../settle/context.ts';

/**
 * What check and repair have to know of a kind of derived item, and of a part of one that can be wrong by itself. The files
 * beside this one say it, one for each; `repair/kinds.ts` is the table of them.
 */

/** Which part of a derived item may be wrong, and what decides about it. */
export type Part =
  /** The fields of an index item; `target`: sort key of the base item that would want them, where there is one. */
  | { kind: 'index-item'; target: string | undefined }
  /** The elements of one edge in a view; `target`: the edge's sort key. */
  | { kind: 'element'; target: string }
  /** An element of a view that names no edge, or `NO_SET`. */
  | { kind: 'garbage'; element: string }
  /** A node's attributes in its view. */
  | { kind: 'attributes' }
  /** The mark of an evicted edge type. */
  | { kind: 'mark'; edgeType: string }
  /** All of a view: it is of another shape than the views of its type, so readers do not use it. */
  | { kind: 'shape' }
  /** What a view holds of an edge's target; `target`: the edge's sort key, or the name that stands in its place. */
  | { kind: 'copy'; target: string }
  /** The fields of an edge's reverse item; `base`: the edge, undefined where nothing tells it. */
  | { kind: 'reverse-item'; base: ItemKey | undefined }
  /** A continuation that has not come to its end. */
  | { kind: 'continuation' }
  /** The count of edges of a type. */
  | { kind: 'count' }
  | { kind: 'watermark' }
  /** The expiry of an item that is no tombstone: TTL would delete what readers need. */
  | { kind: 'expiry' }
  /** Attributes that the item's kind does not have, or a revision that is no number. */
  | { kind: 'form' }
  /** A derived sort key of no kind that the model keeps. */
  | { kind: 'unknown-item' }
  /** An item of a generation, or a shape, that the registry has retired. */
  | { kind: 'retired' }
  /** An item in an index partition of a registered projection that does not make its key. */
  | { kind: 'misplaced' }
  /** An item of a generation, or a projection, that the registry does not know. */
  | { kind: 'unregistered' };

/** A derived item, or a part of one, that may be wrong. */
export interface Suspect<P extends Part = Part> {
  source: string;
  /** Sort key of the derived item. */
  sortKey: string;
  part: P;
}

/** What looking at a suspect needs. */
export interface ObserveContext {
  graph: CompiledModel;
  store: Pick<Store, 'getMany' | 'query'>;
  stream: StreamLabel;
}

/** A suspect's derived item, and the items that decide about it, read after it. */
export interface Seen<P extends Part = Part> {
  suspect: Suspect<P>;
  kind: ItemKind;
  derived: Item | undefined;
  /** Of the items that decide, as `decidingKeys` has them. */
  keys: readonly ItemKey[];
  items: readonly (Item | undefined)[];
}

/** What is wanted and what is stored, as texts that are equal exactly where nothing is wrong; null: nothing. */
export interface Compared {
  wanted: string | null;
  stored: string | null;
}

/** What tells that something has changed between two looks. */
export interface State {
  /** Revision of the derived item; undefined where it has none. Of a copy, with that of the fan-out that comes to it. */
  revision: string | undefined;
  /** A hash of what decides, to tell whether it has changed. */
  base: string;
  /** Where a fan-out is that would mend it and has not come to its end; undefined: there is none. */
  fanOut?: string;
}

/** What one write of a view mends. */
export interface ViewRepair {
  /** Base items whose part in the view is settled. */
  targets: Set<string>;
  /** Edge types that come back into the set. */
  unmark: Set<string>;
  /** Elements that name no edge. */
  drop: string[];
}

/** A part of a derived item that can be wrong by itself. */
export interface PartKind<P extends Part = Part> {
  /** Whether base items decide about it; a watermark and an expiry are wrong whatever they say. */
  isContent: boolean;
  /** Whether what differs is only due to be done, though no write went wrong. Default: no. */
  isMaintenance?(graph: CompiledModel, part: P): boolean;
  /** Whether nothing tells how to mend it: it is only reported. Default: no. */
  isBeyondRepair?: boolean;
  /** The keys of the items that decide about it: they are read after the derived item. */
  decidingKeys(
    context: ObserveContext,
    suspect: Suspect<P>,
    derived: Item | undefined,
  ): readonly ItemKey[] | Promise<readonly ItemKey[]>;
  /** Compares what is stored with what is wanted. */
  compare(context: ObserveContext, seen: Seen<P>): Compared | Promise<Compared>;
  /** What tells that something has changed. Default: the revision, and the first of the items that decide. */
  state?(seen: Seen<P>): State;
  /** Of a part of a view: what the write that mends the view has to do about it. */
  mendInView?(repair: ViewRepair, graph: CompiledModel, suspect: Suspect<P>): void;
}

/** A kind of derived item. */
export interface ItemKind {
  name: DerivedKind;
  /**
   * What says how it should be: the base items of its own partition, those of others, or none. What its partition decides
   * is compared as the partition passes by, the rest is looked up.
   */
  decidedBy: 'partition' | 'other-partitions' | 'none';
  /**
   * The attributes that it can have besides its key, its revision and its expiry, with their types. `any` where what decides
   * about the item tells whether the value is right.
   */
  attributes: ReadonlyMap<string, AttributeType | 'any'>;
  /** Whether it becomes a tombstone where nothing is wanted, which time buries. */
  hasTombstones: boolean;
  /** Repair goes by this number, lowest first. */
  mendOrder: number;
  /** Whether the model has such items for the edge type that the key names. Default: always. */
  isKept?(graph: CompiledModel, key: DerivedKey): boolean;
  /** Whether an item holds anything; else it is a tombstone, or should be one. */
  isLive(item: Item | undefined): boolean;
  /** What is wrong with an item whatever base items say. */
  oddities(context: OddityContext, item: Item): readonly Part[];
  /** Makes an item what base items want now; gives whether it wrote. */
  mend(context: SettleContext, key: ItemKey, parts: readonly Part[]): Promise<boolean>;
}

/** What tells oddities. */
export interface OddityContext {
  graph: CompiledModel;
  /** Label of the table's stream; undefined where it is unknown. */
  streamLabel: string | undefined;
}

/** The state of a part about which one item decides. */
export function stateByBase({ derived, items }: Seen): State {
  return { revision: revisionOf(derived), base: items[0] === undefined ? '' : hashed(imageText(items[0])) };
}

/** An item's image as a text; empty where it is absent. */
export function imageText(item: Item | undefined): string {
  return item === undefined ? '' : canonicalText({ M: item });
}

/** A hash that stands for a text of any length. */
export function hashed(text: string): string {
  return hash('sha256', text, 'base64');
}
