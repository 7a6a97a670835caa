import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { quarantineEntry } from '../../../src/core/kinds/quarantine-entry.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import type { QueryRequest, Store } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { check } from '../../../src/trust/check/check.ts';
import { redrive } from '../../../src/trust/repair/redrive.ts';
import { HookedStore } from '../../support/hooked-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { GOAL: node({ view: 'ALL', search: { status: {} } }) },
  edges: {},
});
const model = fixedModel(graph);

/** A table with some quarantined records. */
async function withEntries(count: number): Promise<StreamedStore> {
  const table = new StreamedStore(graph);
  for (let i = 1; i <= count; i++) await table.producer(`GOAL-${i}`, `GOAL-${i}`, { status: { N: '7' } });
  const { quarantined } = await createProjector(graph, { model, store: table }).project(table.records);
  expect(quarantined).toBe(count);
  return table;
}

/** Derived items of a GOAL. */
const REFUSED = ['~view', '~ix/status'];

/** A table with the entry of a derived item that it refuses. */
async function withRefused(named: string) {
  const table = new StreamedStore(graph);
  const refusing = { current: true };
  const store = new HookedStore(table, ({ method, keys: [key] }) => {
    if (refusing.current && method === 'update' && key === `GOAL-1 ${named}`)
      throw new StoreError('terminal', 'ValidationException', 'No.');
  });
  await table.producer('GOAL-1', 'GOAL-1', { status: { S: 'open' } });
  const project = async (): Promise<void> => {
    expect(await createProjector(graph, { model, store }).project(table.records)).toMatchObject({ quarantined: 1 });
  };
  await project();
  const entries = async (): Promise<Item[]> => {
    const { items } = await table.query({ partition: 'GOAL-1', sortKey: { beginsWith: '~quarantine/' } });
    return items.filter(quarantineEntry.isLive);
  };
  return { store, refusing, project, entries };
}

/** A store that answers the quarantine's first page, of two entries, and fails at the second when the work on the first has ended. */
function failingAtSecondPage(table: StreamedStore): Store {
  return new Proxy<Store>(table, {
    get: (target, name) => {
      if (name !== 'query') return (Reflect.get(target, name) as () => unknown).bind(target);
      return async (request: QueryRequest) => {
        if (request.startKey === undefined) return await target.query({ ...request, limit: 2 });
        await new Promise((resolve) => setTimeout(resolve, 20));
        throw new StoreError('retryable', 'ThrottlingException', 'Slow down.');
      };
    },
  });
}

describe('redrive', () => {
  it('fails where a page of the quarantine cannot be read, and does not say that all is done', async () => {
    const table = await withEntries(5);
    let seen = 0;
    const onProgress = (entries: number): void => {
      seen = entries;
    };
    const redriven = redrive(graph, { store: failingAtSecondPage(table), model, onProgress });
    await expect(redriven).rejects.toThrow('Slow down.');
    expect(seen).toBe(2);
  });

  it('reads what a hundred entries name in a few calls', async () => {
    const table = await withEntries(100);
    for (let i = 1; i <= 100; i++) await table.producer(`GOAL-${i}`, `GOAL-${i}`, { status: { S: 'open' } });
    const store = new HookedStore(table);
    expect(await redrive(graph, { store, model })).toMatchObject({ entries: 100, repaired: 100, left: 0 });
    expect(store.calls.filter(({ method }) => method !== 'update').length).toBeLessThanOrEqual(7);
    expect(quarantineEntry.isLive(await table.derived('GOAL-100', '~quarantine/GOAL-100'))).toBe(false);
    expect((await check(graph, { store: table, model, graceMs: 0 })).drift).toEqual({
      missing: 0,
      stale: 0,
      orphan: 0,
    });
  });

  it('counts no cleared entry of the named nodes as left when the time is over', async () => {
    const store = await withEntries(2);
    await store.producer('GOAL-1', 'GOAL-1', { status: { S: 'open' } });
    expect(await redrive(graph, { store, model, ids: ['GOAL-1'] })).toMatchObject({ repaired: 1 });
    const remainingMs = () => 0;
    const cleared = await redrive(graph, { store, model, ids: ['GOAL-1'], remainingMs });
    expect(cleared).toMatchObject({ entries: 0, left: 0, reasons: [] });
    const live = await redrive(graph, { store, model, ids: ['GOAL-1', 'GOAL-2'], remainingMs });
    expect(live).toMatchObject({ entries: 1, left: 1, reasons: [expect.stringContaining('from GOAL-2 ')] });
  });

  it.each(REFUSED)('leaves the entry of an item that the table still refuses: %s', async (named) => {
    const { store, entries } = await withRefused(named);
    const reasons = [expect.stringMatching(/^GOAL-1 .*No\.$/)];
    expect(await redrive(graph, { store, model })).toMatchObject({ repaired: 0, left: 1, reasons });
    expect(await entries()).toHaveLength(1);
  });

  it.each(REFUSED)('leaves an entry that was put again meanwhile: %s', async (named) => {
    const { store, refusing, project, entries } = await withRefused(named);
    refusing.current = false;
    const redriven = redrive(graph, {
      model,
      store: new HookedStore(store, async ({ method, keys: [key] }) => {
        if (method !== 'update' || key !== `GOAL-1 ~quarantine/${named}` || refusing.current) return;
        refusing.current = true;
        await project();
      }),
    });
    expect(await redriven).toMatchObject({ repaired: 0, left: 1 });
    expect(refusing.current).toBe(true);
    expect(await entries()).toHaveLength(1);
  });
});
