import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../../src/core/items/change-record.ts';
import { defineGraph } from '../../../../src/core/model/compile/define-graph.ts';
import { edge, node, source } from '../../../../src/core/model/schema.ts';
import type {
  DerivedUpdate,
  ItemKey,
  QueryRequest,
  QueryResult,
  Store,
  UpdateCondition,
} from '../../../../src/core/store-port.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { updateEach } from '../../../../src/store/update-run.ts';
import { Repairer } from '../../../../src/trust/repair/repairer.ts';
import { forgotten } from '../../../support/forgotten.ts';
import { Gate } from '../../kernel/gate.ts';
import { packOfTexts } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';
import { nameOf, numberOf, setOf, textOf } from '../../kernel/values.ts';

/**
 * One schedule of consumers that bring edges and their source node to the index items that the two determine. It rests on
 * what DynamoDB and its streams promise and on nothing of the projector: the table is its own, reads of many items see each
 * at a moment of its own, what is read eventually may be old, the order of records holds for one item, batches are cut at any
 * border and come again, and a consumer that was given up goes on writing. In the end every item has to be what its edge and
 * its node want, and the count that of the edges.
 */

/** The pack of index items that an edge and its node determine together. */
export const PACK = packOfTexts(runJoined);

/** Runs the schedule of a seed; gives what went wrong. */
export async function runJoined(seed: number): Promise<string[]> {
  return await new JoinedSchedule(seed).run();
}

const NODE = 'A-1';
const EDGES = ['AB-B-1', 'AB-B-2', 'AB-B-3'] as const;
const OTHERS = ['B-1'] as const;

interface Options {
  degree: boolean;
  copies: boolean;
}

function graphOf({ degree, copies }: Options) {
  return defineGraph({
    table: 'records',
    nodes: { A: node({ view: ['x'] }), B: node({ view: [] }) },
    edges: {
      AB: edge({
        from: 'A',
        to: 'B',
        edgeSet: [],
        degree,
        ...(copies && { copy: ['name'] }),
        inbound: {
          orders: { gsi0: source('x'), byOwn: ['own', source('y')] },
          project: ['own'],
          projectSource: ['t'],
        },
      }),
    },
  });
}

/** A stream shard: records of some items, in the order in which they were made. */
interface Lane {
  records: ChangeRecord[];
  done: number;
  /** How often its records may still come again. */
  replays: number;
}

class JoinedSchedule {
  private readonly random: Random;
  private readonly gate: Gate;
  private readonly options: Options;
  private readonly graph;
  private readonly items = new Map<string, Item>();
  /** What each item was before its last change, for reads that may be old. */
  private readonly old = new Map<string, Item | undefined>();
  private readonly lanes: Lane[] = [
    { records: [], done: 0, replays: 2 },
    { records: [], done: 0, replays: 2 },
  ];
  private readonly laneOf = new Map<string, number>();
  private readonly zombies: Promise<unknown>[] = [];
  /** Consumers that are at work. */
  private alive = 0;
  private isProducing = true;
  private position = 1;
  private readonly failures: string[] = [];
  private readonly store: Store;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.gate = new Gate(this.random);
    this.options = { degree: this.random.chance(0.3), copies: this.random.chance(0.3) };
    this.graph = graphOf(this.options);
    this.store = this.table();
  }

  async run(): Promise<string[]> {
    const processes = [this.produce(), ...this.lanes.map((lane) => this.consume(lane))];
    if (this.random.chance(0.3)) processes.push(this.mend());
    await this.gate.run(processes);
    this.compare();
    return this.failures;
  }

  private async produce(): Promise<void> {
    const count = 3 + this.random.below(8);
    const most = this.random.below(EDGES.length);
    for (let i = 0; i < count; i++) {
      for (let wait = this.random.below(12); wait > 0; wait--) await this.gate.step();
      const target = this.random.chance(0.45) ? NODE : EDGES[this.random.below(most + 1)]!;
      if (this.options.copies && this.random.chance(0.15)) {
        const [other] = OTHERS;
        this.change({ source: other, target: other }, { name: { S: `name${i}` } });
        continue;
      }
      const isGone = this.random.chance(0.25);
      const own: Item = this.random.chance(0.8) ? { own: { S: this.random.oneOf(['a', 'b']) } } : {};
      const given = (name: string): Item => (this.random.chance(0.8) ? { [name]: { S: `${name}${i}` } } : {});
      const attributes = target === NODE ? { ...given('x'), ...given('y'), ...given('t') } : own;
      this.change({ source: NODE, target }, isGone ? undefined : attributes);
    }
    this.isProducing = false;
  }

  /** Delivers a lane's records in batches of any length; a consumer may be given up and go on, and batches come again. */
  private async consume(lane: Lane): Promise<void> {
    for (;;) {
      await this.gate.step();
      const left = lane.records.length - lane.done;
      if (left === 0) {
        if (this.isProducing) continue;
        if (lane.replays > 0 && lane.done > 0 && this.random.chance(0.3)) {
          lane.replays -= 1;
          lane.done = this.random.below(lane.done);
          continue;
        }
        lane.replays = 0;
        await Promise.all(this.zombies);
        // One that was given up meanwhile may still write a continuation.
        const isQuiet = this.alive === 0;
        if (isQuiet && this.lanes.every(({ records, done, replays }) => done === records.length && replays === 0))
          return;
        continue;
      }
      const batch = lane.records.slice(lane.done, lane.done + 1 + this.random.below(left));
      const isGivenUp = this.zombies.length < 3 && this.random.chance(0.35);
      const projecting = this.project(batch, isGivenUp);
      if (isGivenUp) {
        // It is delivered again while the first consumer may still be writing.
        this.zombies.push(projecting);
        continue;
      }
      await projecting;
      lane.done = Math.max(lane.done, lane.records.indexOf(batch.at(-1)!) + 1);
    }
  }

  private async project(batch: readonly ChangeRecord[], isGivenUp: boolean): Promise<void> {
    const projector = createProjector(this.graph, {
      // The call for which a consumer is given up takes until others have done its work.
      store: this.table(isGivenUp ? this.random.below(25) : undefined),
      model: fixedModel(this.graph),
      concurrency: this.random.oneOf([1, 4]),
      fanOutPageSize: 1 + this.random.below(3),
      random: () => 0,
      wait: async () => undefined,
    });
    this.alive += 1;
    const { error } = await projector.project(batch);
    this.alive -= 1;
    if (error !== undefined) this.failures.push(`a batch failed: ${error.message}`);
  }

  /** A repair of an item that may have nothing wrong with it. */
  private async mend(): Promise<void> {
    for (let wait = this.random.below(60); wait > 0; wait--) await this.gate.step();
    const mender = new Repairer({
      graph: this.graph,
      store: this.store,
      now: Date.now,
      wait: async () => undefined,
    });
    const target = this.random.oneOf(EDGES);
    await mender.repair([{ source: NODE, sortKey: `~ix/${target}`, bases: [{ source: NODE, target }] }]);
    if (this.options.degree) await mender.repair([{ source: NODE, sortKey: '~degree/AB' }]);
  }

  /** Puts or deletes an item; its record goes into its lane. */
  private change(key: ItemKey, attributes: Item | undefined): void {
    const name = nameOf(key);
    const before = this.items.get(name);
    const after = attributes && { source: { S: key.source }, target: { S: key.target }, ...attributes };
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    this.old.set(name, before);
    if (after === undefined) this.items.delete(name);
    else this.items.set(name, after);
    if (key.target.startsWith('~') && !key.target.startsWith('~more/')) return;
    const lane = this.laneOf.get(name) ?? this.random.below(2);
    this.laneOf.set(name, lane);
    this.position += 1;
    // Positions of one item rise; those of different items say nothing of which change came first.
    const sequenceNumber = String(lane === 0 ? this.position : 100_000 + this.position);
    this.lanes[lane]!.records.push({
      ...key,
      oldImage: before,
      newImage: after,
      sequenceNumber,
      stream: '2026',
    } as ChangeRecord);
  }

  private read(key: ItemKey, consistent: boolean): Item | undefined {
    const name = nameOf(key);
    if (!consistent && this.old.has(name) && this.random.chance(0.5)) return this.old.get(name);
    return this.items.get(name);
  }

  /** The table for one caller, whose call of a number, if one is given, takes very long. */
  private table(sleepsAt?: number): Store {
    let calls = 0;
    const step = async (): Promise<void> => {
      // Now and then a call is on its way for long.
      const more = calls === sleepsAt ? 300 : this.random.chance(0.1) ? 30 : 0;
      calls += 1;
      for (let done = 0; done <= more; done++) await this.gate.step();
    };
    const unused = (): never => {
      throw new Error('the projector makes no such call here');
    };
    const update: Store['update'] = async (change) => {
      await step();
      const current = this.items.get(nameOf(change.key));
      if (!holds(change.condition, current)) return { applied: false, wcu: 1, current };
      this.apply(change);
      return { applied: true, wcu: 1 };
    };
    return {
      get: async (key, { consistent }) => {
        await step();
        return { item: this.read(key, consistent), rcu: 1 };
      },
      getMany: async (keys, { consistent }) => {
        const items: (Item | undefined)[] = keys.map(() => undefined);
        // In any order: no snapshot of several items.
        const places = [...keys.keys()].sort(() => this.random.below(3) - 1);
        for (const place of places) {
          await step();
          items[place] = this.read(keys[place]!, consistent);
        }
        return { items, rcu: 1, calls: 1 };
      },
      update,
      updateMany: async (updates, options) =>
        (await updateEach(updates, update, options)).map((outcome) => forgotten(outcome, this.random.chance(0.5))),
      transact: async (updates) => {
        await step();
        const applied = updates.every(({ key, condition }) => holds(condition, this.items.get(nameOf(key))));
        if (applied) for (const update of updates) this.apply(update);
        return { applied, wcu: 2 };
      },
      put: async (item) => {
        await step();
        this.change({ source: textOf(item['source']), target: textOf(item['target']) }, item);
        return { wcu: 1 };
      },
      query: (request) => this.query(request, step),
      queryNative: () => {
        throw new Error('no list of these schedules is native');
      },
      ...{ delete: unused, writeMany: unused, change: unused, changeAll: unused },
    };
  }

  private apply({
    key,
    set,
    unset,
    addElements = [],
    deleteElements = [],
    setElements,
    ...added
  }: DerivedUpdate): void {
    const current = this.items.get(nameOf(key)) ?? {};
    const next: Item = { ...current, ...set, r: { N: String(Number(numberOf(current['r'])) + 1) } };
    for (const name of unset) delete next[name];
    const elements = new Set(setElements ?? setOf(current['edgeSet']));
    for (const element of addElements) elements.add(element);
    for (const element of deleteElements) elements.delete(element);
    delete next['edgeSet'];
    if (elements.size > 0) next['edgeSet'] = { SS: [...elements] };
    for (const [name, addend] of Object.entries(added.add ?? {}))
      next[name] = { N: String(Number(numberOf(next[name])) + Number(addend)) };
    for (const [name, texts] of Object.entries(added.addTo ?? {}))
      next[name] = { SS: [...new Set([...setOf(next[name]), ...texts])] };
    const { source: _source, target: _target, ...attributes } = next;
    this.change(key, attributes);
  }

  private async query(
    { partition, sortKey = {}, limit = 1_000, startKey, consistent = false }: QueryRequest,
    step: () => Promise<void>,
  ): Promise<QueryResult> {
    const after = textOf(startKey?.['target']);
    const isAsked = (target: string): boolean => {
      if (target <= after) return false;
      if ('beginsWith' in sortKey) return target.startsWith(sortKey.beginsWith);
      return target >= (sortKey.from ?? '') && target <= (sortKey.to ?? '\u{10ffff}');
    };
    const items: Item[] = [];
    // Item by item, each at a moment of its own: the next one is looked for when its turn comes.
    for (let place = after; ; ) {
      await step();
      const keys = [...new Set([...this.items.keys(), ...(consistent ? [] : this.old.keys())])].map(keyOf);
      const next = keys
        .filter(({ source, target }) => source === partition && target > place && isAsked(target))
        .sort((left, right) => (left.target < right.target ? -1 : 1))[0];
      if (next === undefined) return { items, count: items.length, scanned: items.length, rcu: 1 };
      place = next.target;
      const item = this.read(next, consistent);
      if (item !== undefined) items.push(item);
      if (items.length < limit) continue;
      const lastKey = { source: { S: partition }, target: { S: place } };
      return { items, count: items.length, scanned: items.length, rcu: 1, lastKey };
    }
  }

  private compare(): void {
    const source = this.items.get(nameOf({ source: NODE, target: NODE }));
    let count = 0;
    for (const target of EDGES) {
      const expected = new Map<string, Item>();
      const own = this.items.get(nameOf({ source: NODE, target }));
      if (own !== undefined) {
        count += 1;
        const attributes = { attributes: { M: { ...pick(own, 'own'), ...pick(source, 't') } } };
        const counted: Item = this.options.degree ? { counted: { S: 'AB' } } : {};
        const x = textOf(source?.['x']);
        const sorted = x === '' ? {} : { gsi0pk: { S: target }, gsi0sk: { S: `${x}\u0000${NODE}` }, ...attributes };
        expected.set(`~ix/${target}`, { ...sorted, ...counted });
        const y = textOf(source?.['y']);
        if (own['own'] !== undefined) {
          const text = `${textOf(own['own'])}\u0001${y === '' ? '' : `${y}\u0001`}`;
          const keys = { gsi0pk: { S: `byOwn/${target}` }, gsi0sk: { S: `${text}\u0000${NODE}` } };
          expected.set(`~ix/#byOwn/${target}`, { ...keys, ...attributes });
        }
      }
      for (const sortKey of [`~ix/${target}`, `~ix/#byOwn/${target}`]) {
        const stored = this.items.get(nameOf({ source: NODE, target: sortKey }));
        const { source: _source, target: _target, r: _r, model: _model, expiresAt, ...fields } = stored ?? {};
        const isLive = Object.keys(fields).length > 0;
        if (sorted(fields) !== sorted(expected.get(sortKey) ?? {})) {
          this.failures.push(`${sortKey} is ${sorted(fields)} instead of ${sorted(expected.get(sortKey) ?? {})}`);
        }
        if (stored !== undefined && isLive === (expiresAt !== undefined))
          this.failures.push(`${sortKey} has the wrong expiry`);
      }
    }
    if (!this.options.degree) return;
    const stored = numberOf(this.items.get(nameOf({ source: NODE, target: '~degree/AB' }))?.['count']);
    if (Number(stored) !== count) this.failures.push(`the count is ${stored} instead of ${count}`);
  }
}

function holds(condition: UpdateCondition, current: Item | undefined): boolean {
  if (condition.kind === 'none') return true;
  if (condition.kind === 'absent') return current === undefined;
  if (condition.kind === 'revision')
    return current?.['r'] === undefined
      ? condition.revision === undefined
      : numberOf(current['r']) === condition.revision;
  throw new Error('Nothing here has groups.');
}

function keyOf(name: string): ItemKey {
  const [source = '', target = ''] = name.split('\n');
  return { source, target };
}

function pick(item: Item | undefined, name: string): Item {
  return item?.[name] === undefined ? {} : { [name]: item[name] };
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_name, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([left], [right]) => (left < right ? -1 : 1)))
      : entry,
  );
}
