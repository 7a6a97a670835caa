import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import type { Store } from '../../../../src/core/store-port.ts';
import { ProgressRecorder } from '../../../../src/stream/progress/recorder.ts';
import { SECOND } from './time.ts';
import type { World } from './world.ts';

/** How far a consumer's clock may be off, to either side, in milliseconds. */
const MOST_SKEW_MS = 2 * SECOND;

/**
 * The processes of the consumer, as far as they outlive an invocation: each keeps the claims that it has not written yet. One that dies
 * takes them with it, and so does one that is never invoked again.
 */
export class Consumers {
  private readonly idle: Consumer[] = [];
  private made = 0;

  constructor(private readonly world: World) {}

  /** The process of an invocation that begins. */
  take(store: Pick<Store, 'put'>): Consumer {
    const consumer = this.idle.pop() ?? new Consumer(this.world, `consumer${this.made++}`);
    consumer.store = store;
    return consumer;
  }

  /** Its invocation has ended in order. */
  release(consumer: Consumer): void {
    this.idle.push(consumer);
  }
}

/** One process of the consumer. */
export class Consumer {
  /** The table as the present invocation sees it. */
  store: Pick<Store, 'put'> | undefined;
  private readonly recorder: ProgressRecorder;

  constructor(world: World, id: string) {
    const { choices, agenda } = world;
    const skew = choices.chance(`${id}.skewed`, 0.2) ? choices.pick(`${id}.skew`, 2 * MOST_SKEW_MS) - MOST_SKEW_MS : 0;
    this.recorder = new ProgressRecorder({
      ...{ id, graph: world.graph, kind: 'lambda', now: () => agenda.now + skew },
      store: { put: (item) => this.store!.put(item) },
      onError: () => world.count('claims that could not be written'),
    });
  }

  /** Claims the applied records of an invocation, as the stream's function does: after applying them, before it answers. */
  async claim(records: readonly ChangeRecord[]): Promise<void> {
    this.recorder.noteApplied(records);
    await this.recorder.writeIfDue();
  }
}
