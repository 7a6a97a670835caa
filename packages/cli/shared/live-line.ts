import { countText, figureText } from '../../../src/foundation/figure.ts';

/** The counts of a projector so far. */
export interface Projected {
  records: number;
  writes: number;
  /** Age of the newest record that was applied last; undefined where its stream does not say. */
  newestRecordAgeMs?: number | undefined;
  /** How long the batch took that was applied last. */
  batchMs?: number | undefined;
}

/** How far an observer is. */
export interface Verified {
  /** Undefined: not known yet. */
  verifiedThroughMs: number | undefined;
  /** Number of derived items that are known to be wrong. */
  drift: number;
}

/** Where a live line goes, and what it asks. */
export interface LiveLineOptions {
  /** A terminal gets one line that changes; anything else a line now and then. */
  stream: { isTTY?: boolean; write(text: string): unknown };
  /** Records in quarantine. */
  quarantined(): Promise<number>;
  /** Age of the oldest record that is not applied, in seconds: asked when nothing moves, which may be the end or a halt. */
  behindSeconds(): Promise<number>;
  /** The observer that runs with the projector. Default: there is none. */
  verified?: (() => Verified | undefined) | undefined;
  /** Clock in milliseconds. Default: the machine's. */
  now?: (() => number) | undefined;
}

const TICK_MS = 1_000;
/** Milliseconds between two lines where there is no terminal; a quiet table says nothing there. */
const TELL_MS = 5_000;

/** Shows how a projector gets on: records a second, how far it is behind, what is in quarantine. */
export class LiveLine {
  private projected: Projected = { records: 0, writes: 0 };
  private told = { records: 0, atMs: 0 };
  private idleBehindSeconds: number | undefined;
  /** When the current burst of work began. */
  private movingSinceMs: number;
  private timer: NodeJS.Timeout | undefined;
  private ticking: Promise<void> = Promise.resolve();
  private readonly now: () => number;

  constructor(private readonly options: LiveLineOptions) {
    this.now = options.now ?? Date.now;
    this.told.atMs = this.now();
    this.movingSinceMs = this.told.atMs;
  }

  /** Notes what was done. */
  addProjected(projected: Projected): void {
    this.projected = projected;
    // Nothing moves while a batch is worked off, but it is worked: its time counts, from the line before on.
    const begunMs = this.now() - (projected.batchMs ?? 0);
    this.movingSinceMs = Math.max(this.told.atMs, Math.min(this.movingSinceMs, begunMs));
  }

  /** Shows it from now on. `onError`: called where the table could not be asked; the next line asks again. */
  start(onError: (error: unknown) => void): void {
    this.timer = setTimeout(() => {
      this.ticking = this.showIfDue()
        .catch(onError)
        .then(() => {
          if (this.timer !== undefined) this.start(onError);
        });
    }, TICK_MS);
    this.timer.unref();
  }

  /** Shows nothing more, and leaves the cursor on a line of its own. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.ticking;
    if (this.options.stream.isTTY === true) this.options.stream.write('\n');
  }

  /** Shows how things are now, if it is time. */
  async showIfDue(): Promise<void> {
    const { stream, quarantined, behindSeconds } = this.options;
    const { records, writes, newestRecordAgeMs = 0 } = this.projected;
    const isTerminal = stream.isTTY === true;
    const hasMoved = records !== this.told.records;
    const nowMs = this.now();
    if (!hasMoved) this.movingSinceMs = nowMs;
    if (!isTerminal && (!hasMoved || nowMs - this.told.atMs < TELL_MS)) return;
    if (hasMoved) this.idleBehindSeconds = undefined;
    else this.idleBehindSeconds ??= await behindSeconds();
    const elapsedMs = nowMs - this.movingSinceMs;
    const rate = elapsedMs > 0 ? ((records - this.told.records) * 1000) / elapsedMs : 0;
    const behind = this.idleBehindSeconds ?? newestRecordAgeMs / 1000;
    const parts = [
      countText(records, 'record'),
      countText(writes, 'write'),
      `${figureText(Math.round(rate * 10) / 10)} records/s`,
      behind < 1 && !hasMoved ? 'at the end' : `${figureText(Math.round(behind * 10) / 10)} s behind`,
      `${figureText(await quarantined())} in quarantine`,
      ...this.verifiedParts(),
    ];
    this.told = { records, atMs: nowMs };
    this.movingSinceMs = nowMs;
    const line = `projected: ${parts.join(', ')}`;
    stream.write(isTerminal ? `\r\u001b[2K${line}` : `${line}\n`);
  }

  private verifiedParts(): string[] {
    const { verifiedThroughMs, drift = 0 } = this.options.verified?.() ?? {};
    if (verifiedThroughMs === undefined) return [];
    const through = `verified through ${new Date(verifiedThroughMs).toISOString().slice(11, 19)}Z`;
    return [drift === 0 ? through : `${through} but for ${countText(drift, 'difference')}`];
  }
}
