import { hash } from 'node:crypto';
import type { Item } from '../../core/items/attribute-value.ts';

/**
 * Compares what base items ask for with what is stored, part by part. Equal parts are dropped, so the remaining ones
 * differ. The memory is bounded: beyond `mostParts`, only sums of hashes are kept, two per bucket, and a second reading
 * compares only the buckets that differ.
 */

/** A part of a partition's content: an index item, an element of the view, or the node's attributes in the view. */
export interface PartKey {
  /** `''` for index items. */
  group: string;
  name: string;
}

export interface Part extends PartKey {
  expected?: string | undefined;
  actual?: string | undefined;
  /** Sort key of the base item that asks for the part. */
  base?: string;
  derived?: Item;
  /** The part is wrong regardless of what base items ask for. */
  isWrong?: boolean;
}

const MOST_PARTS = 20_000;
const BUCKETS = 1_024;

export interface PartsOptions {
  mostParts?: number | undefined;
  /** Per group. */
  buckets?: number;
  /** Compares only the parts in these buckets, each individually. */
  only?: ReadonlySet<string> | undefined;
}

export class Parts {
  private readonly open = new Map<string, Part>();
  private buckets: Map<string, Bucket> | undefined;

  constructor(private readonly options: PartsOptions) {}

  expect(key: PartKey, expected: string, base: string): void {
    this.add(key, { expected, base });
  }

  store(key: PartKey, actual: string | undefined, derived?: Item): void {
    this.add(key, { actual, ...(derived !== undefined && { derived }) });
  }

  addWrong(key: PartKey, derived?: Item): void {
    this.add(key, { isWrong: true, ...(derived !== undefined && { derived }) });
  }

  /** The parts that differ; empty once only sums are kept. */
  get differing(): readonly Part[] {
    return [...this.open.values()];
  }

  /** Returns the names of the buckets that differ, in sets small enough for one reading with `only` each. */
  differingBuckets(isCompared: (bucket: Bucket) => boolean): Set<string>[] {
    const { mostParts = MOST_PARTS } = this.options;
    const together: Set<string>[] = [];
    let count = 0;
    for (const [name, bucket] of this.buckets ?? []) {
      if (bucket.isEqual || !isCompared(bucket)) continue;
      if (together.length === 0 || count + bucket.count > mostParts) {
        together.push(new Set());
        count = 0;
      }
      together.at(-1)!.add(name);
      count += bucket.count;
    }
    return together;
  }

  private add({ group, name }: PartKey, more: Partial<Part>): void {
    const { only, mostParts = MOST_PARTS } = this.options;
    if (only !== undefined && !only.has(this.bucketOf(group, name))) return;
    const part = { group, name, ...more };
    if (this.buckets !== undefined) {
      this.addToBucket(part);
      return;
    }
    const id = `${group}\0${name}`;
    const known = this.open.get(id);
    const isRepeated = more.actual !== undefined && known?.actual !== undefined;
    const open: Part = { ...known, ...part, ...(isRepeated && { isWrong: true }) };
    if (open.expected === open.actual && open.isWrong !== true) this.open.delete(id);
    else this.open.set(id, open);
    if (only === undefined && this.open.size > mostParts) this.fold();
  }

  private fold(): void {
    this.buckets = new Map();
    for (const part of this.open.values()) this.addToBucket(part);
    this.open.clear();
  }

  private addToBucket({ group, name, expected, actual, isWrong }: Part): void {
    const bucketName = this.bucketOf(group, name);
    const bucket = this.buckets!.get(bucketName) ?? new Bucket(group);
    this.buckets!.set(bucketName, bucket);
    if (expected !== undefined) bucket.expected.add(`${name}\0${expected}`);
    if (actual !== undefined) bucket.actual.add(`${name}\0${actual}`);
    if (isWrong === true) bucket.isWrong = true;
  }

  private bucketOf(group: string, name: string): string {
    const { buckets = BUCKETS } = this.options;
    return `${group}\0${hash('sha256', name, 'buffer').readUInt32LE() % buckets}`;
  }
}

class Bucket {
  readonly expected = new CollectionDigest();
  readonly actual = new CollectionDigest();
  isWrong = false;

  constructor(readonly group: string) {}

  get count(): number {
    return this.expected.count + this.actual.count;
  }

  get isEqual(): boolean {
    return !this.isWrong && this.expected.equals(this.actual);
  }
}

const LANES = 4;

/**
 * An order-independent digest of strings: the sum of the first 128 bits of their SHA-256 hashes. With an exclusive or
 * instead of a sum, a string added twice would vanish.
 */
class CollectionDigest {
  count = 0;
  private readonly lanes = new Uint32Array(LANES);

  add(text: string): void {
    const bytes = hash('sha256', text, 'buffer');
    for (let lane = 0; lane < LANES; lane++) this.lanes[lane]! += bytes.readUInt32LE(lane * 4);
    this.count += 1;
  }

  equals(other: CollectionDigest): boolean {
    return this.count === other.count && this.lanes.every((sum, lane) => sum === other.lanes[lane]);
  }
}
