import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';

import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node, source } from '../../../src/core/model/schema.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { redrive } from '../../../src/trust/repair/redrive.ts';
import { edgeIndexKey } from '../../support/derived-keys.ts';
import { HookedStore } from '../../support/hooked-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { A: node({ view: [] }), B: node({ view: 'ALL' }) },
  edges: {
    AB: edge({
      ...{ from: 'A', to: 'B', edgeSet: false },
      inbound: {
        orders: { gsi0: source('title'), byTitle: source('title'), byOwn: ['own', source('title')] },
        projectSource: ['title'],
      },
    }),
  },
});

/** Ids that leave room for index keys beside them, ids that leave none, and ones that differ only at their ends. */
const long = 'x'.repeat(1_000);
const LONGEST = `B-${long}${'y'.repeat(17)}`;
const TARGETS = ['B-1', 'B-2', `B-${long}1`, `B-${long}2`, `B-${long}${'y'.repeat(10)}`, LONGEST, `B-${long}ä`, 'B-z'];

async function project(store: StreamedStore, from: number, pageSize: number, over = new HookedStore(store)) {
  const projector = createProjector(graph, { store: over, fanOutPageSize: pageSize });
  let seen = from;
  let batches = 0;
  while (seen < store.records.length) {
    const records = store.records.slice(seen);
    seen = store.records.length;
    batches += 1;
    expect(batches).toBeLessThan(60);
    expect(await projector.project(records)).not.toHaveProperty('error', expect.anything());
  }
  return over.log;
}

describe('the fan-out of a source node', () => {
  it.each([1, 2, 3, 250])('reaches every edge by pages of %d, whatever the length of its keys', async (pageSize) => {
    const store = new StreamedStore(graph);
    for (const target of TARGETS) await store.producer('A-1', `AB-${target}`, { own: { S: 'o' } });
    await store.producer('A-1', 'A-1', { title: { S: 'one' } });
    await project(store, 0, 250);
    const before = store.records.length;
    await store.producer('A-1', 'A-1', { title: { S: 'two' } });
    await project(store, before, pageSize);
    const wrong: string[] = [];
    for (const target of TARGETS) {
      for (const order of [undefined, 'byTitle', 'byOwn']) {
        const item = await store.derived('A-1', edgeIndexKey(`AB-${target}`, order));
        // The longest has no room for the name of an order in its index partition.
        const expected = target === LONGEST && order !== undefined ? undefined : { M: { title: { S: 'two' } } };
        if (JSON.stringify(item?.['attributes']) !== JSON.stringify(expected))
          wrong.push(`${order ?? 'gsi0'} ${target}`);
      }
    }
    expect(wrong).toEqual([]);
    expect((await store.derived('A-1', '~more/#source/AB'))?.['after']).toBeUndefined();
  });

  it('goes on behind tombstones of edges that are gone', async () => {
    const store = new StreamedStore(graph);
    const targets = Array.from({ length: 12 }, (_, i) => `B-${String(i).padStart(2, '0')}`);
    for (const target of targets) await store.producer('A-1', `AB-${target}`, {});
    await project(store, 0, 250);
    for (const target of targets.slice(0, 10)) await store.producer('A-1', `AB-${target}`, undefined);
    await project(store, targets.length, 250);
    const before = store.records.length;
    await store.producer('A-1', 'A-1', { title: { S: 'one' } });
    await project(store, before, 3);
    for (const target of targets) {
      const item = (await store.derived('A-1', edgeIndexKey(`AB-${target}`, 'byTitle'))) as Item;
      expect(item['gsi0pk'] !== undefined).toBe(targets.indexOf(target) >= 10);
    }
  });

  it('leaves alone what its own batch has settled: a new node with its edges costs one write for each index item', async () => {
    const store = new StreamedStore(graph);
    for (let i = 0; i < 5; i++) await store.producer('A-1', `AB-B-${i}`, { own: { S: 'o' } });
    await store.producer('A-1', 'A-1', { title: { S: 'one' } });
    const writes = (await project(store, 0, 250)).filter((call) => call.startsWith('update A-1 ~ix/'));
    expect(writes).toHaveLength(15);
  });
});

describe('a joined item that a fan-out could not write', () => {
  it('is made right by a redrive', async () => {
    const store = new StreamedStore(graph);
    const key = edgeIndexKey('AB-B-1', 'byTitle');
    await store.producer('A-1', 'A-1', { title: { S: 'one' } });
    await store.producer('A-1', 'AB-B-1', { own: { S: 'a' } });
    await project(store, 0, 10);
    await store.producer('A-1', 'A-1', { title: { S: 'two' } });
    const refusing = new HookedStore(store, ({ method, keys }) => {
      if (method === 'update' && keys.includes(`A-1 ${key}`)) throw new StoreError('terminal', 'refused', 'Refused.');
    });
    await project(store, 2, 10, refusing);
    expect(await store.derived('A-1', key)).toMatchObject({
      attributes: { M: { title: { S: 'one' } } },
    });
    expect(await redrive(graph, { store, model: fixedModel(graph) })).toMatchObject({
      entries: 1,
      repaired: 1,
      left: 0,
    });
    expect(await store.derived('A-1', key)).toMatchObject({
      attributes: { M: { title: { S: 'two' } } },
    });
  });
});

describe('a joined item whose tombstone TTL deletes while a settling of it stands still', () => {
  it('becomes what edge and node want in the end', async () => {
    const store = new StreamedStore(graph);
    const key = { source: 'A-1', target: edgeIndexKey('AB-B-1', 'byTitle') };
    await store.producer('A-1', 'A-1', {});
    await store.producer('A-1', 'AB-B-1', { own: { S: 'a' } });
    await project(store, 0, 10);
    const seen = store.records.length;
    expect(await store.derived('A-1', key.target)).toHaveProperty('expiresAt');
    // The edge is taken away and put again: its settling reads the tombstone, edge and node, and then stands still.
    await store.producer('A-1', 'AB-B-1', undefined);
    await store.producer('A-1', 'AB-B-1', { own: { S: 'b' } });
    let hasStoodStill = false;
    const slow = new HookedStore(store, async ({ method, keys }) => {
      if (hasStoodStill || method !== 'update' || !keys.some((one) => JSON.stringify(one).includes('byTitle'))) return;
      hasStoodStill = true;
      await store.delete(key);
      await store.producer('A-1', 'A-1', { title: { S: 'now' } });
      await project(store, store.records.length - 1, 10);
    });
    await createProjector(graph, { store: slow }).project(store.records.slice(seen));
    expect(hasStoodStill).toBe(true);
    expect(await store.derived('A-1', key.target)).toMatchObject({
      attributes: { M: { title: { S: 'now' } } },
      gsi0pk: { S: 'byTitle/AB-B-1' },
    });
  });
});

it('a node that changes with every batch keeps no edge from its changes, and each has the last one in the end', async () => {
  const store = new StreamedStore(graph);
  const targets = Array.from({ length: 12 }, (_, i) => `B-${10 + i}`);
  const versions = async (): Promise<number[]> => {
    const items = targets.map((target) => store.derived('A-1', edgeIndexKey(`AB-${target}`, 'byTitle')));
    return (await Promise.all(items)).map((item) => {
      const { title } = (item!['attributes'] as { M: Record<string, { S: string }> }).M;
      return Number(title!.S);
    });
  };
  await store.producer('A-1', 'A-1', { title: { S: '0' } });
  for (const target of targets) await store.producer('A-1', `AB-${target}`, {});
  await project(store, 0, 250);
  let seen = store.records.length;
  const pages = targets.length / 2;
  for (let batch = 1; batch <= 5 * pages; batch++) {
    await store.producer('A-1', 'A-1', { title: { S: String(batch) } });
    const records = store.records.slice(seen);
    seen = store.records.length;
    await createProjector(graph, { store, fanOutPageSize: 2 }).project(records);
    expect(Math.min(...(await versions()))).toBeGreaterThanOrEqual(batch - 2 * (pages + 2));
  }
  await project(store, seen, 2);
  expect(new Set(await versions())).toEqual(new Set([5 * pages]));
  expect(await store.derived('A-1', '~more/#source/AB')).not.toHaveProperty('again');
});
