import { describe, expect, it } from 'vitest';
import { createWriter } from '../../../src/client/write/writer.ts';
import type { AttributeValue, Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node, sum } from '../../../src/core/model/schema.ts';
import type { DerivedUpdate } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { check } from '../../../src/trust/check/check.ts';
import { redrive } from '../../../src/trust/repair/redrive.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

function model({ hasTotals = true }: { hasTotals?: boolean } = {}) {
  return defineGraph({
    table: 'records',
    nodes: { USER: node({ view: 'ALL' }), PROJECT: node({ view: 'ALL' }) },
    edges: {
      PAID: edge({
        from: 'USER',
        to: 'PROJECT',
        keys: 'hashed',
        edgeSet: false,
        inbound: {
          orders: { gsi0: 'since' },
          ...(hasTotals && { total: { money: sum('amount') }, groupBy: ['kind'] }),
        },
      }),
    },
  });
}

/** A table that refuses the writes of some partition. */
class RefusingStore extends StreamedStore {
  refused: string | undefined;

  override async transact(updates: readonly DerivedUpdate[]) {
    if (updates.some(({ key }) => key.source === this.refused)) {
      throw new StoreError('terminal', 'ValidationException', 'The total has a wrong type.');
    }
    return await super.transact(updates);
  }
}

const PROJECT = 'PROJECT-P';
const TOTAL = '~total/PAID';

async function table(graph: CompiledModel = model()) {
  const store = new RefusingStore(graph);
  const writer = createWriter(model(), { store });
  const project = async () => {
    const { error } = await createProjector(graph, { store, model: fixedModel(graph) }).project(
      store.records.splice(0),
    );
    expect(error).toBeUndefined();
  };
  const drift = async (of: CompiledModel = graph) => (await check(of, { store, graceMs: 0, segments: 1 })).drift;
  const total = async () => await store.derived(PROJECT, TOTAL);
  return { graph, store, writer, project, drift, total };
}

const CLEAN = { missing: 0, stale: 0, orphan: 0 };

describe('a redrive of a refused entry in a total', () => {
  it('takes a deleted edge with a hashed key out of the total: its entry names the partition', async () => {
    const { graph, store, writer, project, drift, total } = await table();
    await writer.putEdge('USER-1', 'PAID', PROJECT, { amount: 3 });
    await writer.putEdge('USER-2', 'PAID', PROJECT, { amount: 4 });
    await project();
    store.refused = PROJECT;
    await writer.deleteEdge('USER-1', 'PAID', PROJECT);
    await project();
    store.refused = undefined;
    expect(await total()).toMatchObject({ count: { N: '2' } });
    expect(await redrive(graph, { store })).toMatchObject({ repaired: 1, left: 0 });
    expect(await total()).toMatchObject({ count: { N: '1' }, 'sum/money': { N: '4' } });
    expect(await drift()).toEqual(CLEAN);
  });

  it('writes no item that the entry names without being about it', async () => {
    const { graph, store, writer, project, drift, total } = await table();
    await writer.putEdge('USER-1', 'PAID', PROJECT, { amount: 3 });
    await writer.putEdge('USER-2', 'PAID', PROJECT, { amount: 4 });
    await project();
    store.refused = PROJECT;
    await writer.deleteEdge('USER-1', 'PAID', PROJECT);
    await project();
    store.refused = undefined;
    const [entry] = [...store.items()].filter((item) => text(item['target']).startsWith('~quarantine/'));
    const forgeries: Item[] = [
      { in: { S: PROJECT }, derivedKeys: { SS: ['~in/PAID-USER-2'] } },
      { in: { S: 'PROJECT-Q' }, derivedKeys: { SS: ['~in/PAID-USER-1'] } },
      { in: { S: PROJECT }, derivedKeys: { SS: [TOTAL] } },
    ];
    for (const forgery of forgeries) {
      await store.put({ ...entry, ...forgery });
      expect(await redrive(graph, { store })).toMatchObject({ repaired: 1 });
      expect(await store.derived('PROJECT-Q', '~in/PAID-USER-1')).toBeUndefined();
      expect(await store.derived(PROJECT, '~in/PAID-USER-2')).toHaveProperty('counted');
      expect(await total()).toMatchObject({ count: { N: '2' } });
    }
    expect(await drift()).toMatchObject({ orphan: 1 });
  });
});

describe('a first registration', () => {
  it('removes the total of a model that nothing keeps any more, and never takes anything out of it', async () => {
    const { store, writer, project, total } = await table();
    for (let i = 0; i < 3; i++) await writer.putEdge(`USER-${i}`, 'PAID', PROJECT, { amount: 3 });
    await project();
    const totals: Item[] = [];
    const { update } = store;
    store.update = async (one) => {
      const result = await update.call(store, one);
      if (one.key.target === TOTAL) totals.push((await total()) ?? {});
      return result;
    };
    const graph = model({ hasTotals: false });
    await registered(graph, store);
    expect(totals).toEqual([]);
    expect([...store.items()].map(({ target }) => text(target)).filter((key) => /^~(?:in|total)\//.test(key))).toEqual(
      [],
    );
    expect((await check(graph, { store, graceMs: 0, segments: 1 })).drift).toEqual(CLEAN);
  });
});

function text(value: AttributeValue | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}

async function registered(graph: CompiledModel, store: StreamedStore): Promise<void> {
  let clockMs = 0;
  await migrate(graph, {
    ...{ store, segments: 1, concurrency: 1, pageItems: 2 },
    clock: () => clockMs,
    now: () => Date.parse('2026-01-01T00:00:00Z') + clockMs,
    wait: async (ms: number) => {
      clockMs += ms;
    },
  });
}
