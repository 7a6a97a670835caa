import { isDeepStrictEqual } from 'node:util';
import { createWriter, type Writer } from '../../../../src/client/write/writer.ts';
import type { Item } from '../../../../src/core/items/attribute-value.ts';
import { toPlainItem } from '../../../../src/core/items/plain.ts';
import { defineGraph } from '../../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { node } from '../../../../src/core/model/schema.ts';
import type { Store } from '../../../../src/core/store-port.ts';
import { EdgeloomError, StoreError } from '../../../../src/foundation/errors.ts';
import { withReplacedCalls } from '../../../../src/store/wrapped.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { Gate } from '../../kernel/gate.ts';
import { packOfTexts } from '../../kernel/pack.ts';
import { Random } from '../../kernel/random.ts';

/**
 * One schedule of writers that change the same few items at the same time, with lost answers and throttles. Every change
 * that comes to the table is compared with what its writer meant, applied to the item as it was at that moment: an update
 * that took another's value away, or made its own twice, shows.
 */

type Plain = Record<string, unknown>;

/** A node or none, as plain attributes. */
type State = Plain | undefined;

/** One operation of a writer, and what it means. */
interface Operation {
  name: string;
  /** Starts it. */
  run: (writer: Writer<CompiledModel>) => Promise<unknown>;
  /** What it makes of the item, whatever that is at the moment. */
  effect: (before: State) => State;
}

/** A change that came to the table. */
interface Commit {
  operation: Operation;
  before: State;
  after: State;
}

/** All that any writer writes: an update that looks at all attributes depends on the declared ones that are absent, too. */
const NAMES = ['n', 'm', 'flag', 'tags', 'size', 'log', 'other'];

const graph = defineGraph({
  table: 'records',
  nodes: { TASK: node({ view: NAMES }), DOC: node({ view: NAMES, versionAttribute: 'v' }) },
}) as CompiledModel;

/** The pack of writers of the same items. */
export const PACK = packOfTexts((seed) => new UpdateSchedule(seed).run());

class UpdateSchedule {
  private readonly random: Random;
  private readonly gate: Gate;
  private readonly commits: Commit[] = [];
  private readonly outcomes: { operation: Operation; outcome: string }[] = [];
  private readonly failures: string[] = [];
  private current: Operation | undefined;
  private readonly table: MemoryStore;
  private readonly late: Promise<unknown>[] = [];

  constructor(seed: number) {
    this.random = new Random(seed);
    this.gate = new Gate(this.random);
    this.table = new MemoryStore(graph.table, {
      onChange: ({ oldImage, newImage }) => {
        if (this.current === undefined) return;
        this.commits.push({ operation: this.current, before: stateOf(oldImage), after: stateOf(newImage) });
      },
    });
  }

  async run(): Promise<string[]> {
    const id = this.random.chance(0.3) ? 'DOC-1' : 'TASK-1';
    if (this.random.chance(0.8)) await this.table.put(itemOf(id, { n: 1, m: 2, ...(id === 'DOC-1' && { v: 1 }) }));
    const writers = Array.from({ length: 2 + this.random.below(3) }, (_, i) => this.process(id, i));
    await this.gate.run(writers);
    await this.gate.run(this.late);
    for (const { operation, before, after } of this.commits) {
      const expected = operation.effect(before);
      if (isDeepStrictEqual(after, expected)) continue;
      this.failures.push(`${operation.name}: ${text(before)} became ${text(after)}, not ${text(expected)}`);
    }
    for (const { operation, outcome } of this.outcomes) {
      const times = this.commits.filter((commit) => commit.operation === operation).length;
      if (times > 1) this.failures.push(`${operation.name} was made ${times} times`);
      const isSure = outcome !== 'done' && outcome !== 'outcome-unknown';
      if (isSure && times > 0) this.failures.push(`${operation.name} was made, but its writer was told ${outcome}`);
    }
    return this.failures;
  }

  private async process(id: string, number: number): Promise<void> {
    for (let i = 0; i <= this.random.below(3); i++) {
      const operation = this.operation(id, `${number}.${i}`);
      const isFaulty = this.random.chance(0.5);
      const wait = async (): Promise<void> => this.gate.step();
      const writer = createWriter(graph, { store: this.store(operation, isFaulty), wait });
      const outcome = await operation.run(writer).then(
        () => 'done',
        (error: unknown) => {
          if (error instanceof EdgeloomError) return error.code;
          throw error;
        },
      );
      this.outcomes.push({ operation, outcome });
    }
  }

  /** The table as one operation sees it: each call waits its turn, and may go wrong. */
  private store(operation: Operation, isFaulty: boolean): Store {
    const call = async <T>(run: () => Promise<T>): Promise<T> => {
      await this.gate.step();
      const as = (): Promise<T> => {
        this.current = operation;
        const result = run();
        this.current = undefined;
        return result;
      };
      const fault = isFaulty && this.random.chance(0.4) ? this.random.below(4) : -1;
      if (fault === 0) throw new StoreError('retryable', 'ThrottlingException', 'Slow down.');
      if (fault === 1) await as();
      if (fault === 2) this.late.push(this.gate.step().then(as));
      if (fault >= 1) throw new StoreError('retryable', 'TimeoutError', 'No answer.');
      const result = await as();
      await this.gate.step();
      return result;
    };
    return withReplacedCalls(this.table, {
      get: async (...args) => {
        await this.gate.step();
        return this.table.get(...args);
      },
      put: (item) => call(() => this.table.put(item)),
      change: (change) => call(() => this.table.change(change)),
      changeAll: (changes, token) => call(() => this.table.changeAll(changes, token)),
    });
  }

  private operation(id: string, name: string): Operation {
    const versioned = id.startsWith('DOC');
    const upsert = this.random.chance(0.4);
    const options = { upsert, idempotent: this.random.chance(0.2) };
    const step = 1 + this.random.below(9);
    const counted = (next: State): State =>
      next !== undefined && versioned ? { ...next, v: Number(next['v'] ?? 0) + 1 } : next;
    const update = (what: string, change: (attributes: Plain) => Plain): Operation => ({
      name: `${name} ${what}`,
      run: (writer) => writer.updateNode(id, (attributes) => change(attributes), options),
      effect: (before) => (before === undefined && !upsert ? undefined : counted(change(before ?? {}))),
    });
    const named = (what: string, change: object, effect: (before: Plain) => Plain): Operation => ({
      name: `${name} ${what}`,
      run: (writer) => writer.updateNode(id, change, options),
      effect: (before) => counted(effect(before ?? {})),
    });
    return this.random.oneOf<() => Operation>([
      () => update('adds to n', ({ ...all }) => ({ ...all, n: Number(all['n'] ?? 0) + step })),
      () => update('copies n to m', ({ ...all }) => ({ ...all, m: all['n'] ?? 0 })),
      () => update('swaps by flag', (all) => (all['flag'] === true ? { ...all, n: step } : { ...all, flag: true })),
      () =>
        update('counts attributes', (all) => ({ ...all, size: Object.keys(all).filter((one) => one !== 'v').length })),
      () => update('marks the absence of m', (all) => (`m` in all ? all : { ...all, log: name })),
      () => named('adds to n by name', { add: { n: step } }, (all) => ({ ...all, n: Number(all['n'] ?? 0) + step })),
      () => named('sets m', { set: { m: name } }, (all) => ({ ...all, m: name })),
      () =>
        named('removes m', { remove: ['m'] }, (all) => {
          const { m: _, ...rest } = all;
          return rest;
        }),
      () =>
        named('adds a tag', { addTo: { tags: [name] } }, (all) => ({
          ...all,
          tags: new Set([...((all['tags'] as Set<string> | undefined) ?? []), name]),
        })),
      () => this.foreignPut(id, name, step),
      () => ({
        name: `${name} deletes`,
        run: (writer) => writer.deleteNode(id, { ifPresent: true }),
        effect: () => undefined,
      }),
    ])();
  }

  /** What a producer without the library does: one plain PutItem. */
  private foreignPut(id: string, name: string, step: number): Operation {
    const attributes = { n: step, other: name };
    return {
      name: `${name} puts`,
      run: async () => {
        await this.gate.step();
        await this.table.put(itemOf(id, attributes));
      },
      effect: () => attributes,
    };
  }
}

function itemOf(id: string, attributes: Record<string, number | string>): Item {
  const values = Object.entries(attributes).map(([name, value]) => [
    name,
    typeof value === 'number' ? { N: String(value) } : { S: value },
  ]);
  return { source: { S: id }, target: { S: id }, ...Object.fromEntries(values) } as Item;
}

function stateOf(image: Item | undefined): State {
  if (image === undefined) return undefined;
  const { source: _source, target: _target, ...attributes } = image;
  return toPlainItem(attributes);
}

function text(state: State): string {
  return state === undefined
    ? 'nothing'
    : JSON.stringify(state, (_, value) => (value instanceof Set ? [...value] : value));
}
