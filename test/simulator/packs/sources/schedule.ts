import {
  createSources,
  defineSource,
  type MappedItem,
  mappedEdge,
  mappedNode,
  type Sources,
  type SyncResult,
} from '../../../../src/admin.ts';
import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/index.ts';
import { asFailures, type Pack, playAll } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';
import { stableText } from '../../kernel/values.ts';
import { DIRECTED } from './directed.ts';
import { AttackStore, type Change, GRAPH } from './store.ts';

/**
 * An attack on sources, written from the rules of LEVEL and before the code: a table, a database of others and an oracle of its own, and of
 * the program nothing but its public functions. Touches that come twice, late and out of order, processes that die, that sleep between two
 * calls and that lose answers, mappings that go forward and back, a database that fails over to an older copy, touches that are lost, walks
 * that are killed, and TTL take turns, a call at a time. In the end the table shows what the mapping in force makes of the database.
 */
export const PACK: Pack = {
  async run(seed) {
    const attack = new Attack(seed);
    const failures = asFailures(await attack.play());
    return { failures, counters: attack.counters };
  },
  written: () => playAll(DIRECTED),
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A call that was sent lands within this time, or never. */
const LANDS_MS = 5 * MINUTE;
/** How long a process may sleep and go on after it. */
const SLEEP_MS = 3 * HOUR;
/** After so many steps calls have time; schedules whose touches of wide items begin again and again may take as many as the second. */
const [CALM_AFTER, MOST_STEPS] = [20_000, 400_000];
/** Each keeps time from passing. */
const MOST_REPEATS = 80;
const KEYS = ['k0', 'k1', 'k2', 'k3'] as const;

/** An item of the other database. */
type Row = Readonly<{ id: string; n: number; goal?: string; wide?: number; bad?: string }>;

/** What a deployment has: the rules of its mapping, its name, and the database that it reads. */
interface Version {
  name: string;
  rules: number;
  place: Map<string, Row>;
}

/** What a mapping makes: another one makes other keys, and other contents, of the same row. */
function mapOf(rules: number) {
  return ({ id, n, goal, wide = 0, bad }: Row): MappedItem[] => {
    if (bad === 'all' || bad === `r${rules}`) throw new Error('This row is not taken.');
    if (n === 4 - rules) return [];
    const user = `USER-${(Number(id) + (n % 2) * (rules - 1)) % 4}`;
    const content = { n: String(n), ...(n > 1 && { rules: String(rules) }) };
    const many = Array.from({ length: wide }, (_, i) => mappedEdge(user, 'AIMS', `GOAL-w${i + rules}`, content));
    const edges = goal === undefined || n === rules ? [] : [mappedEdge(user, 'AIMS', `GOAL-${goal}`, content)];
    return [mappedNode(user, content), ...edges, ...many];
  };
}

/** A process: a function's call, or an operator's walk. */
interface Process {
  isDead: boolean;
  crashIn: number;
  sleepIn: number;
  hasFaults: boolean;
  isWalk: boolean;
  /** Whoever has started it takes it for dead. */
  leave: (outcome: 'dead') => void;
}

interface Turn {
  at: number;
  process?: Process | undefined;
  go: () => void;
}

class Attack {
  readonly counters: Record<string, number> = {};
  private readonly random: Random;
  private readonly wrong: string[] = [];
  private readonly table: AttackStore;
  private now = Date.UTC(2026, 2, 1, 9, 59, 58, 700);
  private turns: Turn[] = [];
  private readonly alive = new Set<Process>();
  /** Touches that nobody has carried out yet, and those that somebody has: they may come again. */
  private due: string[] = [];
  private readonly done: string[] = [];
  private busy = 0;
  private resting = 0;
  private version: Version = { name: '1', rules: 1, place: new Map() };
  private older: Version | undefined;
  private producers = 0;
  private repeats = 0;
  private names = 1;
  private isPaused = false;
  private isClosing = false;
  private pace: number;
  private fault: number;
  private crash: number;
  private sleep: number;
  private again: number;
  private readonly hasBad: boolean;
  private isShort: boolean;

  constructor(seed: number) {
    const random = new Random(seed);
    this.random = random;
    this.table = new AttackStore(
      () => this.now,
      () => (random.chance(0.3) ? random.oneOf([2_000, HOUR]) : 0),
    );
    // Longer steps would have each touch take more than the bound of its writes, so that all begin again for ever.
    this.pace = random.oneOf([100, 2_000, 5_000]);
    this.fault = random.oneOf([0, 0.03, 0.1]);
    this.crash = random.oneOf([0, 0.1, 0.3]);
    this.sleep = random.oneOf([0, 0.2, 0.5]);
    this.again = random.oneOf([0, 0.02, 0.06]);
    this.hasBad = random.chance(0.2);
    this.isShort = random.chance(0.3);
  }

  async play(): Promise<string[]> {
    let hasEnded = false;
    const script = this.operate().finally(() => {
      hasEnded = true;
    });
    script.catch(() => undefined);
    for (let steps = 0; !hasEnded; steps++) {
      // Whoever does not wait for a turn is on the way to one by promises alone.
      await new Promise((resolve) => setImmediate(resolve));
      if (hasEnded) break;
      // Whoever waits for hours gets them in the end.
      if (steps === CALM_AFTER) this.calm();
      if (steps > MOST_STEPS) return [...this.wrong, 'The schedule does not come to rest.'];
      this.step();
    }
    await script;
    return this.wrong;
  }

  /** From here on calls have time, and time passes. */
  private calm(): void {
    this.pace = 2_000;
    this.isShort = false;
    this.fault = 0;
    this.crash = 0;
    this.sleep = 0;
    this.again = 0;
  }

  private step(): void {
    const { random } = this;
    const ready = this.turns.filter(({ at }) => at <= this.now);
    const mayDeliver = !this.isPaused && this.due.length > 0 && this.busy < 3;
    const mayRepeat = !this.isPaused && !this.isClosing && this.done.length > 0 && this.repeats < MOST_REPEATS;
    if (mayRepeat && this.alive.size < 6 && random.chance(this.again)) {
      this.repeats += 1;
      this.count('touches again');
      void this.invoke([random.pick(this.done)]);
    }
    if (ready.length === 0 && !mayDeliver) {
      const next = Math.min(...this.turns.map(({ at }) => at));
      this.now = Math.min(next, this.now + random.between(1, 4 * HOUR));
      if (random.chance(0.5)) this.bury(0.7);
      return;
    }
    const place = random.below(ready.length + (mayDeliver ? 1 : 0));
    if (place === ready.length) this.deliver();
    else {
      const turn = ready[place]!;
      this.turns.splice(this.turns.indexOf(turn), 1);
      this.now += random.below(this.pace);
      turn.go();
    }
  }

  // Time and processes.

  private wait(milliseconds: number, process?: Process): Promise<void> {
    return new Promise((go) => {
      this.turns.push({ at: this.now + milliseconds, process, go });
    });
  }

  private async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.wait(this.random.between(1, 2 * MINUTE));
  }

  private end(process: Process): void {
    process.isDead = true;
    this.alive.delete(process);
    this.turns = this.turns.filter((turn) => turn.process !== process);
    process.leave('dead');
  }

  private async start<T>(
    run: (process: Process) => Promise<T>,
    { isCalm = false, isWalk = false } = {},
  ): Promise<T | 'dead'> {
    const { random } = this;
    const drawn = (chance: number): number =>
      !isCalm && random.chance(chance) ? random.between(1, 16) : Number.POSITIVE_INFINITY;
    let leave: Process['leave'] = () => undefined;
    const left = new Promise<'dead'>((resolve) => {
      leave = resolve;
    });
    const process: Process = {
      isDead: false,
      crashIn: drawn(this.crash),
      sleepIn: drawn(this.sleep),
      hasFaults: !isCalm,
      isWalk,
      leave,
    };
    this.alive.add(process);
    const running = run(process).finally(() => this.alive.delete(process));
    running.catch(() => undefined);
    return await Promise.race([running, left]);
  }

  /** One call: it lands after a while, its answer comes after another, and either may be lost. */
  private async call<T>(process: Process, isWrite: boolean, effect: () => T): Promise<T> {
    const { random } = this;
    const isSleepy = --process.sleepIn === 0;
    const sleepsFirst = isSleepy && random.chance(0.5);
    if (isSleepy) {
      this.count('sleepers');
      if (random.chance(0.8)) process.leave('dead');
    }
    // What is sent lands soon or never; a read may be made whenever.
    await this.wait(sleepsFirst ? random.below(isWrite ? LANDS_MS : SLEEP_MS) : 0, process);
    if (--process.crashIn === 0) {
      this.count('crashes');
      if (random.chance(0.5)) effect();
      this.end(process);
      return await new Promise<never>(() => undefined);
    }
    if (process.hasFaults && random.chance(this.fault)) {
      const isLost = isWrite && random.chance(0.6);
      if (isLost) effect();
      this.count(isLost ? 'lost answers' : 'refusals');
      throw new StoreError('retryable', 'ThrottlingException', 'The table is asked for too much.');
    }
    const answer = effect();
    await this.wait(isSleepy && !sleepsFirst ? random.below(SLEEP_MS) : 0, process);
    return answer;
  }

  private count(name: string): void {
    this.counters[name] = (this.counters[name] ?? 0) + 1;
  }

  private sources(version: Version, process: Process): Sources {
    const { table, random } = this;
    const reads = <T>(effect: () => T): Promise<T> => this.call(process, false, effect);
    const store = {
      get: (key: ItemKey, how: { consistent: boolean }) => reads(() => table.get(key, how)),
      change: (change: Change) => this.call(process, true, () => table.change(change)),
      query: (request: Parameters<AttackStore['query']>[0]) => reads(() => table.query(request)),
    };
    const source = defineSource('theirs', {
      version: version.name,
      map: mapOf(version.rules) as never,
      read: (key) => reads(() => version.place.get(key)),
      keys: async function* (after = '') {
        for (const key of [...KEYS].filter((one) => one > after)) {
          if (await reads(() => version.place.has(key))) yield key;
        }
      },
    });
    return createSources(GRAPH, {
      sources: [source],
      store: store as never,
      now: () => this.now,
      wait: (milliseconds: number) => this.wait(milliseconds, process),
      random: () => random.next(),
    });
  }

  // The other database, and who hears of its changes.

  private write(key: string, row: Row | undefined): void {
    const { place } = this.version;
    if (stableText(place.get(key)) === stableText(row)) return;
    if (row === undefined) place.delete(key);
    else place.set(key, row);
    this.due.push(key);
  }

  private produce(): void {
    const { random } = this;
    const bad = this.hasBad && random.chance(0.3) ? random.oneOf(['all', 'r1', 'r2']) : undefined;
    const row: Row = {
      id: String(random.below(4)),
      n: random.below(4),
      ...(random.chance(0.5) && { goal: String(random.below(2)) }),
      ...(random.chance(0.15) && { wide: random.oneOf([4, 8, 40]) }),
      ...(bad && { bad }),
    };
    this.write(random.oneOf(KEYS), random.chance(0.25) ? undefined : row);
  }

  private async producer(writes: number, pause: number): Promise<void> {
    this.producers += 1;
    for (let i = 0; i < writes; i++) {
      await this.wait(this.random.below(pause));
      this.produce();
    }
    this.producers -= 1;
  }

  private deliver(): void {
    const keys = this.due.splice(this.random.below(this.due.length), this.random.between(1, 3));
    this.busy += 1;
    void this.invoke(keys).then((isDone) => {
      this.busy -= 1;
      if (isDone) this.done.push(...keys);
      else void this.comeAgain(keys);
    });
  }

  /** What is left comes again after a while. */
  private async comeAgain(keys: readonly string[]): Promise<void> {
    this.resting += 1;
    await this.wait(this.random.below(MINUTE));
    this.resting -= 1;
    this.due.push(...keys);
  }

  /** A function's call; true: whoever called takes the touches for carried out. */
  private async invoke(keys: readonly string[]): Promise<boolean> {
    this.count('calls');
    const version = this.older !== undefined && this.random.chance(0.5) ? this.older : this.version;
    const endsAt = this.now + (this.isShort ? this.random.between(MINUTE, 2 * MINUTE) : HOUR);
    try {
      const result = await this.start(async (process) => {
        await this.sources(version, process).touch('theirs', keys, { remainingMs: () => endsAt - this.now });
        return 'done' as const;
      });
      return result === 'done';
    } catch (error) {
      const code = (error as { code?: string }).code ?? String(error);
      this.count(`left: ${code}`);
      return false;
    }
  }

  private bury(chance: number): void {
    this.table.bury(() => this.random.chance(chance));
  }

  // The operators.

  private async operate(): Promise<void> {
    const { random } = this;
    for (let i = 0; i < 3; i++) this.produce();
    if (random.chance(0.5)) this.due = [];
    void this.producer(random.between(2, 8), random.oneOf([1_000, 5 * MINUTE]));
    await this.wait(random.below(MINUTE));
    await this.sync();
    for (let i = random.between(1, 4); i > 0; i--) await this.event();
    await this.until(() => this.producers === 0);
    this.isClosing = true;
    for (const key of KEYS) if (this.version.place.get(key)?.bad !== undefined) this.write(key, { id: '1', n: 1 });
    await this.until(() => this.due.length + this.busy + this.resting === 0);
    await this.verify('in the end');
    await this.wait(50 * HOUR);
    this.bury(1);
    await this.verify('after TTL');
    await this.damage();
    if (random.chance(0.3)) await this.retire();
  }

  private async event(): Promise<void> {
    const { random } = this;
    const producing = this.producer(random.between(2, 10), random.oneOf([1_000, 10 * MINUTE, 5 * HOUR]));
    const kind = random.weighted({ map: 4, back: 3, failover: 3, lost: 3, hours: 2, days: 2 });
    this.count(kind);
    if (kind === 'map') await this.deploy({ ...this.version, name: this.nextName(), rules: 3 - this.version.rules });
    if (kind === 'back') {
      const before = this.version;
      await this.deploy({ ...before, name: this.nextName(), rules: 3 - before.rules });
      if (random.chance(0.5)) await this.wait(random.below(HOUR));
      await this.deploy(before);
    }
    if (kind === 'failover') await this.failOver();
    if (kind === 'lost') await this.lose();
    if (kind === 'hours') {
      this.isPaused = true;
      await this.wait(random.below(23 * HOUR));
      this.isPaused = false;
    }
    await producing;
    if (kind === 'days') {
      await this.until(() => this.due.length + this.busy + this.resting === 0);
      await this.wait(random.between(24 * HOUR, 60 * HOUR));
    }
  }

  private nextName(): string {
    this.names += 1;
    return String(this.names);
  }

  /** Functions of both deployments run side by side for a while; then one walk puts the new one in force. */
  private async deploy(next: Version): Promise<void> {
    // Nobody goes on with a walk of the version before.
    for (const process of this.alive) if (process.isWalk) this.end(process);
    this.older = this.version;
    this.version = next;
    await this.wait(this.random.below(10 * MINUTE));
    if (this.random.chance(0.5)) this.older = undefined;
    await this.sync();
    this.older = undefined;
  }

  /** The database goes on from a copy that lacks the last changes, and nobody hears which. */
  private async failOver(): Promise<void> {
    const { random } = this;
    const copy = new Map(this.version.place);
    for (let i = random.between(1, 4); i > 0; i--) this.produce();
    await this.wait(random.below(MINUTE));
    if (random.chance(0.5)) copy.delete(random.oneOf(KEYS));
    await this.deploy({ ...this.version, name: this.nextName(), place: copy });
  }

  /** Touches are lost, and one walk mends it. */
  private async lose(): Promise<void> {
    for (let i = this.random.between(1, 4); i > 0; i--) this.produce();
    this.due.splice(0, this.random.below(this.due.length + 1));
    await this.sync();
  }

  /** An operator's walk; one that was killed after it told of itself goes on where it was. */
  private async sync(): Promise<void> {
    let resume = false;
    for (let attempt = 0; ; attempt++) {
      try {
        const { version } = this;
        const onProgress = ({ phase }: { phase: string }): void => {
          resume ||= phase !== 'waiting';
        };
        const walk = (process: Process) => this.sources(version, process).sync('theirs', { resume, onProgress });
        const result = await this.start(walk, { isCalm: attempt > 3, isWalk: true });
        if (result !== 'dead') return;
      } catch {
        this.count('walks that failed');
      }
    }
  }

  private async look(run: (sources: Sources) => Promise<SyncResult>): Promise<SyncResult> {
    const result = await this.start((process) => run(this.sources(this.version, process)), { isCalm: true });
    if (result === 'dead') throw new Error('A calm process does not die.');
    return result;
  }

  // The oracle.

  private expected(): Map<string, string[]> {
    const expected = new Map<string, string[]>();
    const map = mapOf(this.version.rules);
    for (const row of this.version.place.values()) {
      for (const { source, target, ...content } of map(row)) {
        const key = `${source} ${target}`;
        expected.set(key, [...(expected.get(key) ?? []), stableText(content)]);
      }
    }
    return expected;
  }

  /** The base items that readers do not see as the database says. */
  private differing(): Map<string, string> {
    const expected = this.expected();
    const shown = new Map<string, string>();
    for (const { key, item } of this.table.all()) {
      if (key.source.startsWith('~') || item['~gone'] !== undefined) continue;
      shown.set(`${key.source} ${key.target}`, stableText(contentOf(item)));
      if (item[GRAPH.table.ttl] !== undefined) this.wrong.push(`${stableText(key)} is shown and expires`);
    }
    const differing = new Map<string, string>();
    for (const key of new Set([...expected.keys(), ...shown.keys()])) {
      const [contents, content] = [expected.get(key), shown.get(key)];
      const isRight = content === undefined ? contents === undefined : contents?.includes(content) === true;
      if (!isRight) differing.set(key, `${key} shows ${content}, not ${contents?.join(' or ')}`);
    }
    return differing;
  }

  private async verify(when: string): Promise<void> {
    for (const text of this.differing().values()) this.wrong.push(`${when}: ${text}`);
    const { differences, pending, conflicts, refused } = await this.look((sources) =>
      sources.sync('theirs', { dryRun: true }),
    );
    for (const difference of differences) this.wrong.push(`${when}, by the check: ${stableText(difference)}`);
    if (pending + refused.length > 0) this.wrong.push(`${when}: ${pending} pending, ${stableText(refused)} not taken`);
    const shared = [...this.expected()].filter(([, contents]) => contents.length > 1).map(([key]) => key);
    if (shared.length > 0) this.count('conflicts');
    const named = conflicts.map(({ source, target }) => `${source} ${target}`);
    if (stableText(named.sort()) !== stableText(shared.sort()))
      this.wrong.push(`${when}: conflicts of ${named}, not of ${shared}`);
  }

  /** Breaks some items: the check names each that readers see wrong, and a walk mends them. */
  private async damage(): Promise<void> {
    const { table, random } = this;
    const items = table.all().filter(({ key }) => !key.source.startsWith('~'));
    for (let i = Math.min(2, items.length); i > 0; i--) {
      const { key, item } = random.pick(items);
      table.set(key, random.chance(0.5) ? undefined : { ...item, n: { S: 'by hand' } });
    }
    const wrong = this.differing();
    if (wrong.size > 0) this.count('damaged');
    const { differences } = await this.look((sources) => sources.sync('theirs', { dryRun: true }));
    const told = new Set(differences.map(({ source, target }) => `${source} ${target}`));
    for (const [key, text] of wrong) if (!told.has(key)) this.wrong.push(`damage is not told: ${text}`);
    await this.sync();
    await this.verify('after the walk');
  }

  /** The source is taken away: nothing of it stays. */
  private async retire(): Promise<void> {
    this.count('retired');
    // A walk that was taken for dead may put the source in force again.
    const retire = () => this.look((sources) => sources.retire('theirs'));
    for (
      let tries = 0;
      !(await retire().then(
        () => true,
        () => tries > 9,
      ));
      tries++
    )
      this.count('walks that failed');
    const left = this.table.all().filter(({ key, item }) => !key.source.startsWith('~') && item['~gone'] === undefined);
    for (const { key } of left) this.wrong.push(`of the retired source stays ${stableText(key)}`);
  }
}

function contentOf(item: Item): Record<string, unknown> {
  const { partitionKey, sortKey, ttl } = GRAPH.table;
  const own = Object.entries(item).filter(
    ([name]) => !name.startsWith('~') && ![partitionKey, sortKey, ttl].includes(name),
  );
  return Object.fromEntries(own.map(([name, value]) => [name, Object.values(value)[0]]));
}
