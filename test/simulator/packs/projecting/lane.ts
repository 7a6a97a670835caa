import { type Answer, Invocation } from './invocation.ts';
import type { MappingSettings } from './mapping.ts';
import type { ShardRecord } from './streams.ts';
import { HOUR, RETENTION } from './time.ts';
import type { World } from './world.ts';

/** What a lane is for. */
export interface LaneRole {
  /** Called when everything there is has been read. */
  onRead: () => void;
  /** Whether records may be given up, as the settings say. */
  givesUp: boolean;
}

/** A row of records that are delivered in order, batch after batch: a shard, or with parallelization a part of one. */
export class Lane {
  /** The parent shard is not read to its end. */
  isBlocked = false;
  private readonly records: ShardRecord[] = [];
  private checkpoint = 0;
  private isBusy = false;
  private failedTries = 0;
  /** Where the next batch has to end: half of the one that failed. */
  private cut: number | undefined;
  private batches = 0;
  private isLate = false;

  constructor(
    private readonly world: World,
    private readonly settings: MappingSettings,
    private readonly id: string,
    private readonly role: LaneRole,
  ) {}

  /** Whether all records are answered for. */
  get isRead(): boolean {
    return !this.isBusy && this.checkpoint === this.records.length;
  }

  /** When the oldest record was made that is not answered for. */
  get waitingSinceMs(): number | undefined {
    return this.records[this.checkpoint]?.atMs;
  }

  /** The records that are answered for, in order. */
  get delivered(): readonly ShardRecord[] {
    return this.records.slice(0, this.checkpoint);
  }

  add(record: ShardRecord): void {
    this.records.push(record);
    this.wake();
  }

  unblock(): void {
    this.isBlocked = false;
    if (this.isRead) this.role.onRead();
    else this.wake();
  }

  private wake(): void {
    if (this.isBusy || this.isBlocked || this.checkpoint === this.records.length) return;
    this.isBusy = true;
    const name = `${this.id}#${++this.batches}`;
    this.world.agenda.in(1 + this.delay(name), () => {
      this.deliver(name);
      return true;
    });
  }

  private delay(name: string): number {
    const { choices, climate, agenda } = this.world;
    // Each of the lanes that a record goes through may be late, and a stream keeps it only so long.
    const isOld = agenda.now - (this.records[this.checkpoint]?.atMs ?? agenda.now) > RETENTION / 2;
    const isLate = !this.isLate && !isOld && choices.chance(`${name}.late`, climate.lag);
    if (isLate) this.isLate = true;
    return choices.drawn(`${name}.delay`, (random) => random.below(isLate ? 8 * HOUR : climate.tempo.poll));
  }

  private deliver(name: string): void {
    const { choices } = this.world;
    const end = Math.min(this.cut ?? this.records.length, this.checkpoint + this.settings.batchSize);
    const available = end - this.checkpoint;
    const count = available - choices.pick(`${name}.fewer`, available);
    const batch = this.records.slice(this.checkpoint, this.checkpoint + count);
    new Invocation(this.world, name, batch, false, (answer) => this.answered(name, batch, answer)).start();
  }

  private answered(name: string, batch: readonly ShardRecord[], answer: Answer): void {
    const { world } = this;
    this.isBusy = false;
    // rule: reader-applies-before-it-notes
    const done = answer.kind === 'done' ? answer.count : 0;
    this.checkpoint += done;
    if (done === batch.length) {
      this.failedTries = 0;
      this.cut = undefined;
    } else {
      this.failed(batch, done);
    }
    if (world.choices.chance(`${name}.again`, world.climate.duplicate)) world.mapping.repeat(`${name}.again`, batch);
    if (world.choices.chance(`${name}.rewind`, world.climate.rewind)) this.rewind(name);
    if (this.isRead) this.role.onRead();
    else this.wake();
  }

  private failed(batch: readonly ShardRecord[], done: number): void {
    const { bisects, maximumRetries, maximumAgeHours } = this.settings;
    const left = batch.length - done;
    if (bisects && left > 1) {
      // A split does not count as a retry.
      this.cut = this.checkpoint + Math.ceil(left / 2);
      return;
    }
    this.cut = undefined;
    this.failedTries += 1;
    const ageMs = this.world.agenda.now - batch[done]!.atMs;
    const isOver =
      (maximumRetries > 0 && this.failedTries > maximumRetries) ||
      (maximumAgeHours > 0 && ageMs > maximumAgeHours * HOUR);
    if (!isOver || !this.role.givesUp) return;
    this.checkpoint += left;
    this.failedTries = 0;
    this.world.mapping.giveUp(batch.slice(done));
  }

  /** The reader has lost its checkpoint: it delivers from an older record on again, in order. */
  private rewind(name: string): void {
    const { choices, agenda } = this.world;
    const back = choices.pick(`${name}.rewind.by`, this.checkpoint + 1);
    const checkpoint = this.checkpoint - back;
    const first = this.records[checkpoint];
    if (first === undefined || back === 0 || agenda.now - first.atMs > RETENTION / 2) return;
    this.world.count('readers that start over');
    this.world.tell(() => `${this.id} starts over from record ${first.change.sequenceNumber}`);
    this.checkpoint = checkpoint;
    this.cut = undefined;
  }
}
