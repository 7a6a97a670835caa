import type { Random } from '../../kernel/random.ts';

/** A process of the schedule: a consumer's invocation, a repair, a producer. */
export interface Actor {
  name: string;
  /** False after its crash: then no answer reaches it any more. */
  alive: boolean;
  /** Whether it is left behind: its successor runs, and it goes on at its own pace. */
  slow: boolean;
}

interface Step {
  actor: Actor;
  dueMs: number;
  /** Runs what waits here; a crashed actor's step may still be a call that arrives late. */
  go: () => void;
  /** Whether the step is a call that is not at the table yet. */
  isCall: boolean;
}

/** Virtual time and everything that waits in it. Whoever drives decides which step comes next. */
export class Stage {
  nowMs = Date.UTC(2026, 0, 2);
  /** Nothing waits: calls go through at once, waits only move the clock. */
  calm = false;
  private steps: Step[] = [];

  constructor(private readonly dice: Random) {}

  /** Resolves when the driver lets the step through; never for what the crash of its actor has taken away. */
  async gate(actor: Actor, isCall: boolean): Promise<void> {
    if (this.calm) return;
    await new Promise<void>((resolve) => this.steps.push({ actor, dueMs: 0, go: resolve, isCall }));
  }

  /** Waits in virtual time. */
  async wait(actor: Actor, ms: number): Promise<void> {
    if (this.calm) {
      this.nowMs += ms;
      return;
    }
    const dueMs = this.nowMs + ms;
    await new Promise<void>((resolve) => this.steps.push({ actor, dueMs, go: resolve, isCall: false }));
  }

  get isIdle(): boolean {
    return this.steps.length === 0;
  }

  /** Lets one step through; false where none waits. */
  step(): boolean {
    if (this.steps.length === 0) return false;
    let ready = this.steps.filter(({ dueMs }) => dueMs <= this.nowMs);
    if (ready.length === 0) {
      this.nowMs = Math.min(...this.steps.map(({ dueMs }) => dueMs));
      ready = this.steps.filter(({ dueMs }) => dueMs <= this.nowMs);
    }
    const brisk = ready.filter(({ actor }) => actor.alive && !actor.slow);
    const from = brisk.length > 0 && this.dice.chance(0.9) ? brisk : ready;
    const step = this.dice.pick(from);
    this.steps.splice(this.steps.indexOf(step), 1);
    this.nowMs += this.dice.below(60);
    step.go();
    return true;
  }

  /** Ends an actor. Calls that it has sent may arrive later; whatever else it waits for is gone. */
  crash(actor: Actor, arriveLate: number): void {
    actor.alive = false;
    this.steps = this.steps.filter((step) => step.actor !== actor || (step.isCall && this.dice.chance(arriveLate)));
  }
}

/** Lets everything run that waits for no step. */
export async function drain(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** A promise that nothing resolves: the answer to a crashed process. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
