import type { Runtime } from '../../foundation/runtime.ts';
import type { TailRecord } from '../../stream/stream-tail.ts';
import { changesOf, type FeedModel, placesInForce } from './changes-of.ts';
import type { FeedEvent } from './feed-change.ts';

/** Saved with the positions of the observer that reads the stream. */
export interface FeederState {
  /** By shard, the sequence number of the last record that the feed has processed. */
  told: Readonly<Record<string, string>>;
  /** Shards that a new feed began to read at their ends, and whose records it hasn't processed yet. */
  unread?: readonly string[] | undefined;
  /** The result of `placesInForce` when this state was saved. */
  places: Readonly<Record<string, string>>;
}

/** Takes events in order. Resolves once they're stored; rejects if they may not have been stored. */
export type TakeEvents = (events: readonly FeedEvent[]) => Promise<void>;

export interface FeederContext extends Pick<Runtime, 'now'> {
  /** Called after reading the records, so that the model is at least as new as they are. */
  model: () => Promise<FeedModel>;
  take: TakeEvents;
}

/**
 * Reports the changes in an observer's records. The observer saves the state only after the events are taken, so a
 * crash in between repeats them.
 */
export class Feeder {
  private readonly told: Map<string, string>;
  /** Undefined until a new feed knows its shards. */
  private unread: Set<string> | undefined;
  private places: ReadonlyMap<string, string>;
  private gaps: string[] = [];
  private isBegun: boolean;
  /**
   * Shards that an earlier process began at their ends, and whose records it didn't process. Emptied once a resync is
   * due for them.
   */
  private begunAtEnds: ReadonlySet<string>;

  constructor(
    private readonly context: FeederContext,
    from: FeederState | undefined,
  ) {
    this.told = new Map(Object.entries(from?.told ?? {}));
    this.places = new Map(Object.entries(from?.places ?? {}));
    this.isBegun = from !== undefined;
    if (from === undefined) this.gaps.push('The feed begins.');
    else this.unread = new Set(from.unread);
    this.begunAtEnds = new Set(from?.unread);
  }

  noteGap(reason: string): void {
    this.gaps.push(reason);
  }

  async tell(records: readonly TailRecord[]): Promise<void> {
    // After a restart, the observer rereads records that the feed may already have reported.
    const fresh = records.filter(
      ({ shardId, sequenceNumber }) => BigInt(sequenceNumber) > BigInt(this.told.get(shardId) ?? -1),
    );
    if (fresh.length === 0 && this.gaps.length === 0) return;
    if (fresh.some(({ shardId }) => this.begunAtEnds.has(shardId))) {
      // Where the earlier process began this shard is unknown, so it's read from its first record, and older changes
      // may follow newer ones. Resync only once a record comes; otherwise, each restart on a quiet table would resync
      // again.
      // rule: feed-begins-again-with-unread-shards
      this.gaps.push('The feed begins again.');
      this.begunAtEnds = new Set();
    }
    const model = await this.context.model();
    const places = placesInForce(model);
    const events = this.resyncs(places);
    for (const { record } of fresh) events.push(...changesOf(model, record));
    await this.take(events, places);
    for (const { shardId, sequenceNumber } of fresh) {
      this.told.set(shardId, sequenceNumber);
      this.unread?.delete(shardId);
    }
  }

  /**
   * Reports gaps and migrations, and returns the state to save.
   *
   * @param shardIds shards whose records may still come, or come again
   */
  async tellGaps(shardIds: ReadonlySet<string>): Promise<FeederState> {
    const places = placesInForce(await this.context.model());
    await this.take(this.resyncs(places), places);
    // Before the first listing, no shards are known.
    if (shardIds.size > 0) {
      for (const shardId of this.told.keys()) if (!shardIds.has(shardId)) this.told.delete(shardId);
      this.unread ??= new Set([...shardIds].filter((shardId) => !this.told.has(shardId)));
      for (const shardId of this.unread) if (!shardIds.has(shardId)) this.unread.delete(shardId);
    }
    const unread = [...(this.unread ?? [])];
    return {
      ...{ told: Object.fromEntries(this.told), places: Object.fromEntries(this.places) },
      ...(unread.length > 0 && { unread }),
    };
  }

  private async take(events: readonly FeedEvent[], places: ReadonlyMap<string, string>): Promise<void> {
    if (events.length > 0) await this.context.take(events);
    this.gaps = [];
    this.isBegun = true;
    this.places = places;
  }

  private resyncs(places: ReadonlyMap<string, string>): FeedEvent[] {
    const stamp = new Date(this.context.now()).toISOString();
    const events = this.gaps.map(
      (reason, i): FeedEvent => ({ kind: 'resync', reason, eventId: `resync/${stamp}/${i}` }),
    );
    // Changes at a new place weren't reported while its items were built.
    const of = [...places].flatMap(([name, place]) => (this.places.get(name) === place ? [] : [name]));
    if (this.isBegun && of.length > 0) {
      const reason = 'The table was migrated to another model.';
      events.push({ kind: 'resync', of, reason, eventId: `resync/${stamp}` });
    }
    return events;
  }
}
