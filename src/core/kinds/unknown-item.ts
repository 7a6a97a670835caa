import { canonicalText } from '../items/attribute-value.ts';
import type { Standing } from '../model/compiled.ts';
import type { ItemKind } from './kind.ts';
import type { Compared, JudgeContext, Part, PartKind, Seen } from './part.ts';

const ODD: readonly Part[] = [{ kind: 'unknown-item' }];

/** A derived sort key of no maintained kind. A repair deletes the item. */
export const unknownItem: ItemKind<'unknown-item'> = {
  name: 'unknown-item',
  lifetime: { of: 'nothing' },
  decidedBy: 'partition',
  hasBase: false,
  attributes: new Map(),
  hasTombstones: false,
  isLive: (item) => item !== undefined,
  oddities: () => ODD,
  originsOf: () => [],
};

export const unknownItemPart: PartKind<Extract<Part, { kind: 'unknown-item' }>> = {
  isContent: true,
  decidingKeys: () => [],
  compare: (_context, { derived }) => ({
    expected: null,
    stored: derived === undefined ? null : canonicalText({ M: derived }),
  }),
};

/** An item of a retired generation or shape: a stalled writer wrote it late, or a migration missed it. */
export const retired: PartKind<Extract<Part, { kind: 'retired' }>> = {
  isContent: true,
  isAlien: true,
  decidingKeys: () => [],
  compare: (context, seen) => compareTreatment('retired', context, seen, 'which is retired'),
};

/** Another program wrote an item into an index partition whose items have other keys. */
export const misplaced: PartKind<Extract<Part, { kind: 'misplaced' }>> = {
  isContent: true,
  isAlien: true,
  decidingKeys: () => [],
  compare: (context, seen) => compareTreatment('misplaced', context, seen, 'which does not make an item with this key'),
};

/** The registry doesn't know the item. It isn't deleted: the registry may have lost an entry that is in use. */
export const unregistered: PartKind<Extract<Part, { kind: 'unregistered' }>> = {
  isContent: true,
  isBeyondRepair: true,
  decidingKeys: () => [],
  compare: (context, seen) =>
    compareTreatment('unregistered', context, seen, "which the table's registry does not know"),
};

function compareTreatment(
  kind: Standing['kind'],
  { graph }: JudgeContext,
  { suspect: { source, sortKey }, derived }: Seen,
  what: string,
): Compared {
  const standing = derived && graph.standings?.of(source, sortKey, derived);
  if (standing?.kind !== kind) return { expected: null, stored: null };
  const owner = standing.name === '' ? 'something' : standing.name;
  const where = kind === 'misplaced' ? `in an index partition of ${owner}` : `of ${owner}`;
  return { expected: null, stored: `an item ${where}, ${what}: ${canonicalText({ M: derived! })}` };
}
