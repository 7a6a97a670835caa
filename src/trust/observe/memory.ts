import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { unchangedCondition } from '../../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import { hashOfText } from '../../core/kinds/part.ts';
import type { Store } from '../../core/store-port.ts';
import type { ObservedDrift } from './drift.ts';
import {
  type PlacesReference,
  placesIn,
  placesReferenceSchema,
  placesSchema,
  readPlaces,
  writePlaces,
} from './places.ts';
import type { ObserverMemory, ObserverState } from './state.ts';

/**
 * The item `observer` in the service's own partition: the state of the observer, and the lease of the process that runs. The positions in
 * many shards do not fit into it, and are in items next to it.
 */

/** The key of the state of the observer. */
export const OBSERVER_KEY = { source: SERVICE_PARTITION, target: 'observer' } as const;
const STATE = 'state';
/** How long a process keeps the lease without a sign of life, in milliseconds. */
export const OBSERVER_LEASE_MS = 60_000;
/** Characters of a state that is saved in one item: with more shards their places are in items of their own. */
const MOST_INLINE = 100_000;
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
  unjudged: z.optional(z.array(z.string())),
  gap: z.optional(z.object({ reason: z.string(), sinceMs: z.number() })),
  drift: z.array(
    z.looseObject({
      suspect: z.object({ source: z.string(), sortKey: z.string(), part: z.looseObject({ kind: z.string() }) }),
      state: z.string(),
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
  // With few shards their places are here, too.
  shards: z.optional(placesSchema.shape.shards),
  feed: placesSchema.shape.feed,
});
const leaseSchema = z.object({ holder: z.string(), leaseUntilMs: z.number() });
const savedSchema = z.object({ state: z.optional(progressSchema), places: z.optional(placesReferenceSchema) });

/** The saved item of an observer. */
interface Saved {
  /** The process that runs, and the end of its lease in milliseconds since 1970. */
  holder: string;
  leaseUntilMs: number;
  /** With the places in the shards, unless they are in items of their own. */
  state?: SavedProgress | ObserverState | undefined;
  /** The items that hold the places in the shards; absent: the state has them. */
  places?: PlacesReference | undefined;
}

/** The state of an observer without its places in the shards. */
export type SavedProgress = Omit<ObserverState, 'shards' | 'feed'>;

/** Keeps the state of an observer in the table. */
export class TableMemory implements ObserverMemory {
  private readonly holder = randomUUID();

  constructor(
    private readonly store: Pick<Store, 'get' | 'getMany' | 'update'>,
    private readonly now: () => number,
  ) {}

  async open(): Promise<ObserverState | 'busy' | undefined> {
    const { item, saved } = await readSaved(this.store);
    const isElsewhere = saved !== undefined && saved.holder !== this.holder && this.now() < saved.leaseUntilMs;
    if (isElsewhere || !(await this.write(item, { state: saved?.state, places: saved?.places }))) return 'busy';
    if (saved?.state === undefined) return undefined;
    const places = saved.places === undefined ? placesIn(saved.state) : await readPlaces(this.store, saved.places);
    // Places of another version count as none, like a state of another version.
    return places && { ...saved.state, ...places };
  }

  async save(whole: ObserverState): Promise<boolean> {
    const state = { ...whole, drift: whole.drift.map((one) => withTexts(one, shownText)) };
    const { item, saved } = await readSaved(this.store);
    if (saved?.holder !== this.holder) return false;
    if (JSON.stringify(state).length <= MOST_INLINE) return await this.write(item, { state });
    const { shards, feed, ...progress } = state;
    const hasLease = async (): Promise<boolean> => (await readSaved(this.store)).saved?.holder === this.holder;
    const places = await writePlaces(this.store, saved.places, { shards, ...(feed && { feed }) }, hasLease);
    return places !== undefined && (await this.write(item, { state: progress, places }));
  }

  /** Gives the lease back, so that the next process need not wait for its end, and notes that this one has ended in order. */
  async close(): Promise<void> {
    const { item, saved } = await readSaved(this.store);
    if (saved?.holder !== this.holder) return;
    await this.write(item, { state: saved.state && { ...saved.state, isEnded: true }, places: saved.places }, 0);
  }

  /** Gives the lease back and leaves the state as it is: another reader of the stream than an observer has had it. */
  async release(): Promise<void> {
    const { item, saved } = await readSaved(this.store);
    if (saved?.holder === this.holder) await this.write(item, saved, 0);
  }

  private async write(
    seen: Item | undefined,
    { state, places }: Pick<Saved, 'state' | 'places'>,
    leaseMs = OBSERVER_LEASE_MS,
  ): Promise<boolean> {
    const saved: Saved = {
      ...{ holder: this.holder, leaseUntilMs: this.now() + leaseMs },
      ...(state && { state }),
      ...(places && { places }),
    };
    const { applied } = await this.store.update({
      key: OBSERVER_KEY,
      set: { [STATE]: { S: JSON.stringify(saved) } },
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
  const value = parsedJson(stringOf(item?.[STATE]));
  const lease = leaseSchema.safeParse(value);
  if (!lease.success) return { item, saved: undefined };
  // The state of another version counts as none, and its lease holds: a check of the whole table is then the base again.
  const { state, places } = savedSchema.safeParse(value).data ?? {};
  const drift = state?.drift as ObservedDrift[] | undefined;
  return {
    item,
    saved: { ...lease.data, ...(state && { state: { ...state, drift: drift! } }), ...(places && { places }) },
  };
}

function parsedJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
