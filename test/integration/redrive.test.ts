import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, rank } from '../../src/core/model/schema.ts';
import { QUARANTINE_PARTITION, readEntry } from '../../src/core/plan/quarantine-entry.ts';
import type { Store } from '../../src/core/store-port.ts';
import { createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { check } from '../../src/trust/check/check.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { status } from '../../src/trust/explain/status.ts';
import { parseFailedBatch, readFailedBatch } from '../../src/trust/failures/failed-batch.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { redriveRecords } from '../../src/trust/repair/redrive-records.ts';
import { exportSubject } from '../../src/trust/subject/export-subject.ts';
import { type Fault, startFaultyEndpoint } from '../support/faulty-endpoint.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

function userGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      USER: node({
        view: 'ALL',
        search: {
          name: {},
          age: { type: 'number' },
          born: { type: 'date' },
          foods: { multiValue: true },
        },
      }),
      TEAM: node({ view: 'ALL' }),
    },
    edges: {
      MEMBER: edge({
        from: 'TEAM',
        to: 'USER',
        edgeSet: ['role'],
        inbound: { orders: { gsi0: rank('role', { LEAD: 500, OTHER: 400 }) } },
      }),
    },
  });
}

const nodeItem = (id: string, attributes: Item = {}): Item => ({ source: { S: id }, target: { S: id }, ...attributes });

async function entries(store: Store): Promise<Item[]> {
  const found: Item[] = [];
  let startKey: Item | undefined;
  do {
    const page = await store.query({ index: 'gsi0', partition: QUARANTINE_PARTITION, startKey });
    found.push(...page.items);
    startKey = page.lastKey;
  } while (startKey !== undefined);
  return found;
}

describe('redrive', () => {
  it('settles mended items by the base item and clears their entries; the rest stays, with its reasons', async () => {
    const { graph, store, projectAll } = await testTable(userGraph());
    await store.put(nodeItem('USER-mended', { born: { S: 'soon' }, name: { S: 'first' } }));
    await store.put(nodeItem('USER-gone', { age: { S: 'old' } }));
    await store.put(nodeItem('USER-bad', { age: { S: 'old' }, born: { S: 'soon' } }));
    await projectAll();
    // The records that mend are lost, as after a day without a consumer: redrive has the base items alone.
    await store.put(nodeItem('USER-mended', { born: { S: '2001-02-03' }, name: { S: 'second' } }));
    await store.delete({ source: 'USER-gone', target: 'USER-gone' });
    const result = await redrive(graph, { store });
    expect(result).toMatchObject({ entries: 3, repaired: 2, left: 1 });
    expect(result.reasons).toEqual([
      expect.stringMatching(/^USER-bad USER-bad: attribute age, /),
      expect.stringMatching(/^USER-bad USER-bad: attribute born, /),
    ]);
    expect((await entries(store)).map((item) => readEntry(graph, item).source)).toEqual(['USER-bad']);
    const view = await store.get({ source: 'USER-mended', target: '~view' }, { consistent: true });
    expect(view.item).toMatchObject({ attributes: { M: { name: { S: 'second' } } } });
    const born = await store.get({ source: 'USER-mended', target: '~ix/born' }, { consistent: true });
    expect(born.item).toMatchObject({ value: { S: '2001-02-03' } });
    const gone = await store.get({ source: 'USER-gone', target: '~view' }, { consistent: true });
    expect(gone.item).not.toHaveProperty('attributes');
    expect(gone.item).toHaveProperty('expiresAt');
  });

  it('a view that could not be written is settled as a whole', async () => {
    const { graph, store, projectAll } = await testTable(userGraph());
    await store.put({ source: { S: 'TEAM-1' }, target: { S: 'MEMBER-USER-1' }, role: { S: 'LEAD' } });
    await store.put({ source: { S: 'TEAM-1' }, target: { S: 'MEMBER-USER-2' }, role: { S: 'LEAD' } });
    await projectAll();
    // The node alone fills an item: its view does not fit beside what a view carries besides.
    const huge = 'x'.repeat(400 * 1024 - 40);
    await store.put(nodeItem('TEAM-1', { text: { S: huge } }));
    expect(await projectAll()).toMatchObject({ quarantined: 1, failedFrom: undefined });
    const [entry] = (await entries(store)).map((item) => readEntry(graph, item));
    expect(entry).toMatchObject({ source: 'TEAM-1', target: '~view', code: 'ValidationException' });
    expect(await redrive(graph, { store })).toMatchObject({ entries: 1, left: 1 });
    await store.put(nodeItem('TEAM-1', { text: { S: 'short' } }));
    await store.delete({ source: 'TEAM-1', target: 'MEMBER-USER-2' });
    expect(await redrive(graph, { store })).toMatchObject({ entries: 1, repaired: 1, left: 0 });
    const { item } = await store.get({ source: 'TEAM-1', target: '~view' }, { consistent: true });
    expect(item).toMatchObject({
      attributes: { M: { text: { S: 'short' } } },
      edgeSet: { SS: ['MEMBER-USER-1|role=LEAD'] },
    });
  });

  it('records that a mapping gave up on are settled, ghosts of their old images included', async () => {
    const { graph, store, allRecords } = await testTable(userGraph());
    await store.put(nodeItem('USER-1', { foods: { SS: ['ramen', 'soba'] } }));
    await store.put(nodeItem('USER-1', { foods: { SS: ['soba'] } }));
    await store.put({ source: { S: 'TEAM-1' }, target: { S: 'MEMBER-USER-1' }, role: { S: 'LEAD' } });
    await redriveRecords(await allRecords(), { graph, store });
    const at = async (source: string, target: string) =>
      (await store.get({ source, target }, { consistent: true })).item;
    expect(await at('USER-1', '~ix/foods/soba')).toMatchObject({ value: { S: 'soba' } });
    // The unwanted one is a tombstone although it never was: it fences off a late insert.
    expect(await at('USER-1', '~ix/foods/ramen')).toHaveProperty('expiresAt');
    expect(await at('USER-1', '~ix/foods/ramen')).not.toHaveProperty('gsi0pk');
    expect(await at('TEAM-1', '~view')).toMatchObject({ edgeSet: { SS: ['MEMBER-USER-1|role=LEAD'] } });
  });
});

describe('an entry that is over', () => {
  it('leaves a tombstone, which is no entry for a check, the status, an explanation or an export', async () => {
    const { graph, store, projectAll } = await testTable(userGraph());
    await store.put(nodeItem('USER-1', { age: { S: 'old' } }));
    await projectAll();
    const id = 'USER-1';
    const key = { source: id, target: id };
    const isTold = async () => {
      const { notes } = await explain(graph, { store, key });
      const exported = await exportSubject(graph, { store, id, onItem: () => undefined });
      return {
        check: (await check(graph, { store, graceMs: 1 })).quarantined,
        status: (await status(graph, { store })).quarantined,
        explain: notes.filter((note) => note.includes('quarantine')).length,
        export: exported.items.entry,
      };
    };
    expect(await isTold()).toEqual({ check: 1, status: { 'wrong-type': 1 }, explain: 1, export: 1 });
    await store.put(nodeItem('USER-1', { age: { N: '7' } }));
    expect(await redrive(graph, { store })).toMatchObject({ repaired: 1, left: 0 });
    const entry = await store.get({ source: id, target: `~quarantine/${id}` }, { consistent: true });
    expect(entry.item).toHaveProperty('expiresAt');
    expect(await isTold()).toEqual({ check: 0, status: {}, explain: 0, export: 0 });
    expect(await redrive(graph, { store, ids: [id] })).toMatchObject({ entries: 0 });
  });
});

describe('entries that have lost the key of their base item', () => {
  it('are settled by what their own keys name, and are gone after one redrive', async () => {
    const { graph, store, projectAll } = await testTable(userGraph());
    await store.put(nodeItem('USER-1', { age: { S: 'old' } }));
    await projectAll();
    const [entry] = (await store.query({ partition: 'USER-1', sortKey: { beginsWith: '~quarantine/' } })).items;
    const { of: _, ...lost } = entry!;
    const named = (name: string): Item => ({
      ...lost,
      target: { S: `~quarantine/${name}` },
    });
    const names = ['USER-1', '~view', '~ix/name', '~ix/foods/a', '~rev/X-1', `#${'0'.repeat(32)}`, '~ix/#'];
    await store.writeMany([{ delete: { source: 'USER-1', target: entry!['target']!['S' as never] } }]);
    for (const name of names) await store.put(named(name));
    await store.put(nodeItem('USER-1', { age: { N: '7' }, name: { S: 'Ada' } }));
    expect(await redrive(graph, { store })).toMatchObject({ entries: names.length, repaired: names.length, left: 0 });
    expect(await redrive(graph, { store })).toMatchObject({ entries: 0 });
    const { item } = await store.get({ source: 'USER-1', target: '~ix/name' }, { consistent: true });
    expect(item).toMatchObject({ value: { S: 'Ada' }, gsi1value: { N: '7' } });
  });
});

describe('an entry that names keys of no derived item', () => {
  it('is settled by its base item, which no write touches, and holds up no other', async () => {
    const { graph, store, projectAll } = await testTable(userGraph());
    const before = nodeItem('USER-1', { age: { S: 'old' } });
    await store.put(before);
    await store.put(nodeItem('USER-2', { age: { S: 'old' } }));
    await projectAll();
    const { items } = await store.query({ index: 'gsi0', partition: QUARANTINE_PARTITION, consistent: false });
    const forged = items.find(({ source }) => source!['S' as never] === 'USER-1')!;
    await store.put({ ...forged, derivedKeys: { SS: ['USER-1', '~degree/MEMBER', '~unknown', '~ix/name'] } });
    await store.put(nodeItem('USER-2', { age: { N: '7' } }));
    expect(await redrive(graph, { store })).toMatchObject({ entries: 2, repaired: 1, left: 1 });
    expect((await store.get({ source: 'USER-1', target: 'USER-1' }, { consistent: true })).item).toEqual(before);
    for (const target of ['~degree/MEMBER', '~unknown']) {
      expect((await store.get({ source: 'USER-1', target }, { consistent: true })).item).toBeUndefined();
    }
  });
});

describe('a batch that the mapping gave up on', () => {
  it('is left where the stream gives less than its range', async () => {
    const { graph, store, endpoint, streams, streamArn, rawRecords } = await testTable(userGraph());
    for (let i = 0; i < 3; i++) await store.put(nodeItem(`USER-${i}`, { name: { S: `${i}` } }));
    const { shards } = await new DynamoDBStreamSource(streams, streamArn).describe();
    const Records = await rawRecords();
    const [first, , last] = Records.map(({ dynamodb }) => dynamodb!.SequenceNumber!);
    const batch = {
      ...{ streamArn, shardId: shards[0]!.shardId },
      ...{ startSequenceNumber: first!, endSequenceNumber: last! },
    };
    for (const text of ['{}', '', '{"Records":[]}', JSON.stringify({ Records: Records.slice(0, 1) })]) {
      const fault: Fault = ({ operation }) => (operation === 'GetRecords' ? { text } : undefined);
      const faulty = await startFaultyEndpoint(endpoint, fault);
      const client = createStreamsClient({ endpoint: faulty.endpoint, maxAttempts: 1 });
      await expect(readFailedBatch(graph, client, batch)).rejects.toMatchObject({ kind: 'retryable' });
      client.destroy();
      await faulty.stop();
    }
  });

  it('says so where the message is another one', () => {
    expect(() => parseFailedBatch('{"KinesisBatchInfo":{}}')).toThrow(
      expect.objectContaining({ code: 'invalid-failure-message' }),
    );
    expect(() => parseFailedBatch('no json')).toThrow(expect.objectContaining({ code: 'invalid-failure-message' }));
  });
});
