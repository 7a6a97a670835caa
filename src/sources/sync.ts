import { attributeOf, type Item, numberOf, stringOf } from '../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import { queryPages } from '../core/store-pages.ts';
import type { BaseCondition, ItemKey } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { LANDS_WITHIN_MS, LATEST_WRITE_MS } from '../foundation/late-writes.ts';
import type { Abortable } from '../foundation/runtime.ts';
import type { SourceContext } from './context.ts';
import { type Head, readHead, writeHead } from './head.ts';
import { LEDGER_SHARDS, type Ledger, ledgerOf, partitionOf } from './ledger.ts';
import type { TouchRun } from './touch.ts';
import { touchAll } from './touches.ts';

/** The one walk of a source: it touches every key that the source has, and every key that has a ledger. */

/** How far a walk is. */
export interface SyncProgress {
  /** `waiting`: for writes that may still land; then source items, then ledgers of what the source has no more. */
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

/** The place of a walk: another process goes on from there. */
interface Place {
  /** The name of the walk: the ledgers that it has touched have it. */
  sync: string;
  /** The head under which it began. */
  head: string;
  phase: 'items' | 'ledgers';
  after: string | undefined;
  items: number;
}

/** A walk is never given up for want of capacity: it waits. */
const ATTEMPTS = Number.POSITIVE_INFINITY;
/** The longest single wait, in milliseconds: the walk tells of itself between two. */
const WAIT_MS = 30_000;

/** Puts the mapping in force that the context has, and makes of every source item what it is now. Returns the number of source items. */
export async function syncSource(context: SourceContext, options: WalkOptions): Promise<number> {
  const { source, access, random, now } = context;
  const { signal, resume = false } = options;
  const { head, sinceMs } = await putInForce(context, { version: source.version, isRetired: false });
  // A write of the version before that lands later would be seen by nobody.
  await waitForLateWrites(context, sinceMs, options);
  const sync = `${head.revision}/${now()}/${Math.floor(random() * 1e9)}`;
  const anew: Place = { sync, head: head.revision, phase: 'items', after: undefined, items: 0 };
  let place = (resume ? await readPlace(context, head) : undefined) ?? anew;
  if (place === anew) await writePlace(context, anew, {});
  const visit = async (keys: readonly string[], phase: Place['phase'], after: string): Promise<void> => {
    signal?.throwIfAborted();
    // A ledger has the mark from before its items are written: a walk that goes on visits those of the last page of ledgers again.
    const mark = phase === 'items' ? place.sync : `${place.sync}/ledgers`;
    await touchOrThrow(context, keys, { attempts: ATTEMPTS, signal, sync: mark });
    place = { ...place, phase, after, items: place.items + keys.length };
    // A walk that has begun since has a place of its own.
    await writePlace(context, place, { equal: { sync: { S: place.sync } } });
    options.onProgress?.({ phase, items: place.items });
  };
  // rule: source-walk-touches-source-keys
  if (place.phase === 'items')
    for await (const page of access.pages(place.after)) await visit(page.keys, 'items', page.place);
  const from = place.phase === 'ledgers' ? place.after : undefined;
  for await (const page of ledgerPages(context, from)) {
    const keys = page.ledgers.filter(({ sync: last }) => last !== place.sync).map(({ key }) => key);
    // rule: source-walk-touches-ledger-keys
    await visit(keys, 'ledgers', page.place);
  }
  await context.store.change({ kind: 'delete', key: placeKey(context) });
  return place.items;
}

/** Takes a source away: what it made goes. Returns the number of source items of which something went. */
export async function retireSource(context: SourceContext, options: WalkOptions): Promise<number> {
  const before = await readHead(context.store, context.source.name);
  const version = before?.version ?? context.source.version;
  const { sinceMs } = await putInForce(context, { version, isRetired: true });
  await waitForLateWrites(context, sinceMs, options);
  let items = 0;
  for await (const { ledgers } of ledgerPages(context, undefined)) {
    options.signal?.throwIfAborted();
    const keys = ledgers
      .filter((ledger) => ledger.keys.length > 0 || ledger.refusal !== undefined)
      .map(({ key }) => key);
    await touchOrThrow(context, keys, { attempts: ATTEMPTS, signal: options.signal, isRetiring: true });
    items += keys.length;
    options.onProgress?.({ phase: 'ledgers', items });
  }
  return items;
}

/** The ledgers of a source, page by page, with the place where the next page begins. */
export async function* ledgerPages(
  { graph, store, source }: SourceContext,
  from: string | undefined,
): AsyncGenerator<{ ledgers: Ledger[]; place: string }, void> {
  const [begun = '0', ...rest] = from?.split('/') ?? [];
  const after = rest.join('/');
  for (let shard = Number(begun); shard < LEDGER_SHARDS; shard++) {
    const partition = partitionOf(source.name, shard);
    const isBegun = shard === Number(begun) && after !== '';
    const { partitionKey, sortKey } = graph.table;
    const startKey = { [partitionKey]: { S: partition }, [sortKey]: { S: after } };
    for await (const { items } of queryPages(store, { partition, consistent: true, ...(isBegun && { startKey }) })) {
      const last = items.at(-1);
      const place = last === undefined ? `${shard + 1}` : `${shard}/${stringOf(attributeOf(last, sortKey))}`;
      yield { ledgers: items.flatMap((item) => ledgerOf(item) ?? []), place };
    }
  }
}

async function touchOrThrow(context: SourceContext, keys: readonly string[], run: TouchRun): Promise<void> {
  const left = await touchAll(context, keys, run);
  for (const [key, error] of left) {
    if (error instanceof Error) throw error;
    throw new EdgeloomError('touch-unfinished', `The source item ${key} could not be touched.`, 'Sync again.');
  }
}

/** Puts a version in force, or none; the head is written only where it differs. Throws `too-much-contention` where another walk does the same. */
async function putInForce(
  context: SourceContext,
  expected: Pick<Head, 'version' | 'isRetired'>,
): Promise<{ head: Head; sinceMs: number }> {
  const { store, source, now } = context;
  const before = await readHead(store, source.name);
  if (before?.version === expected.version && before.isRetired === expected.isRetired) {
    // The head has a time from before its write.
    return { head: before, sinceMs: before.since + LANDS_WITHIN_MS };
  }
  // The first version has none before it whose writes might land.
  const head = await writeHead(context, source.name, before, { ...expected, since: before === undefined ? 0 : now() });
  // From the answer on: until then a touch may have read the head before.
  const sinceMs = before === undefined ? 0 : now();
  if (head !== undefined) return { head, sinceMs };
  throw new EdgeloomError(
    'too-much-contention',
    `Something else has put a version of the source ${source.name} in force at the same time.`,
    'Look which one should be, and sync again.',
  );
}

async function waitForLateWrites({ now, wait }: SourceContext, sinceMs: number, options: WalkOptions): Promise<void> {
  const untilMs = sinceMs + LATEST_WRITE_MS;
  for (let left = untilMs - now(); left > 0; left = untilMs - now()) {
    options.onProgress?.({ phase: 'waiting', items: 0, untilMs });
    await wait(Math.min(left, WAIT_MS), options.signal);
  }
}

function placeKey({ source }: SourceContext): ItemKey {
  return { source: SERVICE_PARTITION, target: `source-sync/${source.name}` };
}

async function readPlace(context: SourceContext, head: Head): Promise<Place | undefined> {
  const { item } = await context.store.get(placeKey(context), { consistent: true });
  const text = (name: string): string | undefined => item && stringOf(attributeOf(item, name));
  const [sync, phase, of] = [text('sync'), text('phase'), text('head')];
  if (sync === undefined || of !== head.revision) return undefined;
  const items = Number((item && numberOf(attributeOf(item, 'items'))) ?? 0);
  return { sync, head: of, phase: phase === 'ledgers' ? 'ledgers' : 'items', after: text('after'), items };
}

async function writePlace(context: SourceContext, place: Place, condition: BaseCondition): Promise<void> {
  const { sync, head, phase, after, items } = place;
  const { table } = context.graph;
  const key = placeKey(context);
  const item: Item = {
    [table.partitionKey]: { S: key.source },
    [table.sortKey]: { S: key.target },
    ...{ sync: { S: sync }, head: { S: head }, phase: { S: phase }, items: { N: String(items) } },
    ...(after !== undefined && { after: { S: after } }),
  };
  await context.store.change({ kind: 'put', key, item, condition });
}
