import { beforeAll, describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import type { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** Nodes of a type without views, wherever a read joins them to others. */

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: { GOAL: node({ view: ['title'] }), USER: node(), TEAM: node() },
  edges: {
    GM: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'], inbound: { orders: { byRole: 'role' } } }),
    IN: edge({
      from: 'USER',
      to: 'TEAM',
      edgeSet: false,
      inbound: { orders: { bySince: 'since' }, includeTarget: true },
    }),
    TG: edge({ from: 'GOAL', to: 'TEAM', edgeSet: false, inbound: { orders: { byDay: 'day' } } }),
  },
});
const ADA = { name: 'Ada', bio: 'x'.repeat(4_500), tags: ['a'] };
const TEAM = { name: 'Search' };

let table: Awaited<ReturnType<typeof openTable<typeof graph>>>;
beforeAll(async () => {
  table = await openTable(graph);
  const { writer } = table;
  await writer.putNode('TEAM-1', TEAM);
  await writer.putNode('GOAL-1', { title: 'Run' });
  await writer.putNode('USER-1', ADA);
  await writer.putEdge('GOAL-1', 'GM', 'USER-1', { role: 'LEAD' });
  await writer.putEdge('GOAL-1', 'GM', 'USER-gone', { role: 'GUEST' });
  await writer.putEdge('USER-1', 'IN', 'TEAM-1', { since: '2026-01-01' });
  await writer.putEdge('GOAL-1', 'TG', 'TEAM-1', { day: 'monday' });
  await table.projectAll();
});

/** A store that notes which keys are read of it, but those of the registry. */
function noting(store: DynamoDBStore) {
  const keys: string[] = [];
  const noted = withReplacedCalls(store, {
    getMany: (asked, ...rest) => {
      const own = asked.filter(({ source }) => !source.startsWith('~'));
      keys.push(...own.map(({ source, target }) => `${source} ${target}`));
      return store.getMany(asked, ...rest);
    },
  });
  return { store: noted, keys };
}

function reading() {
  const { store, keys } = noting(table.store);
  return { reader: createReader(graph, { store }), keys };
}

describe('a node that has a view for its edges alone', () => {
  const linked = defineGraph({
    table: uniqueTableName(),
    nodes: { GOAL: node({ list: true }), USER: node(), TEAM: node(), PLAN: node({ parts: { STATE: part() } }) },
    edges: {
      GM: edge({
        from: 'GOAL',
        to: 'USER',
        edgeSet: ['role'],
        inbound: { orders: { byRole: 'role' }, includeTarget: true },
      }),
      UT: edge({ from: 'USER', to: 'TEAM', inbound: { orders: { gsi0: 'at' } } }),
      GP: edge({ from: 'GOAL', to: 'PLAN' }),
    },
  });
  let keysRead: string[];
  let reader: Reader<typeof linked>;
  let own: Awaited<ReturnType<typeof openTable<typeof linked>>>;
  beforeAll(async () => {
    own = await openTable(linked);
    const { store, keys } = noting(own.store);
    keysRead = keys;
    reader = createReader(linked, { store });
    const { writer } = own;
    await writer.putNode('GOAL-1', { title: 'Run' });
    await writer.putNode('USER-1', ADA);
    await writer.putNode('TEAM-1', TEAM);
    await writer.putNode('PLAN-1', { name: 'P' });
    await writer.putPart('PLAN-1', 'STATE', { on: true });
    await writer.putEdge('GOAL-1', 'GM', 'USER-1', { role: 'LEAD' });
    await writer.putEdge('USER-1', 'UT', 'TEAM-1', { at: '1' });
    await writer.putEdge('GOAL-1', 'GP', 'PLAN-1');
    await writer.putEdge('GOAL-gone', 'GM', 'USER-1', { role: 'PAST' });
    await own.projectAll();
  });

  it('is shown with its attributes, read from the node', async () => {
    const goal = { title: 'Run' };
    expect(await reader.getView('GOAL-1')).toMatchObject({
      attributes: goal,
      edgeSet: [{ type: 'GM' }, { type: 'GP' }],
    });
    expect(await reader.getView('GOAL-gone')).toMatchObject({ attributes: null, edgeSet: [{ role: 'PAST' }] });
    expect((await reader.nodes('GOAL')).items).toMatchObject([{ attributes: goal, edgeSet: [{}, {}] }]);
    const bare = await reader.page('USER-1', 'GM', { with: [] });
    expect(bare.items).toMatchObject([{ attributes: goal }, { id: 'GOAL-gone', attributes: null }]);
    const { items } = await reader.page('USER-1', 'GM', {
      attributes: ['title'],
      with: ['GP', { edge: 'GM', with: ['UT'] }],
    });
    expect(items[0]).toMatchObject({ attributes: goal });
    expect(items[0]!.edges.GP[0]!.node.attributes).toEqual({ name: 'P', STATE: { on: true } });
    const { node: user } = items[0]!.edges.GM[0]!;
    expect(user.attributes).toEqual(ADA);
    expect(user.edges.UT[0]!.node.attributes).toEqual(TEAM);
    expect((await reader.inbound('USER-1', 'GM', { includeTarget: true })).target?.attributes).toEqual(ADA);
    // An item of the node among its edges would have nothing to show.
    const sortKey = { beginsWith: '~ix/#includeTarget' };
    const { items: stored } = await own.store.query({ partition: 'USER-1', sortKey });
    expect(stored).toEqual([]);
  });

  it('costs no read of its view where no edges of it are asked for', async () => {
    keysRead.length = 0;
    const { items } = await reader.page('USER-1', 'GM', { with: ['GM'] });
    expect(items[0]!.edges.GM[0]!.node.attributes).toEqual(ADA);
    expect(keysRead.filter((key) => key.startsWith('USER-1'))).toEqual(['USER-1 USER-1']);
    keysRead.length = 0;
    await reader.page('USER-1', 'GM', { with: [] });
    expect(keysRead.filter((key) => key.startsWith('GOAL-1'))).toEqual(['GOAL-1 GOAL-1']);
    // Shown once without its edges, and below with them.
    const deep = await reader.page('TEAM-1', 'UT', {
      with: [{ inbound: 'GM', with: [{ edge: 'GM', with: ['UT'] }, { edge: 'GP' }] }, { edge: 'UT' }],
    });
    expect(JSON.stringify(deep.items)).toContain('"PLAN-1"');
    const goals = deep.items[0]!.inbound.GM;
    expect(goals[0]!.node.edges.GM[0]!.node.edges.UT[0]!.node.attributes).toEqual(TEAM);
  });

  it('shows a session its own write', async () => {
    const session = createSession();
    await own.writer.with(session).putNode('GOAL-1', { title: 'Walk' });
    const mine = reader.with(session);
    expect(await mine.getView('GOAL-1')).toMatchObject({ attributes: { title: 'Walk' }, edgeSet: [{}, {}] });
    await own.writer.putNode('GOAL-1', { title: 'Run' });
    await own.projectAll();
  });
});

describe('a node without a view is shown with its attributes, which are paid for once', () => {
  it('as a neighbor in a page', async () => {
    const { reader, keys } = reading();
    const { items } = await reader.page('TEAM-1', 'TG', { with: ['GM'] });
    const members = items[0]!.edges.GM.map(({ node: { id, attributes } }) => [id, attributes]);
    expect(members).toEqual([
      ['USER-1', ADA],
      ['USER-gone', null],
    ]);
    expect(keys.filter((key) => key.startsWith('USER-1'))).toEqual(['USER-1 USER-1']);
  });

  it.each([undefined, []] as const)('as a row of a page, with %j', async (asked) => {
    const { reader, keys } = reading();
    const { items } = await reader.page('TEAM-1', 'IN', asked === undefined ? {} : { with: asked });
    expect(items).toMatchObject([{ id: 'USER-1', attributes: ADA }]);
    expect(keys.filter((key) => key.startsWith('USER-1'))).toEqual(['USER-1 USER-1']);
  });

  it('by the names that are asked for', async () => {
    const { reader, keys } = reading();
    const { items } = await reader.page('TEAM-1', 'IN', { attributes: ['name'] });
    expect(items).toMatchObject([{ id: 'USER-1' }]);
    expect(items[0]!.attributes).toEqual({ name: 'Ada' });
    expect(keys.filter((key) => key.startsWith('USER-1'))).toEqual(['USER-1 USER-1']);
  });

  it('on a level below, whose edges a Query finds', async () => {
    const { reader, keys } = reading();
    const { items } = await reader.page('TEAM-1', 'TG', { with: [{ edge: 'GM', with: [{ edge: 'IN' }] }] as never });
    expect(JSON.stringify(items)).toContain(JSON.stringify(TEAM));
    expect(keys.filter((key) => key === 'TEAM-1 TEAM-1')).toHaveLength(1);
  });

  it('as the target of a list', async () => {
    const { reader } = reading();
    for (const reverse of [false, true]) {
      const page = await reader.inbound('TEAM-1', 'IN', { includeTarget: true, reverse });
      expect(page.target).toEqual({ id: 'TEAM-1', attributes: TEAM });
      expect(page.items).toHaveLength(1);
    }
    expect(await reader.inbound('TEAM-none', 'IN', { includeTarget: true })).toMatchObject({ target: null });
  });

  it('to a session that has just written it', async () => {
    const session = createSession();
    const writer = table.writer.with(session);
    const reader = table.reader.with(session);
    await writer.putNode('USER-1', { ...ADA, name: 'Ada L.' });
    await writer.putNode('TEAM-1', { name: 'Find' });
    const { items } = await reader.page('TEAM-1', 'TG', { with: ['GM'] });
    expect(items[0]!.edges.GM[0]!.node).toMatchObject({ attributes: { name: 'Ada L.' } });
    const page = await reader.inbound('TEAM-1', 'IN', { includeTarget: true });
    expect(page.target).toMatchObject({ attributes: { name: 'Find' } });
  });
});
