import { beforeAll, describe, expect, it } from 'vitest';
import { type PageOptions, pagePlan } from '../../src/client/read/page.ts';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { countingReader } from '../support/reader.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

function modelOf(copy: 'with copies' | 'without copies'): CompiledModel {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { GOAL: node({ view: ['title'] }), USER: node({ view: ['name'] }) },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        inbound: { orders: { gsi0: 'rank' }, project: ['rank'], projectSource: ['title'] },
        ...(copy === 'with copies' && { copy: ['name'] }),
      }),
    },
  }) as CompiledModel;
}

describe.each(['with copies', 'without copies'] as const)('a page of 100 goals, %s', (copy) => {
  const graph = modelOf(copy);
  let table: Awaited<ReturnType<typeof testTable<CompiledModel>>>;
  let reader: Reader;

  beforeAll(async () => {
    table = await testTable(graph);
    const items = Array.from({ length: 100 }, (_, i): Item[] => {
      const source = { S: `GOAL-${String(i).padStart(3, '0')}` };
      const title = { S: `Goal ${i}` };
      return [
        { source, target: source, title, body: { S: `body ${i}` } },
        { source, target: { S: 'MEMBER-USER-1' }, rank: source },
        { source, target: { S: `MEMBER-USER-of-${i % 7}` }, rank: source },
      ];
    });
    const users = ['USER-1', ...Array.from({ length: 7 }, (_, i) => `USER-of-${i}`)].map((id): Item => {
      return { source: { S: id }, target: { S: id }, name: { S: `name of ${id}` } };
    });
    await table.store.writeMany([...items.flat(), ...users].map((put) => ({ put })));
    await table.projectAll();
    reader = createReader(graph, { store: table.store });
  });

  it('takes as many calls as it has steps, and its plan says why', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const cases: { asked: PageOptions; calls: number; why: string }[] = [
      { asked: { attributes: ['title'], with: [] }, calls: 1, why: 'title came with the edges' },
      { asked: { with: [] }, calls: 1, why: 'title came with the edges' },
      { asked: { attributes: [], with: [] }, calls: 1, why: 'no attributes are asked for' },
      { asked: { attributes: ['title', 'body'], with: [] }, calls: 2, why: 'do not hold body' },
      { asked: { attributes: 'ALL', with: [] }, calls: 2, why: 'do not hold all attributes of GOAL' },
      { asked: { with: [] }, calls: 1, why: 'No neighbors' },
      {
        asked: {},
        calls: copy === 'with copies' ? 2 : 3,
        why: copy === 'with copies' ? 'hold copies' : 'hold no copies',
      },
    ];
    for (const { asked, calls, why } of cases) {
      let said = 0;
      const made = await callsOf(async () => {
        const page = await counted.page('USER-1', 'MEMBER', { ...asked, limit: 100 });
        said = page.calls;
        expect(page.items).toHaveLength(100);
      });
      expect(made['QueryCommand']).toBe(1);
      expect(made['BatchGetItemCommand'] ?? 0).toBe(calls - 1);
      expect(said).toBe(calls);
      expect(pagePlan(graph, 'MEMBER', asked).why.join(' ')).toContain(why);
    }
  });

  it('is the same in one call as in two', async () => {
    const options = { attributes: ['title'], limit: 100 } as const;
    const one = await reader.page('USER-1', 'MEMBER', { ...options, with: [] });
    const two = await reader.page('USER-1', 'MEMBER', options);
    expect(one.items).toEqual(two.items.map(({ id, attributes }) => ({ id, attributes })));
    expect(one.items[7]).toEqual({ id: 'GOAL-007', attributes: { title: 'Goal 7' } });
    const { items } = await reader.page('USER-1', 'MEMBER', { attributes: ['body'], with: [], limit: 2 });
    expect(items.map(({ attributes }) => attributes)).toEqual([{ body: 'body 0' }, { body: 'body 1' }]);
  });

  it('can be filtered by what the index items hold of the source', async () => {
    const where = { title: 'Goal 7' };
    const { items, calls } = await reader.page('USER-1', 'MEMBER', { where, with: [], limit: 1 });
    expect(items).toEqual([{ id: 'GOAL-007', attributes: where }]);
    expect(calls).toBeLessThanOrEqual(4);
  });

  it("shows a session's own change of a source in the one call", async () => {
    const session = createSession();
    await createWriter(graph, { store: table.store })
      .with(session)
      .updateNode('GOAL-050', { set: { title: 'Changed' } });
    const options = { where: { title: 'Changed' }, with: [] } as const;
    const own = await reader.with(session).page('USER-1', 'MEMBER', options);
    expect(own.items).toEqual([{ id: 'GOAL-050', attributes: { title: 'Changed' } }]);
    expect((await reader.page('USER-1', 'MEMBER', options)).items).toEqual([]);
    const old = await reader.with(session).page('USER-1', 'MEMBER', { ...options, where: { title: 'Goal 50' } });
    expect(old.items).toEqual([]);
  });
});

describe('a page of nodes that no edge set names neighbors of', () => {
  it('tells a node that does not exist, and takes the Query alone only where no neighbors are asked for', async () => {
    const graph = defineGraph({
      table: uniqueTableName(),
      nodes: { GOAL: node({ view: ['title'] }), USER: node({ view: 'ALL' }) },
      edges: {
        MEMBER: edge({
          from: 'GOAL',
          to: 'USER',
          edgeSet: false,
          inbound: { orders: { gsi0: 'rank' }, projectSource: ['title'] },
        }),
      },
    });
    const { store, projectAll } = await testTable(graph);
    await store.put({ source: { S: 'GOAL-1' }, target: { S: 'MEMBER-USER-1' }, rank: { S: 'a' } });
    await projectAll();
    const reader = createReader(graph, { store });
    const page = await reader.page('USER-1', 'MEMBER');
    expect(page).toMatchObject({ items: [{ id: 'GOAL-1', attributes: null }], calls: 2 });
    expect(await reader.page('USER-1', 'MEMBER', { with: [] })).toMatchObject({
      items: [{ attributes: {} }],
      calls: 1,
    });
  });
});
