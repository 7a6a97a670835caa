import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph, withTableName } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import type { Reader, Writer } from '../../src/index.ts';
import type { MigrateAction } from '../../src/migrate/action.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { LEASE_MS, registryLeases } from '../../src/registry/reader-lease.ts';
import { createClient } from '../../src/store/client.ts';
import { indexNeeds } from '../../src/store/definition/index-needs.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { describeTable, serverTime, tableIdentity } from '../../src/store/table-description.ts';
import { updateTable } from '../../src/store/table-update/update.ts';
import { check } from '../../src/trust/check/check.ts';
import { Account } from '../support/account/account.ts';
import { DynamoDBTables } from '../support/account/dynamodb.ts';
import { Stacks } from '../support/account/stacks.ts';
import { testEndpoint } from '../support/engine.ts';
import { isOfRun } from '../support/extent.ts';
import { byOneClock } from '../support/moments.ts';
import { testStack } from '../support/stack/parameters.ts';
import { tableOfStream, uniqueTableName } from '../support/table.ts';

/**
 * Any model becomes any other model, and comes back, by a deployment and a migration: a simulator of CloudFormation takes each update, the
 * readers of both models are never told anything wrong, and nothing is left behind.
 */

interface Options {
  indexes?: number | Record<string, string>;
  search?: object;
  inbound?: object;
  edges?: object;
}

const DAY = { byDay: 'day' };
const BOTH = { byDay: 'day', byFine: number('fine') };
const MAIL = { mail: { shards: 1, project: ['name'] } };
const NATIVE_MAIL = { mail: { native: true, project: ['name'] } };

/** Lists of all kinds: derived in one index and packed in several, native with all that an index may hold, and both. */
const MODELS: Readonly<Record<string, Options>> = {
  derived: { search: MAIL, inbound: { orders: DAY } },
  'two orders in an index': { indexes: 1, search: MAIL, inbound: { orders: BOTH } },
  'two orders in two indexes': { inbound: { orders: BOTH, project: ['day'] } },
  'four indexes': {
    indexes: 4,
    search: { mail: { shards: 1 }, name: { shards: 1 }, born: { shards: 1 }, place: { shards: 1 } },
    inbound: { orders: BOTH },
  },
  'three searches in three indexes': {
    indexes: 3,
    search: { place: { shards: 1 }, mail: { shards: 1 }, born: { shards: 1 } },
    edges: { degree: true },
  },
  'names of its own': { indexes: { gsi0: 'byTarget', gsi1: 'bySecond' }, search: MAIL, inbound: { orders: BOTH } },
  native: { inbound: { native: true, orders: DAY } },
  'two native orders': { search: MAIL, inbound: { native: true, orders: BOTH } },
  'native with attributes': { inbound: { native: true, orders: BOTH, project: ['kind'] }, edges: { degree: true } },
  'native with all attributes': { search: NATIVE_MAIL, inbound: { native: true, orders: DAY, project: 'ALL' } },
  'native without what is void': {
    search: NATIVE_MAIL,
    inbound: { native: true, orders: BOTH, project: ['kind'] },
    edges: { deletedWhen: 'void' },
  },
  'native next to derived': {
    indexes: 3,
    search: { ...NATIVE_MAIL, name: { shards: 1 }, born: { shards: 1 }, place: { shards: 1 } },
    inbound: { native: true, orders: { byFine: number('fine') } },
  },
};

function modelOf(table: string, { indexes = 2, search = {}, inbound, edges = {} }: Options): CompiledModel {
  const loan = { from: 'BOOK', to: 'PERSON', edgeSet: false, ...edges, ...(inbound && { inbound }) };
  return defineGraph({
    table: { name: table, indexes },
    nodes: { BOOK: node(), PERSON: node({ search } as never) },
    edges: { LOAN: edge(loan as never) },
  } as never) as CompiledModel;
}

const TO = 'PERSON-0';
const PERSON: Readonly<Record<string, string>> = {
  mail: 'ada@example.com',
  name: 'Ada',
  born: '1815',
  place: 'London',
};

/** A table of a stack, or one that was there before, with producers, consumers and readers of several models. */
async function libraryTable(isExisting: boolean, first: Options) {
  const endpoint = testEndpoint();
  const client = createClient({ endpoint });
  const tables = new DynamoDBTables(endpoint, async () => undefined);
  const isTable = ({ type }: { type: string }): boolean => type === 'AWS::DynamoDB::Table';
  const stacks = new Stacks(
    new Account({
      made: async (thing) => void (isTable(thing) && (await tables.make(thing))),
      changed: async (thing, before) => void (isTable(thing) && (await tables.change(thing, before))),
    }),
  );
  const own = uniqueTableName();
  const name = isExisting ? own : `own-test-${own}`;
  const arn = `arn:aws:dynamodb:eu-central-1:123456789012:table/${own}`;
  const parameters = isExisting ? { existingTableArn: arn, existingStreamArn: `${arn}/stream/2026` } : {};
  const graphOf = (options: Options): CompiledModel => withTableName(modelOf(own, options), name);
  const deploy = async (options: Options): Promise<void> =>
    void (await stacks.deploy('own-test', testStack(modelOf(own, options), parameters)));
  if (isExisting) {
    const { KeySchema, AttributeDefinitions, BillingMode } = tableDefinition(graphOf(first));
    const keys = AttributeDefinitions!.filter(({ AttributeName }) => ['source', 'target'].includes(AttributeName!));
    await client.send(new CreateTableCommand({ TableName: name, KeySchema, AttributeDefinitions: keys, BillingMode }));
    await updateTable(graphOf(first), { client });
  }
  await deploy(first);
  const table = tableOfStream(graphOf(first), client, (await describeTable(graphOf(first), { client })).streamArn);
  /** Each program has a store by its own model, with the names that its indexes have. */
  const storeOf = (graph: CompiledModel) => new DynamoDBStore(client, graph.table);
  let clockMs = 0;
  let [put, read] = [0, 0];
  const loans = new Map<number, { day: string; fine: number; kind: string; isVoid: boolean }>();
  const people: string[] = [];

  let underWay: Promise<unknown> = Promise.resolve();
  const apply = async (graph: CompiledModel): Promise<void> => {
    const records = await table.allRecords();
    const batch = createProjector(graph, { store: storeOf(graph) }).project(records.slice(read));
    underWay = batch.catch(() => undefined);
    const { error } = await batch;
    if (error !== undefined) throw error;
    read = records.length;
  };
  /** Producers and consumers of the models take turns. */
  const write = async (graphs: readonly CompiledModel[]): Promise<void> => {
    put += 1;
    const graph = graphs[put % graphs.length]!;
    const writer = createWriter(graph, { store: storeOf(graph) }) as Writer<CompiledModel>;
    const values = {
      day: `2026-02-${10 + ((put * 7) % 17)}`,
      fine: ((put * 5) % 19) - 9 + put / 100,
      kind: `k${put % 3}`,
    };
    await writer.putEdge(`BOOK-${put}`, 'LOAN', TO, values);
    loans.set(put, { ...values, isVoid: false });
    const [changed, ended] = [loans.get(put - 1), loans.get(put - 4)];
    if (changed !== undefined) {
      changed.fine = 20 + put;
      await writer.updateEdge(`BOOK-${put - 1}`, 'LOAN', TO, { set: { fine: changed.fine } });
    }
    if (ended !== undefined && put % 2 === 0) {
      loans.delete(put - 4);
      await writer.deleteEdge(`BOOK-${put - 4}`, 'LOAN', TO);
    } else if (ended !== undefined) {
      ended.isVoid = true;
      await writer.updateEdge(`BOOK-${put - 4}`, 'LOAN', TO, { set: { void: true } });
    }
    await writer.putNode(`PERSON-${put}`, PERSON);
    people.push(`PERSON-${put}`);
    await apply(graph);
  };

  const readers = new Map<CompiledModel, Reader<CompiledModel>>();
  const readerOf = (graph: CompiledModel): Reader<CompiledModel> => {
    const leases = registryLeases(
      graph,
      storeOf(graph),
      byOneClock(() => clockMs),
    );
    const reader =
      readers.get(graph) ?? (createReader(graph, { store: storeOf(graph), leases }) as Reader<CompiledModel>);
    readers.set(graph, reader);
    return reader;
  };
  const expectRight = async (graph: CompiledModel): Promise<void> => {
    const reader = readerOf(graph);
    const loan = graph.edges.get('LOAN')!;
    const living = [...loans].filter(([, { isVoid }]) => loan.deletedWhen === undefined || !isVoid);
    for (const order of loan.inbound?.orders.keys() ?? []) {
      const by = order === 'byFine' ? 'fine' : 'day';
      const { items } = await reader.inbound(TO, 'LOAN', { order: order as never });
      const values = items.map(({ source }) => loans.get(Number(source.slice('BOOK-'.length)))?.[by]);
      expect(values, order).toEqual(values.toSorted((a, b) => (a! < b! ? -1 : 1)));
      expect(items.map(({ source }) => source).sort(), order).toEqual(living.map(([i]) => `BOOK-${i}`).sort());
      for (const { source, attributes } of items) {
        const { isVoid: _, ...whole } = loans.get(Number(source.slice('BOOK-'.length)))!;
        expect(whole, order).toMatchObject(
          Object.fromEntries(Object.entries(attributes).filter(([key]) => key in whole)),
        );
        const { project } = loan.inbound!;
        if (project.kind === 'LIST') expect(Object.keys(attributes).sort()).toEqual([...project.attributes].sort());
      }
    }
    for (const search of graph.nodes.get('PERSON')!.searches.keys()) {
      const { items } = await reader.search(`PERSON.${search}` as never).equals(PERSON[search]!);
      expect(items.map(({ id }) => id).sort(), search).toEqual(people.toSorted());
    }
    if (loan.count !== undefined) expect(await reader.degree(`BOOK-${put}`, 'LOAN')).toBe(1);
  };
  /** `right`, or the code of the error: a wrong answer fails the test. */
  const told = async (graph: CompiledModel): Promise<string> => {
    try {
      await expectRight(graph);
      return 'right';
    } catch (error) {
      if (error instanceof EdgeloomError) return error.code;
      throw error;
    }
  };

  /** Migrates while producers, consumers and readers of some models work; gives what each reader was told, and what is left over. */
  const migrated = async (graph: CompiledModel, others: readonly CompiledModel[], action?: MigrateAction) => {
    const all = [graph, ...others];
    const heard = all.map(() => new Set<string>());
    let isDone = false;
    const run = migrate(graph, {
      ...{
        store: storeOf(graph),
        ...(await tableIdentity(graph, { client })),
        serverTime: () => serverTime(graph, { client }),
      },
      // No batch is under way longer than a migration waits for late writes.
      wait: async (milliseconds) => {
        clockMs += milliseconds;
        await underWay;
      },
      ...(action && { action }),
    }).finally(() => {
      isDone = true;
    });
    // The loop goes on until the run has ended, also by an error, which is thrown after it.
    run.catch(() => undefined);
    do {
      await write(all);
      for (const [i, one] of all.entries()) heard[i]!.add(await told(one));
    } while (!isDone);
    const { leftovers, done } = await run;
    expect(done).toBe(true);
    clockMs += LEASE_MS + 1;
    return { heard, leftovers };
  };
  const indexNames = async (graph: CompiledModel) => (await describeTable(graph, { client })).indexes;
  return { ...{ client, storeOf, graphOf, deploy, write, told, migrated, indexNames } };
}

const READY = new Set(['right']);
const REFUSALS = ['right', 'projection-not-ready', 'no-index'];

const names = Object.keys(MODELS);
const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b] as const));
const cases = pairs.flatMap(([a, b]) => [false, true].map((isExisting) => ({ a, b, isExisting })));
/** The pair that every run has: all that is derived becomes native. */
const isInEveryRun = ({ a, b }: { a: string; b: string }) => a === 'derived' && b === 'native with all attributes';

describe('a model becomes another one, and comes back', () => {
  it.each(cases.filter((one, place) => isInEveryRun(one) || isOfRun(place, 66)))(
    '$a, $b (a table that was there before: $isExisting)',
    { timeout: 600_000 },
    async ({ a, b, isExisting }) => {
      const { client, storeOf, graphOf, deploy, write, told, migrated, indexNames } = await libraryTable(
        isExisting,
        MODELS[a]!,
      );
      const [before, after] = [graphOf(MODELS[a]!), graphOf(MODELS[b]!)];
      await migrated(before, []);
      expect(await told(before)).toBe('right');
      for (const [name, own, other] of [
        [b, after, before],
        [a, before, after],
      ] as const) {
        await deploy(MODELS[name]!);
        await write([own, other]);
        expect(await told(other)).toBe('right');
        expect(REFUSALS).toContain(await told(own));
        const { heard, leftovers } = await migrated(own, [other]);
        expect(heard[1]).toEqual(READY);
        for (const code of heard[0]!) expect(REFUSALS).toContain(code);
        expect([await told(own), await told(other)]).toEqual(['right', 'right']);
        let left = leftovers;
        for (const action of leftovers) {
          const dropped = await migrated(own, [other], action);
          expect(dropped.heard[0]).toEqual(READY);
          for (const code of dropped.heard[1]!) expect(REFUSALS).toContain(code);
          left = dropped.leftovers;
        }
        expect(left).toEqual([]);
        // Indexes of derived items stay, and those that a model names itself.
        const isKept = (index: string): boolean => /^(gsi\d+|byTarget|bySecond)$/.test(index);
        const needed = indexNeeds(own).map(({ name: index }) => index);
        expect((await indexNames(own)).filter((index) => !isKept(index))).toEqual(
          needed.filter((index) => !isKept(index)).sort(),
        );
        expect(await indexNames(own)).toEqual(expect.arrayContaining(needed));
        expect(await check(own, { store: storeOf(own), graceMs: 10 })).toMatchObject({
          drift: { missing: 0, stale: 0, orphan: 0 },
          ...{ unregistered: 0, pending: 0, unknown: 0, quarantined: 0 },
        });
      }
      client.destroy();
    },
  );
});
