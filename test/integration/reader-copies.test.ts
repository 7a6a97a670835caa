import { beforeAll, describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../src/core/model/schema.ts';
import { neighboursOf } from '../support/page-nodes.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    GOAL: node({ view: ['title'], viewBudgetBytes: 4_096 }),
    USER: node({ view: ['name', 'city'] }),
    TEAM: node({ view: 'ALL' }),
  },
  edges: {
    MEMBER: edge({
      from: 'GOAL',
      to: ['USER', 'TEAM'],
      edgeSet: ['role'],
      inbound: { orders: { gsi0: rank('role', { LEAD: 50, TEAM: 30 }) } },
      copy: ['name', 'size'],
    }),
    BLOCKS: edge({ from: 'GOAL', to: 'GOAL' }),
  },
});

const GOALS = 10;
/** More than the view of a goal has room for. */
const LEADS = 99;
const goalId = (i: number): `GOAL-${string}` => `GOAL-${String(i).padStart(3, '0')}`;

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: Reader<typeof graph>;

beforeAll(async () => {
  table = await testTable(graph);
  const { store, projectAll } = table;
  const writer = createWriter(graph, { store });
  await writer.batch((batch) => {
    batch.putNode('TEAM-1', { name: 'Core', size: 7 });
    for (let i = 0; i < GOALS; i++) {
      batch.putNode(goalId(i), { title: `Goal ${i}` });
      batch.putEdge(goalId(i), 'MEMBER', 'TEAM-1', { role: 'TEAM' });
      batch.putEdge(goalId(i), 'MEMBER', `USER-${i}`, { role: 'LEAD' });
    }
    for (let i = 0; i < LEADS; i++) batch.putNode(`USER-${i}`, { name: `Lead ${i}`, city: 'Lisbon' });
    batch.putEdge(goalId(0), 'BLOCKS', goalId(1));
  });
  expect((await projectAll()).quarantined).toBe(0);
  reader = createReader(graph, { store: table.store });
});

describe('an entry of an edge set', () => {
  it('has beside its labels what the edge copies of its target', async () => {
    const [goal] = await reader.getViews([goalId(0)]);
    expect(goal!.edgeSet).toEqual([
      { type: 'BLOCKS', target: goalId(1) },
      { type: 'MEMBER', target: 'TEAM-1', role: 'TEAM', copy: { name: 'Core', size: 7 } },
      { type: 'MEMBER', target: 'USER-0', role: 'LEAD', copy: { name: 'Lead 0' } },
    ]);
  });
});

describe('a page of goals with the names of their leads and teams', () => {
  it('takes three where an edge that copies nothing is shown, too', async () => {
    const page = await reader.page('TEAM-1', 'MEMBER', { limit: 1 });
    expect(page.calls).toBe(3);
    // With the goal itself on the page it is not read again.
    expect((await reader.page('TEAM-1', 'MEMBER', { limit: 10 })).calls).toBe(2);
    expect(neighboursOf(page)).toMatchObject({ [goalId(1)]: { title: 'Goal 1' }, 'USER-0': { name: 'Lead 0' } });
  });
});

describe('what has no copy is read', () => {
  it('as a target that does not exist: null', async () => {
    const { store, projectAll } = table;
    const writer = createWriter(graph, { store });
    await writer.putNode('GOAL-dangling', { title: 'Dangling' });
    await writer.putEdge('GOAL-dangling', 'MEMBER', 'USER-gone', { role: 'LEAD' });
    await projectAll();
    const [goal] = await reader.getViews(['GOAL-dangling']);
    expect(goal!.edgeSet).toEqual([{ type: 'MEMBER', target: 'USER-gone', role: 'LEAD' }]);
    const page = await reader.page('USER-gone', 'MEMBER');
    expect(neighboursOf(page)).toMatchObject({ 'USER-gone': null });
    expect(page.calls).toBe(3);
  });

  it('as the targets of edges that outgrew their set', async () => {
    const { store, projectAll } = table;
    const writer = createWriter(graph, { store });
    await writer.batch((batch) => {
      batch.putNode('GOAL-large', { title: 'Large' });
      for (let i = 0; i < LEADS; i++)
        batch.putEdge('GOAL-large', 'MEMBER', `USER-${i}`, { role: i === 0 ? 'TEAM' : 'LEAD' });
    });
    await projectAll();
    const [goal] = await reader.getViews(['GOAL-large']);
    expect(goal!.edgeSet).toHaveLength(LEADS);
    expect(goal!.edgeSet.filter(({ copy }) => copy !== undefined)).toEqual([]);
    const page = await reader.page('USER-5', 'MEMBER');
    expect(neighboursOf(page)['USER-7']).toEqual({ name: 'Lead 7', city: 'Lisbon' });
  });
});

describe('waitForProjection', () => {
  const late = { timeoutMs: 0 };

  it('of an edge waits for the copy and the reverse item, of its end, too', async () => {
    const { store, projectAll } = table;
    const writer = createWriter(graph, { store });
    const base = ['GOAL-wait', 'MEMBER', 'USER-1'] as const;
    await writer.putNode('GOAL-wait', { title: 'Wait' });
    await projectAll();
    await writer.putEdge('GOAL-wait', 'MEMBER', 'USER-1', { role: 'LEAD' });
    await expect(reader.waitForProjection(...base, late)).rejects.toThrow(
      '~view, ~ix/MEMBER-USER-1, USER-1 ~rev/MEMBER-GOAL-wait',
    );
    await projectAll();
    await reader.waitForProjection(...base, late);
    // The target changes: the edge's copy is not what it should be until the fan-out has come to it.
    await writer.putNode('USER-1', { name: 'Renamed' });
    await expect(reader.waitForProjection(...base, late)).rejects.toThrow('still different: ~view.');
    // The node's own projection may well be complete before.
    await projectAll();
    await reader.waitForProjection('USER-1', late);
    await reader.waitForProjection(...base, late);
    await writer.deleteEdge('GOAL-wait', 'MEMBER', 'USER-1');
    await expect(reader.waitForProjection(...base, late)).rejects.toThrow(
      '~view, ~ix/MEMBER-USER-1, USER-1 ~rev/MEMBER-GOAL-wait',
    );
    await projectAll();
    await reader.waitForProjection(...base, late);
  });
});
