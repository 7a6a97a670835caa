import { StoreError } from '../../../src/index.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/** How the calls of a process fare: each number but the longest ones is a probability. */
export interface Weather {
  /** A call stands still, before it arrives or before its answer does. */
  stall: number;
  longestStallMs: number;
  /** A call is refused, its answer is lost, or it is refused and lands late all the same. */
  fault: number;
  /** The process is gone with the call, before it arrives or after it. */
  crash: number;
}

/** Nothing goes wrong. */
export const CALM: Weather = { stall: 0, longestStallMs: 0, fault: 0, crash: 0 };

/** Milliseconds after which a write that was refused may land all the same, at most. */
export const LATEST_LANDING_MS = 20 * 60_000;

/** One process: every call that it makes takes time, may stand still, fail, land late, or be its last. */
export class Process {
  calls = 0;
  private crashesIn = Number.POSITIVE_INFINITY;
  private crash: () => void = () => undefined;
  /** Resolves when the process has crashed. */
  readonly crashed = new Promise<void>((resolve) => {
    this.crash = resolve;
  });
  isDead = false;
  /** Milliseconds that a call takes at most. Default: a few, now and then some hundreds. */
  private slowness: number | undefined;
  /** Its table is another one by now: what is still on its way changes nothing here. */
  private isElsewhere = false;

  constructor(
    /** The time of the world. */
    readonly timeline: Timeline,
    readonly random: Random,
    private readonly weather: () => Weather,
    private readonly onFault: () => void = () => undefined,
    /** Says what it is: who has written an item last. */
    readonly name = '',
  ) {}

  /** Crashes between two of its next calls. */
  crashWithin(calls: number): this {
    this.crashesIn = 1 + this.random.below(calls);
    return this;
  }

  /** From now on a call takes so many milliseconds at most. */
  slowDown(milliseconds: number): this {
    this.slowness = milliseconds;
    return this;
  }

  /** Carries out a call at a moment between its sending and its answer. `isWrite`: it may land late. */
  async call<T>(effect: () => T | Promise<T>, isWrite = false): Promise<T> {
    const { random } = this;
    this.calls += 1;
    const isLast = --this.crashesIn <= 0 || random.chance(this.weather().crash);
    // Dead before the call arrives, or before the answer does.
    if (isLast && random.chance(0.5)) return await this.die();
    await this.delay();
    if (this.isDead) return await new Promise<never>(() => undefined);
    if (random.chance(this.weather().fault)) {
      if (isWrite && random.chance(0.4)) void this.landLate(effect);
      throw this.throttled();
    }
    const answer = await effect();
    if (isLast) return await this.die();
    // Often the answer is there at once; the way to the table takes the time then.
    if (random.chance(0.4)) await this.delay();
    if (random.chance(this.weather().fault)) throw this.throttled();
    return answer;
  }

  /** The clock of its reads. */
  get clock(): Timeline {
    return this.timeline;
  }

  /** Waits between two items that are read at moments of their own. */
  pause(): Promise<void> {
    return this.timeline.sleep(this.random.below(40));
  }

  /** Ends it from outside, and what it has on its way. */
  end(): void {
    this.isElsewhere = true;
    this.isDead = true;
    this.crash();
  }

  /** The machine is gone: no call of the process arrives any more. */
  async die(): Promise<never> {
    this.isDead = true;
    this.crash();
    return await new Promise<never>(() => undefined);
  }

  /** A write that its process takes for refused lands all the same. */
  private async landLate<T>(effect: () => T | Promise<T>): Promise<void> {
    await this.timeline.sleep(this.random.below(LATEST_LANDING_MS));
    if (!this.isElsewhere) await effect();
  }

  private async delay(): Promise<void> {
    const { stall, longestStallMs } = this.weather();
    const { random } = this;
    const usual = this.slowness ?? (random.chance(0.1) ? 400 : 15);
    await this.timeline.sleep(
      stall > 0 && random.chance(stall) ? random.below(longestStallMs) : 1 + random.below(usual),
    );
  }

  private throttled(): StoreError {
    this.onFault();
    return new StoreError('retryable', 'ThrottlingException', 'The table is asked for too much.');
  }
}
