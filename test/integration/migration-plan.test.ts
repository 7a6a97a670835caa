import { describe, expect, it } from 'vitest';
import { type MigrateAction, tableIdentity } from '../../src/admin.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, rank, source } from '../../src/core/model/schema.ts';
import { planMigration } from '../../src/migrate/forecast/plan-migration.ts';
import { LEASE_MS } from '../../src/registry/reader-lease.ts';
import { evolvingTable } from '../support/migrating-table.ts';

interface Change {
  shards?: number;
  lead?: number;
  view?: string[];
  withPrice?: boolean;
  /** A search before that of the name, in the same item. */
  withCode?: boolean;
}

/** Which model has projected the items: `afterwards` is registered when the table has them already. */
type ProjectedBy = 'registered' | 'afterwards' | 'unregistered' | 'nothing';

function graphOf(
  table: string,
  { shards = 2, lead = 500, view = ['name'], withPrice = false, withCode = false }: Change,
) {
  return defineGraph({
    table,
    nodes: {
      SHOP: node({ view }),
      ITEM: node({
        view: 'ALL',
        search: {
          ...(withCode && { code: { shards } }),
          name: { shards },
          ...(withPrice && { price: { type: 'number', shards: 1 } }),
        },
      }),
    },
    edges: {
      SELLS: edge({ from: 'SHOP', to: 'ITEM', inbound: { orders: { gsi0: rank('grade', { A: lead, B: 100 }) } } }),
    },
  });
}

const ITEMS = 30;

/** A table with items that one model has projected, if it is given. */
async function shops(projectedBy: ProjectedBy) {
  const table = await evolvingTable((name) => ({ before: graphOf(name, {}) }));
  const { before, migrate: run } = table;
  const identity = await tableIdentity(before, { client: table.client });
  const plan = (graph: CompiledModel, options: Partial<Parameters<typeof planMigration>[0]> = {}) =>
    planMigration({ graph, store: table.store, itemCount: 0, ...identity, ...options });
  if (projectedBy === 'registered') await run(before);
  if (projectedBy !== 'nothing') {
    for (let i = 0; i < ITEMS; i++) {
      const key = (source: string, target = source) => ({ source: { S: source }, target: { S: target } });
      await table.store.put({ ...key(`SHOP-${i}`), name: { S: `shop ${i}` }, city: { S: 'x' } });
      await table.store.put({ ...key(`ITEM-${i}`), name: { S: `item ${i}` }, price: { N: String(i) } });
      await table.store.put({ ...key(`SHOP-${i}`, `SELLS-ITEM-${i}`), grade: { S: 'A' } });
    }
    await table.projectAll();
  }
  if (projectedBy === 'afterwards') await run(before);
  return { ...table, run, plan, changed: (change: Change) => graphOf(before.table.name, change) };
}

describe('the plan of a migration', () => {
  it.each<[string, ProjectedBy, Change, MigrateAction?]>([
    ['other shards and a new search', 'registered', { shards: 5, withPrice: true }],
    ['a search that moves into the item of another', 'afterwards', { withCode: true }],
    ['another rank and other views', 'registered', { lead: 200, view: ['name', 'city'] }],
    ['a search that is dropped', 'registered', {}, { kind: 'drop', name: 'search:ITEM.name' }],
    ['a table that was projected without a registry', 'unregistered', { withPrice: true }],
    ['an empty table', 'nothing', {}],
    ['nothing to do', 'registered', {}],
  ])(
    'has the very steps that are made then, and their cost where all items were looked at: %s',
    async (_name, by, change, action) => {
      const { run, plan, changed } = await shops(by);
      const graph = changed(change);
      const planned = await plan(graph, { action });
      const made = await run(graph, action && { action });
      const named = (steps: readonly { step: string; projection: string }[]) =>
        // The number of a first shape is drawn by lot where the table has items.
        steps.map(({ step, projection }) => `${step} ${projection.replace(/\b(SHOP|ITEM)@\d+/g, '$1')}`);
      expect(made.done).toBe(true);
      expect(named(planned.steps)).toEqual(named(made.steps));
      expect(planned.estimate).toMatchObject({ isExact: true });
      for (const [i, { step, rcu, wcu }] of made.steps.entries()) {
        if (!['backfill', 'delete', 'reconcile-views'].includes(step)) continue;
        const estimate = planned.steps[i]!;
        for (const [estimated, units] of [
          [estimate.rcu, rcu],
          [estimate.wcu, wcu],
        ] as const) {
          // A table of a few items costs a unit or two more: each page reads the registry.
          expect(estimated, `${step} of ${estimate.projection}`).toBeGreaterThanOrEqual((units - 2) * 0.6);
          expect(estimated, `${step} of ${estimate.projection}`).toBeLessThanOrEqual(units * 1.6 + 5);
        }
      }
      expect(await plan(graph, { action })).toMatchObject({ steps: [], cost: { rcu: 0, wcu: 0, seconds: 0 } });
    },
  );

  it('warns of totals by an attribute that lists take from the source, and that no edge has', async () => {
    const { plan, before } = await shops('registered');
    const totaled = (attribute: string, list: unknown) =>
      defineGraph({
        table: before.table.name,
        nodes: { SHOP: node({ view: 'ALL' }), ITEM: node({ view: 'ALL' }) },
        edges: {
          SELLS: edge({
            from: 'SHOP',
            to: 'ITEM',
            inbound: { orders: { gsi0: list as string }, groupBy: [attribute] },
          }),
        },
      });
    const { warnings } = await plan(totaled('city', source('city')));
    expect(warnings).toEqual([
      'the total of SELLS takes city from the edge itself, while lists take city from its source; no SELLS has city: write it on the edge too',
    ]);
    expect((await plan(totaled('grade', source('city')))).warnings).toEqual([]);
    expect((await plan(totaled('color', 'grade'))).warnings).toEqual([
      'the total of SELLS takes color from the edge itself; no SELLS has color: write it on the edge too',
    ]);
    const empty = await shops('nothing');
    const model = { ...totaled('city', source('city')), table: empty.before.table };
    expect((await empty.plan(model)).warnings).toEqual([
      'the total of SELLS takes city from the edge itself, while lists take city from its source: write it on the edge too',
    ]);
  });

  it('warns of searches and orders that no item fills, and names attributes that items have', async () => {
    const { plan, before, store } = await shops('registered');
    const rename = (search: object, gsi0: unknown) =>
      defineGraph({
        table: before.table.name,
        nodes: { SHOP: node({ view: ['name'] }), ITEM: node({ view: 'ALL', search: search as { name: object } }) },
        edges: { SELLS: edge({ from: 'SHOP', to: 'ITEM', inbound: { orders: { gsi0: gsi0 as string } } }) },
      });
    const renamed = await plan(rename({ fullName: {}, name: { shards: 7 } }, 'level'));
    expect(renamed.changes).toContain('search:ITEM.fullName (with name) will be built');
    expect(renamed.warnings).toEqual([
      'search:ITEM.fullName will be empty: no ITEM has fullName; 30 have price',
      'inbound:SELLS will be empty: no SELLS has level; 30 have grade',
    ]);
    expect((await plan(rename({ path: { path: ['city', 'street'] } }, 'grade'))).warnings).toEqual([
      'search:ITEM.path will be empty: no ITEM has city; 30 have name, 30 have price',
    ]);
    await store.put({ source: { S: 'ITEM-1' }, target: { S: 'ITEM-1' }, fullName: { S: 'x' } });
    expect((await plan(rename({ fullName: {} }, 'grade'))).warnings).toEqual([]);
    expect((await plan(before)).warnings).toEqual([]);
  });

  it('takes as long as its units do at their rates, whichever takes longer, and a lease for each wait', async () => {
    const { plan, changed } = await shops('registered');
    const planAt = async (rates: { maxRcu?: number; maxWcu?: number }) => {
      const { steps, cost } = await plan(changed({ shards: 5 }), rates);
      const [backfill, wait] = ['backfill', 'wait'].map((name) => steps.find(({ step }) => step === name)!);
      return { backfill: backfill!, wait: wait!, cost };
    };
    const slow = await planAt({ maxWcu: 10 });
    expect(slow.backfill.seconds).toBeCloseTo(slow.backfill.wcu / 10, 0);
    expect(slow.wait.seconds).toBeGreaterThanOrEqual(LEASE_MS / 1000);
    expect((await planAt({})).cost.seconds).toBeLessThan(slow.cost.seconds);
    const { backfill } = await planAt({ maxRcu: 10, maxWcu: 10 });
    expect(backfill.rcu).toBeGreaterThan(backfill.wcu);
    expect(backfill.seconds).toBeCloseTo(backfill.rcu / 10, 0);
    expect((await planAt({ maxRcu: 1_000, maxWcu: 10 })).backfill.seconds).toBeCloseTo(backfill.wcu / 10, 0);
  });

  it.each([
    [undefined, 1_200],
    [90_000, 90],
    [0, undefined],
  ])(
    'waits for late writes as long as is said, and not where none can be under way: %s ms',
    async (lateWritesMs, seconds) => {
      const { plan, run, changed } = await shops('registered');
      const graph = changed({ shards: 5 });
      const planned = await plan(graph, { lateWritesMs });
      const waits: number[] = [];
      const made = await run(graph, { lateWritesMs, onWait: (_, milliseconds) => waits.push(milliseconds) });
      const outlast = planned.steps.find(({ step }) => step === 'outlast');
      expect(made.steps.map(({ step }) => step)).toEqual(planned.steps.map(({ step }) => step));
      expect(waits).toEqual(seconds === undefined ? [] : [seconds * 1_000]);
      if (seconds === undefined) expect(outlast).toBeUndefined();
      else expect(outlast!.seconds).toBeCloseTo(seconds, 0);
    },
  );
});
