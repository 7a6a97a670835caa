import { type Item, stringOf } from '../items/attribute-value.ts';
import { INDEX_KEYS, MODEL, QUARANTINE_FIELDS } from '../items/derived-item.ts';
import { parseDerivedKey } from '../items/derived-key.ts';
import type { ItemKind } from './kind.ts';

/**
 * Names a base item that can't be projected in full, or a derived item that the table refuses. A check reports the
 * entry without comparing it.
 */
export const quarantineEntry: ItemKind<'quarantine-entry'> = {
  name: 'quarantine-entry',
  lifetime: { of: 'nothing' },
  decidedBy: 'nothing',
  hasBase: false,
  attributes: new Map(),
  hasTombstones: true,
  // An entry is also live if the table accepted only its keys. A tombstone has a model, but none of the fields.
  isLive: (item) =>
    item !== undefined &&
    (item[MODEL] === undefined || Object.values(QUARANTINE_FIELDS).some((name) => item[name] !== undefined)),
  faults: () => [],
  addTo(content, sortKey, entry) {
    if (quarantineEntry.isLive(entry))
      content.addQuarantined(targetOf(entry) || namedInEntryKey(sortKey), shownReason(entry));
  },
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

/** Reads the base item's sort key from the entry's own key, for an entry without other attributes. */
export function namedInEntryKey(sortKey: string): string {
  const key = parseDerivedKey(sortKey);
  return key?.kind === 'quarantine-entry' ? (key.target.text ?? '') : '';
}

function shownReason(entry: Item): string {
  const reason = reasonOf(entry) || 'The table has refused its entry but for the keys.';
  if (entry[INDEX_KEYS.gsi0.partition] !== undefined) return reason;
  return `${reason.replace(/\.$/, '')}. Its entry is in no index: redrive it by the id of its node.`;
}
