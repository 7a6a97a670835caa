import { echoDelay } from './climate.ts';
import { FaultyStore } from './faulty-store.ts';
import { SimulatedProcess } from './process.ts';
import { HOUR } from './time.ts';
import type { World } from './world.ts';

/** What an operator runs; gives what came of it, for the trace. */
export type Work = (operation: Operation, store: FaultyStore) => Promise<string>;

/**
 * A process that an operator starts beside the projector, from its start to its end, its crash or its timeout. It gives
 * up at the first call that fails: what it leaves waits for the next one.
 */
export class Operation extends SimulatedProcess {
  readonly failureKind = 'fatal';
  /** The number of the call before which the process stands still; 0: none. */
  private readonly stalledCall: number;

  constructor(
    world: World,
    name: string,
    private readonly work: Work,
  ) {
    super(world, name);
    const { choices, climate } = world;
    const isStalled = choices.chance(`${name}.stalled`, climate.stalledTwin);
    this.stalledCall = isStalled ? 1 + choices.pick(`${name}.stalled.call`, MOST_STALLED_CALL) : 0;
  }

  /** Starts the work. */
  start(): void {
    const { world } = this;
    world.tell(() => `${this.name} starts`);
    world.agenda.in(HOUR, () => {
      if (!this.isDead) this.die('is stopped at its timeout');
      return false;
    });
    world.agenda.in(0, () => {
      this.work(this, new FaultyStore(this))
        .then((outcome) => this.finish(outcome))
        .catch((error: unknown) => this.finish(String(error)));
      return true;
    });
  }

  override nextCall(): { name: string; stall: number } {
    const call = super.nextCall();
    if (this.calls !== this.stalledCall) return call;
    const { choices, climate } = this.world;
    return { ...call, stall: choices.drawn(`${call.name}.stall`, (random) => echoDelay(climate, random)) };
  }

  private finish(how: string): void {
    if (!this.isDead) this.die(`ends: ${how}`);
  }
}

/** The first calls find what there is to do; ten more do the first of it. */
const MOST_STALLED_CALL = 12;
