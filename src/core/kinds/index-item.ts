import { type AttributeType, canonicalText, type Item, stringOf } from '../items/attribute-value.ts';
import { COUNTED, INDEX_ITEM_FIELDS, INDEX_KEYS, MODEL, OTHER, revisionOf } from '../items/derived-item.ts';
import { baseKeyOfIndexItem, formatDerivedKey, parseDerivedKey } from '../items/derived-key.ts';
import { BASE_ITEMS, isTypeName, parseNodeId, SORT_KEY_BYTES, typePrefix } from '../items/keys.ts';
import { needsSource, sourceNodeKeys, sourceNodeOf } from '../model/joined.ts';
import { DUE_ORDER } from '../model/projection/due-order.ts';
import { type IndexPlace, parseIndexPartition } from '../model/projection/index-places.ts';
import { countKeyOf, FanOutPlaces, placesOfCount } from '../model/projection/places.ts';
import { queriedItems } from '../store-pages.ts';
import { fanOutPlace, willFanOutVisit } from './continuation.ts';
import { oddities } from './form.ts';
import { type ItemKind, type KeyOf, MANY, origin, type SharedKind } from './kind.ts';
import { hashOfText, imageText, type JudgeContext, type Part, type PartKind, stateByBase } from './part.ts';

/** What all items have that readers find through an index. */
export const INDEXED: SharedKind = {
  decidedBy: 'partition',
  hasBase: true,
  attributes: new Map<string, AttributeType | 'any'>([...INDEX_ITEM_FIELDS, MODEL].map((name) => [name, 'any'])).set(
    OTHER,
    'SS',
  ),
  hasTombstones: true,
  isLive: (item) => indexItemText(item) !== undefined,
  oddities: (context, item) => oddities(INDEXED, context, item),
  addTo: (content, sortKey, item) => content.addActualIndexItem(sortKey, item),
};

export const indexItem: ItemKind<'index-item'> = {
  ...INDEXED,
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

/** The edge type that an item with a hashed key names in its count or index partition. */
function edgeTypeOfHashedKey(item: Item): string | undefined {
  const counted = stringOf(item[COUNTED]);
  if (counted !== undefined) return placesOfCount(countKeyOf(counted)).edgeType;
  return projectionsOfIndexPartitions(item).find((place) => place.of === 'edge')?.edgeType;
}

/** The projections in whose index partitions an item lies, whatever its own key is. */
export function projectionsOfIndexPartitions(item: Item): IndexPlace[] {
  return Object.values(INDEX_KEYS).flatMap(({ partition }) => {
    const place = parseIndexPartition(stringOf(item[partition]) ?? '');
    return place === undefined ? [] : [place];
  });
}

export const indexItemPart: PartKind<Extract<Part, { kind: 'index-item' }>> = {
  isContent: true,
  async decidingKeys(context, { source, sortKey, part }) {
    const target = part.target ?? (await findEdgeOfHashedKey(context, source, sortKey));
    if (target === undefined) return [];
    if (!needsSource(context.graph, target)) return [{ source, target }];
    // A joined item also depends on the source node with its parts, and on that node's fan-out under way.
    const continuation = new FanOutPlaces(typePrefix(target) ?? '').continuation('joined');
    return [target, continuation, ...sourceNodeKeys(context.graph, source)].map((key) => ({ source, target: key }));
  },
  compare({ graph, derivedOf }, { suspect: { source, sortKey }, derived, keys, items }) {
    const node = keys.length < 2 ? undefined : sourceNodeOf(graph, source, items.slice(2));
    const expected = derivedOf(graph, source, keys[0]?.target ?? '', items[0], node).indexItems.get(sortKey);
    return { expected: indexItemText(expected) ?? null, stored: indexItemText(derived) ?? null };
  },
  state(seen) {
    const { keys, items } = seen;
    if (keys.length < 2) return stateByBase(seen);
    const [edge, continuation, ...node] = items;
    // If the fan-out is past this edge, it has already written the item, changing its revision.
    const isAhead = willFanOutVisit(continuation, keys[0]!.target);
    const moved = (isAhead && revisionOf(continuation)) || '';
    return {
      revision: `${revisionOf(seen.derived) ?? ''}/${moved}`,
      base: hashOfText([edge, ...node].map(imageText).join('\0') + moved),
      fanOut: isAhead ? fanOutPlace(continuation) : undefined,
    };
  },
};

/** Undefined if it has no fields: it is absent or a tombstone. */
export function indexItemText(item: Item | undefined): string | undefined {
  const fields: Item = {};
  for (const name in item) if (INDEX_ITEM_FIELDS.has(name)) fields[name] = item[name]!;
  return Object.keys(fields).length === 0 ? undefined : canonicalText({ M: fields });
}

/** Only edges with a long sort key have hashed names. */
export async function findEdgeOfHashedKey(
  { graph, store }: Pick<JudgeContext, 'graph'> & { store: Pick<JudgeContext['store'], 'query'> },
  source: string,
  indexKey: string,
): Promise<string | undefined> {
  const named = parseDerivedKey(indexKey);
  if (named?.kind !== 'index-item' || named.of !== 'edge') return undefined;
  const request = { partition: source, sortKey: BASE_ITEMS, consistent: true };
  for await (const item of queriedItems(store, request)) {
    const key = stringOf(item[graph.table.sortKey]) ?? '';
    if (key.length * 3 > SORT_KEY_BYTES / 2 && formatDerivedKey({ ...named, edge: { text: key } }) === indexKey)
      return key;
  }
  return undefined;
}
