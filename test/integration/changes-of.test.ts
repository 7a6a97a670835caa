import { describe, expect, it } from 'vitest';
import { changesOf } from '../../src/client/feed/changes-of.ts';
import { createFeedModels } from '../../src/client/feed/feed-models.ts';
import { hashedEdgeKey } from '../../src/core/items/hashed-key.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, source } from '../../src/core/model/schema.ts';
import { Random } from '../simulator/kernel/random.ts';
import { FeedFollower } from '../support/feed-follower.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** Lists whose partitions and values have what keys are made of, and values that keys have no room for. */
const graphOf = () =>
  defineGraph({
    table: uniqueTableName(),
    nodes: {
      USER: node({ view: ['name'], search: { foods: { multiValue: true, shards: 2 } } }),
      GOAL: node({ view: 'ALL', search: { title: { shards: 'value', partition: 'country' } } }),
    },
    edges: {
      MEMBER: edge({
        from: 'GOAL',
        to: 'USER',
        inbound: { orders: { byTitle: [source('title'), 'since'] }, shards: 3 },
      }),
      FOR: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'since' }, partition: 'country' } }),
      KNOWS: edge({ from: 'USER', to: 'USER', keys: 'hashed', inbound: { orders: { gsi0: 'since' } } }),
    },
  });

const USERS = ['USER-1', 'USER-2#3', 'USER-a%40#1'] as const;
const GOALS = ['GOAL-1', 'GOAL-2#2', 'GOAL-3'] as const;
const COUNTRIES = ['US', 'U#S', 'U%23S'];

describe('the changes of a stream', () => {
  it('make the same lists and searches that a reader finds, whatever keys have escaped', {
    timeout: 120_000,
  }, async () => {
    const graph = graphOf();
    const { store, projectAll, rawRecords, writer, reader } = await openTable(graph);
    const random = new Random(7);
    const one = <T>(of: readonly T[]): T => random.pick(of);
    for (let step = 0; step < 200; step++) {
      const [user, goal] = [one(USERS), one(GOALS)];
      const since = `2026-01-0${random.between(1, 4)}`;
      const title = one(['Run', 'Walk', 'x'.repeat(600)]);
      await [
        () => writer.putNode(user, { foods: new Set([one(['ramen', 'soba']), 'udon']) }),
        () => writer.putNode(goal, { title, country: one(COUNTRIES) }),
        () => writer.putEdge(goal, 'MEMBER', user, { since }),
        () => writer.putEdge(goal, 'FOR', user, { since, country: one(COUNTRIES) }),
        () => writer.putEdge(user, 'KNOWS', one(USERS), { since }),
        () => writer.deleteEdge(goal, one(['MEMBER', 'FOR'] as const), user),
        () => one([() => writer.deleteNode(user), () => writer.deleteNode(goal)])(),
      ][random.below(7)]!();
      if (random.below(12) === 0) await projectAll();
    }
    for (let round = 0; round < 4; round++) await projectAll();
    const model = await createFeedModels(graph, { store }).current();
    const changes = (await rawRecords()).flatMap((record) => changesOf(model, record));
    const follower = new FeedFollower();
    // Each comes again behind those after it.
    for (const [i, change] of changes.entries())
      for (const told of [change, changes[i - 3]]) if (told) follower.take(told);

    for (const user of USERS) {
      const { items: members } = await reader.inbound(user, 'MEMBER');
      expect(follower.inbound(user, 'MEMBER', 'byTitle').map(({ id }) => id)).toEqual(
        members.map(({ source: id }) => id),
      );
      for (const partition of COUNTRIES) {
        const { items } = await reader.inbound(user, 'FOR', { partition });
        expect(follower.inbound(user, 'FOR', 'gsi0', partition).map(({ id }) => id)).toEqual(
          items.map(({ source: id }) => id),
        );
      }
      const hashed = hashedEdgeKey('KNOWS', user).slice('KNOWS-'.length);
      const { items } = await reader.inbound(user, 'KNOWS');
      expect(follower.inbound(hashed, 'KNOWS', 'gsi0').map(({ id }) => id)).toEqual(items.map(({ source }) => source));
    }
    for (const partition of COUNTRIES) {
      const rows = follower.hits('GOAL.title', partition);
      for (const title of ['Run', 'Walk', 'x'.repeat(600)]) {
        const { items } = await reader.search('GOAL.title').equals(title, { partition });
        expect(rows.filter(({ value }) => value === title).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
      }
    }
    const foods = follower.hits('USER.foods').map(({ id, value, attributes }) => ({ id, value, attributes }));
    expect(foods).toEqual((await reader.search('USER.foods').all()).items);
  });
});
