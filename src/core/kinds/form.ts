import { type Item, typeOf } from '../items/attribute-value.ts';
import { REVISION, revisionOf } from '../items/derived-item.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ItemForm, Part, PartKind } from './part.ts';

/**
 * A valid item has a revision that counts its writes, and only attributes of its kind. Foreign attributes do harm:
 * index keys on a view put it into an index and its counts, and every write pays for an unknown attribute.
 */
export const form: PartKind<Extract<Part, { kind: 'form' }>> = {
  isContent: false,
  isOfForm: true,
  decidingKeys: () => [],
  compare({ graph }, { form, derived }) {
    const found = derived === undefined ? [] : misshapenAttributes(form, graph, derived);
    if (derived !== undefined && !hasRevision(derived)) found.push(REVISION);
    return {
      expected: null,
      stored: found.length === 0 ? null : `attributes that it cannot have so: ${found.join(', ')}`,
    };
  },
};

const NONE: readonly Part[] = [];

export function oddities(kind: ItemForm, graph: CompiledModel, item: Item): readonly Part[] {
  // rule: expiry-on-a-live-item-is-drift
  const expires = item[graph.table.ttl] !== undefined && (!kind.hasTombstones || kind.isLive(item));
  const isFormed = hasRevision(item) && misshapenAttributes(kind, graph, item).length === 0;
  if (!expires && isFormed) return NONE;
  const parts: Part[] = [];
  if (expires) parts.push({ kind: 'expiry' });
  if (!isFormed) parts.push({ kind: 'form' });
  return parts;
}

export function hasRevision(item: Item): boolean {
  return revisionOf(item) !== undefined;
}

/** Attributes that a kind doesn't have, or has with another type. */
export function misshapenAttributes(kind: ItemForm, model: CompiledModel, item: Item): string[] {
  const found: string[] = [];
  for (const name of Object.keys(item)) {
    if (
      name === model.table.partitionKey ||
      name === model.table.sortKey ||
      name === model.table.ttl ||
      name === REVISION
    )
      continue;
    const type = kind.canHave?.(name) === true ? 'any' : kind.attributes.get(name);
    if (type === undefined || (type !== 'any' && typeOf(item[name]!) !== type)) found.push(name);
  }
  return found;
}
