import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../src/core/model/schema.ts';
import { check } from '../../src/trust/check/check.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

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

describe('degree', () => {
  it('counts edges that no set lists, in one read, as they come, change, go and come again', async () => {
    const { graph, store, writer, reader, projectAll } = await openTable(socialGraph());
    for (let i = 0; i < 150; i++) await writer.putEdge('USER-1', 'FOLLOWS', `USER-f${i}`, { since: '2026' });
    await projectAll();
    expect(await reader.degree('USER-1', 'FOLLOWS')).toBe(150);
    for (let i = 0; i < 30; i++) await writer.deleteEdge('USER-1', 'FOLLOWS', `USER-f${i}`);
    for (let i = 20; i < 40; i++) await writer.putEdge('USER-1', 'FOLLOWS', `USER-f${i}`, { since: '2027' });
    await projectAll();
    expect(await reader.degree('USER-1', 'FOLLOWS', { consistent: true })).toBe(130);
    expect(await reader.degree('USER-2', 'FOLLOWS')).toBe(0);
    expect((await check(graph, { store, graceMs: 0 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });

  it('counts an edge whose order cannot be derived: it is there, and quarantined', async () => {
    const { writer, store, reader, projectAll } = await openTable(socialGraph());
    await writer.putEdge('TEAM-1', 'MEMBER', 'USER-1', { role: 'LEAD' });
    await store.put({ source: { S: 'TEAM-1' }, target: { S: 'MEMBER-USER-2' }, role: { S: 'NOBODY' } });
    expect(await projectAll()).toMatchObject({ quarantined: 1 });
    expect(await reader.degree('TEAM-1', 'MEMBER')).toBe(2);
  });

  it('says so where a type is neither listed nor counted', async () => {
    const { reader } = await openTable(socialGraph());
    await expect(reader.degree('USER-1', 'LIKES' as 'FOLLOWS')).rejects.toMatchObject({
      code: 'not-declared',
      hint: 'Give edges.LIKES degree: true, then migrate.',
    });
  });
});
