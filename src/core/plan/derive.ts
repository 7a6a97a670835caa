import type { Item } from '../items/attribute-value.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import type { SourceNode } from '../model/joined.ts';
import type { Derived, DerivedImage } from './derived.ts';
import { ItemPlanner, NOTHING } from './item-planner.ts';
import type { Share } from './parts/joined-items.ts';
import type { Problem } from './parts/subject.ts';

export type { Problem } from './parts/subject.ts';

/**
 * The planner: derives from one base item what it asks for. Stream, check, repair and `waitForProjection` share it.
 *
 * It is a total function of the image. A part that cannot be derived (an attribute of the wrong type, a key that is too long) is
 * expected to be absent, and is reported as a problem. So a bad image never hides its good parts, and a record that corrects it
 * starts from the same old state whatever happened before.
 */

/**
 * Derives everything that a base item image asks for; an undefined image (the item is absent) asks for nothing. Further models that
 * are maintained next to this one add only index items: a node has one view.
 *
 * @param node the source node of an edge. Without it, index items that the node decides together with the edge are left out;
 * `needsSource` says whether there may be any.
 */
export function derivedOf(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  image: Item | undefined,
  node?: SourceNode,
): Derived {
  if (image === undefined) return withItemsByKey(NOTHING);
  const deriveIn = (layer: CompiledModel): DerivedImage => {
    const planner = new ItemPlanner(layer, layer !== graph).selectBaseItem(source, sortKey);
    const derived = planner.derive(image);
    return node === undefined ? derived : planner.addJoinedItems(derived, node);
  };
  if (graph.further === undefined) return withItemsByKey(deriveIn(graph));
  const layers = layersOf(graph).map(deriveIn);
  const all = layers.map(withItemsByKey);
  const inTarget = all.flatMap((derived) => derived.inTarget ?? []);
  return {
    ...all[0]!,
    ...(inTarget.length > 0 && { inTarget }),
    indexItems: new Map(all.flatMap(({ indexItems }) => [...indexItems])),
    problems: problemsOf(layers),
    ...(node !== undefined && { joint: layers.flatMap(({ joint = [] }) => joint) }),
  };
}

/** The parts of a base item's image that cannot be derived: the problems of `derivedOf`, and nothing else of it. */
export function problemsOfImage(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  image: Item,
): readonly Problem[] {
  return problemsOf(
    layersOf(graph).map((layer) => new ItemPlanner(layer).selectBaseItem(source, sortKey).derive(image)),
  );
}

/** For each model, the list of shares that an edge gives to its joined index items; undefined for a model in which it gives none. */
export type JoinedShares = readonly (readonly Share[] | undefined)[];

/** Returns the part of an edge's image that is needed once its source node is known. */
export function joinedShares(graph: CompiledModel, source: string, sortKey: string, image: Item): JoinedShares {
  return layersOf(graph).map((layer) => new ItemPlanner(layer).selectBaseItem(source, sortKey).derive(image).shares);
}

/** The index items that an edge and its source node determine together, and the problems of the two together. */
export function derivedOfShares(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  shares: JoinedShares,
  node: SourceNode,
): Pick<Derived, 'indexItems' | 'problems'> {
  const layers = layersOf(graph).map((layer, i) =>
    new ItemPlanner(layer).selectBaseItem(source, sortKey).addJoinedItems({ ...NOTHING, shares: shares[i] }, node),
  );
  const indexItems = new Map(layers.flatMap((layer) => [...withItemsByKey(layer).indexItems]));
  return { indexItems, problems: problemsOf(layers) };
}

/** The problems that several models have with one image. Problems with the same message are one problem. */
export function problemsOf(layers: readonly Pick<Derived, 'problems'>[]): readonly Problem[] {
  if (layers.length === 1) return layers[0]!.problems;
  // Two models may fail on the same attribute with the same message.
  return [...new Map(layers.flatMap(({ problems }) => problems).map((problem) => [problem.message, problem])).values()];
}

function withItemsByKey(image: DerivedImage): Derived {
  const { keys, fields, places: _, shares: _shares, settleBefore: _settleBefore, ...derived } = image;
  const indexItems = new Map<string, Item>();
  for (const [i, key] of keys.entries()) {
    const item = fields[i];
    if (item !== undefined) indexItems.set(key, item);
  }
  return { ...derived, indexItems };
}
