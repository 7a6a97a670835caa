import type { Item } from '../../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../../src/core/model/schema.ts';
import type { ScanRequest } from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import { type MappedItem, mappedEdge, mappedNode } from '../../../../src/mirror/items.ts';
import { createMirror, type Mirror } from '../../../../src/mirror/mirror.ts';
import { sourceTable } from '../../../../src/mirror/source.ts';
import type { RawRecord } from '../../../../src/stream/raw-record.ts';
import { asFailures, type Pack } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';
import { recordOf } from '../../kernel/shown-stream.ts';
import { keysOf, sameText, stableText } from '../../kernel/values.ts';
import { AttackTable } from './table.ts';

/**
 * An attack on the mirror, written from its rules and on nothing of how it keeps them: a table, a source with streams, and an oracle of its
 * own. Producers, invocations, zombies, replays, walks and TTL take turns, a call at a time. Operators follow the rules in their order.
 */
export const PACK: Pack = {
  async run(seed) {
    const attack = new Attack(seed);
    const failures = asFailures(await attack.play());
    return { failures, counters: attack.counters };
  },
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The longest life of an invocation or of an operator's process. */
const Z = HOUR;
/** Records live so long. */
const RETENTION = 24 * HOUR;
const MOST_STEPS = 60_000;

const GRAPH = defineGraph({
  table: 'ours',
  nodes: { USER: node({ view: 'ALL' }), GOAL: node({ view: 'ALL' }) },
  edges: { AIMS: edge({ from: 'USER', to: 'GOAL' }) },
  mirrored: ['USER', 'AIMS'],
} as never);

/** A source item makes a user, maybe with an edge. From version 2 on the user's key depends on its content too. */
function mapOf(version: number) {
  return ({ id, n, goal, bad }: Readonly<Record<string, unknown>>): MappedItem[] => {
    const number = Number(n);
    if (bad === 'all' || bad === `v${version}`) throw new Error('This item is not taken.');
    if (number === 4 - version) return [];
    const user = `USER-${(Number(id) + (number % 2) * (version - 1)) % 4}`;
    const content = { n: String(n), ...(number > 1 && { version: String(version) }) };
    if (goal === undefined || number === version) return [mappedNode(user, content)];
    return [mappedNode(user, content), mappedEdge(user, 'AIMS', `GOAL-${goal}`, content)];
  };
}

/** A process: an invocation or an operator's walk. */
interface Process {
  isDead: boolean;
  endsAt: number;
  crashIn: number;
  stallIn: number;
  hasFaults: boolean;
  /** Whoever has started it takes it for dead. */
  leave: (outcome: 'dead') => void;
}

interface Turn {
  at: number;
  process?: Process | undefined;
  go: () => void;
}

interface Shard {
  label: string;
  records: { at: number; raw: RawRecord }[];
  /** The first record that is not delivered. */
  next: number;
  isBusy: boolean;
  lastNumber: number;
}

/** A function that is loaded, and the process that it runs in. */
interface Instance {
  mirror: Mirror;
  process?: Process;
}

class Attack {
  readonly counters: Record<string, number> = {};
  private readonly random: Random;
  private readonly wrong: string[] = [];
  private readonly base: AttackTable;
  private readonly others: AttackTable;
  private now = Date.UTC(2026, 2, 1, 9, 59, 58, 700);
  private turns: Turn[] = [];
  private readonly alive = new Set<Process>();
  private shards: Shard[] = [];
  private isOn = false;
  /** Versions that new invocations run. */
  private versions = [1];
  private warm: { version: number; instance: Instance }[] = [];
  /** Records were lost so often; mended so often. */
  private gaps = 0;
  private mended = 0;
  private isPaused = false;
  private producers = 0;
  private isClosing = false;
  private readonly pace: number;
  private readonly fault: number;
  private readonly crash: number;
  private readonly stall: number;
  private readonly replay: number;
  private readonly hasBad: boolean;

  constructor(seed: number) {
    const random = new Random(seed);
    this.random = random;
    this.base = new AttackTable(() => this.now, GRAPH.table);
    this.others = new AttackTable(() => this.now, { partitionKey: 'pk', sortKey: 'sk', ttl: 'ttl' });
    this.pace = random.oneOf([100, 2_000, 20_000]);
    this.fault = random.oneOf([0, 0.03, 0.1]);
    this.crash = random.oneOf([0, 0.1, 0.3]);
    this.stall = random.oneOf([0, 0.2, 0.5]);
    this.replay = random.oneOf([0, 0.02, 0.06]);
    this.hasBad = random.chance(0.2);
  }

  async play(): Promise<string[]> {
    let hasEnded = false;
    const script = this.operate().finally(() => {
      hasEnded = true;
    });
    script.catch(() => undefined);
    for (let steps = 0; ; steps++) {
      // Whoever does not wait for a turn is on the way to one by promises alone.
      await new Promise((resolve) => setImmediate(resolve));
      if (hasEnded) break;
      if (steps > MOST_STEPS) return [...this.wrong, 'The schedule does not come to rest.'];
      this.step();
    }
    await script;
    return this.wrong;
  }

  private step(): void {
    const { random } = this;
    for (const process of this.alive) if (process.endsAt <= this.now) this.end(process);
    this.trim();
    const ready = this.turns.filter(({ at }) => at <= this.now);
    const starts = this.isPaused
      ? []
      : this.shards.filter((shard) => !shard.isBusy && shard.next < shard.records.length);
    if (!this.isPaused && !this.isClosing && random.chance(this.replay)) this.deliverAgain();
    const place = random.below(ready.length + starts.length);
    if (ready.length + starts.length === 0) {
      // Time passes in pieces, and TTL goes about.
      const next = Math.min(...this.turns.map(({ at }) => at));
      this.now = Math.min(next, this.now + random.between(1, 4 * HOUR));
      if (random.chance(0.5)) this.bury(0.7);
    } else if (place < ready.length) {
      const turn = ready[place]!;
      this.turns.splice(this.turns.indexOf(turn), 1);
      this.now += random.below(this.pace);
      turn.go();
    } else this.deliver(starts[place - ready.length]!);
  }

  // Time and processes.

  private sleep(milliseconds: number, process?: Process): Promise<void> {
    return new Promise((go) => {
      this.turns.push({ at: this.now + milliseconds, process, go });
    });
  }

  private async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.sleep(this.random.between(1, 2 * MINUTE));
  }

  private end(process: Process): void {
    process.isDead = true;
    this.alive.delete(process);
    this.turns = this.turns.filter((turn) => turn.process !== process);
    process.leave('dead');
  }

  /** Runs a process until it ends, or until whoever started it takes it for dead. */
  private async start<T>(run: (process: Process) => Promise<T>, isCalm = false): Promise<T | 'dead'> {
    const { random } = this;
    const drawn = (chance: number): number =>
      !isCalm && random.chance(chance) ? random.between(1, 14) : Number.POSITIVE_INFINITY;
    let leave: Process['leave'] = () => undefined;
    const left = new Promise<'dead'>((resolve) => {
      leave = resolve;
    });
    const endsAt = isCalm ? Number.POSITIVE_INFINITY : this.now + Z;
    const [crashIn, stallIn] = [drawn(this.crash), drawn(this.stall)];
    const process: Process = { isDead: false, endsAt, crashIn, stallIn, hasFaults: !isCalm, leave };
    this.alive.add(process);
    const running = run(process).finally(() => this.alive.delete(process));
    running.catch(() => undefined);
    return await Promise.race([running, left]);
  }

  private async call<T>(process: Process, isWrite: boolean, effect: () => T | Promise<T>): Promise<T> {
    const { random } = this;
    const isStalled = --process.stallIn === 0;
    if (isStalled) {
      this.count('zombies');
      if (random.chance(0.8)) process.leave('dead');
    }
    await this.sleep(isStalled ? random.below(process.endsAt - this.now) : 0, process);
    if (--process.crashIn === 0) {
      this.count('crashes');
      if (random.chance(0.5)) void effect();
      this.end(process);
      return await new Promise<never>(() => undefined);
    }
    if (process.hasFaults && random.chance(this.fault)) {
      const isLost = isWrite && random.chance(0.6);
      if (isLost) void effect();
      this.count(isLost ? 'lost answers' : 'refusals');
      throw new StoreError('retryable', 'ThrottlingException', 'The table is asked for too much.');
    }
    return await effect();
  }

  private count(name: string): void {
    this.counters[name] = (this.counters[name] ?? 0) + 1;
  }

  private instance(version: number): Instance {
    const { base, others, random } = this;
    const instance = {} as Instance;
    const call = <T>(isWrite: boolean, effect: () => T | Promise<T>): Promise<T> =>
      this.call(instance.process!, isWrite, effect);
    const page = (table: AttackTable, request: Pick<ScanRequest, 'startKey' | 'consistent'>, segment: number) => {
      const isOld = request.consistent !== true && random.chance(0.2);
      return table.page(request.startKey, segment, isOld ? this.now - random.below(2_000) : this.now);
    };
    instance.mirror = createMirror(GRAPH, {
      source: sourceTable('theirs', { map: mapOf(version), version }),
      store: {
        get: (key) => call(false, () => ({ ...found(base.get(key)), rcu: 1 })),
        change: (change) => call(true, () => base.engine.change(change)),
        query: (request) => call(false, () => base.engine.query(request)),
        scan: (request) => call(false, () => ({ ...page(base, request, request.segment), rcu: 1 })),
      },
      sourceStore: {
        get: (key) => call(false, () => others.get(others.keyOf(key))),
        scan: ({ startKey }) => call(false, () => page(others, startKey === undefined ? {} : { startKey }, 0)),
      },
      now: () => this.now,
      wait: (milliseconds) => this.sleep(milliseconds, instance.process),
      random: () => random.next(),
    });
    return instance;
  }

  // The source table, its streams, and what reads them.

  private write(place: number, attributes: Record<string, string> | undefined): void {
    const key = { source: `s${place}`, target: 'x' };
    const before = this.others.get(key);
    const after = attributes && asItem({ pk: key.source, sk: key.target, ...attributes });
    if (sameText(before ?? null, after ?? null)) return;
    this.others.set(key, after);
    if (!this.isOn) return;
    const shard = this.shards.at(place % 2 === 0 ? -1 : -2)!;
    shard.lastNumber += this.random.between(1, 40);
    const seconds = Math.floor(this.now / 1000);
    const createdAt = this.random.chance(0.5) ? seconds : new Date(seconds * 1000);
    const keys = asItem({ pk: key.source, sk: key.target });
    shard.records.push({
      at: this.now,
      raw: recordOf({ key, before, after }, String(shard.lastNumber), createdAt, keys),
    });
  }

  private produce(): void {
    const { random } = this;
    const place = random.below(4);
    const bad = this.hasBad && random.chance(0.3) ? random.oneOf(['all', 'v1', 'v2']) : undefined;
    const attributes = {
      id: String(random.below(4)),
      n: String(random.below(4)),
      ...(random.chance(0.5) && { goal: String(random.below(2)) }),
      ...(bad && { bad }),
    };
    this.write(place, random.chance(0.25) ? undefined : attributes);
  }

  private async producer(writes: number, pause: number): Promise<void> {
    this.producers += 1;
    for (let i = 0; i < writes; i++) {
      await this.sleep(this.random.below(pause));
      this.produce();
    }
    this.producers -= 1;
  }

  private switchOn(): void {
    const iso = new Date(this.now).toISOString().slice(0, -1);
    const label = this.random.chance(0.5) ? iso : iso.replace(/\.?0+$/, '');
    const shard = (): Shard => {
      const lastNumber = this.random.oneOf([0, 7, 70, 990, 99_950]);
      return { label, records: [], next: 0, isBusy: false, lastNumber };
    };
    this.shards.push(shard(), shard());
    this.isOn = true;
  }

  /** What no consumer has taken in time is lost. */
  private trim(): void {
    for (const shard of this.shards) {
      while (shard.next < shard.records.length && shard.records[shard.next]!.at + RETENTION < this.now) {
        shard.next += 1;
        this.gaps += 1;
        this.count('trimmed');
      }
    }
  }

  private deliver(shard: Shard): void {
    shard.isBusy = true;
    const { next } = shard;
    const records = shard.records.slice(next, next + this.random.between(1, 6));
    void this.invoke(shard, records).then((applied) => {
      shard.next = Math.max(shard.next, next + applied);
      shard.isBusy = false;
    });
  }

  /** Delivers again what is delivered and not yet trimmed. */
  private deliverAgain(): void {
    const { random } = this;
    const shard = random.pick(this.shards);
    const from = random.below(shard.next);
    const records = shard.records.slice(from, Math.min(shard.next, from + random.between(1, 6)));
    if (records.length === 0 || records[0]!.at + RETENTION < this.now) return;
    this.count('replays');
    void this.invoke(shard, records);
  }

  /** Gives the number of records that its caller takes for applied. */
  private async invoke({ label }: Shard, records: Shard['records']): Promise<number> {
    this.count('applies');
    const version = this.random.pick(this.versions);
    const place = this.random.chance(0.6) ? this.warm.findIndex((warm) => warm.version === version) : -1;
    const [warm] = place < 0 ? [] : this.warm.splice(place, 1);
    const instance = warm?.instance ?? this.instance(version);
    try {
      const result = await this.start(async (process) => {
        instance.process = process;
        const remainingMs = (): number => process.endsAt - this.now;
        const raws = records.map(({ raw }) => raw);
        return await instance.mirror.apply(raws, { streamLabel: label, remainingMs });
      });
      if (result === 'dead') return 0;
      this.warm.push({ version, instance });
      if (result.failedFrom === undefined) return records.length;
      return records.findIndex(({ raw }) => raw.dynamodb!.SequenceNumber === result.failedFrom);
    } catch {
      return 0;
    }
  }

  private bury(chance: number): void {
    for (const item of this.base.all()) {
      const expiry = item[GRAPH.table.ttl];
      const isExpired = expiry !== undefined && 'N' in expiry && Number(expiry.N) * 1000 <= this.now;
      if (isExpired && this.random.chance(chance)) this.base.set(this.base.keyOf(item), undefined);
    }
  }

  // The operators.

  private async operate(): Promise<void> {
    const { random } = this;
    for (let i = 0; i < 3; i++) this.produce();
    this.switchOn();
    void this.producer(random.between(2, 8), random.oneOf([1_000, 5 * MINUTE]));
    await this.sleep(random.below(MINUTE));
    await this.walk('snapshot');
    for (let i = random.between(1, 4); i > 0; i--) {
      await this.event();
      await this.reconcileGaps();
    }
    await this.until(() => this.producers === 0);
    this.isClosing = true;
    for (let place = 0; place < 4; place++) {
      if (this.others.get({ source: `s${place}`, target: 'x' })?.['bad'] !== undefined)
        this.write(place, { id: '1', n: '1' });
    }
    await this.until(() => this.isDrained(this.shards));
    await this.reconcileGaps();
    await this.sleep(Z);
    await this.verify('in the end');
    await this.sleep(50 * HOUR);
    this.bury(1);
    await this.verify('after TTL');
    await this.damage();
  }

  private async event(): Promise<void> {
    const { random } = this;
    const producing = this.producer(random.between(2, 10), random.oneOf([1_000, 10 * MINUTE, 5 * HOUR]));
    const kind = random.weighted({ version: 4, off: 3, outage: 2, hours: 3, days: 2, check: 2 });
    this.count(kind);
    if (kind === 'version' || random.chance(0.15)) {
      const off = random.chance(0.15) ? this.offAndOn() : undefined;
      await this.changeVersion();
      await off;
    }
    if (kind === 'off') await this.offAndOn();
    if (kind === 'outage') {
      this.isPaused = true;
      await this.sleep(random.between(20 * HOUR, 30 * HOUR));
      this.isPaused = false;
    }
    if (kind === 'hours') await this.sleep(random.below(23 * HOUR));
    await producing;
    if (kind === 'days') {
      await this.until(() => this.isDrained(this.shards));
      await this.sleep(random.between(24 * HOUR, 60 * HOUR));
    }
    if (kind === 'check') await this.checkBesideTheStream();
  }

  private async offAndOn(): Promise<void> {
    const { random } = this;
    await this.sleep(random.below(10 * MINUTE));
    this.isOn = false;
    // Nobody can tell whether something was written meanwhile.
    this.gaps += 1;
    for (let i = random.below(4); i > 0; i--) {
      this.produce();
      await this.sleep(random.between(1_000, 10 * MINUTE));
    }
    this.switchOn();
  }

  private async changeVersion(): Promise<void> {
    const { random } = this;
    const version = this.versions.at(-1)!;
    this.versions = [version, version + 1];
    await this.sleep(random.below(10 * MINUTE));
    this.versions = [version + 1];
    await this.sleep(Z);
    await this.walk('snapshot');
    await this.walk('sweep');
  }

  /** Old streams are drained, what was lost lies behind the consumer, and nothing that began before runs any more. */
  private async reconcileGaps(): Promise<void> {
    while (this.mended < this.gaps) {
      const { gaps } = this;
      await this.until(() => this.isOn && this.isDrained(this.shards.slice(0, -2)));
      await this.sleep(Z);
      await this.walk('reconcile');
      this.mended = gaps;
      this.count('reconciled');
    }
  }

  private isDrained(shards: readonly Shard[], before = Number.POSITIVE_INFINITY): boolean {
    return shards.every(({ next, records }) => next === records.length || records[next]!.at > before);
  }

  private async walk(name: 'snapshot' | 'sweep' | 'reconcile'): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const instance = this.instance(this.versions.at(-1)!);
      try {
        const result = await this.start((process) => {
          instance.process = process;
          return instance.mirror[name]();
        }, attempt > 3);
        if (result !== 'dead') return;
      } catch {
        this.count('failed walks');
      }
    }
  }

  private async checkBesideTheStream(): Promise<void> {
    const { gaps } = this;
    if (this.mended < gaps) return;
    void this.producer(4, 1_000);
    const isProcessed = async (through: number): Promise<boolean> => {
      await this.until(() => this.isDrained(this.shards, through));
      return true;
    };
    const { differences } = await this.check({ processed: isProcessed });
    if (this.gaps > gaps) return;
    for (const difference of differences) this.wrong.push(`a false alarm: ${stableText(difference)}`);
  }

  private async check(options: Parameters<Mirror['check']>[0]) {
    const instance = this.instance(this.versions.at(-1)!);
    const result = await this.start((process) => {
      instance.process = process;
      return instance.mirror.check(options);
    }, true);
    if (result === 'dead') throw new Error('A calm process does not die.');
    return result;
  }

  // The oracle.

  /** What the source items make now: for each key, the contents by source item. */
  private wanted(): Map<string, string[]> {
    const wanted = new Map<string, string[]>();
    const map = mapOf(this.versions.at(-1)!);
    for (const item of this.others.all()) {
      for (const { source, target, ...content } of map(asPlain(item))) {
        const key = keysOf({ source, target });
        wanted.set(key, [...(wanted.get(key) ?? []), stableText(content)]);
      }
    }
    return wanted;
  }

  /** The base items that readers do not see as the source items say. */
  private differing(): Map<string, string> {
    const wanted = this.wanted();
    const shown = new Map<string, string>();
    for (const item of this.base.all()) {
      const key = this.base.keyOf(item);
      if (key.source.startsWith('~') || item['~gone'] !== undefined) continue;
      shown.set(keysOf(key), stableText(contentOf(item)));
    }
    const differing = new Map<string, string>();
    for (const key of new Set([...wanted.keys(), ...shown.keys()])) {
      const [contents, content] = [wanted.get(key), shown.get(key)];
      const isRight = content === undefined ? contents === undefined : contents?.includes(content) === true;
      if (!isRight) differing.set(key, `${key} shows ${content}, not ${contents?.join(' or ')}`);
    }
    return differing;
  }

  private async verify(when: string): Promise<void> {
    for (const text of this.differing().values()) this.wrong.push(`${when}: ${text}`);
    const { differences, pending, conflicts, poisoned } = await this.check({});
    for (const difference of differences) this.wrong.push(`${when}, by check: ${stableText(difference)}`);
    if (pending + poisoned.length > 0)
      this.wrong.push(`${when}: ${pending} pending, ${stableText(poisoned)} not taken`);
    const shared = [...this.wanted()].filter(([, contents]) => contents.length > 1).map(([key]) => key);
    if (shared.length > 0) this.count('conflicts');
    const named = conflicts.map(keysOf);
    if (!sameText(named.sort(), shared.sort())) this.wrong.push(`${when}: conflicts of ${named}, not of ${shared}`);
  }

  /** Breaks some base items: the check names each that readers see wrong, and its repair mends them. */
  private async damage(): Promise<void> {
    const { base, random } = this;
    const items = [...base.all()].filter((item) => !base.keyOf(item).source.startsWith('~'));
    for (let i = Math.min(2, items.length); i > 0; i--) {
      const item = random.pick(items);
      const key = base.keyOf(item);
      const kind = random.below(3);
      if (kind === 0) base.set(key, undefined);
      // An old tombstone would expire at once.
      else if (kind === 1)
        base.set(key, random.pick(base.past(key).filter((past) => past?.[GRAPH.table.ttl] === undefined)));
      else base.set(key, { ...item, n: { S: 'by hand' } });
    }
    const wrong = this.differing();
    if (wrong.size > 0) this.count('damaged');
    const told = new Set((await this.check({ repair: true })).differences.map(keysOf));
    for (const [key, text] of wrong) if (!told.has(key)) this.wrong.push(`damage is not told: ${text}`);
    await this.verify('after repair');
  }
}

function asItem(values: Readonly<Record<string, string>>): Item {
  return Object.fromEntries(Object.entries(values).map(([name, S]) => [name, { S }]));
}

function asPlain(item: Item): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, Object.values(value)[0]]));
}

function contentOf(item: Item): Record<string, unknown> {
  const { partitionKey, sortKey, ttl } = GRAPH.table;
  const own = ([name]: [string, unknown]): boolean =>
    !name.startsWith('~') && ![partitionKey, sortKey, ttl].includes(name);
  return Object.fromEntries(Object.entries(asPlain(item)).filter(own));
}

function found(item: Item | undefined): { item?: Item } {
  return item === undefined ? {} : { item };
}
