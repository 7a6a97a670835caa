import { escapedEdge } from '../items/element.ts';
import type { DerivedSortKey } from '../items/keys.ts';
import { type LabelWriter, labelWriter } from '../kinds/element.ts';
import { kindsInTarget } from '../kinds/in-target.ts';
import type { KindOfTarget } from '../kinds/kind.ts';
import { type InboundItemPlan, inboundItemPlans } from '../kinds/parts/inbound-items.ts';
import { type JoinedItemPlan, joinedItemPlans } from '../kinds/parts/joined-items.ts';
import { type SearchItemPlan, searchItemPlan } from '../kinds/parts/search-items.ts';
import type { Problem, SubjectKey, SubjectType } from '../kinds/parts/subject.ts';
import { keepsViews } from '../kinds/view.ts';
import { type BaseItemKind, classifyKey, misfitText, nodePrefix } from '../model/base-item.ts';
import {
  type CompiledModel,
  derivedSearches,
  type EdgeModel,
  type NodeModel,
  oncePer,
  type PartModel,
} from '../model/compiled.ts';
import type { EdgeItemPlaces } from '../model/projection/index-places.ts';
import { packsOf } from '../model/projection/search-pack.ts';

/**
 * Plans hold everything that doesn't depend on a key or an image, because a batch has thousands of images, but few
 * types.
 */

export interface EdgeItemsPlan {
  labels: readonly LabelWriter[] | undefined;
  indexItems: readonly InboundItemPlan[];
  joinedItems: readonly JoinedItemPlan[];
  places: readonly EdgeItemPlaces[];
  /** The counted item's index in `places`, even if no order applies; -1 if the edge isn't counted. */
  countedPlace: number;
}

export interface EdgePlan extends EdgeItemsPlan, SubjectType {
  kind: 'edge';
  edge: EdgeModel;
  hasView: boolean;
  inTargets: readonly KindOfTarget[];
}

export interface NodePlan extends SubjectType {
  kind: 'node';
  node: NodeModel;
  hasView: boolean;
  searches: readonly SearchItemPlan[];
  joinedItems: readonly JoinedItemPlan[];
}

export interface PartPlan extends SubjectType {
  kind: 'part';
  part: PartModel;
  searches: readonly SearchItemPlan[];
  joinedItems: readonly JoinedItemPlan[];
}

/** The plan of a type outside the model, or of a key that doesn't fit its type. */
export interface EmptyPlan {
  kind: 'unknown' | 'misfit';
  problems: readonly Problem[];
}

export type TypePlan = EdgePlan | NodePlan | PartPlan | EmptyPlan;

export interface SourcePlans {
  graph: CompiledModel;
  type: string;
  node: NodePlan;
  parts: ReadonlyMap<string, PartPlan>;
  edges: ReadonlyMap<EdgeModel, EdgePlan>;
  /** Plain keys by their beginning, such as `FRIEND-USER-`. */
  byBeginning: readonly { beginning: string; plan: EdgePlan }[];
}

export interface PlannedKey extends SubjectKey {
  /** The beginning of an element. With a hashed key, the target follows. */
  escapedEdge: string;
  indexKeys: readonly DerivedSortKey[];
}

const NONE: readonly never[] = [];
const UNKNOWN: EmptyPlan = { kind: 'unknown', problems: NONE };
const plansByType = oncePer(
  (graph: CompiledModel) => new Map([...graph.nodes].map(([type, node]) => [type, sourcePlans(graph, node)])),
);

export function plansOfSource(graph: CompiledModel, source: string): SourcePlans | undefined {
  return plansByType(graph).get(nodePrefix(source));
}

export function planOfKey(of: SourcePlans | undefined, source: string, sortKey: string): TypePlan {
  if (of === undefined) return UNKNOWN;
  if (source === sortKey) return of.node;
  for (const { beginning, plan } of of.byBeginning) {
    if (sortKey.length > beginning.length && sortKey.startsWith(beginning)) return plan;
  }
  const kind = classifyKey(of.graph, source, sortKey);
  if (kind.kind === 'part') return of.parts.get(sortKey)!;
  if (kind.kind === 'hashed' || kind.kind === 'edge') return of.edges.get(kind.edge)!;
  return kind.kind === 'node' ? of.node : emptyPlan(kind);
}

export function emptyPlan(kind: Extract<BaseItemKind, { kind: EmptyPlan['kind'] }>): EmptyPlan {
  return kind.kind === 'unknown'
    ? UNKNOWN
    : { kind: 'misfit', problems: [{ code: kind.code ?? 'misfit', message: misfitText(kind) }] };
}

export function plannedKey(plan: TypePlan, source: string, sortKey: string): PlannedKey {
  if (plan.kind !== 'edge') {
    return { source, sortKey, escapedEdge: '', indexKeys: NONE };
  }
  const { labels, places } = plan;
  return {
    source,
    sortKey,
    escapedEdge: labels === undefined ? '' : escapedEdge(sortKey),
    // Avoids a growing array for the usual single key, because V8 would allocate room for 17.
    indexKeys:
      places.length === 1
        ? [places[0]!.key(sortKey)]
        : places.length === 0
          ? NONE
          : places.map((place) => place.key(sortKey)),
  };
}

export function joinedKeys(plan: TypePlan, sortKey: string): readonly DerivedSortKey[] {
  if (plan.kind !== 'edge' || plan.joinedItems.length === 0) return NONE;
  return plan.joinedItems.map(({ item }) => item.inForce.places.key(sortKey));
}

export const edgeItemsPlan = oncePer((edge: EdgeModel): EdgeItemsPlan => {
  const indexItems = inboundItemPlans(edge);
  const joinedItems = joinedItemPlans(edge);
  const places = indexItems.map(({ item }) => item.inForce.places);
  // A joined item with a count has the counted fields itself.
  const isCounted = joinedItems.every(({ count }) => count === undefined);
  const counted = isCounted ? edge.count?.places.items : undefined;
  let countedPlace = counted === undefined ? -1 : places.findIndex(({ prefix }) => prefix === counted.prefix);
  if (counted !== undefined && countedPlace < 0) countedPlace = places.push(counted) - 1;
  return {
    labels: edge.labels?.map(labelWriter),
    indexItems,
    joinedItems,
    places,
    countedPlace,
  };
});

function sourcePlans(graph: CompiledModel, node: NodeModel): SourcePlans {
  const { type } = node;
  const hasView = keepsViews(graph, type);
  const leaving = [...graph.edges.values()].filter(({ from }) => from.has(type));
  const edges = leaving.map((edge): EdgePlan => {
    const kinds = kindsInTarget(edge);
    return {
      kind: 'edge',
      graph,
      type: edge.type,
      isHashed: edge.keys === 'hashed',
      edge,
      expires: edge.expires,
      hasView,
      // Without views, only the items of totals are needed.
      inTargets: hasView ? kinds : kinds.filter(({ totalOf }) => totalOf !== undefined),
      ...edgeItemsPlan(edge),
    };
  });
  const joinedItems = edges.flatMap((plan) => plan.joinedItems);
  const searchesOf = (part: string | undefined): SearchItemPlan[] =>
    packsOf(derivedSearches(node.searches).filter((search) => search.part === part)).map(searchItemPlan);
  const own = { graph, type, isHashed: false, joinedItems };
  const parts = [...node.parts.values()].map((part): [string, PartPlan] => [
    part.name,
    { kind: 'part', part, searches: searchesOf(part.name), ...own },
  ]);
  // The types in a key don't show whether both nodes have the same tenant.
  const plain = edges.filter(({ isHashed, edge }) => !isHashed && edge.tenantSeparator === undefined);
  return {
    graph,
    type,
    node: { kind: 'node', node, expires: node.expires, hasView, searches: searchesOf(undefined), ...own },
    parts: new Map(parts),
    edges: new Map(edges.map((plan) => [plan.edge, plan])),
    byBeginning: plain.flatMap((plan) =>
      [...plan.edge.to]
        .filter((target) => graph.nodes.has(target))
        .map((target) => ({ beginning: `${plan.type}-${target}-`, plan })),
    ),
  };
}
