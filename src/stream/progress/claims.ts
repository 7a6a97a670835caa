import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { withoutLeadingZeros } from '../../core/items/change-record.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';

/**
 * A range of records that a consumer has applied. Only claimed records count as applied: a consumer that crashes,
 * freezes or gives up a batch reports nothing, so its newest position proves nothing about earlier records.
 */
export interface Claim {
  first: string;
  last: string;
  /**
   * Number of records claimed. If the shard has more between `first` and `last`, batches applied in parallel (lanes)
   * claim the rest.
   */
  records: number;
  /** The stream's label, because another stream of the table may use the same sequence numbers. */
  stream?: string;
  /**
   * True if the consumer reads the shard alone and in order. The claim then covers every record from `first` to `last`,
   * whatever `records` says.
   */
  isWhole?: boolean;
}

export function claimOf(records: readonly OpenRecord[]): Claim[] {
  const [first] = records;
  const last = records.at(-1);
  if (first === undefined || last === undefined) return [];
  const { stream } = first;
  const claim = { first: first.sequenceNumber, last: last.sequenceNumber, records: records.length };
  return [{ ...claim, ...(stream !== undefined && { stream }) }];
}

export interface OpenRecord {
  sequenceNumber: string;
  stream?: string;
}

export interface Run {
  start: number;
  end: number;
}

export interface Coverage {
  /** All records before the first range are applied. */
  free: readonly Run[];
  /**
   * True if batches of the shard are applied in parallel. A claim then only covers some of the records from `first` to
   * `last`.
   */
  hasLanes: boolean;
}

/**
 * @param records oldest first, without a gap.
 * @param claims of any shard. A claim that begins before the first record only counts if it is whole, because earlier
 * records can't be counted any more.
 */
export function coverageOf(records: readonly OpenRecord[], claims: Iterable<Claim>): Coverage {
  const places = new Map(records.map(({ sequenceNumber }, place) => [withoutLeadingZeros(sequenceNumber), place]));
  const ends = new Map<number, number>();
  let hasLanes = false;
  for (const { first, last, records: count, isWhole = false } of claims) {
    const end = places.get(withoutLeadingZeros(last));
    const start = places.get(withoutLeadingZeros(first)) ?? (isWhole && isBefore(first, records[0]) ? 0 : undefined);
    if (start === undefined || end === undefined) continue;
    // Another lane may not have applied the records between.
    // rule: claim-holds-every-record-between-its-ends
    if (!isWhole && end - start + 1 !== count) hasLanes = true;
    else ends.set(start, Math.max(end + 1, ends.get(start) ?? 0));
  }
  const free: Run[] = [];
  let heldUpTo = 0;
  for (let place = 0; place < records.length; place++) {
    heldUpTo = Math.max(heldUpTo, ends.get(place) ?? 0);
    if (place < heldUpTo) continue;
    const run = free.at(-1);
    if (run?.end === place) run.end += 1;
    else free.push({ start: place, end: place + 1 });
  }
  return { free, hasLanes };
}

/** One engine writes leading zeros; claims are stored without them. */
function isBefore(sequenceNumber: string, record: OpenRecord | undefined): boolean {
  return record !== undefined && BigInt(sequenceNumber) < BigInt(record.sequenceNumber);
}

export function appliedCount({ free: [first] }: Coverage, records: readonly OpenRecord[]): number {
  return first?.start ?? records.length;
}

const PREFIX = 'cover/';
/** The end of the prefix's keys: `0` is the character after `/`. */
const AFTER = 'cover0';
const [CLAIMS, STREAM] = ['claims', 'stream'];
const KEPT_SECONDS = 25 * 3600;

/** @param claims of one stream, because the item names only one. */
export function claimsItem(table: TableNames, id: string, claims: readonly Claim[], atMs: number): Item {
  const stream = claims[0]?.stream;
  return {
    [table.partitionKey]: { S: SERVICE_PARTITION },
    [table.sortKey]: { S: `${claimsKeyStart(atMs)}/${id}` },
    [CLAIMS]: { S: claimsText(claims) },
    ...(stream !== undefined && { [STREAM]: { S: stream } }),
    [table.ttl]: { N: String(Math.floor(atMs / 1000) + KEPT_SECONDS) },
  };
}

export async function readClaims(
  store: Pick<Store, 'query'>,
  table: TableNames,
  stream: string,
  sinceMs: number,
): Promise<Map<string, Claim[]>> {
  const found = new Map<string, Claim[]>();
  const request = {
    partition: SERVICE_PARTITION,
    sortKey: { from: claimsKeyStart(Math.max(0, sinceMs)), to: AFTER },
    consistent: true,
  };
  for await (const item of queriedItems(store, request)) {
    const key = stringOf(item[table.sortKey]) ?? '';
    if (key.startsWith(PREFIX) && stringOf(item[STREAM]) === stream)
      found.set(key, parseClaims(stringOf(item[CLAIMS]) ?? ''));
  }
  return found;
}

function claimsKeyStart(atMs: number): string {
  return `${PREFIX}${String(Math.floor(atMs)).padStart(13, '0')}`;
}

const BASE = 36;

export function claimsText(claims: readonly Claim[]): string {
  return claims
    .map(({ first, last, records, isWhole }) => {
      const numbers = [BigInt(first), BigInt(last) - BigInt(first), BigInt(records)];
      return [...numbers.map((number) => number.toString(BASE)), ...(isWhole ? [WHOLE] : [])].join('.');
    })
    .join(' ');
}

const WHOLE = 'w';
const CLAIM = /^([0-9a-z]{1,80})\.([0-9a-z]{1,80})\.([0-9a-z]{1,8})(\.w)?$/;

export function parseClaims(text: string): Claim[] {
  return text.split(' ').flatMap((part) => {
    const [, first, span, records, whole] = CLAIM.exec(part) ?? [];
    if (first === undefined || span === undefined || records === undefined) return [];
    const start = parseBase36(first);
    const claim = { first: `${start}`, last: `${start + parseBase36(span)}`, records: Number(parseBase36(records)) };
    return [{ ...claim, ...(whole !== undefined && { isWhole: true }) }];
  });
}

function parseBase36(text: string): bigint {
  let number = 0n;
  for (const digit of text) number = number * BigInt(BASE) + BigInt(Number.parseInt(digit, BASE));
  return number;
}
