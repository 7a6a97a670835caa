import type {
  CompiledModel,
  EdgeModel,
  InboundItem,
  InboundModel,
  NodeModel,
  OrderModel,
  PartModel,
  Projection,
  SearchModel,
} from '../../src/core/model/compiled.ts';
import { heldAttributes } from '../../src/core/model/compiled.ts';
import {
  isJoinedEdge,
  joinedItemsOf,
  partsOfEdge,
  partsOfSource,
  sourceAttributesOf,
} from '../../src/core/model/joined.ts';
import { knownFields } from '../../src/core/model/known-fields.ts';
import { type NativeIndexNeed, nativeIndexes } from '../../src/core/model/native-indexes.ts';
import { packsOf } from '../../src/core/model/projection/search-pack.ts';

/** Units for writing a base item and its projections. A test compares them with the units that a store counts. */
export interface WriteCost {
  /** For a part, the node type and the part: `USER.STATE`. */
  type: string;
  kind: 'node' | 'part' | 'edge';
  write: 'create' | 'change' | 'delete';
  /** Absent for `create`, `delete`, and the change of an attribute that nothing derived uses. */
  attribute?: string;
  base: number;
  view: number;
  /** Includes the units in indexes. A multi-valued attribute has an index item for each value. */
  indexItems: number;
  /** Only for edges that copy attributes of their target. */
  reverseItem: number;
  /** Units of the transaction that writes the edge's entry and its target's total. Edges in one batch share the total's 2 units. */
  totalEntry: number;
  total: number;
  /**
   * RCU of the projector, excluding the registry: half a unit per derived item, and one per base item that these depend on, per Query of a
   * fan-out, and per total or count that may get a group.
   */
  read: number;
  /** Units of a hand-designed layout for the same queries: see `ASSUMPTIONS` in `capacity.ts`. */
  byHand: number;
  /** Maximum units per edge, by type, for edges that copy the node or whose index items use it. */
  perEdge?: Record<string, { wcu: number; rcu: number; byHand: number }>;
}

type Write = { write: 'create' | 'delete' } | { write: 'change'; attribute: string | undefined };

export type ValueCounts = ReadonlyMap<string, number>;

export function costsOfWrites(graph: CompiledModel, values: ValueCounts): WriteCost[] {
  const costs: WriteCost[] = [];
  const add = (type: Checked, used: ReadonlySet<string>, costOfWrite: (write: Write) => WriteCost): void => {
    const { indexes, attributes } = nativeOf(graph, type, used);
    for (const write of writesOf(new Set([...used, ...attributes]))) {
      const cost = costOfWrite(write);
      const ofIndexes = unitsOfNative(indexes, write);
      costs.push({ ...cost, base: cost.base + ofIndexes, total: cost.total + ofIndexes });
    }
  };
  for (const node of graph.nodes.values()) {
    add(node, attributesOfNode(graph, node), (write) => costOfNodeWrite(graph, node, write, values));
    for (const part of node.parts.values()) {
      add(part, attributesOfPart(graph, node, part), (write) => costOfPartWrite(graph, node, part, write, values));
    }
  }
  for (const edge of graph.edges.values())
    add(edge, attributesOfEdge(edge), (write) => costOfEdgeWrite(graph, edge, write));
  return costs;
}

type Checked = Pick<NodeModel, 'fields' | 'deletedWhen' | 'expires'>;

function nativeOf(
  graph: CompiledModel,
  { fields, deletedWhen, expires }: Checked,
  used: ReadonlySet<string>,
): { indexes: NativeIndexNeed[]; attributes: string[] } {
  const needs = nativeIndexes(graph);
  if (needs.length === 0) return { indexes: [], attributes: [] };
  const known = new Set([...used, ...(knownFields(fields)?.forms.keys() ?? [])]);
  const indexes = needs.filter(({ attribute }) => known.has(attribute));
  const billed = indexes.flatMap(({ attribute, attributes = [] }) => [attribute, ...attributes]);
  // Setting `deletedWhen` or `expires` removes the item, which counts as a delete.
  return { indexes, attributes: billed.filter((name) => known.has(name) && name !== deletedWhen && name !== expires) };
}

function unitsOfNative(indexes: readonly NativeIndexNeed[], write: Write): number {
  return sum(indexes, ({ attribute, attributes }) => {
    if (write.write !== 'change') return unitsOfIndex(indexChange(write, 'changes'));
    if (write.attribute === attribute) return unitsOfIndex('moves');
    const isHeld = attributes === undefined || attributes.includes(write.attribute ?? '');
    return unitsOfIndex(isHeld ? 'changes' : 'stays');
  });
}

function writesOf(attributes: ReadonlySet<string>): Write[] {
  const changes = [...attributes, undefined].map((attribute): Write => ({ write: 'change', attribute }));
  return [{ write: 'create' }, ...changes, { write: 'delete' }];
}

function costOf(
  of: Pick<WriteCost, 'type' | 'kind'>,
  write: Write,
  units: Partial<WriteCost> & Pick<WriteCost, 'byHand'>,
): WriteCost {
  const derived = { view: 0, indexItems: 0, reverseItem: 0, totalEntry: 0, read: 0, ...units };
  const { view, indexItems, reverseItem, totalEntry } = derived;
  const attribute = write.write === 'change' ? write.attribute : undefined;
  return {
    ...of,
    write: write.write,
    ...(attribute !== undefined && { attribute }),
    base: 1,
    ...derived,
    total: 1 + view + indexItems + reverseItem + totalEntry,
  };
}

/** Derived items are read eventually consistently, base items consistently. */
function readsOf(derivedItems: number, baseItems: number): number {
  return derivedItems === 0 ? 0 : derivedItems / 2 + baseItems;
}

function attributesOfNode(graph: CompiledModel, node: NodeModel): Set<string> {
  const copied = copyingEdges(graph, node).flatMap(({ copy = [] }) => copy);
  const joined = joinedEdges(graph, node).flatMap(sourceAttributesOf);
  const own = [...searchesOf(node, undefined).flatMap(attributesOfSearch), ...endOf(node)];
  // A name with a dot is an attribute of a part.
  return new Set([...own, ...listed(node.view), ...copied, ...joined.filter((name) => !name.includes('.'))]);
}

function attributesOfPart(graph: CompiledModel, node: NodeModel, part: PartModel): Set<string> {
  const joined = joinedEdges(graph, node).flatMap((edge) => partsOfEdge(edge).get(part.name) ?? []);
  const own = searchesOf(node, part.name).flatMap(attributesOfSearch);
  return new Set([...own, ...(part.view === undefined ? [] : listed(part.view.view)), ...joined]);
}

function costOfNodeWrite(graph: CompiledModel, node: NodeModel, write: Write, values: ValueCounts): WriteCost {
  const { type } = node;
  const searched = unitsOfSearches(searchesOf(node, undefined), write, values, node);
  const showsChange = isShown(node.view, write, node);
  const ownItems = node.includedBy.flatMap(({ inbound }) => inbound?.items ?? []);
  const ownOrders = ownItems.flatMap(({ orders }) => orders);
  const fanOuts = fanOutsOf(graph, node, undefined, write);
  const ownIndexes = [...searched.indexes, ...ownOrders.map(() => indexChange(write, 'none'))];
  const view = node.hasView && showsChange ? 1 : 0;
  const targetItems = showsChange ? ownItems : [];
  return costOf({ type, kind: 'node' }, write, {
    view,
    indexItems:
      searched.wcu + sum(targetItems, ({ orders }) => unitsOfItem(orders.map(() => indexChange(write, 'changes')))),
    read: readsOf(view + searched.items + targetItems.length, 1) + fanOuts.read,
    byHand: unitsByHand(ownIndexes) + searched.ofValuesByHand,
    ...fanOuts.perEdge,
  });
}

function costOfPartWrite(
  graph: CompiledModel,
  node: NodeModel,
  part: PartModel,
  write: Write,
  values: ValueCounts,
): WriteCost {
  const searched = unitsOfSearches(searchesOf(node, part.name), write, values);
  const fanOuts = fanOutsOf(graph, node, part, write);
  const view = part.view !== undefined && isShown(part.view.view, write) ? 1 : 0;
  return costOf({ type: `${node.type}.${part.name}`, kind: 'part' }, write, {
    view,
    indexItems: searched.wcu,
    read: readsOf(view + searched.items, 1) + fanOuts.read,
    byHand: unitsByHand(searched.indexes) + searched.ofValuesByHand,
    ...fanOuts.perEdge,
  });
}

/** Derived items also store the `expires` attribute of their node or edge. */
function isShown(projection: Projection, write: Write, ending: Ending = {}): boolean {
  if (write.write !== 'change') return true;
  if (projection.kind === 'ALL') return true;
  return write.attribute !== undefined && [...listed(projection), ...endOf(ending)].includes(write.attribute);
}

type Ending = Pick<NodeModel, 'expires'>;

function endOf({ expires }: Ending): string[] {
  return expires === undefined ? [] : [expires];
}

interface SearchUnits {
  wcu: number;
  items: number;
  indexes: IndexChange[];
  ofValuesByHand: number;
}

function unitsOfSearches(
  searches: readonly SearchModel[],
  write: Write,
  values: ValueCounts,
  ending?: Ending,
): SearchUnits {
  const units: SearchUnits = { wcu: 0, items: 0, indexes: [], ofValuesByHand: 0 };
  for (const pack of packsOf(searches)) {
    const search = pack[0]!;
    const effects = pack.map((each) => effectOnSearch(each, write, ending));
    const changes = effects.map((effect) => indexChange(write, effect));
    const isLeft = effects.every((effect) => effect === 'none');
    const one = isLeft ? 0 : unitsOfItem(changes);
    if (!search.multiValue) {
      if (!search.native) {
        units.wcu += one;
        units.items += isLeft ? 0 : 1;
      }
      units.indexes.push(...changes);
      continue;
    }
    const count = values.get(search.indexPartition) ?? 1;
    const isOfValues = write.write === 'change' && attributesOfOrder(search.order).includes(write.attribute ?? '');
    // Assumes that one value is replaced. Items of the other values change only if they project the attribute.
    const exchanged = unitsOfItem(['goes']) + unitsOfItem(['comes']);
    const others = isShown(search.project, write, ending) ? count - 1 : 0;
    const ofValues = isOfValues ? exchanged + others * unitsOfItem(['changes']) : count * one;
    if (isOfValues) units.items += 2 + others;
    else units.items += isLeft ? 0 : count;
    units.wcu += ofValues;
    units.ofValuesByHand += ofValues;
  }
  return units;
}

function effectOnSearch({ order, partition, project }: SearchModel, write: Write, ending?: Ending): Effect {
  if (write.write !== 'change') return 'changes';
  const { attribute = '' } = write;
  if ([...attributesOfOrder(order), partition].includes(attribute)) return 'moves';
  return isShown(project, write, ending) ? 'changes' : 'none';
}

type Effect = 'moves' | 'changes' | 'none';

function indexChange({ write }: Write, effect: Effect): IndexChange {
  if (write === 'create') return 'comes';
  if (write === 'delete') return 'goes';
  return effect === 'none' ? 'stays' : effect;
}

function fanOutsOf(
  graph: CompiledModel,
  node: NodeModel,
  part: PartModel | undefined,
  write: Write,
): { read: number; perEdge: Pick<WriteCost, 'perEdge'> } {
  const perEdge: NonNullable<WriteCost['perEdge']> = {};
  let read = 0;
  for (const { type, copy = [] } of part === undefined ? copyingEdges(graph, node) : []) {
    if (!isShown({ kind: 'LIST', attributes: copy }, write, node)) continue;
    // One unit for the Query of the reverse items, and one to read the node unless it's new. `perEdge` counts the views.
    read += write.write === 'create' ? 1 : 2;
    if (write.write !== 'create') perEdge[type] = { wcu: 1, rcu: readsOf(1, 1), byHand: 0 };
  }
  for (const edge of joinedEdges(graph, node)) {
    const used = part === undefined ? sourceAttributesOf(edge) : (partsOfEdge(edge).get(part.name) ?? []);
    const isUsed =
      write.write === 'change' ? used.includes(write.attribute ?? '') : part === undefined || used.length > 0;
    if (!isUsed) continue;
    const items = joinedItemsOf(edge);
    // One unit per Query (of each kind of item and of the edges), and per read of the node and its used parts.
    read += items.length + 1 + sourceNodeItems(graph, node.type);
    if (write.write !== 'create') perEdge[edge.type] = perEdgeOf(edge, items, part, write, perEdge[edge.type]);
  }
  return { read, perEdge: Object.keys(perEdge).length === 0 ? {} : { perEdge } };
}

function sourceNodeItems(graph: CompiledModel, nodeType: string): number {
  return 1 + partsOfSource(graph, nodeType).size;
}

function perEdgeOf(
  edge: EdgeModel,
  items: readonly InboundItem[],
  part: PartModel | undefined,
  write: Write,
  also = { wcu: 0, rcu: 0, byHand: 0 },
): { wcu: number; rcu: number; byHand: number } {
  const inbound = edge.inbound!;
  const attribute = sourceName(part, write);
  const effects = (orders: InboundItem['orders']): IndexChange[] =>
    orders.map(({ order }) => indexChange(write, effectOfSource(inbound, order, attribute, write)));
  // Every joined item is written, even if only its revision changes.
  const wcu = sum(items, ({ orders }) => unitsOfItem(effects(orders)));
  const byHand = effects(items.flatMap(({ orders }) => orders));
  return {
    wcu: also.wcu + wcu,
    rcu: also.rcu,
    byHand: byHand.some((change) => change !== 'stays' && change !== 'changes') ? unitsByHand(byHand) : 0,
  };
}

function sourceName(part: PartModel | undefined, write: Write): string {
  const attribute = write.write === 'change' ? (write.attribute ?? '') : '';
  return part === undefined ? attribute : `${part.name}.${attribute}`;
}

function effectOfSource(inbound: InboundModel, order: OrderModel, attribute: string, { write }: Write): Effect {
  const names = order.kind === 'parts' ? order.parts.flatMap(sourceOfPart) : sourceOfPart(order);
  const ofPartition = inbound.partition?.of === 'source' ? [inbound.partition.attribute] : [];
  if (write !== 'change' || [...names, ...ofPartition].includes(attribute)) return 'moves';
  return inbound.projectSource?.includes(attribute) === true ? 'changes' : 'none';
}

function sourceOfPart(order: OrderModel): string[] {
  return order.kind === 'source' ? [order.order.attribute] : [];
}

function attributesOfEdge(edge: EdgeModel): Set<string> {
  const { inbound } = edge;
  const ofOrders = [...(inbound?.orders.values() ?? [])].flatMap(({ order }) => attributesOfOrder(order));
  const partition = inbound?.partition?.of === 'edge' ? [inbound.partition.attribute] : [];
  const projected = inbound === undefined ? [] : listed(inbound.project);
  const own = [...attributesOfLabels(edge), ...attributesOfTotals(edge), ...endOf(edge)];
  return new Set([...own, ...ofOrders, ...partition, ...projected]);
}

function attributesOfLabels({ labels = [] }: EdgeModel): string[] {
  return labels.flatMap(({ from }) => (from.kind === 'attribute' ? [from.attribute] : []));
}

function attributesOfTotals({ count, incoming }: EdgeModel): string[] {
  return [count?.totals, incoming?.totals].flatMap((totals) =>
    [...(totals?.sums ?? []), ...(totals?.groups ?? [])].map(({ attribute }) => attribute),
  );
}

function costOfEdgeWrite(graph: CompiledModel, edge: EdgeModel, write: Write): WriteCost {
  const isChange = write.write === 'change';
  const shown: Projection = { kind: 'LIST', attributes: attributesOfLabels(edge) };
  const view = edge.labels !== undefined && isShown(shown, write, edge) ? 1 : 0;
  const items = unitsOfEdgeItems(edge, write);
  const entry = unitsOfTotal(edge.incoming?.totals, edge.incoming !== undefined, write);
  const reverseItem = edge.copy === undefined || isChange ? 0 : 1;
  // An index item depends on the edge and, if joined, on the source. A view's element depends only on the edge.
  const [from = ''] = edge.from;
  const deciding = 1 + (isJoinedEdge(edge) ? sourceNodeItems(graph, from) : 0);
  const others = items.items + (entry.wcu === 0 ? 0 : 1);
  const copied = view === 1 && edge.copy !== undefined ? 1 : 0;
  return costOf({ type: edge.type, kind: 'edge' }, write, {
    view,
    indexItems: items.wcu,
    reverseItem,
    totalEntry: entry.wcu,
    read:
      readsOf(reverseItem, deciding) +
      readsOf(view + others, (others === 0 ? 1 : deciding) + copied) +
      items.readOfCount +
      entry.readOfTotal,
    byHand: edgeByHand(edge, write),
  });
}

/** Returns the units of the transaction that updates a total, which is read first if the write may add a group. */
function unitsOfTotal(totals: Totals, isKept: boolean, write: Write): { wcu: number; readOfTotal: number } {
  if (!isKept || !changesTotals(totals, write)) return { wcu: 0, readOfTotal: 0 };
  return { wcu: 4, readOfTotal: addsGroupValue(totals, write) ? 1 : 0 };
}

type Totals = NonNullable<EdgeModel['count']>['totals'] | undefined;

function changesTotals(totals: Totals, write: Write): boolean {
  if (write.write !== 'change') return true;
  return [...(totals?.sums ?? []), ...(totals?.groups ?? [])].some(({ attribute }) => attribute === write.attribute);
}

function addsGroupValue(totals: Totals, write: Write): boolean {
  const groups = totals?.groups ?? [];
  if (write.write === 'change') return groups.some(({ attribute }) => attribute === write.attribute);
  return write.write === 'create' && groups.length > 0;
}

/** In a transaction, the item costs 1 unit more, and its count 2. */
const UNITS_OF_COUNTING = 3;

function unitsOfEdgeItems(edge: EdgeModel, write: Write): { wcu: number; items: number; readOfCount: number } {
  const { inbound, count } = edge;
  const declared = inbound === undefined || inbound.native ? [] : inbound.items;
  const shared = declared.find(({ orderName }) => orderName === undefined);
  // A counted edge needs an item for its count, even if no order shares it.
  const items: readonly Pick<InboundItem, 'orders' | 'orderName'>[] =
    count !== undefined && shared === undefined ? [...declared, { orders: [] }] : declared;
  const units = { wcu: 0, items: 0, readOfCount: 0 };
  for (const item of items) {
    const isCounted = count !== undefined && item.orderName === undefined;
    const changesCount = isCounted && changesTotals(count.totals, write);
    const effects = item.orders.map(({ order }) => effectOnEdgeItem(inbound!, order, write));
    const isHeld = item.orders.length > 0 && inbound !== undefined && isShown(heldAttributes(inbound), write, edge);
    if (write.write === 'change' && !changesCount && !isHeld && !effects.includes('moves')) continue;
    const content: Effect = isHeld ? 'changes' : 'none';
    const wcu = unitsOfItem(effects.map((effect) => indexChange(write, effect === 'none' ? content : effect)));
    units.wcu += changesCount ? wcu + UNITS_OF_COUNTING : wcu;
    units.items += 1;
    if (changesCount && addsGroupValue(count.totals, write)) units.readOfCount = 1;
  }
  if (edge.due !== undefined && (write.write !== 'change' || write.attribute === edge.expires)) {
    units.wcu += unitsOfItem([indexChange(write, 'moves')]);
    units.items += 1;
  }
  return units;
}

function effectOnEdgeItem(inbound: InboundModel, order: OrderModel, write: Write): Effect {
  if (write.write !== 'change') return 'changes';
  const { attribute = '' } = write;
  const ofPartition = inbound.partition?.of === 'edge' ? [inbound.partition.attribute] : [];
  return [...attributesOfOrder(order), ...ofPartition].includes(attribute) ? 'moves' : 'none';
}

/** Returns units of a hand-designed layout: index keys on the edge itself, and a transaction for counts and totals. */
function edgeByHand(edge: EdgeModel, write: Write): number {
  const orders = [...(edge.inbound?.orders.values() ?? [])];
  const own = unitsByHand(orders.map(({ order }) => indexChange(write, effectOnEdgeItem(edge.inbound!, order, write))));
  const counters = [edge.count, edge.incoming].filter((one) => one !== undefined && changesTotals(one.totals, write));
  return counters.length === 0 ? own : own + 1 + 2 * counters.length;
}

function attributesOfSearch({ order, partition, project }: SearchModel): string[] {
  return [...attributesOfOrder(order), ...(partition === undefined ? [] : [partition]), ...listed(project)];
}

function attributesOfOrder(order: OrderModel): readonly string[] {
  switch (order.kind) {
    case 'attribute':
    case 'rank':
      return [order.attribute];
    case 'path':
      return order.attributes;
    case 'parts':
      return order.parts.flatMap((part) => attributesOfOrder(part));
    default:
      return [];
  }
}

function listed(projection: Projection): readonly string[] {
  return projection.kind === 'LIST' ? projection.attributes : [];
}

function searchesOf({ searches }: NodeModel, part: string | undefined): SearchModel[] {
  return [...searches.values()].filter((search) => search.part === part);
}

function copyingEdges({ edges }: CompiledModel, { type }: NodeModel): EdgeModel[] {
  return [...edges.values()].filter(({ copy, to }) => copy !== undefined && to.has(type));
}

function joinedEdges(model: CompiledModel, { type }: Pick<NodeModel, 'type'>): EdgeModel[] {
  return [...model.edges.values()].filter((edge) => edge.from.has(type) && joinedItemsOf(edge).length > 0);
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

type IndexChange =
  | 'comes'
  | 'goes'
  /** The item's key in the index changes. */
  | 'moves'
  /** The key stays the same, but projected attributes change. */
  | 'changes'
  | 'stays';

/** Returns write units. Edgeloom's indexes don't project the revision, so changing only the revision costs nothing. */
function unitsOfIndex(change: IndexChange): number {
  if (change === 'stays') return 0;
  // DynamoDB deletes the old entry and puts a new one.
  return change === 'moves' ? 2 : 1;
}

function unitsOfItem(changes: readonly IndexChange[]): number {
  return changes.reduce((sum, change) => sum + unitsOfIndex(change), 1);
}

function unitsByHand(changes: readonly IndexChange[]): number {
  return changes.reduce((sum, change) => sum + (change === 'moves' ? 2 : 1), 1);
}
