import { type Item, sameItem, stringOf } from '../../../../src/core/items/attribute-value.ts';
import { isDerivedKey, textOfKey } from '../../../../src/core/items/keys.ts';
import { defineGraph } from '../../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { GONE } from '../../../../src/core/model/gone.ts';
import { edge, node } from '../../../../src/core/model/schema.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import { conflictsNow } from '../../../../src/mirror/conflicts.ts';
import { contentOf, contributionsOf, liveMakers } from '../../../../src/mirror/contributions.ts';
import { mappedEdge, mappedNode } from '../../../../src/mirror/items.ts';
import { mapped } from '../../../../src/mirror/mapped.ts';
import { createMirror, type Mirror } from '../../../../src/mirror/mirror.ts';
import { makerOf, type SourceTable, sourceTable } from '../../../../src/mirror/source.ts';
import type { SourceStore } from '../../../../src/mirror/source-store.ts';
import type { RawRecord } from '../../../../src/stream/raw-record.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { Gate } from '../../kernel/gate.ts';
import { packOfTexts } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';
import { recordOf } from '../../kernel/shown-stream.ts';

/**
 * One schedule of a mirror: a source table with a stream of two shards, consumers whose batches are cut anew, repeated, stalled and
 * interrupted between any two calls, answers that are lost, a snapshot beside it all, a mapping that changes, a stream that is switched
 * off and on, TTL, and source items that make the same key. In the end each base item is what the mapping makes of the source table.
 */

const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL' }) },
  edges: { KNOWS: edge({ from: 'USER', to: 'USER', keys: 'hashed' }) },
  mirrored: ['USER', 'KNOWS'],
}) as CompiledModel;

const KEYS = { partitionKey: 'id' };
const HOUR_MS = 3_600_000;

/** The mapping of a version: another one makes other keys of the same item. */
function mapping(version: number): SourceTable {
  return sourceTable('app', {
    version,
    keys: KEYS,
    map({ id, kind, ref, value }) {
      if (kind === 'poison') throw new Error('poison');
      const other = (Number(ref) + version) % 3;
      return [
        ...(kind === 'edge' ? [] : [mappedNode(`USER-${other}`, { value, ...(version > 1 && { version }) })]),
        ...(kind === 'node' ? [] : [mappedEdge(`USER-${id}`, 'KNOWS', `USER-${other}`, { value })]),
      ];
    },
  });
}

/** A shard of the source's stream. */
interface SourceShard {
  label: string;
  records: RawRecord[];
  /** Records before this place are applied. */
  done: number;
}

/** A process that ends between two calls. */
class Crash extends Error {}

/** The pack of these schedules. */
export const PACK = packOfTexts(runMirror);

/** Runs the schedule of a seed; gives what went wrong. */
export async function runMirror(seed: number): Promise<string[]> {
  return new MirrorSchedule(seed).run();
}

class MirrorSchedule {
  private readonly random: Random;
  private readonly gate: Gate;
  private now = Date.parse('2026-03-01T00:00:00Z');
  private readonly store = new MemoryStore(graph.table);
  private readonly items = new Map<string, Item>();
  private shards: SourceShard[] = [];
  private isStreaming = false;
  private sequence: number;
  private values = 0;
  private readonly running = new Set<Promise<unknown>>();
  private readonly failures: string[] = [];
  private readonly faults: number;
  private readonly mayPoison: boolean;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.gate = new Gate(this.random);
    this.sequence = 1 + this.random.below(200);
    this.faults = this.random.oneOf([0, 0.02, 0.06]);
    this.mayPoison = this.random.chance(0.3);
  }

  async run(): Promise<string[]> {
    await this.gate.run([this.drive()]);
    return this.failures;
  }

  private async drive(): Promise<void> {
    const writes = this.random.below(4);
    for (let i = 0; i < writes; i++) this.write();
    this.switchOn();
    await this.live(1, 2 + this.random.below(6));
    await this.walkBeside(1, 'snapshot');
    await this.live(1, this.random.below(6));
    let version = 1;
    const chapters = this.random.below(3);
    for (let i = 0; i < chapters; i++) {
      const chapter = this.random.oneOf(['map', 'gap', 'ttl', 'check'] as const);
      if (chapter === 'map' && version === 1) {
        version = 2;
        await this.changeMapping();
      } else if (chapter === 'gap') await this.loseRecords(version);
      else if (chapter === 'ttl') await this.pass(version);
      else await this.check(version);
      await this.live(version, this.random.below(6));
    }
    await this.drain(version);
    // Source items that the mapping did not take are written once more, so that it takes them.
    for (const [id, item] of this.items) {
      if (stringOf(item['kind']) === 'poison') this.put(id, { ...item, kind: { S: 'node' } });
    }
    await this.drain(version);
    if (this.random.chance(0.4)) await this.quarrel(version);
    await this.verify(version);
  }

  /** Writers, consumers and time, for so many rounds. */
  private async live(version: number, rounds: number, older?: number): Promise<void> {
    for (let i = 0; i < rounds; i++) {
      if (this.random.chance(0.6)) this.write();
      if (this.random.chance(0.7)) this.deliver(older !== undefined && this.random.chance(0.4) ? older : version);
      if (this.random.chance(0.3)) this.now += this.random.below(120_000);
      if (this.random.chance(0.2)) await this.expire();
      if (this.random.chance(0.1)) this.lookForConflicts();
      const steps = this.random.below(8);
      for (let step = 0; step < steps; step++) await this.gate.step();
    }
  }

  private async changeMapping(): Promise<void> {
    // The new consumers begin before a record that they may see; old ones run beside them for a while.
    await this.live(2, 2 + this.random.below(6), 1);
    await this.waitForProcesses();
    this.now += 20 * 60_000;
    await this.walkBeside(2, 'snapshot');
    await this.walkBeside(2, 'sweep');
  }

  private async loseRecords(version: number): Promise<void> {
    if (this.random.chance(0.5)) {
      this.isStreaming = false;
      const writes = 1 + this.random.below(3);
      for (let i = 0; i < writes; i++) this.write();
      await this.live(version, this.random.below(4));
      this.switchOn();
    } else {
      await this.waitForProcesses();
      for (const shard of this.shards) {
        const trimmed = this.random.below(shard.records.length + 1);
        shard.records.splice(0, trimmed);
        shard.done = Math.max(0, shard.done - trimmed);
      }
    }
    await this.live(version, this.random.below(5));
    await this.drain(version);
    await this.waitForProcesses();
    await this.walkBeside(version, 'reconcile');
  }

  /** Two days pass: what is gone is forgotten, and records of that age are trimmed. */
  private async pass(version: number): Promise<void> {
    await this.drain(version);
    await this.waitForProcesses();
    this.now += 50 * HOUR_MS;
    for (const shard of this.shards) {
      shard.records.length = 0;
      shard.done = 0;
    }
    await this.expire();
  }

  /** Two source items make the same key, then one alone, then both again while someone looks for conflicts. */
  private async quarrel(version: number): Promise<void> {
    const say = (id: string, isThere: boolean): void => {
      const item = { id: { S: id }, kind: { S: 'node' }, ref: { N: '0' }, value: { S: `value${this.values++ % 4}` } };
      this.put(id, isThere ? item : undefined);
    };
    for (const isThere of [true, false, true]) {
      say('a', true);
      say('b', isThere);
      for (let i = 0; i < 3; i++) this.lookForConflicts();
      await this.drain(version);
    }
  }

  /** A check beside the traffic reports nothing of a table that is right. */
  private async check(version: number): Promise<void> {
    const result = await this.beside(version, () =>
      this.mirror(version, 0).check({
        processed: async (throughMs) => {
          while (!this.hasProcessed(throughMs)) await this.gate.step();
          return true;
        },
      }),
    );
    if (this.mayPoison) return;
    for (const found of result.differences) this.failures.push(`false alarm: ${JSON.stringify(found)}`);
  }

  private hasProcessed(throughMs: number): boolean {
    return this.shards.every(({ records, done }) =>
      records.slice(done).every(({ dynamodb }) => Number(dynamodb!.ApproximateCreationDateTime) * 1000 > throughMs),
    );
  }

  /** A walk of an operator, beside the traffic. A walk that is interrupted is begun again. */
  private async walkBeside(version: number, walk: 'snapshot' | 'sweep' | 'reconcile'): Promise<void> {
    for (;;) {
      try {
        await this.beside(version, () => this.mirror(version)[walk]());
        return;
      } catch (error) {
        if (!isFault(error)) throw error;
      }
    }
  }

  private async beside<T>(version: number, action: () => Promise<T>): Promise<T> {
    let isOver = false;
    const done = action().finally(() => {
      isOver = true;
    });
    done.catch(() => undefined);
    for (let rounds = this.random.below(5); !isOver; rounds--) {
      if (rounds > 0) await this.live(version, 1);
      else {
        this.deliver(version);
        this.now += 1_000;
        await this.gate.step();
      }
    }
    return done;
  }

  private async waitForProcesses(): Promise<void> {
    while (this.running.size > 0) await this.gate.step();
  }

  private async drain(version: number): Promise<void> {
    while (this.shards.some(({ records, done }) => done < records.length)) {
      this.deliver(version);
      if (this.random.chance(0.1)) this.lookForConflicts();
      await this.gate.step();
    }
    await this.waitForProcesses();
  }

  /** Begins a consumer of a shard, from its place or from before it. */
  private deliver(version: number): void {
    const shard = this.random.oneOf(this.shards as [SourceShard, ...SourceShard[]]);
    const start = Math.max(0, shard.done - (this.random.chance(0.3) ? 1 + this.random.below(4) : 0));
    const batch = shard.records.slice(start, start + 1 + this.random.below(4));
    if (batch.length === 0 || this.running.size > 4) return;
    const work = this.mirror(version)
      .apply(batch, { streamLabel: shard.label })
      .then(({ failedFrom }) => {
        const failed = batch.findIndex(({ dynamodb }) => dynamodb!.SequenceNumber === failedFrom);
        shard.done = Math.max(shard.done, start + (failed === -1 ? batch.length : failed));
      })
      .catch((error: unknown) => {
        if (!isFault(error)) this.failures.push(String(error));
      })
      .finally(() => this.running.delete(work));
    this.running.add(work);
  }

  /** Begins a look of someone who deletes the notes of conflicts that have ended. */
  private lookForConflicts(): void {
    if (this.running.size > 4) return;
    const store = this.ours(this.faults);
    const work = conflictsNow(graph, { store, stats: { rcu: 0 } }, store)
      .then(() => undefined)
      .catch((error: unknown) => {
        if (!isFault(error)) this.failures.push(String(error));
      })
      .finally(() => this.running.delete(work));
    this.running.add(work);
  }

  private mirror(version: number, faults = this.faults): Mirror {
    const { items } = this;
    const sourceStore: SourceStore = {
      get: ({ id }) => this.call(faults, async () => items.get(stringOf(id)!)),
      scan: ({ startKey }) =>
        this.call(faults, async () => {
          const ids = [...items.keys()].sort().filter((id) => startKey === undefined || id > stringOf(startKey['id'])!);
          const page = ids.slice(0, 2).map((id) => items.get(id)!);
          return { items: page, ...(ids.length > 2 && { lastKey: { id: { S: ids[1]! } } }) };
        }),
    };
    const [store, wait] = [this.ours(faults), async (): Promise<void> => undefined];
    return createMirror(graph, { source: mapping(version), store, sourceStore, now: () => this.now, wait });
  }

  /** Our table as a process calls it. */
  private ours(faults: number) {
    const { store } = this;
    return {
      get: (...given: Parameters<typeof store.get>) => this.call(faults, () => store.get(...given)),
      change: (...given: Parameters<typeof store.change>) => this.call(faults, () => store.change(...given)),
      query: (...given: Parameters<typeof store.query>) => this.call(faults, () => store.query(...given)),
      scan: (...given: Parameters<typeof store.scan>) => this.call(faults, () => store.scan(...given)),
    };
  }

  private async call<T>(faults: number, run: () => Promise<T>): Promise<T> {
    await this.gate.step();
    const fault = this.random.next();
    if (fault < faults / 3) throw new Crash();
    if (fault < (2 * faults) / 3) throw new StoreError('retryable', 'ThrottlingException', 'Throttled.');
    const answer = await run();
    if (fault < faults) throw new StoreError('retryable', 'TimeoutError', 'The answer was lost.');
    return answer;
  }

  private switchOn(): void {
    this.isStreaming = true;
    const label = new Date(this.now).toISOString().replace(/\.?0*Z$/, '');
    this.now += 1_000 + this.random.below(900);
    // Nothing is promised of the numbers of two streams.
    this.sequence = 1 + this.random.below(200);
    this.shards.push({ label, records: [], done: 0 }, { label, records: [], done: 0 });
  }

  private write(): void {
    const id = this.random.oneOf(['a', 'b', 'c']);
    if (this.random.chance(0.3)) this.put(id, undefined);
    else {
      const kinds = ['node', 'edge', 'both', ...(this.mayPoison ? ['poison'] : [])] as [string, ...string[]];
      const value = { S: `value${this.values++ % 4}` };
      this.put(id, {
        id: { S: id },
        kind: { S: this.random.oneOf(kinds) },
        ref: { N: String(this.random.below(2)) },
        value,
      });
    }
  }

  private put(id: string, next: Item | undefined): void {
    const before = this.items.get(id);
    if (sameItem(before, next)) return;
    if (next === undefined) this.items.delete(id);
    else this.items.set(id, next);
    if (!this.isStreaming) return;
    this.sequence += 1 + this.random.below(60);
    const shard = this.shards.at(id === 'a' ? -1 : -2)!;
    const change = { key: { source: id, target: id }, before, after: next };
    shard.records.push(recordOf(change, String(this.sequence), Math.floor(this.now / 1000), { id: { S: id } }));
  }

  /** DynamoDB deletes what has expired. */
  private async expire(): Promise<void> {
    for (const item of await this.stored()) {
      const expiry = item[graph.table.ttl];
      if (expiry === undefined || !('N' in expiry) || Number(expiry.N) * 1000 >= this.now) continue;
      await this.store.delete({ source: stringOf(item['source'])!, target: stringOf(item['target'])! });
    }
  }

  private async stored(): Promise<Item[]> {
    const { items } = await this.store.scan({ segment: 0, segments: 1 });
    return items;
  }

  private async verify(version: number): Promise<void> {
    const wanted = new Map<string, Map<string, Item>>();
    for (const image of this.items.values()) {
      for (const [key, item] of mapped(graph, mapping(version), image)) {
        const contributions = wanted.get(key) ?? new Map<string, Item>();
        wanted.set(key, contributions.set(makerOf(mapping(version), image), item));
      }
    }
    const found = new Map<string, Item>();
    for (const item of await this.stored()) {
      const key = { source: stringOf(item['source'])!, target: stringOf(item['target'])! };
      if (key.source.startsWith('~') || isDerivedKey(key.target)) continue;
      if (Object.hasOwn(item, GONE)) continue;
      found.set(textOfKey(key), item);
    }
    const wrong = (key: string, what: string): void => {
      this.failures.push(`${key}: ${what} ${JSON.stringify(found.get(key))}`);
    };
    for (const key of new Set([...wanted.keys(), ...found.keys()])) {
      const [contributions, item] = [wanted.get(key), found.get(key)];
      if (contributions === undefined) wrong(key, 'is stray');
      else if (item === undefined) wrong(key, 'is missing');
      else this.verifyItem(key, contributions, item, wrong);
    }
    const shared = [...wanted].filter(([, contributions]) => contributions.size > 1).map(([key]) => key);
    const { conflicts } = await conflictsNow(graph, { store: this.store, stats: { rcu: 0 } });
    const named = conflicts.map(textOfKey);
    if (named.sort().join() !== shared.sort().join()) this.failures.push(`conflicts of ${named}, not of ${shared}`);
  }

  private verifyItem(
    key: string,
    wanted: ReadonlyMap<string, Item>,
    item: Item,
    wrong: (key: string, what: string) => void,
  ): void {
    const contributions = contributionsOf(graph, item);
    if (contributions === undefined) {
      wrong(key, 'has no contributions');
      return;
    }
    if (liveMakers(contributions).sort().join() !== [...wanted.keys()].sort().join()) wrong(key, 'has other makers');
    const shown = wanted.get(contributions.shown);
    if (!sameItem(contentOf(graph, shown), contributions.byMaker.get(contributions.shown)?.content))
      wrong(key, 'shows other content');
    if (Object.hasOwn(item, graph.table.ttl)) wrong(key, 'expires');
  }
}

function isFault(error: unknown): boolean {
  return error instanceof Crash || (error instanceof StoreError && error.kind === 'retryable');
}
