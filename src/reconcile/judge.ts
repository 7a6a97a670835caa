import type { Item } from '../core/items/attribute-value.ts';
import { revisionOf } from '../core/items/derived-item.ts';
import { itemKindOf } from '../core/kinds/all-kinds.ts';
import { keysOfCopy } from '../core/kinds/copy.ts';
import { countDifferences, readCountWithItems } from '../core/kinds/count.ts';
import { type Difference, keyOfSuspect, type Suspect } from '../core/kinds/difference.ts';
import { keysBesideBase } from '../core/kinds/index-item.ts';
import { isOutsideRegistry, standingDifference } from '../core/kinds/unknown-item.ts';
import { hasOtherShape } from '../core/kinds/view.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { standingOf } from '../registry/standing.ts';
import { BaseItems } from './base-items.ts';
import { baseNamedBy } from './named-item.ts';
import { returningTypes } from './returning.ts';

/**
 * Reconciling without the write: reads derived items, then the base items that determine them, and says what differs.
 */

export interface JudgeContext {
  graph: CompiledModel;
  store: Pick<Store, 'getMany' | 'query'>;
}

/** A derived item at one time, and what is wrong in it. */
export interface Judgement {
  /** With the base item that decides, where the item's key or content names it. */
  suspect: Suspect;
  /** The item as it was read. */
  was: Item | undefined;
  /** True if it exists as more than a tombstone. */
  isLive: boolean;
  revision: string | undefined;
  differences: readonly Difference[];
}

/**
 * Judges derived items by what base items ask for now, in their order: a hundred of them in two calls.
 *
 * @param read derived items that were read already, in the order of the suspects. Default: they are read now.
 */
export async function judge(
  context: JudgeContext,
  suspects: readonly Suspect[],
  read?: readonly (Item | undefined)[],
): Promise<Judgement[]> {
  const { graph, store } = context;
  const derived = read ?? (await store.getMany(suspects.map(keyOfSuspect), { consistent: true })).items;
  const named = await Promise.all(suspects.map((suspect, i) => withBase(context, suspect, derived[i])));
  const keys = named.flatMap((suspect) => keysDeciding(graph, suspect));
  const decided = await BaseItems.read({ graph, store, stats: { rcu: 0 } }, keys);
  return await Promise.all(
    named.map(async (suspect, i) => {
      const was = derived[i];
      const isLive = itemKindOf(graph, suspect.sortKey).isLive(was);
      const differences = await differencesOf(context, suspect, was, decided);
      return { suspect, was, isLive, revision: revisionOf(was), differences };
    }),
  );
}

async function withBase(context: JudgeContext, suspect: Suspect, was: Item | undefined): Promise<Suspect> {
  const { hasBase } = itemKindOf(context.graph, suspect.sortKey);
  if (!hasBase || suspect.bases !== undefined) return suspect;
  const base = await baseNamedBy(context, keyOfSuspect(suspect), was);
  return base === undefined ? suspect : { ...suspect, bases: [base] };
}

function keysDeciding(graph: CompiledModel, suspect: Suspect): ItemKey[] {
  const { sortKey, bases = [] } = suspect;
  if (itemKindOf(graph, sortKey).name !== 'view')
    return bases.flatMap((base) => [base, ...keysBesideBase(graph, suspect, base)]);
  return bases.flatMap((base) => [base, ...keysOfCopy(graph, base.target)]);
}

async function differencesOf(
  context: JudgeContext,
  suspect: Suspect,
  was: Item | undefined,
  decided: BaseItems,
): Promise<readonly Difference[]> {
  const { graph } = context;
  const { source, sortKey, returning = [] } = suspect;
  const standing = standingOf(graph, source, sortKey, was ?? {});
  // rule: item-that-the-registry-lacks-is-judged-as-such
  if (was !== undefined && isOutsideRegistry(standing)) return [standingDifference(standing, was)];
  // The migration verifies what it builds. When readers use it, a check of the whole table is the base.
  // rule: part-of-what-is-built-is-no-drift
  if (standing.kind === 'changing' || standing.kind === 'left') return [];
  const kind = itemKindOf(graph, sortKey);
  const own =
    kind.differences?.({ graph, suspect, was, decided }) ?? (was === undefined ? [] : kind.faults(graph, was));
  if (kind.name === 'count' || kind.name === 'total') {
    const { live, stored } = await readCountWithItems(context, source, sortKey, was);
    return [...own, ...countDifferences(live, stored)];
  }
  if (returning.length === 0 || hasOtherShape(graph, source, was)) return own;
  return [...own, ...(await returningTypes(context, source, was, returning))];
}
