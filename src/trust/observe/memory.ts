import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { unchangedCondition } from '../../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { Store } from '../../core/store-port.ts';
import type { ObservedDrift } from './obligation.ts';
import type { ObserverMemory, ObserverState } from './state.ts';

/** The item `observer` in the service's own partition: the state of the observer, and the lease of the process that runs. */

const KEY = { source: SERVICE_PARTITION, target: 'observer' } as const;
const STATE = 'state';
/** How long a process keeps the lease without a sign of life, in milliseconds. */
export const OBSERVER_LEASE_MS = 60_000;

const stateSchema = z.object({
  streamArn: z.string(),
  savedMs: z.number(),
  shards: z.array(
    z.object({
      shardId: z.string(),
      after: z.optional(z.string().check(z.regex(/^\d{1,99}$/))),
      isFinished: z.boolean(),
      sinceMs: z.optional(z.number()),
    }),
  ),
  throughMs: z.optional(z.number()),
  baseMs: z.optional(z.number()),
  positionsMs: z.number(),
  gap: z.optional(z.object({ reason: z.string(), sinceMs: z.number() })),
  drift: z.array(
    z.looseObject({
      suspect: z.object({ source: z.string(), sortKey: z.string(), part: z.looseObject({ kind: z.string() }) }),
      state: z.string(),
      foundMs: z.number(),
    }),
  ),
  heldBy: z.optional(z.string()),
  feed: z.optional(
    z.object({
      told: z.record(z.string(), z.string()),
      unread: z.optional(z.array(z.string())),
      places: z.record(z.string(), z.string()),
    }),
  ),
  isEnded: z.optional(z.boolean()),
});
const savedSchema = z.object({ holder: z.string(), leaseUntilMs: z.number(), state: z.optional(stateSchema) });

/** The saved item of an observer. */
interface Saved {
  /** The process that runs, and the end of its lease in milliseconds since 1970. */
  holder: string;
  leaseUntilMs: number;
  state?: ObserverState | undefined;
}

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
    if (isElsewhere || !(await this.writeState(item, saved?.state))) return 'busy';
    return saved?.state;
  }

  async save(state: ObserverState): Promise<boolean> {
    const { item, saved } = await readSaved(this.store);
    if (saved?.holder !== this.holder) return false;
    return await this.writeState(item, state);
  }

  /** Gives the lease back, so that the next process need not wait for its end, and notes that this one has ended in order. */
  async close(): Promise<void> {
    const { item, saved } = await readSaved(this.store);
    if (saved?.holder === this.holder) await this.writeState(item, saved.state && { ...saved.state, isEnded: true }, 0);
  }

  private async writeState(
    seen: Item | undefined,
    state: ObserverState | undefined,
    leaseMs = OBSERVER_LEASE_MS,
  ): Promise<boolean> {
    const saved: Saved = { holder: this.holder, leaseUntilMs: this.now() + leaseMs, ...(state && { state }) };
    const { applied } = await this.store.update({
      key: KEY,
      set: { [STATE]: { S: JSON.stringify(saved) } },
      unset: [],
      condition: unchangedCondition(seen, undefined),
    });
    return applied;
  }
}

/** Reads the state that an observer has saved last; undefined if none ever ran. */
export async function readObserverState(store: Pick<Store, 'get'>): Promise<ObserverState | undefined> {
  return (await readSaved(store)).saved?.state;
}

async function readSaved(store: Pick<Store, 'get'>): Promise<{ item: Item | undefined; saved: Saved | undefined }> {
  const { item } = await store.get(KEY, { consistent: true });
  try {
    const { state, ...lease } = savedSchema.parse(JSON.parse(stringOf(item?.[STATE]) ?? 'null'));
    const drift = state?.drift as ObservedDrift[] | undefined;
    return { item, saved: { ...lease, ...(state && { state: { ...state, drift: drift! } }) } };
  } catch {
    // The state of another version counts as none: a check of the whole table is then the base again.
    return { item, saved: undefined };
  }
}
