import { attributeOf, stringOf } from '../core/items/attribute-value.ts';
import { queryPages } from '../core/store-pages.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { LANDS_WITHIN_MS, LATEST_WRITE_MS } from '../foundation/late-writes.ts';
import type { Abortable } from '../foundation/runtime.ts';
import type { SourceContext } from './context.ts';
import { readHead, writeHead } from './head.ts';
import { LEDGER_SHARDS, type Ledger, ledgerOf, partitionOf } from './ledger.ts';
import { asPut, putOf, serviceKey, storedIn } from './record.ts';
import { touchAll } from './touch-all.ts';

/** Progress of a walk over a source. */
export interface SyncProgress {
  /**
   * `waiting`: waits for writes that may still land; `items`: touches source items; `ledgers`: touches keys that only
   * have a ledger.
   */
  phase: 'waiting' | 'items' | 'ledgers';
  /** Number of touched source items, plus touched ledgers whose source item is gone. */
  items: number;
  /** When the wait ends, in milliseconds since 1970. */
  untilMs?: number;
}

/** Options of a walk over a source. */
export interface WalkOptions extends Abortable {
  /** Called after each page of keys, and repeatedly while the walk waits. */
  onProgress?: ((progress: SyncProgress) => void) | undefined;
  /** Continues where the last walk stopped, unless another version has come into force since. Default: false. */
  resume?: boolean | undefined;
}

export interface Place {
  /** The name of the walk, also written to the ledgers that it touches. */
  sync: string;
  /** The revision of the head when the walk began. */
  head: number;
  phase: 'items' | 'ledgers';
  after?: string | undefined;
  items: number;
  isEnded?: boolean | undefined;
}

export const PLACES = 'source-sync/';

/** The walk reports its progress between waits of at most this length. */
const WAIT_MS = 30_000;

/**
 * A source being retired has no items, so everything that only it made is removed. Returns the number of source items,
 * plus the number of ledgers that list outputs or a refusal but have no source item.
 */
export async function syncSource(context: SourceContext, options: WalkOptions): Promise<number> {
  const { graph, store, source, access, random, now } = context;
  const { signal, resume = false } = options;
  const { head, untilMs } = await putInForce(context);
  const key = serviceKey(PLACES + source.name);
  const sync = `${head}/${now()}/${Math.floor(random() * 1e9)}`;
  const kept = resume ? storedIn<Place>((await store.get(key, { consistent: true })).item)?.state : undefined;
  let place: Place = kept?.head === head && kept.isEnded !== true ? kept : { sync, head, phase: 'items', items: 0 };
  // Save the place before the wait, so that a status shows a walk that was stopped while waiting.
  if (place !== kept) await store.change(putOf(graph, key, place));
  await waitForLateWrites(context, untilMs, options);
  const keep = async (next: Place) => {
    const before = putOf(graph, key, place);
    place = next;
    // The condition protects the place of a walk that began later.
    await store.change(putOf(graph, key, place, asPut(before)));
  };
  const visit = async (keys: readonly string[], phase: Place['phase'], after: string, items = keys.length) => {
    signal?.throwIfAborted();
    // A touch marks the ledger before it writes the base items. The suffix keeps a walk that is resumed within a page
    // of ledgers from skipping those whose base items weren't written.
    const mark = phase === 'items' ? place.sync : `${place.sync}/ledgers`;
    // Retries without limit, so that throttling never ends a walk.
    const left = await touchAll(context, keys, { attempts: Number.POSITIVE_INFINITY, signal, sync: mark });
    for (const error of left.values()) throw error;
    await keep({ ...place, phase, after, items: place.items + items });
    options.onProgress?.({ phase, items: place.items });
  };
  const { phase, after } = place;
  // rule: source-walk-touches-source-keys
  if (phase === 'items') for await (const keys of access.pages(after)) await visit(keys, 'items', keys.at(-1)!);
  for await (const page of ledgerPages(context, phase === 'ledgers' ? after : undefined)) {
    const ledgers = page.ledgers.filter((ledger) => ledger.sync !== place.sync);
    const keys = ledgers.map((ledger) => ledger.key);
    // rule: source-walk-touches-ledger-keys
    await visit(keys, 'ledgers', page.place, ledgers.filter(isOfSomething).length);
  }
  await keep({ ...place, isEnded: true });
  return place.items;
}

function isOfSomething({ keys, refusal }: Ledger): boolean {
  return keys.length > 0 || refusal !== undefined;
}

/** `place` is where the next page begins. */
export async function* ledgerPages(
  { graph, store, source }: SourceContext,
  from: string | undefined,
): AsyncGenerator<{ ledgers: Ledger[]; place: string }, void> {
  const [begun, after] = from?.split('/') ?? ['0'];
  const { partitionKey, sortKey } = graph.table;
  for (let shard = Number(begun); shard < LEDGER_SHARDS; shard++) {
    const partition = partitionOf(source.name, shard);
    const isBegun = shard === Number(begun) && after !== undefined;
    const startKey = isBegun ? { [partitionKey]: { S: partition }, [sortKey]: { S: after } } : undefined;
    for await (const { items } of queryPages(store, { partition, consistent: true, startKey })) {
      const last = items.at(-1);
      const place = last === undefined ? `${shard + 1}` : `${shard}/${stringOf(attributeOf(last, sortKey))}`;
      yield { ledgers: items.map(ledgerOf).filter(({ key }) => key !== ''), place };
    }
  }
}

/**
 * `untilMs` is when the last write of the previous version can land. Throws `too-much-contention` if another walk puts
 * a version in force at the same time.
 */
async function putInForce(context: SourceContext): Promise<{ head: number; untilMs: number }> {
  const { source, now } = context;
  const before = await readHead(context);
  let head = before;
  // `since` was noted before the head was written, and that write may have landed this much later. Until then, touches
  // read the previous head.
  let sinceMs = (before?.state.since ?? 0) + LANDS_WITHIN_MS;
  if (before?.state.version !== source.version) {
    // No version was in force before the first head, so no write can be late.
    head = await writeHead(context, before, before === undefined ? 0 : now());
    // A touch may have read the previous head until this write was answered.
    sinceMs = before === undefined ? 0 : now();
  }
  if (head === undefined) {
    throw new EdgeloomError(
      'too-much-contention',
      `Another process has put a version of the source ${source.name} into force at the same time.`,
      'Decide which version should be in force, and sync again.',
    );
  }
  return { head: head.revision, untilMs: sinceMs + LATEST_WRITE_MS };
}

async function waitForLateWrites(
  { now, wait }: SourceContext,
  untilMs: number,
  { signal, onProgress }: WalkOptions,
): Promise<void> {
  // rule: source-walk-begins-behind-late-writes
  for (let left = untilMs - now(); left > 0; left = untilMs - now()) {
    signal?.throwIfAborted();
    onProgress?.({ phase: 'waiting', items: 0, untilMs });
    await wait(Math.min(left, WAIT_MS), signal);
  }
}
