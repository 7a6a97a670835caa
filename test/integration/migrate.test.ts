import { describe, expect, it } from 'vitest';
import { check, redrive } from '../../src/admin.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { derive, edge, node, rank, source } from '../../src/core/model/schema.ts';
import type { ScanRequest, ScanSource } from '../../src/core/store-port.ts';
import { createSession, createWriter } from '../../src/index.ts';
import type { MigratePlace } from '../../src/migrate/walks/place.ts';
import { migratePlaceSchema } from '../../src/migrate/walks/place-schema.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { checkTools } from '../support/checked-table.ts';
import { evolvingTable, migratingTable, USERS } from '../support/migrating-table.ts';

/** The sources of the live items of a list, by their sort key. */
async function listedUnder(store: ScanSource, key: string): Promise<(string | undefined)[]> {
  const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
  const live = items.filter((item) => item['expiresAt'] === undefined && stringOf(item['target']) === key);
  return live.map(({ source }) => stringOf(source)).sort();
}

describe('a migration of a table', () => {
  it('that takes several projections away together waits once for all of them', async () => {
    const {
      narrow,
      wide,
      store,
      user,
      passLease,
      projectAll,
      migrate: run,
    } = await evolvingTable((table) => {
      const name = { shards: 2 };
      const wider = { name: { shards: 5 }, email: { project: ['name'], shards: 2 }, joined: { native: true } } as const;
      const team = { TEAM: node({ view: 'ALL' }) };
      return {
        narrow: defineGraph({ table, nodes: { USER: node({ view: 'ALL', search: { name } }) } }),
        wide: defineGraph({ table, nodes: { USER: node({ view: 'ALL', search: wider }), ...team } }),
      };
    });
    await run(narrow);
    await user(1);
    await run(wide);
    passLease();
    await projectAll();
    const { leftovers } = await run(narrow);
    expect(leftovers.map(({ kind, name }) => `${kind} ${name.split(/[@#]/)[0]}`).sort()).toEqual([
      'drop index:joined-target',
      'drop search:USER.email',
      'drop view:TEAM',
    ]);
    const { steps, ...undone } = await run(narrow, { action: leftovers });
    expect(undone).toMatchObject({ done: true, leftovers: [] });
    const count = (kind: string): number => steps.filter(({ step }) => step === kind).length;
    // The index goes first, by itself; one walk deletes the items of all others.
    expect([count('wait'), count('outlast'), count('delete')]).toEqual([1, 1, 2]);
    const { drift, unknown } = await check(narrow, { store, graceMs: 10 });
    expect({ drift, unknown }).toEqual({ drift: { missing: 0, stale: 0, orphan: 0 }, unknown: 0 });
  });

  it('deletes all of what is dropped, also behind a page whose last items it deleted', async () => {
    const { store, before, after, user, migrate: run, projectAll } = await migratingTable();
    await run(before);
    for (let i = 0; i < USERS; i++) await user(i);
    await projectAll();
    for (const limit of [1, 3]) {
      const short = Object.assign(withReplacedCalls(store, {}), {
        scan: (request: ScanRequest) => store.scan({ ...request, limit }),
      });
      const graph = limit === 1 ? after : before;
      expect(await run(graph, { store: short, segments: 2 })).toMatchObject({ done: true });
      await projectAll();
      const { drift } = await check(graph, { store, graceMs: 10 });
      expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    }
  });

  it('counts base edges of a type that no set lists while its count is not there', async () => {
    const { before: of, store, migrate: run, reader, projectAll } = await migratingTable();
    const graphWith = (degree: boolean) =>
      defineGraph({
        table: of.table.name,
        nodes: { USER: node({ view: 'ALL' }) },
        edges: {
          LIKES: edge({ from: 'USER', to: 'USER', edgeSet: false, degree, inbound: { orders: { gsi0: 'since' } } }),
        },
      });
    await run(graphWith(false));
    for (const id of ['U2', 'U3']) await store.put({ source: { S: 'USER-1' }, target: { S: `LIKES-USER-${id}` } });
    await projectAll();
    const session = createSession();
    await createWriter(graphWith(true), { store }).with(session).putEdge('USER-1', 'LIKES', 'USER-U4', {});
    expect(await reader(graphWith(true)).degree('USER-1', 'LIKES')).toBe(3);
    expect(await reader(graphWith(true)).with(session).degree('USER-1', 'LIKES')).toBe(3);
  });

  it('replaces views with a derived label by a model that does not have the function, and adds a search', async () => {
    const { before: of, store, user, migrate: run, reader } = await migratingTable();
    const table = of.table.name;
    const KNOWS = { from: 'USER', to: 'USER' } as const;
    const mark = derive(({ since }) => `since ${since}`);
    const labeled = {
      nodes: { USER: node({ view: 'ALL' }) },
      edges: { KNOWS: edge({ ...KNOWS, edgeSet: { mark } }) },
    };
    const without = defineGraph({
      table,
      nodes: { USER: node({ view: 'ALL', search: { name: { shards: 2 } } }) },
      edges: { KNOWS: edge(KNOWS) },
    });
    await user(1);
    await store.put({ source: { S: 'USER-1' }, target: { S: 'KNOWS-USER-2' }, since: { S: '2020' } });
    expect(await run(defineGraph({ table, ...labeled }))).toMatchObject({ done: true });
    expect(await run(without)).toMatchObject({ done: true });
    expect((await reader(without).getViews(['USER-1']))[0]?.edgeSet).toEqual([{ type: 'KNOWS', target: 'USER-2' }]);
    expect((await reader(without).search('USER.name').equals('name 1')).items).toHaveLength(1);
  });

  it('ends the fan-outs that nothing needs any more, and a repair those that a late writer leaves open', async () => {
    const nodes = { GOAL: node({ view: ['title'] }), USER: node({ view: ['name'] }) };
    const copying = (table: string): CompiledModel =>
      defineGraph({
        ...{ table, nodes },
        edges: {
          MEMBER: edge({
            ...{ from: 'GOAL', to: 'USER', copy: ['name'] },
            inbound: { orders: { gsi0: 'role', byGoal: source('title') } },
          }),
        },
      });
    const plain = (table: string): CompiledModel =>
      defineGraph({
        ...{ table, nodes },
        edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: 'role' } } }) },
      });
    const {
      before,
      after,
      store,
      migrate: run,
    } = await evolvingTable((table) => ({
      before: copying(table),
      after: plain(table),
    }));
    const open: [source: string, target: string, place: string][] = [
      ['USER-1', '~more/MEMBER', '~rev/MEMBER-GOAL-1'],
      ['GOAL-1', '~more/#source/MEMBER', 'MEMBER-USER-1'],
    ];
    const begin = async () => {
      for (const [source, target, place] of open)
        await store.put({
          source: { S: source },
          target: { S: target },
          after: { S: place },
          r: { N: '7' },
        });
    };
    const items = async () =>
      (
        await store.getMany(
          open.map(([source, target]) => ({ source, target })),
          { consistent: true },
        )
      ).items;
    const ended = open.map(([source, target]) => {
      const expiry = { [after.table.ttl]: { N: expect.any(String) as string } };
      return { source: { S: source }, target: { S: target }, r: { N: '8' }, ...expiry };
    });
    const look = async (mode: 'report' | 'repair') => {
      const findings: Finding[] = [];
      await check(after, { store, mode, graceMs: 10, onFinding: (finding) => findings.push(finding) });
      return findings.map(({ source, target, verdict }) => `${source} ${target} is ${verdict}`).sort();
    };
    await run(before);
    await begin();
    await run(before);
    expect(await items()).toMatchObject([{ r: { N: '7' } }, { r: { N: '7' } }]);
    await run(after);
    const [ofCopies, ofOrder] = await items();
    expect(ofCopies).toEqual(ended[0]);
    // Nothing has dropped the order yet.
    expect(ofOrder).toMatchObject({ r: { N: '7' } });
    await run(after, { action: { kind: 'drop', name: 'order:MEMBER.byGoal' } });
    expect(await items()).toEqual(ended);
    await begin();
    const found = ['GOAL-1 ~more/#source/MEMBER is orphan', 'USER-1 ~more/MEMBER is orphan'];
    expect(await look('report')).toEqual(found);
    expect(await look('repair')).toEqual(found);
    expect(await items()).toEqual(ended);
    expect(await look('report')).toEqual([]);
  });

  it('registers a table that was projected before, and settles what is missing and what is too much', async () => {
    const { store, before, after, user, migrate: run, reader, projectAll, allRecords } = await migratingTable();
    for (let i = 0; i < USERS; i++) await user(i);
    await projectAll();
    // A record that no consumer has projected, as after more than 24 hours without one.
    await store.delete({ source: 'USER-1', target: 'USER-1' });
    await user(USERS);
    expect(await allRecords()).not.toHaveLength(0);
    await expect(async () => {
      await run(before, { mostSteps: 1 });
      await reader(before).search('USER.name').all();
    }).rejects.toMatchObject({ code: 'projection-not-ready' });
    expect((await run(before)).done).toBe(true);
    const { items } = await reader(before).search('USER.name').all();
    expect(items).toHaveLength(USERS);
    expect(items.map(({ id }) => id)).not.toContain('USER-1');
    expect((await run(after)).done).toBe(true);
    expect((await reader(after).search('USER.email').all()).items).toHaveLength(USERS);
  });

  it('leaves no strays in the list of a node type, on a table that was projected before as in a later generation', async () => {
    const { listed, plain, migrate, projectAll, store } = await evolvingTable((of) => ({
      plain: defineGraph({ table: of, nodes: { A: node({ view: 'ALL', search: { name: { shards: 1 } } }) } }),
      listed: defineGraph({
        table: of,
        nodes: { A: node({ view: 'ALL', list: true, search: { name: { shards: 1 } } }) },
      }),
    }));
    const { run } = checkTools(listed, store);
    for (const id of ['A-0', 'A-1', 'A-2']) await store.put({ source: { S: id }, target: { S: id } });
    await projectAll();
    const stray = {
      ...{ source: { S: 'A-gone' }, target: { S: '~ix/' }, gsi0pk: { S: 'A.#1' }, gsi0sk: { S: '\u0000A-gone' } },
      r: { N: '1' },
    };
    await store.put(stray);
    await migrate(listed, { random: () => 0 });
    expect(await listedUnder(store, '~ix/')).toEqual(['A-0', 'A-1', 'A-2']);
    expect(await run()).toMatchObject({ findings: [], unregistered: 0, pending: 0 });
    await migrate(plain, { action: { kind: 'drop', name: 'list:A' } });
    await migrate(listed);
    expect(await listedUnder(store, '~ix/')).toEqual([]);
    expect(await listedUnder(store, '~ix/@2/')).toEqual(['A-0', 'A-1', 'A-2']);
    await store.put({ ...stray, target: { S: '~ix/@2/' } });
    expect(await run({ mode: 'repair' })).toMatchObject({ drift: { orphan: 1 }, repaired: 1 });
    expect(await run()).toMatchObject({ findings: [], unregistered: 0, pending: 0 });
  });
});

describe('a migration in many calls', () => {
  /** Migrates a table from the one model to the other in calls with the time for so many pages each. */
  async function inCalls(pagesACall: number) {
    const { store, before, after, user, migrate: run, reader, passLease } = await migratingTable();
    for (let i = 0; i < USERS; i++) await user(i);
    expect((await run(before)).done).toBe(true);
    passLease();
    let nowMs = Date.now();
    let pages = 0;
    const counting = Object.assign(withReplacedCalls(store, {}), {
      scan: (request: ScanRequest) => {
        pages += 1;
        return store.scan(request);
      },
    });
    const steps: string[] = [];
    const waits: number[] = [];
    let resume: MigratePlace | undefined;
    for (let calls = 1; ; calls++) {
      expect(calls).toBeLessThan(300);
      const begun = pages;
      const result = await run(after, {
        ...{ store: counting, segments: 4, waitsBetweenCalls: true, now: () => nowMs },
        serverTime: async () => nowMs,
        ...(resume && { resume }),
        remainingMs: () => (pages - begun < pagesACall ? 60_000 : 0),
        wait: async (milliseconds) => {
          if (milliseconds >= 30_000) throw new Error('a function that waits is billed');
        },
      });
      steps.push(...result.steps.map(({ step }) => step));
      if (result.place === undefined) {
        expect(result.done).toBe(true);
        expect((await reader(after).search('USER.email').all()).items).toHaveLength(USERS);
        expect((await check(after, { store, graceMs: 10 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
        return { steps, waits, calls, pages };
      }
      resume = migratePlaceSchema.parse(JSON.parse(JSON.stringify(result.place)));
      waits.push(result.waitSeconds!);
      nowMs += result.waitSeconds! * 1000;
      passLease();
    }
  }

  it('keeps its place within a walk, waits for no reader itself, and comes to what one call comes to', async () => {
    const many = await inCalls(1);
    const one = await inCalls(Number.POSITIVE_INFINITY);
    expect(many.calls).toBeGreaterThan(10);
    expect(many.steps).toEqual(one.steps);
    // No page is read twice.
    expect(many.pages).toBe(one.pages);
    expect(Math.max(...many.waits)).toBeGreaterThan(30);
    // Until every replica shows what was built, and until no reader uses what goes.
    expect(one.waits).toEqual([15, 35, 1205]);
  });

  it('begins a walk anew where its place is of another one, and refuses what is no place', async () => {
    const { store, before, after, user, migrate: run, reader } = await migratingTable();
    for (let i = 0; i < USERS; i++) await user(i);
    expect((await run(before)).done).toBe(true);
    const memory = { verified: [], reconciled: [], deleted: [], unused: [], shown: [], outlasted: [] };
    const walk = { name: 'backfill search:USER.email@7/1', at: { segments: 1, open: [] } };
    expect((await run(after, { store, resume: { version: 1, memory, walk } })).done).toBe(true);
    expect((await reader(after).search('USER.email').all()).items).toHaveLength(USERS);
    for (const place of [{}, 'x', { version: 2, memory }, { version: 1, memory: { ...memory, verified: [5] } }]) {
      expect(migratePlaceSchema.safeParse(place).success).toBe(false);
    }
  });
});

describe('an item that only an older generation cannot derive', () => {
  it('is left out of that one, and is no record of the quarantine, for writers, checks and readers', async () => {
    const graph = (name: string, roles: Record<string, number>, type: 'number' | 'string') =>
      defineGraph({
        table: name,
        nodes: {
          GOAL: node({
            view: 'ALL',
            search: { role: { attribute: rank('role', roles), shards: 1 }, size: { type, shards: 1 } },
          }),
          USER: node({ view: 'ALL' }),
        },
        edges: {
          MEMBER: edge({
            from: 'GOAL',
            to: 'USER',
            inbound: { orders: { gsi0: rank('role', roles), byGoal: rank(source('role'), roles) } },
          }),
        },
      });
    const table = await evolvingTable((name) => ({
      before: graph(name, { LEAD: 2 }, 'number'),
      after: graph(name, { LEAD: 2, HELP: 1 }, 'string'),
    }));
    const { before, after, migrate, store, projectAll, reader } = table;
    await migrate(before);
    const put = async (id: string, role: string, size: Item[string]) => {
      const attributes = { role: { S: role }, size };
      await store.put({ source: { S: `GOAL-${id}` }, target: { S: `GOAL-${id}` }, ...attributes });
      await store.put({ source: { S: `GOAL-${id}` }, target: { S: 'MEMBER-USER-1' }, ...attributes });
      return await projectAll();
    };
    const found = async (graph: typeof before) => {
      const { search, inbound } = reader(graph);
      const sources = async (order: 'gsi0' | 'byGoal') =>
        (await inbound('USER-1', 'MEMBER', { order })).items.map(({ source }) => source);
      const hits = (await search('GOAL.role').all()).items.map(({ id }) => id);
      return [
        hits,
        (await search('GOAL.size').all()).items.map(({ id }) => id),
        await sources('gsi0'),
        await sources('byGoal'),
      ];
    };
    expect(await put('old', 'LEAD', { N: '1' })).toMatchObject({ quarantined: 0 });
    // No generation knows it.
    expect(await put('bad', 'HELP', { S: 'large' })).toMatchObject({ quarantined: 2 });
    await migrate(after, { mostSteps: 2 });
    expect(await put('new', 'HELP', { S: 'large' })).toMatchObject({ quarantined: 0 });
    expect(await put('worse', 'NOBODY', { S: 'large' })).toMatchObject({ quarantined: 2 });
    await expect(migrate(after)).rejects.toMatchObject({ code: 'items-left-out' });
    await migrate(after, { acceptLeftOut: true });
    expect(await put('late', 'HELP', { S: 'large' })).toMatchObject({ quarantined: 0 });
    expect(await found(before)).toEqual(Array.from({ length: 4 }, () => ['GOAL-old']));
    const helpers = ['GOAL-bad', 'GOAL-late', 'GOAL-new', 'GOAL-old'];
    const byRole = await found(after);
    expect(byRole.map((ids) => [...ids].sort())).toEqual([
      helpers,
      ['GOAL-bad', 'GOAL-late', 'GOAL-new', 'GOAL-worse'],
      helpers,
      helpers,
    ]);
    await reader(before).waitForProjection('GOAL-new', { timeoutMs: 5_000 });
    // The migration itself has written the entry of the old one, which no record has touched.
    expect(await redrive(after, { store })).toMatchObject({ entries: 5, repaired: 2, left: 3 });
    const quarantined: string[] = [];
    const onFinding = ({ source, verdict }: Finding) => quarantined.push(`${source} ${verdict}`);
    const { drift } = await check(after, { store, graceMs: 10, onFinding });
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    // The size of the old one is no text, which is what the newest model wants.
    expect([...new Set(quarantined)].sort()).toEqual(['GOAL-old quarantined', 'GOAL-worse quarantined']);
  });
});
