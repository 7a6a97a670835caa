import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import { SERVICE_PARTITION } from '../../../../src/core/items/keys.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { decodeRecords, type RawRecord } from '../../../../src/stream/decode.ts';
import type { ItemChange } from '../../../support/memory-store/memory-store.ts';
import type { Choices } from '../../kernel/choices.ts';
import { recordOf } from '../../kernel/shown-stream.ts';

/** A record in a shard, and when it was made. */
export interface ShardRecord {
  change: ChangeRecord;
  atMs: number;
}

/** A shard of a stream: the changes of the items whose place lies in its range. */
export interface Shard {
  id: string;
  /** It holds the places from `from` to `to - 1`. */
  from: number;
  to: number;
  /** The shard that was split into this one and another. */
  parent?: Shard;
  /** No more records will come. */
  isClosed: boolean;
}

/** What the streams tell their readers of. */
export interface StreamReader {
  opened(shard: Shard): void;
  closed(shard: Shard): void;
  arrived(shard: Shard, record: ShardRecord): void;
}

/** What the streams tell a reader of every record, those of derived items too. */
export interface WholeStreamReader {
  opened(shard: Shard): void;
  closed(shard: Shard): void;
  arrived(shard: Shard, raw: RawRecord, atMs: number): void;
  /** The table has another stream from now on; the shards that are opened next belong to it. */
  recreated(streamArn: string): void;
}

/** Items are spread over this many places; a shard holds a range of them, so that a split shard's halves are its own. */
const PLACES = 8;
/** First sequence numbers, near to where another digit is needed. */
const STARTS = [1n, 96n, 999_998n, 10n ** 21n - 4n, 10n ** 39n - 3n] as const;
const UNORDERED_STARTS = 60;

/**
 * The table's stream, and those it had before. Order is kept for each item: it has one shard at a time, and a shard's
 * children go on where it ended. Across shards, and from a parent to its child, sequence numbers rise in one half of the
 * schedules and do not in the other; across streams they begin anew.
 */
export class Streams {
  private readonly places = new Map<string, number>();
  private readonly sequences = new Map<Shard, bigint>();
  /** Numbers of the present stream. */
  private readonly used = new Set<bigint>();
  private shards: Shard[] = [];
  private generation = 0;
  private shardCount = 0;
  private sequence: bigint;
  /** Sequence numbers do not rise across shards. */
  readonly isUnordered: boolean;

  constructor(
    private readonly graph: CompiledModel,
    private readonly choices: Choices,
    private readonly reader: StreamReader,
    private readonly whole?: WholeStreamReader,
  ) {
    whole?.recreated(streamArn(this.generation));
    this.isUnordered = choices.chance('stream.unordered', 0.5);
    this.sequence = STARTS[choices.pick('stream.start', STARTS.length)]!;
    this.open();
  }

  /** Label of the present stream. */
  get label(): string {
    return streamLabel(this.generation);
  }

  /** Splits one of the open shards that is wide enough; false where none is. */
  split(name: string): boolean {
    const wide = this.shards.filter(({ from, to }) => to - from > 1);
    const parent = wide[this.choices.pick(`${name}.shard`, wide.length)];
    if (parent === undefined) return false;
    const middle = (parent.from + parent.to) >> 1;
    this.shards = this.shards.filter((shard) => shard !== parent);
    this.close(parent);
    this.add(parent.from, middle, parent);
    this.add(middle, parent.to, parent);
    return true;
  }

  /** Switches the stream off and on: the old one's shards end, and a new one begins. */
  recreate(): void {
    const old = this.shards;
    this.shards = [];
    this.generation += 1;
    this.used.clear();
    for (const shard of old) this.close(shard);
    this.whole?.recreated(streamArn(this.generation));
    this.open();
  }

  /** Takes in a change of the table. Gives the record as the projector will see it, undefined for a derived item's. */
  append({ key, oldImage, newImage }: ItemChange, atMs: number): ShardRecord | undefined {
    // The names of the service's own items are new in each run.
    const name = key.source === SERVICE_PARTITION ? key.source : `${key.source} ${key.target}`;
    const place = this.placeOf(name);
    const shard = this.shards.find(({ from, to }) => place >= from && place < to)!;
    const change = { key, before: oldImage, after: newImage };
    const raw = recordOf(change, this.nextNumber(shard), Math.floor(atMs / 1000));
    this.whole?.arrived(shard, raw, atMs);
    const [decoded] = decodeRecords(this.graph, [raw], streamArn(this.generation));
    if (decoded === undefined) return undefined;
    const record = { change: decoded, atMs };
    this.reader.arrived(shard, record);
    return record;
  }

  private open(): void {
    const count = 1 + this.choices.pick(`stream${this.generation}.shards`, 4);
    for (let i = 0; i < count; i++) {
      this.add(Math.floor((i * PLACES) / count), Math.floor(((i + 1) * PLACES) / count));
    }
  }

  private add(from: number, to: number, parent?: Shard): void {
    const shard: Shard = { id: `shard${this.shardCount++}`, from, to, parent, isClosed: false };
    if (this.isUnordered) {
      this.sequences.set(shard, 1n + BigInt(this.choices.pick(`${shard.id}.start`, UNORDERED_STARTS)));
    }
    this.shards.push(shard);
    this.reader.opened(shard);
    this.whole?.opened(shard);
  }

  private close(shard: Shard): void {
    shard.isClosed = true;
    this.reader.closed(shard);
    this.whole?.closed(shard);
  }

  private placeOf(key: string): number {
    let place = this.places.get(key);
    if (place === undefined) {
      place = this.choices.pick(`place of ${key}`, PLACES);
      this.places.set(key, place);
    }
    return place;
  }

  private nextNumber(shard: Shard): string {
    if (!this.isUnordered) return String(this.sequence++);
    let number = this.sequences.get(shard)!;
    // In whatever order they come, no two records of a stream have the same number.
    while (this.used.has(number)) number += 1n;
    this.used.add(number);
    this.sequences.set(shard, number + 1n);
    return String(number);
  }
}

function streamLabel(generation: number): string {
  return `2026-01-${String(generation + 1).padStart(2, '0')}T00:00:00.000`;
}

function streamArn(generation: number): string {
  return `arn:aws:dynamodb:eu-west-1:000000000000:table/records/stream/${streamLabel(generation)}`;
}
