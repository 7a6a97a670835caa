import { reconcile } from '../../apply/reconcile.ts';
import { type AttributeType, canonicalText, type Item, stringOf } from '../../items/attribute-value.ts';
import { COUNTED, FENCE, INDEX_ITEM_FIELDS, MODEL, revisionOf, WATERMARK } from '../../items/derived-item.ts';
import { baseKeyOfIndexItem, formatDerivedKey, parseDerivedKey } from '../../items/derived-key.ts';
import { BASE_ITEMS, SORT_KEY_BYTES, typePrefix } from '../../items/keys.ts';
import { needsSource } from '../../model/joined.ts';
import { type CountPlaces, countKeyOf, FanOutPlaces } from '../../model/projection/places.ts';
import { countHolding, isKeptCount } from '../../plan/counted.ts';
import { derivedOf } from '../../plan/derive.ts';
import { queriedItems } from '../../store/pages.ts';
import { NO_WATERMARK, type SettleContext } from '../settle/context.ts';
import { burialOf, settleIndexItem } from '../settle/index-item.ts';
import { isAheadOf, placeOf } from './continuation.ts';
import { settleCount } from './count.ts';
import { oddities } from './form.ts';
import {
  hashed,
  type ItemKind,
  imageText,
  type ObserveContext,
  type Part,
  type PartKind,
  stateByBase,
} from './kind.ts';

/** An item of a search, of an edge, or of a node among its edges, which readers find through an index. */
export const indexItem: ItemKind = {
  name: 'index-item',
  decidedBy: 'partition',
  attributes: new Map<string, AttributeType | 'any'>(
    [...INDEX_ITEM_FIELDS, WATERMARK, MODEL].map((name) => [name, 'any']),
  ).set(FENCE, 'N'),
  hasTombstones: true,
  mendOrder: 2,
  isLive: (item) => indexItemText(item) !== undefined,
  oddities: (context, item) => oddities(indexItem, context, item),
  async mend(context: SettleContext, key) {
    const { source, target: sortKey } = key;
    const { actual, expected } = await reconcile(context, {
      key,
      async expected(item) {
        // The search for the edge follows the read of the item. If the edge is put later, its write changes the item, so the
        // update fails.
        const target = baseKeyOfIndexItem(source, sortKey) ?? (await edgeNamedBy(context, source, sortKey));
        return { target, burial: target === undefined ? await burialOf(context, key, item) : undefined };
      },
      update: (_item, { burial }) => burial,
    });
    const { target } = expected;
    if (target !== undefined) await settleIndexItem(context, { source, target }, key, NO_WATERMARK);
    const holding = target === undefined ? undefined : countHolding(context.graph, { source, target }, sortKey);
    await settleOtherCount(context, source, stringOf(actual?.[COUNTED]), holding);
    return true;
  },
};

/**
 * Reconciles a count that contained an item by mistake. The item has left that count, and the transaction that wrote the item
 * changed only the count that holds items in its place.
 *
 * @param name the count that the item named.
 */
async function settleOtherCount(
  context: SettleContext,
  source: string,
  name: string | undefined,
  holding: CountPlaces | undefined,
): Promise<void> {
  if (name === undefined || name === holding?.name) return;
  const target = countKeyOf(name);
  if (!isKeptCount(context.graph, target)) return;
  await settleCount(context, source, target);
}

/** The fields of an index item. Its base item decides about them. */
export const indexItemPart: PartKind<Extract<Part, { kind: 'index-item' }>> = {
  isContent: true,
  async decidingKeys(context, { source, sortKey, part }) {
    const target = part.target ?? (await edgeNamedBy(context, source, sortKey));
    if (target === undefined) return [];
    if (!needsSource(context.graph, target)) return [{ source, target }];
    // A joined item also depends on the source node, and on a fan-out of that node under way.
    return [target, source, new FanOutPlaces(typePrefix(target) ?? '').continuation('joined')].map((key) => ({
      source,
      target: key,
    }));
  },
  compare({ graph }, { suspect: { source, sortKey }, derived, keys, items }) {
    const node = keys.length < 2 ? undefined : { item: items[1] };
    const wanted = derivedOf(graph, source, keys[0]?.target ?? '', items[0], node).indexItems.get(sortKey);
    return { wanted: indexItemText(wanted) ?? null, stored: indexItemText(derived) ?? null };
  },
  state(seen) {
    const { keys, items } = seen;
    if (keys.length < 2) return stateByBase(seen);
    const [edge, node, continuation] = items;
    // If the fan-out is past this edge, it has written the item already, which changed the item's revision.
    const isAhead = isAheadOf(continuation, keys[0]!.target);
    const moved = (isAhead && revisionOf(continuation)) || '';
    return {
      revision: `${revisionOf(seen.derived) ?? ''}/${moved}`,
      base: hashed([edge, node].map(imageText).join('\0') + moved),
      fanOut: isAhead ? placeOf(continuation) : undefined,
    };
  },
};

/** The fields of an index item, expected or actual, as one text; undefined if it has none: it is absent, or a tombstone. */
export function indexItemText(item: Item | undefined): string | undefined {
  const fields: Item = {};
  for (const name of INDEX_ITEM_FIELDS) if (item?.[name] !== undefined) fields[name] = item[name];
  return Object.keys(fields).length === 0 ? undefined : canonicalText({ M: fields });
}

/** Finds the edge whose index item has this hash in its name. Only edges with a long sort key have such names. */
async function edgeNamedBy(
  { graph, store }: Pick<ObserveContext, 'graph'> & { store: Pick<ObserveContext['store'], 'query'> },
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
