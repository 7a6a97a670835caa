import { type AttributeValue, canonicalText, type Item, typeOf } from '../items/attribute-value.ts';
import { REVISION, revisionOf } from '../items/derived-item.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { Difference } from './difference.ts';
import type { ItemForm } from './kind.ts';

/**
 * Foreign attributes do harm: index keys on a view, for example, put the view into an index, and any unknown attribute
 * makes each write larger.
 */

const NONE: readonly Difference[] = [];

export function faultsOfForm(kind: ItemForm, graph: CompiledModel, item: Item): readonly Difference[] {
  const expires = item[graph.table.ttl] !== undefined && (!kind.hasTombstones || kind.isLive(item));
  const misshapen = misshapenAttributes(kind, graph, item);
  if (!expires && hasRevision(item) && misshapen.length === 0) return NONE;
  const faults: Difference[] = [];
  if (expires)
    faults.push({ kind: 'expiry', expected: null, stored: `an expiry at ${canonicalText(item[graph.table.ttl]!)}` });
  const wrong: string[] = [];
  if (!hasRevision(item)) wrong.push(wrongRevision(item[REVISION]));
  if (misshapen.length > 0) {
    wrong.push(`attributes that Edgeloom does not write, or writes with another type: ${misshapen.join(', ')}`);
  }
  if (wrong.length > 0) faults.push({ kind: 'form', expected: null, stored: wrong.join('; ') });
  return faults;
}

function wrongRevision(stored: AttributeValue | undefined): string {
  if (stored === undefined) return `no revision (attribute ${REVISION}), which every write of Edgeloom sets`;
  return `a revision (attribute ${REVISION}) that Edgeloom does not write: ${canonicalText(stored)}`;
}

export function hasForm(kind: ItemForm, graph: CompiledModel, item: Item): boolean {
  return hasRevision(item) && misshapenAttributes(kind, graph, item).length === 0;
}

export function hasRevision(item: Item): boolean {
  return revisionOf(item) !== undefined;
}

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
