import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys } from '../../src/items/encoding.ts';
import { defineGraph } from '../../src/model/compile/define-graph.ts';
import { edge, node } from '../../src/model/schema.ts';
import { derivedOf } from '../../src/plan/derive.ts';
import { createReader } from '../../src/read/reader.ts';
import { WITHOUT_REGISTRY } from '../../src/registry/reader-lease.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';

const project = ['status', 'points', 'note'] as const;

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ search: { rank: { shards: 3, project } } }), USER: node() },
  edges: {
    AIMS: edge({ from: 'GOAL', to: 'USER', inbound: { gsi0: 'rank', shards: 2, project, includeOwner: false } }),
  },
});

interface Goal {
  rank: string;
  status?: string;
  points?: number;
  note: string;
}

const goal: fc.Arbitrary<Goal> = fc.record(
  {
    rank: fc.constantFrom('a', 'aa', 'b', 'c'),
    status: fc.constantFrom('open', 'closed'),
    points: fc.constantFrom(1, 2),
    note: fc.constantFrom('', 'x'.repeat(400)),
  },
  { requiredKeys: ['rank', 'note'] },
);

const list = fc.record({
  kind: fc.constantFrom('inbound' as const, 'search' as const),
  where: fc.record(
    { status: fc.constantFrom('open', 'closed', 'none'), points: fc.constantFrom(1, 2) },
    { requiredKeys: [] },
  ),
  from: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  reverse: fc.boolean(),
  limit: fc.integer({ min: 1, max: 9 }),
  maxRcu: fc.option(fc.constantFrom(1.5, 2, 3, 10), { nil: undefined }),
});

/** The index items of some goals, and of their edges to one user. */
async function storeOf(goals: readonly Goal[]): Promise<MemoryStore> {
  const store = new MemoryStore(graph.table);
  for (const [i, { rank, note, status, points }] of goals.entries()) {
    const source = `GOAL-${i}`;
    for (const target of [source, 'AIMS-USER-1']) {
      const image = {
        ...{ source: { S: source }, target: { S: target }, rank: { S: rank }, note: { S: note } },
        ...(status !== undefined && { status: { S: status } }),
        ...(points !== undefined && { points: { N: String(points) } }),
      };
      for (const [key, fields] of derivedOf(graph, source, target, image).indexItems) {
        await store.put({ source: { S: source }, target: { S: key }, ...fields });
      }
    }
  }
  return store;
}

describe('lists with where and maxRcu', () => {
  it('give each item that is wanted once, in order, and pages that are short only where their units are spent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(goal, { maxLength: 150, size: 'max' }),
        list,
        async (goals, { kind, where, from, ...options }) => {
          const reader = createReader(graph, { store: await storeOf(goals), leases: WITHOUT_REGISTRY });
          const { limit, reverse, maxRcu } = options;
          const bound = maxRcu ?? (Object.keys(where).length > 0 ? 50 : Number.POSITIVE_INFINITY);
          const found: string[] = [];
          let cursor: string | undefined;
          for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
            const asked = { ...options, where, cursor };
            const page =
              kind === 'search'
                ? await reader.search('GOAL.rank').between(from, undefined, asked)
                : await reader.inbound('AIMS', 'USER-1', { ...asked, from });
            found.push(...page.items.map((item) => ('id' in item ? item.id : item.source)));
            expect(page.items.length).toBeLessThanOrEqual(limit);
            expect(page.rcu ?? 0).toBeLessThanOrEqual(bound);
            cursor = page.cursor;
            if (cursor !== undefined && page.items.length < limit) expect(page.rcu).toBeGreaterThan(bound - 0.5);
            // Each page comes forward by at least one item.
            expect(pages).toBeLessThanOrEqual(goals.length);
          }
          const expected = goals
            .map((one, i) => ({ ...one, id: `GOAL-${i}` }))
            .filter(({ rank }) => from === undefined || rank >= from)
            .filter(({ status }) => where.status === undefined || status === where.status)
            .filter(({ points }) => where.points === undefined || points === where.points)
            .sort((left, right) => compareKeys(left.rank, right.rank) || compareKeys(left.id, right.id))
            .map(({ id }) => id);
          expect(found).toEqual(reverse ? expected.reverse() : expected);
        },
      ),
      { numRuns: 500 },
    );
  });
});
