import { canonicalText, type Item } from '../items/attribute-value.ts';
import { WATERMARK } from '../items/derived-item.ts';
import { isPlausibleWatermark } from '../items/watermark.ts';
import type { OddityContext, Part, PartKind } from './part.ts';

/**
 * A watermark that no record can have written. It makes every later record take the slow path. Any write of the item repairs it.
 */
export const watermark: PartKind<Extract<Part, { kind: 'watermark' }>> = {
  judgedBy: 'reads',
  isContent: false,
  decidingKeys: () => [],
  async compare({ stream }, { derived }) {
    const value = derived?.[WATERMARK];
    const isRight = derived === undefined || (await stream.isPlausible(value));
    const stored = value === undefined ? 'no watermark' : canonicalText(value);
    return { wanted: isRight ? stored : 'a watermark of the stream', stored };
  },
};

/** Tells whether a record of the table can have written an item's watermark, as far as is known now. */
export function hasPlausibleWatermark({ streamLabel }: Pick<OddityContext, 'streamLabel'>, item: Item): boolean {
  return isPlausibleWatermark(item[WATERMARK], streamLabel);
}
