import { canonicalText } from '../../items/attribute-value.ts';
import { unchanged } from '../../items/derived-item.ts';
import type { ItemKind, Part, PartKind } from './kind.ts';

const ODD: readonly Part[] = [{ kind: 'unknown-item' }];

/** An item with a derived sort key of no kind that the model keeps. It is deleted. */
export const unknownItem: ItemKind = {
  name: 'unknown-item',
  decidedBy: 'partition',
  attributes: new Map(),
  hasTombstones: false,
  mendOrder: 2,
  isLive: (item) => item !== undefined,
  oddities: () => ODD,
  async mend({ store }, key) {
    const { item } = await store.get(key, { consistent: true });
    if (item === undefined) return false;
    const { applied } = await store.delete(key, unchanged(item));
    return applied;
  },
};

/** That such an item is there. */
export const unknownItemPart: PartKind<Extract<Part, { kind: 'unknown-item' }>> = {
  isContent: true,
  decidingKeys: () => [],
  compare: (_context, { derived }) => ({
    wanted: null,
    stored: derived === undefined ? null : canonicalText({ M: derived }),
  }),
};
