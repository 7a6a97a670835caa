import type { Random } from './random.ts';
import { recordOf, type ShownShard, ShownStream, STREAM_LIMITS, type TableChange } from './shown-stream.ts';

/** How the streams of a schedule are. */
export interface StreamNature {
  shards: number;
  isLate: boolean;
  isSkewed: boolean;
  /** How often a shard splits after a record. */
  splits: number;
  /** Records of a page, at most. */
  page: number;
  keptMs: number;
}

/** The stream of a table, whose shards split by chance. The records of an item go on in a child of the shard that they were in. */
export class WholeStream extends ShownStream {
  /** The open shard of each key. */
  private placeOf = new Map<string, ShownShard>();
  private sequence = 0;

  constructor(
    now: () => number,
    private readonly random: Random,
    private readonly nature: StreamNature,
  ) {
    super(now);
    this.keptMs = nature.keptMs;
  }

  /** The table has another stream, which begins empty. */
  begin(label: string): void {
    this.streamArn = `arn:aws:dynamodb:us-east-1:000000000000:table/records/stream/${label}`;
    this.placeOf = new Map();
    for (let i = 0; i < this.nature.shards; i++) this.open(undefined);
  }

  /** A change of any item has its record. */
  add(change: TableChange): void {
    const { random, nature } = this;
    const { key } = change;
    const shard = this.shardOf(`${key.source}\n${key.target}`);
    this.sequence += 1 + random.below(3);
    const [number, nowMs] = [String(this.sequence).padStart(21, '1'), this.now()];
    const record = {
      ...recordOf(change, number, Math.floor((nowMs + shard.skewMs) / 1000)),
      eventSourceARN: this.streamArn,
    };
    const lateMs = nature.isLate ? random.below(STREAM_LIMITS.lateMs) : 0;
    shard.records.push({ key, record, madeMs: nowMs, shownMs: nowMs + lateMs });
    if (random.chance(nature.splits)) this.split(shard);
  }

  /** Splits an open shard. Default: any one. */
  split(shard: ShownShard = this.random.oneOf(this.openShards as [ShownShard])): void {
    shard.closedMs = this.now();
    this.open(shard.id);
    this.open(shard.id);
  }

  private get openShards(): ShownShard[] {
    return this.shards.filter(({ closedMs, streamArn }) => closedMs === undefined && streamArn === this.streamArn);
  }

  private shardOf(name: string): ShownShard {
    const known = this.placeOf.get(name);
    if (known !== undefined && known.closedMs === undefined) return known;
    const open = this.openShards;
    const below = known === undefined ? open : open.filter((shard) => this.isBelow(shard, known.id));
    const shard = this.random.oneOf(below as [ShownShard]);
    this.placeOf.set(name, shard);
    return shard;
  }

  private isBelow({ parent }: ShownShard, id: string): boolean {
    if (parent === undefined) return false;
    return parent === id || this.isBelow(this.shardsById.get(parent)!, id);
  }

  private open(parent: string | undefined): void {
    const { skewMs } = STREAM_LIMITS;
    const id = `shard-${this.shards.length}`;
    this.addShard({
      ...{ id, parent, streamArn: this.streamArn, records: [], closedMs: undefined },
      skewMs: this.nature.isSkewed ? this.random.below(2 * skewMs + 1) - skewMs : 0,
    });
  }

  protected override endOfPage(_shard: ShownShard, start: number, most: number): number {
    return Math.min(most, start + this.nature.page);
  }
}
