import type { Item } from '../../core/items/attribute-value.ts';
import { itemKindOf, partKindOf } from '../../core/kinds/all-kinds.ts';
import {
  type Compared,
  type JudgeContext,
  type Seen,
  type State,
  type Suspect,
  stateByBase,
} from '../../core/kinds/part.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { ItemKey } from '../../core/store-port.ts';

/** A suspect at one time: the derived item was read first, then the items that decide about it, both consistently. */
export interface Observation extends Compared, State {
  /** True if the derived item exists as more than a tombstone. */
  isLive: boolean;
}

/** Tells whether an observation shows a difference. */
export function isWrong({ expected, stored }: Compared): boolean {
  return expected !== stored;
}

/** Derived items that were read already, in the order of the suspects. */
export type ReadBefore = readonly (Item | undefined)[];

/** Judges suspects by what base items ask for now, in their order, and writes nothing: a hundred of them in two calls. */
export async function judge(
  context: JudgeContext,
  suspects: readonly Suspect[],
  read?: ReadBefore,
): Promise<Observation[]> {
  const seen = await readSuspects(context, suspects, read);
  return await Promise.all(seen.map((one) => observationOf(context, one)));
}

/**
 * Reads suspects with the items that decide about them, in their order.
 *
 * @param read derived items that were read before, also eventually consistently. Default: they are read now.
 */
export async function readSuspects(
  context: JudgeContext,
  suspects: readonly Suspect[],
  read?: ReadBefore,
): Promise<Seen[]> {
  const { graph, store } = context;
  const derivedKeys = suspects.map(({ source, sortKey }): ItemKey => ({ source, target: sortKey }));
  const derived = read ?? (await store.getMany(derivedKeys, { consistent: true })).items;
  const keys = await Promise.all(
    suspects.map(async (suspect, i) => await partKindOf(suspect.part).decidingKeys(context, suspect, derived[i])),
  );
  const { items } = await store.getMany(keys.flat(), { consistent: true });
  let place = 0;
  return suspects.map((suspect, i): Seen => {
    const first = place;
    place += keys[i]!.length;
    const form = itemKindOf(graph, suspect.sortKey);
    return { suspect, form, derived: derived[i], keys: keys[i]!, items: items.slice(first, place) };
  });
}

/** Compares a suspect that was read. */
export async function observationOf(context: JudgeContext, seen: Seen): Promise<Observation> {
  const kind = partKindOf(seen.suspect.part);
  const state = kind.state?.(seen) ?? stateByBase(seen);
  return { isLive: seen.form.isLive(seen.derived), ...state, ...(await kind.compare({ ...context, derivedOf }, seen)) };
}
