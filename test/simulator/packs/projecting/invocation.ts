import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import type { BatchResult } from '../../../../src/projecting/apply/projector-types.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { echoDelay } from './climate.ts';
import type { Consumer } from './consumers.ts';
import { FaultyStore } from './faulty-store.ts';
import { hasCopies } from './models.ts';
import { SimulatedProcess } from './process.ts';
import type { ShardRecord } from './streams.ts';
import { HOUR, LONGEST_TIMEOUT, RETENTION } from './time.ts';
import type { World } from './world.ts';

/** What the event source mapping learns of an invocation: how many records are done, or only that it failed. */
export type Answer = { kind: 'done'; count: number } | { kind: 'failed' };

/** The calls before which a process stands still; most often before the write that follows on two looks at the table. */
const STALLED_CALLS = [1, 2, 3, 3, 3, 4, 5] as const;
/** The same where edges copy or are joined: reverse items, parents and source nodes make some calls more. */
const STALLED_COPY_CALLS = [1, 2, 3, 4, 4, 4, 5, 6, 7, 7, 8] as const;

/** One run of the projector over one batch, from its start to its answer, its crash or its timeout. */
export class Invocation extends SimulatedProcess {
  readonly failureKind = 'retryable';
  private isAwaited = true;
  /** The number of the call before which the process stands still; 0: none. */
  private stalledCall = 0;
  private consumer: Consumer | undefined;

  constructor(
    world: World,
    name: string,
    private readonly records: readonly ShardRecord[],
    /** Its records were delivered before. */
    private readonly isDuplicate: boolean,
    private readonly onAnswer: (answer: Answer) => void,
  ) {
    super(world, name);
  }

  /** Starts the projector. */
  start(): void {
    const { world, name, records } = this;
    const { agenda, choices, climate } = world;
    if (agenda.now - records[0]!.atMs > RETENTION + HOUR) {
      world.fail('endless', `${name} has records that should have been done with long ago`);
      return;
    }
    world.count('invocations');
    world.tell(() => `${name} starts with the records ${records.map((r) => r.change.sequenceNumber).join(' ')}`);
    // Without a script it is the climate's; what a script does not name lasts longest.
    const shorter = choices.drawn(`${name}.timeout.shorter`, () => LONGEST_TIMEOUT - climate.tempo.timeout);
    const timeout = LONGEST_TIMEOUT - shorter;
    const budgetEnd = agenda.now + 0.9 * timeout;
    agenda.in(timeout, () => {
      if (!this.isDead) this.die('is stopped at its timeout');
      return false;
    });
    const isAbandoned = choices.chance(`${name}.abandoned`, climate.abandoned);
    if (isAbandoned) this.abandonLater();
    const isTwin = isAbandoned || this.isDuplicate;
    if (choices.chance(`${name}.stalled`, isTwin ? climate.stalledTwin : climate.stalled)) {
      this.stalledCall = choices.drawn(`${name}.stalled.call`, (random) =>
        random.oneOf(hasCopies(world.options) || world.options.joined !== 'none' ? STALLED_COPY_CALLS : STALLED_CALLS),
      );
    }
    const skew = this.skew();
    const store = new FaultyStore(this);
    this.consumer = world.consumers?.take(store);
    const projector = createProjector(world.graph, {
      model: fixedModel(world.graph),
      store,
      concurrency: [32, 1, 2][choices.pick(`${name}.concurrency`, 3)],
      fanOutPageSize: 1 + choices.pick(`${name}.page`, 2),
      now: () => agenda.now + skew,
      wait: (milliseconds) => this.wait(milliseconds),
      random: () => 0.5,
    });
    const changes = records.map(({ change }) => change);
    projector
      .project(changes, { remainingMs: () => budgetEnd - agenda.now })
      .then((result) => this.finish(result))
      .catch((error: unknown) => world.fail('threw', String(error)));
  }

  override nextCall(): { name: string; stall: number } {
    const call = super.nextCall();
    if (this.calls !== this.stalledCall) return call;
    const { choices, climate } = this.world;
    this.world.count('stalls');
    return { ...call, stall: choices.drawn(`${call.name}.stall`, (random) => echoDelay(climate, random)) };
  }

  override die(how: string): void {
    super.die(how);
    this.answer({ kind: 'failed' });
  }

  private async finish(result: BatchResult): Promise<void> {
    if (this.isDead) return;
    const { world, records, consumer } = this;
    const { failedFrom } = result;
    const count = failedFrom === undefined ? records.length : records.findIndex(({ change }) => change === failedFrom);
    const applied = records.slice(0, count);
    world.claims.claim(applied);
    if (consumer !== undefined) {
      await consumer.claim(applied.map(({ change }) => change));
      if (this.isDead) return;
      world.consumers?.release(consumer);
    }
    this.isDead = true;
    for (const what of ['touches', 'writes', 'conflicts', 'quarantined'] as const) {
      world.count(what, result[what]);
    }
    world.tell(() => `${this.name} answers: ${count} of ${records.length} records are done`);
    this.answer({ kind: 'done', count });
  }

  private answer(answer: Answer): void {
    if (!this.isAwaited) return;
    this.isAwaited = false;
    this.onAnswer(answer);
  }

  /** The mapping loses sight of the invocation and starts over, while it runs on. */
  private abandonLater(): void {
    const { agenda, choices, climate } = this.world;
    const delay = choices.drawn(`${this.name}.abandoned.after`, (random) => echoDelay(climate, random));
    agenda.in(delay, () => {
      if (!this.isAwaited || this.isDead) return false;
      this.world.count('abandoned invocations');
      this.world.tell(() => `${this.name} is given up while it runs on`);
      this.answer({ kind: 'failed' });
      return false;
    });
  }

  private skew(): number {
    const { choices, climate } = this.world;
    if (!choices.chance(`${this.name}.skewed`, climate.skewed)) return 0;
    return (choices.pick(`${this.name}.skew`, 20) - 10) * HOUR;
  }
}
