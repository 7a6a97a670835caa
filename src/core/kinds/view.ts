import { canonicalText, type Item, stringOf } from '../items/attribute-value.ts';
import { ATTRIBUTES, COPIES, EDGE_SET, EVICTED, MODEL } from '../items/derived-item.ts';
import { parseNodeId, typePrefix } from '../items/keys.ts';
import { elementsByEdge, evictedTypes, isEdgeSetMalformed, viewAttributes } from '../items/stored-view.ts';
import type { CompiledModel, ViewShape } from '../model/compiled.ts';
import { listedEdges } from '../model/compiled.ts';
import type { ItemKey } from '../store-port.ts';
import { copyDifference, copySlots, keysOfCopy, storedCopyText } from './copy.ts';
import { type Difference, digestOfImages, type Judging } from './difference.ts';
import { elementDifference, garbageElements } from './element.ts';
import { faultsOfForm } from './form.ts';
import { type ItemKind, origin, placeholderOfEdges } from './kind.ts';
import { markText, returningTypes } from './returning.ts';

export function hasOtherShape(graph: CompiledModel, source: string, item: Item | undefined): boolean {
  return view.isLive(item) && isOfOtherShape(graph, source, item);
}

/** A node's view: its edge set, its projected attributes, and attributes copied from other nodes. */
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
  keysBeside: (graph, _suspect, { target }) => keysOfCopy(graph, target),
  faults: (graph, item) => faultsOfForm(view, graph, item),
  differences,
  addTo: (content, _sortKey, item) => content.addView(item),
  originsOf(graph, { source }) {
    const type = typePrefix(source) ?? '';
    return [
      origin({ source, target: source }, `nodes.${type}.view`, "The node's attributes, as its view projects them."),
      ...listedEdges(graph, type).map((edge) =>
        origin(
          { source, target: placeholderOfEdges(edge.type) },
          `edges.${edge.type}.edgeSet`,
          'An element for each edge.',
        ),
      ),
    ];
  },
};

/**
 * If a registry gives shapes, they decide: a migration may drop a type's views and keep other projections of its nodes.
 */
export function keepsViews(model: CompiledModel, type: string): boolean {
  return model.shapes === undefined ? model.nodes.get(type)?.hasView !== false : model.shapes.has(type);
}

/** Returns undefined if the type keeps no views or the table has no registry. */
export function shapeOf(model: CompiledModel, source: string): ViewShape | undefined {
  return model.shapes?.get(parseNodeId(source)?.type ?? '');
}

/**
 * Tells whether a view must be rebuilt from base items: its stamp names another shape, or it is missing although not
 * every node has a view yet. Always false for a type without a shape.
 */
export function isOfOtherShape(graph: CompiledModel, source: string, view: Item | undefined): boolean {
  const shape = shapeOf(graph, source);
  if (shape === undefined) return false;
  // rule: views-of-another-shape-are-made-whole
  // rule: missing-view-is-made-whole-until-the-shape-is-ready
  return view === undefined ? !shape.ready : stringOf(view[MODEL]) !== shape.stamp;
}

export function attributesText(projected: Item | undefined): string | undefined {
  return projected && canonicalText({ M: projected });
}

async function differences(judging: Judging): Promise<readonly Difference[]> {
  const { graph, suspect, was } = judging;
  const { source, bases = [] } = suspect;
  // rule: view-of-another-shape-is-left-alone
  if (hasOtherShape(graph, source, was)) return bases.length > 0 ? [] : [shapeDifference(graph, source, was!)];
  const ofForm = was === undefined || bases.length > 0 ? [] : faultsOfView(graph, was);
  return [...ofForm, ...differencesOfShares(judging), ...(await returningTypes(judging))];
}

function differencesOfShares({ graph, suspect: { source, bases = [] }, was, decided }: Judging): Difference[] {
  const elements = elementsByEdge(was);
  const evicted = evictedTypes(was);
  return bases.flatMap((base) => {
    const { target } = base;
    if (target === source) return attributesDifference(was, base, decided);
    const isEvicted = evicted.has(typePrefix(target) ?? '');
    return [
      ...elementDifference({ elements, isEvicted }, base, decided),
      ...copyDifference(graph, { view: was, elements }, base, decided),
    ];
  });
}

export function faultsOfView(graph: CompiledModel, item: Item): readonly Difference[] {
  const faults = [...faultsOfForm(view, graph, item)];
  const set = 'a set that is no string set';
  if (isEdgeSetMalformed(item)) faults.push({ kind: 'set', expected: null, stored: set });
  for (const stored of garbageElements(item)) faults.push({ kind: 'element', about: stored, expected: null, stored });
  for (const { edge, parent } of copySlots(graph, item)) {
    if (parent === undefined)
      faults.push({ kind: 'copy', about: edge, expected: null, stored: storedCopyText(item, edge)! });
  }
  for (const about of leftoverMarks(graph, item))
    faults.push({ kind: 'mark', about, expected: null, stored: markText(about) });
  return faults;
}

export function leftoverMarks(graph: CompiledModel, view: Item | undefined): string[] {
  return [...evictedTypes(view)].filter((type) => graph.edges.get(type)?.labels === undefined);
}

function shapeDifference(graph: CompiledModel, source: string, { [MODEL]: stamp }: Item): Difference {
  return {
    kind: 'shape',
    expected: `a view of the shape ${shapeOf(graph, source)!.stamp}`,
    stored: `a view of another shape: ${stamp === undefined ? 'no stamp' : canonicalText(stamp)}`,
  };
}

function attributesDifference(was: Item | undefined, base: ItemKey, decided: Judging['decided']): Difference[] {
  const expected = attributesText(decided.derivedOf(base).attributes) ?? null;
  const stored = attributesText(viewAttributes(was)) ?? null;
  if (expected === stored) return [];
  return [{ kind: 'attributes', expected, stored, base: digestOfImages([decided.imageOf(base)]) }];
}
