import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

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

let table: Awaited<ReturnType<typeof testTable>>;
beforeAll(async () => {
  table = await testTable(graph);
  const writer = createWriter(graph, { store: table.store });
  await writer.putNode('TEAM-1', TEAM);
  await writer.putNode('GOAL-1', { title: 'Run' });
  await writer.putNode('USER-1', ADA);
  await writer.putEdge('GOAL-1', 'GM', 'USER-1', { role: 'LEAD' });
  await writer.putEdge('GOAL-1', 'GM', 'USER-gone', { role: 'GUEST' });
  await writer.putEdge('USER-1', 'IN', 'TEAM-1', { since: '2026-01-01' });
  await writer.putEdge('GOAL-1', 'TG', 'TEAM-1', { day: 'monday' });
  await table.projectAll();
});

/** A reader that notes which keys it reads. */
function reading() {
  const keys: string[] = [];
  const store = withReplacedCalls(table.store, {
    getMany: (asked, ...rest) => {
      keys.push(
        ...asked.filter(({ source }) => !source.startsWith('~')).map(({ source, target }) => `${source} ${target}`),
      );
      return table.store.getMany(asked, ...rest);
    },
  });
  return { reader: createReader(graph, { store }), keys };
}

describe('a node without a view is shown with its attributes, which are paid for once', () => {
  it('as a neighbour in a page', async () => {
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
    const writer = createWriter(graph, { store: table.store }).with(session);
    const reader = createReader(graph, { store: table.store }).with(session);
    await writer.putNode('USER-1', { ...ADA, name: 'Ada L.' });
    await writer.putNode('TEAM-1', { name: 'Find' });
    const { items } = await reader.page('TEAM-1', 'TG', { with: ['GM'] });
    expect(items[0]!.edges.GM[0]!.node).toMatchObject({ attributes: { name: 'Ada L.' } });
    const page = await reader.inbound('TEAM-1', 'IN', { includeTarget: true });
    expect(page.target).toMatchObject({ attributes: { name: 'Find' } });
  });
});
