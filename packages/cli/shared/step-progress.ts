import { countText, figureText } from '../../../src/foundation/figure.ts';

/** Milliseconds between lines without a terminal. */
const TELL_MS = 5_000;
/** Milliseconds between updates on a terminal. */
const CHANGE_MS = 200;

export interface WalkFigures {
  /** `backfill`, `verify`, … */
  phase: string;
  /** Items passed. */
  items: number;
  rcu: number;
  wcu: number;
}

/** Shows items, units and remaining time of a walk over a table. */
export class StepProgress {
  private phase = '';
  private begunAtMs = 0;
  private toldAtMs = 0;
  private isLineOpen = false;

  /**
   * @param totalItems as DynamoDB last counted them
   * @param stream a terminal gets one changing line, anything else a line now and then
   */
  constructor(
    private readonly totalItems: number,
    private readonly stream: { isTTY?: boolean; write(text: string): unknown } = process.stderr,
    private readonly now: () => number = Date.now,
  ) {}

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

  /** Writes a line of its own. */
  printLine(text: string): void {
    this.stream.write(`${this.isLineOpen ? '\r\u001b[2K' : ''}${text}\n`);
    this.isLineOpen = false;
  }
}

/** `40 s`, `12 min`, `3.5 h`. */
export function secondsText(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 2 * 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.ceil(seconds / 360) / 10} h`;
}
