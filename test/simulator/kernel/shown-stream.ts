import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../src/core/store-port.ts';
import {
  type StreamDescription,
  StreamError,
  type StreamPage,
  type StreamRecord,
  type StreamSource,
} from '../../../src/stream/source.ts';

/** A change of one item. */
export interface TableChange {
  key: ItemKey;
  before: Item | undefined;
  after: Item | undefined;
}

/** One record of a stream, and when the stream shows it; times in milliseconds. */
export interface ShownRecord {
  key: ItemKey;
  record: StreamRecord;
  madeMs: number;
  shownMs: number;
}

/** A shard of a stream with every record that it ever had. */
export interface ShownShard {
  id: string;
  parent: string | undefined;
  streamArn: string;
  records: ShownRecord[];
  /** How far the clock that stamps its records is off, in milliseconds. */
  skewMs: number;
  closedMs: number | undefined;
}

/** What streams are allowed to do to an observer, in milliseconds. */
export const STREAM_LIMITS = { lateMs: 8_000, skewMs: 400, transactionMs: 2_000 } as const;

/** The record of a change. `keys`: the key attributes, where they are not `source` and `target`. */
export function recordOf(
  { key, before, after }: TableChange,
  sequenceNumber: string,
  createdAt: NonNullable<StreamRecord['dynamodb']>['ApproximateCreationDateTime'],
  keys: Item = { source: { S: key.source }, target: { S: key.target } },
): StreamRecord {
  return {
    eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
    dynamodb: {
      Keys: keys,
      SequenceNumber: sequenceNumber,
      ApproximateCreationDateTime: createdAt,
      ...(before && { OldImage: before }),
      ...(after && { NewImage: after }),
    },
  };
}

/**
 * A table's streams with every record, those of derived items too, as one reads them who observes: records are shown late, stamped in whole
 * seconds by clocks that differ, and leave the stream.
 */
export class ShownStream {
  /** The ARN of the present stream. */
  streamArn = '';
  /** How long a stream keeps a record, in milliseconds. */
  protected keptMs = Number.POSITIVE_INFINITY;
  /** Every shard, of streams of the past too. */
  readonly shards: ShownShard[] = [];
  protected readonly shardsById = new Map<string, ShownShard>();

  constructor(protected readonly now: () => number) {}

  protected addShard(shard: ShownShard): void {
    this.shards.push(shard);
    this.shardsById.set(shard.id, shard);
  }

  /** How many of a shard's records are shown: none before one that is not. */
  shown({ records }: ShownShard): number {
    const now = this.now();
    const hidden = records.findIndex(({ shownMs }) => shownMs > now);
    return hidden < 0 ? records.length : hidden;
  }

  /**
   * The present stream, as a process reads it.
   *
   * @param call makes a call of the process. Default: it takes no time and does not fail.
   * @param onRead is told of the records of each page.
   */
  source(
    call: <T>(effect: () => T) => Promise<T> = async (effect) => effect(),
    onRead: (page: readonly ShownRecord[]) => void = () => undefined,
  ): StreamSource {
    const { streamArn } = this;
    const shardOf = (shardId: string): ShownShard => {
      const found = this.shardsById.get(shardId);
      if (found === undefined || found.streamArn !== streamArn || this.isGone(found))
        throw new StreamError('no-shard', `no shard ${shardId}`);
      return found;
    };
    return {
      streamArn,
      describe: () => call(() => this.describe(streamArn)),
      isClosed: (shardId) => call(() => shardOf(shardId).closedMs !== undefined),
      iterator: (shardId, after) => call(() => `${shardId} ${this.placeAfter(shardOf(shardId), after)}`),
      latest: (shardId) => call(() => `${shardId} ${this.shown(shardOf(shardId))}`),
      read: (iterator, limit) =>
        call((): StreamPage => {
          const [shardId = '', place = '0'] = iterator.split(' ');
          const [shard, start] = [shardOf(shardId), Number(place)];
          if (start < this.trimmed(shard)) throw new StreamError('trimmed', `place ${start} of ${shard.id} is gone`);
          const end = this.endOfPage(shard, start, Math.min(this.shown(shard), start + limit));
          const page = shard.records.slice(start, end);
          onRead(page);
          const isOver = shard.closedMs !== undefined && end === shard.records.length;
          return { records: page.map(({ record }) => record), ...(!isOver && { next: `${shard.id} ${end}` }) };
        }),
    };
  }

  /** The place behind the last record of a page that could reach to a place. */
  protected endOfPage(_shard: ShownShard, _start: number, most: number): number {
    return most;
  }

  private describe(streamArn: string): StreamDescription {
    const shards = this.shards.filter((shard) => shard.streamArn === streamArn && !this.isGone(shard));
    return {
      status: streamArn === this.streamArn ? 'ENABLED' : 'DISABLED',
      shards: shards.map(({ id, parent }) => ({ shardId: id, ...(parent !== undefined && { parentShardId: parent }) })),
    };
  }

  private placeAfter(shard: ShownShard, after: string | undefined): number {
    if (after === undefined) return this.trimmed(shard);
    const place = shard.records.findIndex(({ record }) => record.dynamodb?.SequenceNumber === after);
    if (place < this.trimmed(shard)) throw new StreamError('trimmed', `record ${after} of ${shard.id} is gone`);
    return place + 1;
  }

  /** How many of a shard's records have left the stream. */
  private trimmed({ records }: ShownShard): number {
    const oldestMs = this.now() - this.keptMs;
    const kept = records.findIndex(({ madeMs }) => madeMs >= oldestMs);
    return kept < 0 ? records.length : kept;
  }

  /** Whether a closed shard has left the stream. */
  private isGone({ closedMs }: ShownShard): boolean {
    return closedMs !== undefined && closedMs < this.now() - this.keptMs;
  }
}
