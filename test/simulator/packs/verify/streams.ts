import {
  type StreamDescription,
  StreamError,
  type StreamPage,
  type StreamSource,
} from '../../../../src/stream/source.ts';
import type { Agenda } from '../../kernel/agenda.ts';
import type { Random } from '../../kernel/random.ts';
import { recordOf, type TableChange } from '../../kernel/shown-stream.ts';
import { textOf } from '../../kernel/values.ts';
import { type CallWeather, Death } from './table.ts';

/** One record: when the change was made, as which time it is stamped, and when the stream shows it. */
export interface Entry {
  number: number;
  written: TableChange;
  atMs: number;
  stampMs: number;
  shownMs: number;
}

/** One shard, with all its records. */
export interface PlainShard {
  id: string;
  parent: PlainShard | undefined;
  entries: Entry[];
  skewMs: number;
  closedMs: number | undefined;
  /** The shards that continue it. */
  children: PlainShard[];
}

/** How the streams of a schedule are, in milliseconds. */
export interface StreamNature {
  lateMs: number;
  skewMs: number;
  /** The stream keeps a record for so long; undefined: longer than the schedule lasts. */
  keptMs: number | undefined;
  page: number;
}

/** The shards of one table: each partition is in one of the open ones. */
export class PlainStreams {
  readonly shards: PlainShard[] = [];
  private readonly roots: readonly PlainShard[];
  private numbers = 1_000;
  /** The stream is made anew with a higher one. */
  generation = 1;

  constructor(
    private readonly clock: Agenda,
    private readonly dice: Random,
    readonly nature: StreamNature,
  ) {
    for (let i = dice.between(1, 3); i > 0; i -= 1) this.open(undefined);
    this.roots = [...this.shards];
  }

  get arn(): string {
    return `arn:aws:dynamodb:eu-central-1:123456789012:table/verify/stream/2026-01-0${this.generation}T00:00:00.000`;
  }

  get openShards(): PlainShard[] {
    return this.shards.filter(({ closedMs }) => closedMs === undefined);
  }

  /** Takes in a change of the table. Changes of one item are in order. */
  append(written: TableChange): void {
    const { clock, dice, nature } = this;
    const shard = this.shardOf(`${written.key.source} ${written.key.target}`);
    this.numbers += dice.between(1, 5);
    const shownMs = clock.now + (nature.lateMs > 0 && dice.chance(0.5) ? dice.below(nature.lateMs) : 0);
    shard.entries.push({
      number: this.numbers,
      written,
      atMs: clock.now,
      stampMs: Math.floor((clock.now + shard.skewMs) / 1_000) * 1_000,
      // No record is shown before one that was made earlier.
      shownMs: Math.max(shownMs, shard.entries.at(-1)?.shownMs ?? 0),
    });
  }

  /** The open shard of an item: the first one, or of its children's children the one that continues it. */
  private shardOf(name: string): PlainShard {
    let hash = [...name].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) % 99_991, 7);
    let shard = this.roots[hash % this.roots.length]!;
    while (shard.closedMs !== undefined) {
      hash = (hash * 31 + 17) % 99_991;
      shard = shard.children[hash % shard.children.length]!;
    }
    return shard;
  }

  /** Closes a shard; each item goes on in one of its children. */
  split(): void {
    const shard = this.dice.pick(this.openShards);
    shard.closedMs = this.clock.now;
    const count = this.openShards.length > 8 ? 1 : 2;
    for (let i = 0; i < count; i += 1) shard.children.push(this.open(shard));
  }

  private open(parent: PlainShard | undefined): PlainShard {
    const { skewMs } = this.nature;
    const shard: PlainShard = {
      id: `shard-${this.generation}-${this.shards.length}`,
      parent,
      entries: [],
      skewMs: skewMs === 0 ? 0 : this.dice.between(-skewMs, skewMs),
      closedMs: undefined,
      children: [],
    };
    this.shards.push(shard);
    return shard;
  }

  /** The first record of a shard that is still there. */
  kept({ entries }: PlainShard): number {
    const { keptMs } = this.nature;
    if (keptMs === undefined) return 0;
    const first = entries.findIndex(({ atMs }) => atMs > this.clock.now - keptMs);
    return first < 0 ? entries.length : first;
  }

  isGone({ closedMs }: PlainShard): boolean {
    const { keptMs } = this.nature;
    return keptMs !== undefined && closedMs !== undefined && closedMs < this.clock.now - keptMs;
  }

  /** How many records of a shard are shown. */
  shown({ entries }: PlainShard): number {
    const hidden = entries.findIndex(({ shownMs }) => shownMs > this.clock.now);
    return hidden < 0 ? entries.length : hidden;
  }

  /** The stream as the observer reads it. */
  source(weather: CallWeather): StreamSource {
    const { clock, dice, nature } = this;
    const call = (): void => {
      clock.pass(dice.below(weather.longestMs));
      if (dice.chance(weather.dies)) throw new Death();
    };
    const shardOf = (id: string): PlainShard => {
      const shard = this.shards.find((one) => one.id === id);
      if (shard === undefined || this.isGone(shard)) throw new StreamError('no-shard', `no shard ${id}`);
      return shard;
    };
    return {
      streamArn: this.arn,
      describe: async (): Promise<StreamDescription> => {
        call();
        const listed = this.shards.filter((shard) => !this.isGone(shard));
        const shards = listed.map(({ id, parent }) => ({ shardId: id, ...(parent && { parentShardId: parent.id }) }));
        clock.pass(dice.below(weather.longestMs));
        return { status: 'ENABLED', shards };
      },
      isClosed: async (id) => shardOf(id).closedMs !== undefined,
      iterator: async (id, after) => {
        call();
        const shard = shardOf(id);
        if (after === undefined) return `${id} ${this.kept(shard)}`;
        const place = shard.entries.findIndex(({ number }) => String(number) === after);
        if (place < this.kept(shard)) throw new StreamError('trimmed', `record ${after} is gone`);
        return `${id} ${place + 1}`;
      },
      latest: async (id) => `${id} ${this.shown(shardOf(id))}`,
      read: async (iterator, limit): Promise<StreamPage> => {
        call();
        const [id = '', place = '0'] = iterator.split(' ');
        const shard = shardOf(id);
        const start = Number(place);
        if (start < this.kept(shard)) throw new StreamError('trimmed', `place ${start} is gone`);
        const end = Math.min(this.shown(shard), start + Math.min(limit, nature.page));
        const records = shard.entries
          .slice(start, end)
          .map(({ written, number, stampMs }) => recordOf(written, String(number), stampMs / 1_000));
        const isOver = shard.closedMs !== undefined && end === shard.entries.length;
        clock.pass(dice.below(weather.longestMs));
        return { records, ...(!isOver && { next: `${id} ${end}` }) };
      },
    };
  }
}

/** Whether a record is one of a base item. */
export function isBase({ written: { key } }: Entry): boolean {
  return !textOf({ S: key.target }).startsWith('~');
}
