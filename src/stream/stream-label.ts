import type { AttributeValue } from '../core/items/attribute-value.ts';
import { isPlausibleWatermark } from '../core/items/watermark.ts';

/** A stream's label, or how to ask for the one that the table's stream has now; undefined: it is not known. */
export type StreamLabelSource = string | (() => Promise<string | undefined>) | undefined;

/** Gives the watermark of the newest record of a table's stream, as it is now; undefined: it is not known. */
export type NewestPositionSource = () => Promise<string | undefined>;

/** Time between two questions for the newest position that nothing depends on: so often a page of a table may come. */
const PAUSE_MS = 2_000;

/**
 * The label of a table's stream, or the position of its newest record, as long work knows it. The stream may be switched off and on meanwhile, and then the
 * projector's newest watermarks are of a later stream than the one that was asked for at first: so a label that would
 * condemn a watermark is asked for once more.
 */
export class StreamLabel {
  /** The last answer, a label or a watermark; undefined: unknown, so only the form of watermarks can be judged. */
  known: string | undefined;
  private askedAtMs = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | undefined;
  private askingNext: Promise<void> | undefined;

  /** @param now the clock in milliseconds, by which the newest position is not asked for all the time. */
  constructor(
    private readonly source: StreamLabelSource,
    private readonly newest?: NewestPositionSource,
    private readonly now: () => number = Date.now,
  ) {
    this.known = typeof source === 'string' ? source : undefined;
  }

  /** Asks for the newest position or the label, where somebody can be asked. */
  async refresh(): Promise<void> {
    // A request under way may have begun before the caller's read; the next request serves all who wait.
    this.askingNext ??= this.askAgain(this.asking);
    await this.askingNext;
  }

  private async askAgain(before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => undefined);
    this.asking = this.askingNext;
    this.askingNext = undefined;
    this.askedAtMs = this.now();
    const newest = await this.newest?.();
    if (newest !== undefined) this.known = newest;
    else if (typeof this.source === 'function') this.known = await this.source();
  }

  /** Asks for the newest position now and then, where it can be asked for: what was read before is then older, or drift. */
  async advance(): Promise<void> {
    if (this.newest !== undefined && this.now() - this.askedAtMs >= PAUSE_MS) await this.refresh();
  }

  /** Tells whether a stored watermark, read before this call, can have come from a record of the table. */
  async isPlausible(watermark: AttributeValue | undefined): Promise<boolean> {
    if (isPlausibleWatermark(watermark, this.known)) return true;
    if ((typeof this.source !== 'function' && this.newest === undefined) || !isPlausibleWatermark(watermark))
      return false;
    // rule: label-is-asked-for-again
    await this.refresh();
    return isPlausibleWatermark(watermark, this.known);
  }
}
