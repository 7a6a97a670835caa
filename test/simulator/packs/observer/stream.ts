import { SERVICE_PARTITION } from '../../../../src/core/items/keys.ts';
import type { RawRecord } from '../../../../src/stream/decode.ts';
import type { Choices } from '../../kernel/choices.ts';
import { type ShownRecord, type ShownShard, ShownStream, STREAM_LIMITS } from '../../kernel/shown-stream.ts';
import { textOf } from '../../kernel/values.ts';
import type { Shard, WholeStreamReader } from '../projecting/streams.ts';
import { RETENTION } from '../projecting/time.ts';

/** A stream that trims keeps records for so long, in milliseconds; an observer takes it for a minute less. */
const TRIMMED_AFTER_MS = 15 * 60_000;
const RETENTION_MS = TRIMMED_AFTER_MS - 60_000;
/** Some pages hold one record, so that shards are read far apart. */
const PAGES = [1_000, 1, 2, 5] as const;

/** The streams of the projector's world, with every record. */
export class ObservedStreams extends ShownStream implements WholeStreamReader {
  private isLate = false;
  private isSkewed = false;
  private isTrimmed = false;
  private page: number = PAGES[0];

  constructor(
    private readonly choices: Choices,
    now: () => number,
  ) {
    super(now);
  }

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
    this.keptMs = keeps ? RETENTION : this.isTrimmed ? TRIMMED_AFTER_MS : Number.POSITIVE_INFINITY;
    this.page = PAGES[this.choices.pick('observed.page', PAGES.length)]!;
  }

  /** How long an observer may rely on records being there, in milliseconds; undefined: for longer than a schedule lasts. */
  get retentionMs(): number | undefined {
    return this.isTrimmed ? RETENTION_MS : undefined;
  }

  recreated(streamArn: string): void {
    this.streamArn = streamArn;
  }

  opened({ id, parent }: Shard): void {
    const { streamArn } = this;
    this.addShard({ id, parent: parent?.id, streamArn, records: [], skewMs: 0, closedMs: undefined });
  }

  closed({ id }: Shard): void {
    this.shardsById.get(id)!.closedMs = this.now();
  }

  arrived({ id }: Shard, raw: RawRecord, atMs: number): void {
    const shown = this.shardsById.get(id)!;
    const { choices } = this;
    const name = `observed.${id}.${shown.records.length}`;
    const late = this.isLate ? choices.drawn(`${name}.late`, (random) => random.below(STREAM_LIMITS.lateMs)) : 0;
    if (this.isSkewed && shown.records.length === 0) {
      const { skewMs } = STREAM_LIMITS;
      shown.skewMs = choices.drawn(`observed.${id}.skew`, (random) => random.below(2 * skewMs + 1)) - skewMs;
    }
    const stamp = Math.floor((atMs + shown.skewMs) / 1000);
    const key = { source: textOf(raw.dynamodb?.Keys?.['source']), target: textOf(raw.dynamodb?.Keys?.['target']) };
    const record = { ...raw, dynamodb: { ...raw.dynamodb, ApproximateCreationDateTime: stamp } };
    shown.records.push({ key, record, madeMs: atMs, shownMs: atMs + late });
  }

  /** Every record that was ever made, also those that have left the stream: oldest first for each item. */
  everyRecord(): ShownRecord[] {
    return this.shards.flatMap(({ records }) => records).sort((left, right) => left.madeMs - right.madeMs);
  }

  /** The service's own records come with the others: each turn of an observer makes some. */
  protected override endOfPage({ records }: ShownShard, start: number, most: number): number {
    let left = this.page;
    for (let place = start; place < most; place++) {
      if (isOwn(records[place]!)) continue;
      if (left === 0) return place;
      left -= 1;
    }
    return most;
  }
}

/** Whether a record is one of the service's own. */
export function isOwn({ key }: ShownRecord): boolean {
  return key.source === SERVICE_PARTITION;
}
