import { describe, expect, it } from 'vitest';
import { ShardPages } from '../../../src/stream/shard-pages.ts';
import type { StreamPage } from '../../../src/stream/source.ts';
import { StreamTail, TAIL_LIMITS } from '../../../src/stream/stream-tail.ts';
import { TailedSource } from '../../../src/stream/tailed-source.ts';
import { Random } from '../../simulator/kernel/random.ts';
import { MemoryStream } from '../../support/memory-stream.ts';

const START = 1_800_000_000_000;
const SEEDS = 200;

/** A stream of one shard that grows. */
class GrowingStream extends MemoryStream {
  private last = 0;
  private readonly emptied = new Set<string>();

  constructor(private readonly random: Random) {
    super(START);
    this.add('s0', []);
  }

  write(): void {
    this.last += 1;
    const key = { S: `USER-${this.last}` };
    const dynamodb = { Keys: { source: key, target: key }, SequenceNumber: `${this.last}` };
    this.shards[0]!.records.push({ dynamodb: { ...dynamodb, ApproximateCreationDateTime: START / 1000 } });
  }

  override async latest(shardId: string): Promise<string> {
    return `${shardId}:${this.shards[0]!.records.length}`;
  }

  override async read(iterator: string, limit: number): Promise<StreamPage> {
    // A page may be empty before the end of its shard; two in a row show the end.
    if (!this.emptied.delete(iterator) && this.random.chance(0.05)) {
      this.emptied.add(iterator);
      return { records: [], next: iterator };
    }
    return await super.read(iterator, limit);
  }
}

describe('a source of the pages of a tail', () => {
  it('gives each record once and in order, whatever is read when', async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new Random(seed);
      const source = new GrowingStream(random);
      for (let i = random.below(6); i > 0; i--) source.write();
      const listener = new TailedSource(source);
      const limits = { ...TAIL_LIMITS, lateMs: 0, listMs: 0 };
      const tail = new StreamTail({ source, now: () => START, limits, listener, onGap: () => undefined });
      await tail.list(random.chance(0.5));
      const pages = new ShardPages(listener, 's0', {}, () => undefined);
      const numbers: (string | undefined)[] = [];
      for (let step = 0; step < 40; step++) {
        if (step < 20 && random.chance(0.5)) source.write();
        if (random.chance(0.6)) await tail.readPages();
        if (random.chance(0.6)) {
          const { records } = await pages.next();
          numbers.push(...records.map(({ dynamodb }) => dynamodb?.SequenceNumber));
        }
      }
      for (let step = 0; step < 30; step++) {
        await tail.readPages();
        const { records } = await pages.next();
        numbers.push(...records.map(({ dynamodb }) => dynamodb?.SequenceNumber));
      }
      const all = source.shards[0]!.records.map(({ dynamodb }) => dynamodb?.SequenceNumber);
      expect(numbers, `seed ${seed}`).toEqual(all);
    }
  });
});
