import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { type Item, jsonOf, stringOf } from '../../core/items/attribute-value.ts';
import { unchangedCondition } from '../../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import { hashOfText } from '../../core/kinds/difference.ts';
import type { Store } from '../../core/store-port.ts';
import type { ObservedDrift } from './drift.ts';
import type { ObserverMemory, ObserverState } from './state.ts';

/**
 * The item `observer` in the service's own partition: the state of the observer, the lease of the process that runs, and the places in the
 * shards. A table of many terabytes has thousands of shards: their places are compressed, to some 27 bytes each, so that an item has room for
 * those of 14,000.
 */

/** The key of the state of the observer. */
export const OBSERVER_KEY = { source: SERVICE_PARTITION, target: 'observer' } as const;
const [STATE, PLACES] = ['state', 'places'];
/** How long a process keeps the lease without a sign of life, in milliseconds. */
export const OBSERVER_LEASE_MS = 60_000;
/** Characters of each text of a difference that are saved. The contents of a few large views would not fit into the item. */
const MOST_SHOWN = 2_000;
/** The beginning of a text that was replaced by its hash. */
const HASHED = 'sha256 ';

const progressSchema = z.object({
  streamArn: z.string(),
  savedMs: z.number(),
  throughMs: z.optional(z.number()),
  baseMs: z.optional(z.number()),
  positionsMs: z.number(),
  ready: z.array(z.string()),
  gap: z.optional(z.object({ reason: z.string(), sinceMs: z.number() })),
  drift: z.array(
    z.looseObject({
      suspect: z.object({
        source: z.string(),
        sortKey: z.string(),
        bases: z.optional(z.array(z.object({ source: z.string(), target: z.string() }))),
      }),
      differences: z.array(z.object({ kind: z.string(), about: z.optional(z.string()) })),
      foundMs: z.number(),
    }),
  ),
  heldBy: z.optional(z.string()),
  sampled: z.optional(
    z.object({
      asked: z.number(),
      wrong: z.number(),
      wrongItems: z.array(z.string()),
      sinceMs: z.number(),
      failure: z.optional(z.string()),
    }),
  ),
  isEnded: z.optional(z.boolean()),
});
const leaseSchema = z.object({ holder: z.string(), leaseUntilMs: z.number() });
const savedSchema = z.object({ state: z.optional(progressSchema) });
const placesSchema = z.object({
  shards: z.array(
    z.object({
      shardId: z.string(),
      after: z.optional(z.string().check(z.regex(/^\d{1,99}$/))),
      isFinished: z.boolean(),
      sinceMs: z.optional(z.number()),
    }),
  ),
  feed: z.optional(
    z.object({
      told: z.record(z.string(), z.string()),
      unread: z.optional(z.array(z.string())),
      places: z.record(z.string(), z.string()),
    }),
  ),
});

/** The saved item of an observer. */
interface Saved {
  /** The process that runs, and the end of its lease in milliseconds since 1970. */
  holder: string;
  leaseUntilMs: number;
  state?: SavedProgress | undefined;
}

/** How far an observer is in each shard, and its feed. */
type Places = Pick<ObserverState, 'shards' | 'feed'>;

/** The state of an observer without its places in the shards. */
export type SavedProgress = Omit<ObserverState, 'shards' | 'feed'>;

/** Keeps the state of an observer in the table. */
export class TableMemory implements ObserverMemory {
  private readonly holder = randomUUID();

  constructor(
    private readonly store: Pick<Store, 'get' | 'update'>,
    private readonly now: () => number,
  ) {}

  async open(): Promise<ObserverState | 'busy' | undefined> {
    const { item, saved } = await readSaved(this.store);
    const isElsewhere = saved !== undefined && saved.holder !== this.holder && this.now() < saved.leaseUntilMs;
    if (isElsewhere || !(await this.write(item, saved?.state))) return 'busy';
    // Places of another version count as none, like a state of another version.
    const places = placesIn(item);
    return saved?.state && places && { ...saved.state, ...places };
  }

  async save({ shards, feed, ...state }: ObserverState): Promise<boolean> {
    const { item, saved } = await readSaved(this.store);
    if (saved?.holder !== this.holder) return false;
    const drift = state.drift.map((one) => withTexts(one, shownText));
    return await this.write(item, { ...state, drift }, { places: { shards, feed } });
  }

  /** Gives the lease back, so that the next process need not wait for its end, and notes that this one has ended in order. */
  async close(): Promise<void> {
    const { item, saved } = await readSaved(this.store);
    if (saved?.holder !== this.holder) return;
    await this.write(item, saved.state && { ...saved.state, isEnded: true }, { leaseMs: 0 });
  }

  /** Gives the lease back and leaves the state as it is: another reader of the stream than an observer has had it. */
  async release(): Promise<void> {
    const { item, saved } = await readSaved(this.store);
    if (saved?.holder === this.holder) await this.write(item, saved.state, { leaseMs: 0 });
  }

  private async write(
    seen: Item | undefined,
    state: SavedProgress | undefined,
    { places, leaseMs = OBSERVER_LEASE_MS }: { places?: Places; leaseMs?: number } = {},
  ): Promise<boolean> {
    const saved: Saved = { holder: this.holder, leaseUntilMs: this.now() + leaseMs, ...(state && { state }) };
    const { applied } = await this.store.update({
      key: OBSERVER_KEY,
      set: {
        [STATE]: { S: JSON.stringify(saved) },
        ...(places && { [PLACES]: { B: gzipSync(JSON.stringify(places)) } }),
      },
      unset: [],
      condition: unchangedCondition(seen, undefined),
    });
    return applied;
  }
}

/**
 * Takes known differences, and wrong items of the sample, out of the saved state, and leaves hashes of the contents of all others. A process
 * that runs saves its own again. Returns the item after that; undefined: there is none.
 *
 * @param isGone whether one goes.
 */
export async function withoutObserved(
  store: Pick<Store, 'get' | 'update'>,
  isGone: (entry: unknown) => boolean,
): Promise<Item | undefined> {
  const { item, saved } = await readSaved(store);
  if (saved?.state === undefined) return item;
  const { heldBy, sampled, drift, ...state } = saved.state;
  const left: SavedProgress = {
    ...{ ...state, drift: drift.filter((one) => !isGone(one)).map((one) => withTexts(one, hashedText)) },
    ...(heldBy !== undefined && !isGone(heldBy) && { heldBy }),
    ...(sampled && { sampled: { ...sampled, wrongItems: sampled.wrongItems.filter((one) => !isGone(one)) } }),
  };
  const text = JSON.stringify({ ...saved, state: left });
  if (text === stringOf(item?.[STATE])) return item;
  const set = { [STATE]: { S: text } };
  await store.update({ key: OBSERVER_KEY, set, unset: [], condition: unchangedCondition(item, undefined) });
  return (await readSaved(store)).item;
}

/** A difference with other texts: people read them, and a restart looks at the part again. */
function withTexts(drift: ObservedDrift, textOf: (text: string) => string): ObservedDrift {
  const textOrNull = (text: string | null): string | null => (text === null ? null : textOf(text));
  return { ...drift, expected: textOrNull(drift.expected), stored: textOrNull(drift.stored) };
}

/** The beginning of a text. */
function shownText(text: string): string {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`;
}

function hashedText(text: string): string {
  return text.startsWith(HASHED) ? text : HASHED + hashOfText(text);
}

/** Reads how far the observer is, as it was saved last; undefined if none ever ran. */
export async function readObserverProgress(store: Pick<Store, 'get'>): Promise<SavedProgress | undefined> {
  return (await readSaved(store)).saved?.state;
}

async function readSaved(store: Pick<Store, 'get'>): Promise<{ item: Item | undefined; saved: Saved | undefined }> {
  const { item } = await store.get(OBSERVER_KEY, { consistent: true });
  const value = jsonOf(item?.[STATE]);
  const lease = leaseSchema.safeParse(value);
  if (!lease.success) return { item, saved: undefined };
  // The state of another version counts as none, and its lease holds: a check of the whole table is then the base again.
  const state = savedSchema.safeParse(value).data?.state as SavedProgress | undefined;
  return { item, saved: { ...lease.data, ...(state && { state }) } };
}

/** The places in a saved item; undefined: it has none, or those of another version. */
function placesIn(item: Item | undefined): Places | undefined {
  const places = item?.[PLACES];
  if (places === undefined || !('B' in places)) return undefined;
  try {
    return placesSchema.safeParse(JSON.parse(gunzipSync(places.B).toString())).data;
  } catch {
    return undefined;
  }
}
