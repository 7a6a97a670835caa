import { type AttributeType, canonicalText, type Item, stringOf } from '../../items/attribute-value.ts';
import { COUNTED, FENCE, INDEX_ITEM_FIELDS, MODEL, WATERMARK } from '../../items/derived-item.ts';
import { classifyDerivedKey } from '../../items/derived-key.ts';
import {
  baseKeyOfIndexItem,
  degreeKey,
  edgeIndexKey,
  orderOfIndexKey,
  SORT_KEY_BYTES,
  typePrefix,
} from '../../items/keys.ts';
import { derivedOf } from '../../plan/derive.ts';
import { queriedItems } from '../../store/pages.ts';
import type { ItemKey } from '../../store/port.ts';
import type { SettleContext } from '../settle/context.ts';
import { settleIndexItem } from '../settle/index-item.ts';
import { count, settleCount } from './count.ts';
import { oddities } from './form.ts';
import type { ItemKind, ObserveContext, Part, PartKind } from './kind.ts';
import { NO_WATERMARK } from './kind.ts';

/** An item of a search, of an edge, or of a node among its edges: found through an index. */
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
    // One that is named by a hash, and that no edge of the partition has, no base item wants: any absent one says so.
    const target = baseKeyOfIndexItem(source, sortKey) ?? (await edgeNamedBy(context, source, sortKey)) ?? sortKey;
    const { item } = await context.store.get(key, { consistent: true });
    await settleIndexItem(context, { source, target }, key, NO_WATERMARK);
    await settleOtherCount(context, key, target, stringOf(item?.[COUNTED]));
    return true;
  },
};

/**
 * Settles a count that an item was in by mistake: it has left it, and the transaction that moved the count of its own edge type
 * knows of no other.
 */
async function settleOtherCount(
  context: SettleContext,
  { source }: ItemKey,
  base: string,
  name: string | undefined,
): Promise<void> {
  if (name === undefined) return;
  const target = degreeKey(name);
  const key = classifyDerivedKey(target);
  if (key === undefined || key.edgeType === typePrefix(base) || count.isKept?.(context.graph, key) !== true) return;
  await settleCount(context, source, target);
}

/** The fields of an index item: its base item decides. */
export const indexItemPart: PartKind<Extract<Part, { kind: 'index-item' }>> = {
  isContent: true,
  async decidingKeys(context, { source, sortKey, part }) {
    const target = part.target ?? (await edgeNamedBy(context, source, sortKey));
    return target === undefined ? [] : [{ source, target }];
  },
  compare({ graph }, { suspect: { source, sortKey }, derived, keys, items }) {
    const wanted = derivedOf(graph, source, keys[0]?.target ?? '', items[0]).indexItems.get(sortKey);
    return { wanted: indexItemText(wanted) ?? null, stored: indexItemText(derived) ?? null };
  },
};

/** An index item, stored or wanted, as one text; undefined where it has no fields: it is absent, or a tombstone. */
export function indexItemText(item: Item | undefined): string | undefined {
  const fields: Item = {};
  for (const name of INDEX_ITEM_FIELDS) if (item?.[name] !== undefined) fields[name] = item[name];
  return Object.keys(fields).length === 0 ? undefined : canonicalText({ M: fields });
}

/** The edge whose index item is named by this hash; only edges with a long sort key have such names. */
async function edgeNamedBy(
  { graph, store }: Pick<ObserveContext, 'graph'> & { store: Pick<ObserveContext['store'], 'query'> },
  source: string,
  indexKey: string,
): Promise<string | undefined> {
  const orderName = orderOfIndexKey(indexKey);
  const request = { partition: source, sortKey: { from: 'A', to: '[' }, consistent: true };
  for await (const item of queriedItems(store, request)) {
    const key = stringOf(item[graph.table.sortKey]) ?? '';
    if (key.length * 3 > SORT_KEY_BYTES / 2 && edgeIndexKey(key, orderName) === indexKey) return key;
  }
  return undefined;
}
