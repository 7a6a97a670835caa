import { canonicalText, type Item } from '../items/attribute-value.ts';
import type { Standing } from '../model/compiled.ts';
import type { Difference } from './difference.ts';
import type { ItemKind } from './kind.ts';

/** An item that isn't maintained, although its sort key looks like a derived item's. A repair deletes it. */
export const unknownItem: ItemKind<'unknown-item'> = {
  name: 'unknown-item',
  lifetime: { of: 'nothing' },
  decidedBy: 'partition',
  hasBase: false,
  attributes: new Map(),
  hasTombstones: false,
  isLive: (item) => item !== undefined,
  faults: (_graph, item) => [{ kind: 'unknown-item', expected: null, stored: canonicalText({ M: item }) }],
  originsOf: () => [],
};

const OUTSIDE = {
  retired: 'which is retired',
  misplaced: 'which does not make an item with this key',
  unregistered: "which the table's registry does not know",
} as const;

export function isOutsideRegistry({ kind }: Standing): boolean {
  return Object.hasOwn(OUTSIDE, kind);
}

export function standingDifference({ kind, name }: Standing, item: Item): Difference {
  const owner = name === '' ? 'something' : name;
  const where = kind === 'misplaced' ? `in an index partition of ${owner}` : `of ${owner}`;
  const outside = kind as keyof typeof OUTSIDE;
  const stored = `an item ${where}, ${OUTSIDE[outside]}: ${canonicalText({ M: item })}`;
  return { kind: outside, expected: null, stored };
}
