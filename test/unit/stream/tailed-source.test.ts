import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { readPublishedLowWatermark, saveAppliedPlace } from '../../../src/stream/progress/applied-places.ts';
import { claimsItem } from '../../../src/stream/progress/claims.ts';
import { StreamWalk } from '../../../src/stream/progress/stream-walk.ts';
import { lowWatermarkOfTail } from '../../../src/stream/progress/tail-low-watermark.ts';
import { ShardPages } from '../../../src/stream/shard-pages.ts';
import type { StreamPage } from '../../../src/stream/source.ts';
import { StreamError } from '../../../src/stream/source.ts';
import { StreamTail, TAIL_LIMITS } from '../../../src/stream/stream-tail.ts';
import { TailedSource } from '../../../src/stream/tailed-source.ts';
import { Random } from '../../simulator/kernel/random.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { MemoryStream } from '../../support/memory-stream.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
const START = 1_800_000_000_000;
const SEEDS = 40;

/** A stream that grows and splits, in time that passes by steps. */
class GrowingStream extends MemoryStream {
  atMs = START;
  /** When each record was made that no consumer has claimed, by its number. */
  readonly unclaimed = new Map<number, number>();
  private last = 0;
  private readonly random: Random;
  /** How many records at most a page holds. */
  page = 1_000;
  /** The shards whose oldest records have left the stream. */
  private readonly trimmed = new Map<string, number>();
  private readonly emptied = new Set<string>();

  constructor(random: Random) {
    super(START);
    this.random = random;
    this.add('s0', []);
  }

  get open(): string[] {
    return this.shards.filter(({ isClosed }) => isClosed !== true).map(({ shardId }) => shardId);
  }

  write(): void {
    const id = this.random.oneOf(this.open as [string, ...string[]]);
    this.last += 1;
    const number = this.last;
    const key = { S: `USER-${number}` };
    const dynamodb = { Keys: { source: key, target: key }, SequenceNumber: `${number}` };
    this.shard(id).records.push({
      dynamodb: { ...dynamodb, ApproximateCreationDateTime: Math.floor(this.atMs / 1000) },
    });
    this.unclaimed.set(number, this.atMs);
  }

  split(): void {
    const parent = this.random.oneOf(this.open as [string, ...string[]]);
    this.shard(parent).isClosed = true;
    for (const side of ['a', 'b']) this.add(`${parent}${side}`, [], parent);
  }

  trim(shardId: string): void {
    this.trimmed.set(shardId, this.shard(shardId).records.length);
    for (const { dynamodb } of this.shard(shardId).records) this.unclaimed.delete(Number(dynamodb!.SequenceNumber));
  }

  private shard(shardId: string) {
    return this.shards.find((one) => one.shardId === shardId)!;
  }

  override async latest(shardId: string): Promise<string> {
    return `${shardId}:${this.shard(shardId).records.length}`;
  }

  override async iterator(shardId: string, after: string | undefined): Promise<string> {
    const trimmed = this.trimmed.get(shardId) ?? 0;
    if (after === undefined) return `${shardId}:${trimmed}`;
    const iterator = await super.iterator(shardId, after);
    if (Number(iterator.split(':')[1]) < trimmed) throw new StreamError('trimmed', 'gone');
    return iterator;
  }

  override async read(iterator: string, limit: number): Promise<StreamPage> {
    const [shardId = '', start] = iterator.split(':');
    if (Number(start) < (this.trimmed.get(shardId) ?? 0)) throw new StreamError('trimmed', 'gone');
    // A page may be empty before the end of its shard; two in a row show the end.
    if (!this.emptied.delete(iterator) && this.random.chance(0.05)) {
      this.emptied.add(iterator);
      return { records: [], next: iterator };
    }
    return await super.read(iterator, Math.min(limit, this.page));
  }
}

function watchedStream(seed: number) {
  const random = new Random(seed);
  const source = new GrowingStream(random);
  const store = new MemoryStore(graph.table);
  const now = (): number => source.atMs;
  const mark = lowWatermarkOfTail({ graph, store, source, now }, 0);
  const tail = new StreamTail({
    ...{ source, now, limits: { ...TAIL_LIMITS, lateMs: 0, listMs: 0 } },
    listener: mark.listener,
    onGap: () => undefined,
  });
  const stream = '2026-01-01T00:00:00.000';
  let claims = 0;
  const claim = async (numbers: readonly number[]): Promise<void> => {
    const items = numbers.map((number) => ({ stream, first: `${number}`, last: `${number}`, records: 1 }));
    await store.put(claimsItem(graph.table, `c${claims++}`, items, source.atMs));
    for (const number of numbers) source.unclaimed.delete(number);
  };
  const readOn = async (pages: number, isFirst = false): Promise<void> => {
    for (let page = 0; page < pages; page++) {
      await tail.list(isFirst && page === 0);
      await tail.readPages();
    }
  };
  return { random, source, store, now, mark, tail, claim, readOn, stream };
}

/** Records before an observer begins; each is claimed, or not. */
async function withHistory(seed: number) {
  const watched = watchedStream(seed);
  const { random, source, store, claim, stream } = watched;
  for (let i = random.below(20); i > 0; i--) {
    source.atMs += random.below(1_000);
    source.write();
    if (random.chance(0.1)) source.split();
  }
  await claim([...source.unclaimed.keys()].filter(() => random.chance(0.7)));
  for (const { shardId, records } of source.shards) {
    const at = records[random.below(Math.max(1, records.length))];
    const number = Number(at?.dynamodb?.SequenceNumber ?? 0);
    const isApplied = records.every(({ dynamodb }) => {
      const one = Number(dynamodb!.SequenceNumber);
      return one > number || !source.unclaimed.has(one);
    });
    if (number > 0 && isApplied && random.chance(0.6)) {
      await saveAppliedPlace(store, graph.table, shardId, { stream, sequenceNumber: `${number}` }, source.atMs);
    }
  }
  return watched;
}

describe('the low watermark by the pages of a tail', () => {
  it(`is never later than the oldest record without a claim, and comes to where a walk of its own comes, in ${SEEDS} streams`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { random, source, store, now, mark, tail, claim, readOn } = await withHistory(seed);
      source.page = random.oneOf([1_000, 1, 2, 5]);
      if (random.chance(0.5)) {
        tail.resume(
          source.shards.flatMap(({ shardId, records }) => {
            const place = random.below(records.length + 1);
            const after = records[place - 1]?.dynamodb?.SequenceNumber;
            return after === undefined ? [] : [{ shardId, after, isFinished: false, sinceMs: START }];
          }),
        );
        await readOn(1);
      } else await readOn(1, true);
      for (let step = 0; step < 20; step++) {
        source.atMs += random.below(3_000);
        if (random.chance(0.6)) source.write();
        if (random.chance(0.1)) source.split();
        if (random.chance(0.4)) await claim([...source.unclaimed.keys()].filter(() => random.chance(0.5)));
        if (random.chance(0.6)) await readOn(1 + random.below(3));
        if (!random.chance(0.5)) continue;
        const upToMs = await mark.upToMs();
        const oldestMs = Math.min(source.atMs, ...source.unclaimed.values());
        expect(upToMs ?? 0, `seed ${seed}`).toBeLessThanOrEqual(oldestMs);
      }
      await claim([...source.unclaimed.keys()].filter(() => random.chance(0.8)));
      source.atMs += 5_000;
      await readOn(30);
      source.atMs += 5_000;
      await readOn(30);
      // The first look comes to a place from which the second one reads the pages of the tail alone.
      for (let look = 0; look < 4; look++) await mark.upToMs();
      const own = (await new StreamWalk({ graph, store, source, now }).look()).upToMs!;
      const upToMs = await mark.upToMs();
      expect(upToMs, `seed ${seed}`).toBeDefined();
      expect(Math.abs(own - upToMs!), `seed ${seed}`).toBeLessThanOrEqual(1_000);
      const { reads } = source;
      source.write();
      await claim([...source.unclaimed.keys()]);
      await mark.upToMs();
      await mark.upToMs();
      expect(source.reads - reads, `seed ${seed}`).toBe(0);
      expect((await readPublishedLowWatermark(store)).published?.upToMs).toBe(await mark.upToMs());
    }
  });

  it('lets records go that have left the stream before anybody read them', async () => {
    const { source, mark, claim, readOn } = watchedStream(1);
    await readOn(3, true);
    source.write();
    await readOn(3);
    expect(await mark.upToMs()).toBeLessThanOrEqual(START);
    source.atMs += 60_000;
    source.write();
    source.trim('s0');
    source.write();
    await claim([3]);
    // The iterator of the tail is before the trimmed records.
    await readOn(6);
    expect(await mark.upToMs()).toBe(source.atMs);
  });
});

describe('a source of the pages of a tail', () => {
  it('gives each record once and in order, whatever is read when', async () => {
    for (let seed = 1; seed <= 5 * SEEDS; seed++) {
      const random = new Random(seed);
      const source = new GrowingStream(random);
      for (let i = random.below(6); i > 0; i--) source.write();
      const listener = new TailedSource(source);
      const limits = { ...TAIL_LIMITS, lateMs: 0, listMs: 0 };
      const tail = new StreamTail({ source, now: () => source.atMs, limits, listener, onGap: () => undefined });
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
