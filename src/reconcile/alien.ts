import { unchangedCondition } from '../core/items/derived-item.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { endContinuationUpdate } from '../core/plan/fan-out.ts';
import { isContinuationKey } from '../core/plan/stream-filter.ts';
import type { ItemKey } from '../core/store-port.ts';
import { type ApplyContext, epochSeconds, updateItem } from './apply-context.ts';

/**
 * Removes an item that no projection maintains; returns whether it did. Another process may need a continuation or a
 * misplaced item for a projection newer than `graph`, so for these the registry is read again after the item. Items of
 * retired generations are safe to remove, because generation ids are never reused.
 */
export async function removeAlien(context: ApplyContext, key: ItemKey): Promise<boolean> {
  const { graph, store, model } = context;
  const { item } = await store.get(key, { consistent: true });
  const isFanOut = isContinuationKey(key.target);
  const standingIn = ({ standings }: CompiledModel) => item && standings?.of(key.source, key.target, item).kind;
  const mayHaveWriter = isFanOut || standingIn(graph) === 'misplaced';
  // rule: repair-reads-the-registry-after-a-fan-out
  const now = mayHaveWriter ? await model?.current() : undefined;
  const standing = standingIn(now ?? graph);
  // rule: observer-leaves-unknown-items-alone
  if (item === undefined || (standing !== 'retired' && standing !== 'misplaced')) return false;
  if (isFanOut)
    return (await updateItem(context, endContinuationUpdate(graph, key, item, epochSeconds(context)))).applied;
  return (await store.delete(key, unchangedCondition(item, graph.table.ttl))).applied;
}

export async function deleteItem({ graph, store }: ApplyContext, key: ItemKey): Promise<boolean> {
  const { item } = await store.get(key, { consistent: true });
  if (item === undefined) return false;
  const { applied } = await store.delete(key, unchangedCondition(item, graph.table.ttl));
  return applied;
}
