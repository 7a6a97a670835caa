import type { Item } from '../items/attribute-value.ts';
import type { DerivedKey, DerivedKind, KindInTarget } from '../items/derived-key.ts';
import type { DerivedSortKey } from '../items/keys.ts';
import type { Amounts } from '../items/ledger.ts';
import type { CompiledModel, CountModel, EdgeModel } from '../model/compiled.ts';
import type { IndexPlace } from '../model/projection/index-places.ts';
import type { ItemKey } from '../store-port.ts';
import type { ItemForm, Part } from './part.ts';
import type { Subject } from './parts/subject.ts';

/**
 * The description of a kind of derived item. Each kind has a file in this folder, and `table.ts` lists them all. Whoever works with
 * derived items asks the kind; nobody else tells kinds apart. `trust/repair/repairs.ts` has the other half: how an item of a kind is reconciled.
 */

/** The parts of the keys of one kind. */
export type KeyOf<Kind extends DerivedKind> = Extract<DerivedKey, { kind: Kind }>;

/** A generation of a projection: one that readers find through an index, or the views of a part. */
export type ProjectionPlace = IndexPlace | { of: 'part'; type: string; part: string; generation: number };

/** The thing that decides how long items of a kind are in use. */
export type Lifetime<Kind extends DerivedKind = DerivedKind> =
  /** The items of a node type have one shape at a time, which the item's stamp names. */
  | { of: 'shape' }
  /** Each generation of a projection has items of its own, and the key names the generation. */
  | {
      of: 'generation';
      /** Returns the projection that makes the item; undefined if neither the key nor the item tells. */
      projectionOf(source: string, key: KeyOf<Kind>, item: Item): ProjectionPlace | undefined;
    }
  /** The items have no generations. They are in use as long as something needs them. */
  | {
      of: 'need';
      /** Returns names of what needs such items of an edge type. They change whenever another thing needs them. */
      neededBy(graph: CompiledModel, edgeType: string): readonly string[];
    }
  /** The registry knows nothing about such items. */
  | { of: 'nothing' };

/** The actual content of one partition, as a comparison collects it from the derived items that the table holds. */
export interface PartitionContent {
  addView(view: Item): void;
  /** Adds an index item that the table holds, to be compared with the fields that a base item of the partition asks for. */
  addActualIndexItem(sortKey: string, item: Item): void;
  /** Adds the numbers in a count; undefined if one is malformed. */
  addCount(name: string, count: Amounts | undefined): void;
  /** Adds an item that a count of the partition counts, if an edge elsewhere decides about its fields. */
  addCountedItem(item: Item): void;
  /** Adds a base item that could not be projected, by its sort key. */
  addQuarantined(target: string, reason: string): void;
}

/** A base item that a derived item comes from. */
export interface Origin extends ItemKey {
  /** The line of the model that asks for it, such as `edges.GOALMEMBERSHIP.degree`. */
  name: string;
  state: 'right' | 'quarantined';
  /** One sentence. */
  reason: string;
}

/** A kind of derived item. */
export interface ItemKind<Kind extends DerivedKind = DerivedKind> extends ItemForm {
  name: DerivedKind;
  lifetime: Lifetime<Kind>;
  /**
   * Decides what the item should be: the base items of its own partition, an edge of another partition, only time, or nothing. A
   * scan compares items of the kind `partition` while it reads the partition; it looks up the others.
   */
  decidedBy: 'partition' | 'edge-elsewhere' | 'time' | 'nothing';
  /** True if one base item asks for it, so that a redrive and a migration reconcile it with that item. */
  hasBase: boolean;
  /** Tells whether the model maintains such items for the edge type in the key. Default: always. */
  isKept?(graph: CompiledModel, key: KeyOf<Kind>, sortKey: string): boolean;
  /** Returns the parts of an item that are wrong whatever its base items say. */
  oddities(graph: CompiledModel, item: Item): readonly Part[];
  /** Adds an item to the content of its partition. Default: nothing. */
  addTo?(content: PartitionContent, sortKey: string, item: Item): void;
  /** Returns the base items that an item comes from, for people. */
  originsOf(graph: CompiledModel, place: ItemKey, key: KeyOf<Kind>, item: Item): readonly Origin[];
}

/** A kind of items that edges have in the partitions of their targets. */
export interface KindOfTarget<Kind extends KindInTarget = KindInTarget> extends ItemKind<Kind> {
  /** The option that asks for the item, below the line of the edge type in the model, for people. */
  askedBy: string;
  /** Tells whether the edges of a type ask for one. */
  isAskedBy(edge: EdgeModel): boolean;
  /** The sort key of the item of the edge from a node. */
  keyOf(edge: EdgeModel, source: string): DerivedSortKey;
  /** The fields of the item of the edge from a node. */
  fieldsOf(edge: EdgeModel, source: string, subject: Subject): Item;
  /** The total that adds the item up. Default: none, and the item belongs to the view of the edge's source. */
  totalOf?(edge: EdgeModel): CountModel;
  /** Returns the key of the edge that an item names; undefined if it names none, or if no such edge can exist. */
  edgeOf(graph: CompiledModel, key: ItemKey, item: Item | undefined): ItemKey | undefined;
}

/** The description that kinds with items of the same content share. */
export type SharedKind = Omit<ItemKind, 'name' | 'lifetime' | 'isKept' | 'originsOf'>;

/** Stands for many items where an origin names no single one. */
export const MANY = '…';

/** The sort keys of all edges of a type, as an origin names them. */
export function edgesOfType(edgeType: string): string {
  return `${edgeType}-${MANY}`;
}

/** An origin in which nothing is wrong. */
export function origin(base: ItemKey, name: string, reason: string): Origin {
  return { ...base, name, state: 'right', reason };
}
