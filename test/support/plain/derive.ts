import type { Item } from '../../../src/core/items/attribute-value.ts';
import { CHILD, COUNTED } from '../../../src/core/items/derived-item.ts';
import { encodeLabel, escapedEdge, escapedHashedEdge, LabelError } from '../../../src/core/items/element.ts';
import { isWellFormed } from '../../../src/core/items/encoding.ts';
import { parseNodeId } from '../../../src/core/items/keys.ts';
import { type BaseItemKind, classifyBaseItem, misfitText } from '../../../src/core/model/base-item.ts';
import {
  type CompiledModel,
  type LabelModel,
  layersOf,
  type NodeModel,
  type PartModel,
} from '../../../src/core/model/compiled.ts';
import type { SourceNode } from '../../../src/core/model/joined.ts';
import { FanOutPlaces } from '../../../src/core/model/projection/places.ts';
import type { ItemKey } from '../../../src/core/store-port.ts';
import { inboundItem, searchItems, sharedSearchItem, withAttributes } from './index-items.ts';
import { attributesOfPart, givenBy, joinedItem, usesSource } from './joined.ts';
import { PartError, type Problem, part, Subject } from './subject.ts';
import { targetItems } from './target-items.ts';
import { countedFields } from './totals.ts';

/**
 * The plain planner: what a base item asks for, read from the model for each image, with nothing worked out ahead. It shares
 * encodings and places with the planner of `core/plan`, and no other code: what is worked out once a type shows against it.
 */

/** The items that a base item's image asks for. */
export interface PlainDerived {
  /** The edge's element in its source's view; undefined if the view does not list the type. */
  element?: string | undefined;
  /** The node's projected attributes; undefined if there is no node. */
  attributes?: Item | undefined;
  /** Expected fields of index items, by sort key. Joined ones are included only if the source node is given. */
  indexItems: ReadonlyMap<string, Item>;
  /** The edge's items in its target's partition. */
  inTarget: readonly { key: ItemKey; fields: Item }[];
  /** The parts that cannot be derived. */
  problems: readonly Problem[];
}

const NOTHING: PlainDerived = { indexItems: new Map(), inTarget: [], problems: [] };

/**
 * Derives everything that an image asks for; an undefined image asks for nothing. Models that are maintained next to this one add index
 * items and entries of totals: a node has one view.
 *
 * @param node the source node of an edge. Without it, joined index items are left out.
 */
export function plainDerivedOf(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  image: Item | undefined,
  node?: SourceNode,
): PlainDerived {
  if (image === undefined) return NOTHING;
  const layers = layersOf(graph).map((layer) => {
    const derived = derivedIn(layer, source, sortKey, image, node);
    return hasViews(layer, source) ? derived : withoutView(derived);
  });
  const [first, ...further] = layers as [PlainDerived, ...PlainDerived[]];
  if (further.length === 0) return first;
  const all = [first, ...further.map(withoutView)];
  return {
    ...first,
    indexItems: new Map(all.flatMap(({ indexItems }) => [...indexItems])),
    inTarget: all.flatMap(({ inTarget }) => inTarget),
    problems: distinct(all.flatMap(({ problems }) => problems)),
  };
}

/** Two models may fail over the same attribute, with the same words. */
function distinct(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

/** Whether nodes of the source's type have views. A registry that lists no shape of the type has dropped them. */
function hasViews({ nodes, shapes }: CompiledModel, source: string): boolean {
  const type = parseNodeId(source)?.type ?? '';
  return shapes === undefined ? nodes.get(type)?.hasView !== false : shapes.has(type);
}

/** The same without the parts that belong to a view. */
function withoutView(derived: PlainDerived): PlainDerived {
  const inTarget = derived.inTarget.filter(({ fields }) => fields[COUNTED] !== undefined);
  return { ...derived, element: undefined, attributes: undefined, inTarget };
}

function derivedIn(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  image: Item,
  node: SourceNode | undefined,
): PlainDerived {
  const kind = classifyBaseItem(graph, source, sortKey, image);
  switch (kind.kind) {
    case 'unknown':
      return NOTHING;
    case 'misfit':
      return { ...NOTHING, problems: [{ code: kind.code ?? 'misfit', message: misfitText(kind) }] };
    case 'node':
      return derivedOfNode(graph, kind.node, source, image);
    case 'part':
      return derivedOfPart(graph, kind.node, kind.part, source, image);
    case 'edge':
      return derivedOfEdge(graph, kind, { source, target: sortKey }, image, node);
  }
}

function derivedOfEdge(
  graph: CompiledModel,
  { edge, target }: Extract<BaseItemKind, { kind: 'edge' }>,
  key: ItemKey,
  image: Item,
  node: SourceNode | undefined,
): PlainDerived {
  const { source } = key;
  const context = { source, type: edge.type, target };
  const isHashed = edge.keys === 'hashed';
  const subject = new Subject(graph, context, image, isHashed);
  const problems: Problem[] = [];
  const { labels, inbound, count, incoming, copy } = edge;
  const first = isHashed ? escapedHashedEdge(key.target, target) : escapedEdge(key.target);
  const element = labels && part(problems, () => first + labels.map((label) => labelText(label, subject)).join(''));

  const nodeSubject = node?.item && new Subject(graph, { source, type: '', target: source }, node.item);
  const indexItems = new Map<string, Item>();
  const unknown = new Set<string>();
  for (const item of inbound === undefined || inbound.native ? [] : inbound.items) {
    const indexKey = item.inForce.places.key(key.target);
    let fields: Item | undefined;
    if (usesSource(inbound!, item)) {
      const given = givenBy('edge', edge, item, subject, problems);
      if (node === undefined) unknown.add(indexKey);
      else fields = joinedItem(edge, item, key, given, givenBy('source', edge, item, nodeSubject, []), problems);
    } else fields = inboundItem(inbound!, item, subject, key.target, problems);
    if (fields !== undefined) indexItems.set(indexKey, fields);
  }
  if (count !== undefined) {
    const counted = countedFields(count, subject, problems);
    const countedKey = count.places.itemKey(key);
    if (!unknown.has(countedKey)) indexItems.set(countedKey, { ...indexItems.get(countedKey), ...counted });
  }

  const child: Item = { [CHILD]: { S: source } };
  const inTarget: { key: ItemKey; fields: Item }[] = [];
  if (copy !== undefined) {
    inTarget.push({ key: { source: target, target: new FanOutPlaces(edge.type).reverseKey(source) }, fields: child });
  }
  if (incoming !== undefined) {
    const fields = { ...countedFields(incoming, subject, problems), ...child };
    inTarget.push({ key: { source: target, target: incoming.places.itemKey({ source }) }, fields });
  }
  return { element, indexItems, inTarget, problems };
}

function derivedOfNode(graph: CompiledModel, node: NodeModel, id: string, image: Item): PlainDerived {
  const subject = new Subject(graph, { source: id, type: node.type, target: id }, image);
  const problems: Problem[] = [];
  const searched = searchItemsOf(node, undefined, subject, problems);
  noteProblemsOfSource(graph, node, subject, problems);
  const attributes = subject.project(node.view, problems);
  const indexItems = new Map([...searched, ...targetItems(node, subject, attributes, problems)]);
  return { ...NOTHING, attributes, indexItems, problems };
}

function derivedOfPart(
  graph: CompiledModel,
  node: NodeModel,
  { name, view }: PartModel,
  id: string,
  image: Item,
): PlainDerived {
  const context = { source: id, type: node.type, target: id };
  const subject = new Subject(graph, context, image);
  const problems: Problem[] = [];
  const indexItems = new Map(searchItemsOf(node, name, subject, problems));
  if (view !== undefined) {
    const item = part(problems, () => withAttributes({}, subject.project(view.view, problems), node.type));
    if (item !== undefined) indexItems.set(view.inForce.places.key, item);
  }
  noteProblemsOfSource(graph, node, new Subject(graph, context, attributesOfPart(name, image)), problems);
  return { ...NOTHING, indexItems, problems };
}

/** The search items of a node, or of a part of it. All values of an attribute or none: half of a list is no answer. */
function searchItemsOf(
  node: NodeModel,
  partName: string | undefined,
  subject: Subject,
  problems: Problem[],
): [string, Item][] {
  const searches = [...node.searches.values()].filter((search) => search.part === partName && !search.native);
  const firsts = searches.filter(({ name, itemOf }) => name === itemOf);
  return firsts.flatMap((first) => {
    if (first.multiValue) return part(problems, () => searchItems(first, subject)) ?? [];
    const shared = searches.filter(({ itemOf }) => itemOf === first.name);
    return sharedSearchItem(shared, subject, problems);
  });
}

/** Notes the mistakes of a node in what it gives to the index items of its edges. */
function noteProblemsOfSource(graph: CompiledModel, node: NodeModel, subject: Subject, problems: Problem[]): void {
  for (const edge of graph.edges.values()) {
    const { from, inbound } = edge;
    if (inbound === undefined || !from.has(node.type)) continue;
    for (const item of inbound.items) if (usesSource(inbound, item)) givenBy('source', edge, item, subject, problems);
  }
}

/** The text of a label in the element; empty where the edge has none. */
function labelText(label: LabelModel, subject: Subject): string {
  const purpose = `label ${label.name} of the edge set`;
  if (label.from.kind === 'derive') {
    const text = subject.compute(label.from.compute, purpose);
    if (text === undefined) return '';
    // It would be stored as another text, and differ from what is expected for ever.
    if (!isWellFormed(text)) throw new PartError('derive-failed', `derive for ${purpose} gave a lone surrogate`);
    return encodeLabel(label.name, { S: text });
  }
  const { attribute } = label.from;
  const value = subject.attribute(attribute);
  if (value === undefined) return '';
  try {
    return encodeLabel(label.name, value);
  } catch (error) {
    if (!(error instanceof LabelError)) throw error;
    throw new PartError('wrong-type', `attribute ${attribute}, needed for ${purpose}, ${error.message}`, attribute);
  }
}
