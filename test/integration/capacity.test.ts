import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter, type Writer } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part, sum } from '../../src/core/model/schema.ts';
import { createClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    GOAL: node({ view: ['title'], list: true, search: { title: 'title' }, parts: { STATE: part({}) } }),
    USER: node({ view: ['name'] }),
  },
  edges: {
    MEMBER: edge({
      from: 'GOAL',
      to: 'USER',
      inbound: { orders: { byRole: 'role' }, project: ['role'], groupBy: ['role'] },
    }),
  },
});
type Call = (options: object) => Promise<unknown>;

let reader: Reader<typeof graph>;
let writer: Writer<typeof graph>;
/** The calls that were sent, and whether each asked for units. */
let sent: { command: string; asks: boolean }[] = [];

beforeAll(async () => {
  const table = await testTable(graph);
  const client = createClient({ endpoint: table.endpoint });
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        sent.push({ command: commandName, asks: 'ReturnConsumedCapacity' in args.input });
        return next(args);
      },
    { step: 'initialize', name: 'noteUnits' },
  );
  const store = new DynamoDBStore(client, graph.table);
  writer = createWriter(graph, { store });
  reader = createReader(graph, { store });
  await writer.putNode('GOAL-1', { title: 'Run' });
  await writer.putNode('USER-1', { name: 'Ada' });
  await writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD' });
  await table.projectAll();
});

beforeEach(() => {
  sent = [];
});

/** Calls whose result is no object with names of its own. */
const VALUES: Record<string, Call> = {
  getView: (options) => reader.getView('GOAL-1', options),
  getViews: (options) => reader.getViews(['GOAL-1', 'GOAL-none'], options),
  getNode: (options) => reader.getNode('GOAL-none', options),
  getEdge: (options) => reader.getEdge('GOAL-1', 'MEMBER', 'USER-1', options),
  has: (options) => reader.has('GOAL-1', 'MEMBER', 'USER-1', options),
  degree: (options) => reader.degree('GOAL-1', 'MEMBER', options),
};

const READS: Record<string, Call> = {
  ...VALUES,
  edges: (options) => reader.edges('GOAL-1', 'MEMBER', options),
  getCollection: (options) => reader.getCollection('GOAL-1', options),
  inbound: (options) => reader.inbound('USER-1', 'MEMBER', options),
  page: (options) => reader.page('USER-1', 'MEMBER', options),
  inDegree: (options) => reader.inDegree('USER-1', 'MEMBER', options),
  total: (options) => reader.total('USER-1', 'MEMBER', options),
  nodes: (options) => reader.nodes('GOAL', options),
  search: (options) => reader.search('GOAL.title').equals('Run', options),
  count: (options) => reader.search('GOAL.title').count({}, options),
  shards: (options) => reader.shards('GOAL.title', options),
};

const WRITES: Record<string, Call> = {
  putNode: (options) => writer.putNode('GOAL-2', { title: 'Swim' }, options),
  putEdge: (options) => writer.putEdge('GOAL-2', 'MEMBER', 'USER-1', { role: 'LEAD' }, { ifAbsent: true, ...options }),
  putPart: (options) => writer.putPart('GOAL-2', 'STATE', { status: 'new' }, options),
  updateNode: (options) => writer.updateNode('GOAL-2', { set: { title: 'Row' } }, options),
  updateEdge: (options) =>
    writer.updateEdge('GOAL-2', 'MEMBER', 'USER-1', ({ x }) => ({ role: 'LEAD', x: Number(x ?? 0) + 1 }), options),
  updatePart: (options) =>
    writer.updatePart('GOAL-2', 'STATE', { set: { status: 'old' } }, { idempotent: true, ...options }),
  deletePart: (options) => writer.deletePart('GOAL-2', 'STATE', options),
  deleteEdge: (options) => writer.deleteEdge('GOAL-2', 'MEMBER', 'USER-1', options),
  batch: (options) => writer.batch((batch) => batch.putNode('GOAL-3'), options),
  transact: (options) => writer.transact((all) => all.putNode('GOAL-4', {}, { ifAbsent: true }), options),
  putMany: (options) => writer.putMany([{ id: 'GOAL-5' }], options),
  deleteNodeWithEdges: (options) => writer.deleteNodeWithEdges('GOAL-2', options),
  deleteNode: (options) => writer.deleteNode('GOAL-4', options),
};

/** Methods that make no single call. */
const OTHERS = ['with', 'pages', 'all', 'watch', 'waitForProjection', 'search'];

describe('units', () => {
  it('are known of each method here', () => {
    const known = [...Object.keys(READS), ...Object.keys(WRITES), ...OTHERS];
    const methods = [...Object.keys(reader), ...Object.keys(writer)];
    expect(methods.filter((name) => !known.includes(name))).toEqual([]);
  });

  // Writes go on from each other: each list is taken in its order.
  it.each(Object.entries({ ...READS, ...WRITES }))('%s does not ask for them', async (_, call) => {
    const result = await call({});
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter(({ asks }) => asks)).toEqual([]);
    expect(JSON.stringify(result) ?? '').not.toMatch(/rcu|wcu|capacity/);
  });

  it.each(Object.entries(READS))('%s gives those of its reads', async (name, call) => {
    const plain = await call({});
    sent = [];
    const result = (await call({ capacity: true })) as { capacity: object };
    expect(result.capacity).toEqual({ rcu: expect.any(Number), wcu: 0 });
    expect((result.capacity as { rcu: number }).rcu).toBeGreaterThan(0);
    const { capacity } = result;
    expect(result).toEqual(name in VALUES ? { value: plain, capacity } : { ...(plain as object), capacity });
    expect(sent.filter(({ asks }) => !asks)).toEqual([]);
  });

  it.each(Object.entries(WRITES))('%s gives those of its writes', async (_, call) => {
    const { capacity } = (await call({ capacity: true })) as { capacity: { rcu: number; wcu: number } };
    expect(capacity).toEqual({ rcu: expect.any(Number), wcu: expect.any(Number) });
    expect(capacity.wcu).toBeGreaterThan(0);
    expect(sent.filter(({ asks }) => !asks)).toEqual([]);
  });

  it('are asked for where a page has a bound of them, and are in no result', async () => {
    const page = await reader.inbound('USER-1', 'MEMBER', { maxRcu: 5 });
    expect(sent.map(({ asks }) => asks)).toContain(true);
    expect(page).not.toHaveProperty('capacity');
  });

  it('are not asked for by a session', async () => {
    const session = createSession();
    await writer.with(session).putNode('USER-2', { name: 'Grace' });
    expect(await reader.with(session).getView('USER-2')).toMatchObject({ attributes: { name: 'Grace' } });
    expect(sent.filter(({ asks }) => asks)).toEqual([]);
    const read = await reader.with(session).getView('USER-2', { capacity: true });
    expect(read.capacity.rcu).toBeGreaterThan(0);
  });

  it('have no sum of their name', () => {
    const seats = edge({ from: 'USER', to: 'GOAL', inbound: { total: { capacity: sum('seats') } } });
    expect(() => defineGraph({ table: 't', nodes: { GOAL: node(), USER: node() }, edges: { IN: seats } })).toThrow(
      /capacity/,
    );
  });
});
