/** Polls in a row that have to find nothing. */
const EMPTY_POLLS = 2;

/**
 * Tells when a stream is quiet: every shard that is read was polled twice in a row without anything new anywhere. Records that
 * the worker's own writes add to the stream count as new, so a quiet worker has read past those too.
 */
export class IdleDetector {
  private readonly emptyPolls = new Map<string, number>();
  private waitingShards = 0;

  /** A shard is being read from now on. */
  noteOpened(shardId: string): void {
    this.emptyPolls.set(shardId, 0);
  }

  /** A shard is not read any more. */
  noteClosed(shardId: string): void {
    this.emptyPolls.delete(shardId);
  }

  /** Notes that something was read: each shard has to be polled twice again. */
  noteActivity(): void {
    for (const shardId of this.emptyPolls.keys()) this.emptyPolls.set(shardId, 0);
  }

  /** A poll found nothing. */
  noteEmptyPoll(shardId: string): void {
    this.emptyPolls.set(shardId, (this.emptyPolls.get(shardId) ?? 0) + 1);
  }

  /** How many shards are known that cannot be read yet. */
  noteWaiting(count: number): void {
    this.waitingShards = count;
  }

  /** Tells whether all is quiet. */
  isQuiet(): boolean {
    return this.waitingShards === 0 && [...this.emptyPolls.values()].every((polls) => polls >= EMPTY_POLLS);
  }
}
