import type { Item } from '../../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { edge, node, source } from '../../../../src/core/model/schema.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { StreamError } from '../../../../src/stream/source.ts';
import type { ObservedDrift } from '../../../../src/trust/observe/drift.ts';
import { Observer } from '../../../../src/trust/observe/observer.ts';
import type { ObserverState } from '../../../../src/trust/observe/state.ts';
import { Agenda } from '../../kernel/agenda.ts';
import type { Pack, SeedFailure, SeedOutcome } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';
import { STREAM_LIMITS } from '../../kernel/shown-stream.ts';
import { WholeStream } from '../../kernel/whole-stream.ts';
import { PlainConsumer } from './consumer.ts';
import { type CallWeather, callsOf, Death, observersStore, WrittenTable } from './table.ts';
import { type Features, nameOfPart, type Wrong, wrongs } from './truth.ts';

/** An attack on the observer, written from its promises: a consumer and an oracle that share no code with the library, on the simulator's table and stream. */

const SECOND = 1_000;
const START = Date.UTC(2026, 5, 1);
const KEPT_MS = 15 * 60 * SECOND;
/** How long all is quiet before the last word. */
const CALM_MS = 12 * 60 * SECOND;
const MOST_TURNS = 6_000;

const SHOPS = ['SHOP-1', 'SHOP-2'] as const;
const USERS = ['USER-1', 'USER-2', 'USER-3'] as const;

const graphs = new Map<string, CompiledModel>();

function graphOf({ copies, counts, joins }: Features): CompiledModel {
  const name = `${copies} ${counts} ${joins}`;
  const known = graphs.get(name);
  if (known !== undefined) return known;
  const graph = defineGraph({
    table: 'verify',
    nodes: { SHOP: node({ view: ['title'] }), USER: node({ view: ['name'] }) },
    edges: {
      LIKES: edge({
        ...{ from: 'SHOP', to: 'USER', edgeSet: ['role'], inbound: { orders: { gsi0: 'role' } }, degree: counts },
        ...(copies && { copy: ['name'] }),
      }),
      SELLS: edge({
        ...{ from: 'SHOP', to: 'USER', edgeSet: false },
        ...(joins && { inbound: { orders: { gsi0: source('title') } } }),
      }),
    },
  });
  graphs.set(name, graph);
  return graph;
}

/** The pack that attacks the observer from its promises. */
export const PACK: Pack = { run: (seed) => new Schedule(seed).run() };

class Schedule {
  private readonly dice: Random;
  private readonly clock = new Agenda(START);
  private readonly features: Features;
  private readonly graph: CompiledModel;
  private readonly table: WrittenTable;
  private readonly streams: WholeStream;
  private readonly keptMs: number | undefined;
  private readonly consumer: PlainConsumer;
  private readonly failures: SeedFailure[] = [];
  private readonly counters: Record<string, number> = {};
  private readonly weather: CallWeather;
  private readonly mostExceptions: number;
  private readonly knowsMark: boolean;
  /** How the keys begin of what is damaged, and what producers write most. */
  private readonly focus: string;
  private readonly often: 'likes' | 'user' | 'shop';
  private state: ObserverState | undefined;
  private isLosing = false;
  private judged: { writes: number; wrong: Wrong[] } | undefined;

  constructor(seed: number) {
    const dice = new Random(seed);
    this.dice = dice;
    this.features = { copies: dice.chance(0.7), counts: dice.chance(0.6), joins: dice.chance(0.5) };
    this.graph = graphOf(this.features);
    this.table = new WrittenTable(this.clock, dice, (written) => {
      if (!this.isLosing) this.streams.add(written);
      this.consumer?.follow();
    });
    this.keptMs = dice.chance(0.25) ? KEPT_MS : undefined;
    this.streams = new WholeStream(() => this.clock.now, dice, {
      ...{ shards: dice.between(1, 3), isLate: dice.chance(0.5), isSkewed: dice.chance(0.5), splits: 0 },
      ...{ page: dice.pick([1_000, 5, 2, 1]), keptMs: this.keptMs ?? Number.POSITIVE_INFINITY },
    });
    this.streams.begin('2026-01-01T00:00:00.000');
    this.consumer = new PlainConsumer(this.table, this.streams, this.clock, dice, this.features, {
      stepMs: dice.pick([2, 20, 300, 2_000]),
      crashes: dice.pick([0, 0.1, 0.4]),
      twins: dice.pick([0, 0, 0.1]),
      lies: dice.pick([0, 0, 0, 0.1, 0.3]),
      givesUp: dice.pick([0, 0, 0.1]),
      restsMs: dice.pick([0, 5_000, 60_000]),
    });
    this.weather = {
      longestMs: dice.pick([2, 50, 500, 3_000]),
      fails: dice.pick([0, 0, 0.02]),
      dies: dice.pick([0, 0, 0.005, 0.03]),
    };
    this.mostExceptions = dice.pick([25, 25, 1]);
    this.knowsMark = dice.chance(0.85);
    this.focus = dice.pick(['~', '~', '~rev/', '~degree/', '~ix/', '~view']);
    this.often = dice.pick(['likes', 'likes', 'user', 'shop']);
  }

  async run(): Promise<SeedOutcome> {
    const { dice, clock, consumer, counters, failures } = this;
    consumer.follow();
    this.plan();
    // Something is there before the observer is.
    clock.pass(dice.pick([0, 30_000, 300_000]));
    // Drift from before: nobody has a record of it.
    if (dice.chance(0.15)) {
      this.isLosing = true;
      for (let i = 0; i < 5; i += 1) this.damage(SHOPS, USERS);
      this.isLosing = false;
    }
    let observer = this.newObserver();
    let pauseMs = dice.pick([100, SECOND, 5_000]);
    const shortMs = pauseMs;
    for (let turn = 0; failures.length === 0; turn += 1) {
      if (turn === MOST_TURNS) {
        this.fail('endless', `more than ${MOST_TURNS} turns`);
        break;
      }
      try {
        const { isIdle, records } = await observer.runTurn();
        if (records > 0) this.quietMs = undefined;
        pauseMs = isIdle ? Math.min(60_000, pauseMs * 2) : shortMs;
        if (observer.needsWholeCheck) await this.base(observer);
        this.claim(observer);
        if (dice.chance(0.5)) this.state = structuredClone(observer.stateToSave());
        if (!this.isOver && dice.chance(0.02)) throw new Death();
      } catch (error) {
        if (error instanceof Death || error instanceof StreamError) {
          this.count('restarts');
          this.quietMs = undefined;
          clock.pass(dice.pick([1, SECOND, 60_000, 600_000, 1_200_000]));
          observer = this.newObserver();
        } else if (!(error instanceof StoreError)) {
          this.fail('threw', error instanceof Error ? (error.stack ?? error.message) : String(error));
        }
      }
      if (this.isOver && consumer.isDone) {
        consumer.isCalm = true;
        this.weather.dies = 0;
        this.weather.fails = 0;
        this.quietMs ??= clock.now;
        if (clock.now - this.quietMs > CALM_MS && failures.length === 0) {
          this.lastWord(observer);
          break;
        }
      } else if (this.isOver) consumer.isCalm = true;
      clock.pass(pauseMs);
    }
    return { failures, counters };
  }

  /** Producers, damage, splits, evictions and rests of the consumer, over some minutes. */
  private plan(): void {
    const { dice, clock, consumer } = this;
    const lengthMs = dice.pick([5_000, 60_000, 600_000, 1_800_000]);
    const at = (run: () => void): void => clock.in(dice.below(lengthMs), run);
    const users = USERS.slice(0, dice.between(1, 3));
    const shops = SHOPS.slice(0, dice.between(1, 2));
    for (let i = dice.between(3, 24); i > 0; i -= 1) at(() => this.produce(shops, users));
    for (let i = dice.pick([0, 0, 1, 3]); i > 0; i -= 1) at(() => this.split());
    for (let i = dice.pick([0, 1, 2, 4]); i > 0; i -= 1) at(() => this.damage(shops, users));
    for (let i = dice.pick([0, 0, 1, 3]); i > 0; i -= 1) {
      at(() => consumer.evict(dice.pick(shops), dice.chance(0.6)));
    }
    if (dice.chance(0.35)) {
      at(() => {
        consumer.isStopped = true;
        clock.in(dice.below(300_000), () => {
          consumer.isStopped = false;
          consumer.follow();
        });
      });
    }
    clock.in(lengthMs + 310_000, () => {
      this.isOver = true;
    });
  }

  private isOver = false;
  /** Since when nothing but the observer is at work, and it has its base. */
  private quietMs: number | undefined;

  private produce(shops: readonly string[], users: readonly string[]): void {
    const { dice, table } = this;
    const [shop, user] = [dice.pick(shops), dice.pick(users)];
    const source = dice.weighted({ ...{ shop: 2, user: 2, likes: 3, sells: 2 }, [this.often]: 6 });
    const key: ItemKey = {
      shop: { source: shop, target: shop },
      user: { source: user, target: user },
      likes: { source: shop, target: `LIKES-${user}` },
      sells: { source: shop, target: `SELLS-${user}` },
    }[source];
    this.count('writes');
    if (dice.chance(0.25)) {
      table.write(key, undefined);
      return;
    }
    const attribute = { shop: 'title', user: 'name', likes: 'role', sells: 'note' }[source];
    const value = dice.pick(['a', 'b', 'c', undefined]);
    table.write(key, {
      ...{ source: { S: key.source }, target: { S: key.target } },
      ...(value !== undefined && { [attribute]: { S: value } }),
    });
  }

  private split(): void {
    this.count('splits');
    this.streams.split();
    this.consumer.follow();
  }

  /** Breaks a derived item, as a hand or another program does it. */
  private damage(shops: readonly string[], users: readonly string[]): void {
    const { dice, table, consumer } = this;
    const [shop, user] = [dice.pick(shops), dice.pick(users)];
    const keys = [
      { source: shop, target: '~view' },
      { source: user, target: '~view' },
      { source: shop, target: `~ix/LIKES-${user}` },
      ...(this.features.joins ? [{ source: shop, target: `~ix/SELLS-${user}` }] : []),
      ...(this.features.counts ? [{ source: shop, target: '~degree/LIKES' }] : []),
      ...(this.features.copies ? [{ source: user, target: `~rev/LIKES-${shop}` }] : []),
    ];
    const isFocused = keys.filter(({ target }) => target.startsWith(this.focus));
    const key = dice.pick(isFocused.length > 0 ? isFocused : keys);
    const item = table.current(key);
    if (item === undefined || item['expiresAt'] !== undefined) return;
    this.count('damages');
    const before = new Set(wrongs(table, this.features).map(({ name }) => name));
    consumer.foreign(key, dice.chance(0.3) ? undefined : this.damaged(key, item, user));
    for (const { name } of wrongs(table, this.features)) if (!before.has(name)) consumer.broken.add(name);
    // A copy along an edge that the view does not list is told of as too much.
    if (key.target === '~view') for (const one of USERS) consumer.broken.add(nameOfPart(key, 'copy', `LIKES-${one}`));
    if (key.target.startsWith('~rev/')) {
      consumer.broken.add(nameOfPart({ source: shop, target: '~view' }, 'copy', `LIKES-${user}`));
    }
    if (key.target.startsWith('~ix/LIKES-')) {
      consumer.broken.add(nameOfPart({ source: shop, target: '~degree/LIKES' }, 'count'));
    }
  }

  private damaged({ target }: ItemKey, item: Item, user: string): Item {
    const { dice } = this;
    if (target === '~degree/LIKES') return { ...item, count: { N: String(dice.below(9)) } };
    if (target.startsWith('~rev/')) return { ...item, child: { S: 'SHOP-9' } };
    if (target.startsWith('~ix/')) return { ...item, gsi0sk: { S: 'damaged' }, gsi0pk: { S: 'damaged' } };
    const { edgeSet, copies, evicted, ...rest } = item;
    // The type comes back, and its edges do not.
    if (evicted !== undefined) return rest;
    const which = dice.weighted({ attributes: 1, element: 1, copy: 1, nothing: 1 });
    if (which === 'attributes') return { ...item, attributes: { M: { title: { S: 'damaged' } } } };
    if (which === 'element') return { ...rest, ...(copies && { copies }), edgeSet: { SS: ['LIKES-USER-8'] } };
    if (which === 'copy' && this.features.copies) {
      return { ...item, copies: { M: { [`LIKES-${user}`]: { M: { name: { S: 'damaged' } } } } } };
    }
    return item;
  }

  private newObserver(): Observer {
    const { clock, dice, graph, table, weather, streams, keptMs } = this;
    const model = fixedModel(graph);
    return new Observer(
      {
        ...{ model, table: graph.table, now: () => clock.now },
        store: observersStore(table, clock, dice, weather),
        source: streams.source(callsOf(clock, dice, weather)),
        lowWatermark: async () => {
          const markMs = this.knowsMark ? this.consumer.lowWatermarkMs() : undefined;
          clock.pass(dice.below(weather.longestMs));
          return markMs;
        },
        onDrift: (drift) => this.alarm(drift),
        limits: {
          ...{ lateMs: STREAM_LIMITS.lateMs, skewMs: STREAM_LIMITS.skewMs, graceMs: 2 * SECOND, listMs: 10 * SECOND },
          mostExceptions: this.mostExceptions,
          ...(keptMs !== undefined && { retentionMs: keptMs - 60_000 }),
        },
      },
      this.state,
    );
  }

  /** A check of the whole table: it reads one partition after the other. */
  private async base(observer: Observer): Promise<void> {
    const { clock, dice, table, features } = this;
    const beganMs = clock.now;
    const left = new Map<string, ItemKey>();
    // What a partition without items lacks is found with the edges that ask for it.
    for (const source of new Set([...table.sources(), ...SHOPS, ...USERS])) {
      clock.pass(dice.below(this.weather.longestMs));
      if (dice.chance(this.weather.dies)) throw new Death();
      for (const { item } of wrongs(table, features)) {
        const [partition = '', ...rest] = item.split(' ');
        if (partition === source) left.set(item, { source: partition, target: rest.join(' ') });
      }
    }
    this.count('bases');
    this.quietMs = undefined;
    await observer.endWholeCheck(beganMs, [...left.values()]);
  }

  private wrong(): Wrong[] {
    if (this.judged?.writes !== this.table.writes) {
      this.judged = { writes: this.table.writes, wrong: wrongs(this.table, this.features) };
    }
    return this.judged.wrong;
  }

  private claim(observer: Observer): void {
    const throughMs = observer.verifiedThroughMs;
    if (throughMs === undefined) return;
    this.count('claims');
    const wrong = this.wrong();
    if (wrong.length === 0) return;
    const isKnown = knownAs(observer.drift);
    for (const one of wrong) {
      if (isKnown(one) || this.touchedMs(one) >= throughMs) continue;
      this.fail('unsound', `${one.name} (${one.text}) is wrong and was not touched since ${throughMs - START}`);
    }
  }

  private touchedMs({ touchedBy }: Wrong): number {
    const { writtenMs } = this.table;
    let touched = 0;
    for (const name of touchedBy) {
      if (!name.endsWith('*')) touched = Math.max(touched, writtenMs.get(name) ?? 0);
      else
        for (const [key, atMs] of writtenMs) if (key.startsWith(name.slice(0, -1))) touched = Math.max(touched, atMs);
    }
    return touched;
  }

  private alarm(drift: ObservedDrift): void {
    this.count('alarms');
    const names = namesOfDrift(drift);
    if (drift.isCertain !== this.knowsMark) this.fail('false-alarm', `${names} is certain: ${drift.isCertain}`);
    const isBroken = names.every((name) => this.consumer.broken.has(name));
    if (drift.isCertain && !isBroken) this.fail('false-alarm', JSON.stringify(drift));
  }

  private lastWord(observer: Observer): void {
    const { clock } = this;
    this.count('last words');
    const { drift, verifiedThroughMs: throughMs, heldBy } = observer;
    const isKnown = knownAs(drift);
    const wrong = this.wrong();
    if (wrong.length > 0) this.count('last words with drift');
    for (const one of wrong) if (!isKnown(one)) this.fail('unseen-drift', `${one.name}: ${one.text}`);
    const names = new Set(wrong.map(({ name }) => name));
    for (const one of drift) {
      const told = namesOfDrift(one);
      const isWrong = told.some(
        (name) => names.has(name) || names.has(name.replace(' ~view copy ', ' ~view element ')),
      );
      if (!isWrong) this.fail('false-alarm', `${told} is right, and is told as drift`);
    }
    if (throughMs !== undefined && throughMs > clock.now - 5 * 60_000) return;
    if (drift.length > this.mostExceptions) return;
    this.fail(
      'stalled',
      `verified through ${throughMs && throughMs - START} of ${clock.now - START}, held by ${heldBy}`,
    );
  }

  private fail(kind: string, message: string): void {
    this.failures.push({ kind, message });
  }

  private count(what: string): void {
    this.counters[what] = (this.counters[what] ?? 0) + 1;
  }
}

function namesOfDrift({ suspect: { source, sortKey }, differences }: ObservedDrift): string[] {
  return differences.map(({ kind, about }) => nameOfPart({ source, target: sortKey }, kind, about));
}

/** Says which wrong parts the observer tells of. The copy of an edge that its view does not list at all is told of with the edge. */
function knownAs(drift: readonly ObservedDrift[]): (wrong: Wrong) => boolean {
  const known = new Set(drift.flatMap(namesOfDrift));
  return ({ name }) => known.has(name) || known.has(name.replace(' ~view copy ', ' ~view element '));
}
