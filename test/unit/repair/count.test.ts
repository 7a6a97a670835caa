import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { countNameOf, degreeKey } from '../../../src/core/items/key-forms.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import type { QueryRequest, QueryResult } from '../../../src/core/store-port.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { definitionsOf } from '../../../src/registry/definition.ts';
import { keptOf } from '../../../src/registry/effective.ts';
import { compileLayers } from '../../../src/registry/layer.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { Repairer } from '../../../src/trust/repair/repairer.ts';
import { edgeIndexKey } from '../../support/derived-keys.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL' }) },
  edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: false, degree: true }) },
});
const COUNT_KEY = { source: 'USER-1', target: degreeKey('FOLLOWS') };
const SUSPECT = { source: 'USER-1', sortKey: COUNT_KEY.target };

/** A table in which something happens while a Query reads. */
class InterruptedStore extends StreamedStore {
  /** Called with a page that was read, before it is given out. */
  onQuery: (page: QueryResult) => Promise<QueryResult> = (page) => Promise.resolve(page);

  override async query(request: QueryRequest): Promise<QueryResult> {
    return await this.onQuery(await super.query(request));
  }
}

async function follows(count: number) {
  const store = new InterruptedStore(graph);
  for (let i = 0; i < count; i++) await store.put({ source: { S: 'USER-1' }, target: { S: `FOLLOWS-USER-f${i}` } });
  const projector = createProjector(graph, { store });
  await projector.project(store.records.splice(0));
  const clock = { now: Date.now, wait: () => Promise.resolve() };
  const mender = new Repairer({ graph, store, ...clock });
  return {
    store,
    projector,
    mend: () => mender.repair([SUSPECT]),
    count: async () => (await store.get(COUNT_KEY, { consistent: true })).item?.['count'],
  };
}

describe('a repair of a count', () => {
  it('does not take a wrong count for right because an edge goes while the items are counted', async () => {
    const { store, projector, mend, count } = await follows(3);
    const { item } = await store.get(COUNT_KEY, { consistent: true });
    await store.put({ ...item!, count: { N: '2' } });
    let hasGone = false;
    // The count says 2 of 3. One edge goes before the Query reads, so that it counts 2, and the count becomes 1.
    store.onQuery = async (page) => {
      if (hasGone) return page;
      hasGone = true;
      await store.delete({ source: 'USER-1', target: 'FOLLOWS-USER-f0' });
      await projector.project(store.records.splice(0));
      return {
        ...page,
        items: page.items.filter(
          ({ target }) => target !== undefined && 'S' in target && target.S !== '~ix/FOLLOWS-USER-f0',
        ),
      };
    };
    await mend();
    expect(await count()).toEqual({ N: '2' });
  });

  it('leaves a right count alone where a Query does not show an item yet whose transaction has moved the count', async () => {
    const { store, mend, count } = await follows(3);
    store.onQuery = async (page) => ({
      ...page,
      items: page.items.filter(
        ({ target }) => target === undefined || !('S' in target) || target.S !== '~ix/FOLLOWS-USER-f2',
      ),
    });
    await mend();
    expect(await count()).toEqual({ N: '3' });
  });

  it('counts once, although the write before it removes an expiry time', async () => {
    const { store, mend, count } = await follows(3);
    const { item } = await store.get(COUNT_KEY, { consistent: true });
    await store.put({ ...item!, count: { N: '7' }, [graph.table.ttl]: { N: '9999999999' } });
    const before = store.derivedChanges.length;
    await mend();
    expect(await count()).toEqual({ N: '3' });
    expect(store.derivedChanges.length - before).toBe(2);
  });
});

describe('a repair of an index item', () => {
  const counting = defineGraph({
    table: 'records',
    nodes: { USER: node({ view: 'ALL' }) },
    edges: {
      FOLLOWS: edge({
        from: 'USER',
        to: 'USER',
        edgeSet: false,
        degree: true,
        inbound: { orders: { gsi0: 'date', byDate: 'date' } },
      }),
    },
  });
  const plain = defineGraph({
    table: 'records',
    nodes: { USER: node({ view: 'ALL' }) },
    edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: false, inbound: { orders: { gsi0: 'date' } } }) },
  });
  const base = { source: 'USER-1', target: 'FOLLOWS-USER-2' };

  async function projected(model: CompiledModel) {
    const store = new StreamedStore(model);
    await store.put({ source: { S: base.source }, target: { S: base.target }, date: { S: '2026' } });
    await createProjector(model, { store, model: fixedModel(model) }).project(store.records.splice(0));
    const clock = { now: Date.now, wait: () => Promise.resolve() };
    const mender = new Repairer({ graph: model, store, ...clock });
    const at = async (sortKey: string) => (await store.get({ ...base, target: sortKey }, { consistent: true })).item;
    return {
      at,
      damage: async (sortKey: string, change: Item) => await store.put({ ...(await at(sortKey))!, ...change }),
      mend: (sortKey: string) => mender.repair([{ source: base.source, sortKey, bases: [base] }]),
    };
  }

  it('makes no count that the model does not keep, of an item that names one by mistake', async () => {
    // The first generation of the edges' items has no count; one that is being built has.
    const parts = [
      { definition: definitionsOf(counting).get('inbound:FOLLOWS')!.definition, kept: keptOf(2) },
      { definition: definitionsOf(plain).get('inbound:FOLLOWS')!.definition, kept: keptOf(1) },
    ];
    const { at, damage, mend } = await projected(compileLayers(parts, plain, '@1'));
    const sortKey = edgeIndexKey(base.target);
    expect(await at(degreeKey(countNameOf('FOLLOWS', 2)))).toHaveProperty('count', { N: '1' });
    await damage(sortKey, { counted: { S: 'FOLLOWS' } });
    await mend(sortKey);
    expect(await at(sortKey)).not.toHaveProperty('counted');
    expect(await at(degreeKey('FOLLOWS'))).toBeUndefined();
  });

  it('counts again where an item of a named order was in the count by mistake', async () => {
    const { at, damage, mend } = await projected(counting);
    const sortKey = edgeIndexKey(base.target, 'byDate');
    await damage(sortKey, { counted: { S: 'FOLLOWS' } });
    await damage(degreeKey('FOLLOWS'), { count: { N: '2' } });
    await mend(sortKey);
    expect(await at(sortKey)).not.toHaveProperty('counted');
    expect(await at(degreeKey('FOLLOWS'))).toHaveProperty('count', { N: '1' });
  });
});
