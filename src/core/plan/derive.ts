import type { Item } from '../items/attribute-value.ts';
import { VIEW_KEY } from '../items/keys.ts';
import type { Derived, DerivedImage } from '../kinds/derived.ts';
import { elementOfEdge, lineOfSet } from '../kinds/element.ts';
import { inboundItem } from '../kinds/parts/inbound-items.ts';
import { edgeShare, type JointNotes, joinedItem, sourceShare } from '../kinds/parts/joined-items.ts';
import { Outcomes } from '../kinds/parts/outcomes.ts';
import { nodeSubject, noteProblem, type Problem, Subject, targetOf } from '../kinds/parts/subject.ts';
import { countedFields, lineOfCount } from '../kinds/parts/totals.ts';
import { classifyHashedEdge } from '../model/base-item.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import { deletionText, isGone } from '../model/gone.ts';
import type { SourceNode } from '../model/joined.ts';
import { deriveNode, derivePart } from './derive-node.ts';
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

/**
 * Deriving never fails as a whole. A part of an image that can't be derived is reported and treated as absent, so it
 * doesn't hide the good parts.
 */

const NONE: readonly never[] = [];
const NO_ITEMS: ReadonlyMap<string, Item> = new Map();

const NOTHING: DerivedImage = { keys: NONE, fields: NONE, problems: NONE };

export function derive(plan: TypePlan, key: PlannedKey, image: Item | undefined, outcomes?: Outcomes): DerivedImage {
  if (image === undefined) return NOTHING;
  if (isGone(deletionOf(plan), image)) {
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

function deletionOf(plan: TypePlan): Parameters<typeof isGone>[0] {
  return plan.kind === 'edge' ? plan.edge : plan.kind === 'node' ? plan.node : undefined;
}

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
 * Only the first layer has views.
 *
 * @param node the source node of an edge. Without `node`, joined items are left out.
 */
export function derivedOf(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  image: Item | undefined,
  node?: SourceNode,
  outcomes?: Outcomes,
): Derived {
  if (graph.further === undefined) return withItemsByKey(derivedIn(graph, source, sortKey, image, node, outcomes));
  const layers = layersOf(graph).map((layer) => derivedIn(layer, source, sortKey, image, node, outcomes));
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

export function problemsOfImage(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  image: Item,
): readonly Problem[] {
  return problemsOf(layersOf(graph).map((layer) => derivedIn(layer, source, sortKey, image)));
}

export function problemsOf(layers: readonly Pick<Derived, 'problems'>[]): readonly Problem[] {
  if (layers.length === 1) return layers[0]!.problems;
  return [...new Map(layers.flatMap(({ problems }) => problems).map((problem) => [problem.message, problem])).values()];
}

function derivedIn(
  layer: CompiledModel,
  source: string,
  sortKey: string,
  image: Item | undefined,
  node?: SourceNode,
  outcomes?: Outcomes,
): DerivedImage {
  const plan = planOfKey(plansOfSource(layer, source), source, sortKey);
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
  const notes: JointNotes = {
    noteProblem: (error, projection) => noteProblem(joint, error, projection),
    outcomes,
    hasNode: subject !== undefined,
  };
  const items = plan.joinedItems.map((joined, i) => {
    // The problems of the source node are reported with the node.
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

/** Only the image names the target. */
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
  // Without a view, as in a layer of an older generation, an edge type has no edge set that could leave it out.
  if (labels === undefined && plan.hasView)
    outcomes?.add(lineOfSet(edge), VIEW_KEY, 'The model leaves this type out of the edge set.');
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
