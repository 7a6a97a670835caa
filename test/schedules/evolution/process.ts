import { StoreError } from '../../../src/index.ts';
import type { Random } from '../../simulator/random.ts';
import type { Timeline } from './timeline.ts';

/** How calls fare in a schedule. */
export interface Weather {
  /** Chance that a call stands still, and for how long at most. */
  stall: number;
  longestStallMs: number;
  /** Chance that a call is refused, or that its answer is lost. */
  fault: number;
}

/** One process: every call that it makes takes time, may stand still, fail, or be its last. */
export class Process {
  calls = 0;
  private crashesIn = Number.POSITIVE_INFINITY;
  private crash: () => void = () => undefined;
  /** Resolves when the process has crashed. */
  readonly crashed = new Promise<void>((resolve) => {
    this.crash = resolve;
  });
  isDead = false;

  constructor(
    readonly timeline: Timeline,
    readonly random: Random,
    private readonly weather: Weather,
  ) {}

  /** Crashes between two of its next calls. */
  crashWithin(calls: number): this {
    this.crashesIn = 1 + this.random.below(calls);
    return this;
  }

  /** Carries out a call at a moment between its sending and its answer. */
  async call<T>(effect: () => T | Promise<T>): Promise<T> {
    this.calls += 1;
    const isLast = --this.crashesIn <= 0;
    // Dead before the call arrives, or before the answer does.
    if (isLast && this.random.chance(0.5)) return await this.die();
    await this.delay();
    if (this.isDead) return await new Promise<never>(() => undefined);
    if (this.random.chance(this.weather.fault)) throw throttled();
    const answer = await effect();
    if (isLast) return await this.die();
    await this.delay();
    if (this.random.chance(this.weather.fault)) throw throttled();
    return answer;
  }

  /** Ends it from outside. */
  end(): void {
    this.isDead = true;
    this.crash();
  }

  /** The machine is gone: no call of the process arrives any more. */
  async die(): Promise<never> {
    this.isDead = true;
    this.crash();
    return await new Promise<never>(() => undefined);
  }

  private async delay(): Promise<void> {
    const { stall, longestStallMs } = this.weather;
    if (this.random.chance(stall)) await this.timeline.sleep(this.random.below(longestStallMs));
    else await this.timeline.sleep(1 + this.random.below(this.random.chance(0.1) ? 400 : 15));
  }
}

function throttled(): StoreError {
  return new StoreError('retryable', 'ThrottlingException', 'The table is asked for too much.');
}
