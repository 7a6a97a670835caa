/** A small seeded generator of random numbers (sfc32, Chris Doty-Humphrey): the only source of chance in a schedule. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** @param seed a whole number up to 2^53. */
  constructor(seed: number) {
    this.a = seed >>> 0;
    this.b = Math.floor(seed / 2 ** 32) >>> 0;
    this.c = 0x9e3779b9;
    // Neighbouring seeds differ in a few bits only; the first numbers would show it.
    for (let i = 0; i < 12; i++) this.next();
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    const sum = (this.a + this.b + this.counter++) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** True with a probability of 0 to 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of some values. */
  oneOf<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)]!;
  }
}
