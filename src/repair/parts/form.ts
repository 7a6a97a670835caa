import { checkTime, updateItem } from '../../apply/context.ts';
import { type Item, typeOf } from '../../items/attribute-value.ts';
import { REVISION, revisionOf, unchanged, WATERMARK } from '../../items/derived-item.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { readItem } from '../../store/pages.ts';
import type { ItemKey } from '../../store/port.ts';
import type { SettleContext } from '../settle/context.ts';
import type { ItemKind, OddityContext, Part, PartKind } from './kind.ts';
import { hasPlausibleWatermark } from './watermark.ts';

/**
 * The form of an item: the attributes that its kind has, and no others, and a revision that counts its writes. An attribute that
 * does not belong there may have readers: index keys on a view are counted, an unknown attribute is paid for with every write.
 */
export const form: PartKind<Extract<Part, { kind: 'form' }>> = {
  isContent: false,
  decidingKeys: () => [],
  compare({ graph }, { kind, derived }) {
    const found = derived === undefined ? [] : misshapen(kind, graph, derived);
    if (derived !== undefined && !hasRevision(derived)) found.push(REVISION);
    return {
      wanted: null,
      stored: found.length === 0 ? null : `attributes that it cannot have so: ${found.join(', ')}`,
    };
  },
};

const NONE: readonly Part[] = [];

/** What can be wrong with an item of any kind whatever base items say. */
export function oddities(kind: ItemKind, context: OddityContext, item: Item): readonly Part[] {
  const { graph } = context;
  const isFenced = !kind.attributes.has(WATERMARK) || hasPlausibleWatermark(context, item);
  // rule: expiry-on-a-live-item-is-drift
  const expires = item[graph.table.ttl] !== undefined && (!kind.hasTombstones || kind.isLive(item));
  const isFormed = hasRevision(item) && misshapen(kind, graph, item).length === 0;
  if (isFenced && !expires && isFormed) return NONE;
  const parts: Part[] = isFenced ? [] : [{ kind: 'watermark' }];
  if (expires) parts.push({ kind: 'expiry' });
  if (!isFormed) parts.push({ kind: 'form' });
  return parts;
}

/** Takes away what an item cannot have; a revision that counts nothing begins anew with any write. */
export async function mendForm(context: SettleContext, kind: ItemKind, key: ItemKey): Promise<void> {
  for (;;) {
    checkTime(context);
    const item = await readItem(context, key);
    if (item === undefined) return;
    const unset = misshapen(kind, context.graph, item);
    if (unset.length === 0 && hasRevision(item)) return;
    const condition = unchanged(item, context.graph.table.ttl);
    if ((await updateItem(context, { key, set: {}, unset, condition })).applied) return;
  }
}

function hasRevision(item: Item): boolean {
  return revisionOf(item) !== undefined;
}

/** Names of attributes that a kind does not have, or has of another type. */
function misshapen(kind: ItemKind, { table }: CompiledModel, item: Item): string[] {
  const found: string[] = [];
  for (const name of Object.keys(item)) {
    if (name === table.partitionKey || name === table.sortKey || name === table.ttl || name === REVISION) continue;
    const type = kind.attributes.get(name);
    if (type === undefined || (type !== 'any' && typeOf(item[name]!) !== type)) found.push(name);
  }
  return found;
}
