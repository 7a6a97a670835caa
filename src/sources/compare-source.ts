import pMap from 'p-map';
import type { Item } from '../core/items/attribute-value.ts';
import { textOfKey } from '../core/items/keys.ts';
import type { ItemKey } from '../core/store-port.ts';
import { type Claim, claimsOf, liveMakers, textOf } from './claims.ts';
import type { SourceContext } from './context.ts';
import { readLedger } from './ledger.ts';
import { droppedNames, itemKeyOf, mapped } from './mapped.ts';
import type { Refused } from './notes.ts';
import { makerOf } from './source.ts';
import { ledgerPages, type WalkOptions } from './sync.ts';
import { isOfItem } from './touch.ts';

/** A look at a source that writes nothing: what a sync would change. */

/** Source items that are looked at together. */
const CONCURRENCY = 16;
/** How long a touch may take before a difference counts, in milliseconds. */
const GRACE_MS = 60_000;
const MOST_LISTED = 1_000;

/** A base item that is not what its source item makes. */
export interface SourceDifference extends ItemKey {
  /** The source item, by its key. */
  key: string;
  /** `missing`: it is not there; `stray`: nothing makes it; `different`: its content differs. */
  kind: 'missing' | 'stray' | 'different';
}

/** What a look has found. */
export interface SourceComparison {
  /** Source items that were looked at. */
  items: number;
  /** Base items that they make. */
  made: number;
  differences: SourceDifference[];
  /** Differences that may be late alone: the item was touched between the two looks. */
  pending: number;
  /** Source items that the mapping does not take, 1,000 at most. */
  refused: Refused[];
  /** Source items of which nothing is made, by their keys, 1,000 at most. */
  unused: string[];
  /** Names of attributes that change nothing of what `map` makes, with the number of source items that have them and of which it makes something. */
  dropped: Record<string, number>;
}

interface Seen {
  isUnused: boolean;
  dropped: string[];
  token: number;
  made: number;
  differences: SourceDifference[];
}

/** Compares every source item, and every ledger, with base items. A difference counts if it is the same at two looks. */
export async function compareSource(
  context: SourceContext,
  options: WalkOptions & { graceMs?: number | undefined },
): Promise<SourceComparison> {
  const { access, source, wait, now } = context;
  const result: SourceComparison = {
    items: 0,
    made: 0,
    differences: [],
    pending: 0,
    refused: [],
    unused: [],
    dropped: {},
  };
  const suspects = new Map<string, Seen>();
  const visit = async (key: string): Promise<void> => {
    options.signal?.throwIfAborted();
    try {
      const seen = await compareKey(context, key);
      result.made += seen.made;
      if (seen.differences.length > 0) suspects.set(key, seen);
      if (seen.isUnused && result.unused.length < MOST_LISTED) result.unused.push(key);
      for (const name of seen.dropped) result.dropped[name] = (result.dropped[name] ?? 0) + 1;
    } catch (error) {
      if (!isOfItem(error)) throw error;
      const reason = `${error.message} ${error.hint}`.trim();
      const { refusal } = await readLedger(context.store, source.name, key, true);
      const since = refusal?.since ?? Math.floor(now() / 1000);
      if (result.refused.length < MOST_LISTED) result.refused.push({ key, code: error.code, reason, since });
    }
  };
  for await (const { keys } of access.pages(undefined)) {
    await pMap(keys, visit, { concurrency: CONCURRENCY });
    result.items += keys.length;
    options.onProgress?.({ phase: 'items', items: result.items });
  }
  for await (const { ledgers } of ledgerPages(context, undefined)) {
    await pMap(
      ledgers.filter(({ keys }) => keys.length > 0),
      // A key that the source has was looked at above.
      async ({ key }) => ((await access.read(key)) === undefined ? visit(key) : undefined),
      { concurrency: CONCURRENCY },
    );
    options.onProgress?.({ phase: 'ledgers', items: result.items });
  }
  if (suspects.size > 0) await wait(options.graceMs ?? GRACE_MS, options.signal);
  for (const [key, first] of suspects) {
    options.signal?.throwIfAborted();
    const second = await compareKey(context, key).catch((error: unknown) => {
      if (isOfItem(error)) return undefined;
      throw error;
    });
    const isSame = second?.token === first.token;
    for (const difference of second?.differences ?? []) {
      const was = first.differences.some(
        (one) => textOfKey(one) === textOfKey(difference) && one.kind === difference.kind,
      );
      if (isSame && was) result.differences.push(difference);
      else result.pending += 1;
    }
  }
  return result;
}

/** Lists what a source alone makes: what goes when it is taken away. */
export async function compareRetired(context: SourceContext, options: WalkOptions): Promise<SourceComparison> {
  const { graph, store, source } = context;
  const result: SourceComparison = {
    items: 0,
    made: 0,
    differences: [],
    pending: 0,
    refused: [],
    unused: [],
    dropped: {},
  };
  for await (const { ledgers } of ledgerPages(context, undefined)) {
    options.signal?.throwIfAborted();
    for (const { key, keys } of ledgers) {
      if (keys.length > 0) result.items += 1;
      for (const text of keys) {
        const { item } = await store.get(itemKeyOf(text), { consistent: true });
        const claims = claimsOf(graph, item);
        const live = claims === undefined ? [] : liveMakers(claims);
        if (live.length !== 1 || live[0] !== makerOf(source, key)) continue;
        result.differences.push({ ...itemKeyOf(text), key, kind: 'stray' });
      }
    }
    options.onProgress?.({ phase: 'ledgers', items: result.items });
  }
  return result;
}

async function compareKey(context: SourceContext, key: string): Promise<Seen> {
  const { graph, store, source, access } = context;
  const ledger = await readLedger(store, source.name, key, true);
  const item = await access.read(key);
  const made = mapped(graph, source, key, item);
  const differences: SourceDifference[] = [];
  for (const text of new Set([...made.keys(), ...ledger.keys])) {
    const { item: base } = await store.get(itemKeyOf(text), { consistent: true });
    const kind = kindOf(claimsOf(graph, base)?.byMaker.get(makerOf(source, key)), made.get(text));
    const isUnlisted = kind === undefined && made.has(text) && !ledger.keys.includes(text);
    if (kind !== undefined || isUnlisted) differences.push({ ...itemKeyOf(text), key, kind: kind ?? 'different' });
  }
  const dropped = item === undefined ? [] : droppedNames(graph, source, key, item, made);
  return {
    isUnused: item !== undefined && made.size === 0,
    dropped,
    token: ledger.token,
    made: made.size,
    differences,
  };
}

function kindOf(claim: Claim | undefined, expected: Item | undefined): SourceDifference['kind'] | undefined {
  if (claim?.content === undefined) return expected === undefined ? undefined : 'missing';
  if (expected === undefined) return 'stray';
  return textOf(claim.content) === textOf(expected) ? undefined : 'different';
}
