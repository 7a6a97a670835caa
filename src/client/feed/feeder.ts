import type { Runtime } from '../../foundation/runtime.ts';
import type { TailRecord } from '../../stream/stream-tail.ts';
import { changesOf, type FeedModel, placesInForce } from './changes-of.ts';
import type { FeedEvent } from './feed-change.ts';

/** Up to where a feed has told the changes of a stream; kept with the positions of the observer that reads it. */
export interface FeederState {
  /** The last record of each shard that the feed is past. */
  told: Readonly<Record<string, string>>;
  /** The shards that the feed has begun at their ends, and of which it has told nothing yet; absent: none. */
  unread?: readonly string[] | undefined;
  /** The places of the projections at that time: see `placesInForce`. */
  places: Readonly<Record<string, string>>;
}

/** Takes events in their order. Returns once they are kept; throws where they may not be. */
export type TakeEvents = (events: readonly FeedEvent[]) => Promise<void>;

/** The values that a feeder needs. */
export interface FeederContext extends Pick<Runtime, 'now'> {
  /** The model by which records are read. Asked after the records were read. */
  model: () => Promise<FeedModel>;
  take: TakeEvents;
}

/**
 * Tells the changes of the records that an observer reads. Its state is saved after the events were taken, and with the observer's
 * positions: after a crash between the two the same events come again.
 */
export class Feeder {
  private readonly told: Map<string, string>;
  /** Undefined: the feed begins, and no shard is known yet. */
  private unread: Set<string> | undefined;
  private places: ReadonlyMap<string, string>;
  private gaps: string[] = [];
  private isBegun: boolean;
  /** The shards that an earlier process has begun at their ends, and has told nothing of. Empty once that is said. */
  private begunAtEnds: ReadonlySet<string>;

  /** @param from the saved state; undefined: the feed begins. */
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

  /** Notes that records may have left the stream unread. */
  noteGap(reason: string): void {
    this.gaps.push(reason);
  }

  /** Tells the changes of records. They count as told only once all of them are taken. */
  async tell(records: readonly TailRecord[]): Promise<void> {
    // After a restart the observer goes back to the oldest record that is still judged. The feed may be past that.
    const fresh = records.filter(({ shardId, sequenceNumber }) => isAfter(sequenceNumber, this.told.get(shardId)));
    if (fresh.length === 0 && this.gaps.length === 0) return;
    if (fresh.some(({ shardId }) => this.begunAtEnds.has(shardId))) {
      // No number says where such a shard was begun, so that it is read from its first record: older changes may come after newer ones.
      // A shard without records has nothing to say: else a quiet table would have to be read again at each start.
      // rule: feed-begins-again-with-unread-shards
      this.gaps.push('The feed begins again.');
      this.begunAtEnds = new Set();
    }
    const model = await this.context.model();
    const places = placesInForce(model);
    const events = this.resyncs(places);
    for (const { record } of fresh) events.push(...changesOf(model, record));
    if (events.length > 0) await this.context.take(events);
    this.gaps = [];
    this.isBegun = true;
    this.places = places;
    for (const { shardId, sequenceNumber } of fresh) {
      this.told.set(shardId, sequenceNumber);
      this.unread?.delete(shardId);
    }
  }

  /** Tells what no record has told, such as a gap; returns the state to save. @param shardIds the shards whose records may come, or come again. */
  async tellGaps(shardIds: ReadonlySet<string>): Promise<FeederState> {
    const places = placesInForce(await this.context.model());
    const events = this.resyncs(places);
    if (events.length > 0) await this.context.take(events);
    this.gaps = [];
    this.isBegun = true;
    this.places = places;
    // Before the first listing no shard is known.
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

  /** The events that say what may have been left out. */
  private resyncs(places: ReadonlyMap<string, string>): FeedEvent[] {
    const stamp = new Date(this.context.now()).toISOString();
    const events = this.gaps.map(
      (reason, i): FeedEvent => ({ kind: 'resync', reason, eventId: `resync/${stamp}/${i}` }),
    );
    // Another place is another copy of the same rows: its changes were left out while it was built.
    const of = [...places].flatMap(([name, place]) => (this.places.get(name) === place ? [] : [name]));
    if (this.isBegun && of.length > 0) {
      const reason = 'The table was migrated to another model.';
      events.push({ kind: 'resync', of, reason, eventId: `resync/${stamp}` });
    }
    return events;
  }
}

/** Tells whether a sequence number is greater than another one; numbers of a stream have no leading zeros. */
function isAfter(number: string, other: string | undefined): boolean {
  if (other === undefined || number.length !== other.length) return number.length > (other?.length ?? 0);
  return number > other;
}
