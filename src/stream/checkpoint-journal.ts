import type { Checkpoint, CheckpointStore, ShardCheckpoint } from './checkpoint.ts';

export class Journal {
  private readonly entries = new Map<string, ShardCheckpoint>();
  private hasChanges = false;
  private running: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;

  private constructor(
    private readonly store: CheckpointStore,
    private readonly streamArn: string,
  ) {}

  /** @param onOtherStream called if the checkpoint belongs to another stream; the journal is then empty. */
  static async open(
    store: CheckpointStore,
    streamArn: string,
    onOtherStream: (streamArn: string) => void,
  ): Promise<Journal> {
    const journal = new Journal(store, streamArn);
    const kept = await store.load();
    if (kept?.streamArn === streamArn) for (const entry of kept.shards) journal.entries.set(entry.shardId, entry);
    else if (kept !== undefined) onOtherStream(kept.streamArn);
    return journal;
  }

  get(shardId: string): ShardCheckpoint | undefined {
    return this.entries.get(shardId);
  }

  isFinished(shardId: string): boolean {
    return this.entries.get(shardId)?.finished === true;
  }

  shardIds(): string[] {
    return [...this.entries.keys()];
  }

  noteShard(entry: ShardCheckpoint): void {
    this.entries.set(entry.shardId, entry);
    this.hasChanges = true;
  }

  forget(shardId: string): void {
    if (this.entries.delete(shardId)) this.hasChanges = true;
  }

  flush(): Promise<void> {
    if (!this.hasChanges) return this.running;
    this.queued ??= this.saveAfter(this.running);
    return this.queued;
  }

  private async saveAfter(before: Promise<void>): Promise<void> {
    // The caller of the earlier save gets its error.
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
