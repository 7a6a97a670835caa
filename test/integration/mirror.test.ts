import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { createSources } from '../../src/sources/create-sources.ts';
import { mappedEdge, mappedNode } from '../../src/sources/items.ts';
import { keyTextOfItem, type Source, type SourceKeys, sourceTable } from '../../src/sources/source.ts';
import { DynamoDBSourceStore } from '../../src/store/source-table.ts';
import { check } from '../../src/trust/check/check.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** A table of others, with a stream of its own, and ours beside it, on the engine of the tests. */

/** @param kept how our lists are kept: derived, or by DynamoDB itself. */
async function twoTables(kept: { native: true } | object = {}) {
  const app = await testTable(
    defineGraph({
      table: { name: uniqueTableName(), partitionKey: 'pk', sortKey: 'sk', ttl: 'ttl' },
      nodes: { X: node({ view: 'ALL' }) },
    }),
  );
  const ours = await testTable(
    defineGraph({
      table: uniqueTableName(),
      nodes: {
        ISSUE: node({ view: 'ALL', search: { subject: { project: 'ALL', ...kept } } }),
        REPO: node({ view: 'ALL' }),
      },
      edges: {
        IN_REPO: edge({
          from: 'ISSUE',
          to: 'REPO',
          keys: 'hashed',
          inbound: { orders: { byStatus: 'status' }, project: 'ALL', ...kept },
        }),
      },
      mirrored: ['ISSUE', 'REPO', 'IN_REPO'],
    }),
  );
  const { name } = app.graph.table;
  const source = sourceTable(name, {
    map({ kind, sk, repo, ...rest }) {
      if (kind === 'repo') return [mappedNode(`REPO-${sk}`, { name: rest['name'] })];
      if (kind !== 'issue') return [];
      const id = `ISSUE-${sk}`;
      return [
        mappedNode(id, { subject: rest['subject'] }),
        mappedEdge(id, 'IN_REPO', `REPO-${repo}`, { status: rest['status'] }),
      ];
    },
  }) as Source & { from: SourceKeys };
  const sources = createSources(ours.graph, {
    sources: [source],
    store: ours.store,
    openTable: () => new DynamoDBSourceStore(app.client, name),
    wait: async () => undefined,
  });
  let read = 0;

  /** Carries what the stream of the source has into our table, and what that has into the projections. */
  async function follow(): Promise<void> {
    const records = await app.rawRecords();
    const keys = records.slice(read).map(({ dynamodb }) => keyTextOfItem(source, dynamodb!.Keys!));
    await sources.touch(name, keys);
    read = records.length;
    while ((await ours.projectAll()).records > 0);
  }

  const put = (pk: string, sk: string, attributes: Item) =>
    app.store.put({ pk: { S: pk }, sk: { S: sk }, ...attributes });
  const sync = (options = {}) => sources.sync(name, options);
  return { app, ours, sync, follow, put, reader: createReader(ours.graph, { store: ours.store }) };
}

function issue(subject: string, repo: string, status = 'open'): Item {
  return { kind: { S: 'issue' }, subject: { S: subject }, repo: { S: repo }, status: { S: status } };
}

describe.each([
  ['derived', {}],
  ['native', { native: true }],
])('a table beside another, with lists that are %s', (_kind, kept) => {
  it('answers from what the other has, with no trace of the bookkeeping, and checks clean', async () => {
    const { app, ours, sync, follow, put, reader } = await twoTables(kept);
    await put('repo', 'r1', { kind: { S: 'repo' }, name: { S: 'one' } });
    await put('repo', 'r2', { kind: { S: 'repo' }, name: { S: 'two' } });
    await put('issue', '1', issue('broken', 'r1'));
    await put('other', 'x', { kind: { S: 'note' } });
    await follow();
    await put('issue', '1', issue('mended', 'r2', 'closed'));
    await put('issue', '2', issue('again', 'r2'));
    await app.store.delete({ source: 'repo', target: 'r1' });
    await follow();
    expect(
      (await reader.inbound('REPO-r2', 'IN_REPO')).items.map(({ source: of, attributes }) => [of, attributes]),
    ).toEqual([
      ['ISSUE-1', { status: 'closed' }],
      ['ISSUE-2', { status: 'open' }],
    ]);
    expect((await reader.inbound('REPO-r1', 'IN_REPO')).items).toEqual([]);
    expect((await reader.search('ISSUE.subject').equals('mended')).items).toEqual([
      { id: 'ISSUE-1', value: 'mended', attributes: { subject: 'mended' } },
    ]);
    const [one, gone] = await reader.getViews(['REPO-r2', 'REPO-r1']);
    expect(one!.attributes).toEqual({ name: 'two' });
    expect(gone).toBeNull();
    expect((await reader.getNode('ISSUE-1'))?.attributes).toEqual({ subject: 'mended' });
    expect((await reader.edges('ISSUE-1', 'IN_REPO')).items).toEqual([
      { source: 'ISSUE-1', type: 'IN_REPO', target: 'REPO-r2', attributes: { status: 'closed' } },
    ]);
    const found = await sync({ dryRun: true });
    expect(found).toMatchObject({ differences: [], pending: 0, conflicts: [], refused: [] });
    const options = { store: ours.store, graceMs: 10 };
    expect(await check(ours.graph, options)).toMatchObject({
      drift: { missing: 0, stale: 0, orphan: 0 },
      quarantined: 0,
    });
  });

  it('begins with what is there, and leaves the other table as it is', async () => {
    const { app, sync, follow, put, reader } = await twoTables(kept);
    await put('repo', 'r1', { kind: { S: 'repo' }, name: { S: 'one' } });
    for (const id of ['1', '2', '3']) await put('issue', id, issue(`subject ${id}`, 'r1'));
    const before = await app.rawRecords();
    expect(await sync()).toMatchObject({ items: 4, refused: [] });
    expect(await sync({ dryRun: true })).toMatchObject({ items: 4, made: 7, differences: [] });
    await follow();
    await follow();
    expect((await reader.inbound('REPO-r1', 'IN_REPO')).items).toHaveLength(3);
    expect(await sync()).toMatchObject({ items: 4 });
    expect(await app.rawRecords()).toHaveLength(before.length);
  });

  it('sets aside a source item whose value no index takes, and takes it once it is corrected', async () => {
    const { app, sync, follow, put, reader } = await twoTables(kept);
    await put('issue', '1', issue('one', 'r1'));
    await follow();
    await put('issue', '1', { ...issue('one', 'r1'), status: { N: '7' } });
    await follow();
    expect((await sync({ dryRun: true })).refused).toHaveLength(1);
    await put('issue', '1', issue('one', 'r1', 'mended'));
    await put('issue', '2', issue('two', 'r1', 'open'));
    await follow();
    expect((await reader.inbound('REPO-r1', 'IN_REPO')).items.map(({ attributes }) => attributes)).toEqual([
      { status: 'mended' },
      { status: 'open' },
    ]);
    expect((await sync({ dryRun: true })).refused).toEqual([]);
    await app.store.delete({ source: 'issue', target: '1' });
    await follow();
    expect((await reader.inbound('REPO-r1', 'IN_REPO')).items.map(({ source }) => source)).toEqual(['ISSUE-2']);
    expect((await reader.search('ISSUE.subject').equals('one')).items).toEqual([]);
  });
});
