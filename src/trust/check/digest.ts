import { hash } from 'node:crypto';

const LANES = 4;

/**
 * A digest of a collection of texts that does not depend on their order and takes the same memory for any number of them: the sum
 * of their hashes, each 128 bits of SHA-256. It is a sum, not an exclusive or, so that a text that was added twice does not vanish.
 */
export class CollectionDigest {
  private readonly lanes = new Uint32Array(LANES);
  private added = 0;

  /** The number of added texts. */
  get count(): number {
    return this.added;
  }

  /** Adds a text. */
  add(text: string): void {
    const bytes = hash('sha256', text, 'buffer');
    for (let lane = 0; lane < LANES; lane++) this.lanes[lane]! += bytes.readUInt32LE(lane * 4);
    this.added += 1;
  }

  /** Tells whether both digests had the same texts added; wrong with a chance of 2^-128. */
  equals(other: CollectionDigest): boolean {
    return this.added === other.added && this.lanes.every((sum, lane) => sum === other.lanes[lane]);
  }
}
