import { canonicalText } from '../items/attribute-value.ts';
import type { Part, PartKind } from './part.ts';

/** An expiry on a live item: TTL would delete an item that readers need. Any write of the item repairs it. */
export const expiry: PartKind<Extract<Part, { kind: 'expiry' }>> = {
  isContent: false,
  decidingKeys: () => [],
  compare({ graph }, { derived, form }) {
    const isTombstone = form.hasTombstones && !form.isLive(derived);
    const stored = isTombstone ? undefined : derived?.[graph.table.ttl];
    return { expected: null, stored: stored === undefined ? null : `an expiry at ${canonicalText(stored)}` };
  },
};
