import type { Item } from '../../../../src/core/items/attribute-value.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import type { Projector } from '../../../../src/projecting/apply/projector-types.ts';
import { decodeRecords, type RawRecord } from '../../../../src/stream/decode.ts';
import type { Choices } from '../../kernel/choices.ts';
import { playAll, type SeedFailure } from '../../kernel/pack.ts';
import type { TableChange } from '../../kernel/shown-stream.ts';
import { type Outcome, scriptedPack } from '../../kernel/shrink.ts';
import { numberOf } from '../../kernel/values.ts';
import { type Climate, drawClimate, OLDEST_RECORD_MS } from './climate.ts';
import { DIRECTED } from './directed.ts';
import { judged } from './judge.ts';
import { drawFeatures, type Features, type Focus, graphOf } from './models.ts';
import { Cast } from './producers.ts';
import { Stage } from './stage.ts';
import { Worker, WorkerStore, type World } from './store.ts';
import { LevelTable } from './table.ts';

/** The pack of consumers of which the rules alone are known, not the code. See README.md. */
export const PACK = {
  ...scriptedPack((choices, trace) => new Schedule(choices, trace).run()),
  written: () => playAll(DIRECTED),
};

const STREAM_ARN = 'arn:aws:dynamodb:eu-west-1:000000000000:table/records/stream/2026-01-01T00:00:00.000';
const FOCUSES: readonly Focus[] = ['anything', 'copies', 'joined', 'keys'];
const MOST_STEPS = 30_000;
const PATIENCE_MS = 30 * 60_000;
const MOST_REPLAYS = 4;
const MOST_LOOKS = 4;
/** Only every so manieth schedule is of totals and copies. */
const LEDGER_EVERY = 4;

/** A stream shard: the records of its items in their order. */
interface Lane {
  name: string;
  records: { raw: RawRecord; isDerived: boolean }[];
  done: number;
  worker?: Worker;
  projector?: Projector;
  /** The batch that is waited for. */
  running?: object;
}

/** One schedule: a model, changes of base items, and consumers that project their records with everything that may befall them. */
class Schedule implements World {
  readonly stage = new Stage();
  readonly climate: Climate;
  readonly table: LevelTable;
  private readonly features: Features;
  private readonly cast: Cast;
  private readonly lanes: Lane[];
  private readonly laneOf = new Map<string, Lane>();
  private readonly counters: Record<string, number> = {};
  private readonly failures: SeedFailure[] = [];
  private readonly isPaged: boolean;
  private readonly noFilter: boolean;
  private readonly keysOnly: boolean;
  private records = 0;
  private workers = 0;
  private batches = 0;
  private replays = 0;
  private expiries = 0;
  private looks = 0;
  private steps = 0;
  private unfinished = new Set<Worker>();
  private changesLeft: number;
  private readonly givenUp = new Map<string, number>();

  constructor(
    readonly choices: Choices,
    private readonly say: (line: string) => void = () => undefined,
  ) {
    const focus =
      FOCUSES[choices.drawn('focus', (random) => (random.chance(0.15) ? random.between(1, 3) : 0))] ?? 'anything';
    this.climate = drawClimate(choices, focus);
    const isLedger = choices.drawn('ledger', (random) => (random.below(LEDGER_EVERY) === 0 ? 1 : 0)) === 1;
    this.features = drawFeatures(choices, isLedger, focus);
    this.count(isLedger ? 'ledger' : 'core');
    this.cast = new Cast(this.features, focus);
    this.lanes = Array.from({ length: 1 + choices.pick('lanes', 3) }, (_, n) => ({
      name: `l${n}`,
      records: [],
      done: 0,
    }));
    this.isPaged = focus === 'copies' || focus === 'joined';
    this.noFilter = choices.chance('unfiltered', 0.15);
    this.keysOnly = !this.features.tags && choices.chance('keys', focus === 'keys' ? 1 : 0.1);
    this.table = new LevelTable(
      () => this.stage.nowMs,
      (change) => this.changed(change),
    );
    this.changesLeft = 2 + choices.drawn('changes', (random) => random.oneOf([1, 3, 6, 12]));
  }

  trace(line: string): void {
    this.say(`${this.stage.nowMs % 1e9} ${line}`);
  }

  forbid(kind: string, message: string): void {
    this.failures.push({ kind, message });
  }

  async run(): Promise<Outcome> {
    this.trace(JSON.stringify(this.features));
    if (this.choices.chance('full', this.features.small ? 0.5 : 0.1)) this.fill();
    this.produceNext(0);
    await this.stage.run((leapMs) => this.goesOn(leapMs));
    if (this.failures.length === 0) this.look('at rest');
    if (this.failures.length === 0)
      for (const { name, isDead } of this.unfinished) if (!isDead) this.forbid('stalled', `${name} never ends`);
    return { failures: this.failures, counters: this.counters, script: this.choices.recorded };
  }

  private count(what: string, number = 1): void {
    this.counters[what] = (this.counters[what] ?? 0) + number;
  }

  /** Whether a schedule goes on. Where nothing but sleepers is left, all has to be right while they sleep. */
  private goesOn(leapMs: number): boolean {
    this.steps += 1;
    if (this.steps > MOST_STEPS) this.forbid('stalled', 'the schedule does not come to an end');
    const isQuiet =
      leapMs > 1_000 && this.lanes.every(({ running, done, records }) => !running && done === records.length);
    if (isQuiet && this.looks < MOST_LOOKS) {
      this.looks += 1;
      this.look('while late workers sleep');
    }
    return this.failures.length === 0;
  }

  private look(when: string): void {
    this.count('looks');
    for (const { key, item } of this.table.all()) this.count(kindOf(key.target, item));
    for (const message of judged(this.features, this.table.all())) this.forbid('wrong', `${when}: ${message}`);
  }

  /** Everything is there at the beginning. */
  private fill(): void {
    for (const [place, key] of this.cast.keys.entries()) {
      const { item } = this.cast.drawFor(key, this.choices, this.climate, `fill.${place}`);
      this.trace(`${key.source} ${key.target} := ${JSON.stringify(item)}`);
      this.table.put(key, item);
    }
  }

  private produceNext(place: number): void {
    if (this.changesLeft === 0) return;
    this.changesLeft -= 1;
    const name = `op.${place}`;
    const after = this.choices.drawn(`${name}.after`, (random) => {
      if (random.chance(0.05)) return random.oneOf([70_000, 3_600_000, 50 * 3_600_000]);
      return random.below(this.climate.gapMs + 1);
    });
    this.stage.agenda.in(after, () => {
      const { key, item } = this.cast.draw(this.choices, this.climate, name);
      this.trace(`${name} ${key.source} ${key.target} := ${JSON.stringify(item)}`);
      this.count('changes');
      this.table.put(key, item);
      this.produceNext(place + 1);
      return true;
    });
  }

  /** What becomes of a change of any item: a record, and some day the end of a tombstone. */
  private changed({ key, before, after }: TableChange): void {
    const isDerived = key.target.startsWith('~');
    if (isDerived && after?.['expiresAt'] !== undefined) this.expireLater({ key, before, after });
    if (key.source === '~edgeloom') return;
    if (isDerived && !key.target.startsWith('~more/') && !this.noFilter) return;
    const lane = this.laneFor(`${key.source} ${key.target}`);
    this.records += 1;
    const raw = {
      eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
      eventSourceARN: STREAM_ARN,
      dynamodb: {
        SequenceNumber: (10n ** 20n + BigInt(this.records)).toString(),
        ApproximateCreationDateTime: Math.floor(this.stage.nowMs / 1_000),
        Keys: { source: { S: key.source }, target: { S: key.target } },
        ...(before !== undefined && !this.keysOnly && { OldImage: before }),
        ...(after !== undefined && !this.keysOnly && { NewImage: after }),
      },
    } as RawRecord;
    lane.records.push({ raw, isDerived: isDerived && !key.target.startsWith('~more/') });
    this.pump(lane);
  }

  private laneFor(name: string): Lane {
    const lane =
      this.laneOf.get(name) ?? this.lanes[this.choices.pick(`lane.${name}`, this.lanes.length)] ?? this.lanes[0]!;
    this.laneOf.set(name, lane);
    return lane;
  }

  /** TTL deletes an expired item at some time after its end, if it is still the same item. */
  private expireLater({ key, after }: TableChange): void {
    const expiry = after!['expiresAt'];
    const name = `ttl.${this.expiries++}`;
    const lag = this.choices.drawn(name, (random) => random.oneOf([0, 0, 1, 3_600_000]));
    const in_ = Number(numberOf(expiry)) * 1_000 - this.stage.nowMs + lag;
    if (!(in_ > 0)) this.forbid('wrong', `${key.target} is a tombstone that is over when it is made`);
    this.stage.agenda.in(Math.max(in_, 1), () => {
      const present = this.table.at(key);
      // What the item has now decides, whenever it was written.
      const isOver = Number(numberOf(present?.['expiresAt'])) * 1_000 <= this.stage.nowMs;
      if (present?.['expiresAt'] === undefined || !isOver) return false;
      this.trace(`TTL deletes ${key.source} ${key.target}`);
      this.count('expiries');
      this.table.put(key, undefined);
      return true;
    });
  }

  /** Begins the next batch of a lane that has records and no batch. */
  private pump(lane: Lane): void {
    if (lane.running !== undefined || lane.done >= lane.records.length) return;
    const running = {};
    lane.running = running;
    const name = `b.${this.batches++}`;
    const poll = this.choices.drawn(`${name}.poll`, (random) => random.below(this.climate.spanMs));
    // At the next moment at the earliest: a change of several items has all its records then.
    this.stage.agenda.in(poll, () => {
      const left = lane.records.length - lane.done;
      const cut = this.choices.drawn(`${name}.cut`, (random) => (random.chance(0.5) ? random.between(1, left) : 0));
      const to = lane.done + (cut === 0 ? left : Math.min(cut, left));
      void this.consume(lane, running, name, to);
      return true;
    });
  }

  private async consume(lane: Lane, running: object, name: string, to: number): Promise<void> {
    const from = lane.done;
    // Whoever has given up a batch twice has patience, so that schedules come to an end.
    const timeoutMs = (this.givenUp.get(`${lane.name} ${from}`) ?? 0) >= 2 ? PATIENCE_MS : this.climate.timeoutMs;
    const isTold = this.choices.chance(`${name}.told`, 0.5);
    // Whoever is told of the end stops before it: what is said afterwards nobody hears.
    const endMs = this.stage.nowMs + 0.7 * timeoutMs;
    this.replayLater(lane, name, from, to);
    const release = (done: number): void => {
      if (lane.running !== running) return;
      delete lane.running;
      lane.done = done;
      this.pump(lane);
    };
    this.stage.agenda.in(timeoutMs, () => {
      if (lane.running !== running) return false;
      this.trace(`${name} is given up`);
      this.count('given up');
      const place = `${lane.name} ${from}`;
      this.givenUp.set(place, (this.givenUp.get(place) ?? 0) + 1);
      // The next batch has a worker of its own; this one goes on if it lives.
      delete lane.worker;
      delete lane.projector;
      release(from);
      return true;
    });
    const done = await this.project(lane, name, from, to, isTold ? () => endMs - this.stage.nowMs : undefined);
    if (done !== undefined) release(done);
  }

  /** A batch comes again some time later, cut otherwise, next to whatever runs then. */
  private replayLater(lane: Lane, name: string, from: number, to: number): void {
    if (this.replays >= MOST_REPLAYS) return;
    if (!this.choices.chance(`${name}.again`, this.climate.again)) return;
    this.replays += 1;
    const after = this.choices.drawn(`${name}.later`, (random) =>
      random.oneOf([1, random.below(1_000), 20_000, 3_600_000, OLDEST_RECORD_MS]),
    );
    const less = this.choices.pick(`${name}.less`, to);
    this.stage.agenda.in(after, () => {
      const first = Math.min(less, from);
      this.count('replays');
      this.trace(`${name} comes again`);
      void this.project({ ...lane, name: `${lane.name}r` }, `${name}.r`, first, to, undefined);
      return true;
    });
  }

  /** Projects records of a lane; gives the place up to which they are done, or undefined where a dead worker says nothing. */
  private async project(
    lane: Lane,
    name: string,
    from: number,
    to: number,
    remainingMs: (() => number) | undefined,
  ): Promise<number | undefined> {
    const worker = this.workerOf(lane);
    const records = lane.records.slice(from, to);
    this.trace(
      `${name} ${worker.name} projects ${records.map(({ raw }) => raw.dynamodb?.SequenceNumber?.slice(-3)).join()}`,
    );
    this.count('batches');
    this.unfinished.add(worker);
    try {
      const changes = decodeRecords(
        graphOf(this.features),
        records.map(({ raw }) => raw),
        STREAM_ARN,
      );
      const before = worker.writes;
      const result = await lane.projector!.project(changes, remainingMs === undefined ? {} : { remainingMs });
      this.trace(
        `${name} ends ${result.failedFrom === undefined ? '' : `failed from ${result.failedFrom.sequenceNumber.slice(-3)} ${result.error?.message}`}`,
      );
      if (records.every(({ isDerived }) => isDerived) && worker.writes > before)
        this.forbid('loop', `records of derived items cause ${worker.writes - before} writes`);
      this.unfinished.delete(worker);
      if (result.failedFrom === undefined) return to;
      this.count('failed batches');
      const { sequenceNumber } = result.failedFrom;
      const failed = records.findIndex(({ raw }) => raw.dynamodb?.SequenceNumber === sequenceNumber);
      return from + Math.max(failed, 0);
    } catch (error) {
      this.forbid('thrown', error instanceof Error ? `${error.message} ${error.stack}` : String(error));
      return undefined;
    }
  }

  private workerOf(lane: Lane): Worker {
    if (lane.worker !== undefined && lane.projector !== undefined && !lane.worker.isDead) return lane.worker;
    const { choices } = this;
    const name = `w.${this.workers++}`;
    const last = choices.drawn(`${name}.dies`, (random) =>
      random.chance(this.climate.crash) ? random.between(1, 12) : 0,
    );
    const worker = new Worker(name, last);
    lane.worker = worker;
    lane.projector = createProjector(graphOf(this.features), {
      store: new WorkerStore(this, worker),
      now: () => this.stage.nowMs,
      wait: (ms: number) => this.stage.sleep(Math.max(ms, 1)),
      random: () => 0.5,
      concurrency: [32, 1, 4][choices.pick(`${name}.at-once`, 3)]!,
      fanOutPageSize: [250, 1, 2][this.isPaged ? 1 : choices.pick(`${name}.page`, 3)]!,
    });
    return worker;
  }
}

/** What kind of item a look meets: the sum of a long run says what its schedules had. */
function kindOf(target: string, item: Item): string {
  if (!target.startsWith('~')) return 'base items';
  const [kind = ''] = /^~[a-z]+/.exec(target) ?? [];
  if (item['expiresAt'] !== undefined) return `tombstones ${kind}`;
  return item['evicted'] === undefined ? kind : `${kind} evicted`;
}
