import { EMPTY_PAGES } from './shard-pages.ts';

/**
 * A stream is quiet if no shard waits for its parent, and every open shard was polled twice in a row without news.
 * Records of the worker's own writes count as news, so a quiet worker has read them.
 */
export class IdleDetector {
  private readonly emptyPolls = new Map<string, number>();
  private waitingShards = 0;

  noteOpened(shardId: string): void {
    this.emptyPolls.set(shardId, 0);
  }

  noteClosed(shardId: string): void {
    this.emptyPolls.delete(shardId);
  }

  noteActivity(): void {
    for (const shardId of this.emptyPolls.keys()) this.emptyPolls.set(shardId, 0);
  }

  noteEmptyPoll(shardId: string): void {
    this.emptyPolls.set(shardId, (this.emptyPolls.get(shardId) ?? 0) + 1);
  }

  noteWaiting(count: number): void {
    this.waitingShards = count;
  }

  isQuiet(): boolean {
    return this.waitingShards === 0 && [...this.emptyPolls.values()].every((polls) => polls >= EMPTY_PAGES);
  }
}
