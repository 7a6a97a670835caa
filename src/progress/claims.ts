/**
 * Which records of a stream are applied, by what its consumers claim. A consumer that crashes, freezes or gives up a batch says nothing
 * of it, so no note of the newest position can tell: a record counts as applied only if a claim holds it.
 */

/** What a consumer has applied: every record that concerns the projector from `first` to `last`, in one shard. */
export interface Claim {
  /** Sequence numbers of the first record and of the last one. */
  first: string;
  last: string;
  /** How many they are: where the shard has more of them between its ends, the claim is that of one lane of several. */
  records: number;
  /** The label of the stream: another stream of the table may have the same numbers again. */
  stream?: string;
  /** Of a consumer that reads its shard by itself, in order: it has applied all that lies between, however many they are. */
  isWhole?: boolean;
}

/** The claim of records in a row; none where there are none. */
export function claimOf(records: readonly OpenRecord[]): Claim[] {
  const [first] = records;
  const last = records.at(-1);
  if (first === undefined || last === undefined) return [];
  const { stream } = first;
  const claim = { first: first.sequenceNumber, last: last.sequenceNumber, records: records.length };
  return [{ ...claim, ...(stream !== undefined && { stream }) }];
}

/** A record that concerns the projector, as the position of a stream needs it. */
export interface OpenRecord {
  sequenceNumber: string;
  /** The label of its stream, where that is known besides. */
  stream?: string;
}

/** Places of records in a row. */
export interface Run {
  start: number;
  /** After the last of them. */
  end: number;
}

/** What claims say of some records of a shard. */
export interface Coverage {
  /** The records that no claim holds, in runs; all before the first run is applied. */
  free: readonly Run[];
  /** Whether a claim holds some of the records between its ends and not all: more than one batch of the shard is applied at a time. */
  hasLanes: boolean;
}

/**
 * Tells which records of a shard are applied: those that a claim holds. Claims are never joined: what lies between two of them was
 * claimed by nobody.
 *
 * @param records those that are not known as applied yet, oldest first: all of the shard's between the first and the last of them.
 * @param claims of any shard of the stream: a claim belongs to the shard in which its ends are records. One that begins before the first of
 *   these records does not count, since what lies before cannot be counted any more, unless it is whole.
 */
export function coverageOf(records: readonly OpenRecord[], claims: Iterable<Claim>): Coverage {
  const places = new Map(records.map(({ sequenceNumber }, place) => [plainNumber(sequenceNumber), place]));
  // How far the claims that begin at a place reach.
  const ends = new Map<number, number>();
  let hasLanes = false;
  for (const { first, last, records: count, isWhole = false } of claims) {
    const end = places.get(plainNumber(last));
    const start = places.get(plainNumber(first)) ?? (isWhole && isBefore(first, records[0]) ? 0 : undefined);
    if (start === undefined || end === undefined) continue;
    // Another lane of the shard may not have applied the records between.
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

/** A sequence number without the zeros that one engine puts before it: claims are read back without them. */
export function plainNumber(sequenceNumber: string): string {
  return sequenceNumber.startsWith('0') ? sequenceNumber.replace(/^0+(?=\d)/, '') : sequenceNumber;
}

function isBefore(sequenceNumber: string, record: OpenRecord | undefined): boolean {
  return record !== undefined && BigInt(sequenceNumber) < BigInt(record.sequenceNumber);
}

/** How many records from the oldest on are applied. */
export function appliedCount({ free: [first] }: Coverage, records: readonly OpenRecord[]): number {
  return first?.start ?? records.length;
}

const BASE = 36;

/** Claims as a short text, without their stream: three dozen of them fit into a kilobyte. */
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

/** Reads claims; what is none, as of a later version, is left out: it claims nothing. */
export function parseClaims(text: string): Claim[] {
  return text.split(' ').flatMap((part) => {
    const [, first, span, records, whole] = CLAIM.exec(part) ?? [];
    if (first === undefined || span === undefined || records === undefined) return [];
    const start = numberOf(first);
    const claim = { first: `${start}`, last: `${start + numberOf(span)}`, records: Number(numberOf(records)) };
    return [{ ...claim, ...(whole !== undefined && { isWhole: true }) }];
  });
}

function numberOf(text: string): bigint {
  let number = 0n;
  for (const digit of text) number = number * BigInt(BASE) + BigInt(Number.parseInt(digit, BASE));
  return number;
}
