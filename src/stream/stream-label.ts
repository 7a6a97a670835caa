import type { AttributeValue } from '../items/attribute-value.ts';
import { isPlausibleWatermark } from '../items/watermark.ts';

/** A stream's label, or how to ask for the one that the table's stream has now; undefined: it is not known. */
export type StreamLabelSource = string | (() => Promise<string | undefined>) | undefined;

/** Gives the watermark of the newest record of a table's stream, as it is now; undefined: it is not known. */
export type NewestPositionSource = () => Promise<string | undefined>;

/**
 * The label of a table's stream, or the position of its newest record, as long work knows it. The stream may be switched off and on meanwhile, and then the
 * projector's newest watermarks are of a later stream than the one that was asked for at first: so a label that would
 * condemn a watermark is asked for once more.
 */
export class StreamLabel {
  /** What was told last, a label or a watermark; undefined: unknown, so only the form of watermarks can be judged. */
  known: string | undefined;

  constructor(
    private readonly source: StreamLabelSource,
    private readonly newest?: NewestPositionSource,
  ) {
    this.known = typeof source === 'string' ? source : undefined;
  }

  /** Asks for the newest position or the label, where somebody can be asked. */
  async refresh(): Promise<void> {
    const newest = await this.newest?.();
    if (newest !== undefined) this.known = newest;
    else if (typeof this.source === 'function') this.known = await this.source();
  }

  /** Asks for the newest position, where it can be asked for: what was read before is then older, or drift. */
  async advance(): Promise<void> {
    if (this.newest !== undefined) await this.refresh();
  }

  /** Whether a stored watermark, read before this call, can have come from a record of the table. */
  async isPlausible(watermark: AttributeValue | undefined): Promise<boolean> {
    if (isPlausibleWatermark(watermark, this.known)) return true;
    if ((typeof this.source !== 'function' && this.newest === undefined) || !isPlausibleWatermark(watermark))
      return false;
    await this.refresh();
    return isPlausibleWatermark(watermark, this.known);
  }
}
