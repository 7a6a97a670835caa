import { attributeOf, stringOf } from '../core/items/attribute-value.ts';
import { queryPages } from '../core/store-pages.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { LANDS_WITHIN_MS, LATEST_WRITE_MS } from '../foundation/late-writes.ts';
import type { Abortable } from '../foundation/runtime.ts';
import type { SourceContext } from './context.ts';
import { type Head, readHead, writeHead } from './head.ts';
import { LEDGER_SHARDS, type Ledger, ledgerOf, partitionOf } from './ledger.ts';
import { asPut, putOf, type Stored, serviceKey, storedIn } from './record.ts';
import { touchAll } from './touches.ts';

/** How far a walk is. */
export interface SyncProgress {
  /** `waiting`: for writes that may still land; then source items, then ledgers of items that the source no longer has. */
  phase: 'waiting' | 'items' | 'ledgers';
  /** Source items so far. */
  items: number;
  /** When the wait ends, in milliseconds since 1970. */
  untilMs?: number;
}

/** How a walk runs. */
export interface WalkOptions extends Abortable {
  /** Called as the walk goes on. */
  onProgress?: ((progress: SyncProgress) => void) | undefined;
  /** Goes on where the last walk was stopped, if no other version came into force since. Default: begins from the start. */
  resume?: boolean | undefined;
}

/** Where a walk is, so that another process can continue. */
interface Place {
  /** The name of the walk, which is in the ledgers that it has touched. */
  sync: string;
  /** The revision of the head under which it began. */
  head: number;
  phase: 'items' | 'ledgers';
  after?: string | undefined;
  items: number;
}

/** The longest single wait, in milliseconds: the walk tells of itself between two. */
const WAIT_MS = 30_000;

/**
 * The one walk of a source. It puts the source as the context has it in force, then touches every key that the source has, and every key that
 * has a ledger. A source that is being retired has no items, so everything that it made goes. Returns the number of source items.
 */
export async function syncSource(context: SourceContext, options: WalkOptions): Promise<number> {
  const { graph, store, source, access, random, now } = context;
  const { signal, resume = false } = options;
  const { revision: head } = await putInForce(context, options);
  const key = serviceKey(`source-sync/${source.name}`);
  const sync = `${head}/${now()}/${Math.floor(random() * 1e9)}`;
  const kept = resume ? storedIn<Place>((await store.get(key, { consistent: true })).item)?.state : undefined;
  let place: Place = kept?.head === head ? kept : { sync, head, phase: 'items', items: 0 };
  if (place !== kept) await store.change(putOf(graph, key, place));
  const visit = async (keys: readonly string[], phase: Place['phase'], after: string, items = keys.length) => {
    signal?.throwIfAborted();
    // A ledger is marked before its items are written: a walk that continues visits the last page of ledgers again.
    const mark = phase === 'items' ? place.sync : `${place.sync}/ledgers`;
    // It never gives up for lack of capacity.
    const left = await touchAll(context, keys, { attempts: Number.POSITIVE_INFINITY, signal, sync: mark });
    for (const error of left.values()) throw error;
    const before = putOf(graph, key, place);
    place = { ...place, phase, after, items: place.items + items };
    // A walk that began later has its own place.
    await store.change(putOf(graph, key, place, asPut(before)));
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
  await store.change({ kind: 'delete', key });
  return place.items;
}

/** Whether something was made of a source item, or it was refused. */
export function isOfSomething({ keys, refusal }: Ledger): boolean {
  return keys.length > 0 || refusal !== undefined;
}

/** The ledgers of a source, page by page, with the place where the next page begins. */
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
 * Puts the source as the context has it in force, and waits until no write of what was in force before can land. Throws `too-much-contention`
 * if another walk does the same.
 */
async function putInForce(context: SourceContext, { signal, onProgress }: WalkOptions): Promise<Stored<Head>> {
  const { source, now, wait } = context;
  const before = await readHead(context);
  let head = before;
  // The time in the head is from before its write.
  let sinceMs = (before?.state.since ?? 0) + LANDS_WITHIN_MS;
  if (before?.state.version !== source.version) {
    // Nothing is before the first head, so nothing can land late.
    head = await writeHead(context, before, before === undefined ? 0 : now());
    // Until the answer, a touch may have read the head before.
    sinceMs = before === undefined ? 0 : now();
  }
  if (head === undefined) {
    throw new EdgeloomError(
      'too-much-contention',
      `Something else has put a version of the source ${source.name} in force at the same time.`,
      'Look which one should be, and sync again.',
    );
  }
  const untilMs = sinceMs + LATEST_WRITE_MS;
  // rule: source-walk-begins-behind-late-writes
  for (let left = untilMs - now(); left > 0; left = untilMs - now()) {
    signal?.throwIfAborted();
    onProgress?.({ phase: 'waiting', items: 0, untilMs });
    await wait(Math.min(left, WAIT_MS), signal);
  }
  return head;
}
