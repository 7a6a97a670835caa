import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import type { Item } from '../../core/items/attribute-value.ts';
import type { Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import { SHARDS_AT_ONCE } from '../shard-pages.ts';
import {
  MOST_PUBLISHED_SHARDS,
  type PublishedLowWatermark,
  type PublishedShard,
  publishLowWatermark,
  readPublishedLowWatermark,
  saveAppliedPlace,
} from './applied-places.ts';
import { STREAM_MS, StreamWalk, type WalkContext, type WalkedShard, type WalkedStream } from './stream-walk.ts';

export interface MoverContext extends WalkContext {
  store: Pick<Store, 'get' | 'put' | 'query' | 'update'>;
  /** Read instead of the stream, in a process that has a tail. Such a process takes the lease from others. */
  tail?: Pick<WalkContext, 'source' | 'now'> | undefined;
}

const LEASE_MS = 10_000;

/**
 * Moves a stream's low watermark. A lease lets one process walk the stream, and the others read its result. A process
 * without write access walks the stream itself.
 */
export class LowWatermarkMover {
  private readonly id = randomUUID();
  private walk: StreamWalk | undefined;
  private readonly saved = new Map<string, string | undefined>();
  private mayPublish = true;
  private renewedMs: number | undefined;

  constructor(private readonly context: MoverContext) {}

  /**
   * Returns undefined if the claims don't show the low watermark. If no other process has published one lately, takes
   * the lease, walks the stream, and publishes the result.
   *
   * @param freshMs the age up to which a published low watermark is used.
   */
  async advance(freshMs: number): Promise<number | undefined> {
    if (!this.mayPublish) return this.markOf(await this.walkStream());
    const { store, source, now, tail } = this.context;
    const { item, published } = await readPublishedLowWatermark(store);
    const ofStream = published?.streamArn === source.streamArn ? published : undefined;
    const isFresh = ofStream !== undefined && now() - ofStream.lookedAtMs < freshMs;
    const isElsewhere = ofStream !== undefined && ofStream.holder !== this.id && now() < ofStream.leaseUntilMs;
    // Another process has moved the low watermark, maybe past claims that this walk can't use. So the next walk begins
    // at the shards' applied places.
    // rule: walk-begins-again-after-another-mover
    if (ofStream?.holder !== this.id) this.walk = undefined;
    if (tail === undefined && (isFresh || isElsewhere)) return ofStream.upToMs;
    // The consumer of the earlier stream may be behind, and nobody walks that stream any more.
    // rule: low-watermark-of-a-new-stream-waits-for-the-one-before
    this.renewedMs = ofStream === undefined && published !== undefined ? now() : ofStream?.renewedMs;
    const leased = await this.takeLease(item, ofStream);
    if (leased === 'denied') return this.markOf(await this.walkStream());
    if (leased === 'lost') {
      const winner = (await readPublishedLowWatermark(store)).published;
      return winner?.streamArn === source.streamArn ? winner.upToMs : undefined;
    }
    const walked = await this.walkStream();
    const upToMs = this.markOf(walked);
    await this.publishWalk({ ...walked, upToMs });
    return upToMs;
  }

  private markOf(walked: WalkedStream): number | undefined {
    const upToMs = lowWatermarkOf(walked);
    const { renewedMs } = this;
    return renewedMs === undefined || this.context.now() - renewedMs > STREAM_MS ? upToMs : undefined;
  }

  private async publishWalk({ upToMs, lookedAtMs, shards }: WalkedStream): Promise<void> {
    const { store, source, now } = this.context;
    const save = async ({ shardId, appliedUpTo }: WalkedShard): Promise<void> => {
      if (appliedUpTo === undefined || this.saved.get(shardId) === appliedUpTo) return;
      await saveAppliedPlace(this.context, shardId, appliedUpTo);
      this.saved.set(shardId, appliedUpTo);
    };
    // Parallel, because saving a stream's many places one by one would outlast the lease.
    await pMap(shards, save, { concurrency: SHARDS_AT_ONCE });
    const { item, published } = await readPublishedLowWatermark(store);
    if (published?.holder !== this.id) return;
    await publishLowWatermark(store, item, {
      streamArn: source.streamArn,
      lookedAtMs,
      holder: this.id,
      leaseUntilMs: now() + LEASE_MS,
      renewedMs: published.renewedMs,
      ...(upToMs !== undefined && { upToMs }),
      ...(shards.length <= MOST_PUBLISHED_SHARDS && { shards: shards.map(publishedShard) }),
    });
  }

  private async walkStream(): Promise<WalkedStream> {
    this.walk ??= new StreamWalk({ ...this.context, ...this.context.tail });
    return await this.walk.look();
  }

  private async takeLease(
    seen: Item | undefined,
    published: PublishedLowWatermark | undefined,
  ): Promise<'leased' | 'lost' | 'denied'> {
    const { renewedMs } = this;
    const { store, source, now } = this.context;
    const lease = { streamArn: source.streamArn, holder: this.id, leaseUntilMs: now() + LEASE_MS, renewedMs };
    try {
      const isMine = await publishLowWatermark(store, seen, { lookedAtMs: 0, ...published, ...lease });
      return isMine ? 'leased' : 'lost';
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'AccessDeniedException') throw error;
      this.mayPublish = false;
      return 'denied';
    }
  }
}

function publishedShard({ shardId, open, isLost }: WalkedShard): PublishedShard {
  if (open.length === 0) return { shardId, open: 0, ...(isLost && { isLost }) };
  return {
    shardId,
    open: open.length,
    oldestMs: open.reduce((oldest, { madeAtMs }) => Math.min(oldest, madeAtMs), Number.POSITIVE_INFINITY),
  };
}

function lowWatermarkOf({ upToMs, isDisabled }: WalkedStream): number | undefined {
  if (!isDisabled) return upToMs;
  throw new StoreError(
    'fatal',
    'no-stream',
    'The stream of the table is switched off.',
    'Add one with edgeloom table update, then migrate.',
  );
}
