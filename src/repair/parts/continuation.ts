import { epochSeconds } from '../../apply/context.ts';
import { reconcile } from '../../apply/reconcile.ts';
import { canonicalText, type Item, stringOf } from '../../items/attribute-value.ts';
import { AFTER, AGAIN, MODEL, revisionOf, TOMBSTONE_HOURS, unchanged, WATERMARK } from '../../items/derived-item.ts';
import { type DerivedKind, parseDerivedKey } from '../../items/derived-key.ts';
import { compareKeys } from '../../items/encoding.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { joinedTypes } from '../../model/joined.ts';
import { type FanOutOf, FanOutPlaces } from '../../model/projection/places.ts';
import type { EpochSeconds } from '../../plan/unit.ts';
import type { DerivedUpdate, ItemKey } from '../../store/port.ts';
import { NO_WATERMARK, trusted } from '../settle/context.ts';
import { oddities } from './form.ts';
import { hashed, type ItemKind, type Part, type PartKind } from './kind.ts';

/** The item that says how far a fan-out has come. Each write of it makes the record that drives the next page. */
export const continuation: ItemKind = {
  name: 'continuation',
  decidedBy: 'other-partitions',
  attributes: new Map([AFTER, AGAIN, WATERMARK, MODEL].map((name) => [name, 'any'])),
  hasTombstones: true,
  mendOrder: 2,
  isKept(graph, { kind, edgeType }, sortKey) {
    const of = fanOutOf(kind);
    const isWanted = of === 'joined' ? joinedTypes(graph).has(edgeType) : graph.edges.get(edgeType)?.copy !== undefined;
    return isWanted && new FanOutPlaces(edgeType).continuation(of) === sortKey;
  },
  isLive: (item) => item?.[AFTER] !== undefined,
  oddities: (context, item) => oddities(continuation, context, item),
  /** Restarts a stuck fan-out. */
  async mend(context, key) {
    await reconcile(context, {
      key,
      expected: async (item) => stringOf((await trusted(context, item))?.[WATERMARK]) ?? NO_WATERMARK,
      update: (item, watermark) => item && restartUpdate(context.graph, key, item, watermark, epochSeconds(context)),
    });
    return true;
  },
};

/** The text of a continuation that holds no place. */
const COMPLETED = 'a fan-out that has come to its end';

/** A continuation that has not ended. No item decides about it: only time shows whether it is stuck. */
export const continuationPart: PartKind<Extract<Part, { kind: 'continuation' }>> = {
  isContent: true,
  decidingKeys: () => [],
  compare: (_context, { derived }) => ({
    wanted: COMPLETED,
    stored: continuation.isLive(derived)
      ? `a fan-out that is at ${stringOf(derived?.[AFTER]) ?? 'no place'}`
      : COMPLETED,
  }),
  // The state is the revision: a fan-out that writes the same place again and again is not stuck.
  state: ({ derived }) => ({
    revision: revisionOf(derived),
    base: hashed(revisionOf(derived) ?? ''),
    fanOut: placeOf(derived),
  }),
};

function fanOutOf(kind: DerivedKind | undefined): FanOutOf {
  return kind === 'source-continuation' ? 'joined' : 'copies';
}

/** Whether a fan-out has still to visit a place, in this round or in the next one. */
export function isAheadOf(item: Item | undefined, place: string): boolean {
  if (item?.[AFTER] === undefined) return false;
  return [AFTER, AGAIN].some((name) => {
    const after = stringOf(item[name]);
    // rule: fan-out-that-is-past-repairs-nothing
    return after !== undefined && compareKeys(after, place) < 0;
  });
}

/** The place that a fan-out has reached. A repair that only restarts it does not change its place. */
export function placeOf(item: Item | undefined): string | undefined {
  const after = item?.[AFTER];
  return after && canonicalText(after);
}

/**
 * Makes the update that restarts a stuck fan-out. It writes the continuation unchanged, so that the stream gets the lost record
 * again, which drives the next page. It does not end the fan-out: the record may only be late, and then the remaining children
 * would never get the change. A continuation without a place becomes a tombstone. One with an impossible place begins at the first
 * child, or edge.
 *
 * @param watermark the watermark to write.
 */
function restartUpdate(
  graph: CompiledModel,
  key: ItemKey,
  current: Item | undefined,
  watermark: string,
  now: EpochSeconds,
): DerivedUpdate {
  const { kind, edgeType = '' } = parseDerivedKey(key.target) ?? {};
  const first = new FanOutPlaces(edgeType).visited(fanOutOf(kind));
  const placeAt = (name: string): Item => {
    const stored = stringOf(current?.[name]);
    if (current?.[name] === undefined) return {};
    return { [name]: { S: stored?.startsWith(first) === true ? stored : first } };
  };
  const stamp: Item = { [WATERMARK]: { S: watermark }, [MODEL]: { S: graph.fingerprint } };
  const expiry: Item = { [graph.table.ttl]: { N: String(now + TOMBSTONE_HOURS * 3600) } };
  const isOpen = current?.[AFTER] !== undefined;
  return {
    key,
    set: { ...stamp, ...(isOpen ? { ...placeAt(AFTER), ...placeAt(AGAIN) } : expiry) },
    unset: isOpen ? [graph.table.ttl] : [AFTER, AGAIN],
    condition: unchanged(current, graph.table.ttl),
  };
}

/** Whether the model has fan-outs, and so continuations: changes of a node that other nodes' items show. */
export function hasFanOuts(graph: CompiledModel): boolean {
  return joinedTypes(graph).size > 0 || [...graph.edges.values()].some(({ copy }) => copy !== undefined);
}
