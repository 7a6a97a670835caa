import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { QUARANTINE_PARTITION, readEntry } from '../../../src/core/plan/quarantine-entry.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { SEND_WITHIN_MS } from '../../../src/foundation/late-writes.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import type { BatchOptions, ProjectorOptions } from '../../../src/projecting/apply/projector-types.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { HookedStore, type StoreCall } from '../../support/hooked-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL', search: { status: { shards: 1 } } }), USER: node({ view: 'ALL' }) },
  edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'], inbound: { orders: { gsi0: 'role' } } }) },
});

const goal = (i: number): string => `GOAL-${i}`;
const throttled = () => new StoreError('retryable', 'ThrottlingException', 'Slow down.');
const denied = () => new StoreError('fatal', 'AccessDeniedException', 'Not you.');

type Before = (call: StoreCall, number: number) => Promise<void> | void;

function setUp(before?: Before, options: Partial<ProjectorOptions> = {}) {
  const table = new StreamedStore(graph);
  const hooked = new HookedStore(table, before);
  const waits: number[] = [];
  const wait = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
  };
  const projector = createProjector(graph, {
    model: fixedModel(graph),
    store: hooked,
    concurrency: 1,
    wait,
    ...options,
  });
  const project = async (records: readonly ChangeRecord[], batch?: BatchOptions) =>
    await projector.project(records, batch);
  const entries = async () => {
    const { items } = await table.query({ index: 'gsi0', partition: QUARANTINE_PARTITION });
    return items.map((item) => readEntry(graph, item));
  };
  return { table, hooked, project, entries, waits };
}

/** Writes these many goals; gives their records. */
async function goals(
  table: StreamedStore,
  count: number,
  attributes: Item = { title: { S: 't' } },
): Promise<ChangeRecord[]> {
  for (let i = 1; i <= count; i++) await table.producer(goal(i), goal(i), attributes);
  return table.records;
}

describe('cost: in-order delivery', () => {
  it('is one write for each touched derived item and batch, and two reads that all share', async () => {
    const { table, hooked, project } = setUp();
    await table.producer(goal(1), goal(1), { status: { S: 'OPEN' } });
    await table.producer(goal(1), 'MEMBER-USER-1', { role: { S: 'A' } });
    await table.producer(goal(1), 'MEMBER-USER-2', { role: { S: 'A' } });
    await table.producer(goal(2), goal(2), { status: { S: 'OPEN' } });
    await table.producer(goal(2), goal(2), { status: { S: 'DONE' } });
    const result = await project(table.records);
    expect(hooked.calls.slice(0, 2).map(({ method, keys }) => [method, keys.length])).toEqual([
      ['getMany', 6],
      ['getMany', 4],
    ]);
    expect(hooked.log.slice(2).sort()).toEqual([
      ...['update GOAL-1 ~ix/MEMBER-USER-1', 'update GOAL-1 ~ix/MEMBER-USER-2', 'update GOAL-1 ~ix/status'],
      ...['update GOAL-1 ~view', 'update GOAL-2 ~ix/status', 'update GOAL-2 ~view'],
    ]);
    // Four index items cost a unit in the table and one in the index, two views one each.
    expect(result).toEqual({
      records: 5,
      touches: 6,
      writes: 6,
      wcu: 10,
      // Half a unit for each derived item, of which none is there yet, and one for each base item.
      rcu: 7,
      conflicts: 0,
      quarantined: 0,
      failedFrom: undefined,
      error: undefined,
    });
  });

  it('single writer: the projector writes no base item', async () => {
    const { table, hooked, project } = setUp();
    await table.producer(goal(1), goal(1), { status: { N: '1' } });
    await table.producer(goal(1), 'MEMBER-USER-1', { role: { S: 'A' } });
    await table.producer(goal(1), 'MEMBER-USER-1', undefined);
    await project(table.records);
    await project(table.records);
    const written = hooked.calls.filter(({ method }) => ['update', 'put', 'delete', 'writeMany'].includes(method));
    for (const { keys } of written) expect(keys.every((key) => key.split(' ')[1]!.startsWith('~'))).toBe(true);
  });

  it('reads many items in few calls, and writes each', async () => {
    const { table, hooked, project } = setUp();
    for (let i = 1; i <= 150; i++) await table.producer(goal(i), 'MEMBER-USER-1', { role: { S: 'A' } });
    const result = await project(table.records);
    const reads = hooked.calls.filter(({ method }) => method !== 'update');
    // A first step of a hundred items, so that a call with hardly any time gets on, and the rest; derived items and base items of each.
    expect(reads.map(({ method, keys }) => [method, keys.length])).toEqual([
      ['getMany', 100],
      ['getMany', 50],
      ['getMany', 200],
      ['getMany', 100],
    ]);
    expect(result).toMatchObject({ touches: 300, writes: 300, rcu: 300, conflicts: 0 });
  });

  it('an empty batch is nothing', async () => {
    const { hooked, project } = setUp();
    expect(await project([])).toMatchObject({ records: 0, touches: 0, writes: 0 });
    expect(hooked.calls).toEqual([]);
  });
});

describe('a terminal error', () => {
  it('has one entry for a base item, however many records it has', async () => {
    const { table, project, entries } = setUp();
    await table.producer(goal(1), goal(1), { status: { N: '1' } });
    await table.producer(goal(1), goal(1), { status: { N: '2' } });
    await project(table.records.slice(0, 1));
    await project(table.records.slice(1));
    await project(table.records.slice(1));
    expect((await entries()).map(({ since }) => since)).toEqual(['2026-01-01T00:00:01.000Z']);
  });

  it('whose entry is refused in every form holds up no record; the count and the reason tell of it', async () => {
    const refuse = new StoreError('terminal', 'ValidationException', 'No.');
    const { table, project } = setUp(({ method, keys }) => {
      if (method === 'put' || (method === 'update' && keys[0]?.includes('~quarantine/'))) throw refuse;
    });
    await goals(table, 1);
    await table.producer(goal(2), goal(2), { status: { N: '1' } });
    const result = await project(table.records);
    expect(result).toMatchObject({ failedFrom: undefined, quarantined: 1 });
    const reason = expect.stringMatching(/a number\. The table refuses the quarantine entry, too: No\. A check finds/);
    expect(result.quarantines).toMatchObject([{ count: 1, reason }]);
  });
});

describe('a retryable error', () => {
  it('ends with the time budget, and fails the batch from the lowest record that is not applied', async () => {
    let budget = 1000;
    const { table, hooked, project, entries } = setUp(
      ({ keys }) => {
        if (keys[0]?.startsWith(goal(3)) || keys[0]?.startsWith(goal(4))) throw throttled();
      },
      {
        concurrency: 4,
        wait: async (milliseconds) => {
          budget -= milliseconds;
        },
      },
    );
    const records = await goals(table, 5);
    const result = await project(records, { remainingMs: () => budget });
    expect(result.failedFrom).toBe(records[2]);
    expect(result.error).toMatchObject({ code: 'ThrottlingException' });
    for (const done of [1, 2, 5]) expect(await table.derived(goal(done), '~view')).toBeDefined();
    expect(await entries()).toEqual([]);
    expect(hooked.log.filter((call) => call.startsWith(`getMany ${goal(3)} ~view`)).length).toBeGreaterThan(2);
  });

  it('a batch whose views cannot be read ahead, for what is no failure of the store, is not done', async () => {
    const { table, project } = setUp(
      async ({ method }) => {
        if (method !== 'getMany') return;
        // All other units are done before: each of their runners waits for a next one.
        await new Promise((resolve) => setTimeout(resolve, 20));
        throw new TypeError('a mistake of ours');
      },
      { concurrency: 32 },
    );
    await table.producer(goal(1), goal(1), { status: { S: 'OPEN' } });
    await table.producer(goal(2), 'MEMBER-USER-1', { role: { S: 'A' } });
    await table.producer(goal(2), 'MEMBER-USER-1', { role: { S: 'B' } });
    await expect(project([table.records[0]!, table.records[2]!])).rejects.toThrow('a mistake of ours');
  });
});

describe('a fatal error', () => {
  it('fails the batch at once: nothing is retried or quarantined', async () => {
    const { table, hooked, project, waits } = setUp((_call, number) => {
      if (number >= 5) throw denied();
    });
    const records = await goals(table, 10);
    const result = await project(records);
    // Two reads, two writes, and the one that is refused.
    expect(hooked.calls).toHaveLength(5);
    expect(waits).toEqual([]);
    expect(result).toMatchObject({ quarantined: 0, error: { code: 'AccessDeniedException' } });
    expect(result.failedFrom).toBe(records[2]);
  });
});

describe('the time budget', () => {
  it('reads and writes within the first step', async () => {
    const { table, hooked, project } = setUp();
    const [, mixed] = [await goals(table, 1), await table.producer(goal(1), goal(1), undefined)];
    expect((await project([mixed!], { remainingMs: () => 0 })).failedFrom).toBeUndefined();
    expect(hooked.log).toContain('update GOAL-1 ~view');
  });
});

describe('a mistake in the program', () => {
  it('is thrown, not retried', async () => {
    const { table, project } = setUp(() => {
      throw new RangeError('a bug');
    });
    await expect(project(await goals(table, 1))).rejects.toThrow('a bug');
  });
});

describe('the model of the registry', () => {
  /** A table with a registry, and a projector that goes by it. */
  async function registered(before?: Before, options?: Partial<ProjectorOptions>) {
    const up = setUp(before, { model: undefined, ...options });
    await migrate(graph, { store: up.table, wait: async () => {} });
    return up;
  }

  it('is read beside the derived items, so that a record takes three round trips', async () => {
    let rounds = 0;
    let isUnderWay = false;
    const { table, project } = await registered(async () => {
      if (!isUnderWay) rounds += 1;
      isUnderWay = true;
      await new Promise((resolve) => setImmediate(resolve));
      isUnderWay = false;
    });
    const [first] = await goals(table, 1);
    await project([first!]);
    rounds = 0;
    const record = await table.producer(goal(1), goal(1), { title: { S: 'new' } });
    expect((await project([record!])).failedFrom).toBeUndefined();
    expect(rounds).toBe(3);
    expect(await table.derived(goal(1), '~view')).toMatchObject({ attributes: { M: { title: { S: 'new' } } } });
  });

  it('is read again by a process that was suspended after it', async () => {
    let nowMs = Date.now();
    let isAsleep = true;
    const { table, hooked, project } = await registered(
      ({ method, keys }) => {
        if (!isAsleep || method !== 'getMany' || !keys.includes(`${goal(1)} ~view`)) return;
        isAsleep = false;
        nowMs += SEND_WITHIN_MS;
      },
      { now: () => nowMs },
    );
    const records = await goals(table, 1);
    expect(await project(records)).toMatchObject({ failedFrom: records[0], error: { code: 'out-of-time' } });
    expect(hooked.calls.filter(({ method }) => method === 'update')).toEqual([]);
    expect((await project(records)).failedFrom).toBeUndefined();
  });
});
