import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part, source, sum } from '../../src/core/model/schema.ts';
import { check } from '../../src/trust/check/check.ts';
import type { ObservedDrift } from '../../src/trust/observe/drift.ts';
import { readObserverProgress, TableMemory } from '../../src/trust/observe/memory.ts';
import { eraseSubject, type SubjectEraseOptions } from '../../src/trust/subject/erase-subject.ts';
import { exportSubject } from '../../src/trust/subject/export-subject.ts';
import { failedBatchEraser } from '../../src/trust/subject/failed-batches.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const HOUR = 3_600_000;
const BORROWER = 'BORROWER-ada@books.org';

/** A library: borrowers with parts, books with copies of their author's name, loans that are counted, notes that are in no list. */
function libraryGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      BORROWER: node({
        view: 'ALL',
        search: { name: {}, tags: { multiValue: true } },
        parts: { CARD: part({ search: { state: {} } }) },
      }),
      BOOK: node({ view: ['title'], search: { title: {} } }),
      BRANCH: node({ view: 'ALL' }),
    },
    edges: {
      LOAN: edge({
        from: 'BORROWER',
        to: 'BOOK',
        degree: true,
        edgeSet: ['due'],
        inbound: { orders: { gsi0: 'due', byName: source('name') }, total: { fine: sum('fine') } },
      }),
      WROTE: edge({ from: 'BOOK', to: 'BORROWER', copy: ['name'], edgeSet: [] }),
      KNOWS: edge({ from: 'BORROWER', to: 'BORROWER' }),
      SECRET: edge({ from: 'BORROWER', to: 'BORROWER', keys: 'hashed', edgeSet: false }),
      HOSTS: edge({ from: 'BRANCH', to: ['BORROWER', 'BOOK'], inbound: { orders: { gsi0: 'since' }, project: 'ALL' } }),
    },
  });
}

async function libraryTable() {
  const table = await testTable(libraryGraph());
  const { graph, store } = table;
  const writer = createWriter(graph, { store });
  const other = `${BORROWER}.uk`;
  for (const [id, name] of [
    [BORROWER, 'Ada'],
    [other, 'Bob'],
    ['BORROWER-c', 'Cid'],
  ] as const) {
    await writer.putNode(id, { name, tags: ['x', 'y'] });
    await writer.putPart(id, 'CARD', { state: 'valid' });
    await writer.putEdge(id, 'LOAN', 'BOOK-1', { due: '2026-01-01', fine: 3 });
    await writer.putEdge('BRANCH-1', 'HOSTS', id, { since: '2020' });
    await writer.putEdge('BOOK-1', 'WROTE', id);
    await writer.putEdge('BORROWER-d', 'KNOWS', id);
    await writer.putEdge(id, 'KNOWS', 'BORROWER-d');
    await writer.putEdge('BORROWER-d', 'SECRET', id);
  }
  await writer.putNode('BOOK-1', { title: 'Notes' });
  await table.projectAll();
  const rawItems = async () => {
    const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
    return items;
  };
  /** Every item that has the id as a text anywhere, but not the longer id of the other borrower. */
  const naming = async (): Promise<string[]> =>
    (await rawItems())
      .filter((item) => JSON.stringify(item).replaceAll(other, '').includes(BORROWER))
      .map((item) => `${stringOf(item['source'])} ${stringOf(item['target'])}`);
  const checkClean = async () => {
    const { drift, pending } = await check(graph, { store, graceMs: 0 });
    expect({ ...drift, pending }).toEqual({ missing: 0, stale: 0, orphan: 0, pending: 0 });
  };
  const erase = (options: Partial<SubjectEraseOptions> = {}) =>
    eraseSubject(graph, { store, id: BORROWER, segments: 1, ...options });
  /** A first run, which consumers have followed. */
  const begin = async () => {
    const first = await erase();
    await table.projectAll();
    return first;
  };
  /** A second run, after which nothing names the id. */
  const expectErased = async (hours = 50) => {
    expect(await erase({ now: hoursOn(hours) })).toMatchObject({ isDone: true });
    expect(await naming()).toEqual([]);
  };
  return { ...table, writer, other, rawItems, naming, checkClean, erase, begin, expectErased };
}

/** Hours later than now. */
function hoursOn(hours: number): () => number {
  return () => Date.now() + hours * HOUR;
}

describe('subject erase', () => {
  it('deletes everything in two runs; a scan then finds the id nowhere, and the others are as they were', async () => {
    const { erase, naming, projectAll, checkClean, rawItems, other } = await libraryTable();
    const before = await rawItems();
    expect((await naming()).length).toBeGreaterThan(15);
    const first = await erase();
    expect(first).toMatchObject({
      deleted: { nodes: 1, parts: 1, edges: 6, unknown: 0, entries: 0 },
      ...{ isDone: false, isWrittenAgain: false, isStopped: false },
    });
    expect(Date.parse(first.next!) - Date.now()).toBeGreaterThan(48 * HOUR);
    await projectAll();
    // Before the tombstones expire nothing is touched.
    const early = await erase({ now: hoursOn(24) });
    expect(early).toMatchObject({ isDone: false, next: first.next, deleted: { derived: 0 } });
    const second = await erase({ now: hoursOn(50) });
    expect(second).toMatchObject({ isDone: true, isWrittenAgain: false });
    expect(second.next).toBeUndefined();
    expect(second.deleted.derived).toBeGreaterThan(5);
    expect(second.remains.map(({ where }) => where)).toEqual([
      'stream',
      'failed batches',
      'backups',
      'exports',
      'logs',
    ]);
    expect(await naming()).toEqual([]);
    await checkClean();
    const ofOthers = (items: typeof before) => items.filter((item) => stringOf(item['source']) === other).length;
    expect(ofOthers(await rawItems())).toBe(ofOthers(before));
    expect((await rawItems()).some((item) => stringOf(item['source']) === '~edgeloom')).toBe(false);
  });

  it('deletes what has neither content nor an expiry, in the partitions of others too', async () => {
    const { rawItems, store, begin, expectErased } = await libraryTable();
    await begin();
    const tombstones = (await rawItems()).filter((item) => item['expiresAt'] !== undefined);
    const ofOthers = tombstones.filter((item) => !stringOf(item['source'])!.startsWith(BORROWER));
    expect(ofOthers.length).toBeGreaterThan(0);
    for (const { expiresAt: _, ...item } of tombstones) await store.put(item);
    await expectErased();
  });

  it('says that producers have written it again, and erases that only if asked', async () => {
    const { erase, naming, projectAll, writer, begin, expectErased } = await libraryTable();
    await begin();
    await writer.putNode(BORROWER, { name: 'Ada' });
    await writer.putEdge('BORROWER-c', 'KNOWS', BORROWER);
    await projectAll();
    const second = await erase({ now: hoursOn(50) });
    expect(second).toMatchObject({ isDone: false, isWrittenAgain: true });
    const written = second.remains.filter(({ what }) => what.includes('written after the first run'));
    expect(written.map(({ where }) => where).sort()).toEqual([
      `${BORROWER} ${BORROWER}`,
      `BORROWER-c KNOWS-${BORROWER}`,
    ]);
    expect(await naming()).toContain(`${BORROWER} ${BORROWER}`);
    expect(await erase({ again: true, now: hoursOn(50) })).toMatchObject({ deleted: { nodes: 1, edges: 1 } });
    await projectAll();
    await expectErased(101);
  });

  it('names attributes of others that hold the id, and is not done before they are changed', async () => {
    const { erase, projectAll, writer, naming, begin } = await libraryTable();
    await writer.putNode('BOOK-2', { title: 'A book', ownedBy: BORROWER, note: `for (${BORROWER})` });
    await writer.putNode('BOOK-3', { title: BORROWER });
    await projectAll();
    await begin();
    const second = await erase({ now: hoursOn(50) });
    expect(second.isDone).toBe(false);
    expect(second.next).toBeUndefined();
    expect(second.remains).toEqual(
      expect.arrayContaining([
        { where: 'BOOK-2 BOOK-2', what: 'the id in note, ownedBy' },
        { where: 'BOOK-3 BOOK-3', what: 'the id in title' },
      ]),
    );
    expect(await naming()).toEqual(expect.arrayContaining(['BOOK-2 BOOK-2', 'BOOK-3 BOOK-3']));
    await writer.putNode('BOOK-2', { title: 'A book' });
    await writer.putNode('BOOK-3', { title: 'Another' });
    await projectAll();
    expect(await erase({ now: hoursOn(101) })).toMatchObject({ isDone: true });
  });

  it('leaves no value in the totals of others: neither the id nor a value that no other edge has', async () => {
    const groupBy = ['reviewer', 'city'] as const;
    const table = await testTable(
      defineGraph({
        table: uniqueTableName(),
        nodes: { BORROWER: node({ view: 'ALL' }), BOOK: node({ view: 'ALL' }) },
        edges: {
          RATED: edge({ from: 'BORROWER', to: 'BOOK', inbound: { groupBy } }),
          CITES: edge({ from: 'BOOK', to: 'BOOK', degree: true, outgoing: { groupBy } }),
        },
      }),
    );
    const { graph, store, projectAll } = table;
    const writer = createWriter(graph, { store });
    await writer.putEdge(BORROWER, 'RATED', 'BOOK-1', { reviewer: BORROWER, city: 'Lima' });
    await writer.putEdge('BORROWER-2', 'RATED', 'BOOK-1', { reviewer: 'BORROWER-2', city: 'Rome' });
    await writer.putEdge('BOOK-1', 'CITES', 'BOOK-2', { reviewer: BORROWER, city: 'Oslo' });
    await projectAll();
    const erase = (hours: number) =>
      eraseSubject(graph, { store, id: BORROWER, segments: 1, now: () => Date.now() + hours * HOUR });
    await erase(0);
    await projectAll();
    const total = { source: 'BOOK-1', target: '~total/RATED' };
    const namesOf = async (key: typeof total) =>
      Object.keys((await store.get(key, { consistent: true })).item ?? {}).filter((name) => /^(by|keys)\//.test(name));
    // The zeros are there until the second run.
    expect(await namesOf(total)).toContain(`by/reviewer/S${BORROWER}`);
    // An edge of others still has the id, and so does its total.
    const second = await erase(50);
    expect(second.isDone).toBe(false);
    const cited = { where: 'BOOK-1 ~degree/CITES', what: `the id in by/reviewer/S${BORROWER}, keys/reviewer` };
    expect(second.remains).toContainEqual(cited);
    expect((await namesOf(total)).sort()).toEqual([
      'by/city/SRome',
      'by/reviewer/SBORROWER-2',
      'keys/city',
      'keys/reviewer',
    ]);
    await writer.putEdge('BOOK-1', 'CITES', 'BOOK-2', { reviewer: 'BORROWER-2', city: 'Oslo' });
    await projectAll();
    expect(await erase(101)).toMatchObject({ isDone: true });
    const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
    expect(JSON.stringify(items)).not.toMatch(/ada@books|Lima/);
    const { drift } = await check(graph, { store, graceMs: 0 });
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    await writer.putEdge('BORROWER-3', 'RATED', 'BOOK-1', { reviewer: 'BORROWER-2', city: 'Lima' });
    await projectAll();
    const reader = createReader(graph, { store });
    expect(await reader.total('BOOK-1', 'RATED', { direction: 'inbound' })).toEqual({
      ...{ count: 2, groups: { reviewer: { 'BORROWER-2': 2 }, city: { Rome: 1, Lima: 1 } } },
    });
  });

  it('is not done while the id is a name, a part of a key of no type, or a word at the end of a sentence', async () => {
    const { erase, projectAll, writer, store, begin } = await libraryTable();
    await writer.putNode('BRANCH-2', { [BORROWER]: 'x', readers: { [BORROWER]: 1 } });
    await writer.putNode('BRANCH-3', { note: `It was ${BORROWER}. Nobody else.` });
    await store.put({ source: { S: 'audit' }, target: { S: `seen#${BORROWER}` } });
    await projectAll();
    await begin();
    const second = await erase({ now: hoursOn(50) });
    expect(second.isDone).toBe(false);
    const listed = second.remains.filter(({ what }) => what.startsWith('the id in') && !what.includes('perhaps'));
    expect(listed.sort((left, right) => (left.where < right.where ? -1 : 1))).toEqual([
      { where: 'BRANCH-2 BRANCH-2', what: `the id in ${BORROWER}, readers` },
      { where: 'BRANCH-2 ~view', what: 'the id in attributes' },
      { where: 'BRANCH-3 BRANCH-3', what: 'the id in note' },
      { where: 'BRANCH-3 ~view', what: 'the id in attributes' },
      { where: `audit seen#${BORROWER}`, what: 'the id in target' },
    ]);
  });

  it('takes its differences out of the state of the observer, and the contents of all others', async () => {
    const { store, projectAll, other, begin, expectErased } = await libraryTable();
    await projectAll();
    const memory = new TableMemory(store, Date.now);
    await memory.open();
    const driftOf = (source: string, stored: string): ObservedDrift => ({
      suspect: { source, sortKey: '~view' },
      differences: [{ kind: 'attributes' }],
      ...{ expected: null, stored, foundMs: 1, isCertain: true },
    });
    await memory.save({
      ...{ streamArn: 'arn', savedMs: 1, shards: [], ready: [], positionsMs: 1, heldBy: `${BORROWER} ~view` },
      drift: [driftOf(BORROWER, 'Ada'), driftOf(other, 'Bob'), driftOf('BOOK-1', `by/reviewer/S${BORROWER} 1`)],
      sampled: { asked: 2, wrong: 2, wrongItems: [`${BORROWER} ~ix/name`, `${other} ~ix/name`], sinceMs: 1 },
    });
    await begin();
    await expectErased();
    const left = await readObserverProgress(store);
    expect(left).toMatchObject({
      drift: [{ suspect: { source: other }, expected: null, stored: expect.stringMatching(/^sha256 /) }],
      sampled: { asked: 2, wrongItems: [`${other} ~ix/name`] },
    });
    expect(left?.heldBy).toBeUndefined();
  });

  it('takes its quarantine entries with it, and items of types outside the model', async () => {
    const { erase, projectAll, store, expectErased } = await libraryTable();
    const key = { source: { S: BORROWER }, target: { S: `LOAN-BOOK-9` } };
    await store.put({ ...key, due: { N: '7' }, fine: { N: '1' } });
    await store.put({ source: { S: BORROWER }, target: { S: 'OLDTYPE' }, note: { S: 'x' } });
    await store.put({ source: { S: 'BOOK-1' }, target: { S: `OLDEDGE-${BORROWER}` } });
    expect((await projectAll()).quarantined).toBeGreaterThan(0);
    const first = await erase();
    expect(first.deleted).toMatchObject({ unknown: 2, edges: 7 });
    expect(first.deleted.entries).toBeGreaterThan(0);
    await projectAll();
    await expectErased();
  });

  it.each(['entry', 'failed batch'] as const)(
    'looks again once it has reconciled the last %s, and waits for the tombstones',
    async (last) => {
      const { erase, projectAll, store, rawItems, naming } = await libraryTable();
      await store.put({
        ...{ source: { S: BORROWER }, target: { S: 'LOAN-BOOK-9' } },
        ...{ due: { N: '7' }, fine: { N: '1' } },
      });
      await projectAll();
      const { items } = await store.query({ partition: BORROWER, sortKey: { beginsWith: '~quarantine/' } });
      const [entry] = items;
      await erase();
      await projectAll();
      // All derived items are gone: DynamoDB has deleted the tombstones.
      for (const item of await rawItems()) {
        const [source, target] = [stringOf(item['source'])!, stringOf(item['target'])!];
        if ((await naming()).includes(`${source} ${target}`)) await store.delete({ source, target });
      }
      if (last === 'entry') await store.put(entry!);
      let batches = last === 'entry' ? 0 : 1;
      const eraseFailedBatches = async () => {
        // A record of the batch is quarantined.
        if (batches > 0) await store.put(entry!);
        const deleted = batches;
        batches = 0;
        return { deleted, remains: [] };
      };
      const second = await erase({ now: hoursOn(50), eraseFailedBatches });
      expect(await naming()).not.toEqual([]);
      expect(second.isDone).toBe(false);
      expect(Date.parse(second.next!) - Date.now()).toBeGreaterThan(90 * HOUR);
      expect(await erase({ now: hoursOn(150), eraseFailedBatches })).toMatchObject({ isDone: true });
      expect(await naming()).toEqual([]);
    },
  );

  it('only looks with dryRun', async () => {
    const { erase, rawItems } = await libraryTable();
    const before = await rawItems();
    const eraseFailedBatches = () => Promise.reject(new Error('A dry run deletes nothing.'));
    const { remains, deleted } = await erase({ dryRun: true, eraseFailedBatches });
    expect(remains.filter(({ what }) => what === 'a base item')).toHaveLength(8);
    const { what } = remains.find(({ where }) => where === 'failed batches')!;
    expect(what).toContain('objects in a bucket and messages in a queue');
    expect(deleted).toMatchObject({ nodes: 0, edges: 0 });
    expect(await rawItems()).toEqual(before);
  });

  it.each([['no JSON'], ['{"stage":"begun"}']])(
    'names the record of an erasure that cannot be read: %s',
    async (state) => {
      const { erase, store } = await libraryTable();
      await erase();
      const { items } = await store.query({ partition: '~edgeloom', sortKey: { beginsWith: 'erasure/' } });
      await store.put({ ...items[0]!, state: { S: state } });
      const target = stringOf(items[0]!['target']);
      await expect(erase({ now: hoursOn(50) })).rejects.toMatchObject({
        code: 'damaged-erasure',
        message: expect.stringContaining(`state of the item ~edgeloom ${target}`),
      });
      await store.delete({ source: '~edgeloom', target: target! });
      expect(await erase()).toMatchObject({ isDone: false, deleted: { nodes: 0 } });
    },
  );

  it('refuses an id of no type of the model', async () => {
    const { graph, store, erase } = await libraryTable();
    const none = { id: 'READER-1' };
    await expect(erase(none)).rejects.toMatchObject({ code: 'unknown-type' });
    const exported = exportSubject(graph, { store, ...none, onItem: () => undefined });
    await expect(exported).rejects.toMatchObject({ code: 'unknown-type' });
  });
});

describe('failed batches', () => {
  let objects: Map<string, string>;
  beforeEach(() => {
    objects = new Map();
  });
  afterEach(() => {
    objects.clear();
  });

  it('that name the subject are reconciled whole, then deleted; others stay', async () => {
    const { erase, graph, store, streams, streamArn, allRecords, naming, writer } = await libraryTable();
    await writer.putNode('BOOK-7', { title: 'Unprojected' });
    await writer.updateNode(BORROWER, { set: { name: 'Ada L.' } });
    const [bookRecord, borrowerRecord] = (await allRecords()).slice(-2);
    const raw = (record: typeof bookRecord) => ({
      eventName: record!.oldImage === undefined ? 'INSERT' : 'MODIFY',
      eventSourceARN: streamArn,
      dynamodb: {
        Keys: { source: { S: record!.source }, target: { S: record!.target } },
        NewImage: record!.newImage,
        ...(record!.oldImage && { OldImage: record!.oldImage }),
        SequenceNumber: record!.sequenceNumber,
      },
    });
    const info = { streamArn, shardId: 's', startSequenceNumber: '1', endSequenceNumber: '2' };
    const batch = (records: unknown[]) =>
      JSON.stringify({ DDBStreamBatchInfo: info, payload: JSON.stringify({ Records: records }) });
    objects.set('one', batch([raw(bookRecord), raw(borrowerRecord)]));
    objects.set('other', batch([raw(bookRecord)]));
    objects.set('foreign', `not a batch of ${BORROWER}`);
    const places = {
      ...{ streams, buckets: ['failed'] },
      listObjects: async function* () {
        yield* [...objects.keys()];
      },
      readObject: async (_bucket: string, key: string) => objects.get(key)!,
      deleteObject: async (_bucket: string, key: string) => void objects.delete(key),
    };
    const first = await erase({ eraseFailedBatches: failedBatchEraser(graph, { ...places, store }) });
    expect(first.deleted.failedBatches).toBe(1);
    expect([...objects.keys()]).toEqual(['other', 'foreign']);
    const inBuckets = first.remains.filter(({ where }) => where.startsWith('s3:'));
    expect(inBuckets).toEqual([{ where: 's3://failed/foreign', what: expect.stringContaining('a failed batch: ') }]);
    // The batch's other record is projected.
    const { item } = await store.get({ source: 'BOOK-7', target: '~view' }, { consistent: true });
    expect(item).toBeDefined();
    expect(await naming()).not.toContain(`${BORROWER} ${BORROWER}`);
  });
});

describe('subject export', () => {
  it('gives base items, derived items, and of items of others only what names the subject', async () => {
    const { graph, store, writer, projectAll, other } = await libraryTable();
    await writer.putNode('BOOK-2', { title: 'Private', ownedBy: BORROWER });
    await projectAll();
    const lines: { key: string; kind: string; text: string }[] = [];
    const result = await exportSubject(graph, {
      ...{ store, id: BORROWER, segments: 1 },
      onItem: ({ source, target, kind, item }) =>
        void lines.push({ key: `${source} ${target}`, kind, text: JSON.stringify(item) }),
    });
    const base = lines.filter(({ kind }) => kind === 'base').map(({ key }) => key);
    expect(base).toHaveLength(8);
    expect(base).toEqual(
      expect.arrayContaining([
        `${BORROWER} ${BORROWER}`,
        `${BORROWER} CARD`,
        `${BORROWER} LOAN-BOOK-1`,
        `BORROWER-d KNOWS-${BORROWER}`,
        `BOOK-1 WROTE-${BORROWER}`,
      ]),
    );
    expect(base.some((key) => key.startsWith('BORROWER-d SECRET-#'))).toBe(true);
    const view = lines.find(({ key }) => key === 'BOOK-1 ~view')!;
    expect(view.text).toContain('Ada');
    expect(view.text).not.toContain('Bob');
    const mention = lines.find(({ key }) => key === 'BOOK-2 BOOK-2')!;
    expect(mention.text).toContain('ownedBy');
    expect(mention.text).not.toContain('Private');
    expect(lines.filter(({ text }) => text.includes(other))).toEqual([]);
    expect(result.items.base).toBe(8);
    expect(result.items.derived).toBeGreaterThan(8);
    expect(result.isWhole).toBe(true);
  });

  it('finds nothing of a node that is not there', async () => {
    const { graph, store } = await libraryTable();
    const found: unknown[] = [];
    const id = 'BORROWER-nobody';
    const { items } = await exportSubject(graph, { store, id, onItem: (item) => void found.push(item) });
    expect(found).toEqual([]);
    expect(items).toEqual({ base: 0, derived: 0, entry: 0, mention: 0 });
  });
});
