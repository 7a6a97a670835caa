import { countText, figureText } from '../../../src/foundation/figure.ts';

/** Milliseconds between two lines, where there is no terminal. */
const TELL_MS = 5_000;
/** Milliseconds between two changes of the one line that a terminal shows. */
const CHANGE_MS = 200;

/** Where a walk over the table is, and what it has used. */
export interface WalkFigures {
  /** The present work: `backfill`, `verify`, ... */
  phase: string;
  /** Items that it has passed. */
  items: number;
  rcu: number;
  wcu: number;
}

/** Shows how far a walk over a table is: items, units used, and how long it will still take. */
export class StepProgress {
  private phase = '';
  private begunAtMs = 0;
  private toldAtMs = 0;
  private isLineOpen = false;

  /**
   * @param totalItems items of the table, as DynamoDB last counted them.
   * @param stream a terminal gets one line that changes; anything else a line now and then.
   */
  constructor(
    private readonly totalItems: number,
    private readonly stream: { isTTY?: boolean; write(text: string): unknown } = process.stderr,
    private readonly now: () => number = Date.now,
  ) {}

  /** Notes how far it is. */
  noteFigures({ phase, items, rcu, wcu }: WalkFigures): void {
    const nowMs = this.now();
    if (phase !== this.phase) {
      this.phase = phase;
      this.begunAtMs = nowMs;
      this.toldAtMs = nowMs;
      return;
    }
    const isTerminal = this.stream.isTTY === true;
    if (nowMs - this.toldAtMs < (isTerminal ? CHANGE_MS : TELL_MS)) return;
    this.toldAtMs = nowMs;
    const total = Math.max(items, this.totalItems);
    const left = ((nowMs - this.begunAtMs) / 1000) * (total / Math.max(1, items) - 1);
    const text = `${phase}: ${figureText(items)} of about ${countText(total, 'item')}, ${figureText(rcu)} RCU, ${figureText(wcu)} WCU, about ${secondsText(left)} left`;
    this.stream.write(isTerminal ? `\r\u001b[2K${text}` : `${text}\n`);
    this.isLineOpen = isTerminal;
  }

  /** Writes a line of its own, for what is done. */
  printLine(text: string): void {
    this.stream.write(`${this.isLineOpen ? '\r\u001b[2K' : ''}${text}\n`);
    this.isLineOpen = false;
  }
}

/** Seconds for people: `40 s`, `12 min`, `3.5 h`. */
export function secondsText(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 2 * 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.ceil(seconds / 360) / 10} h`;
}
