import type { Item } from '../items/attribute-value.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import type { SourceNode } from '../model/joined.ts';
import type { Derived, DerivedImage } from './derived.ts';
import { ItemPlanner, NOTHING } from './item-planner.ts';
import type { Share } from './parts/joined-items.ts';
import type { Problem } from './parts/subject.ts';

export type { Problem } from './parts/subject.ts';

/**
 * The planner: what one base item wants derived from it. Stream, check, repair and `waitForProjection` share it.
 *
 * It is a total function of the image: a part that cannot be derived (an attribute of the wrong type, a key that is too
 * long) is wanted absent and reported as a problem. So a bad image never hides the good parts beside it, and a record
 * that mends it finds the same old state whatever happened before.
 */

/**
 * Derives everything that a base item image wants; an undefined image (the item is absent) wants nothing. Of further models
 * that are kept beside this one only the index items are wanted: a node has one view.
 *
 * @param node of an edge its source node. Without it the index items are left out that it decides with the edge: there may be
 *   such where `needsSource` says so.
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
    const planner = new ItemPlanner(layer, source).turnTo(sortKey);
    const derived = planner.derive(image);
    return node === undefined ? derived : planner.join(derived, node);
  };
  if (graph.further === undefined) return withItemsByKey(deriveIn(graph));
  const layers = layersOf(graph).map(deriveIn);
  const all = layers.map(withItemsByKey);
  return {
    ...all[0]!,
    indexItems: new Map(all.flatMap(({ indexItems }) => [...indexItems])),
    problems: problemsOf(layers),
    ...(node !== undefined && { joint: layers.flatMap(({ joint = [] }) => joint) }),
  };
}

/** What an edge gives to the index items that its source node decides too, in each of the models; absent where it gives nothing. */
export type JoinedShares = readonly (readonly Share[] | undefined)[];

/** All that has to be kept of an edge's image until its source node is known. */
export function joinedShares(graph: CompiledModel, source: string, sortKey: string, image: Item): JoinedShares {
  return layersOf(graph).map((layer) => new ItemPlanner(layer, source).turnTo(sortKey).derive(image).shares);
}

/** The index items that an edge and its source node want together, and what is wrong with the two together. */
export function derivedOfShares(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  shares: JoinedShares,
  node: SourceNode,
): Pick<Derived, 'indexItems' | 'problems'> {
  const layers = layersOf(graph).map((layer, i) =>
    new ItemPlanner(layer, source).turnTo(sortKey).join({ ...NOTHING, shares: shares[i] }, node),
  );
  const indexItems = new Map(layers.flatMap((layer) => [...withItemsByKey(layer).indexItems]));
  return { indexItems, problems: problemsOf(layers) };
}

/** What several models could not derive of one image. */
export function problemsOf(layers: readonly Pick<Derived, 'problems'>[]): readonly Problem[] {
  if (layers.length === 1) return layers[0]!.problems;
  // Two models may fail over the same attribute, with the same words.
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
