import { type Item, stringOf } from '../items/attribute-value.ts';
import { MODEL } from '../items/derived-item.ts';
import { parseNodeId } from '../items/keys.ts';
import type { CompiledModel, ViewShape } from '../model/compiled.ts';
import type { ShapeCondition } from '../store/port.ts';

/** Shapes of views: which definition a view was made by. Its stamp says so where the table has a registry. */

/** What the views of a node's type are at the moment; undefined where the table has no registry. */
export function shapeOf({ shapes }: CompiledModel, source: string): ViewShape | undefined {
  return shapes?.get(parseNodeId(source)?.type ?? '');
}

/**
 * Whether nothing can be added to a view: it is of another shape than views of its type are, or it is missing and not every
 * node has one yet. Then all of it is made anew from the base items.
 */
export function isOfOtherShape(graph: CompiledModel, source: string, view: Item | undefined): boolean {
  const shape = shapeOf(graph, source);
  if (shape === undefined) return false;
  // rule: views-of-another-shape-are-made-whole
  // rule: missing-view-is-made-whole-until-the-shape-is-ready
  return view === undefined ? !shape.ready : stringOf(view[MODEL]) !== shape.stamp;
}

/** What the fast path asks of the view that it adds to. */
export function conditionOf(shape: ViewShape | undefined): ShapeCondition | undefined {
  // rule: fast-path-adds-to-views-of-the-shape
  // rule: fast-path-begins-no-view-until-the-shape-is-ready
  return shape && { stamp: shape.stamp, mayBeMissing: shape.ready };
}
