import type { ItemKind } from './kind.ts';

/**
 * A record that could not be projected in full. No base item asks for it. A redrive reconciles the item that it names and deletes
 * the entry.
 */
export const quarantineEntry: ItemKind = {
  name: 'quarantine-entry',
  decidedBy: 'none',
  attributes: new Map(),
  hasTombstones: false,
  mendOrder: 2,
  isLive: (item) => item !== undefined,
  oddities: () => [],
  mend: async () => false,
};
