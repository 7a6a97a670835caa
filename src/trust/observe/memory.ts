import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Item, jsonOf, stringOf } from '../../core/items/attribute-value.ts';
import { unchangedCondition } from '../../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import { hashOfText } from '../../core/kinds/difference.ts';
import { type ReadStats, readItem } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';
import type { ObservedDrift } from './drift.ts';
import type { ObserverMemory, ObserverState } from './state.ts';

/**
 * Keeps the observer's state, the running process's lease, and the places in the shards in the item `observer` of the
 * service partition. A table of many terabytes has thousands of shards; compressed to about 27 bytes each, 14,000
 * places fit.
 */

export const OBSERVER_KEY = { source: SERVICE_PARTITION, target: 'observer' } as const;
const [STATE, PLACES] = ['state', 'places'];
export const OBSERVER_LEASE_MS = 60_000;
/**
 * Characters of each string in a difference that are saved. The full strings of a few large views wouldn't fit into the
 * item.
 */
const MOST_SHOWN = 2_000;
const HASHED = 'sha256 ';

const VERSION = 1;

interface Saved {
  version: number;
  holder: string;
  leaseUntilMs: number;
  state?: SavedProgress | undefined;
}

type Places = Pick<ObserverState, 'shards' | 'feed'>;

export type SavedProgress = Omit<ObserverState, 'shards' | 'feed'>;

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

  /** Also saves that this run was ended on purpose. */
  async close(): Promise<void> {
    await this.release({ isEnded: true });
  }

  /** Returns the lease, so that the next process needn't wait until it expires. */
  async release(change?: { isEnded: true }): Promise<void> {
    const { item, saved } = await readSaved(this.store);
    if (saved?.holder === this.holder)
      await this.write(item, saved.state && { ...saved.state, ...change }, { leaseMs: 0 });
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
 * Removes known differences, wrong items of the sample and `heldBy` from the saved state where `isGone` says so, and
 * replaces the strings of the other differences with hashes. A running observer overwrites this with its own state.
 * Returns the item as it is afterwards.
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

/** A shortened string is enough: after a restart, the observer restores it when it looks at the item again. */
function withTexts(drift: ObservedDrift, textOf: (text: string) => string): ObservedDrift {
  const textOrNull = (text: string | null): string | null => (text === null ? null : textOf(text));
  return { ...drift, expected: textOrNull(drift.expected), stored: textOrNull(drift.stored) };
}

/** Tells whether a text is the same as a saved one, which may be shortened or a hash. */
export function isSavedText(saved: string | null, text: string | null): boolean {
  if (saved === text || saved === null || text === null) return saved === text;
  return saved === shownText(text) || saved === hashedText(shownText(text));
}

function shownText(text: string): string {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`;
}

function hashedText(text: string): string {
  return text.startsWith(HASHED) ? text : HASHED + hashOfText(text);
}

export async function readObserverProgress(
  store: Pick<Store, 'get'>,
  stats?: ReadStats,
): Promise<SavedProgress | undefined> {
  return (await readSaved(store, stats)).saved?.state;
}

async function readSaved(
  store: Pick<Store, 'get'>,
  stats: ReadStats = { rcu: 0 },
): Promise<{ item: Item | undefined; saved: Saved | undefined }> {
  const item = await readItem({ store, stats }, OBSERVER_KEY);
  const saved = jsonOf(item?.[STATE]) as Partial<Saved> | undefined;
  const { version, holder, leaseUntilMs, state } = saved ?? {};
  if (holder === undefined || leaseUntilMs === undefined) return { item, saved: undefined };
  // A lease is valid regardless of the version that wrote it.
  return { item, saved: { version: VERSION, holder, leaseUntilMs, ...(version === VERSION && { state }) } };
}
