import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { createSources } from '../../src/sources/create-sources.ts';
import { mappedEdge, mappedNode } from '../../src/sources/items.ts';
import { sourceTable } from '../../src/sources/source.ts';
import { DynamoDBSourceStore } from '../../src/store/source-table.ts';
import { check } from '../../src/trust/check/check.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The end of docs/how-to/adopting.md: a table that mirrored another goes on alone, with what the mirror has made. */

const model = (table: string, mirrored: boolean) =>
  defineGraph({
    table,
    nodes: { ISSUE: node({ view: 'ALL' }), REPO: node({ view: 'ALL' }) },
    edges: { IN_REPO: edge({ from: 'ISSUE', to: 'REPO', edgeSet: ['state'], inbound: { orders: { gsi0: 'state' } } }) },
    ...(mirrored && { mirrored: ['ISSUE', 'REPO', 'IN_REPO'] }),
  });

describe('a table that leaves its source', () => {
  it('takes the writes of a writer to what the mirror has made', async () => {
    const app = await testTable(
      defineGraph({
        table: { name: uniqueTableName(), partitionKey: 'pk', sortKey: 'sk', ttl: 'gone' },
        nodes: { X: node({ view: 'ALL' }) },
      }),
    );
    const ours = await testTable(model(uniqueTableName(), true));
    const { name } = app.graph.table;
    const source = sourceTable(name, {
      map: ({ pk, repo, title }) => [
        mappedNode(`ISSUE-${pk}`, { title }),
        mappedEdge(`ISSUE-${pk}`, 'IN_REPO', `REPO-${repo}`, { state: 'open' }),
      ],
    });
    const openTable = () => new DynamoDBSourceStore(app.client, name);
    const sources = createSources(ours.graph, { sources: [source], store: ours.store, openTable });
    for (const [pk, repo] of ['1a', '2a', '3b'] as const) {
      const item: Item = { pk: { S: pk! }, sk: { S: 'x' }, repo: { S: repo! }, title: { S: `Issue ${pk}` } };
      await app.store.put(item);
    }
    expect(await sources.sync(name)).toMatchObject({ items: 3 });
    await ours.projectAll();

    // The same table, by a model without `mirrored`.
    const alone = model(ours.graph.table.name, false);
    const writer = createWriter(alone, { store: ours.store });
    const reader = createReader(alone, { store: ours.store });
    await writer.updateNode('ISSUE-1', { set: { title: 'Mended' } });
    await writer.updateEdge('ISSUE-1', 'IN_REPO', 'REPO-a', { set: { state: 'closed' } });
    await writer.deleteNodeWithEdges('ISSUE-2');
    await writer.putNode('ISSUE-3', { title: 'Whole' });
    await ours.projectAll();
    const views = await reader.getViews(['ISSUE-1', 'ISSUE-2', 'ISSUE-3']);
    expect(views.map((view) => view?.attributes ?? null)).toEqual([{ title: 'Mended' }, null, { title: 'Whole' }]);
    expect((await reader.inbound('REPO-a', 'IN_REPO')).items.map(({ source }) => source)).toEqual(['ISSUE-1']);
    const options = { store: ours.store, graceMs: 10 };
    expect((await check(alone, options)).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });
});
