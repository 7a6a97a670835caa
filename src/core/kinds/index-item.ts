import { type AttributeType, canonicalText, type Item, stringOf } from '../items/attribute-value.ts';
import { COUNTED, INDEX_ITEM_FIELDS, INDEX_KEYS, MODEL, OTHER } from '../items/derived-item.ts';
import { baseKeyOfIndexItem, formatDerivedKey, parseDerivedKey } from '../items/derived-key.ts';
import { BASE_ITEMS, isTypeName, parseNodeId, SORT_KEY_BYTES, typePrefix } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { needsSource } from '../model/joined.ts';
import { DUE_ORDER, type IndexPlace, parseIndexPartition } from '../model/projection/index-places.ts';
import { countKeyOf, FanOutPlaces, placesOfCount } from '../model/projection/places.ts';
import { queriedItems, type ReadStats } from '../store-pages.ts';
import type { ItemKey, Store } from '../store-port.ts';
import { fanOutSeen } from './continuation.ts';
import { type Difference, digestOfImages, type Judging, keyOfSuspect, type Suspect } from './difference.ts';
import { faultsOfForm } from './form.ts';
import { keysOfBase } from './joined.ts';
import { type ItemKind, type KeyOf, MANY, origin, type SharedKind } from './kind.ts';

/** The properties that index items share with kinds that are compared and repaired like them. */
export const WITH_BASE: SharedKind = {
  decidedBy: 'partition',
  hasBase: true,
  attributes: new Map<string, AttributeType | 'any'>([...INDEX_ITEM_FIELDS, MODEL].map((name) => [name, 'any'])).set(
    OTHER,
    'SS',
  ),
  hasTombstones: true,
  isLive: (item) => indexItemText(item) !== undefined,
  keysBeside: (graph, suspect, base) =>
    isJoined(graph, suspect, base) ? [continuationOfNode(base), ...keysOfBase(graph, base).slice(1)] : [],
  faults: (graph, item) => faultsOfForm(WITH_BASE, graph, item),
  differences: differencesByBase,
  addTo: (content, sortKey, item) => content.addActualIndexItem(sortKey, item),
};

export const indexItem: ItemKind<'index-item'> = {
  ...WITH_BASE,
  name: 'index-item',
  lifetime: { of: 'generation', projectionOf },
  originsOf(_graph, { source, target }) {
    const base = baseKeyOfIndexItem(source, target);
    const nodeType = typePrefix(source) ?? '';
    if (base !== undefined && isTypeName(base)) {
      const line = `nodes.${nodeType}.parts.${base}.search`;
      return [origin({ source, target: base }, line, 'The part that its node is found by.')];
    }
    const type = base === undefined || base === source ? undefined : typePrefix(base);
    const key = parseDerivedKey(target);
    if (key?.kind === 'index-item' && key.of === 'edge' && key.order === DUE_ORDER)
      return [
        origin({ source, target: base ?? MANY }, `edges.${type ?? '…'}.expires`, 'The edge that it deletes on time.'),
      ];
    if (type !== undefined)
      return [origin({ source, target: base! }, `edges.${type}.inbound`, 'The edge that it finds.')];
    return [origin({ source, target: source }, `nodes.${nodeType}.search`, 'The node that it finds.')];
  },
};

function projectionOf(source: string, key: KeyOf<'index-item'>, item: Item): IndexPlace | undefined {
  const { generation } = key;
  if (key.of === 'search') {
    const type = parseNodeId(source)?.type;
    return type === undefined ? undefined : { of: 'search', type, search: key.search, generation };
  }
  if (key.of !== 'edge') return undefined;
  const edgeType = key.edge.hash === undefined ? key.edgeType : edgeTypeOfHashedKey(item);
  return edgeType === undefined ? undefined : { of: 'edge', edgeType, order: key.order, generation };
}

function edgeTypeOfHashedKey(item: Item): string | undefined {
  const counted = stringOf(item[COUNTED]);
  if (counted !== undefined) return placesOfCount(countKeyOf(counted)).edgeType;
  return projectionsOfIndexPartitions(item).find((place) => place.of === 'edge')?.edgeType;
}

export function projectionsOfIndexPartitions(item: Item): IndexPlace[] {
  return Object.values(INDEX_KEYS).flatMap(({ partition }) => {
    const place = parseIndexPartition(stringOf(item[partition]) ?? '');
    return place === undefined ? [] : [place];
  });
}

function differencesByBase({ graph, suspect, was, decided }: Judging): readonly Difference[] {
  const [base] = suspect.bases ?? [];
  const expected = indexItemText(base && decided.fieldsOf(base, keyOfSuspect(suspect))) ?? null;
  const stored = indexItemText(was) ?? null;
  const ofForm = was === undefined ? [] : WITH_BASE.faults(graph, was);
  if (expected === stored) return ofForm;
  const keys = base === undefined ? [] : keysOfBase(graph, base);
  const fields: Difference = {
    kind: 'fields',
    expected,
    stored,
    base: digestOfImages(keys.map((key) => decided.imageOf(key))),
  };
  if (base === undefined || !isJoined(graph, suspect, base)) return [fields, ...ofForm];
  const fanOut = fanOutSeen(decided.imageOf(continuationOfNode(base)), base.target);
  return [{ ...fields, fanOut }, ...ofForm];
}

function isJoined(graph: CompiledModel, { source }: Suspect, base: ItemKey): boolean {
  return source === base.source && needsSource(graph, base.target);
}

function continuationOfNode({ source, target }: ItemKey): ItemKey {
  return { source, target: new FanOutPlaces(typePrefix(target) ?? '').continuation('joined') };
}

export function indexItemText(item: Item | undefined): string | undefined {
  const fields: Item = {};
  for (const name in item) if (INDEX_ITEM_FIELDS.has(name)) fields[name] = item[name]!;
  return Object.keys(fields).length === 0 ? undefined : canonicalText({ M: fields });
}

export async function findEdgeOfHashedKey(
  { graph, store, stats }: { graph: CompiledModel; store: Pick<Store, 'query'>; stats?: ReadStats },
  source: string,
  indexKey: string,
): Promise<string | undefined> {
  const named = parseDerivedKey(indexKey);
  if (named?.kind !== 'index-item' || named.of !== 'edge') return undefined;
  const request = { partition: source, sortKey: BASE_ITEMS, consistent: true };
  for await (const item of queriedItems(store, request, stats)) {
    const key = stringOf(item[graph.table.sortKey]) ?? '';
    // The index items of an edge with a short sort key don't have hashed keys.
    if (key.length * 3 > SORT_KEY_BYTES / 2 && formatDerivedKey({ ...named, edge: { text: key } }) === indexKey)
      return key;
  }
  return undefined;
}
