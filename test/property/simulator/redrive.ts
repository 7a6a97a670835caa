import { redrive } from '../../../src/repair/redrive.ts';
import { echoDelay } from './climate.ts';
import { FaultyStore } from './faulty-store.ts';
import type { SimulatedProcess } from './process.ts';
import { LONGEST_TIMEOUT } from './time.ts';
import type { World } from './world.ts';

/**
 * An operator's redrive, from its start to its end, its crash or its timeout. It gives up at the first call that fails,
 * since its tries again would wait by the machine's clock; entries that are left wait for the next one.
 */
export class Redrive implements SimulatedProcess {
  readonly failureKind = 'fatal';
  isDead = false;
  private calls = 0;
  /** The number of the call before which the process stands still; 0: none. */
  private readonly stalledCall: number;

  constructor(
    readonly world: World,
    readonly name: string,
  ) {
    const { choices, climate } = world;
    const isStalled = choices.chance(`${name}.stalled`, climate.stalledTwin);
    this.stalledCall = isStalled ? 1 + choices.pick(`${name}.stalled.call`, MOST_STALLED_CALL) : 0;
  }

  /** Starts the redrive. */
  start(): void {
    const { world } = this;
    world.count('redrives');
    world.tell(() => `${this.name} starts`);
    world.agenda.in(LONGEST_TIMEOUT, () => {
      if (!this.isDead) this.die('is stopped at its timeout');
      return false;
    });
    redrive({ graph: world.graph, store: new FaultyStore(this), now: () => world.agenda.now })
      .then(({ entries, repaired }) => this.finish(`${repaired} of ${entries} entries are settled`))
      .catch((error: unknown) => this.finish(String(error)));
  }

  nextCall(): { name: string; stall: number } {
    this.calls += 1;
    const name = `${this.name}.call${this.calls}`;
    if (this.calls !== this.stalledCall) return { name, stall: 0 };
    const { choices, climate } = this.world;
    return { name, stall: choices.drawn(`${name}.stall`, (random) => echoDelay(climate, random)) };
  }

  die(how: string): void {
    this.isDead = true;
    this.world.tell(() => `${this.name} ${how}`);
  }

  private finish(how: string): void {
    if (!this.isDead) this.die(`ends: ${how}`);
  }
}

/** An entry takes about ten calls; the first is the query for the entries. */
const MOST_STALLED_CALL = 10;
