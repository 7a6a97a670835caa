import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../src/core/store-port.ts';
import { check } from '../../src/trust/check/check.ts';
import { checkExport } from '../../src/trust/check/export/export.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { bookGraph } from '../support/book-graph.ts';
import { driftOf } from '../support/checked-table.ts';
import { copiedTable } from '../support/copied-table.ts';
import { writeExport } from '../support/export.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

type Table = Awaited<ReturnType<typeof copiedTable>>;

const REVERSE = { source: 'AUTHOR-1', target: '~rev/WROTE-BOOK-1' };
const EDGE = 'WROTE-AUTHOR-1';
const STALE_VIEW = [{ source: 'BOOK-1', target: '~view' }, 'stale'] as const;
const EXPIRY = { expiresAt: { N: '9999999999' } };

function withCopies(item: Item, change: (copies: Item) => Item): Item {
  const copies = item['copies'] !== undefined && 'M' in item['copies'] ? item['copies'].M : {};
  return { ...item, copies: { M: change(copies) } };
}

/** Gives the view of a book a copy. */
function withCopy({ corrupt }: Table, edge: string, name: string): Promise<void> {
  return corrupt('BOOK-1', '~view', (item) =>
    withCopies(item, (copies) => ({ ...copies, [edge]: { M: { name: { S: name } } } })),
  );
}

function withReverse({ corrupt }: Table, change: (item: Item) => Item): Promise<void> {
  return corrupt(REVERSE.source, REVERSE.target, change);
}

/** An item of the author that is put by hand. */
function planted(target: string, verdict: string, fields: Item): (typeof CORRUPTIONS)[string] {
  const at = { source: 'AUTHOR-1', target };
  const item = { source: { S: at.source }, target: { S: target }, r: { N: '4' }, ...fields };
  return [at, verdict, ({ store }) => store.put(item)];
}

/** Ways to break what other partitions decide; each has to be found as this and nothing else. */
const CORRUPTIONS: Record<string, [at: ItemKey, verdict: string, plant: (table: Table) => Promise<unknown>]> = {
  'a copy that is missing': [
    ...STALE_VIEW,
    ({ corrupt }) => corrupt('BOOK-1', '~view', (item) => withCopies(item, ({ [EDGE]: _, ...others }) => others)),
  ],
  'a stale copy': [...STALE_VIEW, (table) => withCopy(table, EDGE, 'Another')],
  'a copy whose edge is gone': [...STALE_VIEW, (table) => withCopy(table, 'WROTE-AUTHOR-OF2', 'Author 2')],
  'a copy of a node that is gone': [
    ...STALE_VIEW,
    async (table) => {
      await table.writer.deleteNode('AUTHOR-OF1');
      await table.deliver();
      await withCopy(table, 'WROTE-AUTHOR-OF1', 'Author 1');
    },
  ],
  'copies that are no map': [
    ...STALE_VIEW,
    ({ corrupt }) => corrupt('BOOK-1', '~view', (item) => ({ ...item, copies: { S: 'First' } })),
  ],
  'a reverse item that is missing': [REVERSE, 'missing', ({ store }) => store.delete(REVERSE)],
  'a reverse item that is buried': [
    REVERSE,
    'missing',
    (table) => withReverse(table, ({ child: _, ...item }) => ({ ...item, ...EXPIRY })),
  ],
  'a reverse item that names another child': [
    REVERSE,
    'stale',
    (table) => withReverse(table, (item) => ({ ...item, child: { S: 'BOOK-2' } })),
  ],
  'a reverse item that expires': [REVERSE, 'stale', (table) => withReverse(table, (item) => ({ ...item, ...EXPIRY }))],
  'a reverse item whose edge is gone': planted('~rev/WROTE-BOOK-99', 'orphan', { child: { S: 'BOOK-99' } }),
  'a reverse item that is named by a hash no edge has': planted(`~rev/WROTE-#${'0'.repeat(32)}`, 'orphan', {
    child: { S: 'BOOK-1' },
  }),
  'a tombstone of a reverse item that came back to life': [
    REVERSE,
    'orphan',
    async (table) => {
      await table.writer.deleteEdge('BOOK-1', 'WROTE', 'AUTHOR-1');
      await table.deliver();
      await withReverse(table, ({ expiresAt: _, ...item }) => ({ ...item, child: { S: 'BOOK-1' } }));
    },
  ],
  'a continuation that is stuck': planted('~more/WROTE', 'stale', { after: { S: '~rev/WROTE-BOOK-5' } }),
  'a continuation of a place that cannot be': planted('~more/WROTE', 'stale', { after: { N: '7' }, ...EXPIRY }),
};

describe('a check of copies', () => {
  it('costs a scan, and half a unit for each edge, reverse item and distinct parent', async () => {
    const books = 60;
    const { run, store } = await copiedTable(books);
    const { rcu } = await store.scan({ segment: 0, segments: 1 });
    const edges = 2 * books;
    const checked = await run({ segments: 1 });
    expect(checked.rcu - rcu).toBe(0.5 * (edges + edges + (books + 1)));
  });

  it.each(Object.entries(CORRUPTIONS))(
    'finds %s, and repairs it',
    async (_name, [{ source, target }, verdict, plant]) => {
      const table = await copiedTable(2);
      const { run, everything, deliver, copiesOf } = table;
      await plant(table);
      const before = await everything();
      expect(driftOf((await run()).findings)).toEqual([`${source} ${target} ${verdict}`]);

      const repair = await run({ mode: 'repair' });
      expect(repair.repaired).toBe(1);
      const after = await everything();
      const touched = [...after.keys()].filter((key) => after.get(key) !== before.get(key));
      expect(touched).toEqual([`${source} ${target}`]);

      // What is left of a fan-out that was stuck.
      await deliver();
      expect(driftOf((await run()).findings)).toEqual([]);
      expect(Object.keys(await copiesOf('BOOK-2')).sort()).toEqual(['WROTE-AUTHOR-1', 'WROTE-AUTHOR-OF2']);
    },
  );

  it('finds a reverse item from its edge alone, and a wrong copy from its view alone', async () => {
    const { run, store, corrupt } = await copiedTable(2);
    await store.delete(REVERSE);
    await corrupt('BOOK-2', '~view', ({ copies: _, ...item }) => item);
    expect(driftOf((await run({ sources: ['BOOK-1'] })).findings)).toEqual(['AUTHOR-1 ~rev/WROTE-BOOK-1 missing']);
    expect(driftOf((await run({ sources: ['BOOK-2'] })).findings)).toEqual(['BOOK-2 ~view stale']);
    expect((await run({ sources: ['AUTHOR-1'] })).findings).toEqual([]);
  });

  it('brings a change to the child that a fan-out missed for want of its reverse item', async () => {
    const { run, store, writer, deliver, copiesOf } = await copiedTable(2);
    await store.delete(REVERSE);
    await writer.putNode('AUTHOR-1', { name: 'Changed', birthYear: 1900 });
    await deliver();
    expect(driftOf((await run()).findings)).toEqual(['AUTHOR-1 ~rev/WROTE-BOOK-1 missing', 'BOOK-1 ~view stale']);
    await run({ mode: 'repair' });
    expect((await run()).findings).toEqual([]);
    expect((await copiesOf('BOOK-1'))[EDGE]).toMatchObject({ M: { name: { S: 'Changed' } } });
  });
});

describe('a fan-out', () => {
  it('on its way is pending, and no drift', async () => {
    const { run, writer, deliver } = await copiedTable(9);
    await writer.putNode('AUTHOR-1', { name: 'Changed', birthYear: 1900 });
    await deliver(1);
    // While the check waits, once for each of the two, the fan-out goes on, but not to its end.
    const wait = async (): Promise<void> => void (await deliver(1));
    const { findings } = await run({ sources: ['AUTHOR-1', 'BOOK-9'], wait });
    expect(driftOf(findings)).toEqual(['AUTHOR-1 ~more/WROTE pending', 'BOOK-9 ~view pending']);
    await deliver();
    expect((await run()).findings).toEqual([]);
  });

  it('that comes to its end while the check waits is nothing at all', async () => {
    const { run, writer, deliver } = await copiedTable(5);
    await writer.putNode('AUTHOR-1', { name: 'Changed', birthYear: 1900 });
    await deliver(1);
    const { findings, superseded } = await run({ wait: async () => void (await deliver()) });
    expect(findings).toEqual([]);
    expect(superseded).toBeGreaterThan(0);
  });

  it.each(['BOOK-5', 'AUTHOR-1'])(
    'that is begun anew at the place where it was is on its way too, told of %s',
    async (source) => {
      const { run, writer, deliver, deliverNewest } = await copiedTable(5);
      await writer.putNode('AUTHOR-1', { name: 'Changed', birthYear: 1900 });
      await deliver(1);
      let waits = 0;
      const wait = async (): Promise<void> => {
        waits += 1;
        if (waits > 3) return void (await deliver());
        await writer.putNode('AUTHOR-1', { name: `Changed ${waits} times`, birthYear: 1900 });
        await deliverNewest();
      };
      // Of the continuation and of the copy behind it.
      expect((await run({ sources: [source], wait })).findings).toEqual([]);
      expect(waits).toBe(4);
    },
  );

  it('that the consumer has not come to is pending', async () => {
    const { run, writer, deliver } = await copiedTable(5);
    await writer.putNode('AUTHOR-1', { name: 'Changed', birthYear: 1900 });
    const { drift, pending } = await run({ consumer: { appliedUpToMs: async () => 0 } });
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    expect(pending).toBeGreaterThan(5);
    await deliver();
    expect((await run({ consumer: { appliedUpToMs: async () => Date.now() + 1 } })).findings).toEqual([]);
  });

  it('that is stuck is drift with every copy that it left behind, and repair mends them and has it go on', async () => {
    const { run, writer, deliver, lose, copiesOf } = await copiedTable(6);
    await writer.putNode('AUTHOR-1', { name: 'Changed', birthYear: 1900 });
    await deliver(1);
    await lose();
    const stale = ['BOOK-3', 'BOOK-4', 'BOOK-5', 'BOOK-6'].map((book) => `${book} ~view stale`);
    expect(driftOf((await run()).findings)).toEqual(['AUTHOR-1 ~more/WROTE stale', ...stale]);
    const repair = await run({ mode: 'repair' });
    expect(repair.repaired).toBe(repair.drift.stale);
    for (let b = 1; b <= 6; b++) {
      expect((await copiesOf(`BOOK-${b}`))[EDGE]).toMatchObject({ M: { name: { S: 'Changed' } } });
    }
    expect(await deliver()).toBeGreaterThan(0);
    expect((await run()).findings).toEqual([]);
  });

  it('that is stuck goes on to all children where only its own partition is repaired', async () => {
    const { run, writer, deliver, lose, copiesOf } = await copiedTable(6);
    await writer.putNode('AUTHOR-1', { name: 'Changed', birthYear: 1900 });
    await deliver(1);
    await lose();
    expect((await run({ mode: 'repair', sources: ['AUTHOR-1'] })).repaired).toBe(1);
    await deliver();
    expect((await copiesOf('BOOK-6'))[EDGE]).toMatchObject({ M: { name: { S: 'Changed' } } });
    expect((await run()).findings).toEqual([]);
  });
});

it('a check stops when its time is over and goes on from its cursor, also with what other partitions decide', async () => {
  const { run, store, corrupt } = await copiedTable(3);
  await store.delete(REVERSE);
  await store.delete({ source: 'AUTHOR-OF3', target: '~rev/WROTE-BOOK-3' });
  await store.put({
    ...{ source: { S: 'AUTHOR-1' }, target: { S: '~more/WROTE' } },
    ...{ after: { S: '~rev/WROTE-BOOK-3' }, r: { N: '4' } },
  });
  await corrupt('BOOK-2', '~view', ({ copies: _, ...item }) => item);
  const whole = await run();
  expect(whole.drift).toEqual({ missing: 2, stale: 2, orphan: 0 });
  let result = await run({ remainingMs: () => 0 });
  const findings = [...result.findings];
  let namedItems = 0;
  for (let calls = 1; result.cursor !== undefined; calls++) {
    namedItems = Math.max(namedItems, result.cursor.items?.length ?? 0);
    let asked = 0;
    // Time for one page, or for one look at what is suspect, in each call.
    const remainingMs = (): number => (asked++ < 3 ? 1_000 : 0);
    result = await run({ remainingMs, resume: JSON.parse(JSON.stringify(result.cursor)) });
    findings.push(...result.findings);
    expect(calls).toBeLessThan(100);
  }
  expect(namedItems).toBeGreaterThan(0);
  expect(driftOf(findings)).toEqual(driftOf(whole.findings));
  expect(result).toMatchObject({ drift: whole.drift, baseItems: whole.baseItems });
});

it('a rebuild makes all copies and reverse items of a table that never had a consumer', async () => {
  const { store, graph } = await testTable(bookGraph(uniqueTableName()));
  const put = (source: string, target: string, attributes: Item = {}) =>
    store.put({ source: { S: source }, target: { S: target }, ...attributes });
  await put('AUTHOR-1', 'AUTHOR-1', { name: { S: 'First' } });
  for (let b = 1; b <= 5; b++) {
    await put(`BOOK-${b}`, `BOOK-${b}`);
    await put(`BOOK-${b}`, EDGE);
    await put(`BOOK-${b}`, 'WROTE-AUTHOR-GONE');
  }
  // The author's view; of each book a view, and a reverse item for each edge.
  expect((await check(graph, { store, mode: 'rebuild' })).repaired).toBe(1 + 5 * 3);
  const after = await check(graph, { store, graceMs: 10 });
  expect(after).toMatchObject({ drift: { missing: 0, stale: 0, orphan: 0 }, derivedItems: 16 });
  expect(await check(graph, { store, mode: 'rebuild' })).toMatchObject({ repaired: 0, wcu: 0 });
  const { item } = await store.get({ source: 'BOOK-5', target: '~view' }, { consistent: true });
  expect(item!['copies']).toEqual({ M: { [EDGE]: { M: { name: { S: 'First' } } } } });
});

it('a model that copies nothing any more has its copies and reverse items taken away', async () => {
  const { store, graph } = await copiedTable(2);
  const { edges, ...rest } = graph;
  const plain = { ...rest, edges: new Map([['WROTE', { ...edges.get('WROTE')!, copy: undefined }]]) } as typeof graph;
  expect((await check(plain, { store, graceMs: 10 })).drift).toEqual({ missing: 0, stale: 2, orphan: 4 });
  await check(plain, { store, mode: 'rebuild' });
  expect((await check(plain, { store, graceMs: 10 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
});

it('a check of an export leaves copies out', async () => {
  const { graph, store, corrupt } = await copiedTable(2);
  await store.delete(REVERSE);
  await corrupt('BOOK-1', '~view', (item) => withCopies(item, () => ({})));
  await corrupt('BOOK-2', '~view', ({ edgeSet: _, copies: _copies, ...item }) => item);
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-export-'));
  try {
    await writeExport(folder, (await store.scan({ segment: 0, segments: 1 })).items);
    const findings: Finding[] = [];
    await checkExport({ graph, folder, onFinding: (finding) => findings.push(finding) });
    expect(driftOf(findings)).toEqual(['BOOK-1 ~view stale', 'BOOK-2 ~view stale']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
