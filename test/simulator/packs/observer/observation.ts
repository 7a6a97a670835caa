import { SERVICE_PARTITION } from '../../../../src/core/items/keys.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { check } from '../../../../src/trust/check/check.ts';
import type { ObservedDrift } from '../../../../src/trust/observe/drift.ts';
import { Observer } from '../../../../src/trust/observe/observer.ts';
import type { ObserverState } from '../../../../src/trust/observe/state.ts';
import { FaultyStore } from '../projecting/faulty-store.ts';
import { SimulatedProcess } from '../projecting/process.ts';
import { SECOND } from '../projecting/time.ts';
import type { World } from '../projecting/world.ts';
import { Fed } from './fed.ts';
import { EXCEPTIONS, OBSERVER_LIMITS } from './limits.ts';
import type { ProductLowWatermark } from './product-low-watermark.ts';
import { knownAs, touchedSince } from './promises.ts';
import { isOwn, type ObservedStreams } from './stream.ts';
import { type WrongPart, wrongParts } from './wrong-parts.ts';

const PAUSES = [200, SECOND, 5 * SECOND] as const;
const LONGEST_PAUSE = 120 * SECOND;
/** How long all has to be quiet before the observer is asked for its last word. */
const CALM_MS = 40 * 60 * SECOND;

/** What the observer says at rest. */
export interface LastWord {
  throughMs: number | undefined;
  drift: readonly ObservedDrift[];
  heldBy: string | undefined;
}

/**
 * The observer beside everything else: it reads, crashes, is away, and goes on from what it has saved. Each time that it publishes a
 * time the whole table is judged at that moment.
 */
export class Observation {
  private state: ObserverState | undefined;
  private processes = 0;
  private current: ObserverProcess | undefined;
  private quietSinceMs: number | undefined;
  private readonly pause: number;
  private readonly mostExceptions: number;
  lastWord: LastWord | undefined;
  private readonly fed: Fed;
  readonly alarms: { drift: ObservedDrift; atMs: number }[] = [];

  constructor(
    readonly world: World,
    readonly streams: ObservedStreams,
    /** Whether the projector's low watermark is known to the observer. */
    readonly knowsMark: boolean,
    /** The product's own mark, which the observer moves. Absent: it knows that of the oracle. */
    private readonly mark?: ProductLowWatermark,
  ) {
    this.mostExceptions = EXCEPTIONS[world.choices.pick('observer.exceptions', EXCEPTIONS.length)]!;
    this.fed = new Fed(world, streams);
    this.pause = PAUSES[world.choices.pick('observer.pause', PAUSES.length)]!;
  }

  start(delay: number): void {
    const { world } = this;
    const name = `observer${this.processes++}`;
    this.quietSinceMs = undefined;
    world.agenda.in(delay, () => {
      this.current = new ObserverProcess(world, name, (process) => this.run(process));
      return this.current.start();
    });
  }

  private async run(process: ObserverProcess): Promise<void> {
    const { world, streams } = this;
    const { choices, agenda } = world;
    let read = 0;
    const source = streams.source(undefined, (page) => {
      read += page.filter((record) => !isOwn(record)).length;
    });
    // Its reads come later than those of the projector: only replicas that are far behind would harm it.
    const store = new FaultyStore(process, LONGEST_PAUSE);
    const model = fixedModel(world.graph);
    const mark = this.knowsMark ? this.mark?.ofObserver(process.name, store, source) : undefined;
    const ofOracle = async (): Promise<number | undefined> =>
      this.knowsMark ? world.mapping.appliedUpToMs() : undefined;
    const feeder = this.fed.feeder(this.state?.feed);
    const observer = new Observer(
      {
        feeder,
        model,
        store,
        source,
        table: world.graph.table,
        now: () => agenda.now,
        lowWatermark: mark?.upToMs ?? ofOracle,
        listener: mark?.listener,
        onDrift: (drift) => this.alarmed(drift),
        limits: {
          ...OBSERVER_LIMITS,
          mostExceptions: this.mostExceptions,
          ...(streams.retentionMs !== undefined && { retentionMs: streams.retentionMs }),
        },
      },
      this.state,
    );
    let { pause } = this;
    for (let turn = 1; !process.isDead && this.lastWord === undefined; turn++) {
      if (streams.streamArn !== source.streamArn) return process.die('finds another stream');
      try {
        const { isIdle, records } = await observer.runTurn();
        // The stream has records of the marks that it writes.
        const isQuiet = isIdle || (records > 0 && read === 0);
        read = 0;
        pause = isQuiet ? Math.min(LONGEST_PAUSE, pause * 2) : this.pause;
        if (process.isDead) return;
        if (observer.needsWholeCheck) await this.base(process, observer);
      } catch (error) {
        // A call that failed: the next turn makes it again.
        if (!(error instanceof Error) || error.name !== 'StoreError') throw error;
      }
      if (process.isDead) return;
      this.claim(observer);
      if (choices.chance(`${process.name}.${turn}.saves`, 0.7)) {
        const state = observer.stateToSave();
        const feed = await feeder.tellGaps(observer.shardIdsAfter(state));
        this.state = structuredClone({ ...state, feed });
      }
      if (choices.chance(`${process.name}.${turn}.dies`, world.climate.fault / 4)) return process.die('crashes');
      this.rest(observer);
      await process.wait(pause);
    }
  }

  /** A check of the whole table, as the base of the proof. */
  private async base(process: ObserverProcess, observer: Observer): Promise<void> {
    const { world } = this;
    const left: ItemKey[] = [];
    const beganMs = world.agenda.now;
    await check(world.graph, {
      store: new FaultyStore(process),
      mode: 'report',
      graceMs: SECOND,
      segments: 1,
      onlySegments: [0],
      now: () => world.agenda.now,
      wait: (milliseconds) => process.wait(milliseconds),
      random: () => 0.5,
      onFinding: ({ source, target }) => void left.push({ source, target }),
    });
    if (process.isDead) return;
    await observer.endWholeCheck(beganMs, left);
    world.count('checks as a base');
    if (left.length > 0) world.count('bases with differences');
  }

  /** A claim is right if whatever is wrong now was touched since the time that is claimed. */
  private claim(observer: Observer): void {
    const { world } = this;
    const throughMs = observer.verifiedThroughMs;
    if (throughMs === undefined) return;
    world.count('claims');
    const isKnown = knownAs(observer.drift);
    for (const part of this.wrong()) {
      const name = `${part.source} ${part.target}`;
      if (isKnown(part) || touchedSince(world.written, part, throughMs)) continue;
      const at = new Date(throughMs).toISOString();
      world.fail(
        'unsound',
        `${name} (${part.text}) is wrong and untouched since ${at}, through which all is claimed right`,
      );
    }
  }

  private wrong(): WrongPart[] {
    if (this.judged?.writes === this.world.writes) return this.judged.wrong;
    this.judged = { writes: this.world.writes, wrong: this.wrongNow() };
    return this.judged.wrong;
  }

  /** The latest judgment of the whole table, which holds until the next write. */
  private judged: { writes: number; wrong: WrongPart[] } | undefined;

  private wrongNow(): WrongPart[] {
    const items = [...this.world.table.items()].filter(
      ({ source }) => !('S' in source! && source.S === SERVICE_PARTITION),
    );
    return wrongParts(this.world.options, items);
  }

  private alarmed(drift: ObservedDrift): void {
    const { world } = this;
    const { source, sortKey } = drift.suspect;
    world.count('alarms');
    world.tell(() => `observer: ALARM ${JSON.stringify(drift)}`);
    this.alarms.push({ drift, atMs: world.agenda.now });
    if (!drift.isCertain) {
      // Without the low watermark only the passed time decides, and the projector may be hours behind.
      world.count('uncertain alarms');
      return;
    }
    if (!this.mayBeWrong(source)) world.fail('false-alarm', `${source} ${sortKey}: ${JSON.stringify(drift)}`);
  }

  /** Partitions of which something was broken; the observer may find it wrong there, and nowhere else. */
  readonly broken = new Set<string>();
  /** Whether something was broken whose effects may show anywhere. */
  isBrokenAnywhere = false;

  private mayBeWrong(source: string): boolean {
    return this.isBrokenAnywhere || this.broken.has(source) || this.world.mapping.unmended.has(source);
  }

  /** Once nothing but the observer is at work, for long enough, this is its last word. */
  private rest(observer: Observer): void {
    const { world } = this;
    const { agenda } = world;
    if (!agenda.isEmpty) {
      this.quietSinceMs = undefined;
      return;
    }
    this.quietSinceMs ??= agenda.now;
    if (this.mark?.isSettled(agenda.now - this.quietSinceMs) === false) return;
    if (agenda.now - this.quietSinceMs < CALM_MS) return;
    const { verifiedThroughMs: throughMs, drift, heldBy } = observer;
    this.lastWord = { throughMs, drift, heldBy };
    this.judgeLastWord(this.lastWord);
  }

  private judgeLastWord({ throughMs, drift, heldBy }: LastWord): void {
    const { world } = this;
    const isKnown = knownAs(drift);
    const wrong = this.wrong();
    world.count('last words');
    this.fed.judge();
    if (wrong.length > 0) world.count('last words with drift');
    for (const part of wrong) {
      const { source, target, text } = part;
      if (!isKnown(part)) world.fail('unseen-drift', `the observer does not tell of ${source} ${target}: ${text}`);
    }
    if (this.mark?.isStuck === true) world.fail('stalled', 'the low watermark stands still although all is calm');
    // To move the mark takes some calls in each turn, and each may be slow.
    const least = world.agenda.now - (this.mark === undefined ? 5 : 15) * LONGEST_PAUSE;
    if (throughMs !== undefined && throughMs > least) return;
    // More drift than there may be exceptions holds the time.
    if (drift.length > this.mostExceptions) return;
    const at = throughMs === undefined ? 'nothing' : `${world.agenda.now - throughMs} ms ago`;
    world.fail('stalled', `verified through ${at} although all is calm, held by ${heldBy}`);
  }

  /** A process has ended before the last word: another one takes over. */
  ended(): void {
    if (this.lastWord !== undefined) return;
    const { choices } = this.world;
    this.world.count('restarts of the observer');
    const delay = choices.drawn(`observer${this.processes}.after`, (random) =>
      random.below(random.oneOf([1_000, 60_000, 600_000, 2_400_000])),
    );
    this.start(1 + delay);
  }

  /** The process that runs now has been killed by a call. */
  get hasDied(): boolean {
    return this.current?.isDead === true && !this.current.isReplaced;
  }

  replace(): void {
    this.current!.isReplaced = true;
    this.ended();
  }
}

/** A process of the observer, from its start to its crash. */
class ObserverProcess extends SimulatedProcess {
  readonly failureKind = 'retryable';
  isReplaced = false;

  constructor(
    world: World,
    name: string,
    private readonly work: (process: ObserverProcess) => Promise<void>,
  ) {
    super(world, name);
  }

  start(): boolean {
    this.world.tell(() => `${this.name} starts`);
    this.work(this).catch((error: unknown) => {
      this.world.fail('threw', error instanceof Error ? (error.stack ?? error.message) : String(error));
    });
    return true;
  }
}
