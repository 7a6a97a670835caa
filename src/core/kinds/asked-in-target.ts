import type { Item } from '../items/attribute-value.ts';
import type { DerivedSortKey } from '../items/keys.ts';
import type { CountModel, EdgeModel } from '../model/compiled.ts';
import type { Subject } from './parts/subject.ts';

/** How edges ask for an item of a kind in the partitions of their targets. */
export interface AskedInTarget {
  /** Whether the edges of a type ask for one. */
  isAskedBy(edge: EdgeModel): boolean;
  /** The sort key of the item of the edge from a node. */
  keyOf(edge: EdgeModel, source: string): DerivedSortKey;
  /** The fields of the item of the edge from a node. */
  fieldsOf(edge: EdgeModel, source: string, subject: Subject): Item;
  /** The total that adds the item up. Default: none, and the item belongs to the view of the edge's source. */
  totalOf?(edge: EdgeModel): CountModel;
}
