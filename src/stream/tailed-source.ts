import { Horizon } from './horizon.ts';
import { EMPTY_PAGES } from './shard-pages.ts';
import {
  type StreamDescription,
  StreamError,
  type StreamPage,
  type StreamRecord,
  type StreamSource,
} from './source.ts';
import type { TailListener, TailRecord, TailStart } from './stream-tail.ts';

interface KeptShard {
  /** All records after this place are kept. */
  start: TailStart;
  records: StreamRecord[];
  isEnded: boolean;
  /** How often unread records have left the stream, which each time invalidates earlier places. */
  losses: number;
}

interface Place {
  shardId: string;
  after?: string | undefined;
  losses: number;
  own?: string | undefined;
  empty: number;
}

/** If a shard exceeds this, all its kept records are dropped. */
const MOST_KEPT = 100_000;

/**
 * Shares a tail's records with a second reader in the same process. Only records from before the tail's start, and
 * dropped ones, are read from the stream again.
 */
export class TailedSource implements StreamSource, TailListener {
  private readonly horizon = new Horizon(0);
  private readonly kept = new Map<string, KeptShard>();
  private readonly finished = new Set<string>();
  private description: StreamDescription | undefined;

  constructor(private readonly source: StreamSource) {}

  get streamArn(): string {
    return this.source.streamArn;
  }

  /**
   * All records from before this time have been received, except records that appear late; undefined if a shard is
   * unread.
   */
  get throughMs(): number | undefined {
    return this.horizon.leastThrough()?.atMs;
  }

  listed(description: StreamDescription, atMs: number): void {
    this.description = description;
    const { shards, status } = description;
    this.horizon.listed(shards, atMs, status === 'DISABLED');
    const ids = new Set(shards.map(({ shardId }) => shardId));
    for (const shardId of this.kept.keys()) if (!ids.has(shardId)) this.kept.delete(shardId);
    for (const shardId of this.finished) if (!ids.has(shardId)) this.finished.delete(shardId);
  }

  followed(shardId: string, from: TailStart): void {
    this.kept.set(shardId, { start: from, records: [], isEnded: false, losses: 0 });
  }

  received({ shardId, record, sequenceNumber, madeMs }: TailRecord): void {
    this.horizon.noteRecord(shardId, madeMs);
    const shard = this.kept.get(shardId);
    if (shard === undefined) return;
    shard.records.push(withoutImages(record));
    if (shard.records.length <= MOST_KEPT) return;
    shard.records = [];
    shard.start = { after: sequenceNumber };
  }

  reachedEnd(shardId: string, atMs: number): void {
    this.horizon.noteEmptyPages(shardId, atMs);
  }

  ended(shardId: string): void {
    this.finished.add(shardId);
    this.horizon.noteEnd(shardId);
    const shard = this.kept.get(shardId);
    if (shard !== undefined) shard.isEnded = true;
  }

  trimmed(shardId: string): void {
    const losses = (this.kept.get(shardId)?.losses ?? 0) + 1;
    this.kept.set(shardId, { start: 'oldest', records: [], isEnded: false, losses });
  }

  async describe(): Promise<StreamDescription> {
    return this.description ?? (await this.source.describe());
  }

  async isClosed(shardId: string): Promise<boolean> {
    return this.finished.has(shardId) || (await this.source.isClosed(shardId));
  }

  async iterator(shardId: string, after: string | undefined): Promise<string> {
    return textOfPlace({ shardId, after, losses: this.kept.get(shardId)?.losses ?? 0, empty: 0 });
  }

  latest(shardId: string): Promise<string> {
    return this.source.latest(shardId);
  }

  async read(iterator: string, limit: number): Promise<StreamPage> {
    const place = JSON.parse(iterator) as Place;
    const shard = this.kept.get(place.shardId);
    // The tail follows this shard once it has read the parent.
    if (shard === undefined && !this.finished.has(place.shardId)) return { records: [], next: iterator };
    if (shard === undefined) return await this.readStream(place, limit, undefined);
    if (shard.losses !== place.losses) throw new StreamError('trimmed', `Shard ${place.shardId} has lost records.`);
    // rule: records-from-before-the-tail-are-read
    return isReached(shard, place.after) ? readKept(shard, place, limit) : await this.readStream(place, limit, shard);
  }

  private async readStream(place: Place, limit: number, shard: KeptShard | undefined): Promise<StreamPage> {
    const { shardId, after } = place;
    const own = place.own ?? (await this.source.iterator(shardId, after));
    const { records, next } = await this.source.read(own, limit);
    const last = records.at(-1)?.dynamodb?.SequenceNumber ?? after;
    const empty = records.length === 0 ? place.empty + 1 : 0;
    if (next === undefined) return { records };
    // The tail began at the shard's end, no later than these empty pages, so it has all records after `last`.
    if (empty >= EMPTY_PAGES && shard?.start === 'end') shard.start = last === undefined ? 'oldest' : { after: last };
    return { records, next: textOfPlace({ ...place, after: last, own: next, empty }) };
  }
}

function isReached({ start, records: [first] }: KeptShard, after: string | undefined): boolean {
  if (start === 'oldest') return true;
  const from = start === 'end' ? first?.dynamodb?.SequenceNumber : start.after;
  return after !== undefined && from !== undefined && BigInt(after) >= BigInt(from);
}

function readKept(shard: KeptShard, { shardId, after, losses }: Place, limit: number): StreamPage {
  const { records } = shard;
  let done = 0;
  while (after !== undefined && done < records.length && BigInt(numberOf(records[done]!)) <= BigInt(after)) done += 1;
  if (done > 0) shard.start = { after: numberOf(records[done - 1]!) };
  records.splice(0, done);
  const page = records.slice(0, limit);
  const isEnd = shard.isEnded && page.length === records.length;
  const last = page.length === 0 ? after : numberOf(page.at(-1)!);
  return { records: page, ...(!isEnd && { next: textOfPlace({ shardId, after: last, losses, empty: 0 }) }) };
}

function textOfPlace(place: Place): string {
  return JSON.stringify(place);
}

function numberOf({ dynamodb }: StreamRecord): string {
  return dynamodb!.SequenceNumber!;
}

function withoutImages({ dynamodb }: StreamRecord): StreamRecord {
  const { Keys, SequenceNumber, ApproximateCreationDateTime } = dynamodb!;
  return { dynamodb: { ...(Keys && { Keys }), SequenceNumber: SequenceNumber!, ApproximateCreationDateTime } };
}
