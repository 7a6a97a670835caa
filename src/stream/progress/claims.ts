/**
 * Derives which records are applied from the consumers' claims. A consumer that crashes, freezes or gives up a batch
 * reports nothing, so a newest position proves nothing about earlier records: a record only counts as applied if a
 * claim covers it.
 */

/** A consumer's statement that it has applied every record for the projector from `first` to `last` in one shard. */
export interface Claim {
  /** Sequence numbers of the first and last record. */
  first: string;
  last: string;
  /**
   * Number of these records. If the shard has more between `first` and `last`, several lanes apply it, and this claim
   * is of one lane.
   */
  records: number;
  /** The stream's label: another stream of the table may use the same sequence numbers. */
  stream?: string;
  /**
   * The consumer reads its shard alone and in order: the claim covers every record between its ends, whatever `records`
   * says.
   */
  isWhole?: boolean;
}

/** One claim for a shard's records, oldest first; empty without records. */
export function claimOf(records: readonly OpenRecord[]): Claim[] {
  const [first] = records;
  const last = records.at(-1);
  if (first === undefined || last === undefined) return [];
  const { stream } = first;
  const claim = { first: first.sequenceNumber, last: last.sequenceNumber, records: records.length };
  return [{ ...claim, ...(stream !== undefined && { stream }) }];
}

/** A record that the projector applies, reduced to its position. */
export interface OpenRecord {
  sequenceNumber: string;
  /** The label of its stream, if known. */
  stream?: string;
}

/** A range of indexes in a list of records. */
export interface Run {
  start: number;
  /** The index after the last record. */
  end: number;
}

export interface Coverage {
  /** Unclaimed records, as ranges. All records before the first range are applied. */
  free: readonly Run[];
  /**
   * True if a claim covers only some of the records between its ends: several batches of the shard are applied in
   * parallel.
   */
  hasLanes: boolean;
}

/**
 * Finds a shard's claimed records, which are applied. Two claims are never joined, since nobody has claimed the records
 * between them.
 *
 * @param records records not known to be applied, oldest first, without a gap.
 * @param claims claims of any shard of the stream. A claim belongs to the shard with records at its ends. One that
 * begins before the first of these records only counts if it is whole: earlier records can't be counted any more.
 */
export function coverageOf(records: readonly OpenRecord[], claims: Iterable<Claim>): Coverage {
  const places = new Map(records.map(({ sequenceNumber }, place) => [withoutLeadingZeros(sequenceNumber), place]));
  // By the index where claims begin: the end of the longest one.
  const ends = new Map<number, number>();
  let hasLanes = false;
  for (const { first, last, records: count, isWhole = false } of claims) {
    const end = places.get(withoutLeadingZeros(last));
    const start = places.get(withoutLeadingZeros(first)) ?? (isWhole && isBefore(first, records[0]) ? 0 : undefined);
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

/** One engine writes leading zeros; claims are stored without them. */
export function withoutLeadingZeros(sequenceNumber: string): string {
  return sequenceNumber.startsWith('0') ? sequenceNumber.replace(/^0+(?=\d)/, '') : sequenceNumber;
}

/** False if there is no record. */
function isBefore(sequenceNumber: string, record: OpenRecord | undefined): boolean {
  return record !== undefined && BigInt(sequenceNumber) < BigInt(record.sequenceNumber);
}

/** How many records, from the oldest on, are applied without a gap. */
export function appliedCount({ free: [first] }: Coverage, records: readonly OpenRecord[]): number {
  return first?.start ?? records.length;
}

const BASE = 36;

/** Without their stream: 36 claims fit into a kilobyte. */
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

/** Ignores parts that aren't claims, such as a later version's. */
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
