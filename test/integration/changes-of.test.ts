import { describe, expect, it } from 'vitest';
import { changesOf } from '../../src/client/feed/changes-of.ts';
import { createFeedModels } from '../../src/client/feed/feed-models.ts';
import { compareKeys } from '../../src/core/items/encoding.ts';
import { hashedEdgeKey } from '../../src/core/items/hashed-key.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, part, rank, source, sum } from '../../src/core/model/schema.ts';
import { FeedFollower, type FollowedRow } from '../support/feed-follower.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const RENAMED = {
  gsi0: { name: 'GSI1', partitionKey: 'GSI1PK', sortKey: 'GSI1SK' },
  gsi1: { name: 'GSI2', partitionKey: 'GSI2PK', sortKey: 'GSI2SK' },
};

const graphOf = () =>
  defineGraph({
    table: { name: uniqueTableName(), indexes: RENAMED },
    nodes: {
      USER: node({
        view: ['name'],
        list: true,
        search: {
          name: { shards: 3, caseInsensitive: true, project: ['team'] },
          foods: { multiValue: true, shards: 2 },
        },
        parts: { STATE: part({ view: ['status'], search: { status: { shards: 1 } } }) },
      }),
      GOAL: node({ view: 'ALL', search: { title: { shards: 'value', partition: 'country' } } }),
    },
    edges: {
      MEMBER: edge({
        ...{ from: 'GOAL', to: 'USER', edgeSet: ['role'], copy: ['name'] },
        inbound: {
          orders: {
            gsi0: rank('role', { LEAD: 5, TEAM: 3 }),
            gsi1: date('since'),
            byTitle: [source('title'), 'since'],
          },
          ...{ shards: 3, project: ['role'], total: { hours: sum('hours') }, groupBy: ['role'] },
        },
        degree: true,
      }),
      FOR: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'since' }, partition: 'country' } }),
      KNOWS: edge({ from: 'USER', to: 'USER', keys: 'hashed', inbound: { orders: { gsi0: 'since' } } }),
    },
  });

/** Small numbers that look like chance, the same in each run. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
}

const USERS = ['USER-1', 'USER-2#3', 'USER-a%40#1'] as const;
const GOALS = ['GOAL-1', 'GOAL-2#2', 'GOAL-3'] as const;
const COUNTRIES = ['US', 'U#S', 'U%23S'];

function rowsOf(rows: readonly FollowedRow[]): object[] {
  return rows.map(({ id, attributes }) => ({ source: id, attributes }));
}

describe('the changes of a stream', () => {
  it('make the same lists, searches, views and counts that a reader finds', { timeout: 120_000 }, async () => {
    const graph = graphOf();
    const { store, projectAll, rawRecords, writer, reader } = await testTable(graph);
    const below = chance(7);
    const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
    for (let step = 0; step < 200; step++) {
      const [user, goal] = [one(USERS), one(GOALS)];
      const since = `2026-01-0${1 + below(4)}`;
      const name = one(['Ann', 'ann', 'Bo']);
      const title = one(['Run', 'Walk', 'x'.repeat(600)]);
      await [
        () => writer.putNode(user, { name, team: one(['a', 'b']), foods: new Set([one(['ramen', 'soba']), 'udon']) }),
        () => writer.putNode(goal, { title, country: one(COUNTRIES) }),
        () => writer.putPart(user, 'STATE', { status: one(['on', 'off']), seen: step }),
        () => writer.putEdge(goal, 'MEMBER', user, { role: one(['LEAD', 'TEAM']), since, hours: below(9) }),
        () => writer.putEdge(goal, 'FOR', user, { since, country: one(COUNTRIES) }),
        () => writer.putEdge(user, 'KNOWS', one(USERS), { since }),
        () => writer.deleteEdge(goal, one(['MEMBER', 'FOR'] as const), user),
        () => writer.deletePart(user, 'STATE'),
        () => one([() => writer.deleteNode(user), () => writer.deleteNode(goal)])(),
      ][below(9)]!();
      if (below(12) === 0) await projectAll();
    }
    for (let round = 0; round < 4; round++) await projectAll();
    const model = await createFeedModels(graph, { store }).current();
    const changes = (await rawRecords()).flatMap((record) => changesOf(model, record));
    const kinds = new Set(changes.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['count', 'list', 'search', 'view']);
    expect(new Set(changes.map(({ eventId, item }) => `${eventId} ${item}`)).size).toBe(changes.length);
    expect(new Set(changes.map(({ eventId }) => eventId)).size).toBe(changes.length);
    const follower = new FeedFollower();
    // Each comes again behind those after it.
    for (const [i, change] of changes.entries())
      for (const told of [change, changes[i - 3]]) if (told) follower.take(told);

    const listed = (await reader.nodes('USER')).items.map(({ id }) => id);
    expect(listed).not.toEqual([]);
    expect(follower.rows(({ list }) => 'nodes' in list && list.nodes === 'USER').map(({ id }) => id)).toEqual(listed);
    for (const change of changes) if ('value' in change) expect(change.list.search).toMatch(/^[A-Z]+\.[\w.]+$/);
    for (const user of USERS) {
      for (const order of ['gsi0', 'gsi1', 'byTitle'] as const) {
        const { items } = await reader.inbound(user, 'MEMBER', { order });
        expect(rowsOf(follower.inbound(user, 'MEMBER', order)), `MEMBER ${user} ${order}`).toEqual(
          items.map(({ source, attributes }) => ({ source, attributes })),
        );
      }
      for (const partition of COUNTRIES) {
        const { items } = await reader.inbound(user, 'FOR', { partition });
        expect(rowsOf(follower.inbound(user, 'FOR', 'gsi0', partition)), `FOR ${user} ${partition}`).toEqual(
          items.map(({ source, attributes }) => ({ source, attributes })),
        );
      }
      const hashed = hashedEdgeKey('KNOWS', user).slice('KNOWS-'.length);
      const { items } = await reader.inbound(user, 'KNOWS');
      expect(follower.inbound(hashed, 'KNOWS', 'gsi0').map(({ id }) => id)).toEqual(items.map(({ source }) => source));
      const total = await reader.total(user, 'MEMBER');
      const { groups, ...sums } = total;
      const told = follower.count('MEMBER', user, 'inbound');
      expect(told ?? { count: 0, hours: '0', groups: { role: {} } }).toEqual({ ...sums, groups });
    }
    for (const goal of GOALS) {
      expect(follower.count('MEMBER', goal, 'outgoing')?.['count'] ?? 0).toBe(await reader.degree(goal, 'MEMBER'));
      for (const partition of COUNTRIES) {
        for (const title of ['Run', 'Walk', 'x'.repeat(600)]) {
          const { items } = await reader.search('GOAL.title').equals(title, { partition });
          const rows = follower.hits('GOAL.title', partition);
          expect(rows.filter(({ value }) => value === title).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
        }
      }
    }
    for (const search of ['USER.name', 'USER.foods', 'USER.STATE.status'] as const) {
      const { items } = await reader.search(search).all();
      const rows = follower.hits(search);
      expect(
        rows.map(({ id, value, attributes }) => ({ id, value, attributes })),
        search,
      ).toEqual(items);
    }
    const nodes = await reader.getViews([...USERS, ...GOALS]);
    const byEdge = (left: { type: string; target: string }, right: { type: string; target: string }): number =>
      compareKeys(`${left.type} ${left.target}`, `${right.type} ${right.target}`);
    for (const stored of nodes) {
      if (stored === null) throw new Error('a view is missing');
      const { id, attributes, edgeSet } = follower.node(stored.id);
      expect({ id, attributes, edgeSet: (edgeSet as never[]).sort(byEdge) }).toEqual({
        ...stored,
        edgeSet: [...(stored.edgeSet as never[])].sort(byEdge),
      });
    }
  });
});
