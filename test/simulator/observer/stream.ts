import { stringOf } from '../../../src/core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../../src/core/items/keys.ts';
import type { RawRecord } from '../../../src/projecting/stream/decode.ts';
import {
  type StreamDescription,
  StreamError,
  type StreamPage,
  type StreamRecord,
  type StreamSource,
} from '../../../src/projecting/stream/source.ts';
import type { Choices } from '../kernel/choices.ts';
import type { Shard, WholeStreamReader } from '../streams.ts';
import { RETENTION } from '../time.ts';

/** A record, and when the stream shows it. */
interface ShownRecord {
  record: StreamRecord;
  atMs: number;
  shownMs: number;
}

interface ShownShard {
  shard: Shard;
  streamArn: string;
  records: ShownRecord[];
  /** How far the clock that stamps its records is off, in milliseconds. */
  skewMs: number;
  closedMs?: number;
}

/** What streams are allowed to do to an observer, in milliseconds. */
export const STREAM_LIMITS = { lateMs: 8_000, skewMs: 400, transactionMs: 2_000 } as const;
/** A stream that trims keeps records for so long, in milliseconds; an observer takes it for a minute less. */
const TRIMMED_AFTER_MS = 15 * 60_000;
const RETENTION_MS = TRIMMED_AFTER_MS - 60_000;
/** Some pages hold one record, so that shards are read far apart. */
const PAGES = [1_000, 1, 2, 5] as const;

/** The table's streams with every record, those of derived items too: shown late, stamped by clocks that differ, in whole seconds. */
export class ObservedStreams implements WholeStreamReader {
  private readonly shards = new Map<string, ShownShard>();
  /** The ARN of the present stream. */
  streamArn = '';
  private isLate = false;
  private isSkewed = false;
  private isTrimmed = false;
  private trimmedAfterMs = Number.POSITIVE_INFINITY;
  private page: number = PAGES[0];

  constructor(
    private readonly choices: Choices,
    private readonly now: () => number,
  ) {}

  /**
   * Draws how the streams are, once the world is there.
   *
   * @param keeps whether records stay for a day. Default: for ever, or for minutes, as is drawn. The consumer of the world gets each in a day,
   * and a mark takes what has left the stream for done with.
   */
  choose(keeps = false): void {
    this.isLate = this.choices.chance('observed.late', 0.6);
    this.isSkewed = this.choices.chance('observed.skewed', 0.6);
    this.isTrimmed = this.choices.chance('observed.trims', 0.3) && !keeps;
    this.trimmedAfterMs = keeps ? RETENTION : this.isTrimmed ? TRIMMED_AFTER_MS : Number.POSITIVE_INFINITY;
    this.page = PAGES[this.choices.pick('observed.page', PAGES.length)]!;
  }

  /** How long an observer may rely on records being there, in milliseconds; undefined: for longer than a schedule lasts. */
  get retentionMs(): number | undefined {
    return this.isTrimmed ? RETENTION_MS : undefined;
  }

  recreated(streamArn: string): void {
    this.streamArn = streamArn;
  }

  opened(shard: Shard): void {
    this.shards.set(shard.id, { shard, streamArn: this.streamArn, records: [], skewMs: 0 });
  }

  closed({ id }: Shard): void {
    this.shards.get(id)!.closedMs = this.now();
  }

  arrived({ id }: Shard, raw: RawRecord, atMs: number): void {
    const shown = this.shards.get(id)!;
    const { choices } = this;
    const name = `observed.${id}.${shown.records.length}`;
    const late = this.isLate ? choices.drawn(`${name}.late`, (random) => random.below(STREAM_LIMITS.lateMs)) : 0;
    if (this.isSkewed && shown.records.length === 0) {
      const { skewMs } = STREAM_LIMITS;
      shown.skewMs = choices.drawn(`observed.${id}.skew`, (random) => random.below(2 * skewMs + 1)) - skewMs;
    }
    const stamp = Math.floor((atMs + shown.skewMs) / 1000);
    const record: StreamRecord = {
      ...raw,
      dynamodb: { ...raw.dynamodb, ApproximateCreationDateTime: stamp },
    };
    shown.records.push({ record, atMs, shownMs: atMs + late });
  }

  /** Every record that was ever made, also those that have left the stream: oldest first for each item. */
  *everyRecord(): Iterable<{ record: StreamRecord; atMs: number }> {
    const all = [...this.shards.values()].flatMap(({ records }) => records);
    yield* all.sort((left, right) => left.atMs - right.atMs);
  }

  /**
   * The present stream, as a process reads it.
   *
   * @param onRead called with the number of a page's records that are not the service's own.
   */
  source(onRead: (records: number) => void = () => undefined): StreamSource {
    const { streamArn } = this;
    const shown = (shardId: string): ShownShard => {
      const found = this.shards.get(shardId);
      if (found === undefined || found.streamArn !== streamArn || this.isGone(found))
        throw new StreamError('no-shard', `no shard ${shardId}`);
      return found;
    };
    const isClosed = (shardId: string): boolean => shown(shardId).shard.isClosed;
    return {
      streamArn,
      describe: async (): Promise<StreamDescription> => ({
        status: streamArn === this.streamArn ? 'ENABLED' : 'DISABLED',
        shards: [...this.shards.values()]
          .filter((one) => one.streamArn === streamArn && !this.isGone(one))
          .map(({ shard }) => ({ shardId: shard.id, ...(shard.parent && { parentShardId: shard.parent.id }) })),
      }),
      isClosed: async (shardId) => isClosed(shardId),
      iterator: async (shardId, after) => {
        const one = shown(shardId);
        if (after === undefined) return `${shardId} ${this.trimmed(one)}`;
        const place = one.records.findIndex(({ record }) => record.dynamodb?.SequenceNumber === after);
        if (place < this.trimmed(one)) throw new StreamError('trimmed', `record ${after} of ${shardId} is gone`);
        return `${shardId} ${place + 1}`;
      },
      latest: async (shardId) => `${shardId} ${this.visible(shown(shardId))}`,
      read: async (iterator, limit): Promise<StreamPage> => {
        const [shardId = '', place = '0'] = iterator.split(' ');
        const one = shown(shardId);
        const start = Number(place);
        if (start < this.trimmed(one)) throw new StreamError('trimmed', `place ${start} of ${shardId} is gone`);
        const end = this.endOfPage(one, start, limit);
        const records = one.records.slice(start, end).map(({ record }) => record);
        onRead(records.filter((record) => !isOwn(record)).length);
        const isOver = one.shard.isClosed && end === one.records.length;
        return { records, ...(!isOver && { next: `${shardId} ${end}` }) };
      },
    };
  }

  /** The place after the last record of a page. The service's own records come with the others: each turn of an observer makes some. */
  private endOfPage(shard: ShownShard, start: number, limit: number): number {
    const most = Math.min(this.visible(shard), start + limit);
    let left = this.page;
    for (let place = start; place < most; place++) {
      if (isOwn(shard.records[place]!.record)) continue;
      if (left === 0) return place;
      left -= 1;
    }
    return most;
  }

  /** How many of a shard's records have left the stream. */
  private trimmed({ records }: ShownShard): number {
    const oldestMs = this.now() - this.trimmedAfterMs;
    const kept = records.findIndex(({ atMs }) => atMs >= oldestMs);
    return kept < 0 ? records.length : kept;
  }

  /** Whether a closed shard has left the stream. */
  private isGone({ closedMs }: ShownShard): boolean {
    return closedMs !== undefined && closedMs < this.now() - this.trimmedAfterMs;
  }

  /** How many of a shard's records are shown: none before one that is not. */
  private visible({ records }: ShownShard): number {
    const now = this.now();
    const hidden = records.findIndex(({ shownMs }) => shownMs > now);
    return hidden < 0 ? records.length : hidden;
  }
}

function isOwn({ dynamodb }: StreamRecord): boolean {
  return stringOf(dynamodb?.Keys?.['source']) === SERVICE_PARTITION;
}
