import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { FanOutPlaces } from '../../../src/core/model/projection/places.ts';
import { edge, node, source } from '../../../src/core/model/schema.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { Repairer } from '../../../src/trust/repair/repairer.ts';
import { edgeIndexKey } from '../../support/derived-keys.ts';
import { HookedStore } from '../../support/hooked-store.ts';
import { inGeneration } from '../../support/model.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { A: node({ view: [] }), B: node({ view: 'ALL' }) },
  edges: {
    PLAIN: edge({ from: 'A', to: 'B', edgeSet: false, inbound: { orders: { gsi0: 'own', o: 'own' } } }),
    COPY: edge({ from: 'A', to: 'B', copy: ['name'] }),
    JOINT: edge({
      from: 'A',
      to: 'B',
      edgeSet: false,
      inbound: { orders: { gsi0: source('title'), t: source('title') } },
    }),
  },
});

/** The same model, with the index items of its edges in a later generation. */
const later = inGeneration(graph, 2);

/** Leaves no room for the prefix of an index item, which is named by a hash; there is room for that of an index partition. */
const LONG = `B-${'x'.repeat(1_011)}`;

const CASES = [
  { type: 'PLAIN', order: 'o' },
  { type: 'JOINT', order: 't' },
];

/** A table, its projector, and a repair of one index item, or reverse item. */
function world(model: CompiledModel, sortKey: string, source = 'A-1') {
  const store = new StreamedStore(model);
  let seen = 0;
  return {
    store,
    async project() {
      const records = store.records.slice(seen);
      seen = store.records.length;
      const projector = createProjector(model, { store, model: fixedModel(model) });
      expect(await projector.project(records)).not.toHaveProperty('error', expect.anything());
    },
    async mend(over: HookedStore = new HookedStore(store)) {
      const clock = { now: Date.now, wait: () => Promise.resolve() };
      const mender = new Repairer({ graph: model, store: over, ...clock });
      await mender.repair([{ source, sortKey }]);
    },
    item: (): Promise<Item | undefined> => store.derived(source, sortKey),
  };
}

describe('a repair of an index item that is named by a hash', () => {
  it.each(CASES)('keeps what an edge wants that is put meanwhile: $type', async ({ type, order }) => {
    const target = `${type}-${LONG}`;
    const key = edgeIndexKey(target, order);
    const { store, project, mend, item } = world(graph, key);
    await store.producer('A-1', 'A-1', { title: { S: 'one' } });
    await project();
    const orphan = { gsi0pk: { S: 'orphan' }, gsi0sk: { S: 'orphan' } };
    await store.put({ source: { S: 'A-1' }, target: { S: key }, ...orphan, r: { N: '1' } });
    let hasCome = false;
    // The repair sees no edge of the item; then the edge comes and is projected, before the repair buries the item.
    const slow = new HookedStore(store, async ({ method }) => {
      if (method === 'query' || hasCome) return;
      const { calls } = slow;
      if (calls.at(-2)?.method !== 'query') return;
      hasCome = true;
      await store.producer('A-1', target, { own: { S: 'o' } });
      await project();
    });
    await mend(slow);
    expect(hasCome).toBe(true);
    expect(await item()).toHaveProperty('gsi0pk');
    expect(await item()).not.toMatchObject(orphan);
  });

  it.each(CASES)('makes what is missing, also in a later generation: $type', async ({ type, order }) => {
    const target = `${type}-${LONG}`;
    const key = edgeIndexKey(target, order, 2);
    const { store, project, mend, item } = world(later, key);
    await store.producer('A-1', 'A-1', { title: { S: 'one' } });
    await store.producer('A-1', target, { own: { S: 'o' } });
    await project();
    expect(await item()).toHaveProperty('gsi0pk');
    await store.delete({ source: 'A-1', target: key });
    await mend();
    expect(await item()).toHaveProperty('gsi0pk');
  });

  it.each(CASES)('takes away what no edge wants: $type', async ({ type, order }) => {
    const key = edgeIndexKey(`${type}-${LONG}`, order);
    const { store, mend, item } = world(graph, key);
    await store.put({ source: { S: 'A-1' }, target: { S: key }, gsi0pk: { S: 'x' }, gsi0sk: { S: 'y' } });
    await mend();
    expect(await item()).not.toHaveProperty('gsi0pk');
    expect(await item()).toHaveProperty('expiresAt');
  });
});

describe('a repair of a reverse item that is named by a hash', () => {
  it('keeps what an edge wants that is put meanwhile', async () => {
    const child = `A-${'x'.repeat(1_100)}`;
    const key = new FanOutPlaces('COPY').reverseKey(child);
    const { store, project, mend, item } = world(graph, key, 'B-1');
    // It names no edge.
    await store.put({ source: { S: 'B-1' }, target: { S: key }, gsi0pk: { S: 'x' }, gsi0sk: { S: 'y' } });
    let hasCome = false;
    const slow = new HookedStore(store, async () => {
      if (slow.calls.length !== 2) return;
      hasCome = true;
      await store.producer(child, 'COPY-B-1', {});
      await project();
    });
    await mend(slow);
    expect(hasCome).toBe(true);
    expect(await item()).toMatchObject({ child: { S: child } });
    expect(await item()).not.toHaveProperty('expiresAt');
  });

  it('is made a tombstone where it names no edge', async () => {
    const key = new FanOutPlaces('COPY').reverseKey(`A-${'x'.repeat(1_100)}`);
    const { store, mend, item } = world(graph, key, 'B-1');
    await store.put({ source: { S: 'B-1' }, target: { S: key }, gsi0pk: { S: 'x' }, gsi0sk: { S: 'y' } });
    await mend();
    expect(await item()).not.toHaveProperty('gsi0pk');
    expect(await item()).toHaveProperty('expiresAt');
  });
});
