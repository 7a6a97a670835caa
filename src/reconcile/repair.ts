import type { AttributeValue, Item } from '../core/items/attribute-value.ts';
import { FENCE, WATERMARK } from '../core/items/derived-item.ts';
import { isPlausibleWatermark } from '../core/items/watermark.ts';
import type { DerivedUpdate } from '../core/store-port.ts';
import type { WriterModel } from '../registry/writer-model.ts';

/** The values of a repair, which applies no image of a record. */
export interface Repairing {
  /** The table's stream: a watermark of a later stream is not kept. Absent: only the form of watermarks is checked. */
  stream?: WatermarkJudge;
  /**
   * DynamoDB's time in milliseconds since 1970, which becomes the fence of a reconciled item: the item may have been lost before,
   * and its watermark with it. Called after the base items are read. Absent: no fence.
   */
  fenceMs?: (() => number) | undefined;
  /** The model of the registry as it is now. Absent: nothing changes the model. */
  model?: WriterModel | undefined;
}

/** A run that reconciles items, in a repair or not. */
export interface MayRepair {
  /** The repair that the run is part of. Absent: records ask for the run. */
  repair?: Repairing | undefined;
}

/** Says whether a record of the table can have written a stored watermark. */
export interface WatermarkJudge {
  isPlausible(watermark: AttributeValue | undefined): Promise<boolean>;
}

const BY_FORM: WatermarkJudge = { isPlausible: async (watermark) => isPlausibleWatermark(watermark) };

/** The watermark of a repair, which no record asks for: the actual watermark stays; without one it is empty. */
export const NO_WATERMARK = '';

/**
 * Adds the fence of a repair to the write of a reconciled item. The write is made under the revision that was read, so the item is still
 * the same, or still missing.
 */
export function updateWithFence({ repair: { fenceMs } = {} }: MayRepair, update: DerivedUpdate): DerivedUpdate {
  // rule: repaired-item-has-a-fence
  if (fenceMs === undefined) return update;
  return { ...update, set: { ...update.set, [FENCE]: fenceValue(fenceMs) } };
}

/** Adds the fence to a view before its update is planned: the view's budget must have room for it. */
export function viewWithFence({ repair: { fenceMs } = {} }: MayRepair, view: Item | undefined): Item | undefined {
  return fenceMs === undefined ? view : { ...view, [FENCE]: fenceValue(fenceMs) };
}

function fenceValue(fenceMs: () => number): AttributeValue {
  return { N: String(Math.floor(fenceMs())) };
}

/** Returns a derived item as it was read; in a repair, without its watermark if no record can have written that. */
export async function withPlausibleWatermark(
  { repair }: MayRepair,
  current: Item | undefined,
): Promise<Item | undefined> {
  if (repair === undefined) return current;
  const { stream = BY_FORM } = repair;
  // rule: repair-keeps-a-plausible-watermark
  if (current === undefined || (await stream.isPlausible(current[WATERMARK]))) return current;
  const { [WATERMARK]: _implausible, ...rest } = current;
  return rest;
}
