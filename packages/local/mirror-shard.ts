import { backoffMs } from '../../src/foundation/retry.ts';
import { keyTextOfItem, type Source, type SourceKeys } from '../../src/sources/source.ts';
import type { OpenSources } from '../../src/sources/sources.ts';
import { lagOf, type SourceProgress } from '../../src/sources/status.ts';
import { pause } from '../../src/stream/concurrency.ts';
import type { FollowRun } from '../../src/stream/follower.ts';
import { ShardPages } from '../../src/stream/shard-pages.ts';
import { ShardWorker } from '../../src/stream/shard-work.ts';
import type { StreamRecord } from '../../src/stream/source.ts';

export interface Mirror extends Pick<OpenSources, 'touchTexts'> {
  source: Source & { from: SourceKeys };
  progress: SourceProgress;
  /** Milliseconds between polls of a quiet shard. */
  pollIntervalMs: number;
}

/** Reads one shard of a source's stream and touches the items that its records name. */
export class MirrorShard extends ShardWorker<FollowRun & { mirror: Mirror }> {
  override async work(): Promise<void> {
    const { run, shardId } = this;
    const start = { after: run.journal.get(shardId)?.sequenceNumber };
    const pages = new ShardPages(run.source, shardId, start, (message) => this.onTrimmed(message));
    run.quiet.noteOpened(shardId);
    try {
      while (!this.isEnding()) {
        const page = await this.retrying('reading', () => pages.next());
        if (page === undefined || !(await this.touch(page.records))) return;
        const isEmpty = page.records.length === 0;
        if ((!isEmpty || page.isEnd) && !this.isCancelled()) {
          run.journal.noteShard({ shardId, sequenceNumber: pages.lastRead, finished: page.isEnd });
          await run.journal.flush();
        }
        if (!isEmpty) run.quiet.noteActivity();
        if (page.isEnd) {
          run.onLineageChange();
          return;
        }
        if (isEmpty) {
          run.onEmptyPoll(shardId);
          await pause(run.mirror.pollIntervalMs, run.stopping);
        }
      }
    } finally {
      run.quiet.noteClosed(shardId);
    }
  }

  /** False where the run ended first. */
  private async touch(records: readonly StreamRecord[]): Promise<boolean> {
    const { mirror, stopping, graceMs, report } = this.run;
    const { source, progress } = mirror;
    let keys = [...new Set(records.map(({ dynamodb }) => keyTextOfItem(source, dynamodb?.Keys ?? {})))];
    for (let attempt = 1; keys.length > 0; attempt++) {
      if (stopping.aborted) return false;
      const left = await mirror.touchTexts(source, keys, { remainingMs: graceMs });
      keys = [...left.keys()];
      if (keys.length === 0) await progress.note(lagOf(records, Date.now()), Date.now());
      else {
        const [error] = left.values();
        const details = { source: source.name, left: keys.length, attempt, error: String(error) };
        report.logger.warn(details, 'Items of a source are not mirrored yet; trying again.');
        await pause(backoffMs(attempt), stopping);
      }
    }
    return true;
  }
}
