import { describe, expect, it } from 'vitest';
import { changesOf } from '../../src/client/feed/changes-of.ts';
import type { FeedChange, ListChange, SearchChange } from '../../src/client/feed/feed-change.ts';
import { createFeedModels } from '../../src/client/feed/feed-models.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { compareKeys } from '../../src/core/items/encoding.ts';
import { hashedEdgeKey } from '../../src/core/items/hashed-key.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { count, edge, fromSource, node, part, rank, sum } from '../../src/core/model/schema.ts';
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
        search: { name: { shards: 3, fold: true, project: ['team'] }, foods: { each: true, shards: 2 } },
        parts: { STATE: part({ view: ['status'], search: { status: { shards: 1 } } }) },
      }),
      GOAL: node({ search: { title: { shards: 'value', partition: 'country' } } }),
    },
    edges: {
      MEMBER: edge({
        ...{ from: 'GOAL', to: 'USER', edgeSet: ['role'], copy: ['name'] },
        inbound: {
          gsi0: rank('role', { LEAD: 5, TEAM: 3 }),
          gsi1: { from: 'since', type: 'date' },
          byTitle: [fromSource('title'), 'since'],
          ...{ shards: 3, project: ['role'], total: { hours: sum('hours') }, by: { role: count('role') } },
        },
        degree: true,
      }),
      FOR: edge({ from: 'GOAL', to: 'USER', inbound: { gsi0: 'since', partition: 'country' } }),
      KNOWS: edge({ from: 'USER', to: 'USER', keys: 'hashed', inbound: { gsi0: 'since' } }),
    },
  });

/** A program that knows the table by the changes alone. Each may come again, and an older one behind a newer one. */
class Follower {
  private readonly revisions = new Map<string, number>();
  private readonly newest = new Map<string, FeedChange>();
  private readonly edges = new Map<string, Map<string, unknown>>();

  take(change: FeedChange): void {
    const key = `${change.item} ${'list' in change && 'order' in change.list ? change.list.order : ''}`;
    if (change.revision <= (this.revisions.get(key) ?? 0)) return;
    this.revisions.set(key, change.revision);
    if (change.kind === 'view' && change.part === undefined) {
      const edges = this.edges.get(change.id) ?? new Map<string, unknown>();
      for (const entry of change.left ?? []) edges.delete(`${entry.type} ${entry.target}`);
      for (const entry of change.entered ?? []) edges.set(`${entry.type} ${entry.target}`, entry);
      this.edges.set(change.id, edges);
    }
    // A row that stays where it is keeps its place.
    const before = this.newest.get(key);
    const isRow = change.kind === 'list' || change.kind === 'search';
    const stays = isRow && change.attributes !== null && change.entered === undefined;
    const place = stays ? { entered: (before as ListChange | undefined)?.entered } : {};
    this.newest.set(key, { ...change, ...place } as FeedChange);
  }

  list(isOf: (change: ListChange | SearchChange) => boolean): (ListChange | SearchChange)[] {
    const rows = [...this.newest.values()].filter(
      (change): change is ListChange | SearchChange =>
        (change.kind === 'list' || change.kind === 'search') && change.attributes !== null && isOf(change),
    );
    return rows.sort((left, right) => compareKeys(left.entered!.place, right.entered!.place));
  }

  inbound(type: string, target: string, order: string, partition?: string) {
    return this.list(
      (change) =>
        change.kind === 'list' &&
        JSON.stringify(change.list) === JSON.stringify({ inbound: [type, target], order }) &&
        change.entered?.partition === partition,
    ).map(({ id, attributes }) => ({ source: id, attributes }));
  }

  node(id: string) {
    const parts: Record<string, unknown> = {};
    let own: Record<string, unknown> | null = null;
    for (const change of this.newest.values()) {
      if (change.kind !== 'view' || change.id !== id) continue;
      if (change.part === undefined) own = change.attributes;
      else if (change.attributes !== null) parts[change.part] = change.attributes;
    }
    return {
      ...{ id, attributes: own && { ...(own as object), ...parts } },
      edgeSet: [...(this.edges.get(id)?.values() ?? [])],
    };
  }

  count(type: string, id: string, direction: string) {
    for (const change of this.newest.values()) {
      if (change.kind === 'count' && change.type === type && change.id === id && change.direction === direction) {
        return change.attributes;
      }
    }
    return undefined;
  }
}

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

describe('the changes of a stream', () => {
  it('make the same lists, searches, views and counts that a reader finds', { timeout: 120_000 }, async () => {
    const graph = graphOf();
    const { store, projectAll, rawRecords } = await testTable(graph);
    const writer = createWriter(graph, { store });
    const reader = createReader(graph, { store });
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
    const changes = (await rawRecords()).flatMap((record) => changesOf(record, model));
    const kinds = new Set(changes.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['count', 'list', 'search', 'view']);
    expect(new Set(changes.map(({ eventId, item }) => `${eventId} ${item}`)).size).toBe(changes.length);
    expect(new Set(changes.map(({ eventId }) => eventId)).size).toBe(changes.length);
    const follower = new Follower();
    // Each comes again behind those after it.
    for (const [i, change] of changes.entries())
      for (const told of [change, changes[i - 3]]) if (told) follower.take(told);

    for (const user of USERS) {
      for (const order of ['gsi0', 'gsi1', 'byTitle'] as const) {
        const { items } = await reader.inbound('MEMBER', user, { order });
        expect(follower.inbound('MEMBER', user, order), `MEMBER ${user} ${order}`).toEqual(
          items.map(({ source, attributes }) => ({ source, attributes })),
        );
      }
      for (const partition of COUNTRIES) {
        const { items } = await reader.inbound('FOR', user, { partition });
        expect(follower.inbound('FOR', user, 'gsi0', partition), `FOR ${user} ${partition}`).toEqual(
          items.map(({ source, attributes }) => ({ source, attributes })),
        );
      }
      const hashed = hashedEdgeKey('KNOWS', user).slice('KNOWS-'.length);
      const { items } = await reader.inbound('KNOWS', user);
      expect(follower.inbound('KNOWS', hashed, 'gsi0').map(({ source }) => source)).toEqual(
        items.map(({ source }) => source),
      );
      const total = await reader.total(user, 'MEMBER');
      const { by, ...sums } = total;
      const told = follower.count('MEMBER', user, 'inbound');
      expect(told ?? { count: 0, hours: '0', by: { role: {} } }).toEqual({ ...sums, by });
    }
    for (const goal of GOALS) {
      expect(follower.count('MEMBER', goal, 'outgoing')?.['count'] ?? 0).toBe(await reader.degree(goal, 'MEMBER'));
      for (const partition of COUNTRIES) {
        for (const title of ['Run', 'Walk', 'x'.repeat(600)]) {
          const { items } = await reader.search('GOAL.title').eq(title, { partition });
          const rows = follower.list(
            (change) =>
              change.kind === 'search' &&
              change.list.search === 'GOAL.title' &&
              change.entered?.partition === partition,
          );
          expect(rows.filter((row) => (row as SearchChange).value === title).map(({ id }) => id)).toEqual(
            items.map(({ id }) => id),
          );
        }
      }
    }
    for (const search of ['USER.name', 'USER.foods', 'USER.STATE.status'] as const) {
      const { items } = await reader.search(search).all();
      const rows = follower.list((change) => change.kind === 'search' && change.list.search === search);
      expect(
        rows.map((row) => ({ id: row.id, value: (row as SearchChange).value, attributes: row.attributes })),
        search,
      ).toEqual(items);
    }
    const nodes = await reader.get([...USERS, ...GOALS]);
    const byEdge = (left: { type: string; target: string }, right: { type: string; target: string }): number =>
      compareKeys(`${left.type} ${left.target}`, `${right.type} ${right.target}`);
    for (const stored of nodes) {
      const { id, attributes, edgeSet } = follower.node(stored.id);
      expect({ id, attributes, edgeSet: (edgeSet as never[]).sort(byEdge) }).toEqual({
        ...stored,
        edgeSet: [...(stored.edgeSet as never[])].sort(byEdge),
      });
    }
  });
});
