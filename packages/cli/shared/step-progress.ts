import { countText, figureText } from '../../../src/foundation/figure.ts';
import { ProgressLine, type ProgressStream, secondsText } from './progress-line.ts';

/** Milliseconds between lines without a terminal. */
const TELL_MS = 5_000;

export interface WalkFigures {
  phase: string;
  items: number;
  rcu: number;
  wcu: number;
}

export class StepProgress {
  private phase = '';
  private begunAtMs = 0;
  private readonly line: ProgressLine;

  /** @param totalItems DynamoDB's own count, which may be hours old */
  constructor(
    private readonly totalItems: number,
    stream: ProgressStream = process.stderr,
    private readonly now: () => number = Date.now,
  ) {
    this.line = new ProgressLine(stream, TELL_MS, now);
  }

  noteFigures({ phase, items, rcu, wcu }: WalkFigures): void {
    if (phase !== this.phase) {
      this.phase = phase;
      this.begunAtMs = this.now();
      this.line.startAgain();
      return;
    }
    if (!this.line.isDue()) return;
    const total = Math.max(items, this.totalItems);
    const left = ((this.now() - this.begunAtMs) / 1000) * (total / Math.max(1, items) - 1);
    this.line.show(
      `${phase}: ${figureText(items)} of about ${countText(total, 'item')}, ${figureText(rcu)} RCU, ${figureText(wcu)} WCU, about ${secondsText(left)} left`,
    );
  }

  printLine(text: string): void {
    this.line.print(text);
  }
}
