import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { claimsItem } from '../../../src/stream/progress/claims.ts';
import { lowWatermarkOfTail } from '../../../src/stream/progress/low-watermark.ts';
import { ShardPages } from '../../../src/stream/shard-pages.ts';
import { StreamError, type StreamPage } from '../../../src/stream/source.ts';
import { StreamTail, TAIL_LIMITS } from '../../../src/stream/stream-tail.ts';
import { TailedSource } from '../../../src/stream/tailed-source.ts';
import { Random } from '../../simulator/kernel/random.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { MemoryStream } from '../../support/memory-stream.ts';

const START = 1_800_000_000_000;
const SEEDS = 200;

/** A stream of one shard that grows. */
class GrowingStream extends MemoryStream {
  atMs = START;
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
    this.shards[0]!.records.push({ dynamodb: { ...dynamodb, ApproximateCreationDateTime: this.atMs / 1000 } });
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

/** One whose oldest records have left it. */
class TrimmedStream extends GrowingStream {
  private trimmed = 0;

  trim(): void {
    this.trimmed = this.shards[0]!.records.length;
  }

  override async iterator(shardId: string, after: string | undefined): Promise<string> {
    return after === undefined ? `${shardId}:${this.trimmed}` : this.kept(await super.iterator(shardId, after));
  }

  override async read(iterator: string, limit: number): Promise<StreamPage> {
    return await super.read(this.kept(iterator), limit);
  }

  private kept(iterator: string): string {
    if (Number(iterator.split(':')[1]) < this.trimmed) throw new StreamError('trimmed', 'gone');
    return iterator;
  }
}

describe('the low watermark by the pages of a tail', () => {
  it('lets records go that have left the stream before anybody read them', async () => {
    const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
    const source = new TrimmedStream(new Random(1));
    const store = new MemoryStore(graph.table);
    const now = (): number => source.atMs;
    const mark = lowWatermarkOfTail({ graph, store, source, now }, 0);
    const limits = { ...TAIL_LIMITS, lateMs: 0, listMs: 0 };
    const tail = new StreamTail({ source, now, limits, listener: mark.listener, onGap: () => undefined });
    const readOn = async (pages: number, isFirst = false): Promise<void> => {
      for (let page = 0; page < pages; page++) {
        await tail.list(isFirst && page === 0);
        await tail.readPages();
      }
    };
    await readOn(3, true);
    source.write();
    await readOn(3);
    expect(await mark.upToMs()).toBeLessThanOrEqual(START);
    source.atMs += 60_000;
    source.write();
    source.trim();
    source.write();
    const claim = { stream: '2026-01-01T00:00:00.000', first: '3', last: '3', records: 1 };
    await store.put(claimsItem(graph.table, 'c', [claim], source.atMs));
    // The iterator of the tail is before the trimmed records.
    await readOn(6);
    expect(await mark.upToMs()).toBe(source.atMs);
  });
});

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
