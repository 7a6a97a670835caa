import type { Item } from '../items/attribute-value.ts';
import { VIEW_KEY } from '../items/keys.ts';
import type { Derived, DerivedImage } from '../kinds/derived.ts';
import { elementOfEdge, lineOfSet } from '../kinds/element.ts';
import { inboundItem } from '../kinds/parts/index-items.ts';
import { edgeShare, joinedItem, sourceShare } from '../kinds/parts/joined-items.ts';
import { Outcomes } from '../kinds/parts/outcomes.ts';
import { nodeSubject, type Problem, Subject, targetOf } from '../kinds/parts/subject.ts';
import { countedFields, lineOfCount } from '../kinds/parts/totals.ts';
import { classifyHashedEdge } from '../model/base-item.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import { deletionText, isGone } from '../model/gone.ts';
import type { SourceNode } from '../model/joined.ts';
import {
  type EdgePlan,
  emptyPlan,
  joinedKeys,
  type PlannedKey,
  plannedKey,
  planOfKey,
  plansOfSource,
  type TypePlan,
} from './type-plans.ts';

export type { Problem } from '../kinds/parts/subject.ts';

import { deriveNode, derivePart } from './derive-node.ts';

/**
 * The planner: derives from one base item what it asks for. Stream, check, repair and `waitForProjection` share it.
 *
 * It is a total function of the image. A part that cannot be derived (an attribute of the wrong type, a key that is too long) is
 * expected to be absent, and is reported as a problem. So a bad image never hides its good parts.
 */

const NONE: readonly never[] = [];
const NO_ITEMS: ReadonlyMap<string, Item> = new Map();

/** The result for an image that asks for nothing. */
const NOTHING: DerivedImage = { keys: NONE, fields: NONE, problems: NONE };

/**
 * Derives all that an image of a base item asks for in one model; an undefined image (the item is absent) asks for nothing.
 *
 * @param outcomes where to note what the image comes to in each line of the model; absent: nobody asks.
 */
export function derive(plan: TypePlan, key: PlannedKey, image: Item | undefined, outcomes?: Outcomes): DerivedImage {
  if (image === undefined) return NOTHING;
  if (isAbsent(plan, image)) {
    if (outcomes !== undefined) noteDeleted(plan, key, image, outcomes);
    return NOTHING;
  }
  return deriveLiving(plan, key, image, outcomes);
}

function deriveLiving(plan: TypePlan, key: PlannedKey, image: Item, outcomes: Outcomes | undefined): DerivedImage {
  switch (plan.kind) {
    case 'edge':
      return plan.isHashed ? deriveHashedEdge(plan, key, image, outcomes) : deriveEdge(plan, key, image, outcomes);
    case 'node':
      return deriveNode(plan, key, image, outcomes);
    case 'part':
      return derivePart(plan, key, image, outcomes);
    default:
      return plan.problems.length === 0 ? NOTHING : { ...NOTHING, problems: plan.problems };
  }
}

/** Tells whether an image of a base item is derived from as if there were none. */
function isAbsent(plan: TypePlan, image: Item): boolean {
  return isGone(deletionOf(plan), image);
}

function deletionOf(plan: TypePlan): Parameters<typeof isGone>[0] {
  return plan.kind === 'edge' ? plan.edge : plan.kind === 'node' ? plan.node : undefined;
}

/** Notes of each line that would ask for an item of an image that the image counts as deleted. */
function noteDeleted(plan: TypePlan, key: PlannedKey, image: Item, outcomes: Outcomes): void {
  const why = `${deletionText(deletionOf(plan), image)}: nothing is derived from it.`;
  const living = new Outcomes();
  deriveLiving(plan, key, image, living);
  for (const { line, sortKey } of living.all) outcomes.add(line, sortKey, why);
  if (plan.kind !== 'edge') return;
  for (const { item, orders } of plan.joinedItems)
    for (const { line } of orders) outcomes.add(line, item.inForce.places.key(key.sortKey), why);
}

/**
 * Derives everything that a base item image asks for; an undefined image (the item is absent) asks for nothing. Further models that
 * are maintained next to this one add only index items: a node has one view.
 *
 * @param node the source node of an edge. Without it, index items that the node decides together with the edge are left out;
 * `needsSource` says whether there may be any.
 * @param outcomes as of `derive`, in all models that are maintained.
 */
export function derivedOf(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  image: Item | undefined,
  node?: SourceNode,
  outcomes?: Outcomes,
): Derived {
  if (graph.further === undefined)
    return withItemsByKey(derivedIn(graph, false, source, sortKey, image, node, outcomes));
  const layers = layersOf(graph).map((layer) =>
    derivedIn(layer, layer !== graph, source, sortKey, image, node, outcomes),
  );
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
  return problemsOf(layersOf(graph).map((layer) => derivedIn(layer, false, source, sortKey, image)));
}

/** The problems that several models have with one image. Problems with the same message are one problem. */
export function problemsOf(layers: readonly Pick<Derived, 'problems'>[]): readonly Problem[] {
  if (layers.length === 1) return layers[0]!.problems;
  // Two models may fail on the same attribute with the same message.
  return [...new Map(layers.flatMap(({ problems }) => problems).map((problem) => [problem.message, problem])).values()];
}

function derivedIn(
  layer: CompiledModel,
  isFurther: boolean,
  source: string,
  sortKey: string,
  image: Item | undefined,
  node?: SourceNode,
  outcomes?: Outcomes,
): DerivedImage {
  const plan = planOfKey(plansOfSource(layer, source, isFurther), source, sortKey);
  const key = plannedKey(plan, source, sortKey);
  const derived = derive(plan, key, image, outcomes);
  return node === undefined ? derived : withJoinedItems(plan, key, derived, node, outcomes);
}

function withItemsByKey({ element, attributes, keys, fields, inTarget, problems, joint }: DerivedImage): Derived {
  const indexItems = keys.length === 0 ? NO_ITEMS : itemsByKey(keys, fields);
  return { element, attributes, indexItems, inTarget, problems, joint };
}

function itemsByKey(keys: DerivedImage['keys'], fields: DerivedImage['fields']): ReadonlyMap<string, Item> {
  const items = new Map<string, Item>();
  for (let i = 0; i < keys.length; i++) {
    const item = fields[i];
    if (item !== undefined) items.set(keys[i]!, item);
  }
  return items;
}

/** Adds the joined index items to the derived parts of an edge's image. */
function withJoinedItems(
  plan: TypePlan,
  { source, sortKey }: PlannedKey,
  derived: DerivedImage,
  { item: node }: SourceNode,
  outcomes: Outcomes | undefined,
): DerivedImage {
  const { shares } = derived;
  if (plan.kind !== 'edge' || shares === undefined) return derived;
  const subject = nodeSubject(plan.graph, source, node);
  const joint: Problem[] = [];
  const notes = { problems: joint, outcomes, hasNode: subject !== undefined };
  const items = plan.joinedItems.map((joined, i) => {
    // Problems of the node's attributes are not noted here: they are reported with the node.
    const both = { edge: shares[i]!, source: sourceShare(joined, subject) };
    return joinedItem(joined, source, sortKey, both, notes);
  });
  return {
    ...derived,
    keys: [...derived.keys, ...joinedKeys(plan, sortKey)],
    fields: [...derived.fields, ...items],
    problems: [...derived.problems, ...joint],
    joint,
  };
}

/** Derives all that an image of an edge with a hashed key asks for: the image names the target. */
function deriveHashedEdge(plan: EdgePlan, key: PlannedKey, image: Item, outcomes: Outcomes | undefined): DerivedImage {
  const told = classifyHashedEdge(plan.graph, plan.edge, { source: key.source, target: key.sortKey }, image);
  if (told.kind === 'edge') return deriveEdge(plan, { ...key, target: told.target }, image, outcomes);
  return derive(emptyPlan(told), key, image);
}

function deriveEdge(plan: EdgePlan, key: PlannedKey, image: Item, outcomes: Outcomes | undefined): DerivedImage {
  const { edge, labels, indexItems, joinedItems, countedPlace, inTargets } = plan;
  const { source, sortKey, indexKeys: keys } = key;
  const subject = new Subject(plan, key, image, outcomes);
  const element = labels && elementOfEdge(labels, key, subject);
  if (labels === undefined) outcomes?.add(lineOfSet(edge), VIEW_KEY, 'The model leaves this type out of the edge set.');
  const shares = joinedItems.length === 0 ? undefined : joinedItems.map((joined) => edgeShare(joined, subject));
  let fields: (Item | undefined)[] | undefined;
  if (indexItems.length === 1) fields = [inboundItem(indexItems[0]!, subject, sortKey)];
  else if (keys.length > 0) fields = indexItems.map((item) => inboundItem(item, subject, sortKey));
  if (fields !== undefined && countedPlace >= 0) {
    fields[countedPlace] = { ...fields[countedPlace], ...countedFields(edge.count!, subject) };
    outcomes?.add(lineOfCount(edge), keys[countedPlace]!);
  }
  const inTarget =
    inTargets.length === 0
      ? undefined
      : inTargets.map((kind) => ({
          key: { source: targetOf(plan, key), target: kind.keyOf(edge, source) },
          fields: kind.fieldsOf(edge, source, subject),
        }));
  return {
    element: plan.hasView ? element : undefined,
    keys,
    fields: fields ?? NONE,
    inTarget,
    problems: subject.problems,
    shares,
  };
}
