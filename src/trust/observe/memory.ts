import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
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
/** How much of each text of a difference is saved, in characters. A few large views wouldn't fit in full. */
const MOST_SHOWN = 2_000;
/** The beginning of a text that was replaced by its hash. */
const HASHED = 'sha256 ';

/** Another version of the service may keep other states: they count as none. */
const VERSION = 1;

/** The saved item of an observer. */
interface Saved {
  version: number;
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
    const places = item?.[PLACES];
    if (saved?.state === undefined || places === undefined || !('B' in places)) return undefined;
    return { ...saved.state, ...(JSON.parse(gunzipSync(places.B).toString()) as Places) };
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
    const leaseUntilMs = this.now() + leaseMs;
    const saved: Saved = { version: VERSION, holder: this.holder, leaseUntilMs, ...(state && { state }) };
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
  const saved = jsonOf(item?.[STATE]) as Partial<Saved> | undefined;
  const { version, holder, leaseUntilMs, state } = saved ?? {};
  if (holder === undefined || leaseUntilMs === undefined) return { item, saved: undefined };
  // The lease of another version holds.
  return { item, saved: { version: VERSION, holder, leaseUntilMs, ...(version === VERSION && { state }) } };
}
