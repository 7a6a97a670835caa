import {
  type StreamDescription,
  StreamError,
  type StreamPage,
  type StreamRecord,
  type StreamSource,
} from '../../../src/projecting/stream/source.ts';
import type { Random } from '../kernel/random.ts';
import { STREAM_LIMITS } from '../observer/stream.ts';
import type { Process } from './process.ts';
import type { TableChange } from './table.ts';
import type { Timeline } from './timeline.ts';
import { nameOf } from './values.ts';

interface ShownRecord {
  record: StreamRecord;
  madeMs: number;
  /** When the stream shows it. */
  shownMs: number;
}

interface StreamShard {
  id: string;
  parent: string | undefined;
  streamArn: string;
  records: ShownRecord[];
  /** How far the clock that stamps its records is off, in milliseconds. */
  skewMs: number;
  closedMs: number | undefined;
}

const SHARDS = 3;
/** How long a stream keeps a record, in milliseconds. */
const KEPT_MS = 24 * 3_600_000;
const PAGES = [1_000, 1, 2, 5] as const;

/** The table's stream with every record, those of derived items too: shown late, stamped in whole seconds by clocks that differ, in shards that split. */
export class WholeStream {
  streamArn = '';
  private readonly shards: StreamShard[] = [];
  /** The open shard of each key. */
  private placeOf = new Map<string, StreamShard>();
  private sequence = 0;
  private readonly isLate: boolean;
  private readonly isSkewed: boolean;
  private readonly splits: number;
  /** Records of a page, at most. */
  readonly page: number;

  constructor(
    private readonly timeline: Timeline,
    private readonly random: Random,
  ) {
    this.isLate = random.chance(0.7);
    this.isSkewed = random.chance(0.6);
    this.splits = random.oneOf([0, 0, 0.002, 0.01]);
    this.page = random.oneOf(PAGES);
  }

  /** The table has another stream, which begins empty. */
  begin(label: string): void {
    this.streamArn = `arn:aws:dynamodb:us-east-1:000000000000:table/records/stream/${label}`;
    this.placeOf = new Map();
    for (let i = 0; i < SHARDS; i++) this.open(undefined);
  }

  /** A change of any item has its record. */
  add({ key, before, after }: TableChange): void {
    const { random, timeline } = this;
    const shard = this.shardOf(nameOf(key));
    this.sequence += 1 + random.below(3);
    const dynamodb = {
      Keys: { source: { S: key.source }, target: { S: key.target } },
      SequenceNumber: String(this.sequence).padStart(21, '1'),
      ApproximateCreationDateTime: Math.floor((timeline.nowMs + shard.skewMs) / 1000),
      ...(before && { OldImage: before }),
      ...(after && { NewImage: after }),
    };
    const eventName = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
    const lateMs = this.isLate ? random.below(STREAM_LIMITS.lateMs) : 0;
    const record = { eventName, eventSourceARN: this.streamArn, dynamodb } as StreamRecord;
    shard.records.push({ record, madeMs: timeline.nowMs, shownMs: timeline.nowMs + lateMs });
    if (random.chance(this.splits)) this.split(shard);
  }

  private shardOf(name: string): StreamShard {
    const known = this.placeOf.get(name);
    if (known?.closedMs === undefined && known !== undefined) return known;
    // The records of an item go on in a child of the shard that they were in.
    const open = this.shards.filter(
      ({ closedMs, streamArn }) => closedMs === undefined && streamArn === this.streamArn,
    );
    const below = known === undefined ? open : open.filter((shard) => this.isBelow(shard, known.id));
    const shard = this.random.oneOf(below as [StreamShard]);
    this.placeOf.set(name, shard);
    return shard;
  }

  private isBelow({ parent }: StreamShard, id: string): boolean {
    if (parent === undefined) return false;
    return parent === id || this.isBelow(this.shards.find((shard) => shard.id === parent)!, id);
  }

  private open(parent: string | undefined): void {
    const { skewMs } = STREAM_LIMITS;
    this.shards.push({
      ...{ id: `shard-${this.shards.length}`, parent, streamArn: this.streamArn, records: [], closedMs: undefined },
      skewMs: this.isSkewed ? this.random.below(2 * skewMs + 1) - skewMs : 0,
    });
  }

  private split(shard: StreamShard): void {
    shard.closedMs = this.timeline.nowMs;
    this.open(shard.id);
    this.open(shard.id);
  }

  /** The stream as a process reads it: its calls may fail, and stand still. */
  source(process: Process): StreamSource {
    const { streamArn } = this;
    const shown = (shardId: string): StreamShard => {
      const found = this.shards.find((shard) => shard.id === shardId && shard.streamArn === streamArn);
      if (found === undefined || this.isGone(found)) throw new StreamError('no-shard', `no shard ${shardId}`);
      return found;
    };
    return {
      streamArn,
      describe: () => process.call(() => this.describe(streamArn)),
      isClosed: (shardId) => process.call(() => shown(shardId).closedMs !== undefined),
      iterator: (shardId, after) => process.call(() => `${shardId} ${this.placeAfter(shown(shardId), after)}`),
      latest: (shardId) => process.call(() => `${shardId} ${this.visible(shown(shardId))}`),
      read: (iterator, limit) =>
        process.call(() => {
          const [shardId = '', place = '0'] = iterator.split(' ');
          return this.pageOf(shown(shardId), Number(place), limit);
        }),
    };
  }

  private describe(streamArn: string): StreamDescription {
    const shards = this.shards.filter((shard) => shard.streamArn === streamArn && !this.isGone(shard));
    return {
      status: streamArn === this.streamArn ? 'ENABLED' : 'DISABLED',
      shards: shards.map(({ id, parent }) => ({ shardId: id, ...(parent !== undefined && { parentShardId: parent }) })),
    };
  }

  private placeAfter(shard: StreamShard, after: string | undefined): number {
    if (after === undefined) return this.trimmed(shard);
    const place = shard.records.findIndex(({ record }) => record.dynamodb?.SequenceNumber === after);
    if (place < this.trimmed(shard)) throw new StreamError('trimmed', `record ${after} of ${shard.id} is gone`);
    return place + 1;
  }

  private pageOf(shard: StreamShard, start: number, limit: number): StreamPage {
    if (start < this.trimmed(shard)) throw new StreamError('trimmed', `place ${start} of ${shard.id} is gone`);
    const end = Math.min(this.visible(shard), start + Math.min(limit, this.page));
    const records = shard.records.slice(start, end).map(({ record }) => record);
    const isOver = shard.closedMs !== undefined && end === shard.records.length;
    return { records, ...(!isOver && { next: `${shard.id} ${end}` }) };
  }

  private trimmed({ records }: StreamShard): number {
    const oldestMs = this.timeline.nowMs - KEPT_MS;
    const kept = records.findIndex(({ madeMs }) => madeMs >= oldestMs);
    return kept < 0 ? records.length : kept;
  }

  private isGone({ closedMs }: StreamShard): boolean {
    return closedMs !== undefined && closedMs < this.timeline.nowMs - KEPT_MS;
  }

  /** How many records of a shard are shown: none before one that is not. */
  private visible({ records }: StreamShard): number {
    const hidden = records.findIndex(({ shownMs }) => shownMs > this.timeline.nowMs);
    return hidden < 0 ? records.length : hidden;
  }
}
