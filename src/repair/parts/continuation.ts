import { checkTime, epochSeconds, updateItem } from '../../apply/context.ts';
import { canonicalText, type Item, stringOf } from '../../items/attribute-value.ts';
import { AFTER, AGAIN, MODEL, revisionOf, TOMBSTONE_HOURS, unchanged, WATERMARK } from '../../items/derived-item.ts';
import { parseDerivedKey } from '../../items/derived-key.ts';
import { compareKeys } from '../../items/encoding.ts';
import { reversePrefix } from '../../items/keys.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { joinedTypes } from '../../model/joined.ts';
import type { EpochSeconds } from '../../plan/unit.ts';
import type { DerivedUpdate, ItemKey } from '../../store/port.ts';
import { NO_WATERMARK, trusted } from '../settle/context.ts';
import { oddities } from './form.ts';
import { hashed, type ItemKind, type Part, type PartKind } from './kind.ts';

/** The place that a fan-out has come to; its own record drives the next page. */
export const continuation: ItemKind = {
  name: 'continuation',
  decidedBy: 'other-partitions',
  attributes: new Map([AFTER, AGAIN, WATERMARK, MODEL].map((name) => [name, 'any'])),
  hasTombstones: true,
  mendOrder: 2,
  isKept: (graph, { kind, edgeType, generation }) =>
    generation === 1 &&
    (kind === 'source-continuation' ? joinedTypes(graph).has(edgeType) : graph.edges.get(edgeType)?.copy !== undefined),
  isLive: (item) => item?.[AFTER] !== undefined,
  oddities: (context, item) => oddities(continuation, context, item),
  /** Has a stuck fan-out go on. */
  async mend(context, key) {
    let { item } = await context.store.get(key, { consistent: true });
    for (;;) {
      checkTime(context);
      if (item === undefined) return true;
      const watermark = stringOf((await trusted(context, item))?.[WATERMARK]) ?? NO_WATERMARK;
      const update = restartUpdate(context.graph, key, item, watermark, epochSeconds(context));
      const result = await updateItem(context, update);
      if (result.applied) return true;
      item = result.current;
    }
  },
};

/** What a continuation comes to. */
const COMPLETED = 'a fan-out that has come to its end';

/** That a continuation has not come to its end: time decides. */
export const continuationPart: PartKind<Extract<Part, { kind: 'continuation' }>> = {
  isContent: true,
  decidingKeys: () => [],
  compare: (_context, { derived }) => ({
    wanted: COMPLETED,
    stored: continuation.isLive(derived)
      ? `a fan-out that is at ${stringOf(derived?.[AFTER]) ?? 'no place'}`
      : COMPLETED,
  }),
  // One that begins again and again at one place is not stuck: only the revision tells.
  state: ({ derived }) => ({
    revision: revisionOf(derived),
    base: hashed(revisionOf(derived) ?? ''),
    fanOut: placeOf(derived),
  }),
};

/** Whether a fan-out will still come to a place, in this round or in the one after it. */
export function isAheadOf(item: Item | undefined, place: string): boolean {
  if (item?.[AFTER] === undefined) return false;
  return [AFTER, AGAIN].some((name) => {
    const after = stringOf(item[name]);
    // rule: fan-out-that-is-past-repairs-nothing
    return after !== undefined && compareKeys(after, place) < 0;
  });
}

/** The place that a continuation has come to; one that repair has only set going again is where it was. */
export function placeOf(item: Item | undefined): string | undefined {
  const after = item?.[AFTER];
  return after && canonicalText(after);
}

/**
 * The update that has a stuck fan-out go on: the continuation is written as it is, so that the record that was lost is made
 * again and drives the next page. It is not buried: where its record is only late that would end a fan-out that is alive,
 * and keep the rest of the children from the change for good. One that holds no place becomes a tombstone; one whose
 * place cannot be begins at the first child, or edge.
 *
 * @param watermark the one it shall have.
 */
function restartUpdate(
  graph: CompiledModel,
  key: ItemKey,
  current: Item | undefined,
  watermark: string,
  now: EpochSeconds,
): DerivedUpdate {
  const { kind, edgeType = '' } = parseDerivedKey(key.target) ?? {};
  const first = kind === 'source-continuation' ? `${edgeType}-` : reversePrefix(edgeType);
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

/** Whether the changes of any node of the model reach others, so that there are continuations. */
export function hasFanOuts(graph: CompiledModel): boolean {
  return joinedTypes(graph).size > 0 || [...graph.edges.values()].some(({ copy }) => copy !== undefined);
}
