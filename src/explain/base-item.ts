import { isWrong, observe } from '../check/observe.ts';
import { type Item, stringOf } from '../items/attribute-value.ts';
import { typePrefix, VIEW_KEY } from '../items/keys.ts';
import { evictedTypes } from '../items/stored-view.ts';
import { classify, misfitText } from '../model/base-item.ts';
import {
  type CompiledModel,
  type EdgeModel,
  type EdgeOrderModel,
  layersOf,
  type NodeModel,
} from '../model/compiled.ts';
import { needsSource } from '../model/joined.ts';
import { reverseOf } from '../plan/copies.ts';
import { derivedOf } from '../plan/derive.ts';
import type { Derived } from '../plan/derived.ts';
import type { ObserveContext, Suspect } from '../repair/parts/kind.ts';
import type { ItemKey } from '../store/port.ts';

/** What a base item should be in, part by part, and whether it is. */

/** How one part of what a base item wants is. */
export type PartState = 'right' | 'lag' | 'drift' | 'quarantined' | 'evicted' | 'absent';

/** One place that a base item should be in, or could be in. */
export interface ExplainedPart {
  /** Keys of the derived item. */
  source: string;
  target: string;
  /** The line of the model that asks for it, such as `edges.GOALMEMBERSHIP.inbound.gsi0`. */
  name: string;
  state: PartState;
  /** Why it is so, one sentence. */
  reason: string;
  /** Where what is stored differs from what is wanted: both; null is nothing. */
  difference?: { wanted: string | null; stored: string | null };
}

/** Whether what differs is on its way: how far the consumers have come. */
export interface LagKnowledge {
  /** Whether every record made so far is applied; undefined: that is not known. */
  isApplied: boolean | undefined;
  /** A sentence on how far behind they are. */
  text: string;
}

/** Where nothing differed when it was looked at first. */
const UNASKED: LagKnowledge = { isApplied: undefined, text: 'It has changed within the moment of the look' };

/** A part with what is compared; without a suspect it is wanted nowhere. */
interface Place {
  sortKey: string;
  source: string;
  name: string;
  suspect?: Suspect;
  /** Why it is wanted nowhere. */
  absent?: string;
  /** The attribute that its value comes from. */
  attribute?: string;
}

/** Explains a base item of the model. */
export async function explainBaseItem(
  context: ObserveContext,
  key: ItemKey,
  item: Item,
  askLag: () => Promise<LagKnowledge>,
): Promise<ExplainedPart[]> {
  const { graph, store } = context;
  const kind = classify(graph, key.source, key.target, item);
  if (kind.kind === 'unknown') return [];
  if (kind.kind === 'misfit') return [{ ...key, name: 'keys', state: 'quarantined', reason: `${misfitText(kind)}.` }];
  const { items: nodes } = needsSource(graph, key.target)
    ? await store.getMany([{ source: key.source, target: key.source }], { consistent: true })
    : { items: [] };
  const node = nodes.length === 0 || key.source === key.target ? undefined : { item: nodes[0] };
  const wanted = derivedOf(graph, key.source, key.target, item, node);
  const places =
    kind.kind === 'node' ? nodePlaces(graph, key.source, wanted) : edgePlaces(graph, key, kind.edge, wanted);
  const { items } = await store.getMany([{ source: key.source, target: VIEW_KEY }], { consistent: true });
  const evicted = evictedTypes(items[0]);
  const compared = places.filter(({ suspect }) => suspect !== undefined);
  const suspects = compared.map(({ suspect }) => suspect!);
  let observations = await observe(context, suspects);
  let lag: LagKnowledge = UNASKED;
  if (observations.some(isWrong)) {
    lag = await askLag();
    // What was on its way at the first look may be there by now: only what differs after the position was told is drift.
    observations = await observe(context, suspects);
  }
  const parts: ExplainedPart[] = [];
  for (const place of places) {
    const { source, sortKey: target, name } = place;
    const observation = observations[compared.indexOf(place)];
    parts.push({ source, target, name, ...stateOf(place, observation, { wanted, evicted, lag }) });
  }
  return parts;
}

function stateOf(
  { suspect, absent, attribute }: Place,
  observation: { wanted: string | null; stored: string | null } | undefined,
  known: { wanted: Derived; evicted: ReadonlySet<string>; lag: LagKnowledge },
): Pick<ExplainedPart, 'state' | 'reason' | 'difference'> {
  const type = suspect?.part.kind === 'element' ? typePrefix(suspect.part.target) : undefined;
  if (type !== undefined && known.evicted.has(type)) {
    return {
      state: 'evicted',
      reason: `The view is over its budget without ${type}: readers take these edges from a Query.`,
    };
  }
  const problem = known.wanted.problems.find((one) => one.attribute !== undefined && one.attribute === attribute);
  if (observation === undefined) {
    return problem === undefined
      ? { state: 'absent', reason: absent ?? 'Nothing is wanted here.' }
      : { state: 'quarantined', reason: `${problem.message}.` };
  }
  const { wanted, stored } = observation;
  if (wanted === stored) return { state: 'right', reason: 'It is stored as it is wanted.' };
  const difference = { wanted, stored };
  const inWords = `wanted is ${wanted ?? 'nothing'}, stored is ${stored ?? 'nothing'}`;
  const { isApplied, text } = known.lag;
  return isApplied === true
    ? {
        state: 'drift',
        reason: `${text}, yet ${inWords}. Mend it: edgeloom check --repair.`,
        difference,
      }
    : { state: 'lag', reason: `${text}; ${inWords}.`, difference };
}

function nodePlaces(graph: CompiledModel, source: string, wanted: Derived): Place[] {
  const places: Place[] = [
    {
      source,
      sortKey: VIEW_KEY,
      name: `nodes.${typePrefix(source)}.view`,
      suspect: { source, sortKey: VIEW_KEY, part: { kind: 'attributes' } },
    },
  ];
  for (const layer of layersOf(graph)) {
    const node = layer.nodes.get(typePrefix(source) ?? '');
    if (node !== undefined) places.push(...searchPlaces(node, source, wanted));
  }
  const known = new Set(places.map(({ sortKey }) => sortKey));
  for (const sortKey of wanted.indexItems.keys()) {
    if (!known.has(sortKey))
      places.push(indexPlace(source, sortKey, source, `nodes.${typePrefix(source)}.includeOwner`));
  }
  return places;
}

function searchPlaces({ type, searches }: NodeModel, source: string, wanted: Derived): Place[] {
  return [...searches.values()].flatMap(({ name, order, inForce: { places } }): Place[] => {
    const line = `nodes.${type}.search.${name}`;
    const keys = [...wanted.indexItems.keys()].filter((key) => places.holds(key));
    if (keys.length > 0) return keys.map((sortKey) => indexPlace(source, sortKey, source, line));
    const attribute = order.kind === 'attribute' || order.kind === 'rank' ? order.attribute : name;
    return [
      { source, sortKey: places.first, name: line, attribute, absent: `The node has no value for ${attribute}.` },
    ];
  });
}

function edgePlaces(graph: CompiledModel, key: ItemKey, edge: EdgeModel, wanted: Derived): Place[] {
  const { source, target } = key;
  const line = `edges.${edge.type}`;
  const places: Place[] = [
    edge.labels === undefined
      ? {
          source,
          sortKey: VIEW_KEY,
          name: `${line}.edgeSet`,
          absent: 'The model leaves this type out of the edge set.',
        }
      : {
          source,
          sortKey: VIEW_KEY,
          name: `${line}.edgeSet`,
          suspect: { source, sortKey: VIEW_KEY, part: { kind: 'element', target } },
        },
  ];
  if (edge.copy !== undefined) {
    const part = { kind: 'copy', target } as const;
    places.push({ source, sortKey: VIEW_KEY, name: `${line}.copy`, suspect: { source, sortKey: VIEW_KEY, part } });
  }
  const reverse = reverseOf(graph, key);
  if (reverse !== undefined) {
    const suspect: Suspect = {
      source: reverse.source,
      sortKey: reverse.target,
      part: { kind: 'reverse-item', base: key },
    };
    places.push({ source: reverse.source, sortKey: reverse.target, name: `${line}.copy (reverse item)`, suspect });
  }
  for (const layer of layersOf(graph)) {
    for (const { orders, inForce } of layer.edges.get(edge.type)?.inbound?.items ?? []) {
      const sortKey = inForce.places.key(target);
      const fields = wanted.indexItems.get(sortKey);
      for (const { name, index, order } of orders) {
        const place = `${line}.inbound.${name}`;
        if (stringOf(fields?.[`${index}pk`]) !== undefined) places.push(indexPlace(source, sortKey, target, place));
        else {
          const attribute = attributeOf(order) ?? name;
          const whose =
            order.kind === 'source' ? 'source node' : order.kind === 'parts' ? 'edge, or its source,' : 'edge';
          const absent = `The ${whose} has no value for ${attribute}, which orders it.`;
          places.push({ source, sortKey, name: place, attribute, absent });
        }
      }
    }
  }
  return places;
}

/** The attribute that an order takes its first value from. */
function attributeOf(order: EdgeOrderModel): string | undefined {
  if (order.kind === 'parts') return order.parts[0] && attributeOf(order.parts[0]);
  if (order.kind === 'source') return order.order.attribute;
  return order.kind === 'derive' ? undefined : order.attribute;
}

function indexPlace(source: string, sortKey: string, target: string, name: string): Place {
  return { source, sortKey, name, suspect: { source, sortKey, part: { kind: 'index-item', target } } };
}
