import { Random } from '../../kernel/random.ts';

/**
 * What happens in a schedule, by names. Each has random numbers of its own, made of the seed and its name: so a part of a schedule
 * can be left out, and what is left draws as it did.
 */
export class Plan {
  /** All that happened, in the order in which it did. */
  readonly happened = new Set<string>();
  private readonly without: ReadonlySet<string>;
  private readonly times = new Map<string, number>();

  /** @param without what is left out. Default: nothing. */
  constructor(
    readonly seed: number,
    without: readonly string[] = [],
  ) {
    this.without = new Set(without);
  }

  /** Whether something happens that a schedule can do without. */
  happens(name: string): boolean {
    if (this.without.has(name)) return false;
    this.happened.add(name);
    return true;
  }

  /** The random numbers of something; of its second time, its third ... where it has the same name. */
  draws(name: string): Random {
    const time = this.times.get(name) ?? 0;
    this.times.set(name, time + 1);
    return new Random(this.seed + hashOf(`${name} ${time}`) * 2 ** 20);
  }
}

/** A number of 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
