export interface ProgressStream {
  isTTY?: boolean;
  write(text: string): unknown;
}

const CHANGE_MS = 200;
const CLEAR = '\r\u001b[2K';

/** Shows progress on one changing line of a terminal, or as separate lines elsewhere. */
export class ProgressLine {
  readonly isTerminal: boolean;
  private toldMs: number;
  private isOpen = false;

  /** @param tellMs milliseconds between lines without a terminal */
  constructor(
    private readonly stream: ProgressStream,
    private readonly tellMs: number,
    private readonly now: () => number,
  ) {
    this.isTerminal = stream.isTTY === true;
    this.toldMs = now();
  }

  isDue(): boolean {
    return this.now() - this.toldMs >= (this.isTerminal ? CHANGE_MS : this.tellMs);
  }

  startAgain(): void {
    this.toldMs = this.now();
  }

  show(text: string): void {
    this.startAgain();
    this.stream.write(this.isTerminal ? `${CLEAR}${text}` : `${text}\n`);
    this.isOpen = this.isTerminal;
  }

  /** Prints a line that stays. */
  print(text: string): void {
    this.stream.write(`${this.isOpen ? CLEAR : ''}${text}\n`);
    this.isOpen = false;
  }

  end(): void {
    if (this.isOpen) this.stream.write('\n');
    this.isOpen = false;
  }
}

/** Formats a duration: `40 s`, `12 min`, `3.5 h`. */
export function secondsText(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 2 * 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.ceil(seconds / 360) / 10} h`;
}
