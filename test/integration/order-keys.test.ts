import { describe, expect, it } from 'vitest';
import { check } from '../../src/admin.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, number, rank } from '../../src/core/model/schema.ts';
import { createWriter } from '../../src/index.ts';
import { evolvingTable } from '../support/migrating-table.ts';

/** Orders whose keys the model gives out: each change of their sequence is a migration. */

const byRole = rank('role', { LEAD: 2, MEMBER: 1 });
const byDate = date('since');
const byHours = number('hours');
const ORDERS = {
  byRole: ['M-1', 'M-2', 'M-0'],
  byDate: ['M-0', 'M-2', 'M-1'],
  byHours: ['M-2', 'M-0', 'M-1'],
} as const;
const MEMBERS = [
  { role: 'LEAD', since: '2026-01-01', hours: 2 },
  { role: 'MEMBER', since: '2026-01-03', hours: 3 },
  { role: 'MEMBER', since: '2026-01-02', hours: 1 },
];

const model = <const Orders extends object>(table: string, orders: Orders) =>
  defineGraph({
    table,
    nodes: { M: node({ view: 'ALL' }), GOAL: node({ view: 'ALL' }) },
    edges: { MEMBER: edge({ from: 'M', to: 'GOAL', edgeSet: false, degree: true, inbound: { orders } as never }) },
  });

describe('keys of orders that a model gives out', () => {
  it.each<[string, object, object, string]>([
    ['a third order is added', { byRole, byDate }, { byRole, byDate, byHours }, 'byRole, byDate | byHours'],
    [
      'the orders come in another sequence',
      { byRole, byDate, byHours },
      { byHours, byRole, byDate },
      'byHours, byRole | byDate',
    ],
    ['the first of two goes', { byRole, byDate }, { byDate }, 'byDate'],
    ['the first of three goes', { byRole, byDate, byHours }, { byDate, byHours }, 'byDate, byHours'],
    ['a raw name comes', { byRole, byDate }, { gsi1: byDate, byRole }, 'gsi1 | byRole'],
  ])('are migrated when %s', async (_what, first, next, keys) => {
    const own = await evolvingTable((table) => ({
      // The table has both indexes from the beginning.
      both: model(table, { byRole, byDate }),
      first: model(table, first),
      next: model(table, next),
    }));
    const items = own.next.edges.get('MEMBER')!.inbound!.items;
    expect(items.map(({ orders }) => orders.map(({ name }) => name).join(', ')).join(' | ')).toBe(keys);
    await own.migrate(own.first);
    const writer = createWriter(own.first, { store: own.store });
    for (const [i, attributes] of MEMBERS.entries()) await writer.putEdge(`M-${i}`, 'MEMBER', 'GOAL-1', attributes);
    await own.projectAll();
    for (let step = 1, done = false; !done; step++) {
      ({ done } = await own.migrate(own.next, { mostSteps: step }));
      await own.projectAll();
      // A reader of the model before goes on finding all.
      for (const name of Object.keys(first)) {
        const { items: found } = await own.reader(own.first).inbound('GOAL-1', 'MEMBER', { order: name } as never);
        expect(found.map(({ source }) => source)).toEqual(ORDERS[name as keyof typeof ORDERS]);
      }
      own.passLease();
    }
    const reader = own.reader(own.next);
    for (const name of Object.keys(next)) {
      const { items: found } = await reader.inbound('GOAL-1', 'MEMBER', { order: name } as never);
      expect(found.map(({ source }) => source)).toEqual(
        name === 'gsi1' ? ORDERS.byDate : ORDERS[name as keyof typeof ORDERS],
      );
    }
    const { items: byDefault } = await reader.inbound('GOAL-1', 'MEMBER', {} as never);
    const [defaultOrder] = keys.split(/[,| ]+/);
    expect(byDefault.map(({ source }) => source)).toEqual(
      ORDERS[(defaultOrder === 'gsi1' ? 'byDate' : defaultOrder) as keyof typeof ORDERS],
    );
    for (let left = true; left; ) {
      const { leftovers } = await own.migrate(own.next);
      for (const action of leftovers) await own.migrate(own.next, { action });
      left = leftovers.length > 0;
    }
    expect(await own.migrate(own.next)).toMatchObject({ done: true, steps: [], leftovers: [] });
    const { drift, unknown } = await check(own.next, { store: own.store, graceMs: 10 });
    expect({ drift, unknown }).toEqual({ drift: { missing: 0, stale: 0, orphan: 0 }, unknown: 0 });
  });
});
