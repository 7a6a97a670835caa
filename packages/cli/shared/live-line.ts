import { countText, figureText } from '../../../src/foundation/figure.ts';
import { ProgressLine, type ProgressStream } from './progress-line.ts';

export interface Projected {
  records: number;
  writes: number;
  /** Age of the newest applied record; undefined if the stream doesn't report it. */
  newestRecordAgeMs?: number | undefined;
  batchMs?: number | undefined;
}

export interface Verified {
  verifiedThroughMs: number | undefined;
  drift: number;
}

export interface LiveLineOptions {
  stream: ProgressStream;
  quarantined(): Promise<number>;
  /** Returns the age in seconds of the oldest unapplied record. Called when no records arrive, to tell done from stuck. */
  behindSeconds(): Promise<number>;
  verified?: (() => Verified | undefined) | undefined;
  now?: (() => number) | undefined;
}

const TICK_MS = 1_000;
/** Milliseconds between lines without a terminal. */
const TELL_MS = 5_000;
/** Milliseconds between lag checks while no records arrive. */
const ASK_MS = 5_000;

export class LiveLine {
  private projected: Projected = { records: 0, writes: 0 };
  private told = { records: 0, atMs: 0 };
  private idle: { behindSeconds: number; askedAtMs: number } | undefined;
  private movingSinceMs: number;
  private timer: NodeJS.Timeout | undefined;
  private ticking: Promise<void> = Promise.resolve();
  private readonly now: () => number;
  private readonly line: ProgressLine;

  constructor(private readonly options: LiveLineOptions) {
    this.now = options.now ?? Date.now;
    this.line = new ProgressLine(options.stream, TELL_MS, this.now);
    this.told.atMs = this.now();
    this.movingSinceMs = this.told.atMs;
  }

  addProjected(projected: Projected): void {
    this.projected = projected;
    // The work of a batch began before the batch was reported.
    const begunMs = this.now() - (projected.batchMs ?? 0);
    this.movingSinceMs = Math.max(this.told.atMs, Math.min(this.movingSinceMs, begunMs));
  }

  /** Passes failures to read the state to `onError`, and keeps going. */
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

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.ticking;
    this.line.end();
  }

  async showIfDue(): Promise<void> {
    const { quarantined, behindSeconds } = this.options;
    const { records, writes, newestRecordAgeMs = 0 } = this.projected;
    const hasMoved = records !== this.told.records;
    const nowMs = this.now();
    if (!hasMoved) this.movingSinceMs = nowMs;
    if (!this.line.isTerminal && !(hasMoved && this.line.isDue())) return;
    if (hasMoved) this.idle = undefined;
    else if (this.idle === undefined || nowMs - this.idle.askedAtMs >= ASK_MS) {
      this.idle = { behindSeconds: await behindSeconds(), askedAtMs: nowMs };
    }
    const elapsedMs = nowMs - this.movingSinceMs;
    const rate = elapsedMs > 0 ? ((records - this.told.records) * 1000) / elapsedMs : 0;
    const behind = this.idle?.behindSeconds ?? newestRecordAgeMs / 1000;
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
    this.line.show(`projected: ${parts.join(', ')}`);
  }

  private verifiedParts(): string[] {
    const { verifiedThroughMs, drift = 0 } = this.options.verified?.() ?? {};
    if (verifiedThroughMs === undefined) return [];
    const through = `verified through ${new Date(verifiedThroughMs).toISOString().slice(11, 19)}Z`;
    return [drift === 0 ? through : `${through} but for ${countText(drift, 'difference')}`];
  }
}
