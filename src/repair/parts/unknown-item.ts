import { epochSeconds, updateItem } from '../../apply/context.ts';
import { canonicalText } from '../../items/attribute-value.ts';
import { unchanged } from '../../items/derived-item.ts';
import type { Concern } from '../../model/compiled.ts';
import { endUpdate } from '../../plan/fan-out.ts';
import type { ItemKey } from '../../store/port.ts';
import { isContinuationKey } from '../../stream/filter.ts';
import type { SettleContext } from '../settle/context.ts';
import type { Compared, ItemKind, ObserveContext, Part, PartKind, Seen } from './kind.ts';

const ODD: readonly Part[] = [{ kind: 'unknown-item' }];

/** An item with a derived sort key of no kind that the model maintains. A repair deletes it. */
export const unknownItem: ItemKind = {
  name: 'unknown-item',
  decidedBy: 'partition',
  attributes: new Map(),
  hasTombstones: false,
  mendOrder: 2,
  isLive: (item) => item !== undefined,
  oddities: () => ODD,
  mend: deleteItem,
};

/** The presence of such an item. */
export const unknownItemPart: PartKind<Extract<Part, { kind: 'unknown-item' }>> = {
  isContent: true,
  decidingKeys: () => [],
  compare: (_context, { derived }) => ({
    wanted: null,
    stored: derived === undefined ? null : canonicalText({ M: derived }),
  }),
};

/** The presence of an item of a retired generation or shape: a stalled writer wrote it late, or a migration missed it. */
export const retired: PartKind<Extract<Part, { kind: 'retired' }>> = {
  isContent: true,
  decidingKeys: () => [],
  compare: (context, seen) => comparedAs('retired', context, seen, 'which is retired'),
};

/**
 * The presence of an item in an index partition of a registered projection whose items have other keys: another program wrote it.
 */
export const misplaced: PartKind<Extract<Part, { kind: 'misplaced' }>> = {
  isContent: true,
  decidingKeys: () => [],
  compare: (context, seen) => comparedAs('misplaced', context, seen, 'which does not make an item with this key'),
};

/**
 * The presence of an item that the registry does not know. It is not deleted: the registry may have lost an entry that is in use.
 */
export const unregistered: PartKind<Extract<Part, { kind: 'unregistered' }>> = {
  isContent: true,
  isBeyondRepair: true,
  decidingKeys: () => [],
  compare: (context, seen) => comparedAs('unregistered', context, seen, "which the table's registry does not know"),
};

function comparedAs(
  kind: Concern['kind'],
  { graph }: ObserveContext,
  { suspect: { source, sortKey }, derived }: Seen,
  what: string,
): Compared {
  const concern = derived && graph.concerns?.of(source, sortKey, derived);
  if (concern?.kind !== kind) return { wanted: null, stored: null };
  const owner = concern.name === '' ? 'something' : concern.name;
  const where = kind === 'misplaced' ? `in an index partition of ${owner}` : `of ${owner}`;
  return { wanted: null, stored: `an item ${where}, ${what}: ${canonicalText({ M: derived! })}` };
}

/**
 * Deletes a retired or misplaced item if it still is one and has not changed since it was read. The id of a retired generation is
 * never used again, so no writer needs the item. A misplaced item has no writer. A fan-out has no id: it may be of what needs
 * fan-outs again, so the registry is read after it; a tombstone stays of it.
 */
export async function removeAlien(context: SettleContext, key: ItemKey): Promise<boolean> {
  const { graph, store, model } = context;
  const { item } = await store.get(key, { consistent: true });
  const isFanOut = isContinuationKey(key.target);
  // rule: repair-reads-the-registry-after-a-fan-out
  const now = isFanOut ? await model?.current() : undefined;
  const concern = item && (now ?? graph).concerns?.of(key.source, key.target, item).kind;
  if (item === undefined || (concern !== 'retired' && concern !== 'misplaced')) return false;
  if (isFanOut) return (await updateItem(context, endUpdate(graph, key, item, epochSeconds(context)))).applied;
  return (await store.delete(key, unchanged(item, graph.table.ttl))).applied;
}

async function deleteItem({ graph, store }: SettleContext, key: ItemKey): Promise<boolean> {
  const { item } = await store.get(key, { consistent: true });
  if (item === undefined) return false;
  const { applied } = await store.delete(key, unchanged(item, graph.table.ttl));
  return applied;
}
