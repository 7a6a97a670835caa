import { describe, expect, it } from 'vitest';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import type { Reader, Writer } from '../../src/index.ts';
import type { MigrateAction } from '../../src/migrate/action.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { describeTable } from '../../src/store/table-description.ts';
import { check } from '../../src/trust/check/check.ts';
import { evolvingTable } from '../support/migrating-table.ts';

/** Loans, counted and in two orders, and readers by their mail: all of it derived, or kept by DynamoDB. */
function library(table: string, native: boolean, indexes: number): CompiledModel {
  const orders = { byDay: 'day', byFine: number('fine') };
  const inbound = { native, orders, project: ['day'] };
  const mail = native ? { native: true, project: ['name'] } : { project: ['name'], shards: 1 };
  return defineGraph({
    table: { name: table, indexes },
    nodes: { BOOK: node(), READER: node({ search: { mail } as never }) },
    edges: {
      LOAN: edge({ from: 'BOOK', to: 'READER', edgeSet: false, deletedWhen: 'void', degree: true, inbound } as never),
    },
  }) as CompiledModel;
}

const TO = 'READER-1';
const MAIL = 'ada@example.com';

async function libraryTable(indexes: number) {
  const table = await evolvingTable((name) => ({
    // The first makes the table, without native indexes.
    derived: library(name, false, indexes),
    native: library(name, true, indexes),
  }));
  const { derived, native, store } = table;
  const loans = new Map<number, { day: string; fine: number }>();
  const readers: number[] = [];
  let read = 0;
  let put = 0;

  /** Producers and consumers of both models take turns. */
  const write = async (): Promise<void> => {
    put += 1;
    const graph = put % 2 === 0 ? native : derived;
    const writer = createWriter(graph, { store }) as Writer<CompiledModel>;
    const values = (i: number) => ({ day: `2026-02-${10 + ((i * 7) % 17)}`, fine: ((i * 5) % 19) - 9 });
    const [added, changed, ended] = [put, put - 1, put - 3];
    await writer.putEdge(`BOOK-${added}`, 'LOAN', TO, values(added));
    loans.set(added, values(added));
    if (loans.has(changed)) {
      const fine = 20 + changed;
      await writer.updateEdge(`BOOK-${changed}`, 'LOAN', TO, { set: { fine } });
      loans.set(changed, { ...loans.get(changed)!, fine });
    }
    if (loans.delete(ended)) {
      if (ended % 2 === 0) await writer.deleteEdge(`BOOK-${ended}`, 'LOAN', TO);
      else await writer.updateEdge(`BOOK-${ended}`, 'LOAN', TO, { set: { void: true } });
    }
    await writer.putNode(`READER-${put}`, { mail: MAIL, name: `n${put}` });
    readers.push(put);
    const records = await table.allRecords();
    const { error } = await createProjector(graph, { store }).project(records.slice(read));
    if (error !== undefined) throw error;
    read = records.length;
  };

  const expected = () => {
    const sorted = (by: 'day' | 'fine') =>
      [...loans].toSorted(([, a], [, b]) => (a[by] < b[by] ? -1 : 1)).map(([i, { day }]) => [`BOOK-${i}`, day]);
    return {
      byDay: sorted('day'),
      byFine: sorted('fine'),
      found: readers.map((i) => [`READER-${i}`, `n${i}`]).sort(),
      count: readers.length,
      degree: loans.has(put) ? 1 : 0,
    };
  };

  const answer = async (graph: CompiledModel) => {
    const reader = table.reader(graph) as Reader<CompiledModel>;
    const inOrder = async (order: string) => {
      const { items } = await reader.inbound(TO, 'LOAN', { order: order as never });
      return items.map(({ source, attributes }) => [source, attributes['day']]);
    };
    const { items } = await reader.search('READER.mail' as never).equals(MAIL);
    return {
      byDay: await inOrder('byDay'),
      byFine: await inOrder('byFine'),
      found: items.map(({ id, attributes }) => [id, attributes?.['name']]).sort(),
      count: (await reader.search('READER.mail' as never).count({ equals: MAIL } as never)).count,
      degree: await reader.degree(`BOOK-${put}`, 'LOAN'),
    };
  };

  /** The right answer, or the code of an error: nothing else. */
  const told = async (graph: CompiledModel): Promise<string> => {
    try {
      expect(await answer(graph)).toEqual(expected());
      return 'right';
    } catch (error) {
      if (error instanceof EdgeloomError) return error.code;
      throw error;
    }
  };

  const expectClean = async (graph: CompiledModel): Promise<void> => {
    expect(await check(graph, { store, graceMs: 10 })).toMatchObject({
      drift: { missing: 0, stale: 0, orphan: 0 },
      ...{ unregistered: 0, pending: 0, unknown: 0, quarantined: 0 },
    });
  };

  /** Migrates one step at a time, with a write after each; gives what the readers of a model were told. */
  const stepwise = async (
    graph: CompiledModel,
    others: CompiledModel,
    action?: MigrateAction,
  ): Promise<Set<string>> => {
    const seen = new Set<string>();
    for (let mostSteps = 1, isDone = false; !isDone; mostSteps++) {
      ({ done: isDone } = await table.migrate(graph, { mostSteps, ...(action && { action }) }));
      await write();
      seen.add(await told(others));
      table.passLease();
      seen.add(await told(others));
    }
    return seen;
  };

  return { ...table, write, told, stepwise, expectClean };
}

describe.each([1, 2])('derived orders in %d indexes', (indexes) => {
  it('become native and derived again under old and new readers, with indexes that come and go, and each answer is right or refused', async () => {
    const { derived, native, client, migrate, write, told, stepwise, expectClean } = await libraryTable(indexes);
    await migrate(derived);
    for (let i = 0; i < 6; i++) await write();
    expect(await told(derived)).toBe('right');

    // Readers of the new model are refused until the migration has added its indexes.
    expect(await told(native)).toBe('projection-not-ready');
    expect(await stepwise(native, derived)).toEqual(new Set(['right']));
    expect([await told(derived), await told(native)]).toEqual(['right', 'right']);

    // Both are kept until somebody asks for less.
    await expectClean(native);
    const { leftovers } = await migrate(native);
    // One index: the second order has an item of its own.
    const ofItems = ['search:READER.mail@1', 'inbound:LOAN@1', ...(indexes === 1 ? ['order:LOAN.byFine@1'] : [])];
    expect(leftovers.map(({ name }) => name)).toEqual(ofItems);
    const seen = [];
    for (const action of leftovers) seen.push(...(await stepwise(native, native, action)));
    expect(new Set(seen)).toEqual(new Set(['right']));
    expect(await told(derived)).toBe('projection-not-ready');
    await expectClean(native);

    // Back again: the derived ones are built next to the native ones.
    expect(await stepwise(derived, native)).toEqual(new Set(['right']));
    await write();
    expect([await told(derived), await told(native)]).toEqual(['right', 'right']);
    await expectClean(derived);

    // The indexes go when somebody asks for it; nobody is told of a row less.
    const { leftovers: unused } = await migrate(derived);
    expect(unused.map(({ name }) => name.replace(/(-[0-9a-f]{8})?@2$/, ''))).toEqual([
      // The count of the native type.
      'inbound:LOAN',
      ...['mail-target', 'target-day', 'target-fine'].map((name) => `index:${name}`),
    ]);
    const last = [];
    for (const action of unused) last.push(...(await stepwise(derived, native, action)));
    expect(new Set(last)).toEqual(new Set(['right', 'projection-not-ready']));
    expect([await told(derived), await told(native)]).toEqual(['right', 'projection-not-ready']);
    const names = (await describeTable(derived, { client })).indexes;
    expect(names).toEqual(derived.table.indexes);
    expect((await migrate(derived)).leftovers).toEqual([]);
    await expectClean(derived);
  });
});
