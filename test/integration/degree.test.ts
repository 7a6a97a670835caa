import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../src/core/model/schema.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { check } from '../../src/trust/check/check.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

function socialGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({ view: 'ALL', viewBudgetBytes: 1024 }), TEAM: node({ view: 'ALL' }) },
    edges: {
      FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: false, degree: true, inbound: { orders: { gsi0: 'since' } } }),
      BLOCKS: edge({ from: 'USER', to: 'USER' }),
      LIKES: edge({ from: 'USER', to: 'USER', edgeSet: false }),
      MEMBER: edge({
        from: 'TEAM',
        to: 'USER',
        edgeSet: false,
        degree: true,
        inbound: { orders: { gsi0: rank('role', { LEAD: 500 }) } },
      }),
    },
  });
}

async function social() {
  const table = await testTable(socialGraph());
  const { graph, store } = table;
  const drift = async (): Promise<number> => {
    const { drift } = await check(graph, { store, graceMs: 0, segments: 1 });
    return drift.missing + drift.stale + drift.orphan;
  };
  return { ...table, writer: createWriter(graph, { store }), reader: createReader(graph, { store }), drift };
}

describe('degree', () => {
  it('counts edges that no set lists, in one read, as they come, change, go and come again', async () => {
    const { writer, reader, projectAll, drift } = await social();
    for (let i = 0; i < 150; i++) await writer.putEdge('USER-1', 'FOLLOWS', `USER-f${i}`, { since: '2026' });
    await projectAll();
    expect(await reader.degree('USER-1', 'FOLLOWS')).toBe(150);
    for (let i = 0; i < 30; i++) await writer.deleteEdge('USER-1', 'FOLLOWS', `USER-f${i}`);
    for (let i = 20; i < 40; i++) await writer.putEdge('USER-1', 'FOLLOWS', `USER-f${i}`, { since: '2027' });
    await projectAll();
    expect(await reader.degree('USER-1', 'FOLLOWS', { consistent: true })).toBe(130);
    expect(await reader.degree('USER-2', 'FOLLOWS')).toBe(0);
    expect(await drift()).toBe(0);
  });

  it('is the same whatever is delivered twice, and in which order', async () => {
    const { graph, store, writer, reader, allRecords } = await social();
    for (let i = 0; i < 20; i++) await writer.putEdge('USER-1', 'FOLLOWS', `USER-${i}`, { since: '2026' });
    for (let i = 0; i < 5; i++) await writer.deleteEdge('USER-1', 'FOLLOWS', `USER-${i}`);
    const all = await allRecords();
    const projector = createProjector(graph, { store });
    await Promise.all([projector.project(all), projector.project(all.slice(3)), projector.project(all.slice(0, 22))]);
    for (const record of [...all].reverse()) await projector.project([record]);
    await projector.project(all);
    expect(await reader.degree('USER-1', 'FOLLOWS')).toBe(15);
  });

  it('counts an edge whose order cannot be derived: it is there, and quarantined', async () => {
    const { writer, store, reader, projectAll } = await social();
    await writer.putEdge('TEAM-1', 'MEMBER', 'USER-1', { role: 'LEAD' });
    await store.put({ source: { S: 'TEAM-1' }, target: { S: 'MEMBER-USER-2' }, role: { S: 'NOBODY' } });
    expect(await projectAll()).toMatchObject({ quarantined: 1 });
    expect(await reader.degree('TEAM-1', 'MEMBER')).toBe(2);
  });

  it('counts the set of types that are listed, and the base edges where a type was evicted', async () => {
    const { writer, store, reader, projectAll } = await social();
    for (let i = 0; i < 5; i++) await writer.putEdge('USER-1', 'BLOCKS', `USER-${i}`);
    for (let i = 0; i < 100; i++) await writer.putEdge('USER-2', 'BLOCKS', `USER-much-longer-${i}`);
    await projectAll();
    expect(await reader.degree('USER-1', 'BLOCKS')).toBe(5);
    const { item } = await store.get({ source: 'USER-2', target: '~view' }, { consistent: true });
    expect(item).toMatchObject({ evicted: { SS: ['BLOCKS'] } });
    expect(await reader.degree('USER-2', 'BLOCKS')).toBe(100);
  });

  it('says so where a type is neither listed nor counted', async () => {
    const { reader } = await social();
    await expect(reader.degree('USER-1', 'LIKES' as 'FOLLOWS')).rejects.toMatchObject({ code: 'not-counted' });
  });

  it('is verified by the check, and repaired', async () => {
    const { graph, store, writer, reader, projectAll, drift } = await social();
    for (let i = 0; i < 10; i++) await writer.putEdge('USER-1', 'FOLLOWS', `USER-${i}`, { since: '2026' });
    await projectAll();
    const key = { source: 'USER-1', target: '~degree/FOLLOWS' };
    const wrong = [
      async () => store.put({ source: { S: 'USER-1' }, target: { S: key.target }, count: { N: '7' }, r: { N: '3' } }),
      async () => store.put({ source: { S: 'USER-1' }, target: { S: key.target }, count: { S: 'ten' }, r: { N: '3' } }),
      async () => store.delete(key),
      async () => store.delete({ source: 'USER-1', target: '~ix/FOLLOWS-USER-3' }),
    ];
    for (const damage of wrong) {
      await damage();
      expect(await drift()).toBeGreaterThan(0);
      await check(graph, { store, graceMs: 0, segments: 1, mode: 'repair' });
      expect(await drift()).toBe(0);
      expect(await reader.degree('USER-1', 'FOLLOWS', { consistent: true })).toBe(10);
    }
  });
});
