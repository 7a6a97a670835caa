interface Event {
  atMs: number;
  order: number;
  wake: () => void;
}

/** A clock that only moves when everything waits: the next event is the earliest one, so a seed gives one schedule. */
export class Timeline {
  /** Milliseconds since 1970: the true time, which nothing in the world reads without an error of its own. */
  nowMs = Date.UTC(2026, 2, 1);
  /** Events that have happened. */
  events = 0;
  private readonly heap: Event[] = [];
  private scheduled = 0;

  /** Waits so long; at 0 until others that wait for now have had their turn. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((wake) => {
      this.push({ atMs: this.nowMs + Math.max(0, milliseconds), order: this.scheduled++, wake });
    });
  }

  /**
   * Lets time pass until the process has ended; what else is on its way then stays so.
   *
   * @param mostEvents a schedule with more of them does not come to rest. Default: no limit.
   */
  async run(main: Promise<unknown>, mostEvents = Number.POSITIVE_INFINITY): Promise<void> {
    let hasEnded = false;
    const ended = main.finally(() => {
      hasEnded = true;
    });
    ended.catch(() => undefined);
    for (let idle = 0; !hasEnded; ) {
      // Every process that does not wait for the clock is on its way to it by promises alone.
      await new Promise((resolve) => setImmediate(resolve));
      if (hasEnded) break;
      const next = this.pop();
      if (next === undefined) {
        idle += 1;
        if (idle > 1_000) throw new Error('Every process waits, and none for the clock.');
        continue;
      }
      idle = 0;
      this.events += 1;
      if (this.events > mostEvents) throw new Error('The schedule does not come to rest.');
      this.nowMs = next.atMs;
      next.wake();
    }
    await ended;
  }

  /** Passes time in which nothing moves: what was due in a second is due a second after it. */
  skip(milliseconds: number): void {
    this.nowMs += milliseconds;
    for (const event of this.heap) event.atMs += milliseconds;
  }

  private push(event: Event): void {
    let place = this.heap.length;
    this.heap.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(event, this.heap[parent]!)) break;
      this.heap[place] = this.heap[parent]!;
      place = parent;
    }
    this.heap[place] = event;
  }

  private pop(): Event | undefined {
    const [first] = this.heap;
    const last = this.heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.heap.length) break;
      if (child + 1 < this.heap.length && isBefore(this.heap[child + 1]!, this.heap[child]!)) child += 1;
      if (!isBefore(this.heap[child]!, last)) break;
      this.heap[place] = this.heap[child]!;
      place = child;
    }
    this.heap[place] = last;
    return first;
  }
}

function isBefore(left: Event, right: Event): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
}
