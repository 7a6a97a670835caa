import { type Item, stringOf } from '../items/attribute-value.ts';
import { QUARANTINE_FIELDS } from '../items/derived-item.ts';
import type { ItemKind } from './kind.ts';

/**
 * A record that could not be projected in full. No base item asks for it. A redrive reconciles the item that it names and deletes
 * the entry.
 */
export const quarantineEntry: ItemKind<'quarantine-entry'> = {
  name: 'quarantine-entry',
  lifetime: { of: 'nothing' },
  decidedBy: 'nothing',
  hasBase: false,
  attributes: new Map(),
  hasTombstones: false,
  isLive: (item) => item !== undefined,
  oddities: () => [],
  addTo: (content, _sortKey, entry) => content.addQuarantined(targetOf(entry), reasonOf(entry)),
  originsOf: (_graph, { source }, _key, entry) => [
    { source, target: targetOf(entry), name: 'quarantine', state: 'quarantined', reason: reasonOf(entry) },
  ],
};

function targetOf(entry: Item): string {
  return stringOf(entry[QUARANTINE_FIELDS.of]) ?? '';
}

function reasonOf(entry: Item): string {
  return stringOf(entry[QUARANTINE_FIELDS.reason]) ?? '';
}
