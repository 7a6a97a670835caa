import { canonicalText, type Item, stringOf } from '../items/attribute-value.ts';
import { ATTRIBUTES, COPIES, EDGE_SET, EVICTED, MODEL } from '../items/derived-item.ts';
import { parseNodeId, typePrefix } from '../items/keys.ts';
import { evictedTypes } from '../items/stored-view.ts';
import type { CompiledModel, ViewShape } from '../model/compiled.ts';
import { listedEdges } from '../model/edge-sets.ts';
import { attributes } from './attributes.ts';
import { copy } from './copy.ts';
import { element, garbage } from './element.ts';
import { oddities } from './form.ts';
import { edgesOfType, type ItemKind, origin } from './kind.ts';
import { mark } from './mark.ts';
import type { Part, PartKind } from './part.ts';

/**
 * A view with another shape than its type's. Readers read base items instead, which is right but costs more. The next
 * writer that reads the view rebuilds it, and so does a repair.
 */
const shape: PartKind<Extract<Part, { kind: 'shape' }>> = {
  isUnobserved: true,
  isContent: false,
  isMaintenance: () => true,
  decidingKeys: () => [],
  compare({ graph }, { suspect: { source }, derived }) {
    if (!hasOtherShape(graph, source, derived)) return { expected: null, stored: null };
    const stored = derived![MODEL];
    return {
      expected: `a view of the shape ${shapeOf(graph, source)!.stamp}`,
      stored: `a view of another shape: ${stored === undefined ? 'no stamp' : canonicalText(stored)}`,
    };
  },
};

/** What can be wrong in a view. One write repairs it all. */
export const VIEW_PARTS = { element, garbage, attributes, copy, mark, shape };

export function hasOtherShape(graph: CompiledModel, source: string, item: Item | undefined): boolean {
  return view.isLive(item) && isOfOtherShape(graph, source, item);
}

/** A node's view: its edge set, its projected attributes, and copies of other nodes. */
export const view: ItemKind<'view'> = {
  name: 'view',
  lifetime: { of: 'shape' },
  decidedBy: 'partition',
  hasBase: false,
  attributes: new Map([
    [EDGE_SET, 'any'],
    [ATTRIBUTES, 'M'],
    [COPIES, 'any'],
    [EVICTED, 'SS'],
    [MODEL, 'any'],
  ]),
  hasTombstones: true,
  isLive(item: Item | undefined): boolean {
    if (item === undefined) return false;
    const holds = [ATTRIBUTES, EDGE_SET, COPIES].some((name) => item[name] !== undefined);
    return holds || evictedTypes(item).size > 0;
  },
  oddities: (context, item) => oddities(view, context, item),
  addTo: (content, _sortKey, item) => content.addView(item),
  originsOf(graph, { source }) {
    const type = typePrefix(source) ?? '';
    return [
      origin({ source, target: source }, `nodes.${type}.view`, "The node's attributes, as its view projects them."),
      ...listedEdges(graph, type).map((edge) =>
        origin({ source, target: edgesOfType(edge.type) }, `edges.${edge.type}.edgeSet`, 'An element for each edge.'),
      ),
    ];
  },
};

/**
 * A type whose views were dropped has none, even if other projections of its nodes remain. Without a registry the model
 * decides.
 */
export function keepsViews(model: CompiledModel, type: string): boolean {
  return model.shapes === undefined ? model.nodes.get(type)?.hasView !== false : model.shapes.has(type);
}

/** Undefined if the table has no registry. */
export function shapeOf(model: CompiledModel, source: string): ViewShape | undefined {
  return model.shapes?.get(parseNodeId(source)?.type ?? '');
}

/**
 * Whether a view has to be rebuilt from base items: its stamp names an outdated shape, or it is missing while not every
 * node has a view yet. Never for a type without a shape.
 */
export function isOfOtherShape(graph: CompiledModel, source: string, view: Item | undefined): boolean {
  const shape = shapeOf(graph, source);
  if (shape === undefined) return false;
  // rule: views-of-another-shape-are-made-whole
  // rule: missing-view-is-made-whole-until-the-shape-is-ready
  return view === undefined ? !shape.ready : stringOf(view[MODEL]) !== shape.stamp;
}
