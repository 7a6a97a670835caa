import { Random } from './random.ts';

/** Every choice of a schedule that was not the dull one (0), by name: the whole schedule, in a form that can be kept. */
export type Script = Record<string, number>;

/** Beyond every seed. */
const ASIDE = 2 ** 48;

/**
 * The choices that make a schedule: which item is written, how long a call takes, whether it fails. Each has a name and
 * is a whole number; 0 is the dull one (no fault, no delay). They are drawn from a seed, or read from a script, where
 * what is not named is dull. So a schedule shrinks by forgetting names, and a script stays what it is when the draws
 * change.
 */
export class Choices {
  private readonly random: Random;
  /** What was chosen, where it is recorded. */
  readonly recorded: Script = Object.create(null) as Script;

  private constructor(
    private readonly seed: number,
    private readonly script: Script | undefined,
    private readonly isRecording: boolean,
  ) {
    this.random = new Random(seed);
  }

  /** Draws from a seed. Recording the names costs a little time. */
  static seeded(seed: number, isRecording = false): Choices {
    return new Choices(seed, undefined, isRecording);
  }

  /** Reads from a script. */
  static scripted(script: Script): Choices {
    return new Choices(0, script, true);
  }

  /**
   * Shapes the draws of this schedule: many faults or none, many items or one. It has no name and is not kept, since a
   * script holds what came of it.
   */
  shape<T>(draw: (random: Random) => T): T {
    return draw(this.random);
  }

  /** A whole number that `draw` gives. */
  drawn(name: string, draw: (random: Random) => number): number {
    const value = this.script === undefined ? draw(this.random) : (this.script[name] ?? 0);
    if (this.isRecording && value !== 0) this.recorded[name] = value;
    return value;
  }

  /** A whole number from 0 to `count - 1`. */
  pick(name: string, count: number): number {
    // A shortened schedule may offer less than the script was drawn for.
    return Math.min(
      count - 1,
      this.drawn(name, (random) => random.below(count)),
    );
  }

  /** The same as `chance`, by numbers of its own: what else is drawn from a seed stays what it was before it was drawn. */
  chanceAside(name: string, probability: number): boolean {
    return this.drawn(name, () => (new Random(this.seed + ASIDE).chance(probability) ? 1 : 0)) === 1;
  }

  /** The same as `pick`, by numbers of its own for each name. */
  pickAside(name: string, count: number): number {
    const ofName = [...name].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % ASIDE, 7);
    return Math.min(
      count - 1,
      this.drawn(name, () => new Random(this.seed + ASIDE + ofName).below(count)),
    );
  }

  /** True with a probability; the dull choice is false. */
  chance(name: string, probability: number): boolean {
    if (this.script === undefined && probability === 0) return false;
    return this.drawn(name, (random) => (random.chance(probability) ? 1 : 0)) === 1;
  }
}
