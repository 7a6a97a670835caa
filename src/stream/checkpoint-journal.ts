import type { Checkpoint, CheckpointStore, ShardCheckpoint } from './checkpoint.ts';

/** A checkpoint of another stream that was found and put out of the way. */
export interface SetAside {
  /** The stream that it belongs to. */
  streamArn: string;
  /** Where it is kept. */
  keptAt?: string;
}

/** How far each shard of one stream was read, kept through a `CheckpointStore`. */
export class Journal {
  private readonly entries = new Map<string, ShardCheckpoint>();
  private hasChanges = false;
  /** The save that runs, and the one that will run after it; what is noted before that one starts is in it. */
  private running: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;

  private constructor(
    private readonly store: CheckpointStore,
    private readonly streamArn: string,
  ) {}

  /** Loads what is kept of a stream. A checkpoint of another stream (a re-created table's) is set aside. */
  static async open(store: CheckpointStore, streamArn: string): Promise<{ journal: Journal; setAside?: SetAside }> {
    const journal = new Journal(store, streamArn);
    const kept = await store.load();
    if (kept === undefined) return { journal };
    if (kept.streamArn !== streamArn) {
      return { journal, setAside: { streamArn: kept.streamArn, keptAt: await store.setAside() } };
    }
    for (const entry of kept.shards) journal.entries.set(entry.shardId, entry);
    return { journal };
  }

  /** How far a shard was read; undefined where nothing is known of it. */
  get(shardId: string): ShardCheckpoint | undefined {
    return this.entries.get(shardId);
  }

  /** Tells whether a shard was read to its end. */
  isFinished(shardId: string): boolean {
    return this.entries.get(shardId)?.finished === true;
  }

  /** The shards that something is known of. */
  shardIds(): string[] {
    return [...this.entries.keys()];
  }

  /** Notes how far a shard was read; it is kept with the next `flush`. */
  noteShard(entry: ShardCheckpoint): void {
    this.entries.set(entry.shardId, entry);
    this.hasChanges = true;
  }

  /** Forgets a shard. */
  forget(shardId: string): void {
    if (this.entries.delete(shardId)) this.hasChanges = true;
  }

  /** Keeps all that was noted up to now. Calls that come while a save runs share the next one. */
  flush(): Promise<void> {
    if (!this.hasChanges) return this.running;
    this.queued ??= this.saveAfter(this.running);
    return this.queued;
  }

  private async saveAfter(before: Promise<void>): Promise<void> {
    // The caller of that save learns of its failure; this one is a new try.
    await before.catch(() => undefined);
    this.running = this.queued ?? Promise.resolve();
    this.queued = undefined;
    this.hasChanges = false;
    const checkpoint: Checkpoint = { version: 1, streamArn: this.streamArn, shards: [...this.entries.values()] };
    try {
      await this.store.save(checkpoint);
    } catch (error) {
      this.hasChanges = true;
      throw error;
    }
  }
}
