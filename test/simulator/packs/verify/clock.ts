/** The time of one schedule, and what happens in it by itself. */
export class Clock {
  private readonly due: { atMs: number; run: () => void }[] = [];

  constructor(public now: number) {}

  /** Whether nothing is planned any more. */
  get isEmpty(): boolean {
    return this.due.length === 0;
  }

  in(delayMs: number, run: () => void): void {
    const atMs = this.now + Math.max(0, delayMs);
    let place = this.due.length;
    while (place > 0 && this.due[place - 1]!.atMs > atMs) place -= 1;
    this.due.splice(place, 0, { atMs, run });
  }

  /** Lets time pass; what is planned until then happens. */
  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (let next = this.due[0]; next !== undefined && next.atMs <= end; next = this.due[0]) {
      this.due.shift();
      this.now = Math.max(this.now, next.atMs);
      next.run();
    }
    this.now = Math.max(this.now, end);
  }
}
