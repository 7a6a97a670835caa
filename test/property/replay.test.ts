import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import { QUARANTINE_PARTITION, readEntry } from '../../src/core/plan/quarantine-entry.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import type { Projector } from '../../src/projecting/apply/projector-types.ts';
import { fixedModel } from '../../src/registry/writer-model.ts';
import { runs } from '../support/extent.ts';
import { comparable, expectedItems, storedItems } from '../support/oracle.ts';
import { StreamedStore } from '../support/streamed-store.ts';
import { keyed, smallGraph, type Write, writes } from './small-graphs.ts';

/**
 * Convergence at the level of one table and its stream: however the records are cut, repeated and interleaved, the
 * derived items are in the end what the base items say. Faults and crashes are the simulator's business.
 */

const RUNS = { numRuns: runs({ part: 100, whole: 300 }) };

async function expectConverged(graph: CompiledModel, table: StreamedStore): Promise<void> {
  const items = [...table.items()];
  const base = items.filter((item) => 'S' in item['target']! && !item['target'].S.startsWith('~'));
  expect(comparable(storedItems(graph, items))).toEqual(comparable(expectedItems(graph, base)));
}

/** Nothing lost: each base item that cannot be derived in full is found in quarantine. */
async function expectQuarantined(graph: CompiledModel, table: StreamedStore): Promise<void> {
  const { items } = await table.query({ index: 'gsi0', partition: QUARANTINE_PARTITION });
  const stuck = new Set(items.map((item) => readEntry(graph, item)).map(({ source, target }) => `${source} ${target}`));
  for (const item of table.items()) {
    const { source, target } = item as { source: { S: string }; target: { S: string } };
    if (target.S.startsWith('~')) continue;
    const { problems } = derivedOf(graph, source.S, target.S, item);
    if (problems.length > 0) expect(stuck).toContain(`${source.S} ${target.S}`);
  }
}

async function write(graph: CompiledModel, table: StreamedStore, given: readonly Write[]): Promise<void> {
  for (const one of given) await table.producer(...keyed(graph, one));
}

async function deliver(projector: Projector, records: readonly ChangeRecord[]): Promise<void> {
  const result = await projector.project(records);
  expect(result.failedFrom).toBeUndefined();
}

describe('derived items converge to what the base items say', () => {
  it('record by record, or all records in one batch', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, writes, fc.boolean(), async (graph, history, together) => {
        const table = new StreamedStore(graph);
        const projector = createProjector(graph, { model: fixedModel(graph), store: table });
        await write(graph, table, history);
        const batches = together ? [table.records] : table.records.map((record) => [record]);
        for (const batch of batches) await deliver(projector, batch);
        await expectConverged(graph, table);
        await expectQuarantined(graph, table);
      }),
      RUNS,
    );
  });

  it('replayed whole: the second time changes no derived item', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, writes, async (graph, history) => {
        const table = new StreamedStore(graph);
        const projector = createProjector(graph, { model: fixedModel(graph), store: table });
        await write(graph, table, history);
        await deliver(projector, table.records);
        const before = comparable(storedItems(graph, table.items()));
        await deliver(projector, table.records);
        expect(comparable(storedItems(graph, table.items()))).toEqual(before);
        await expectConverged(graph, table);
      }),
      RUNS,
    );
  });

  it('reversed across items: order is promised within one item alone', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, writes, async (graph, history) => {
        const table = new StreamedStore(graph);
        const projector = createProjector(graph, { model: fixedModel(graph), store: table });
        await write(graph, table, history);
        for (const records of [...grouped(table.records).values()].reverse()) await deliver(projector, records);
        await expectConverged(graph, table);
        await expectQuarantined(graph, table);
      }),
      RUNS,
    );
  });

  /** A step: producers write on, or a shard delivers `take` records after going back by `back`. */
  const step = fc.record({
    writes: fc.nat({ max: 6 }),
    shard: fc.nat({ max: 2 }),
    back: fc.nat({ max: 4 }),
    take: fc.integer({ min: 1, max: 6 }),
  });
  /** A late duplicate: some records of a shard, once more. */
  const late = fc.record({
    shard: fc.nat({ max: 2 }),
    start: fc.nat({ max: 12 }),
    take: fc.integer({ min: 1, max: 4 }),
  });
  const layout = fc.record({
    salt: fc.nat({ max: 5 }),
    splitAt: fc.array(fc.nat({ max: 20 }), { minLength: 3, maxLength: 3 }),
  });

  it('split, re-cut, repeated early and late, over shards that split and run at different paces', async () => {
    const schedule = fc.record({
      steps: fc.array(step, { maxLength: 20 }),
      late: fc.array(late, { maxLength: 8 }),
      layout,
    });
    await fc.assert(
      fc.asyncProperty(smallGraph, writes, schedule, async (graph, history, given) => {
        const table = new StreamedStore(graph);
        const projector = createProjector(graph, { model: fixedModel(graph), store: table });
        const shards = [0, 1, 2].map(
          (number) => new Shard(table, number, given.layout.salt, given.layout.splitAt[number]!),
        );
        let written = 0;
        for (const { writes: count, shard, back, take } of given.steps) {
          await write(graph, table, history.slice(written, written + count));
          written += count;
          await deliver(projector, shards[shard]!.next(back, take));
        }
        await write(graph, table, history.slice(written));
        // All shards at once: the projector runs in several places at a time.
        await Promise.all(
          shards.map(async (shard) => {
            while (!shard.isDone()) await deliver(projector, shard.next(2, 8));
          }),
        );
        for (const { shard, start, take } of given.late) await deliver(projector, shards[shard]!.range(start, take));
        await expectConverged(graph, table);
        await expectQuarantined(graph, table);
      }),
      { numRuns: runs({ part: 150, whole: 1_000 }) },
    );
  });
});

function itemOf({ source, target }: ChangeRecord): string {
  return JSON.stringify([source, target]);
}

function grouped(records: readonly ChangeRecord[]): Map<string, ChangeRecord[]> {
  const groups = new Map<string, ChangeRecord[]>();
  for (const record of records) groups.set(itemOf(record), [...(groups.get(itemOf(record)) ?? []), record]);
  return groups;
}

/**
 * A stream shard and the child that it splits into: the records of some items, in order. The positions of the child are
 * below those of its parent, which the protocol has to bear: order is promised within a shard alone.
 */
class Shard {
  private cursor = 0;
  constructor(
    private readonly table: StreamedStore,
    private readonly number: number,
    private readonly salt: number,
    private readonly splitAt: number,
  ) {}

  /** The next records, after going back; never of parent and child together. */
  next(back: number, take: number): ChangeRecord[] {
    const upcoming = this.records()[this.cursor];
    if (upcoming === undefined) return this.range(this.cursor - back, back);
    const batch = this.range(this.cursor - back, back + take);
    // Going back led to the parent: the child comes in a batch of its own.
    const next = batch.some((record) => record.sequenceNumber === upcoming.sequenceNumber)
      ? batch
      : this.range(this.cursor, take);
    this.cursor = this.records().findIndex((record) => record.sequenceNumber === next.at(-1)!.sequenceNumber) + 1;
    return next;
  }

  /** Records from a place on, of the parent or of the child. */
  range(start: number, take: number): ChangeRecord[] {
    const records = this.records().slice(Math.max(0, start), Math.max(0, start + take));
    return records.filter((record) => this.isChild(record) === this.isChild(records[0]!));
  }

  isDone(): boolean {
    return this.cursor >= this.records().length;
  }

  private isChild({ sequenceNumber }: ChangeRecord): boolean {
    return Number(sequenceNumber) > this.splitAt;
  }

  private records(): ChangeRecord[] {
    const offset = ((this.number + this.salt) % 3) * 1000;
    return this.table.records
      .filter((record) => (itemOf(record).length + itemOf(record).charCodeAt(9) + this.salt) % 3 === this.number)
      .map((record) => {
        const sequence = offset + Number(record.sequenceNumber) + (this.isChild(record) ? 0 : 3000);
        return { ...record, sequenceNumber: String(sequence) };
      });
  }
}
