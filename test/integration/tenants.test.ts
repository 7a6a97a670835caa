import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check, importFile, migrate, serverTime, tableIdentity } from '../../src/admin.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { hashedSortKey } from '../../src/core/items/hashed-key.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import { derive, edge, node } from '../../src/core/model/schema.ts';
import { type CompiledModel, createReader, defineGraph, type Reader, type Writer } from '../../src/index.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { runTenants } from '../simulator/packs/tenants/schedule.ts';
import { evolvingTable } from '../support/migrating-table.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

function modelOf(table: string, tenantSeparator?: string) {
  return defineGraph({
    table,
    ...(tenantSeparator !== undefined && { tenantSeparator }),
    nodes: {
      USER: node({
        view: ['name'],
        search: {
          inTenant: derive((user: Record<string, unknown>, { source }) => `${source.split('.')[0]} ${user['name']}`),
        },
      }),
    },
    edges: {
      FRIEND: edge({
        ...{ from: 'USER', to: 'USER', degree: true, copy: ['iban'] },
        inbound: { orders: { gsi0: 'since', byKind: 'kind' }, total: {}, groupBy: ['kind'] },
      }),
      SECRET: edge({ from: 'USER', to: 'USER', keys: 'hashed', inbound: { orders: { gsi0: 'since' } } }),
    },
  } as never) as CompiledModel;
}

const FROM = 'USER-acme.1';
const TO = 'USER-other.1';

describe('an edge between tenants', () => {
  it.each(['FRIEND', 'SECRET'])('of the type %s is refused by every way in', async (type) => {
    const graph = modelOf(uniqueTableName(), '.');
    const { store } = await testTable(graph);
    const writer = createWriter(graph, { store }) as Writer<CompiledModel>;
    const sortKey = type === 'SECRET' ? hashedSortKey(type, TO) : `${type}-${TO}`;
    const file = join(await mkdtemp(join(tmpdir(), 'edgeloom-tenants-')), 'items.jsonl');
    const plain = { source: FROM, target: sortKey, since: '2020', ...(type === 'SECRET' && { targetId: TO }) };
    await writeFile(file, JSON.stringify(plain));
    const refused = expect.objectContaining({ code: 'edge-between-tenants' });
    const ways: [string, () => Promise<unknown>][] = [
      ['putEdge', () => writer.putEdge(FROM, type, TO, { since: '2020' })],
      ['updateEdge', () => writer.updateEdge(FROM, type, TO, () => ({ since: '2020' }), { upsert: true })],
      ['deleteEdge', () => writer.deleteEdge(FROM, type, TO)],
    ];
    for (const [name, run] of ways) await expect(run(), name).rejects.toEqual(refused);
    const told = /edge type [A-Z]+ leaves a node of tenant "acme", and enters one of tenant "other"/;
    const several: [string, () => Promise<unknown>][] = [
      ['batch', () => writer.batch((batch) => batch.putEdge(FROM, type, TO, { since: '2020' }))],
      ['transact', () => writer.transact((all) => all.putEdge(FROM, type, TO, { since: '2020' }))],
      ['putMany', () => writer.putMany([{ source: FROM, type, target: TO, attributes: { since: '2020' } }])],
      ['import', () => importFile(graph, { store, file })],
    ];
    for (const [name, run] of several) {
      const error = await run().then(
        () => undefined,
        (failure: unknown) => failure,
      );
      expect(JSON.stringify(error) + String(error), name).toMatch(told);
    }
    const { items } = await store.query({ partition: FROM, consistent: true });
    expect(items).toEqual([]);
  });

  it('that another program writes is quarantined by its code, and asks for nothing', async () => {
    const graph = modelOf(uniqueTableName(), '.');
    const { store, projectAll } = await testTable(graph);
    await store.put({ source: { S: TO }, target: { S: TO }, name: { S: 'Ada' }, iban: { S: 'DE1' } });
    for (const target of [`FRIEND-${TO}`, hashedSortKey('SECRET', TO), 'FRIEND-USER-2']) {
      const put = {
        source: { S: FROM },
        target: { S: target },
        since: { S: '2020' },
        kind: { S: 'k' },
        targetId: { S: TO },
      };
      await store.put(put);
    }
    const result = await projectAll();
    expect(result.quarantines).toMatchObject([{ code: 'edge-between-tenants', count: 3 }]);
    const own = await store.query({ partition: FROM, sortKey: { from: '~' }, consistent: true });
    expect(own.items.map(({ target }) => (target as { S: string }).S.split('/')[0])).toEqual(
      Array(3).fill('~quarantine'),
    );
    const theirs = await store.query({ partition: TO, sortKey: { from: '~' }, consistent: true });
    expect(theirs.items.map(({ target }) => (target as { S: string }).S)).toEqual(['~ix/inTenant', '~view']);
    const findings: Finding[] = [];
    const { drift, quarantined } = await check(graph, {
      store,
      graceMs: 10,
      onFinding: (one) => void findings.push(one),
    });
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    expect(quarantined).toBe(3);
    const explained = await explain(graph, { key: { source: FROM, target: `FRIEND-${TO}` }, store });
    expect(JSON.stringify(explained)).toContain('enters one of tenant \\"other\\"');
    const reader = createReader(graph, { store }) as Reader;
    expect((await reader.edges(FROM)).items).toEqual([]);
    expect(await reader.has(FROM, 'FRIEND', TO)).toBe(false);
  });
});

describe('a table that gets tenants', () => {
  it('loses by the migration all that was derived of edges between them, and nothing else', async () => {
    const table = await evolvingTable((name) => ({ before: modelOf(name), after: modelOf(name, '.') }));
    const { store, before, after, migrate, projectAll, reader } = table;
    await migrate(before);
    const ids = [FROM, 'USER-acme.2', TO, 'USER-none'];
    for (const id of ids)
      await store.put({ source: { S: id }, target: { S: id }, name: { S: id }, iban: { S: `iban ${id}` } });
    const attributes = { since: { S: '2020' }, kind: { S: 'k' } };
    for (const source of ids)
      for (const target of ids) {
        await store.put({ source: { S: source }, target: { S: `FRIEND-${target}` }, ...attributes });
        const hashed = hashedSortKey('SECRET', target);
        await store.put({ source: { S: source }, target: { S: hashed }, targetId: { S: target }, ...attributes });
      }
    await projectAll();
    expect(await (reader(before) as Reader).degree(FROM, 'FRIEND')).toBe(4);
    expect((await migrate(after)).done).toBe(true);
    await projectAll();
    const now = reader(after) as Reader;
    for (const [id, sources] of [
      [FROM, [FROM, 'USER-acme.2']],
      [TO, [TO]],
      ['USER-none', []],
    ] as const) {
      for (const type of ['FRIEND', 'SECRET']) {
        const { items } = await now.inbound(id, type);
        expect(items.map(({ source }) => source).sort()).toEqual(sources);
      }
      expect((await now.total(id, 'FRIEND', { direction: 'inbound' })).count).toBe(sources.length);
      expect(await now.degree(id, 'FRIEND')).toBe(sources.length);
    }
    const { items } = await store.scan({ segment: 0, segments: 1, consistent: true });
    const live = items.filter(({ target, expiresAt }) => (target as { S: string }).S.startsWith('~rev/') && !expiresAt);
    expect(live.map(({ source, child }) => [source, child])).toHaveLength(5);
    const { drift } = await check(after, { store, graceMs: 10 });
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    const inAcme = items.filter(({ source }) => (source as { S: string }).S.startsWith('USER-acme.'));
    expect(JSON.stringify(inAcme)).not.toContain(`iban ${TO}`);
    expect(await migrate(before)).toMatchObject({ done: true });
    await projectAll();
    expect(await (reader(before) as Reader).degree(FROM, 'FRIEND')).toBe(4);
  });
});

/** `test/property/tenants.test.ts` has many of these attacks, on a plain table in memory. */
it('a tenant that attacks another one changes and learns nothing on a managed table', async () => {
  const ground = async (graph: CompiledModel) => {
    const named = withTableName(graph, uniqueTableName());
    const { client, store, projectAll } = await testTable(named);
    const { done } = await migrate(named, {
      ...{ store, ...(await tableIdentity(named, { client })) },
      serverTime: () => serverTime(named, { client }),
      wait: () => Promise.resolve(),
    });
    expect(done).toBe(true);
    return {
      store,
      async projectAll() {
        while ((await projectAll()).records > 0);
      },
    };
  };
  for (const seed of [3, 4]) expect(await runTenants(seed, ground)).toEqual([]);
});
