import type { Item } from '../items/attribute-value.ts';
import { escapedEdge, escapedHashedEdge } from '../items/element.ts';
import type { DerivedSortKey } from '../items/keys.ts';
import {
  type BaseItemKind,
  classifyHashedEdge,
  KeyClassifier,
  misfitText,
  type SharedKind,
  targetInKey,
} from '../model/base-item.ts';
import type { CompiledModel, EdgeModel, NodeModel, PartModel } from '../model/compiled.ts';
import { partAttributesAsSource, type SourceNode } from '../model/joined.ts';
import type { DerivedImage } from './derived.ts';
import type { AskedInTarget } from './in-target.ts';
import { askedInTarget } from './in-targets.ts';
import { inboundItem, type SearchPlan, searchItem, searchItemsOfValues, withAttributes } from './parts/index-items.ts';
import { edgeShare, joinedItem, sourceShare } from './parts/joined-items.ts';
import { ownerItems } from './parts/owner-items.ts';
import { type ImageOwner, nodeOwner, PartError, type Problem, Subject } from './parts/subject.ts';
import { countedFields } from './parts/totals.ts';
import { type EdgePlan, edgePlan, hasViewlessTypes, nodePlan } from './parts/type-plans.ts';
import { shapeOf } from './shape.ts';

/** The most keys of a node's index items that are searched one by one: for more, a map is faster. */
const FEW_KEYS = 8;
const NONE: readonly never[] = [];

/** The result for an image that asks for nothing. */
export const NOTHING: DerivedImage = { keys: NONE, fields: NONE, problems: NONE };

/**
 * The planner of base items in one model, one item at a time. It is also the owner of the images of nodes, parts and plain edges. The
 * partitions of a batch share a planner: most of them have few records, and are of nodes of one type.
 */
export class ItemPlanner implements ImageOwner {
  private readonly keys: KeyClassifier;
  source = '';
  /** Whether the node has a view. A type whose views were dropped has none, even if other projections of its nodes remain. */
  private hasView = true;
  /** The image that is being derived. */
  private subject: Subject | undefined;
  /** The last edge type, and its plan. */
  private edgeType: EdgeModel | undefined;
  private plan: EdgePlan | undefined;
  private askedInTarget: readonly AskedInTarget[] = NONE;

  private sortKey = '';
  private kind: SharedKind = { kind: 'unknown' };
  /** The beginning of an edge's element; for a hashed key only the part that all images share. */
  private escapedEdge = '';
  /** Sort keys of the index items that the edge alone decides. */
  private indexKeys: readonly DerivedSortKey[] = NONE;
  /** Sort keys of the edge's joined index items. */
  joinedKeys: readonly DerivedSortKey[] = NONE;
  /** The kinds of items that the edge asks for in its target's partition. */
  inTargets: readonly AskedInTarget[] = NONE;

  /** @param isFurther whether another model has the views: this one then adds no items that belong to them. */
  constructor(
    readonly graph: CompiledModel,
    private readonly isFurther?: boolean,
  ) {
    this.keys = new KeyClassifier(graph);
  }

  /** Selects a base item by its keys, which are parsed once for all of its images. */
  selectBaseItem(source: string, sortKey: string): this {
    if (source !== this.source) this.selectPartition(source);
    const kind = this.keys.kindOf(sortKey);
    this.sortKey = sortKey;
    this.kind = kind;
    this.indexKeys = NONE;
    this.joinedKeys = NONE;
    this.inTargets = NONE;
    if (kind.kind !== 'plain' && kind.kind !== 'hashed') return this;
    const { labels, places, joinedItems } = this.planOf(kind.edge);
    this.escapedEdge = labels === undefined ? '' : escapedEdge(sortKey);
    // An array literal has room for exactly its elements; an array that grows gets room for seventeen.
    if (places.length === 1) this.indexKeys = [places[0]!.key(sortKey)];
    else if (places.length > 1) this.indexKeys = places.map((place) => place.key(sortKey));
    if (joinedItems.length > 0) this.joinedKeys = joinedItems.map(({ item }) => item.inForce.places.key(sortKey));
    // An item that no total adds up belongs to the view.
    this.inTargets =
      this.hasView && !this.isFurther
        ? this.askedInTarget
        : this.askedInTarget.filter(({ totalOf }) => totalOf !== undefined);
    return this;
  }

  private selectPartition(source: string): void {
    this.source = source;
    this.keys.selectPartition(source);
    this.hasView = !hasViewlessTypes(this.graph) || shapeOf(this.graph, source) !== undefined;
  }

  private planOf(edge: EdgeModel): EdgePlan {
    if (this.plan === undefined || this.edgeType !== edge) {
      this.plan = edgePlan(this.graph, edge);
      this.askedInTarget = askedInTarget(edge);
      this.edgeType = edge;
    }
    return this.plan;
  }

  /** The item's edge type, by its keys; undefined if it is no edge. */
  get edge(): EdgeModel | undefined {
    return this.kind.kind === 'plain' || this.kind.kind === 'hashed' ? this.kind.edge : undefined;
  }

  get type(): string {
    const { kind } = this;
    return kind.kind === 'node' || kind.kind === 'part' ? kind.node.type : (this.edge?.type ?? '');
  }

  get target(): string {
    return this.kind.kind === 'plain' ? targetInKey(this.kind.edge, this.sortKey) : this.source;
  }

  get isHashed(): boolean {
    return this.kind.kind === 'hashed';
  }

  /** Adds the joined index items to the derived parts of an edge's image. */
  addJoinedItems(derived: DerivedImage, { item: node }: SourceNode): DerivedImage {
    const { edge } = this;
    const { shares } = derived;
    if (edge === undefined || shares === undefined) return derived;
    const { joinedItems } = this.planOf(edge);
    const subject = node && new Subject(nodeOwner(this.graph, this.source), node);
    const joint: Problem[] = [];
    const items = joinedItems.map((plan, i) => {
      // Problems of the node's attributes are not noted here: they are reported with the node.
      const both = { edge: shares[i]!, source: sourceShare(plan, subject) };
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

  /** Does the same as the function `derivedOf` without a source node. */
  derive(image: Item | undefined): DerivedImage {
    if (image === undefined) return NOTHING;
    const derived = this.deriveAll(image);
    return this.hasView ? derived : { ...derived, element: undefined, attributes: undefined };
  }

  /** Adds that the record of an image contradicts itself, if the model knows the item. */
  withContradiction(derived: DerivedImage, message: string): DerivedImage {
    if (this.kind.kind === 'unknown') return derived;
    const { problem } = new PartError('contradictory-record', message);
    return { ...derived, problems: [...derived.problems, problem] };
  }

  private deriveAll(image: Item): DerivedImage {
    const { graph, source, kind } = this;
    if (kind.kind === 'plain') return this.deriveEdge(kind.edge, this, image);
    if (kind.kind === 'node') return deriveNode(graph, kind.node, this.subjectOf(this, image));
    if (kind.kind === 'part') return derivePart(kind, this, image);
    if (kind.kind === 'hashed') {
      const told = classifyHashedEdge(graph, kind.edge, { source, target: this.sortKey }, image);
      if (told.kind === 'edge') {
        const owner = { graph, source, type: told.edge.type, target: told.target, isHashed: true };
        return this.deriveEdge(kind.edge, owner, image);
      }
      return nothingDerived(told);
    }
    return nothingDerived(kind);
  }

  private deriveEdge(edge: EdgeModel, owner: ImageOwner, image: Item): DerivedImage {
    const subject = this.subjectOf(owner, image);
    const { labels, indexItems, joinedItems, countedPlace, settleBefore } = this.planOf(edge);
    let element: string | undefined;
    if (labels !== undefined) {
      try {
        // rule: hashed-element-names-its-target
        element = owner.isHashed ? escapedHashedEdge(this.sortKey, owner.target) : this.escapedEdge;
        for (const label of labels) element += label(subject);
      } catch (error) {
        element = undefined;
        subject.noteProblem(error);
      }
    }
    const shares = joinedItems.length === 0 ? undefined : joinedItems.map((plan) => edgeShare(plan, subject));
    const { indexKeys: keys } = this;
    let fields: (Item | undefined)[] | undefined;
    if (indexItems.length === 1) fields = [inboundItem(indexItems[0]!, subject, this.sortKey)];
    else if (keys.length > 0) fields = indexItems.map((plan) => inboundItem(plan, subject, this.sortKey));
    if (fields !== undefined && countedPlace >= 0) {
      fields[countedPlace] = { ...fields[countedPlace], ...countedFields(edge.count!, subject) };
    }
    const { inTargets, source } = this;
    const inTarget =
      inTargets.length === 0
        ? undefined
        : inTargets.map((kind) => ({
            key: { source: owner.target, target: kind.keyOf(edge, source) },
            fields: kind.fieldsOf(edge, source, subject),
          }));
    return {
      element,
      keys,
      fields: fields ?? NONE,
      settleBefore,
      inTarget,
      problems: subject.problems,
      shares,
    };
  }

  private subjectOf(owner: ImageOwner, image: Item): Subject {
    this.subject = this.subject?.switchToImage(owner, image) ?? new Subject(owner, image);
    return this.subject;
  }
}

/** The result for an image of a type outside the model, or of one that does not fit its type. */
function nothingDerived(kind: Extract<BaseItemKind, { kind: 'unknown' | 'misfit' }>): DerivedImage {
  if (kind.kind === 'unknown') return NOTHING;
  return { ...NOTHING, problems: [{ code: kind.code ?? 'misfit', message: misfitText(kind) }] };
}

/** The index items of a node or a part, in the making. */
class IndexItems {
  private readonly keys: DerivedSortKey[] = [];
  private readonly fields: Item[] = [];
  private settleBefore: (number | undefined)[] | undefined;

  constructor(private readonly subject: Subject) {}

  add(key: DerivedSortKey, item: Item, before: number | undefined): void {
    this.keys.push(key);
    this.fields.push(item);
    if (before === undefined) return;
    this.settleBefore ??= [];
    this.settleBefore[this.keys.length - 1] = before;
  }

  addSearches(plans: readonly SearchPlan[]): void {
    for (const plan of plans) {
      const { settleBefore, isSuperseded, places } = plan.search.inForce;
      try {
        if (plan.search.each) {
          // All values of an attribute or none: a list with one bad value is a mistake to report, not a reason for an incomplete
          // answer.
          for (const [key, item] of searchItemsOfValues(plan, this.subject)) this.add(key, item, settleBefore);
        } else {
          const item = searchItem(plan, this.subject);
          if (item !== undefined) this.add(places.first, item, settleBefore);
        }
      } catch (error) {
        this.subject.noteProblem(error, isSuperseded);
      }
    }
  }

  get toImage(): DerivedImage {
    const { keys, fields, settleBefore } = this;
    const places = keys.length > FEW_KEYS ? new Map(keys.map((key, place) => [key, place])) : undefined;
    return { keys, fields, places, settleBefore, problems: this.subject.problems };
  }
}

/** Derives all that a node's image asks for: the attributes in its view, its index items, and the problems. */
function deriveNode(graph: CompiledModel, node: NodeModel, subject: Subject): DerivedImage {
  const items = new IndexItems(subject);
  const { searches, joinedItems } = nodePlan(graph, node);
  items.addSearches(searches);
  // The shares are derived only for their problems: the joined items themselves are derived with the edges.
  for (const plan of joinedItems) sourceShare(plan, subject);
  const attributes = subject.projectAttributes(node.view, true);
  for (const { key, item, settleBefore } of ownerItems(node, subject, attributes)) items.add(key, item, settleBefore);
  // rule: attributes-are-there-while-the-node-is
  return { attributes, ...items.toImage };
}

function derivePart(
  { node, part }: { node: NodeModel; part: PartModel },
  owner: ImageOwner,
  image: Item,
): DerivedImage {
  const { graph, source } = owner;
  const subject = new Subject(owner, image);
  const items = new IndexItems(subject);
  const { partSearches, joinedItems } = nodePlan(graph, node);
  items.addSearches(partSearches.get(part.name) ?? []);
  if (part.view !== undefined) {
    const { settleBefore, isSuperseded, places } = part.view.inForce;
    try {
      const item = withAttributes({}, subject.projectAttributes(part.view.view, true), subject);
      // rule: view-of-a-part-is-there-while-the-part-is
      items.add(places.key, item, settleBefore);
    } catch (error) {
      subject.noteProblem(error, isSuperseded);
    }
  }
  // As of a node: only for the problems.
  const asSource = joinedItems.length > 0 ? partAttributesAsSource(graph, source, part.name, image) : {};
  const shared = new Subject(owner, asSource);
  for (const plan of joinedItems) sourceShare(plan, shared);
  const derived = items.toImage;
  return { ...derived, problems: [...derived.problems, ...shared.problems] };
}
