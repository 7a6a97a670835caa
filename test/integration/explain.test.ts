import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, rank } from '../../src/core/model/schema.ts';
import type { LagKnowledge, PartState } from '../../src/trust/explain/base-item.ts';
import { type Explanation, explain } from '../../src/trust/explain/explain.ts';
import { explainQuery } from '../../src/trust/explain/query.ts';
import { migratingTable } from '../support/migrating-table.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

const APPLIED: LagKnowledge = { isApplied: true, text: 'All is applied' };
const BEHIND: LagKnowledge = { isApplied: false, text: 'The consumers are 7 s behind' };

async function table() {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: {
      GOAL: node({ view: 'ALL', viewBudgetBytes: 4_096, search: { status: { shards: 1 } } }),
      USER: node({ view: 'ALL', search: { name: { shards: 4 }, foods: { multiValue: true, shards: 1 } } }),
    },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        edgeSet: ['role'],
        inbound: { orders: { gsi0: rank('role', { LEAD: 2, HELP: 1 }), byDate: date('since') } },
      }),
    },
  });
  return await openTable(graph);
}

type Table = Awaited<ReturnType<typeof table>>;

function explained({ graph, store }: Table, source: string, target = source, lag = APPLIED): Promise<Explanation> {
  return explain(graph, { key: { source, target }, store, lag: async () => lag });
}

function states({ parts }: Explanation): Record<string, PartState> {
  return Object.fromEntries(parts.map(({ name, state }) => [name, state]));
}

describe('explain, of a base item', () => {
  it('names the partition of a list where the edge has an order and no partition', async () => {
    const graph = defineGraph({
      table: uniqueTableName(),
      nodes: { TASK: node(), USER: node() },
      edges: {
        ASSIGNED: edge({ from: 'TASK', to: 'USER', inbound: { orders: { byDue: date('due') }, partition: 'team' } }),
      },
    });
    const world = await openTable(graph);
    await world.writer.putEdge('TASK-1', 'ASSIGNED', 'USER-1', { due: '2026-01-01' });
    await world.projectAll();
    const key = { source: 'TASK-1', target: 'ASSIGNED-USER-1' };
    const { parts } = await explain(graph, { key, store: world.store, lag: async () => APPLIED });
    expect(parts.find(({ name }) => name === 'edges.ASSIGNED.inbound.orders.byDue')).toMatchObject({
      state: 'absent',
      reason: 'The edge has no value for team, the partition of the list.',
    });
  });

  it('names every place, and says of each whether it is right or why it is absent', async () => {
    const world = await table();
    await world.writer.putNode('USER-1', { name: 'Terui', foods: ['ramen', 'sushi'] });
    await world.writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD' });
    await world.projectAll();
    expect(states(await explained(world, 'GOAL-1', 'MEMBER-USER-1'))).toEqual({
      'edges.MEMBER.edgeSet': 'right',
      'edges.MEMBER.inbound.orders.gsi0': 'right',
      'edges.MEMBER.inbound.orders.byDate': 'absent',
    });
    const user = await explained(world, 'USER-1');
    expect(user.parts.map(({ target }) => target)).toEqual(['~view', '~ix/name', '~ix/foods/ramen', '~ix/foods/sushi']);
    expect(new Set(user.parts.map(({ state }) => state))).toEqual(new Set(['right']));
  });

  it('says of a soft-deleted item that it counts as deleted, and by which attribute and value', async () => {
    const graph = defineGraph({
      table: uniqueTableName(),
      nodes: { OFFER: node({ view: 'ALL', search: { code: { shards: 1 } }, deletedWhen: 'deletedAt' }) },
      edges: {
        LIKE: edge({ from: 'OFFER', to: 'OFFER', inbound: { orders: { byWhy: 'why' } }, deletedWhen: 'deletedAt' }),
      },
    });
    const { store, writer, projectAll } = await openTable(graph);
    await writer.putNode('OFFER-1', { code: 'Z', deletedAt: '2026' });
    await writer.putEdge('OFFER-1', 'LIKE', 'OFFER-2', { why: 'z', deletedAt: '2026' });
    await projectAll();
    const reason = 'It counts as deleted, because it has deletedAt ("2026")';
    for (const target of ['OFFER-1', 'LIKE-OFFER-2']) {
      const { parts } = await explain(graph, { key: { source: 'OFFER-1', target }, store });
      expect(parts.length).toBeGreaterThan(0);
      for (const part of parts)
        expect(part).toMatchObject({ state: 'absent', reason: expect.stringContaining(reason) });
    }
  });

  it('tells lag from drift by how far the consumers have come', async () => {
    const world = await table();
    await world.writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD' });
    const lagging = await explained(world, 'GOAL-1', 'MEMBER-USER-1', BEHIND);
    expect(states(lagging)).toMatchObject({ 'edges.MEMBER.edgeSet': 'lag', 'edges.MEMBER.inbound.orders.gsi0': 'lag' });
    expect(lagging.parts[0]!.reason).toContain('7 s behind');
    const drifted = await explained(world, 'GOAL-1', 'MEMBER-USER-1', APPLIED);
    expect(states(drifted)).toMatchObject({
      'edges.MEMBER.edgeSet': 'drift',
      'edges.MEMBER.inbound.orders.gsi0': 'drift',
    });
  });

  it('calls nothing drift that is applied while it asks how far the consumers have come', async () => {
    const world = await table();
    await world.writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD' });
    const { graph, store } = world;
    const lag = async (): Promise<LagKnowledge> => {
      await world.projectAll();
      return APPLIED;
    };
    const { parts } = await explain(graph, { key: { source: 'GOAL-1', target: 'MEMBER-USER-1' }, store, lag });
    expect(parts.map(({ state }) => state)).not.toContain('drift');
  });

  it('gives the reason of a part in quarantine', async () => {
    const world = await table();
    // The writer refuses it; another producer does not.
    await world.store.put({
      ...{ source: { S: 'GOAL-1' }, target: { S: 'MEMBER-USER-1' } },
      ...{ role: { S: 'LEAD' }, since: { S: 'never' } },
    });
    await world.projectAll();
    const { parts, notes } = await explained(world, 'GOAL-1', 'MEMBER-USER-1');
    expect(parts.find(({ name }) => name.endsWith('byDate'))).toMatchObject({
      state: 'quarantined',
      reason: expect.stringContaining('since'),
    });
    expect(notes).toEqual([expect.stringContaining('in quarantine')]);
  });

  it('tells that an edge type was evicted', async () => {
    const world = await table();
    const edges = Array.from({ length: 300 }, (_, i): `USER-${string}` => `USER-${'x'.repeat(20)}${i}`);
    for (let start = 0; start < edges.length; start += 100) {
      const batchOf = edges.slice(start, start + 100);
      await world.writer.batch((batch) => {
        for (const target of batchOf) batch.putEdge('GOAL-1', 'MEMBER', target, { role: 'HELP' });
      });
      await world.projectAll();
    }
    expect(states(await explained(world, 'GOAL-1', `MEMBER-${edges[0]}`))).toMatchObject({
      'edges.MEMBER.edgeSet': 'evicted',
    });
  });

  it('names the nearest type of one that the model does not declare', async () => {
    const world = await table();
    const { notes, parts } = await explained(world, 'GOAL-1', 'MEMBRE-USER-1');
    expect(parts).toEqual([]);
    expect(notes.join(' ')).toContain('The nearest type is MEMBER');
  });

  it('says which of the types in the key the model does not declare', async () => {
    const world = await table();
    const noted = async (target: string) => (await explained(world, 'GOAL-1', target)).notes.join(' ');
    expect(await noted('MEMBER-ALIEN-1')).toContain('The model declares no node type ALIEN,');
    expect(await noted('USER-1')).toContain('The model declares no edge type USER,');
  });
});

describe('explain, of a derived item', () => {
  it('says where it comes from, its revision, and what a write of it costs', async () => {
    const world = await table();
    await world.writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD' });
    await world.projectAll();
    const { item, parts, notes } = await explained(world, 'GOAL-1', '~ix/MEMBER-USER-1');
    expect(item).toMatchObject({ exists: true, kind: 'index-item' });
    expect(parts).toEqual([expect.objectContaining({ target: 'MEMBER-USER-1', name: 'edges.MEMBER.inbound' })]);
    expect(notes.join(' ')).toMatch(/It has revision 1.*takes 1 WCU/);
  });

  it('tells a tombstone', async () => {
    const world = await table();
    await world.writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD' });
    await world.projectAll();
    await world.writer.deleteEdge('GOAL-1', 'MEMBER', 'USER-1');
    await world.projectAll();
    expect((await explained(world, 'GOAL-1', '~ix/MEMBER-USER-1')).notes[0]).toContain('tombstone');
  });
});

describe('explain, of a query', () => {
  it('counts partitions, calls and units', async () => {
    const { store, graph, writer, projectAll } = await table();
    await writer.putNode('USER-1', { name: 'Terui' });
    await projectAll();
    const { plan, result } = await explainQuery(store, (noted) =>
      createReader(graph, { store: noted }).search('USER.name').beginsWith('Te'),
    );
    expect(result.items).toHaveLength(1);
    expect(plan.calls).toBe(4);
    expect(plan.rcu).toBeGreaterThan(0);
    expect(plan.partitions).toHaveLength(4);
  });
});

describe('explain, of a table with a registry', () => {
  it('looks where the table keeps what readers use', async () => {
    const { before, after, migrate, user, projectAll, store } = await migratingTable();
    await migrate(before);
    await user(1);
    await projectAll();
    await migrate(after);
    const { parts } = await explain(after, { key: { source: 'USER-1', target: 'USER-1' }, store });
    expect(parts.map(({ target, state }) => [target, state])).toEqual([
      ['~view', 'right'],
      ['~ix/@2/name', 'right'],
      ['~ix/@2/email', 'right'],
    ]);
  });

  it('has the edge set once while two generations of the list exist', async () => {
    const { before, reranked, migrate, writer, projectAll, store } = await migratingTable();
    await migrate(before);
    await writer.putEdge('GOAL-1', 'MEMBER', 'USER-1', { role: 'LEAD' });
    await projectAll();
    await migrate(reranked);
    const { parts } = await explain(reranked, { key: { source: 'GOAL-1', target: 'MEMBER-USER-1' }, store });
    expect(parts.map(({ name, target, state }) => [name, target, state])).toEqual([
      ['edges.MEMBER.edgeSet', '~view', 'right'],
      ['edges.MEMBER.inbound.orders.gsi0', '~ix/@2/MEMBER-USER-1', 'right'],
      ['edges.MEMBER.degree', '~ix/@2/MEMBER-USER-1', 'right'],
      ['edges.MEMBER.inbound.orders.gsi0', '~ix/MEMBER-USER-1', 'right'],
      ['edges.MEMBER.degree', '~ix/MEMBER-USER-1', 'right'],
    ]);
  });
});
