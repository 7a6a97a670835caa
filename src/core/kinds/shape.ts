import { type Item, stringOf } from '../items/attribute-value.ts';
import { MODEL } from '../items/derived-item.ts';
import { parseNodeId } from '../items/keys.ts';
import type { CompiledModel, ViewShape } from '../model/compiled.ts';
import type { ShapeCondition } from '../store-port.ts';

/** Shapes of views: the definition that a view was made with. If the table has a registry, the view's stamp names it. */

/** The current shape of views of a node's type; undefined if the table has no registry. */
export function shapeOf({ shapes }: CompiledModel, source: string): ViewShape | undefined {
  return shapes?.get(parseNodeId(source)?.type ?? '');
}

/**
 * Whether a view cannot be added to, so that it is rebuilt from the base items. This is the case if its stamp names another shape than
 * its type has now, or if it is missing while not every node has a view yet. A type without a shape has no such view.
 */
export function isOfOtherShape(graph: CompiledModel, source: string, view: Item | undefined): boolean {
  const shape = shapeOf(graph, source);
  if (shape === undefined) return false;
  // rule: views-of-another-shape-are-made-whole
  // rule: missing-view-is-made-whole-until-the-shape-is-ready
  return view === undefined ? !shape.ready : stringOf(view[MODEL]) !== shape.stamp;
}

/** The condition of the fast path on the view that it adds to. */
export function shapeCondition(shape: ViewShape | undefined): ShapeCondition | undefined {
  // rule: fast-path-adds-to-views-of-the-shape
  // rule: fast-path-begins-no-view-until-the-shape-is-ready
  return shape && { stamp: shape.stamp, mayBeMissing: shape.ready };
}
