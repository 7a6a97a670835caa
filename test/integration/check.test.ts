import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { check } from '../../src/trust/check/check.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { checkedTable, driftOf } from '../support/checked-table.ts';

const VIEW = ['GOAL-G1', '~view'] as const;
const EDGE_ITEM = ['GOAL-G1', '~ix/GOALMEMBERSHIP-USER-U1'] as const;

/** Ways to break a derived item. */
const CORRUPTIONS: Record<string, readonly [...at: readonly [string, string], change: (item: Item) => Item]> = {
  'an element missing': [...VIEW, (item) => withSet(item, (set) => set.slice(1))],
  'an element too many': [
    ...VIEW,
    (item) => withSet(item, (set) => [...set, 'GOALMEMBERSHIP-USER-U9|memberRole=LEAD']),
  ],
  'an element that names no edge': [...VIEW, (item) => withSet(item, (set) => [...set, '%ZZ|nothing'])],
  'a wrong label': [...VIEW, (item) => withSet(item, (set) => set.map((one) => one.replace('LEAD', 'TEAM')))],
  'a set that is no set': [...VIEW, (item) => ({ ...item, edgeSet: { S: 'GOALMEMBERSHIP-USER-U1' } })],
  'a stale attribute of the node': [...VIEW, (item) => ({ ...item, attributes: { M: { title: { S: 'Another' } } } })],
  'a mark of a type that is not in the model': [...VIEW, (item) => ({ ...item, evicted: { SS: ['GONE'] } })],
  'a wrong rank': [...EDGE_ITEM, (item) => ({ ...item, gsi0sk: { S: '300-TEAM\u0000GOAL-G1' } })],
  'a wrong shard': ['USER-U1', '~ix/name', (item) => ({ ...item, gsi0pk: { S: 'USER.name#200' } })],
  'a stale value': ['USER-U1', '~ix/name', (item) => ({ ...item, gsi1value: { S: 'old@x.org' } })],
  'an index item turned into a tombstone': [
    ...EDGE_ITEM,
    ({ source, target, r }) => ({ source, target, r, expiresAt: { N: '9999999999' } }) as Item,
  ],
};

function withSet(item: Item, change: (set: string[]) => string[]): Item {
  const { edgeSet } = item;
  return { ...item, edgeSet: { SS: change((edgeSet as { SS: string[] }).SS) } };
}

describe('a check', () => {
  it('finds nothing in a table that is projected, for the price of a scan', async () => {
    const { run, store } = await checkedTable();
    let rcu = 0;
    for (let segment = 0; segment < 4; segment++) rcu += (await store.scan({ segment, segments: 4 })).rcu;
    const { findings, ...result } = await run();
    expect(findings).toEqual([]);
    expect(result).toMatchObject({ partitions: 6, baseItems: 24, drift: { missing: 0, stale: 0, orphan: 0 }, wcu: 0 });
    expect(result.cursor).toBeUndefined();
    expect(result.rcu).toBeCloseTo(rcu);
  });

  it.each(Object.entries(CORRUPTIONS).map(([name, [source, target, change]]) => ({ name, source, target, change })))(
    'finds $name, and repairs it',
    async ({ source, target, change }) => {
      const { run, corrupt, read, allRecords } = await checkedTable(2);
      const before = await read(source, target);
      await corrupt(source, target, change);
      const records = (await allRecords()).length;

      const { findings } = await run();
      const verdict = change(before)['expiresAt'] === undefined ? 'stale' : 'missing';
      expect(driftOf(findings)).toEqual([`${source} ${target} ${verdict}`]);

      const repair = await run({ mode: 'repair' });
      expect(repair.repaired).toBe(1);
      const { r: _r, ...after } = await read(source, target);
      const { r: _before, ...expected } = before;
      expect(sorted(after)).toEqual(sorted(expected));
      const again = await run();
      expect(again.findings).toEqual([]);
      // Repair writes derived items only.
      expect(await allRecords()).toHaveLength(records);
    },
  );

  it.each([
    ['an index item of an edge that is not there', 'GOAL-G1', '~ix/GOALMEMBERSHIP-USER-U9'],
    ['an index item of a type that left the model', 'GOAL-G1', '~ix/LIKES-USER-U1'],
    ['a search item of an attribute that is not searched', 'USER-U1', '~ix/nickname'],
    ['an index item named by a hash that no edge has', 'GOAL-G1', `~ix/#${'0'.repeat(32)}`],
    ['an index item of a partition without base items', 'GOAL-G9', '~ix/GOALMEMBERSHIP-USER-U1'],
  ])('finds %s, and repairs it', async (_name, source, target) => {
    const { run, store, read } = await checkedTable(1);
    const ghost = { gsi0pk: { S: 'GOALMEMBERSHIP-USER-U9' }, gsi0sk: { S: '500-LEAD\u0000GOAL-G1' } };
    await store.put({ source: { S: source }, target: { S: target }, r: { N: '3' }, ...ghost });
    expect(driftOf((await run()).findings)).toEqual([`${source} ${target} orphan`]);
    expect((await run({ mode: 'repair' })).repaired).toBe(1);
    const tombstone = await read(source, target);
    expect(Object.keys(tombstone).sort()).toEqual(['expiresAt', 'model', 'r', 'source', 'target']);
    expect(tombstone['r']).toEqual({ N: '4' });
    expect((await run()).findings).toEqual([]);
  });

  it('finds a derived item of no known kind, and deletes it', async () => {
    const { run, store } = await checkedTable(1);
    await store.put({ source: { S: 'GOAL-G1' }, target: { S: '~weird' }, anything: { S: 'x' } });
    expect(driftOf((await run()).findings)).toEqual(['GOAL-G1 ~weird orphan']);
    expect((await run({ mode: 'repair' })).repaired).toBe(1);
    const { item } = await store.get({ source: 'GOAL-G1', target: '~weird' }, { consistent: true });
    expect(item).toBeUndefined();
  });

  it('only says what it would mend in a dry run', async () => {
    const { run, corrupt, read } = await checkedTable(1);
    await corrupt('GOAL-G1', '~view', ({ edgeSet: _, ...item }) => item);
    const before = await read('GOAL-G1', '~view');
    const actions: string[] = [];
    const result = await run({ mode: 'plan', onRepair: (action) => actions.push(action) });
    expect(actions).toEqual(['would repair GOAL-G1 ~view']);
    expect(result).toMatchObject({ repaired: 0, wcu: 0, drift: { stale: 1 } });
    expect(await read('GOAL-G1', '~view')).toEqual(before);
  });

  it('warns of edges to nodes that do not exist and of types outside the model, and counts what is quarantined', async () => {
    const { run, writer, store, projectAll } = await checkedTable(1);
    await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'TEAM-NONE', { memberRole: 'TEAM' });
    await store.put({ source: { S: 'ALIEN-1' }, target: { S: 'ALIEN-1' } });
    await store.put({
      ...{ source: { S: 'GOAL-G1' }, target: { S: 'GOALMEMBERSHIP-USER-U1' } },
      memberRole: { S: 'NO SUCH ROLE' },
    });
    await projectAll();
    const { findings, ...result } = await run({ dangling: true });
    expect(result).toMatchObject({
      drift: { missing: 0, stale: 0, orphan: 0 },
      unknownTypes: [{ type: 'ALIEN', kind: 'node', items: 1, nearest: null }],
      ...{ dangling: 1, unknown: 1, quarantined: 1 },
    });
    expect(findings.filter(({ verdict }) => verdict === 'dangling').map(({ target }) => target)).toContain(
      'GOALMEMBERSHIP-TEAM-NONE',
    );
    expect(findings.find(({ verdict }) => verdict === 'quarantined')).toMatchObject({
      ...{ source: 'GOAL-G1', target: 'GOALMEMBERSHIP-USER-U1' },
      actual: expect.stringContaining('NO SUCH ROLE') as string,
    });
    expect(findings.find(({ verdict }) => verdict === 'unknown')).toMatchObject({
      ...{ source: 'ALIEN-1', actual: 'ALIEN' },
    });
  });

  it('writes the quarantine entries that are missing where it repairs, so that a redrive knows the items', async () => {
    const { run, graph, store, writer, projectAll } = await checkedTable(1);
    const edge = { source: { S: 'GOAL-G1' }, target: { S: 'GOALMEMBERSHIP-USER-U1' } };
    await store.put({ ...edge, memberRole: { S: 'NO SUCH ROLE' } });
    const found = async () => (await run()).findings.filter(({ verdict }) => verdict === 'quarantined');
    const [before] = await found();
    const actions: string[] = [];
    await run({ mode: 'plan', onRepair: (action) => actions.push(action) });
    expect(actions).toContain('would quarantine GOAL-G1 GOALMEMBERSHIP-USER-U1');
    expect(await redrive(graph, { store })).toMatchObject({ entries: 0 });
    await run({ mode: 'repair' });
    expect(await redrive(graph, { store })).toMatchObject({ entries: 1, left: 1 });
    expect(await found()).toEqual([{ ...before!, actual: `GOAL-G1 GOALMEMBERSHIP-USER-U1 - ${before!.actual}` }]);
    await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD', date: '2026-07-01' });
    await projectAll();
    expect(await redrive(graph, { store })).toMatchObject({ entries: 0 });
    expect((await run()).findings).toEqual([]);
  });

  it('calls pending what a consumer that is known to be behind has not seen', async () => {
    const { run, writer, projectAll } = await checkedTable(1);
    await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U8', { memberRole: 'LEAD', date: '2026-07-02' });
    const behind = await run({ consumer: { appliedUpToMs: async () => 0 } });
    expect(driftOf(behind.findings)).toEqual(['GOAL-G1 ~view pending']);
    expect(behind).toMatchObject({ pending: 1, drift: { missing: 0, stale: 0, orphan: 0 } });
    await projectAll();
    expect((await run({ consumer: { appliedUpToMs: async () => Date.now() + 1 } })).pending).toBe(0);
  });

  it('does not read the backlog of a consumer that is far behind item by item', async () => {
    const { run, store, graph } = await checkedTable(1);
    for (let g = 0; g < 200; g++) {
      const item = { source: { S: `GOAL-B${g}` }, target: { S: `GOAL-B${g}` }, title: { S: 'Backlog' } };
      await store.put(item);
    }
    const clean = await check(graph, { store, segments: 1, sources: ['GOAL-G1'], graceMs: 0 });
    expect(clean.drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    let asked = 0;
    const appliedUpToMs = async (): Promise<number> => {
      asked += 1;
      return Date.now() - 3_600_000;
    };
    const behind = await run({ consumer: { appliedUpToMs }, segments: 1 });
    expect(behind).toMatchObject({ pending: 200, drift: { missing: 0, stale: 0, orphan: 0 } });
    // The scan alone: half a unit for each 4 KB of a page.
    expect(behind.rcu).toBeLessThan(20);
    expect(asked).toBeLessThan(20);
  });

  it('counts an evicted type that has shrunk as maintenance, not as drift, and repair brings it back into the set', async () => {
    const { run, corrupt, read } = await checkedTable(1);
    const before = await read('GOAL-G1', '~view');
    const evicted = { SS: ['GOALMEMBERSHIP'] };
    await corrupt('GOAL-G1', '~view', ({ edgeSet: _, ...item }) => ({ ...item, evicted }));
    const found = { maintenance: 1, drift: { missing: 0, stale: 0, orphan: 0 }, pending: 0 };
    const { findings, ...result } = await run();
    expect(result).toMatchObject(found);
    expect(findings).toEqual([expect.objectContaining({ target: '~view', verdict: 'maintenance' })]);
    expect(await run({ mode: 'repair' })).toMatchObject({ ...found, repaired: 0 });
    expect(await run()).toMatchObject({ maintenance: 0, findings: [] });
    const { r: _earlier, ...expected } = sorted(before);
    const { r: _revision, fence: _fence, ...after } = sorted(await read('GOAL-G1', '~view'));
    expect(after).toEqual(expected);
    // Another difference beside it is drift.
    await corrupt('GOAL-G1', '~view', ({ edgeSet: _, ...item }) => ({ ...item, evicted, attributes: { M: {} } }));
    expect(await run()).toMatchObject({ maintenance: 0, drift: { stale: 1 } });
  });

  it('asks for no node that an edge names unless that is asked for', async () => {
    const { run, store } = await checkedTable(1);
    for (let i = 0; i < 300; i++) {
      const target = { S: `GOALMEMBERSHIP-TEAM-T${i}` };
      await store.put({ source: { S: 'ALIEN-1' }, target: { S: `GOALMEMBERSHIP-USER-N${i}` } });
      await store.put({ source: { S: 'GOAL-Q' }, target, memberRole: { S: 'TEAM' } });
    }
    const without = await run({ mode: 'plan' });
    const within = await run({ mode: 'plan', dangling: true });
    expect(without.dangling).toBe(0);
    expect(within.dangling).toBe(300);
    expect(within.rcu - without.rcu).toBeGreaterThan(100);
  });

  it('names the types that the model does not have, how many items they have, and what may be meant', async () => {
    const { run, store } = await checkedTable(1);
    for (const target of ['GOALMEMBERSIHP-USER-U1', 'GOALMEMBERSIHP-USER-U2', 'ELSE-USER-U1', 'lower']) {
      await store.put({ source: { S: 'GOAL-G1' }, target: { S: target } });
    }
    await store.put({ source: { S: 'GAOL-G1' }, target: { S: 'GOALSUBSCRIBER-USER-U1' } });
    await store.put({ source: { S: 'goal' }, target: { S: 'goal' } });
    await store.put({ source: { S: 'GOAL-G1' }, target: { S: 'USER-U1' } });
    const { unknown, unknownTypes } = await run({ segments: 1 });
    expect(unknown).toBe(7);
    expect(unknownTypes.sort((a, b) => (a.type < b.type ? -1 : 1))).toEqual([
      { type: 'ELSE', kind: 'edge', items: 1, nearest: null },
      { type: 'GAOL', kind: 'node', items: 1, nearest: 'GOAL' },
      { type: 'GOALMEMBERSIHP', kind: 'edge', items: 2, nearest: 'GOALMEMBERSHIP' },
      { type: 'USER', kind: 'edge', items: 1, nearest: null },
      { type: 'goal', kind: 'node', items: 1, nearest: 'GOAL' },
      { type: 'lower', kind: 'edge', items: 1, nearest: null },
    ]);
  });
});

/** An item with its sets in order. */
function sorted(item: Item): Item {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, 'SS' in value ? { SS: [...value.SS].sort() } : value]),
  );
}
