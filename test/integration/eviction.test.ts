import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

const BUDGET_BYTES = 4096;
const BUDGET_UNITS = BUDGET_BYTES / 1024;

/** A table of users, with a projector; `viewUnits` notes what each update of a view costs. */
async function hubTable() {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({ view: 'ALL', viewBudgetBytes: BUDGET_BYTES }) },
    edges: {
      FOLLOWS: edge({
        ...{ from: 'USER', to: 'USER', edgeSet: ['since'] },
        ...{ deletedWhen: 'endedAt', expires: 'expiresAt' },
      }),
      BLOCKS: edge({ from: 'USER', to: 'USER' }),
    },
  });
  const table = await openTable(graph);
  const { store } = table;
  const viewUnits: number[] = [];
  const noting = withReplacedCalls(store, {
    async update(update) {
      const result = await store.update(update);
      if (update.key.target === '~view') viewUnits.push(result.wcu);
      return result;
    },
  });
  const viewItem = async () => (await store.get({ source: 'USER-HUB', target: '~view' }, { consistent: true })).item;
  return { ...table, graph, projector: createProjector(graph, { store: noting }), viewUnits, viewItem };
}

function insertion(position: number, target: string, type = 'FOLLOWS'): ChangeRecord {
  const sortKey = `${type}-USER-${target}`;
  const image = { source: { S: 'USER-HUB' }, target: { S: sortKey }, since: { S: '2026-01-01' } };
  return {
    source: 'USER-HUB',
    target: sortKey,
    newImage: image,
    stream: '2026-01-01T00:00:00.000',
    sequenceNumber: String(position),
  };
}

/** Puts the edges that records insert. */
async function putAll(store: Store, records: readonly ChangeRecord[]): Promise<void> {
  await store.writeMany(records.map(({ newImage }) => ({ put: newImage! })));
}

const name = (i: number): string => `follower-${String(i).padStart(4, '0')}`;

describe('the byte budget of a view', () => {
  it('bounds what each edge of a growing hub costs, and evicts the largest type once', async () => {
    const { store, projector, viewUnits, viewItem } = await hubTable();
    for (let i = 1; i <= 150; i++) {
      const record = insertion(i, name(i));
      await store.put(record.newImage!);
      await projector.project([record]);
    }
    // Each edge costs one write, also the one that is too many: a larger view is never written.
    expect(viewUnits).toHaveLength(150);
    // After the eviction each edge costs one write of a view of less than a kilobyte.
    const evictedAt = viewUnits.lastIndexOf(BUDGET_UNITS);
    expect(viewUnits.slice(0, evictedAt + 1)).toEqual(viewUnits.slice(0, evictedAt + 1).sort());
    expect(viewUnits.slice(evictedAt + 1)).toEqual(Array(149 - evictedAt).fill(1));
    expect(evictedAt).toBeLessThan(120);
    const item = await viewItem();
    expect(item).toMatchObject({ evicted: { SS: ['FOLLOWS'] } });
    expect(item).not.toHaveProperty('edgeSet');
  });

  it('costs a batch one write of the shrunken view, whatever it adds and removes, and another where the mark is gone', async () => {
    const { store, projector, viewUnits, viewItem } = await hubTable();
    const first = Array.from({ length: 100 }, (_, i) => insertion(i + 1, name(i + 1)));
    await putAll(store, first);
    await projector.project(first);
    const removal = (position: number, target: string): ChangeRecord => {
      const { newImage, ...rest } = insertion(position, target);
      return { ...rest, oldImage: newImage };
    };
    viewUnits.length = 0;
    const mixed = [insertion(201, name(201)), removal(202, name(1)), insertion(203, name(203))];
    await putAll(store, [mixed[0]!, mixed[2]!]);
    const { rcu } = await projector.project(mixed);
    // The units are of the registry's head and of the view, which shows that no edge need be read.
    expect({ rcu, viewUnits }).toEqual({ rcu: 1.5, viewUnits: [1] });
    const item = await viewItem();
    expect(item).toMatchObject({ evicted: { SS: ['FOLLOWS'] } });
    expect(item).not.toHaveProperty('edgeSet');
    // Another worker, or a repair, took the mark away.
    const { evicted: _, ...unmarked } = item!;
    await store.put(unmarked);
    viewUnits.length = 0;
    await putAll(store, [insertion(204, name(204))]);
    await projector.project([insertion(204, name(204))]);
    expect(viewUnits).toEqual([1]);
    expect(await viewItem()).toMatchObject({
      edgeSet: { SS: [`FOLLOWS-USER-${name(204)}|since=2026-01-01`] },
    });
  });

  it.each([
    [100, undefined],
    [101, ['FOLLOWS']],
  ])('has %i edges of a type that left the set: readers see 100, truncated %j', async (count, truncated) => {
    const { store, reader, projector, viewItem } = await hubTable();
    const records = Array.from({ length: count }, (_, i) => insertion(i + 1, name(i + 1)));
    await putAll(store, records);
    await projector.project(records.slice(0, 60));
    await projector.project(records.slice(60));
    const item = await viewItem();
    expect(item).toMatchObject({ evicted: { SS: ['FOLLOWS'] } });
    const hub = await reader.getView('USER-HUB');
    expect(hub?.edgeSet).toHaveLength(100);
    expect(hub?.truncated).toEqual(truncated);
  });

  it.each([
    { dead: 150, living: 100, calls: 3, read: { edges: 100, truncated: undefined } },
    { dead: 150, living: 101, calls: 3, read: { edges: 100, truncated: ['FOLLOWS'] } },
    { dead: 0, living: 101, calls: 1, read: { edges: 100, truncated: ['FOLLOWS'] } },
    { dead: 995, living: 20, calls: 10, read: { edges: 15, truncated: ['FOLLOWS'] } },
    { dead: 1100, living: 5, calls: 10, read: { edges: 0, truncated: ['FOLLOWS'] } },
  ])('reads on past $dead soft-deleted and expired edges to $living that live, within a bound', async (given) => {
    const { dead, living, calls, read } = given;
    const { graph, store, projector } = await hubTable();
    const records = Array.from({ length: dead + living }, (_, i) => insertion(i + 1, name(i + 1)));
    await putAll(store, records);
    await projector.project(records.slice(-101));
    const ended: Item[] = [{ endedAt: { S: '2026-02-01' } }, { expiresAt: { N: '1600000000' } }];
    await store.writeMany(
      records.slice(0, dead).map(({ newImage }, i) => ({ put: { ...newImage!, ...ended[i % 2]! } })),
    );
    let queries = 0;
    const counting = withReplacedCalls(store, {
      query(request) {
        if (request.partition === 'USER-HUB') queries += 1;
        return store.query(request);
      },
    });
    const hub = await createReader(graph, { store: counting }).getView('USER-HUB');
    expect({ edges: hub?.edgeSet.length, truncated: hub?.truncated }).toEqual(read);
    expect(queries).toBe(calls);
  });

  it('keeps the smaller type in the set, and readers see the first edges of the other, and that there are more', async () => {
    const { store, reader, writer, projector, viewItem } = await hubTable();
    const records = [
      ...Array.from({ length: 120 }, (_, i) => insertion(i + 1, name(i + 1))),
      insertion(500, 'ENEMY', 'BLOCKS'),
    ];
    await putAll(store, records);
    await projector.project(records.slice(0, 60));
    await projector.project(records.slice(60));
    const item = await viewItem();
    expect(item).toMatchObject({ evicted: { SS: ['FOLLOWS'] }, edgeSet: { SS: ['BLOCKS-USER-ENEMY'] } });
    const edgesOf = (view: { edgeSet: { type: string; target: string }[] } | null | undefined) =>
      view?.edgeSet.map(({ type, target }) => `${type} ${target}`);
    const first = Array.from({ length: 100 }, (_, i) => `FOLLOWS USER-${name(i + 1)}`);
    const { value: hub, capacity } = await reader.getView('USER-HUB', { consistent: true, capacity: true });
    expect(edgesOf(hub)).toEqual(['BLOCKS USER-ENEMY', ...first]);
    expect(hub?.truncated).toEqual(['FOLLOWS']);
    // A view of some bytes, and 100 edges of about 90 bytes.
    expect(capacity.rcu).toBeLessThanOrEqual(4);
    expect((await reader.edges('USER-HUB', 'FOLLOWS', { limit: 200 })).items).toHaveLength(120);
    // A session sees what it wrote behind them, and what it deleted among them.
    const session = createSession();
    const own = writer.with(session);
    await own.putEdge('USER-HUB', 'FOLLOWS', 'USER-follower-0110', { since: '2026-01-02' });
    await own.deleteEdge('USER-HUB', 'FOLLOWS', `USER-${name(1)}`);
    const view = await reader.with(session).getView('USER-HUB');
    expect(view?.edgeSet).toContainEqual({ type: 'FOLLOWS', target: 'USER-follower-0110', since: '2026-01-02' });
    expect(edgesOf(view)).not.toContain(`FOLLOWS USER-${name(1)}`);
  });

  it('a batch of more elements than an item can hold evicts instead of going to quarantine', async () => {
    const { store, projector, viewItem } = await hubTable();
    const long = 'x'.repeat(900);
    const records = Array.from({ length: 480 }, (_, i) => insertion(i + 1, `${long}${i}`));
    await putAll(store, records);
    const result = await projector.project(records);
    expect(result).toMatchObject({ quarantined: 0, failedFrom: undefined });
    const item = await viewItem();
    expect(item).toMatchObject({ evicted: { SS: ['FOLLOWS'] } });
  });
});
