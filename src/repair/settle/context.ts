import type { ApplyContext } from '../../apply/context.ts';
import type { AttributeValue, Item } from '../../items/attribute-value.ts';
import { FENCE, WATERMARK } from '../../items/derived-item.ts';
import type { DerivedUpdate } from '../../store/port.ts';
import { StreamLabel } from '../../stream/stream-label.ts';

/**
 * Settling: a derived item is made what its base items want, whatever records said. The derived item is read first, then
 * the base items, both consistently, and the write is made under the revision seen; on a conflict all of it is read
 * again. So a settled item is never older than what was there, and no image of a record is ever applied.
 */

/** What settling needs. */
export interface SettleContext extends ApplyContext {
  /** The table's stream: a watermark of a later one is not kept. Absent: only the form of watermarks is looked at. */
  stream?: StreamLabel;
  /**
   * DynamoDB's time in milliseconds since 1970. A settled item then gets it as its fence: what is mended may have been lost, and a
   * watermark with it. Asked after the base items are read. Absent: nothing is fenced.
   */
  fenceMs?: (() => number) | undefined;
}

/** No record asks for a repair: the watermark that is seen stays, and where there is none it is empty. */
export const NO_WATERMARK = '';

/** A write of a settled item, with its fence. Only a settled item that was seen, or is missing, is written: under its revision. */
export function fenced({ fenceMs }: SettleContext, update: DerivedUpdate): DerivedUpdate {
  // rule: repaired-item-has-a-fence
  if (fenceMs === undefined) return update;
  return { ...update, set: { ...update.set, [FENCE]: fence(fenceMs) } };
}

/** A view as it is built upon where it gets a fence: its budget has to have room for that. */
export function withFence({ fenceMs }: SettleContext, view: Item | undefined): Item | undefined {
  return fenceMs === undefined ? view : { ...view, [FENCE]: fence(fenceMs) };
}

function fence(fenceMs: () => number): AttributeValue {
  return { N: String(Math.floor(fenceMs())) };
}

/** A derived item as it is built upon: one whose watermark cannot be counts as without one. */
export async function trusted(
  { stream = new StreamLabel(undefined) }: SettleContext,
  current: Item | undefined,
): Promise<Item | undefined> {
  // rule: repair-keeps-a-plausible-watermark
  if (current === undefined || (await stream.isPlausible(current[WATERMARK]))) return current;
  const { [WATERMARK]: _implausible, ...rest } = current;
  return rest;
}
