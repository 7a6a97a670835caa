import { type Item, numberOf, sameValue } from '../items/attribute-value.ts';
import { COUNT, MODEL, REVISION, revisionOf } from '../items/derived-item.ts';
import { typePrefix } from '../items/keys.ts';
import {
  type Amounts,
  addAmounts,
  amountsOf,
  hasRoomForOthers,
  isAmountAttribute,
  soundAmounts,
  storedAmounts,
  textOfAmounts,
} from '../items/ledger.ts';
import { type CompiledModel, type CountModel, type EdgeModel, layersOf } from '../model/compiled.ts';
import { type CounterPlaces, countKeyOf, placesOfCount } from '../model/projection/places.ts';
import { queriedItems } from '../store-pages.ts';
import type { ItemKey, Store } from '../store-port.ts';
import type { Difference } from './difference.ts';
import { faultsOfForm } from './form.ts';
import { type ItemKind, MANY, origin, placeholderOfEdges } from './kind.ts';
import { lineOfCount, lineOfTotal } from './parts/totals.ts';

/**
 * The number of a node's edges of a type, with their sums and groups. If the share of a counted item changes, one
 * transaction writes the item and the count.
 */
const COUNTS: Omit<ItemKind<'count' | 'total'>, 'name' | 'originsOf'> = {
  // rule: totals-belong-to-their-generation
  lifetime: {
    of: 'generation',
    projectionOf: (_source, { edgeType, generation }) => ({ of: 'edge', edgeType, generation }),
  },
  decidedBy: 'partition',
  hasBase: false,
  attributes: new Map([[MODEL, 'any']]),
  canHave: isAmountAttribute,
  hasTombstones: false,
  isKept: (graph, _key, sortKey) => isKeptCount(graph, sortKey),
  isLive: (item) => item !== undefined,
  faults: (graph, item) => faultsOfForm(COUNTS, graph, item),
  async differences({ graph, suspect: { source, sortKey }, was, store }) {
    const ofForm = was === undefined ? [] : faultsOfForm(COUNTS, graph, was);
    const { live, stored } = await readCountWithItems({ store }, source, sortKey, was);
    return [...ofForm, ...countDifferences(live, stored)];
  },
  addTo: (content, sortKey, item) => content.addCount(placesOfCount(sortKey).name, soundAmounts(item)),
};

export const count: ItemKind<'count'> = {
  ...COUNTS,
  name: 'count',
  originsOf: (graph, { source }, { edgeType }, item) => {
    const number = numberOf(item[COUNT]) ?? 'no number';
    const line = lineOfCount({ ...graph.edges.get(edgeType), type: edgeType });
    return [origin({ source, target: placeholderOfEdges(edgeType) }, line, `Edges that it counts: ${number}.`)];
  },
};

export const total: ItemKind<'total'> = {
  ...COUNTS,
  name: 'total',
  originsOf: (graph, _place, { edgeType }, item) => {
    const number = numberOf(item[COUNT]) ?? 'no number';
    const edges = { source: MANY, target: placeholderOfEdges(edgeType) };
    const line = lineOfTotal({ ...graph.edges.get(edgeType), type: edgeType });
    return [origin(edges, line, `Edges that it adds up: ${number}.`)];
  },
};

function countDifferences(live: Amounts, stored: Item | undefined): Difference[] {
  const amounts = storedAmounts(stored);
  const isSound = amounts === undefined || soundAmounts(stored) !== undefined;
  const expected = `a count of ${textOfAmounts(live)}`;
  const text = `a count of ${amounts === undefined ? 'nothing' : textOfAmounts(amounts)}`;
  const actual = isSound ? text : `${text}, with other values in keys/…`;
  // Many base items determine a count, so its revision replaces their digest.
  const base = revisionOf(stored) ?? '';
  if (expected !== actual) return [{ kind: 'count', expected, stored: actual, base }];
  // Deleted edges have made room, so that the count can name more values. Until the count names them, readers refuse
  // the groups.
  if (amounts === undefined || !hasRoomForOthers(amounts)) return [];
  return [{ kind: 'room', expected: 'names for values of groups', stored: 'values without a name', base }];
}

const MOST_ATTEMPTS = 5;

/**
 * Reads a stored count and adds up its items as of the same moment: if the count's revision changes meanwhile, adds the
 * items up again. After `MOST_ATTEMPTS`, returns the last numbers, even if they are from different moments.
 */
export async function readCountWithItems(
  { store }: { store: Pick<Store, 'getMany' | 'query'> },
  source: string,
  sortKey: string,
  seen: Item | undefined,
): Promise<{ live: Amounts; stored: Item | undefined }> {
  const { name } = placesOfCount(sortKey);
  let stored = seen;
  for (let attempt = 1; ; attempt++) {
    const live: Amounts = new Map();
    for await (const item of itemsToCount(store, source, sortKey)) addAmounts(live, amountsOf(item, name));
    const [again] = (await store.getMany([{ source, target: sortKey }], { consistent: true })).items;
    if (attempt === MOST_ATTEMPTS || sameValue(stored?.[REVISION], again?.[REVISION])) return { live, stored };
    stored = again;
  }
}

export async function* itemsToCount(
  store: Pick<Store, 'query'>,
  source: string,
  countKey: string,
): AsyncGenerator<Item, void> {
  for (const beginsWith of placesOfCount(countKey).itemPrefixes) {
    // rule: counted-items-are-listed-consistently
    yield* queriedItems(store, { partition: source, sortKey: { beginsWith }, consistent: true });
  }
}

/** Returns the count or total that includes an edge's item with this sort key; undefined if none does. */
export function countHolding(graph: CompiledModel, base: ItemKey, sortKey: string): CounterPlaces | undefined {
  const edgeType = base.source === base.target ? undefined : typePrefix(base.target);
  if (edgeType === undefined) return undefined;
  for (const { edges } of layersOf(graph)) {
    for (const { places } of countsOf(edges.get(edgeType))) if (places.itemKey(base) === sortKey) return places;
  }
  return undefined;
}

export function countNamed(graph: CompiledModel, name: string): CountModel | undefined {
  const { edgeType } = placesOfCount(countKeyOf(name));
  for (const { edges } of layersOf(graph)) {
    const count = countsOf(edges.get(edgeType)).find(({ places }) => places.name === name);
    if (count !== undefined) return count;
  }
  return undefined;
}

export function isKeptCount(graph: CompiledModel, countKey: string): boolean {
  return countNamed(graph, placesOfCount(countKey).name) !== undefined;
}

function countsOf(edge: EdgeModel | undefined): CountModel[] {
  return [edge?.count, edge?.incoming].filter((count) => count !== undefined);
}
