/** Something that happens at a time. Gives true where it woke code that has to run on before the next thing happens. */
export type Happening = () => unknown;

interface Entry {
  at: number;
  order: number;
  happening: Happening;
}

/** The simulated clock and what is to happen, earliest first; at one time in the order in which it was entered. */
export class Agenda {
  /** Milliseconds since 1970. */
  now: number;
  private readonly heap: Entry[] = [];
  private entered = 0;

  constructor(start: number) {
    this.now = start;
  }

  /** Enters something to happen in so many milliseconds. */
  in(milliseconds: number, happening: Happening): void {
    const { heap } = this;
    const entry = { at: this.now + milliseconds, order: this.entered++, happening };
    let place = heap.length;
    heap.push(entry);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = entry;
  }

  /** The same as `now`, by the name that clocks have. */
  get nowMs(): number {
    return this.now;
  }

  /** Whether nothing is left to happen. */
  get isEmpty(): boolean {
    return this.heap.length === 0;
  }

  /** How much is left to happen. */
  get size(): number {
    return this.heap.length;
  }

  /** Takes the next happening out and moves the clock on to it; undefined where nothing is left to happen. */
  next(): Happening | undefined {
    const { heap } = this;
    const first = heap[0];
    if (first === undefined) return undefined;
    const last = heap.pop()!;
    if (heap.length > 0) this.sink(last);
    this.now = first.at;
    return first.happening;
  }

  /** Passes time in which nothing happens: all that is entered comes so much later. */
  skip(milliseconds: number): void {
    this.now += milliseconds;
    for (const entry of this.heap) entry.at += milliseconds;
  }

  /** Lets time pass; what is entered for until then happens. */
  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    while ((this.heap[0]?.at ?? Number.POSITIVE_INFINITY) <= end) {
      const before = this.now;
      const happening = this.next()!;
      this.now = Math.max(this.now, before);
      happening();
    }
    this.now = Math.max(this.now, end);
  }

  private sink(entry: Entry): void {
    const { heap } = this;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, entry)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = entry;
  }
}

function isBefore(left: Entry, right: Entry): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}

/** Lets code that was woken run on until it waits for the next happening. */
export function codeRunsOn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
