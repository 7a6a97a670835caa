import type { AttributeType, Item } from '../items/attribute-value.ts';
import type { DerivedKey, DerivedKind, KindInTarget } from '../items/derived-key.ts';
import type { DerivedSortKey } from '../items/keys.ts';
import type { Amounts } from '../items/ledger.ts';
import type { CompiledModel, CountModel, EdgeModel } from '../model/compiled.ts';
import type { IndexPlace } from '../model/projection/index-places.ts';
import type { ItemKey } from '../store-port.ts';
import type { Difference, Judging, Suspect } from './difference.ts';
import type { Subject } from './parts/subject.ts';

/**
 * This folder defines the kinds of derived items, and `all-kinds.ts` lists them. `trust/repair/repairs.ts` defines how
 * items of each kind are repaired.
 */

export type KeyOf<Kind extends DerivedKind> = Extract<DerivedKey, { kind: Kind }>;

/** A generation of a projection that readers find through an index, or of a part's views. */
export type ProjectionPlace = IndexPlace | { of: 'part'; type: string; part: string; generation: number };

export type Lifetime<Kind extends DerivedKind = DerivedKind> =
  /** A node type has one current shape. An item's stamp names the shape that the item has. */
  | { of: 'shape' }
  /** Each generation has its own items, and the key names the generation. */
  | {
      of: 'generation';
      projectionOf(source: string, key: KeyOf<Kind>, item: Item): ProjectionPlace | undefined;
    }
  /** Items without generations are in use as long as something needs them. */
  | {
      of: 'need';
      /** Names the shapes or projections that need the items of an edge type. */
      neededBy(graph: CompiledModel, edgeType: string): readonly string[];
    }
  /** The registry doesn't track such items. */
  | { of: 'nothing' };

export interface PartitionContent {
  addView(view: Item): void;
  addActualIndexItem(sortKey: string, item: Item): void;
  /** `count` is undefined if the stored count isn't sound: see `soundAmounts`. */
  addCount(name: string, count: Amounts | undefined): void;
  /** Adds an item that this partition's count includes, but that an edge in another partition determines. */
  addCountedItem(item: Item): void;
  addQuarantined(target: string, reason: string): void;
}

export interface Origin extends ItemKey {
  /** The path in the model that asks for the item, such as `edges.GOALMEMBERSHIP.degree`. */
  name: string;
  state: 'right' | 'quarantined';
  reason: string;
}

export interface ItemForm {
  /** Allowed attributes and their types, besides keys, revision and expiry. `any` allows every type. */
  attributes: ReadonlyMap<string, AttributeType | 'any'>;
  /** Tells whether an item may have a further attribute. Default: no. */
  canHave?(attribute: string): boolean;
  /** True if an item becomes an expiring tombstone when no base item asks for it. */
  hasTombstones: boolean;
  /** False for an item without content, which is a tombstone or should be one. */
  isLive(item: Item | undefined): boolean;
}

export interface ItemKind<Kind extends DerivedKind = DerivedKind> extends ItemForm {
  name: DerivedKind;
  lifetime: Lifetime<Kind>;
  /**
   * A scan compares items of `partition` when it has read the partition, and for `edge-elsewhere`, it looks up an edge
   * in another partition. For `time` (continuations), only time shows whether an item is faulty. Items of `nothing`
   * (quarantine entries) aren't compared.
   */
  decidedBy: 'partition' | 'edge-elsewhere' | 'time' | 'nothing';
  /** True if a single base item determines the item, so that redrive and migration reconcile the item with it. */
  hasBase: boolean;
  /** Tells whether the model maintains such items for the key's edge type. Default: always. */
  isKept?(graph: CompiledModel, key: KeyOf<Kind>, sortKey: string): boolean;
  /** Returns the faults that don't depend on base items. */
  faults(graph: CompiledModel, item: Item): readonly Difference[];
  /** Returns the keys of items that determine a suspect, besides a base item. Default: none. */
  keysBeside?(graph: CompiledModel, suspect: Suspect, base: ItemKey): ItemKey[];
  /** Compares an item with all items that determine it. Default: returns its faults. */
  differences?(judging: Judging): readonly Difference[] | Promise<readonly Difference[]>;
  /** Default: adds nothing. */
  addTo?(content: PartitionContent, sortKey: string, item: Item): void;
  originsOf(graph: CompiledModel, place: ItemKey, key: KeyOf<Kind>, item: Item): readonly Origin[];
}

export interface KindOfTarget<Kind extends KindInTarget = KindInTarget> extends ItemKind<Kind> {
  lineOf(edge: EdgeModel): string;
  isAskedBy(edge: EdgeModel): boolean;
  keyOf(edge: EdgeModel, source: string): DerivedSortKey;
  fieldsOf(edge: EdgeModel, source: string, subject: Subject): Item;
  /** Returns the total that includes the item. Default: none; the item then serves the view of the edge's source. */
  totalOf?(edge: EdgeModel): CountModel;
  /** Returns the edge that the item names; undefined if it names none or the edge can't exist. */
  edgeOf(graph: CompiledModel, key: ItemKey, item: Item | undefined): ItemKey | undefined;
}

export type SharedKind = Omit<ItemKind, 'name' | 'lifetime' | 'isKept' | 'originsOf'>;

/** Replaces an id in an origin that stands for many items. */
export const MANY = '…';

export function placeholderOfEdges(edgeType: string): string {
  return `${edgeType}-${MANY}`;
}

export function origin(base: ItemKey, name: string, reason: string): Origin {
  return { ...base, name, state: 'right', reason };
}
