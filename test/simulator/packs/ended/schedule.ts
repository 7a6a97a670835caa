import { check, createProjector, deleteEnded, migrate } from '../../../../src/admin.ts';
import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { sum } from '../../../../src/core/model/schema.ts';
import type { QueryRequest, QueryResult, ScanSource, Store } from '../../../../src/core/store-port.ts';
import { createReader } from '../../../../src/index.ts';
import { throughCalls } from '../../../support/calls.ts';
import { anyEdge, anyNode, define } from '../../../support/model.ts';
import { StreamedStore } from '../../../support/streamed-store.ts';
import { Gate } from '../../kernel/gate.ts';
import { packOfTexts } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';

/**
 * Edges that end, with their counts. Producers write, prolong and delete, consumers project each batch, some of them twice, and sweeps
 * delete what is over: each call of each of them waits for its turn, the index shows a sweep what it showed before, and the clock moves.
 * Types begin and cease to end, while consumers of both models run. What is right is told from the documentation alone: an edge is deleted only by its producer, or by a sweep
 * whose model ends its type, at a moment when the stored edge is over; in the end no such edge is left that is over, and what is counted
 * are the edges that are there.
 */

/** The pack of these schedules. */
export const PACK = packOfTexts((seed) => new Schedule(seed).play());

const START = 1_900_000_000;
const [SOURCES, TARGETS] = [
  ['USER-1', 'USER-2'],
  ['PARTY-1', 'PARTY-2'],
] as const;
/** `INVITES` ends in every model, the others in some. */
const TYPES = ['INVITES', 'VISITS', 'LEAVES'] as const;
type EdgeType = (typeof TYPES)[number];
type Guests = { guests?: string };
type Models = Readonly<Record<EdgeType, boolean>>;

function modelOf(ends: Models): CompiledModel {
  const options = (type: EdgeType, more: object) =>
    anyEdge({ from: 'USER', to: 'PARTY', ...(ends[type] && { expires: 'expiresAt' }), ...more });
  return define({
    table: 'records',
    nodes: { USER: anyNode({}), PARTY: anyNode({}) },
    edges: {
      INVITES: options('INVITES', { degree: true, inbound: { orders: { byRole: 'role' } } }),
      VISITS: options('VISITS', { edgeSet: false, inbound: { total: { guests: sum('guests') }, groupBy: ['role'] } }),
      LEAVES: options('LEAVES', { outgoing: { total: { guests: sum('guests') } } }),
    },
  });
}

class Schedule {
  private readonly random: Random;
  private readonly wrong: string[] = [];
  private nowMs = START * 1000;
  private readonly store: StreamedStore;
  private ends: Models;
  private graph: CompiledModel;
  private projected = 0;
  /** What a sweep was shown by the index before. */
  private readonly shown = new Map<string, QueryResult>();

  constructor(seed: number) {
    this.random = new Random(seed);
    this.ends = { INVITES: true, VISITS: this.random.chance(0.5), LEAVES: this.random.chance(0.5) };
    this.graph = modelOf(this.ends);
    this.store = new StreamedStore(this.graph, () => this.nowMs);
  }

  async play(): Promise<string[]> {
    await this.bring();
    for (let round = 1 + this.random.below(3); round > 0; round--) {
      await this.overlap([this.ends]);
      if (!this.random.chance(0.5)) continue;
      const before = this.ends;
      const type = this.random.oneOf<EdgeType>(['VISITS', 'LEAVES']);
      this.ends = { ...before, [type]: !before[type] };
      this.graph = modelOf(this.ends);
      const isBeside = this.random.chance(0.6);
      if (!isBeside) await this.bring();
      // Functions of both models run for a while, some beside the migration.
      await this.overlap([this.ends, before], isBeside);
    }
    await this.settle();
    return this.wrong;
  }

  /** Migrates the table to the present model, while all else is quiet. */
  private async bring(): Promise<void> {
    await this.projectAll();
    await this.migrate(this.store);
    await this.projectAll();
  }

  private async migrate(store: Store & ScanSource): Promise<void> {
    await migrate(this.graph, {
      ...{ store, now: () => this.nowMs, clock: () => this.nowMs, serverTime: async () => this.nowMs, segments: 1 },
      random: () => this.random.next(),
      wait: async (milliseconds) => {
        this.nowMs += milliseconds;
      },
    });
  }

  /** Producers, consumers and sweeps at once, and the migration if it goes on beside them. */
  private async overlap(models: readonly Models[], isMigrating = false): Promise<void> {
    const { random } = this;
    const gate = new Gate(random);
    const consumers = models.map((ends) =>
      createProjector(modelOf(ends), { store: this.gated(gate), now: () => this.nowMs }),
    );
    const project = async (records: readonly ChangeRecord[]): Promise<void> => {
      const { error } = await random.pick(consumers).project(records);
      if (error !== undefined) throw error;
    };
    // Each batch comes at least once, whatever comes first.
    const consume = async (): Promise<void> => {
      for (let batches = 4; batches > 0; batches--) {
        await gate.step();
        const batch = this.store.records.slice(this.projected);
        this.projected = this.store.records.length;
        if (batch.length === 0) continue;
        if (random.chance(0.3)) await Promise.all([project(batch), project(batch)]);
        else await project(batch);
      }
    };
    const produce = async (): Promise<void> => {
      for (let writes = 3 + random.below(6); writes > 0; writes--) {
        await gate.step();
        await this.write();
      }
    };
    const sweep = async (): Promise<void> => {
      for (let sweeps = 2; sweeps > 0; sweeps--) {
        await gate.step();
        await this.sweep(random.pick(models), this.gated(gate));
      }
    };
    const tick = async (): Promise<void> => {
      for (let ticks = 4; ticks > 0; ticks--) {
        await gate.step();
        this.nowMs += random.oneOf([1, 500, 1000, 7000]);
      }
    };
    const all = [produce(), produce(), consume(), consume(), sweep(), sweep(), tick()];
    await gate.run(isMigrating ? [...all, this.migrate(this.gated(gate))] : all);
    await this.projectAll();
  }

  /** A producer writes, prolongs or deletes an edge. */
  private async write(): Promise<void> {
    const { random } = this;
    const [source, type] = [random.oneOf(SOURCES), random.oneOf(TYPES)];
    const target = `${type}-${random.oneOf(TARGETS)}`;
    const seconds = Math.floor(this.nowMs / 1000);
    const end = random.oneOf([seconds - 1, seconds, seconds + 0.5, seconds + 1, seconds + 5, seconds + 90]);
    const expiresAt: Item = random.chance(0.8) ? { expiresAt: { N: String(end) } } : {};
    const attributes = {
      role: { S: random.oneOf(['HOST', 'GUEST']) },
      guests: { N: String(random.below(4)) },
      ...(random.chance(0.95) ? expiresAt : { expiresAt: { S: String(end) } }),
    };
    await this.store.producer(source, target, random.chance(0.15) ? undefined : attributes);
  }

  /** A sweep by a model; what it deletes has to be over. */
  private async sweep(ends: Models, store: Store): Promise<number> {
    const result = await deleteEnded(modelOf(ends), {
      store: this.watched(ends, store),
      serverTime: async () => this.nowMs,
    });
    return result.deleted;
  }

  /** A table that tells of what is deleted wrongly; its index may show what it showed before. */
  private watched(ends: Models, store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'query') return (request: QueryRequest) => this.lagging(target, request);
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        if (name !== 'change') return member.bind(target);
        return async (...parameters: unknown[]) => {
          const before = this.store.records.length;
          const result = await member.apply(target, parameters);
          // Only this call has its turn when it writes, but others may have written while it waited.
          const [{ key }] = parameters as [{ key: { source: string; target: string } }];
          const gone = this.store.records
            .slice(before)
            .find((one) => one.newImage === undefined && one.source === key.source && one.target === key.target);
          if ((result as { applied: boolean }).applied) this.judgeDeletion(ends, gone);
          return result;
        };
      },
    });
  }

  private judgeDeletion(ends: Models, record: ChangeRecord | undefined): void {
    // Nothing was there to delete.
    if (record === undefined) return;
    const { source, target, oldImage } = record;
    const type = target.slice(0, target.indexOf('-')) as EdgeType;
    const say = (reason: string): unknown => this.wrong.push(`a sweep deleted ${source} ${target}, ${reason}`);
    if (!this.isOver(oldImage)) say(`which is not over: ${JSON.stringify(oldImage?.['expiresAt'])}`);
    else if (ends[type] !== true) say('whose type does not end in its model');
  }

  private isOver(item: Item | undefined): boolean {
    const end = item?.['expiresAt'];
    return end !== undefined && 'N' in end && Number(end.N) * 1000 <= this.nowMs;
  }

  private async lagging(store: Store, request: QueryRequest): Promise<QueryResult> {
    const name = JSON.stringify([request.partition, request.startKey]);
    const known = request.index === undefined ? undefined : this.shown.get(name);
    if (known !== undefined && this.random.chance(0.4)) return known;
    const result = await store.query(request);
    if (request.index !== undefined) this.shown.set(name, result);
    return result;
  }

  /** The table of a process that waits for its turn before each call. */
  private gated(gate: Gate): Store & ScanSource {
    return throughCalls<Store & ScanSource>(this.store, async (_method, _parameters, run) => {
      await gate.step();
      return await run();
    });
  }

  private async projectAll(): Promise<void> {
    const consumer = createProjector(this.graph, { store: this.store, now: () => this.nowMs });
    while (this.projected < this.store.records.length) {
      const batch = this.store.records.slice(this.projected);
      this.projected = this.store.records.length;
      const { error } = await consumer.project(batch);
      if (error !== undefined) throw error;
    }
  }

  /** When all is quiet: the index is up to date, and one sweep finds everything. */
  private async settle(): Promise<void> {
    const { store, graph, wrong } = this;
    this.shown.clear();
    this.nowMs += 5_000;
    await deleteEnded(graph, { store: this.watched(this.ends, store), serverTime: async () => this.nowMs });
    await this.projectAll();
    const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
    const edges = items.flatMap((item) => {
      const { source, target } = item as { source: { S: string }; target: { S: string } };
      const type = TYPES.find((one) => target.S.startsWith(`${one}-`));
      return type === undefined ? [] : [{ item, source: source.S, target: target.S, type }];
    });
    for (const { item, source, target, type } of edges)
      if (this.ends[type] && this.isOver(item)) wrong.push(`${source} ${target} is over, and there still`);
    const reader = createReader(graph, { store, now: () => this.nowMs });
    const expectSame = (what: string, got: unknown, expected: unknown): void => {
      if (JSON.stringify(got) !== JSON.stringify(expected))
        wrong.push(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`);
    };
    const guestsOf = (some: typeof edges): string =>
      String(some.reduce((all, { item }) => all + Number((item['guests'] as { N: string }).N), 0));
    for (const id of SOURCES) {
      const invites = edges.filter(({ source, type }) => source === id && type === 'INVITES');
      expectSame(`degree of ${id}`, await reader.degree(id, 'INVITES'), invites.length);
      const leaves = edges.filter(({ source, type }) => source === id && type === 'LEAVES');
      expectSame(`LEAVES of ${id}`, ((await reader.total(id, 'LEAVES')) as Guests).guests, guestsOf(leaves));
    }
    for (const id of TARGETS) {
      const visits = edges.filter(({ target }) => target === `VISITS-${id}`);
      const total = (await reader.total(id, 'VISITS', { direction: 'inbound' })) as Guests;
      expectSame(`VISITS of ${id}`, total.guests, guestsOf(visits));
    }
    const { drift } = await check(graph, { store, graceMs: 0 });
    expectSame('drift', drift, { missing: 0, stale: 0, orphan: 0 });
  }
}
