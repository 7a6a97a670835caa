import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { copySlots } from '../../../src/core/kinds/copy.ts';
import type { DerivedUpdate, ItemKey, ReadOptions } from '../../../src/core/store-port.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { check } from '../../../src/trust/check/check.ts';
import { LookUps } from '../../../src/trust/check/look-up.ts';
import { Repairer } from '../../../src/trust/repair/repairer.ts';
import { bookGraph } from '../../support/book-graph.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = bookGraph('records');

describe('the slots of a view', () => {
  const slots = (view: Item) =>
    copySlots(graph, view).map(({ edge, parent, stored }) => [edge, parent, stored !== undefined]);

  it.each([{ S: 'no map' }, { M: {} }])(
    'take an attribute that holds no copies, %j, for an unwanted copy',
    (copies) => {
      expect(slots({ edgeSet: { SS: ['WROTE-AUTHOR-1'] }, copies })).toEqual([
        ['WROTE-AUTHOR-1', 'AUTHOR-1', false],
        ['', undefined, true],
      ]);
    },
  );
});

/** A table whose calls can be met by what happens just before them. */
class WatchedStore extends StreamedStore {
  keysRead: number[] = [];
  mostAtOnce = 0;
  beforeUpdate: (update: DerivedUpdate) => Promise<void> = async () => undefined;
  private running = 0;

  override async getMany(keys: readonly ItemKey[], options: ReadOptions) {
    this.keysRead.push(keys.length);
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    await new Promise((resolve) => setImmediate(resolve));
    this.running -= 1;
    return await super.getMany(keys, options);
  }
  override async update(update: DerivedUpdate) {
    await this.beforeUpdate(update);
    return await super.update(update);
  }
}

describe('looking up', () => {
  it('takes a hundred keys a call and a few calls at once, however much passes', async () => {
    const store = new WatchedStore(graph);
    let suspects = 0;
    let wrong = 0;
    const lookUps = new LookUps({
      ...{ graph, store },
      onSuspects: async (found) => {
        suspects += found.length;
      },
      onPartition: async () => {
        wrong += 1;
      },
    });
    const stamp = { r: { N: '1' } };
    for (let i = 0; i < 2_000; i++) {
      const child = { S: `BOOK-${i}` };
      await lookUps.addItem({ source: 'BOOK-HUB', target: `WROTE-AUTHOR-${i}` }, {});
      await lookUps.addItem({ source: 'AUTHOR-HUB', target: `~rev/WROTE-BOOK-${i}` }, { child, ...stamp });
      await lookUps.addCopySlots(`BOOK-${i}`, [{ edge: 'WROTE-AUTHOR-1', parent: 'AUTHOR-1', stored: 'a copy' }]);
    }
    await lookUps.finish();
    expect({ suspects, wrong }).toEqual({ suspects: 4_000, wrong: 2_000 });
    // Slots of one parent are compared with one read of it.
    expect(store.keysRead).toHaveLength(20 + 20 + 2);
    expect(Math.max(...store.keysRead)).toBe(100);
    expect(store.mostAtOnce).toBeLessThanOrEqual(4);
  });

  it('asks about no tombstone, and about nothing in a model that copies nothing', async () => {
    const store = new WatchedStore(graph);
    const context = {
      ...{ graph, store },
      onSuspects: () => Promise.reject(new Error('a suspect')),
      onPartition: () => Promise.reject(new Error('a suspect')),
    };
    const lookUps = new LookUps(context);
    await lookUps.addItem(
      { source: 'AUTHOR-1', target: '~rev/WROTE-BOOK-1' },
      { r: { N: '1' }, expiresAt: { N: '1' } },
    );
    await lookUps.addItem({ source: 'AUTHOR-1', target: '~more/WROTE' }, { r: { N: '1' }, expiresAt: { N: '1' } });
    await lookUps.addItem({ source: 'AUTHOR-1', target: 'AUTHOR-1' }, {});
    await lookUps.addItem({ source: 'BOOK-1', target: 'LIKES-AUTHOR-1' }, {});
    await lookUps.finish();
    expect(store.keysRead).toEqual([]);
  });
});

/** A book of one author, by base items alone; the test projects it. */
async function bookTable(): Promise<WatchedStore> {
  const store = new WatchedStore(graph);
  await store.producer('AUTHOR-1', 'AUTHOR-1', { name: { S: 'First' } });
  await store.producer('BOOK-1', 'BOOK-1', {});
  await store.producer('BOOK-1', 'WROTE-AUTHOR-1', {});
  return store;
}

/** Changes the author and lets the projector have this record, once, just before a derived item is written. */
function changeBefore(store: WatchedStore, sortKey: string): void {
  let isOver = false;
  store.beforeUpdate = async ({ key }) => {
    if (isOver || key.target !== sortKey) return;
    isOver = true;
    const record = await store.producer('AUTHOR-1', 'AUTHOR-1', { name: { S: 'Changed' } });
    await createProjector(graph, { store }).project([record!]);
  };
}

async function copyOfBook(store: StreamedStore): Promise<unknown> {
  return (await store.derived('BOOK-1', '~view'))?.['copies'];
}

const CHANGED = { M: { 'WROTE-AUTHOR-1': { M: { name: { S: 'Changed' } } } } };

describe('mending beside the projector', () => {
  it('a view is mended behind the reverse items of its edges, so that a change meanwhile reaches it', async () => {
    const store = await bookTable();
    changeBefore(store, '~view');
    const clock = { now: Date.now, wait: () => Promise.reject(new Error('a wait')) };
    const mender = new Repairer({ graph, store, ...clock });
    const edge = { source: 'BOOK-1', target: 'WROTE-AUTHOR-1' };
    await mender.repair([{ source: 'BOOK-1', sortKey: '~view', bases: [edge] }]);
    expect(await copyOfBook(store)).toEqual(CHANGED);
  });

  it('a repair of a reverse item looks at the copy behind it, which a fan-out may have missed meanwhile', async () => {
    const store = await bookTable();
    await createProjector(graph, { store }).project(store.records);
    await store.delete({ source: 'AUTHOR-1', target: '~rev/WROTE-BOOK-1' });
    changeBefore(store, '~rev/WROTE-BOOK-1');
    const { drift, repaired } = await check(graph, { store, mode: 'repair', sources: ['BOOK-1'], graceMs: 0 });
    expect({ drift, repaired }).toEqual({ drift: { missing: 1, stale: 0, orphan: 0 }, repaired: 1 });
    expect(await copyOfBook(store)).toEqual(CHANGED);
  });
});

it('a type that left the set for its copies is let in again only where they fit, too', async () => {
  const tight = bookGraph('records', 1_024);
  const store = new WatchedStore(tight);
  const project = async (): Promise<void> => {
    await createProjector(tight, { store }).project(store.records.splice(0));
  };
  await store.producer('BOOK-1', 'BOOK-1', {});
  for (let i = 0; i < 3; i++) {
    await store.producer(`AUTHOR-${i}`, `AUTHOR-${i}`, { name: { S: 'long '.repeat(80) } });
    await store.producer('BOOK-1', `WROTE-AUTHOR-${i}`, {});
  }
  await project();
  expect(await store.derived('BOOK-1', '~view')).toMatchObject({ evicted: { SS: ['WROTE'] } });
  const checked = (mode: 'report' | 'repair') => check(tight, { store, mode, segments: 1, graceMs: 0 });
  expect(await checked('report')).toMatchObject({ maintenance: 0, drift: { stale: 0 } });

  for (let i = 0; i < 3; i++) await store.producer(`AUTHOR-${i}`, `AUTHOR-${i}`, { name: { S: 'short' } });
  await project();
  expect((await checked('repair')).maintenance).toBe(1);
  const view = await store.derived('BOOK-1', '~view');
  expect(view).not.toHaveProperty('evicted');
  expect(copySlots(tight, view).filter(({ stored }) => stored !== undefined)).toHaveLength(3);
  expect((await checked('report')).drift.stale).toBe(0);
});
