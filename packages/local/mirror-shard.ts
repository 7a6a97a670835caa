import { backoffMs } from '../../src/foundation/retry.ts';
import type { OpenSources } from '../../src/sources/create-sources.ts';
import { keyTextOfItem, type Source, type SourceKeys } from '../../src/sources/source.ts';
import { lagOf, type SourceProgress } from '../../src/sources/status.ts';
import { pause } from '../../src/stream/concurrency.ts';
import type { FollowRun } from '../../src/stream/follower.ts';
import { type ShardPage, ShardPages } from '../../src/stream/shard-pages.ts';
import { type ReadBatch, ShardWorker } from '../../src/stream/shard-work.ts';
import type { StreamRecord } from '../../src/stream/source.ts';

export interface Mirror extends Pick<OpenSources, 'touchTexts'> {
  source: Source & { from: SourceKeys };
  progress: SourceProgress;
  pollIntervalMs: number;
}

type ReadPage = ShardPage & ReadBatch;

interface MirrorRun extends FollowRun {
  mirror: Mirror;
}

/** Reads one shard of a source's stream and touches the items in its records. */
export class MirrorShard extends ShardWorker<MirrorRun, ReadPage> {
  private readonly pages: ShardPages;

  constructor(run: MirrorRun, shardId: string) {
    super(run, shardId, run.mirror.pollIntervalMs);
    const start = { after: run.journal.get(shardId)?.sequenceNumber };
    this.pages = new ShardPages(run.source, shardId, start, (message) => this.onTrimmed(message));
  }

  protected override async read(): Promise<ReadPage> {
    const page = await this.pages.next();
    return { ...page, isEmpty: page.records.length === 0 };
  }

  protected override async apply({ records, isEmpty, isEnd }: ReadPage): Promise<boolean> {
    if (!(await this.touch(records))) return false;
    if ((!isEmpty || isEnd) && !this.isCancelled()) {
      const { journal } = this.run;
      journal.noteShard({ shardId: this.shardId, sequenceNumber: this.pages.lastRead, finished: isEnd });
      await journal.flush();
    }
    return true;
  }

  /** Returns false if the run ended first. */
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
