import type { ChangeRecord } from '../../../src/items/change-record.ts';
import { redriveRecords } from '../../../src/repair/redrive-records.ts';
import type { EvolvingWorld } from './world.ts';

const BATCH = 4;
const BUDGET = 60_000;
const RETRY = 2_000;
/** Tries after which the mapping may give up on a batch. */
const PATIENCE = 3;
/** Milliseconds until the next redrive at most, at first and for ever: what waits for code may have to wait for an hour. */
const REDRIVE_WAIT = 30_000;
const LONGEST_REDRIVE_WAIT = 20 * 60_000;
/** Latest repetition of a batch that was applied: it may come again in another phase of the schedule. */
const LATEST_REPEAT = 30 * 60_000;

/** A row of records, delivered in order to consumers of any model; a batch may be given up, and is redriven then. */
export class EvolvingLane {
  private records: ChangeRecord[] = [];
  private position = 0;
  private isBusy = false;
  private tries = 0;
  /** Batches that were given up and are not redriven yet. */
  private open = 0;
  /** Of another stream than an answer that is still to come. */
  private stream = 0;

  constructor(private readonly world: EvolvingWorld) {}

  /** Whether all records were answered for. */
  get isRead(): boolean {
    return !this.isBusy && this.position === this.records.length && this.open === 0;
  }

  /** The stream is another one from now on: what was in this one is lost. */
  restart(): void {
    this.stream += 1;
    this.records = [];
    this.position = 0;
    this.tries = 0;
    this.open = 0;
    this.isBusy = false;
  }

  /** Enters something to happen, if the stream is still the same then. */
  private later(milliseconds: number, happening: () => void): void {
    const { stream } = this;
    this.world.agenda.in(milliseconds, () => {
      if (this.stream !== stream) return false;
      happening();
      return true;
    });
  }

  add(record: ChangeRecord): void {
    this.records.push(record);
    this.wake(this.world.random.below(this.world.random.chance(0.1) ? 120_000 : 2_000));
  }

  private wake(delay: number): void {
    if (this.isBusy || this.position === this.records.length) return;
    this.isBusy = true;
    this.later(delay, () => this.deliver());
  }

  private deliver(): void {
    const { world } = this;
    const { random } = world;
    const { stream } = this;
    const batch = this.records.slice(this.position, this.position + 1 + random.below(BATCH));
    let isAnswered = false;
    const answer = (applied: number): void => {
      if (isAnswered || this.stream !== stream) return;
      isAnswered = true;
      this.answered(batch, applied);
    };
    this.invoke(batch)
      .then(answer)
      .catch((error: unknown) => world.fail('threw', `a projector threw ${String(error)}`));
    // The mapping waits no longer: what still runs is a zombie.
    this.later(BUDGET + RETRY, () => {
      if (!isAnswered) world.count('zombies');
      answer(0);
    });
  }

  private async invoke(batch: readonly ChangeRecord[]): Promise<number> {
    const { world } = this;
    const { agenda } = world;
    const deadline = agenda.now + BUDGET;
    const remainingMs = (): number => deadline - agenda.now;
    const result = await world.consumers.project(world.consumerModel(), batch, remainingMs);
    if (result.error?.code === 'projection-code-missing') world.count('batches that wait for code');
    if (result.failedFrom === undefined) return batch.length;
    return batch.findIndex(({ position }) => position >= result.failedFrom!.position);
  }

  private answered(batch: readonly ChangeRecord[], applied: number): void {
    const { world } = this;
    const { random } = world;
    this.isBusy = false;
    this.position += applied;
    if (applied > 0 && random.chance(world.repeats)) {
      world.count('batches that come again');
      this.later(random.below(random.chance(0.3) ? LATEST_REPEAT : 300_000), () => {
        this.invoke(batch).catch((error: unknown) => world.fail('threw', `a projector threw ${String(error)}`));
      });
    }
    if (applied === batch.length) {
      this.tries = 0;
      this.wake(random.below(2_000));
      return;
    }
    this.tries += 1;
    if (this.tries >= PATIENCE && random.chance(0.5)) {
      world.count('batches given up');
      this.tries = 0;
      this.position += batch.length - applied;
      this.open += 1;
      this.redrive(batch.slice(applied));
    }
    this.wake(RETRY);
  }

  /** Redrives a batch that was given up, again and again until all of it is settled; each time it waits longer, unless all is calm. */
  private redrive(batch: readonly ChangeRecord[], tries = 0): void {
    const { world, stream } = this;
    const longest = Math.min(REDRIVE_WAIT * 2 ** (world.isCalm ? 0 : tries), LONGEST_REDRIVE_WAIT);
    this.later(RETRY + world.random.below(longest), () => {
      const process = world.process();
      let isOver = false;
      const over = (isSettled: boolean): void => {
        if (isOver || this.stream !== stream) return;
        isOver = true;
        if (isSettled) this.open -= 1;
        else this.redrive(batch, tries + 1);
      };
      const deadline = world.agenda.now + BUDGET;
      redriveRecords(batch, {
        ...{ graph: world.consumerModel(), store: process.store, wait: process.wait },
        now: () => world.agenda.now,
        random: () => world.random.next(),
        remainingMs: () => deadline - world.agenda.now,
      })
        .then(({ left }) => over(left === 0))
        .catch(() => over(false));
      this.later(BUDGET, () => over(false));
    });
  }
}
