import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { compareKeys } from '../../src/core/items/encoding.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import type { Store } from '../../src/core/store-port.ts';
import { withoutRegistry } from '../../src/registry/reader-lease.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { Random } from '../simulator/kernel/random.ts';
import { runs } from '../support/extent.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { allPages } from '../support/reader.ts';
import { SIZES } from '../support/sizes.ts';

const modelOf = (shards: number) =>
  defineGraph({
    table: 'records',
    nodes: { GOAL: node({ search: { rank: { shards, project: ['status'] } } }), USER: node() },
    edges: {
      AIMS: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { at: 'rank' }, shards, project: ['status'] } }),
    },
  });
type Model = ReturnType<typeof modelOf>;

const STATUSES = ['open', 'shut'] as const;

interface Goal {
  rank: string;
  status: string;
}

/** A table whose index items are made as goals come and go, and what its reads cost. */
class Goals {
  readonly table: MemoryStore;
  readonly store: Store;
  readonly now = new Map<string, Goal>();
  scanned = 0;
  calls = 0;

  constructor(private readonly model: Model) {
    this.table = new MemoryStore(model.table);
    this.store = withReplacedCalls(this.table, {
      query: async (request) => {
        const page = await this.table.query(request);
        this.scanned += page.scanned;
        this.calls += 1;
        return page;
      },
    });
  }

  async set(id: string, goal: Goal | undefined): Promise<void> {
    const before = this.now.get(id);
    for (const [source, target] of [
      [id, id],
      [id, 'AIMS-USER-1'],
    ] as const) {
      const keys = before === undefined ? [] : [...this.indexItems(source, target, before).keys()];
      for (const key of keys) await this.table.delete({ source, target: key });
      if (goal === undefined) continue;
      for (const [key, fields] of this.indexItems(source, target, goal))
        await this.table.put({ source: { S: source }, target: { S: key }, ...fields });
    }
    if (goal === undefined) this.now.delete(id);
    else this.now.set(id, goal);
  }

  private indexItems(source: string, target: string, { rank, status }: Goal) {
    const image = { source: { S: source }, target: { S: target }, rank: { S: rank }, status: { S: status } };
    return derivedOf(this.model, source, target, image).indexItems;
  }
}

/** A question to the list, page by page. */
function question(reader: Reader<Model>, random: Random, ranks: number) {
  const kind = random.oneOf(['search', 'inbound'] as const);
  const status = random.chance(0.3) ? random.oneOf(STATUSES) : undefined;
  const from = random.chance(0.4) ? rankOf(random.below(ranks)) : undefined;
  const options = {
    limit: random.oneOf([1, 7, 30, 100, 400]),
    reverse: random.chance(0.5),
    ...(status !== undefined && { where: { status } }),
    ...(random.chance(0.3) && { maxRcu: random.oneOf([5, 8, 20]) }),
  };
  const read = async (cursor: string | undefined) => {
    const asked = { ...options, cursor };
    const { items, ...rest } =
      kind === 'search'
        ? await reader.search('GOAL.rank').between(from, undefined, asked)
        : await reader.inbound('USER-1', 'AIMS', { ...asked, between: [from, undefined] });
    return { items: items.map((item) => ('id' in item ? item.id : item.source) as string), ...rest };
  };
  const isWanted = (goal: Goal): boolean =>
    (status === undefined || goal.status === status) && (from === undefined || goal.rank >= from);
  const { reverse } = options;
  const inOrder = (goals: ReadonlyMap<string, Goal>): string[] => {
    const expected = [...goals].filter(([, goal]) => isWanted(goal));
    const ids = expected
      .sort(([leftId, left], [rightId, right]) => compareKeys(left.rank, right.rank) || compareKeys(leftId, rightId))
      .map(([id]) => id);
    return reverse ? ids.reverse() : ids;
  };
  return { read, inOrder, isBounded: 'maxRcu' in options || status !== undefined };
}

function rankOf(rank: number): string {
  return `r${String(rank).padStart(4, '0')}`;
}

function drawnGoal(random: Random, ranks: number): Goal {
  return { rank: rankOf(random.below(ranks)), status: random.oneOf(STATUSES) };
}

async function filled(seed: number) {
  const random = new Random(seed);
  const model = modelOf(random.oneOf([1, 2, 3, 7]));
  const goals = new Goals(model);
  // Few ranks make few shards with many rows each.
  const ranks = random.oneOf([1, 3, 50, 1_000]);
  const count = random.below(600);
  for (let i = 0; i < count; i++) await goals.set(`GOAL-${i}`, drawnGoal(random, ranks));
  const reader = createReader(model, { store: goals.store, leases: withoutRegistry(model) });
  return { random, goals, ranks, count, ...question(reader, random, ranks), reader };
}

describe('a walk', () => {
  it('gives the pages that cursors give, and reads each row once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { goals, reader, read, inOrder, isBounded } = await filled(seed);
        const pages = await allPages(read);
        goals.scanned = 0;
        goals.calls = 0;
        const walked: string[][] = [];
        for await (const { items } of reader.pages(read)) walked.push(items);
        expect(walked.flat()).toEqual(pages.flat());
        expect(walked.flat()).toEqual(inOrder(goals.now));
        if (isBounded) return;
        expect(walked).toEqual(pages);
        // The last row of a call may be read again by the next one, and the row that a page looked ahead to.
        expect(goals.scanned).toBeLessThanOrEqual(goals.now.size + 2 * goals.calls);
      }),
      { numRuns: runs(SIZES.pages) },
    );
  });

  it('loses no row that stays, and gives none twice that does not move, while others come, go and move', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { random, goals, ranks, count, reader, read, inOrder } = await filled(seed);
        const touched = new Set<string>();
        const found: string[] = [];
        let added = count;
        for await (const { items } of reader.pages(read)) {
          found.push(...items);
          for (let i = random.below(8); i > 0; i--) {
            const id = `GOAL-${random.chance(0.4) ? added++ : random.below(added)}`;
            touched.add(id);
            await goals.set(id, random.chance(0.5) ? undefined : drawnGoal(random, ranks));
          }
        }
        const staying = new Map([...goals.now].filter(([id]) => !touched.has(id)));
        expect(found.filter((id) => !touched.has(id))).toEqual(inOrder(staying));
      }),
      { numRuns: runs(SIZES.pages) },
    );
  });
});
