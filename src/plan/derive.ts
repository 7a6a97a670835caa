import type { Item } from '../items/attribute-value.ts';
import { COUNTED } from '../items/derived-item.ts';
import { escapedEdge, escapedHashedEdge } from '../items/element.ts';
import { countNameOf, edgeIndexKey, parseNodeId } from '../items/keys.ts';
import { type BaseItemKind, KeyClassifier, type KeyKind, misfitText, withTarget } from '../model/base-item.ts';
import { type CompiledModel, type EdgeModel, layersOf, type NodeModel } from '../model/compiled.ts';
import type { SourceNode } from '../model/joined.ts';
import { reverseItemOfEdge } from './copies.ts';
import type { Derived, DerivedImage } from './derived.ts';
import { type InboundItemPlan, inboundItem, searchItems } from './parts/index-items.ts';
import { edgeShare, joinedItem, joinedKey, type Share, sourceShare } from './parts/joined-items.ts';
import { ownerItems } from './parts/owner-items.ts';
import { note, type Problem, Subject } from './parts/subject.ts';
import { type EdgePlan, edgePlan, hasViewlessTypes, type LabelWriter, nodePlan } from './parts/type-plans.ts';
import { shapeOf } from './shape.ts';

export type { Problem } from './parts/subject.ts';

/**
 * The planner: what one base item wants derived from it. Stream, check, repair and `waitForProjection` share it.
 *
 * It is a total function of the image: a part that cannot be derived (an attribute of the wrong type, a key that is too
 * long) is wanted absent and reported as a problem. So a bad image never hides the good parts beside it, and a record
 * that mends it finds the same old state whatever happened before.
 */

/** Index items of a node beyond which a map finds one faster than a look at each. */
const FEW_KEYS = 8;
const NONE: readonly never[] = [];
const NOTHING: DerivedImage = { keys: NONE, fields: NONE, problems: NONE };

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
    const planner = new ItemPlanner(layer, source, sortKey);
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
  return layersOf(graph).map((layer) => new ItemPlanner(layer, source, sortKey).derive(image).shares);
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
    new ItemPlanner(layer, source, sortKey).join({ ...NOTHING, shares: shares[i] }, node),
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

/**
 * The planner of one base item in one model: what its keys say is worked out once for all of its images. Planners of one
 * partition share what tells kinds of keys.
 */
export class ItemPlanner {
  private readonly kind: KeyKind;
  /** What the model says of the edge's type; undefined where the item is no edge. */
  private readonly plan: EdgePlan | undefined;
  /** What an edge's element begins with; of a hashed key's only the part that all images share. */
  private readonly escapedEdge: string = '';
  /** Sort keys of an edge's index items. */
  private readonly indexKeys: readonly string[] = NONE;
  /** Sort keys of those that its source node decides too. */
  readonly joinedKeys: readonly string[] = NONE;
  /** The place of a counted edge's item that the count stands for, which is there also where no order applies; else -1. */
  private readonly countedPlace: number = -1;

  constructor(
    private readonly graph: CompiledModel,
    private readonly source: string,
    private readonly sortKey: string,
    keys = new KeyClassifier(graph, source),
  ) {
    this.kind = keys.kindOf(sortKey);
    if (this.kind.kind !== 'edge' && this.kind.kind !== 'hashed') return;
    const { edge } = this.kind;
    this.plan = edgePlan(graph, edge);
    if (this.plan.labels !== undefined) this.escapedEdge = escapedEdge(sortKey);
    const { indexItems } = this.plan;
    if (indexItems.length === 1) this.indexKeys = [itemKey(sortKey, indexItems[0]!)];
    else if (indexItems.length > 1) this.indexKeys = indexItems.map((plan) => itemKey(sortKey, plan));
    const { joinedItems } = this.plan;
    if (joinedItems.length > 0) this.joinedKeys = joinedItems.map((plan) => joinedKey(plan, sortKey));
    // A joined item that is counted is in its count by itself.
    if (!edge.degree || joinedItems.some(({ countName }) => countName !== undefined)) return;
    const countedKey = edgeIndexKey(sortKey, undefined, edge.generation);
    this.countedPlace = this.indexKeys.indexOf(countedKey);
    if (this.countedPlace >= 0) return;
    this.countedPlace = this.indexKeys.length;
    this.indexKeys = [...this.indexKeys, countedKey];
  }

  /** The edge type that the item is of, by its keys; undefined where it is of none. */
  get edge(): EdgeModel | undefined {
    return this.kind.kind === 'edge' || this.kind.kind === 'hashed' ? this.kind.edge : undefined;
  }

  /** What an edge's image wants, with the index items that its source node decides too. */
  join(derived: DerivedImage, { item: node }: SourceNode): DerivedImage {
    const { shares } = derived;
    const joinedItems = this.plan?.joinedItems ?? NONE;
    if (shares === undefined || joinedItems.length === 0) return derived;
    const subject =
      node && new Subject(this.graph, this.source, parseNodeId(this.source)?.type ?? '', this.source, node);
    const joint: Problem[] = [];
    const items = joinedItems.map((plan, i) => {
      // What is wrong with the node's attributes is told of the node.
      const both = { edge: shares[i]!, source: sourceShare(plan, subject, []) };
      return joinedItem(plan, this.source, this.sortKey, both, joint);
    });
    return {
      ...derived,
      keys: [...derived.keys, ...this.joinedKeys],
      fields: [...derived.fields, ...items],
      problems: [...derived.problems, ...joint],
      joint,
    };
  }

  /** As the function `derivedOf`, without a source node. */
  derive(image: Item | undefined): DerivedImage {
    if (image === undefined) return NOTHING;
    const derived = this.deriveAll(image);
    // A type whose views were dropped has none, also where nodes of it are still found in other ways.
    if (!hasViewlessTypes(this.graph) || shapeOf(this.graph, this.source) !== undefined) return derived;
    return { ...derived, element: undefined, attributes: undefined, reverse: undefined };
  }

  private deriveAll(image: Item): DerivedImage {
    const kind = withTarget(this.graph, this.kind, this.sortKey, image);
    if (kind.kind === 'unknown') return NOTHING;
    if (kind.kind === 'misfit') return { ...NOTHING, problems: [{ code: 'misfit', message: misfitText(kind) }] };
    if (kind.kind === 'node') return deriveNode(this.graph, kind.node, this.source, image);
    return this.deriveEdge(kind, image);
  }

  private deriveEdge({ edge, target }: Extract<BaseItemKind, { kind: 'edge' }>, image: Item): DerivedImage {
    const subject = new Subject(this.graph, this.source, edge.type, target, image, edge.keys === 'hashed');
    const { labels, indexItems, joinedItems } = this.plan!;
    const problems: Problem[] = [];
    let element: string | undefined;
    if (labels !== undefined) {
      try {
        element = this.element(edge, labels, subject);
      } catch (error) {
        note(problems, error);
      }
    }
    const reverse = edge.copy && reverseItemOfEdge(edge, this.source, target);
    const { indexKeys: keys } = this;
    const shares = joinedItems.length === 0 ? undefined : joinedItems.map((plan) => edgeShare(plan, subject, problems));
    if (keys.length === 0) return { element, keys, fields: NONE, reverse, problems, shares };
    // An array that is written out has room for what it holds; one that grows has room for seventeen.
    const fields =
      indexItems.length === 1
        ? [inboundItem(indexItems[0]!, subject, this.sortKey, problems)]
        : indexItems.map((plan) => inboundItem(plan, subject, this.sortKey, problems));
    if (this.countedPlace >= 0) {
      fields[this.countedPlace] = {
        ...fields[this.countedPlace],
        [COUNTED]: { S: countNameOf(edge.type, edge.generation) },
      };
    }
    return { element, keys, fields, settleBefore: this.plan!.settleBefore, reverse, problems, shares };
  }

  private element({ keys }: EdgeModel, labels: readonly LabelWriter[], subject: Subject): string {
    let element = keys === 'hashed' ? escapedHashedEdge(this.sortKey, subject.target) : this.escapedEdge;
    for (const label of labels) element += label(subject);
    return element;
  }
}

function deriveNode(graph: CompiledModel, node: NodeModel, id: string, image: Item): DerivedImage {
  const subject = new Subject(graph, id, node.type, id, image);
  const keys: string[] = [];
  const fields: Item[] = [];
  const problems: Problem[] = [];
  let settleBefore: (number | undefined)[] | undefined;
  const add = (key: string, item: Item, before: number | undefined): void => {
    keys.push(key);
    fields.push(item);
    if (before === undefined) return;
    settleBefore ??= [];
    settleBefore[keys.length - 1] = before;
  };
  for (const plan of nodePlan(graph, node).searches) {
    try {
      // All values of an attribute or none: a list that is half right is a mistake to be seen, not half an answer.
      for (const [key, item] of searchItems(plan, subject)) add(key, item, plan.search.settleBefore);
    } catch (error) {
      note(problems, error);
    }
  }
  for (const plan of nodePlan(graph, node).joinedItems) sourceShare(plan, subject, problems);
  const attributes = subject.project(node.view, problems);
  for (const { key, item, settleBefore: before } of ownerItems(node, subject, attributes, problems))
    add(key, item, before);
  const places = keys.length > FEW_KEYS ? new Map(keys.map((key, place) => [key, place])) : undefined;
  return { attributes, keys, fields, places, settleBefore, problems };
}

function itemKey(sortKey: string, { item }: InboundItemPlan): string {
  return edgeIndexKey(sortKey, item.orderName, item.generation);
}
