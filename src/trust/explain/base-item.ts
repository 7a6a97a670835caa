import type { Item } from '../../core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../core/items/derived-item.ts';
import { typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { evictedTypes } from '../../core/items/stored-view.ts';
import { countHolding } from '../../core/kinds/count.ts';
import type { Derived } from '../../core/kinds/derived.ts';
import { kindOfTarget } from '../../core/kinds/in-target.ts';
import type { ObserveContext, Suspect } from '../../core/kinds/part.ts';
import { keepsViews } from '../../core/kinds/view.ts';
import { classifyBaseItem, misfitText } from '../../core/model/base-item.ts';
import { type CompiledModel, type EdgeModel, type EdgeOrderModel, layersOf } from '../../core/model/compiled.ts';
import { needsSource, sourceNodeKeys, sourceNodeOf } from '../../core/model/joined.ts';
import { lineOfSearch } from '../../core/model/options/option-tables.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import { placesOfBase } from '../../core/plan/places-of-base.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { isWrong, observe } from '../check/observe.ts';

/** Compares a base item's expected derived items with the stored ones, part by part. */

/** How one part of what a base item wants is. */
export type PartState = 'right' | 'lag' | 'drift' | 'quarantined' | 'evicted' | 'absent';

/** One place that a base item should be in, or could be in. */
export interface ExplainedPart {
  /** Keys of the derived item, or of the base item where a native list has it itself. */
  source: string;
  target: string;
  /** The line of the model that asks for it, such as `edges.GOALMEMBERSHIP.inbound.orders.byRole`. */
  name: string;
  state: PartState;
  /** Why it is so, one sentence. */
  reason: string;
  /** Both texts where the stored item differs from the expected one; null is nothing. */
  difference?: { expected: string | null; stored: string | null };
}

/** True if what differs is on its way: how far the consumers have come. */
export interface LagKnowledge {
  /** True if every record made so far is applied; undefined: that is not known. */
  isApplied: boolean | undefined;
  /** A sentence on how far behind they are. */
  text: string;
}

/** Where nothing differed when it was looked at first. */
const UNASKED: LagKnowledge = { isApplied: undefined, text: 'It has changed within the moment of the look' };

/** A part with its comparison; without a suspect no item is expected. */
interface Place {
  sortKey: string;
  source: string;
  name: string;
  suspect?: Suspect;
  /** The reason why no item is expected. */
  absent?: string;
  /** The attribute that its value comes from. */
  attribute?: string;
}

/** Explains a base item of the model; `gone`: the reason why it counts as deleted, where it does. */
export async function explainBaseItem(
  context: ObserveContext,
  key: ItemKey,
  item: Item,
  { askLag, gone }: { askLag: () => Promise<LagKnowledge>; gone?: string | undefined },
): Promise<ExplainedPart[]> {
  const { graph, store } = context;
  const kind = classifyBaseItem(graph, key.source, key.target, item);
  if (kind.kind === 'unknown') return [];
  if (kind.kind === 'misfit') return [{ ...key, name: 'keys', state: 'quarantined', reason: `${misfitText(kind)}.` }];
  const ofNode = needsSource(graph, key.target) ? sourceNodeKeys(graph, key.source) : [];
  const { items: read } = await store.getMany(
    ofNode.map((target) => ({ source: key.source, target })),
    { consistent: true },
  );
  const node = read.length === 0 || key.source === key.target ? undefined : sourceNodeOf(graph, key.source, read);
  const expected = derivedOf(graph, key.source, key.target, item, node);
  const places =
    kind.kind === 'node'
      ? nodePlaces(graph, key.source, expected)
      : kind.kind === 'part'
        ? partPlaces(graph, key, expected)
        : edgePlaces(graph, key, kind.edge, expected);
  const { items } = await store.getMany([{ source: key.source, target: VIEW_KEY }], { consistent: true });
  const evicted = evictedTypes(items[0]);
  const compared = places.filter(({ suspect }) => suspect !== undefined);
  const suspects = compared.map(({ suspect }) => suspect!);
  let observations = await observe(context, suspects);
  let lag: LagKnowledge = UNASKED;
  if (observations.some(isWrong)) {
    lag = await askLag();
    // A change that was under way at the first look may be applied by now: only a difference after the position was read is drift.
    observations = await observe(context, suspects);
  }
  const parts: ExplainedPart[] = [];
  for (const place of places) {
    const { source, sortKey: target, name } = place;
    const observation = observations[compared.indexOf(place)];
    parts.push({ source, target, name, ...stateOf(place, observation, { derived: expected, evicted, lag, gone }) });
  }
  return parts;
}

function stateOf(
  { suspect, absent, attribute }: Place,
  observation: { expected: string | null; stored: string | null } | undefined,
  known: { derived: Derived; evicted: ReadonlySet<string>; lag: LagKnowledge; gone: string | undefined },
): Pick<ExplainedPart, 'state' | 'reason' | 'difference'> {
  const type = suspect?.part.kind === 'element' ? typePrefix(suspect.part.target) : undefined;
  if (type !== undefined && known.evicted.has(type)) {
    return {
      state: 'evicted',
      reason: `The view is over its budget without ${type}: readers take these edges from a Query.`,
    };
  }
  const gone = known.gone && `${known.gone}: nothing is derived from it.`;
  const problem = known.derived.problems.find((one) => one.attribute !== undefined && one.attribute === attribute);
  if (observation === undefined) {
    return problem === undefined
      ? { state: 'absent', reason: gone ?? absent ?? 'Nothing is expected here.' }
      : { state: 'quarantined', reason: `${problem.message}.` };
  }
  const { expected, stored } = observation;
  if (expected === stored) {
    const isNothing = known.gone !== undefined && expected === null;
    return { state: 'right', reason: isNothing ? `${gone} Nothing is stored.` : 'It is stored as expected.' };
  }
  const difference = { expected, stored };
  const inWords = `expected is ${expected ?? 'nothing'}, stored is ${stored ?? 'nothing'}`;
  const { isApplied, text } = known.lag;
  return isApplied === true
    ? {
        state: 'drift',
        reason: `${text}, yet ${inWords}. Repair it: edgeloom check --repair.`,
        difference,
      }
    : { state: 'lag', reason: `${text}; ${inWords}.`, difference };
}

function nodePlaces(graph: CompiledModel, source: string, expected: Derived): Place[] {
  const line = `nodes.${typePrefix(source)}`;
  const part = { kind: 'attributes' } as const;
  const view: Place = { source, sortKey: VIEW_KEY, name: `${line}.view`, suspect: { source, sortKey: VIEW_KEY, part } };
  const places = itemPlaces(graph, { source, target: source }, `${line}.includeTarget`, expected);
  return keepsViews(graph, typePrefix(source) ?? '') ? [view, ...places] : places;
}

/** The places of a part: its view in each generation, and its searches. */
function partPlaces(graph: CompiledModel, key: ItemKey, expected: Derived): Place[] {
  return itemPlaces(graph, key, `nodes.${typePrefix(key.source)}.parts.${key.target}.view`, expected);
}

/** The places of a node's index items, or of those of a part; `line`: the line of the model that asks for one of no search. */
function itemPlaces(graph: CompiledModel, base: ItemKey, line: string, expected: Derived): Place[] {
  const { source, target } = base;
  return placesOfBase(graph, base).flatMap(({ key, searches }): Place[] => {
    // A node is among its edges only where the model says so for its type.
    if (searches === undefined) return expected.indexItems.has(key) ? [indexPlace(source, key, target, line)] : [];
    return searches.flatMap((search): Place[] => {
      const name = lineOfSearch(search);
      const found = [...expected.indexItems].filter(
        ([sortKey, fields]) =>
          search.inForce.places.isKeyOfSearch(sortKey) && fields[INDEX_KEYS[search.index].partition] !== undefined,
      );
      if (found.length > 0) return found.map(([sortKey]) => indexPlace(source, sortKey, target, name));
      const { order } = search;
      const attribute = order.kind === 'attribute' || order.kind === 'rank' ? order.attribute : search.name;
      const absent = `The ${search.part === undefined ? 'node' : 'part'} has no value for ${attribute}.`;
      return [{ source, sortKey: key, name, attribute, absent }];
    });
  });
}

function edgePlaces(graph: CompiledModel, key: ItemKey, edge: EdgeModel, expected: Derived): Place[] {
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
  for (const { key: item } of expected.inTarget ?? []) {
    const place = { source: item.source, sortKey: item.target };
    const suspect: Suspect = { ...place, part: { kind: 'reverse-item', base: key } };
    places.push({ ...place, name: `${line}.${kindOfTarget(item.target)!.askedBy}`, suspect });
    const total = countHolding(graph, key, item.target);
    if (total !== undefined) places.push(countPlace(item.source, total.key, `${line}.inbound.total`));
  }
  for (const { edges } of layersOf(graph)) {
    const { count } = edges.get(edge.type) ?? {};
    if (count?.totals !== undefined) places.push(countPlace(source, count.places.key, `${line}.outgoing`));
  }
  for (const { key: sortKey, orders = [] } of placesOfBase(graph, key)) {
    const fields = expected.indexItems.get(sortKey);
    if (orders.length === 0) places.push(indexPlace(source, sortKey, target, `${line}.degree`));
    for (const {
      name,
      index,
      order,
      places: { isDue },
    } of orders) {
      const place = isDue ? `${line}.expires` : `${line}.inbound.orders.${name}`;
      if (fields?.[INDEX_KEYS[index].partition] !== undefined) places.push(indexPlace(source, sortKey, target, place));
      else {
        const attribute = attributeOf(order) ?? name;
        const whose =
          order.kind === 'source' ? 'source node' : order.kind === 'parts' ? 'edge, or its source,' : 'edge';
        const partition = isDue ? undefined : edge.inbound?.partition?.attribute;
        const orPartition = partition === undefined ? '' : `, or for ${partition}, the partition of the list`;
        const absent = `The ${whose} has no value for ${attribute}, which orders it${orPartition}.`;
        places.push({ source, sortKey, name: place, attribute, absent });
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

function countPlace(source: string, sortKey: string, name: string): Place {
  return { source, sortKey, name, suspect: { source, sortKey, part: { kind: 'count' } } };
}

function indexPlace(source: string, sortKey: string, target: string, name: string): Place {
  return { source, sortKey, name, suspect: { source, sortKey, part: { kind: 'index-item', target } } };
}
