import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import type { WhereComparison } from '../../src/client/read/request/where.ts';
import { itemSizeBytes } from '../../src/core/items/attribute-value.ts';
import { compareKeys } from '../../src/core/items/encoding.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import { withoutRegistry } from '../../src/registry/reader-lease.ts';
import { runs } from '../support/extent.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { SIZES } from '../support/sizes.ts';

const project = ['status', 'points', 'note'] as const;

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL', search: { rank: { shards: 3, project } } }), USER: node({ view: 'ALL' }) },
  edges: {
    AIMS: edge({
      from: 'GOAL',
      to: 'USER',
      inbound: { orders: { gsi0: 'rank' }, shards: 2, project, includeTarget: false },
    }),
  },
});

interface Goal {
  rank: string;
  status?: string;
  points?: number;
  note: string;
}

const notes = fc.constantFrom('', 'x'.repeat(400));

const goal: fc.Arbitrary<Goal> = fc.record(
  {
    rank: fc.constantFrom('a', 'aa', 'b', 'c'),
    status: fc.constantFrom('open', 'shut'),
    points: fc.constantFrom(1, 2),
    note: notes,
  },
  { requiredKeys: ['rank', 'note'] },
);

/** A value, or comparisons with values. */
function condition<Value extends string | number>(value: fc.Arbitrary<Value>) {
  const operators = {
    ...{ equals: value, in: fc.array(value, { minLength: 1, maxLength: 3 }), exists: fc.boolean() },
    ...{ lt: value, lte: value, gt: value, gte: value, between: fc.tuple(value, value) },
  };
  const some = <Of>(of: { [Name in keyof Of]: fc.Arbitrary<Of[Name]> }) =>
    fc.record(of, { requiredKeys: [] }).filter((all) => Object.keys(all).length > 0);
  return fc.oneof(value, some({ ...operators, not: fc.oneof(value, some(operators)) }));
}

/** Whether a value is expected, judged by JavaScript's comparisons, which are right for these values. */
function isWanted<Value extends string | number>(
  stored: Value | undefined,
  asked: Value | WhereComparison<Value> | undefined,
): boolean {
  if (asked === undefined) return true;
  if (typeof asked !== 'object') return stored === asked;
  const { equals, not, in: all, exists, lt, lte, gt, gte, between } = asked as WhereComparison<string | number>;
  return (
    (equals === undefined || stored === equals) &&
    (not === undefined || !isWanted<string | number>(stored, not)) &&
    (all === undefined || (stored !== undefined && all.includes(stored))) &&
    (exists === undefined || (stored !== undefined) === exists) &&
    (lt === undefined || (stored !== undefined && stored < lt)) &&
    (lte === undefined || (stored !== undefined && stored <= lte)) &&
    (gt === undefined || (stored !== undefined && stored > gt)) &&
    (gte === undefined || (stored !== undefined && stored >= gte)) &&
    (between === undefined || (stored !== undefined && stored >= between[0] && stored <= between[1]))
  );
}

const list = fc.record({
  kind: fc.constantFrom('inbound' as const, 'search' as const),
  where: fc.record(
    { status: condition(fc.constantFrom('open', 'shut', 'none')), points: condition(fc.constantFrom(1, 2)) },
    { requiredKeys: [] },
  ),
  from: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  reverse: fc.boolean(),
  limit: fc.integer({ min: 1, max: 9 }),
  maxRcu: fc.option(fc.constantFrom(1.5, 2, 3, 10), { nil: undefined }),
});

/** Goals of any size, or all of one. */
const someGoals = fc.tuple(fc.array(goal, { maxLength: 150, size: 'max' }), fc.option(notes)).map(([all, note]) => {
  if (note === null) return all;
  return all.map(({ rank, status = 'open', points = 1 }) => ({ rank: rank.charAt(0), status, points, note }));
});

/** The most shards that a list has. */
const SHARDS = 3;

interface Stored {
  store: MemoryStore;
  /** How many times as large as the smallest index item the largest is, of goals or of edges. */
  spread: Record<'search' | 'inbound', number>;
}

/** The index items of some goals, and of their edges to one user. */
async function storeOf(goals: readonly Goal[]): Promise<Stored> {
  const store = new MemoryStore(graph.table);
  const sizes = { search: [] as number[], inbound: [] as number[] };
  for (const [i, { rank, note, status, points }] of goals.entries()) {
    const source = idOf(i);
    for (const target of [source, 'AIMS-USER-1']) {
      const image = {
        ...{ source: { S: source }, target: { S: target }, rank: { S: rank }, note: { S: note } },
        ...(status !== undefined && { status: { S: status } }),
        ...(points !== undefined && { points: { N: String(points) } }),
      };
      for (const [key, fields] of derivedOf(graph, source, target, image).indexItems) {
        const item = { source: { S: source }, target: { S: key }, ...fields };
        sizes[target === source ? 'search' : 'inbound'].push(itemSizeBytes(item));
        await store.put(item);
      }
    }
  }
  const spreadOf = (of: readonly number[]): number => (of.length === 0 ? 1 : Math.max(...of) / Math.min(...of));
  return { store, spread: { search: spreadOf(sizes.search), inbound: spreadOf(sizes.inbound) } };
}

function idOf(i: number): string {
  return `GOAL-${String(i).padStart(3, '0')}`;
}

describe('lists with where and maxRcu', () => {
  it('give each item that is expected once, in order, and pages that are short only where their units are spent', async () => {
    await fc.assert(
      fc.asyncProperty(someGoals, list, async (goals, { kind, where, from, ...options }) => {
        const { store, spread } = await storeOf(goals);
        const reader = createReader(graph, { store, leases: withoutRegistry(graph) });
        const { limit, reverse, maxRcu } = options;
        const bound = maxRcu ?? (Object.keys(where).length > 0 ? 50 : Number.POSITIVE_INFINITY);
        // The last items may be larger than those that the size was measured of, in each shard.
        const mostOfPage = spread[kind] === 1 ? bound : bound * spread[kind] + SHARDS / 2;
        const found: string[] = [];
        let cursor: string | undefined;
        for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
          const asked = { ...options, where, cursor, capacity: true };
          const page =
            kind === 'search'
              ? await reader.search('GOAL.rank').between(from, undefined, asked)
              : await reader.inbound('USER-1', 'AIMS', { ...asked, between: [from, undefined] });
          found.push(...page.items.map((item) => ('id' in item ? item.id : item.source)));
          expect(page.items.length).toBeLessThanOrEqual(limit);
          expect(page.capacity!.rcu).toBeLessThanOrEqual(mostOfPage);
          cursor = page.cursor;
          if (cursor !== undefined && page.items.length < limit)
            expect(page.capacity!.rcu).toBeGreaterThan(bound - 0.5);
          // Each page comes forward by at least one item.
          expect(pages).toBeLessThanOrEqual(goals.length);
        }
        const expected = goals
          .map((one, i) => ({ ...one, id: idOf(i) }))
          .filter(({ rank }) => from === undefined || rank >= from)
          .filter(({ status, points }) => isWanted(status, where.status) && isWanted(points, where.points))
          .sort((left, right) => compareKeys(left.rank, right.rank) || compareKeys(left.id, right.id))
          .map(({ id }) => id);
        expect(found).toEqual(reverse ? expected.reverse() : expected);
      }),
      { numRuns: runs(SIZES['filtered lists']) },
    );
  });
});
