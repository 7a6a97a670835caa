import { canonicalText, numberOf } from '../../items/attribute-value.ts';
import { REVISION } from '../../items/derived-item.ts';
import type { ItemKind, Part, PartKind } from './kind.ts';

const ODD: readonly Part[] = [{ kind: 'unknown-item' }];

/** An item with a derived sort key of no kind that the model keeps. It is deleted. */
export const unknownItem: ItemKind = {
  name: 'unknown-item',
  decidedBy: 'partition',
  hasTombstones: false,
  mendOrder: 2,
  isLive: (item) => item !== undefined,
  oddities: () => ODD,
  async mend({ store }, key) {
    const { item } = await store.get(key, { consistent: true });
    if (item === undefined) return false;
    const { applied } = await store.delete(key, { kind: 'revision', revision: numberOf(item[REVISION]) });
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
