import type { Item } from '../core/items/attribute-value.ts';
import { revisionOf } from '../core/items/derived-item.ts';
import { itemKindOf } from '../core/kinds/all-kinds.ts';
import { type Difference, keyOfSuspect, type Suspect } from '../core/kinds/difference.ts';
import { isOutsideRegistry, standingDifference } from '../core/kinds/unknown-item.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { standingOf } from '../registry/standing.ts';
import { BaseItems } from './base-items.ts';
import { baseNamedBy } from './named-item.ts';

export interface JudgeContext {
  graph: CompiledModel;
  store: Pick<Store, 'getMany' | 'query'>;
}

export interface Judgment {
  suspect: Suspect;
  was: Item | undefined;
  isLive: boolean;
  revision: string | undefined;
  differences: readonly Difference[];
}

/** @param read the derived items in the order of the suspects. Default: reads them. */
export async function judge(
  context: JudgeContext,
  suspects: readonly Suspect[],
  read?: readonly (Item | undefined)[],
): Promise<Judgment[]> {
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
  const { keysBeside } = itemKindOf(graph, sortKey);
  return bases.flatMap((base) => [base, ...(keysBeside?.(graph, suspect, base) ?? [])]);
}

async function differencesOf(
  context: JudgeContext,
  suspect: Suspect,
  was: Item | undefined,
  decided: BaseItems,
): Promise<readonly Difference[]> {
  const { graph, store } = context;
  const { source, sortKey } = suspect;
  const standing = standingOf(graph, source, sortKey, was ?? {});
  // rule: item-that-the-registry-lacks-is-judged-as-such
  if (was !== undefined && isOutsideRegistry(standing)) return [standingDifference(standing, was)];
  // A migration verifies the items that it builds or removes.
  // rule: part-of-what-is-built-is-no-drift
  if (standing.kind === 'changing' || standing.kind === 'left') return [];
  const kind = itemKindOf(graph, sortKey);
  if (kind.differences !== undefined) return await kind.differences({ graph, suspect, was, decided, store });
  return was === undefined ? [] : kind.faults(graph, was);
}
