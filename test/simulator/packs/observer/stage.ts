import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import { SERVICE_PARTITION } from '../../../../src/core/items/keys.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { isBaseSortKey, isContinuationKey } from '../../../../src/core/plan/stream-filter.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { check } from '../../../../src/trust/check/check.ts';
import type { ObservedDrift } from '../../../../src/trust/observe/drift.ts';
import { Observer, type ObserverLimits } from '../../../../src/trust/observe/observer.ts';
import type { ObserverState } from '../../../../src/trust/observe/state.ts';
import { type ItemChange, MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { LABEL } from '../../../support/records.ts';
import { ScriptedStream } from '../../../support/scripted-stream.ts';
import { recordOf } from '../../kernel/shown-stream.ts';
import { keysOf, textOf } from '../../kernel/values.ts';
import { graphOf, type ModelOptions } from '../projecting/models.ts';
import { SECOND } from '../projecting/time.ts';
import { knownAs, touchedSince } from './promises.ts';
import { type WrongPart, wrongParts } from './wrong-parts.ts';

/** A promise that the observer has broken. */
export interface BrokenPromise {
  kind: 'unsound' | 'false-alarm' | 'unseen-drift' | 'stalled';
  message: string;
}

/** A schedule of the observer that is written down, and the planted bug that it finds. */
export interface WrittenSchedule {
  bug: string;
  /** The promise that is broken with the bug planted. */
  shows: BrokenPromise['kind'];
  /** Gives the promises that are broken. */
  play: () => Promise<readonly BrokenPromise[]>;
}

/** How a stage is set. */
export interface StageOptions {
  model: ModelOptions;
  /** The shard that has the records of an item, by its key as `source target`. Default: all items have the shard `S`. */
  shardOf?: (name: string) => string;
  limits?: Partial<ObserverLimits>;
  /** Children that a fan-out visits at a time. */
  fanOutPageSize?: number;
}

/** The second 0 of a schedule, in milliseconds since 1970. */
const START_MS = Date.parse('2026-01-02T00:00:00Z');
const [PAUSE_S, CALM_S] = [10, 40 * 60];
/** The time that is claimed at rest may be this old. */
const STALE_MS = 120 * SECOND;

/**
 * What a written schedule of the observer plays on: a table in memory, its stream, a projector that applies what it is told to, the real
 * observer with the limits of production, and one clock. All times are seconds of the schedule.
 */
export class Stage {
  readonly store: MemoryStore;
  /** By how many seconds the clock that stamps a shard's records is ahead. */
  readonly ahead: Record<string, number> = {};
  /** By how many seconds the observer's clock is ahead. */
  observerAhead = 0;
  /** For how many seconds the stream hides the records that are made now. */
  late = 0;
  /** Whether the observer knows the projector's low watermark. */
  knowsMark = true;
  /** The table's present stream. A schedule opens, closes, trims and throttles its shards. */
  stream: ScriptedStream;
  /** The promises that were broken so far. */
  readonly broken: BrokenPromise[] = [];
  /** The shard that gets the records of an item now, by its key as `source target`. */
  shardOf: (name: string) => string;

  private nowMs = START_MS - 300 * SECOND;
  private observer!: Observer;
  private saved: ObserverState | undefined;
  private readonly graph: CompiledModel;
  private readonly written = new Map<string, number>();
  private hidden: { shardId: string; shownMs: number; record: Parameters<ScriptedStream['appendRaw']>[1] }[] = [];
  private unapplied: (ChangeRecord & { stampMs: number })[] = [];
  private sequence = 10n ** 20n;

  constructor(private readonly options: StageOptions) {
    this.graph = graphOf(options.model);
    this.store = new MemoryStore(this.graph.table, { onChange: (change) => this.note(change) });
    this.stream = new ScriptedStream(this.store, LABEL);
    this.shardOf = options.shardOf ?? (() => 'S');
  }

  /** The second of the schedule. */
  get now(): number {
    return (this.nowMs - START_MS) / SECOND;
  }

  /** Moves the clock on; the stream shows what is due then. */
  until(second: number): void {
    this.nowMs = START_MS + second * SECOND;
    const isDue = ({ shownMs }: { shownMs: number }): boolean => shownMs <= this.nowMs;
    // A shard shows no record before an older one.
    const waiting = new Set<string>();
    this.hidden = this.hidden.filter((one) => {
      if (!isDue(one)) waiting.add(one.shardId);
      if (waiting.has(one.shardId)) return true;
      this.stream.appendRaw(one.shardId, one.record);
      return false;
    });
  }

  /** Puts an item with texts as attributes, or deletes it where none are given. */
  async write(source: string, target: string, attributes?: Readonly<Record<string, string>>): Promise<void> {
    if (attributes === undefined) return void (await this.store.delete({ source, target }));
    const texts = Object.entries(attributes).map(([name, value]) => [name, { S: value }]);
    await this.store.put({ source: { S: source }, target: { S: target }, ...Object.fromEntries(texts) });
  }

  /** An item as it is. */
  async read(source: string, target: string): Promise<Item> {
    const { item } = await this.store.get({ source, target }, { consistent: true });
    if (item === undefined) throw new Error(`there is no item ${source} ${target}`);
    return item;
  }

  /** Another stream takes the place of the table's, with one shard. */
  renewStream(shardId: string): void {
    this.hidden = [];
    this.stream = new ScriptedStream(this.store, '2026-01-02T00:00:00.000');
    this.stream.open(shardId);
  }

  /** The projector applies the records that it has not applied, of all items or the oldest ones of one, but none that it makes by that. */
  async project(name?: string, most = Number.POSITIVE_INFINITY): Promise<void> {
    const due = this.unapplied.filter((record) => name === undefined || keysOf(record) === name).slice(0, most);
    this.unapplied = this.unapplied.filter((record) => !due.includes(record));
    await this.apply(this.store, due);
  }

  /** The projector gives up the records that it has not applied. Only if no low watermark is known: that stops at them. */
  giveUp(): void {
    this.unapplied = [];
  }

  /** The projector applies all records, those of its fan-outs too. */
  async projectAll(): Promise<void> {
    while (this.unapplied.length > 0) await this.project();
  }

  /** An observer begins at second 0 of a table that is right: it has its base, and has verified it. */
  async begin(): Promise<void> {
    this.until(-120);
    this.startObserver();
    await this.turns(-120, -100);
    await this.checkWholeTable();
    await this.turns(-100, 0);
    this.save();
    if ((this.observer.verifiedThroughMs ?? 0) < START_MS - STALE_MS) throw new Error('the base is not verified');
  }

  /** The observer's process checks the whole table: that is the base of its proof. */
  async checkWholeTable(): Promise<void> {
    const left: ItemKey[] = [];
    const beganMs = this.observerNow();
    await check(this.graph, {
      ...{ store: this.store, mode: 'report', graceMs: 0, segments: 1, onlySegments: [0] },
      ...{ now: () => this.nowMs, wait: async () => undefined },
      onFinding: ({ source, target }) => void left.push({ source, target }),
    });
    await this.observer.endWholeCheck(beganMs, left);
  }

  /** The observer takes the result of another process's check that began at a second, and has found nothing. */
  async takeCleanCheck(began: number): Promise<void> {
    await this.observer.takeCleanCheck(START_MS + began * SECOND);
  }

  /** The observer's process makes a turn, and what it says then is judged. */
  async turn(): Promise<void> {
    try {
      await this.observer.runTurn();
    } catch (error) {
      // A call that failed: the next turn makes it again.
      if (!(error instanceof Error) || error.name !== 'StoreError') throw error;
    }
    this.judgeClaim();
  }

  /** Makes a turn each so many seconds, from one second to another. */
  async turns(from: number, to: number, pause = 1): Promise<void> {
    for (let second = from; second <= to; second += pause) {
      this.until(second);
      await this.turn();
    }
  }

  /** The state is saved, as the table keeps it. */
  save(): void {
    this.saved = JSON.parse(JSON.stringify(this.observer.stateToSave())) as ObserverState;
  }

  /** Another process goes on from the saved state. */
  startObserver(): void {
    const model = fixedModel(this.graph);
    const { limits } = this.options;
    this.observer = new Observer(
      {
        ...{ model, store: this.store, source: this.stream, table: this.graph.table },
        ...{ limits, now: () => this.observerNow() },
        lowWatermark: async () => (this.knowsMark ? this.lowWatermarkMs() : undefined),
        onDrift: (drift) => this.judgeAlarm(drift),
      },
      this.saved,
    );
  }

  /** Nothing but the observer is at work until it has nothing to wait for. Its last word is judged. */
  async rest(): Promise<readonly BrokenPromise[]> {
    await this.turns(this.now, this.now + CALM_S, PAUSE_S);
    const { drift, heldBy, verifiedThroughMs = 0 } = this.observer;
    const isKnown = knownAs(drift);
    for (const part of this.wrong()) {
      if (!isKnown(part)) this.fail('unseen-drift', `the observer does not list ${part.source} ${part.target}`);
    }
    if (verifiedThroughMs < this.nowMs - STALE_MS)
      this.fail('stalled', `${secondOf(verifiedThroughMs)} although all is calm, held by ${heldBy}`);
    return this.broken;
  }

  private observerNow(): number {
    return this.nowMs + this.observerAhead * SECOND;
  }

  /** The projector has applied every record that is stamped before this time. */
  private lowWatermarkMs(): number {
    return Math.min(this.nowMs, ...this.unapplied.map(({ stampMs }) => stampMs));
  }

  private nextNumber(): string {
    this.sequence += 1n;
    return String(this.sequence);
  }

  private note(change: ItemChange): void {
    const { key, oldImage, newImage } = change;
    const name = keysOf(key);
    const shardId = this.shardOf(name);
    this.written.set(name, this.nowMs);
    const sequenceNumber = this.nextNumber();
    const seconds = Math.floor(this.nowMs / SECOND + (this.ahead[shardId] ?? 0));
    this.hidden.push({
      shardId,
      shownMs: this.nowMs + this.late * SECOND,
      record: recordOf({ key, before: oldImage, after: newImage }, sequenceNumber, seconds),
    });
    this.until(this.now);
    if (isForProjector(key))
      this.unapplied.push({ ...changeRecordOf(change, sequenceNumber), stampMs: seconds * SECOND });
  }

  private async apply(store: MemoryStore, records: readonly ChangeRecord[]): Promise<void> {
    const { fanOutPageSize } = this.options;
    const projector = createProjector(this.graph, {
      ...{ store, model: fixedModel(this.graph), fanOutPageSize, now: () => this.nowMs },
    });
    const { error } = await projector.project(records);
    if (error !== undefined) throw error;
  }

  private wrong(store = this.store): WrongPart[] {
    const items = [...store.items()].filter((item) => textOf(item['source']) !== SERVICE_PARTITION);
    return wrongParts(this.options.model, items);
  }

  /** What is wrong and not listed was touched since the time that is claimed. */
  private judgeClaim(): void {
    const { drift, verifiedThroughMs } = this.observer;
    if (verifiedThroughMs === undefined) return;
    const isKnown = knownAs(drift);
    for (const part of this.wrong()) {
      if (isKnown(part) || touchedSince(this.written, part, verifiedThroughMs)) continue;
      const name = `${part.source} ${part.target}`;
      this.fail('unsound', `${name} is wrong and untouched since ${secondOf(verifiedThroughMs)}, which is claimed`);
    }
  }

  /** What is certain drift stays wrong when the projector has applied everything. */
  private async judgeAlarm({ suspect: { source, sortKey }, isCertain }: ObservedDrift): Promise<void> {
    if (!isCertain) return;
    const toCome: ChangeRecord[] = [];
    const end = new MemoryStore(this.graph.table, {
      onChange: (change) => {
        if (isForProjector(change.key)) toCome.push(changeRecordOf(change, this.nextNumber()));
      },
    });
    for (const item of this.store.items()) await end.put(item);
    toCome.splice(0, toCome.length, ...this.unapplied);
    while (toCome.length > 0) await this.apply(end, toCome.splice(0));
    const staysWrong = this.wrong(end).some((part) => part.source === source && part.target === sortKey);
    if (!staysWrong) this.fail('false-alarm', `${source} ${sortKey} is told as drift, and becomes right`);
  }

  private fail(kind: BrokenPromise['kind'], message: string): void {
    this.broken.push({ kind, message: `second ${this.now}: ${message}` });
  }
}

/** The projector gets the records of base items and of continuations. */
function isForProjector({ target }: ItemKey): boolean {
  return isBaseSortKey(target) || isContinuationKey(target);
}

function changeRecordOf({ key, oldImage, newImage }: ItemChange, sequenceNumber: string): ChangeRecord {
  const images = { ...(oldImage && { oldImage }), ...(newImage && { newImage }) };
  return { ...key, ...images, stream: LABEL, sequenceNumber };
}

function secondOf(milliseconds: number): string {
  return `second ${(milliseconds - START_MS) / SECOND}`;
}
