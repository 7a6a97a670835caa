import { expect, it } from 'vitest';
import { createReader } from '../../../src/client/read/reader.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, source } from '../../../src/core/model/schema.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { HookedStore } from '../../support/hooked-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { A: node({ view: [] }), B: node({ view: 'ALL' }) },
  edges: {
    AB: edge({ from: 'A', to: 'B', edgeSet: false, inbound: { orders: { gsi0: source('title') } } }),
    AC: edge({ from: 'A', to: 'B', edgeSet: false, inbound: { orders: { gsi0: source('title') } } }),
  },
});
const EDGES = 600;
const PAGE = 250;

/** A node with many edges, projected; `look` waits for the node and counts the index items of its edges that are read. */
async function world() {
  const store = new StreamedStore(graph);
  await store.producer('A-1', 'A-1', { title: { S: 'one' } });
  for (let i = 0; i < EDGES; i++) await store.producer('A-1', `AB-B-${String(i).padStart(3, '0')}`, {});
  await store.producer('A-1', 'AC-B-1', {});
  let seen = 0;
  /** Projects so many of the records that wait. */
  async function project(count = Number.POSITIVE_INFINITY): Promise<void> {
    for (let done = 0; done < count && seen < store.records.length; done++) {
      const records = count < 10 ? store.records.slice(seen, seen + 1) : store.records.slice(seen);
      seen += records.length;
      await createProjector(graph, { store, model: fixedModel(graph), fanOutPageSize: PAGE }).project(records);
    }
  }
  await project();
  async function look(mostLooks: number, onLook: (number: number) => Promise<void> = async () => undefined) {
    let [items, looks] = [0, 0];
    const stop = new AbortController();
    const hooked = new HookedStore(store, async ({ method, keys }) => {
      // A look begins with the base item.
      if (method === 'get' && keys[0] === 'A-1 A-1') await onLook(++looks);
      if (looks === mostLooks) stop.abort();
      items += keys.filter((key) => /~ix\/A[BC]-/.test(key)).length;
    });
    const wait = createReader(graph, { store: hooked }).waitForProjection('A-1', {
      ...{ timeoutMs: 60_000, signal: stop.signal },
    });
    const isProjected = await wait.then(
      () => true,
      () => false,
    );
    return { isProjected, items, looks };
  }
  return { store, project, look };
}

it('a wait for a source node looks at a page of its edges at a time, while that is not projected', async () => {
  const { store, look } = await world();
  await store.producer('A-1', 'A-1', { title: { S: 'two' } });
  // The third look is stopped as it begins.
  expect(await look(3)).toEqual({ isProjected: false, items: 2 * PAGE, looks: 3 });
});

it('a wait for a source node goes on behind the edges that agree, and ends when all do', async () => {
  const { store, project, look } = await world();
  await store.producer('A-1', 'A-1', { title: { S: 'two' } });
  const { isProjected, items, looks } = await look(20, async (number) => {
    if (number > 1) await project(1);
  });
  expect(isProjected).toBe(true);
  expect(looks).toBeGreaterThan(3);
  // Each page twice at most: as it differs, and as it agrees.
  expect(items).toBeLessThanOrEqual(2 * EDGES + PAGE);
  const last = await store.derived('A-1', '~ix/AB-B-599');
  expect(last).toMatchObject({ gsi0sk: { S: expect.stringContaining('two') } });
});

it('a wait for a source node reads each edge once where all is projected', async () => {
  const { look } = await world();
  expect(await look(2)).toEqual({ isProjected: true, items: EDGES + 1, looks: 1 });
});

it('a wait for a source node begins again where the node changes meanwhile', async () => {
  const { store, project, look } = await world();
  await store.producer('A-1', 'A-1', { title: { S: 'two' } });
  await project(1);
  // The first page agrees; then the node is another, and nothing does.
  const { isProjected, looks } = await look(5, async (number) => {
    if (number === 2) await store.producer('A-1', 'A-1', { title: { S: 'three' } });
    if (number === 3) {
      for (let i = PAGE; i < EDGES; i++) {
        const key = `~ix/AB-B-${String(i).padStart(3, '0')}`;
        const item = await store.derived('A-1', key);
        await store.put({ ...item!, gsi0sk: { S: 'three\u0000A-1' } });
      }
    }
  });
  expect({ isProjected, looks }).toEqual({ isProjected: false, looks: 5 });
});
