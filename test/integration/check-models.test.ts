import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CheckOptions, check } from '../../src/admin.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, part } from '../../src/core/model/schema.ts';
import { modelToCheck } from '../../src/registry/checked.ts';
import { parseCursor } from '../../src/trust/check/cursor.ts';
import { checkExport } from '../../src/trust/check/export/export.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { checkTools } from '../support/checked-table.ts';
import { writeExport } from '../support/export.ts';
import { evolvingTable, migratingTable, USERS } from '../support/migrating-table.ts';

const NO_DRIFT = { missing: 0, stale: 0, orphan: 0 };

/** A registered table with users and memberships, and a check of it. */
async function checkedTable() {
  const table = await migratingTable();
  const { store, before, user, migrate, projectAll } = table;
  await migrate(before);
  for (let i = 0; i < USERS; i++) await user(i);
  for (let i = 0; i < 3; i++) {
    await store.put({ source: { S: 'GOAL-1' }, target: { S: `MEMBER-USER-${i}` }, role: { S: 'LEAD' } });
  }
  await store.put({ source: { S: 'GOAL-1' }, target: { S: 'GOAL-1' }, title: { S: 'goal' } });
  await projectAll();
  const run = (options: Partial<CheckOptions> = {}, graph: CompiledModel = before) =>
    checkTools(graph, store).run(options);
  const read = async (source: string, target: string) =>
    (await store.get({ source, target }, { consistent: true })).item;
  return { ...table, run, read };
}

/** A live item of a search or an edge, by hand. */
function indexItem(source: string, target: string, fields: Item): Item {
  return { source: { S: source }, target: { S: target }, r: { N: '1' }, ...fields };
}

describe('a check beside a change of the model', () => {
  it('tells nothing of what the registry has moved while it ran, and mends none of it', async () => {
    const { store, before, after, migrate, run, read, reader } = await checkedTable();
    await store.delete({ source: 'USER-1', target: '~ix/name' });
    await store.delete({ source: 'GOAL-1', target: '~ix/MEMBER-USER-1' });
    // Each second look comes when the shards have changed: the first generation of the search is gone. Two partitions may wait apart.
    let migrating: ReturnType<typeof migrate> | undefined;
    const wait = async () => {
      migrating ??= migrate(after);
      expect((await migrating).done).toBe(true);
    };
    const { drift, repaired, findings } = await run({ mode: 'repair', wait });
    expect(migrating).toBeDefined();
    expect(findings.map(({ target, verdict, actual }) => [target, verdict, actual]).sort()).toEqual([
      ['~degree/MEMBER', 'stale', 'a count of 3'],
      ['~ix/MEMBER-USER-1', 'missing', null],
      ['~ix/name', 'pending', 'the registry has changed since the check began; the next check looks again'],
    ]);
    expect({ drift, repaired }).toEqual({ drift: { missing: 1, stale: 1, orphan: 0 }, repaired: 2 });
    expect(await read('USER-1', '~ix/name')).toBeUndefined();
    expect(await run()).toMatchObject({ findings: [], pending: 0 });
    expect((await reader(before).search('USER.name').all()).items).toHaveLength(USERS);
  });

  it('brings nothing back that the registry gave up between the second look and the repair', async () => {
    const { store, after, migrate, run, read } = await checkedTable();
    await store.delete({ source: 'USER-1', target: '~ix/name' });
    const model = modelToCheck(after, store);
    let calls = 0;
    let hasMoved = false;
    const { repaired } = await run({
      mode: 'repair',
      // It is asked when the check begins, when drift is confirmed, and before it is mended.
      model: {
        current: async () => {
          calls += 1;
          if (calls === 3) hasMoved = (await migrate(after)).done;
          return await model.current();
        },
      },
    });
    expect({ hasMoved, repaired }).toEqual({ hasMoved: true, repaired: 0 });
    expect(await read('USER-1', '~ix/name')).toBeUndefined();
  });

  it('goes on from its cursor, and tells once what is on its way', async () => {
    const { after, migrate, run } = await checkedTable();
    await migrate(after, { mostSteps: 1 });
    let pages = 0;
    const first = await run({ segments: 4, remainingMs: () => (pages++ < 1 ? 1_000 : 0) });
    expect(first.findings).toHaveLength(2);
    const resume = parseCursor(JSON.parse(JSON.stringify(first.cursor)));
    const { findings, pending, changing } = await run({ resume });
    expect({ findings, pending }).toEqual({ findings: [], pending: 2 });
    expect(changing.map(({ name }) => name)).toEqual(['search:USER.name@2', 'search:USER.email@2']);
    // Of workers that share a check the one with the first part tells it.
    expect((await run({ segments: 4, onlySegments: [1, 2] })).pending).toBe(0);
    expect((await run({ segments: 4, onlySegments: [0, 3] })).pending).toBe(2);
  });
});

describe('a check of a table whose registry has retired something', () => {
  it('finds no view after --drop of a type, deletes what is planted of one, and leaves the nodes', async () => {
    const { before, store, migrate, run, read } = await checkedTable();
    const graph = defineGraph({
      table: before.table.name,
      nodes: { USER: node({ view: 'ALL', search: { name: { shards: 2 } } }) },
      edges: {},
    });
    const view = (await read('GOAL-1', '~view'))!;
    const { steps, done } = await migrate(graph, { action: { kind: 'drop', name: 'view:GOAL' } });
    expect(done).toBe(true);
    expect(steps.map(({ step, projection }) => `${step} ${projection}`)).toEqual([
      ...['withdraw view:GOAL@1', 'wait view:GOAL@1', 'retire view:GOAL@1'],
      ...['outlast view:GOAL@1', 'delete view:GOAL@1', 'forget view:GOAL@1'],
    ]);
    expect(await read('GOAL-1', '~view')).toBeUndefined();
    expect(await read('USER-1', '~view')).toBeDefined();
    expect(await read('GOAL-1', 'GOAL-1')).toBeDefined();
    expect(await run({}, graph)).toMatchObject({ findings: [], drift: NO_DRIFT, changing: [] });

    await store.put(view);
    expect((await run({}, graph)).findings).toMatchObject([{ source: 'GOAL-1', target: '~view', verdict: 'orphan' }]);
    expect(await run({ mode: 'repair' }, graph)).toMatchObject({ repaired: 1 });
    expect(await read('GOAL-1', '~view')).toBeUndefined();
    // The same drop again means the same, and has nothing left to do.
    expect(await migrate(graph, { action: { kind: 'drop', name: 'view:GOAL' } })).toMatchObject({
      steps: [],
      done: true,
    });
  });

  it('deletes nothing that was written since it was looked at', async () => {
    const { before, store, migrate, run, read } = await checkedTable();
    await migrate(before, { action: { kind: 'drop', name: 'search:USER.name' } });
    const garbage = (r: string) => indexItem('USER-1', '~ix/name', { value: { S: 'x' }, r: { N: r } });
    await store.put(garbage('1'));
    let waits = 0;
    const { findings } = await run({
      mode: 'repair',
      wait: async () => {
        waits += 1;
        if (waits === 1) await store.delete({ source: 'USER-1', target: '~ix/name' });
        if (waits === 1) await store.put({ ...garbage('2'), expiresAt: { N: '99999999999' }, value: { S: 'y' } });
      },
    });
    // A revision that has moved is looked at again; a tombstone would have been left to TTL.
    expect(findings).toMatchObject([{ verdict: 'orphan' }]);
    expect(await read('USER-1', '~ix/name')).toBeUndefined();
    await store.put({
      ...{ source: { S: 'USER-1' }, target: { S: '~ix/name' }, r: { N: '3' } },
      expiresAt: { N: '99999999999' },
    });
    expect(await run({ mode: 'repair' })).toMatchObject({ findings: [], repaired: 0 });
    expect(await read('USER-1', '~ix/name')).toBeDefined();
  });

  it('leaves tombstones that are named by a hash, whose nothing tells', async () => {
    const { after, store, migrate, run, read } = await checkedTable();
    await migrate(after);
    const target = '~ix/@2/#0123456789abcdef0123456789abcdef';
    await store.put({
      ...{ source: { S: 'GOAL-1' }, target: { S: target }, r: { N: '3' } },
      expiresAt: { N: '99999999999' },
    });
    expect(await run({ mode: 'repair' })).toMatchObject({ findings: [], repaired: 0 });
    expect(await read('GOAL-1', target)).toBeDefined();
  });
});

describe('types of base items on a table with a registry', () => {
  const declared = (table: string) => {
    const edges = { NOTED: edge({ from: 'GOAL', to: 'USER', edgeSet: false }) };
    const nodes = { GOAL: node({ view: 'ALL', parts: { STATE: part() } }), USER: node({ view: 'ALL' }) };
    return {
      model: defineGraph({ table, nodes, edges }),
      more: defineGraph({ table, nodes: { ...nodes, TEAM: node({ view: 'ALL' }) }, edges }),
      next: defineGraph({ table, nodes: { ...nodes, USER: node({ view: ['name'] }) }, edges }),
    };
  };
  const ITEMS = [
    ['GOAL-1', 'GOAL-1'],
    ['GOAL-1', 'NOTED-USER-1'],
    ['GOAL-1', 'STATE'],
    ['USER-1', 'USER-1'],
  ] as const;

  it('are known where nothing is projected from them: an edge type, a part, a node type whose views are being built', async () => {
    const { store, model, next, more, migrate, projectAll } = await evolvingTable(declared);
    await migrate(model);
    const { notes } = await explain(more, { key: { source: 'TEAM-1', target: 'TEAM-1' }, store });
    expect(notes[1]).toMatch(/^The table's registry does not have the item's types yet/);
    for (const [source, target] of ITEMS) await store.put({ source: { S: source }, target: { S: target } });
    await store.put({ source: { S: 'GOAL-1' }, target: { S: 'ALIEN-USER-1' } });
    await projectAll();
    for (let step = 1, isDone = false; !isDone; step++) {
      ({ done: isDone } = await migrate(next, { mostSteps: step }));
      await projectAll();
      const found = await check(next, { store, graceMs: 10 });
      expect(found).toMatchObject({ drift: NO_DRIFT, unknown: 1, unknownTypes: [{ type: 'ALIEN' }], unregistered: 0 });
      for (const [source, target] of ITEMS) {
        const { notes } = await explain(next, { key: { source, target }, store });
        expect(notes.filter((note) => note.includes('declares no'))).toEqual([]);
      }
    }
  });
});

describe('a check that meets what the registry does not know', () => {
  it('reports it, and neither repair nor rebuild touches it', async () => {
    const { store, run, read } = await checkedTable();
    const view = (await read('GOAL-1', '~view'))!;
    const planted = [
      indexItem('USER-1', '~ix/@9/name', { value: { S: 'x' } }),
      indexItem('USER-1', '~ix/ghost', { value: { S: 'x' } }),
      indexItem('GOAL-1', '~ix/@3/MEMBER-USER-1', { counted: { S: '@3/MEMBER' } }),
      indexItem('GOAL-1', '~degree/@3/MEMBER', { count: { N: '1' } }),
      indexItem('GOAL-1', '~ix/#byGhost/MEMBER-USER-1', { gsi0pk: { S: 'byGhost/MEMBER-USER-1' } }),
      indexItem('USER-1', '~rev/@2/MEMBER-GOAL-1', { child: { S: 'GOAL-1' } }),
      { ...view, model: { S: '@7' } },
    ];
    for (const item of planted) await store.put(item);
    const found = await run();
    expect(found).toMatchObject({ unregistered: planted.length, drift: NO_DRIFT, unknown: 0, unknownTypes: [] });
    const actual = found.findings.map((finding) => finding.actual ?? '');
    expect(actual.map((text) => text.slice(0, text.indexOf(','))).sort()).toEqual([
      'an item of MEMBER@2',
      'an item of inbound:MEMBER@3',
      'an item of inbound:MEMBER@3',
      'an item of order:MEMBER.byGhost@1',
      'an item of search:USER.ghost@1',
      'an item of search:USER.name@9',
      'an item of view:GOAL@7',
    ]);
    for (const mode of ['repair', 'rebuild'] as const) {
      expect(await run({ mode })).toMatchObject({ repaired: 0, wcu: 0 });
      for (const item of planted) {
        expect(await read((item['source'] as { S: string }).S, (item['target'] as { S: string }).S)).toEqual(item);
      }
    }
  });

  it('survives a key whose name no search can have', async () => {
    const { store, run } = await checkedTable();
    await store.put(indexItem('USER-1', '~ix/%zz', { value: { S: 'x' } }));
    expect(await run({ mode: 'repair' })).toMatchObject({ drift: { orphan: 1 }, repaired: 1 });
    expect(await run()).toMatchObject({ findings: [] });
  });
});

describe('views of another shape than the registry names', () => {
  it('are maintenance, whatever they hold, and repair makes them anew', async () => {
    const { store, run, read } = await checkedTable();
    const view = (await read('GOAL-1', '~view'))!;
    const { model: _, ...unstamped } = (await read('USER-1', '~view'))!;
    await store.put({ ...view, model: { S: 'cafe1234' }, attributes: { M: { title: { S: 'old' } } } });
    await store.put(unstamped);
    const found = await run();
    expect(found).toMatchObject({ maintenance: 2, drift: NO_DRIFT });
    expect(found.findings.map(({ source, actual }) => `${source}: ${actual}`).sort()).toEqual([
      'GOAL-1: a view of another shape: {"S":"cafe1234"}',
      'USER-1: a view of another shape: no stamp',
    ]);
    expect(await run({ mode: 'repair' })).toMatchObject({ maintenance: 2, repaired: 0 });
    expect(await run()).toMatchObject({ findings: [] });
    expect(await read('GOAL-1', '~view')).toMatchObject({ model: { S: '@1' }, attributes: view['attributes'] });
  });
});

describe('a check of an export', () => {
  it('goes by the registry that the export holds', async () => {
    const { store, before, after, migrate, projectAll, user } = await checkedTable();
    const folder = await mkdtemp(join(tmpdir(), 'edgeloom-export-'));
    try {
      await migrate(after, { mostSteps: 1 });
      await user(USERS);
      await projectAll();
      await store.put(indexItem('USER-1', '~ix/@9/name', { value: { S: 'x' } }));
      await store.delete({ source: 'USER-2', target: '~ix/name' });
      const { items } = await store.scan({ segment: 0, segments: 1 });
      await writeExport(folder, [...items].reverse());
      // The table has moved on since: what the export holds is right all the same.
      await migrate(after);
      const findings: Finding[] = [];
      const result = await checkExport({ graph: before, folder, onFinding: (finding) => findings.push(finding) });
      expect(result).toMatchObject({ drift: { ...NO_DRIFT, missing: 1 }, unregistered: 1, pending: 2 });
      expect(result.changing).toEqual([
        expect.objectContaining({ name: 'search:USER.name@2', items: 1 }),
        expect.objectContaining({ name: 'search:USER.email@2', items: 1 }),
      ]);
      expect(result.suspects).toEqual(['USER-1', 'USER-2']);
      expect(findings.map(({ verdict }) => verdict).sort()).toEqual(['missing', 'pending', 'pending', 'unregistered']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
