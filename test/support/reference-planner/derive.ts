// The plain planner: it asks the model for each image, and nothing is worked out ahead. Property tests hold the planner
// against it, so what is derived changes in both.
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { COUNTED } from '../../../src/core/items/derived-item.ts';
import { encodeLabel, escapedEdge, escapedHashedEdge, LabelError } from '../../../src/core/items/element.ts';
import { isWellFormed } from '../../../src/core/items/encoding.ts';
import {
  type BaseItemKind,
  classifyBaseItem,
  classifyKey,
  type KeyKind,
  misfitText,
} from '../../../src/core/model/base-item.ts';
import {
  type CompiledModel,
  type EdgeModel,
  type InboundItem,
  type LabelModel,
  layersOf,
  type NodeModel,
  type PartModel,
} from '../../../src/core/model/compiled.ts';
import { reverseItemOf } from '../../../src/core/plan/copies.ts';
import type { Derived, InTarget } from '../../../src/core/plan/derived.ts';
import { inboundItem, searchItems, withAttributes } from './index-items.ts';
import { givenBy, usesSource } from './joined.ts';
import { ownerItems } from './owner-items.ts';
import { PartError, type Problem, part, Subject } from './subject.ts';

export type { Problem } from './subject.ts';

/**
 * The planner: what one base item wants derived from it. Stream, check, repair and `waitForProjection` share it.
 *
 * It is a total function of the image: a part that cannot be derived (an attribute of the wrong type, a key that is too
 * long) is wanted absent and reported as a problem. So a bad image never hides the good parts beside it, and a record
 * that mends it finds the same old state whatever happened before.
 */

const NO_ITEMS: ReadonlyMap<string, Item> = new Map();
/** What is derived, with the moments before which the base item decides about its index items, by sort key. */
export interface PlainDerived extends Omit<Derived, 'inTarget'> {
  /** The reverse item of an edge that copies. */
  reverse?: InTarget | undefined;
  settleBefore?: ReadonlyMap<string, number>;
}

const NOTHING: PlainDerived = { indexItems: NO_ITEMS, problems: [] };

/**
 * Derives everything that a base item image wants; an undefined image (the item is absent) wants nothing. Of further models
 * that are kept beside this one only the index items are wanted: a node has one view.
 */
export function derive(graph: CompiledModel, source: string, sortKey: string, image: Item | undefined): PlainDerived {
  if (image === undefined) return NOTHING;
  if (graph.further === undefined) return new ItemPlanner(graph, source, sortKey).derive(image);
  return mergeDerived(layersOf(graph).map((layer) => new ItemPlanner(layer, source, sortKey).derive(image)));
}

/** What several models want of one image; the view and the reverse item are those of the first. */
export function mergeDerived([first, ...further]: readonly PlainDerived[]): PlainDerived {
  if (first === undefined) return NOTHING;
  if (further.length === 0) return first;
  const all = [first, ...further];
  // Two models may fail over the same attribute, with the same words.
  const problems = new Map(all.flatMap((derived) => derived.problems).map((problem) => [problem.message, problem]));
  return {
    ...first,
    indexItems: new Map(all.flatMap(({ indexItems }) => [...indexItems])),
    settleBefore: new Map(all.flatMap(({ settleBefore }) => [...(settleBefore ?? [])])),
    problems: [...problems.values()],
  };
}

/** The planner of one base item in one model: what its keys say is worked out once for all of its images. */
export class ItemPlanner {
  private readonly kind: KeyKind;
  /** What an edge's element begins with; of a hashed key's only the part that all images share. */
  private readonly escapedEdge: string = '';
  /** An edge's index items with their sort keys. */
  private readonly indexItems: readonly [sortKey: string, item: InboundItem][] = [];
  /** Those that its source node decides too. */
  readonly joinedItems: readonly [sortKey: string, item: InboundItem][] = [];
  /** The sort key of a counted edge's item that the count stands for. */
  private readonly countedKey: string | undefined;
  private settleBefore: Map<string, number> | undefined;

  constructor(
    private readonly graph: CompiledModel,
    private readonly source: string,
    private readonly sortKey: string,
  ) {
    this.kind = classifyKey(graph, source, sortKey);
    if (this.kind.kind !== 'edge' && this.kind.kind !== 'hashed') return;
    this.escapedEdge = escapedEdge(sortKey);
    const items = this.kind.edge.inbound?.items ?? [];
    const { inbound } = this.kind.edge;
    this.joinedItems = items
      .filter((item) => inbound !== undefined && usesSource(inbound, item))
      .map((item) => [item.inForce.places.key(sortKey), item]);
    const alone = items.filter((item) => !this.joinedItems.some(([, joined]) => joined === item));
    this.indexItems = alone.map((item) => [item.inForce.places.key(sortKey), item]);
    for (const [key, item] of this.indexItems) this.settle(key, item.inForce.settleBefore);
    const { count } = this.kind.edge;
    if (count === undefined || this.joinedItems.some(([, { orderName }]) => orderName === undefined)) return;
    this.countedKey = count.places.items.key(sortKey);
    this.settle(this.countedKey, count.settleBefore);
  }

  private settle(key: string, before: number | undefined): void {
    if (before === undefined) return;
    this.settleBefore ??= new Map();
    this.settleBefore.set(key, before);
  }

  /** As the function `derive`. */
  derive(image: Item | undefined): PlainDerived {
    if (image === undefined) return NOTHING;
    const { graph, source } = this;
    const derived = this.deriveAll(image);
    // A registry that lists no shape of the type has dropped its views.
    const hasViews = graph.shapes === undefined || graph.shapes.has(source.split('-')[0] ?? '');
    return hasViews ? derived : { ...derived, element: undefined, attributes: undefined, reverse: undefined };
  }

  private deriveAll(image: Item): PlainDerived {
    const kind = classifyBaseItem(this.graph, this.source, this.sortKey, image);
    if (kind.kind === 'unknown') return NOTHING;
    if (kind.kind === 'misfit') {
      return { indexItems: NO_ITEMS, problems: [{ code: 'misfit', message: misfitText(kind) }] };
    }
    if (kind.kind === 'node') return deriveNode(this.graph, kind.node, this.source, image);
    if (kind.kind === 'part') return derivePart(this.graph, kind.node, kind.part, this.source, image);
    return this.deriveEdge(kind, image);
  }

  private deriveEdge({ edge, target }: Extract<BaseItemKind, { kind: 'edge' }>, image: Item): PlainDerived {
    const context = { source: this.source, type: edge.type, target };
    const subject = new Subject(this.graph, context, image, edge.keys === 'hashed');
    const problems: Problem[] = [];
    const { labels, inbound } = edge;
    const element = labels && part(problems, () => this.element(edge, labels, subject));
    const reverse = reverseItemOf(this.graph, { source: this.source, target: this.sortKey });
    for (const [, item] of this.joinedItems) givenBy('edge', edge, item, subject, problems);
    if (inbound === undefined && this.countedKey === undefined) {
      return { element, indexItems: NO_ITEMS, reverse, problems };
    }
    const indexItems = new Map<string, Item>();
    for (const [key, item] of this.indexItems) {
      const fields = inbound && inboundItem(inbound, item, subject, this.sortKey, problems);
      if (fields !== undefined) indexItems.set(key, fields);
    }
    const { countedKey } = this;
    if (countedKey !== undefined) {
      indexItems.set(countedKey, { ...indexItems.get(countedKey), [COUNTED]: { S: edge.count!.places.name } });
    }
    return { element, indexItems, settleBefore: this.settleBefore, reverse, problems };
  }

  /** What an image gives to each joined item, as a text; undefined where it is no edge of the type. */
  given(image: Item | undefined): readonly string[] | undefined {
    if (image === undefined || this.joinedItems.length === 0) return undefined;
    const kind = classifyBaseItem(this.graph, this.source, this.sortKey, image);
    if (kind.kind !== 'edge') return undefined;
    const context = { source: this.source, type: kind.edge.type, target: kind.target };
    const subject = new Subject(this.graph, context, image, kind.edge.keys === 'hashed');
    return this.joinedItems.map(([, item]) => givenBy('edge', kind.edge, item, subject, []));
  }

  private element({ keys }: EdgeModel, labels: readonly LabelModel[], subject: Subject): string {
    let element = keys === 'hashed' ? escapedHashedEdge(this.sortKey, subject.context.target) : this.escapedEdge;
    for (const label of labels) element += labelText(label, subject);
    return element;
  }
}

function deriveNode(graph: CompiledModel, node: NodeModel, id: string, image: Item): PlainDerived {
  const subject = new Subject(graph, { source: id, type: node.type, target: id }, image);
  const indexItems = new Map<string, Item>();
  const problems: Problem[] = [];
  let settleBefore: Map<string, number> | undefined;
  const add = (key: string, item: Item, before: number | undefined): void => {
    indexItems.set(key, item);
    if (before === undefined) return;
    settleBefore ??= new Map();
    settleBefore.set(key, before);
  };
  for (const search of node.searches.values()) {
    if (search.part !== undefined) continue;
    // All values of an attribute or none: a list that is half right is a mistake to be seen, not half an answer.
    const items = part(problems, () => searchItems(search, subject)) ?? [];
    for (const [key, item] of items) add(key, item, search.inForce.settleBefore);
  }
  for (const edge of graph.edges.values()) {
    const { from, inbound } = edge;
    if (inbound === undefined || !from.has(node.type)) continue;
    for (const item of inbound.items) if (usesSource(inbound, item)) givenBy('source', edge, item, subject, problems);
  }
  const attributes = subject.project(node.view, problems);
  for (const { key, item, settleBefore: before } of ownerItems(node, subject, attributes, problems))
    add(key, item, before);
  return { attributes, indexItems, settleBefore, problems };
}

function derivePart(
  graph: CompiledModel,
  node: NodeModel,
  { name, view }: PartModel,
  id: string,
  image: Item,
): PlainDerived {
  const subject = new Subject(graph, { source: id, type: node.type, target: id }, image);
  const indexItems = new Map<string, Item>();
  const settleBefore = new Map<string, number>();
  const problems: Problem[] = [];
  for (const search of node.searches.values()) {
    if (search.part !== name) continue;
    for (const [key, item] of part(problems, () => searchItems(search, subject)) ?? []) {
      indexItems.set(key, item);
      if (search.inForce.settleBefore !== undefined) settleBefore.set(key, search.inForce.settleBefore);
    }
  }
  if (view !== undefined) {
    const { places, settleBefore: before } = view.inForce;
    const item = part(problems, () => withAttributes({}, subject.project(view.view, problems), subject));
    if (item !== undefined) indexItems.set(places.key, item);
    if (item !== undefined && before !== undefined) settleBefore.set(places.key, before);
  }
  const asSource: Item = {};
  for (const [attribute, value] of Object.entries(image)) asSource[`${name}.${attribute}`] = value;
  const whole = new Subject(graph, { source: id, type: node.type, target: id }, asSource);
  for (const edge of graph.edges.values()) {
    const { from, inbound } = edge;
    if (inbound === undefined || !from.has(node.type)) continue;
    for (const item of inbound.items) if (usesSource(inbound, item)) givenBy('source', edge, item, whole, problems);
  }
  return { indexItems, ...(settleBefore.size > 0 && { settleBefore }), problems };
}

/** A label as it stands in the element; empty where the edge has none. */
function labelText(label: LabelModel, subject: Subject): string {
  const purpose = `label ${label.name} of the edge set`;
  if (label.from.kind === 'derive') {
    const text = subject.compute(label.from.compute, purpose);
    if (text === undefined) return '';
    // It would be stored as another text and differ from what is wanted forever.
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
