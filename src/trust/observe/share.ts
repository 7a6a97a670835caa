import { fnv1a } from '../../core/items/shard.ts';

/** Spreads texts that differ in their last character only. Source: Knuth, The Art of Computer Programming 3, 6.4. */
const GOLDEN_RATIO = 0x9e3779b1;

/**
 * Tells whether a text is one of a share of all texts. A text always has the same answer, so that a replay judges the same records again.
 *
 * @param share from 0 to 1.
 */
export function isInShare(text: string, share: number): boolean {
  if (share >= 1) return true;
  return share > 0 && Math.imul(fnv1a(text), GOLDEN_RATIO) >>> 0 < share * 2 ** 32;
}
