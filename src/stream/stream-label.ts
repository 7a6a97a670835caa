import type { AttributeValue } from '../items/attribute-value.ts';
import { isPlausibleWatermark } from '../items/watermark.ts';

/** A stream's label, or how to ask for the one that the table's stream has now; undefined: it is not known. */
export type StreamLabelSource = string | (() => Promise<string | undefined>) | undefined;

/**
 * The label of a table's stream as long work knows it. The stream may be switched off and on meanwhile, and then the
 * projector's newest watermarks are of a later stream than the one that was asked for at first: so a label that would
 * condemn a watermark is asked for once more.
 */
export class StreamLabel {
  /** The label as it was told last; undefined: unknown, so only the form of watermarks can be judged. */
  known: string | undefined;

  constructor(private readonly source: StreamLabelSource) {
    this.known = typeof source === 'string' ? source : undefined;
  }

  /** Asks for the label, where somebody can be asked. */
  async refresh(): Promise<void> {
    if (typeof this.source === 'function') this.known = await this.source();
  }

  /** Whether a stored watermark, read before this call, can have come from a record of the table. */
  async isPlausible(watermark: AttributeValue | undefined): Promise<boolean> {
    if (isPlausibleWatermark(watermark, this.known)) return true;
    if (typeof this.source !== 'function' || !isPlausibleWatermark(watermark)) return false;
    await this.refresh();
    return isPlausibleWatermark(watermark, this.known);
  }
}
