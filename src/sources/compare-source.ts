import pMap from 'p-map';
import type { Item } from '../core/items/attribute-value.ts';
import { textOfKey } from '../core/items/keys.ts';
import type { ItemKey } from '../core/store-port.ts';
import { type Claim, type Claims, claimsOf, itemOfClaims, liveMakers, textOf } from './claims.ts';
import type { SourceContext } from './context.ts';
import { checkKeys, type Ledger, readLedger } from './ledger.ts';
import { droppedNames, itemKeyOf, mapped } from './mapped.ts';
import type { Refused } from './notes.ts';
import { isRetired, makerOf, sourceOfMaker } from './source.ts';
import { ledgerPages, type WalkOptions } from './sync.ts';
import { isOfItem, reasonOf } from './touch.ts';

const concurrency = 16;
/** The time between two looks at a difference, which may be due to a touch in progress. */
const GRACE_MS = 60_000;
const MOST_LISTED = 1_000;

/** A difference between a base item and the output of its source item's mapping. */
export interface SourceDifference extends ItemKey {
  /** The key of the source item. */
  key: string;
  /**
   * `missing`: the base item lacks the source item's content; `stray`: it has content that the source item doesn't
   * make; `different`: its content, or what Edgeloom records about its sources, differs.
   */
  kind: 'missing' | 'stray' | 'different';
}

/** The findings of a comparison between a source and the base items. */
export interface SourceComparison {
  /**
   * Number of source items compared or touched. Except in the dry run of a sync, includes deleted source items that
   * Edgeloom still has on record.
   */
  items: number;
  /** Number of base items that the source items make. */
  made: number;
  differences: SourceDifference[];
  /**
   * Number of differences that a touch in progress may explain: only the second look found them, or their source item
   * was touched between the looks.
   */
  pending: number;
  /** Refused source items, at most 1,000. */
  refused: Refused[];
  /** Keys of source items from which the mapping makes nothing, at most 1,000. */
  unused: string[];
  /**
   * Non-key attributes that neither appear in the output of `map` nor affect it, each with the number of source items
   * for which this holds. Source items without output don't count.
   */
  dropped: Record<string, number>;
}

interface Look {
  token: number;
  made: number;
  differences: SourceDifference[];
  refused?: Refused;
  isUnused: boolean;
  dropped: string[];
}

export function nothingFound(): SourceComparison {
  return { items: 0, made: 0, differences: [], pending: 0, refused: [], unused: [], dropped: {} };
}

/**
 * A difference counts if a second look finds it again and the source item was not touched in between. For a retired
 * source, finds only base items that no other source makes.
 */
export async function compareSource(
  context: SourceContext,
  { graceMs = GRACE_MS, ...options }: WalkOptions & { graceMs?: number | undefined },
): Promise<SourceComparison> {
  const { signal } = options;
  const result = nothingFound();
  const suspects = await findSuspects(context, options, result);
  if (suspects.size > 0 && !isRetired(context.source)) await context.wait(graceMs, signal);
  for (const [key, first] of suspects) {
    signal?.throwIfAborted();
    const second = await lookAt(context, key);
    for (const difference of second.differences) {
      const isSame = first.differences.some(
        (one) => textOfKey(one) === textOfKey(difference) && one.kind === difference.kind,
      );
      if (isSame && second.token === first.token) result.differences.push(difference);
      else result.pending += 1;
    }
  }
  return result;
}

async function findSuspects(
  context: SourceContext,
  { signal, onProgress }: WalkOptions,
  result: SourceComparison,
): Promise<ReadonlyMap<string, Look>> {
  const { access, source } = context;
  const suspects = new Map<string, Look>();
  const visit = async (key: string): Promise<void> => {
    signal?.throwIfAborted();
    const look = await lookAt(context, key);
    result.made += look.made;
    if (look.differences.length > 0) suspects.set(key, look);
    if (look.refused !== undefined && result.refused.length < MOST_LISTED) result.refused.push(look.refused);
    if (look.isUnused && result.unused.length < MOST_LISTED) result.unused.push(key);
    for (const name of look.dropped) result.dropped[name] = (result.dropped[name] ?? 0) + 1;
  };
  for await (const keys of access.pages(undefined)) {
    await pMap(keys, visit, { concurrency });
    result.items += keys.length;
    onProgress?.({ phase: 'items', items: result.items });
  }
  for await (const { ledgers } of ledgerPages(context, undefined)) {
    const some = ledgers.filter(({ keys }) => keys.length > 0);
    // The loop above visited the keys that the source still has.
    const visitIfGone = async ({ key }: Ledger): Promise<void> => {
      signal?.throwIfAborted();
      if ((await access.read(key)) === undefined) await visit(key);
    };
    await pMap(some, visitIfGone, { concurrency });
    if (isRetired(source)) result.items += some.length;
    onProgress?.({ phase: 'ledgers', items: result.items });
  }
  return suspects;
}

async function lookAt(context: SourceContext, key: string): Promise<Look> {
  const { graph, store, source, access, now } = context;
  const maker = makerOf(source, key);
  const { token, keys, refusal } = await readLedger(store, source.name, key, { consistent: true });
  const look: Look = { token, made: 0, differences: [], isUnused: false, dropped: [] };
  const item = await access.read(key);
  let made: ReadonlyMap<string, Item>;
  try {
    made = mapped(graph, source, key, item);
    checkKeys(maker, [...new Set([...keys, ...made.keys()])]);
  } catch (error) {
    if (!isOfItem(error)) throw error;
    const since = refusal?.since ?? Math.floor(now() / 1000);
    return { ...look, refused: { key, code: error.code, reason: reasonOf(error), since } };
  }
  for (const text of new Set([...made.keys(), ...keys])) {
    const to = itemKeyOf(text);
    const stored = (await store.get(to, { consistent: true })).item;
    const claims = claimsOf(graph, stored);
    if (isRetired(source) && claims !== undefined && !isRemovedWith(maker, claims)) continue;
    const isUnlisted = made.has(text) && !keys.includes(text);
    // Readers see the stored item, so it must match its claims.
    const isShown = claims === undefined || textOf(stored) === textOf(itemOfClaims(graph, to, claims));
    const kind =
      kindOf(claims?.byMaker.get(maker), made.get(text)) ?? (isUnlisted || !isShown ? 'different' : undefined);
    if (kind !== undefined) look.differences.push({ ...to, key, kind });
  }
  // The table refused an earlier output of this source item, and may refuse the current one.
  if (refusal !== undefined && refusal.code !== 'invalid-mapping' && !isRetired(source) && look.differences.length > 0)
    look.refused = { key, ...refusal };
  if (item === undefined) return look;
  return { ...look, made: made.size, isUnused: made.size === 0, dropped: droppedNames(graph, source, key, item, made) };
}

/** If several items of the retired source make a base item, it is listed with the first of them. */
function isRemovedWith(maker: string, claims: Claims): boolean {
  // DynamoDB returns the entries of a map in any order.
  const live = liveMakers(claims).sort();
  const isOwn = live.every((one) => sourceOfMaker(one) === sourceOfMaker(maker));
  return isOwn && (live[0] ?? maker) === maker;
}

function kindOf(claim: Claim | undefined, expected: Item | undefined): SourceDifference['kind'] | undefined {
  if (claim?.content === undefined) return expected === undefined ? undefined : 'missing';
  if (expected === undefined) return 'stray';
  return textOf(claim.content) === textOf(expected) ? undefined : 'different';
}
