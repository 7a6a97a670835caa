import type { RawRecord } from '../../../../src/stream/decode.ts';
import type { Random } from '../../kernel/random.ts';
import { recordOf, type TableChange } from '../../kernel/shown-stream.ts';
import type { Names } from '../../kernel/table.ts';

/** A shard of the stream: the records of its items in their order. */
export interface Shard {
  records: { raw: RawRecord; madeAtMs: number }[];
  /** The shard that took over, when this one was closed. */
  children: Shard[];
  isOpen: boolean;
  /** The number of the last record; numbers of other shards say nothing of its time. */
  number: bigint;
}

/** What consumers are told of a table: its ARN. */
export const STREAM_ARN = 'arn:aws:dynamodb:eu-west-1:000000000000:table/attacked/stream/2026-01-01T00:00:00.000';

/** The stream of a table: order for one item, and none besides. */
export class Streams {
  readonly shards: Shard[];
  private readonly open: Shard[];

  constructor(
    private readonly names: Names,
    private readonly dice: Random,
    shards: number,
  ) {
    this.open = Array.from({ length: shards }, () => this.shard(this.start()));
    this.shards = [...this.open];
  }

  /** Notes a change in the shard of its item. */
  append(change: TableChange, nowMs: number): void {
    const shard = this.open[spread(`${change.key.source}|${change.key.target}`) % this.open.length]!;
    shard.number += BigInt(this.dice.between(1, 900));
    const { source, target } = change.key;
    const keys = { [this.names.partitionKey]: { S: source }, [this.names.sortKey]: { S: target } };
    const record = recordOf(change, shard.number.toString(), Math.floor(nowMs / 1000), keys);
    shard.records.push({ raw: { ...record, eventSourceARN: STREAM_ARN }, madeAtMs: nowMs });
  }

  /** Closes a shard; a child takes its items over. Its numbers need not go on from those of its parent. */
  split(goesOn: boolean): void {
    const place = this.dice.below(this.open.length);
    const parent = this.open[place]!;
    const child = this.shard(goesOn ? parent.number + 1n : this.start());
    parent.isOpen = false;
    parent.children.push(child);
    this.open[place] = child;
    this.shards.push(child);
  }

  private start(): bigint {
    return 10n ** BigInt(this.dice.between(18, 21)) + BigInt(this.dice.below(1_000_000));
  }

  private shard(number: bigint): Shard {
    return { records: [], children: [], isOpen: true, number };
  }
}

/** A number by which items are spread over shards. */
function spread(text: string): number {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash >>> 3;
}
