import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { describe, expect, it } from 'vitest';
import { LIBRARIES } from '../../packages/workbench/adopt/kinds.ts';
import { edgeTypes, mappingOf, unplaced } from '../../packages/workbench/adopt/mapping.ts';
import { propose } from '../../packages/workbench/adopt/propose.ts';
import { type SampledItem, sampledItem } from '../../packages/workbench/adopt/sampled-item.ts';
import { tableFacts } from '../../packages/workbench/adopt/table-facts.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { keyTextOfItem, type Source, type SourceKeys, sourceTable } from '../../src/sources/source.ts';
import { createSources } from '../../src/sources/sources.ts';
import { requireTable, ttlOf } from '../../src/store/described-table.ts';
import { readForeignTable } from '../../src/store/foreign-table.ts';
import { DynamoDBSourceStore } from '../../src/store/source-table.ts';
import { check } from '../../src/trust/check/check.ts';
import { runs } from '../support/extent.ts';
import { LIBRARY_TABLES } from '../support/library-tables.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/**
 * Tables in the layouts that three libraries have by default. The libraries write them and go on writing and reading; Edgeloom's table lies
 * beside, by the mapping that `adopt` proposes.
 */

const ITEMS = runs({ part: 1_000, whole: 3_000 });
const ORGS = 20;
const USERS = ITEMS / 2;

describe.each(LIBRARY_TABLES)('a table in the default layout of $library', ({ open, layout }) => {
  it('is mirrored whole by the proposed mapping, and the library goes on as before', async () => {
    const app = await testTable(
      defineGraph({
        table: { name: uniqueTableName(), partitionKey: 'pk', sortKey: 'sk', ttl: 'gone' },
        nodes: { X: node({ view: 'ALL' }) },
      }),
    );
    const { client } = app;
    const { name } = app.graph.table;
    const library = await open(client, name);
    const concurrency = 16;
    await pMap(Array(ORGS).keys(), (i) => library.putOrg(`o${i}`, `Org ${i}`), { concurrency });
    await pMap(Array(USERS).keys(), (i) => library.putUser(`u${i}`, `User ${i}`), { concurrency });
    const memberships = [...Array(ITEMS - USERS - ORGS).keys()].map(
      (i) => [`o${i % ORGS}`, `u${i}`, `2026-${i}`] as const,
    );
    await pMap(memberships, (one) => library.putMember(...one), { concurrency });
    const [names, since] = [await library.userNames(), await library.membersSince('o3')];
    expect([names.length, since.length]).toEqual([USERS, memberships.filter(([id]) => id === 'o3').length]);
    const before = await baseItems(client, name);
    expect(before).toHaveLength(ITEMS);

    // What `edgeloom adopt` proposes is right as it stands.
    const described = await requireTable(client, name);
    const { keys, keyAttributes } = tableFacts(described, await ttlOf(client, name));
    const sample: SampledItem[] = [];
    await readForeignTable(client, name, {
      most: ITEMS / 2,
      onItems: (items) => void sample.push(...items.map((item) => sampledItem(item, keys, keyAttributes)!)),
    });
    const proposal = propose(sample, keys);
    expect([unplaced(proposal, name, keyAttributes), [...proposal.nodes].sort()]).toEqual([[], ['ORG', 'USER']]);
    expect([...edgeTypes(proposal)]).toEqual([['MEMBER', { from: 'ORG', to: 'USER' }]]);
    expect(LIBRARIES[proposal.library!]).toBe(layout);
    const ours = await testTable(
      defineGraph({
        table: uniqueTableName(),
        nodes: { ORG: node({ view: ['name'], list: true }), USER: node({ view: ['name'], search: { name: {} } }) },
        edges: {
          MEMBER: edge({ from: 'ORG', to: 'USER', edgeSet: ['since'], inbound: { orders: { gsi0: 'since' } } }),
        },
        mirrored: ['ORG', 'USER', 'MEMBER'],
      }),
    );
    const source = sourceTable(name, { map: mappingOf(proposal, keyAttributes) }) as Source & { from: SourceKeys };
    const sources = createSources(ours.graph, {
      sources: [source],
      store: ours.store,
      openTable: () => new DynamoDBSourceStore(client, name),
      wait: async () => undefined,
    });
    let read = (await app.rawRecords()).length;
    const follow = async (): Promise<void> => {
      const records = await app.rawRecords();
      const keys = records.slice(read).map(({ dynamodb }) => keyTextOfItem(source, dynamodb!.Keys!));
      await sources.touch(name, keys);
      read = records.length;
      while ((await ours.projectAll()).records > 0);
    };
    expect(await sources.sync(name)).toMatchObject({ items: ITEMS, refused: [] });
    await follow();
    expect(await baseItems(client, name)).toEqual(before);
    const reader = createReader(ours.graph, { store: ours.store });
    expect((await reader.nodes('ORG')).items).toHaveLength(ORGS);
    expect((await reader.search('USER.name').equals('User 7')).items).toMatchObject([{ id: 'USER-u7' }]);
    expect((await reader.inbound('USER-u7', 'MEMBER')).items).toMatchObject([{ source: 'ORG-o7' }]);
    expect((await reader.edges('ORG-o3', 'MEMBER', { limit: 1000 })).items).toHaveLength(since.length);

    await library.putUser('u7', 'Renamed');
    await library.deleteMember('o7', 'u7');
    await library.putMember('o8', 'u7', '2027');
    await follow();
    expect((await reader.search('USER.name').equals('Renamed')).items).toMatchObject([{ id: 'USER-u7' }]);
    expect((await reader.inbound('USER-u7', 'MEMBER')).items).toMatchObject([{ source: 'ORG-o8' }]);
    expect((await library.userNames()).length).toBe(names.length);
    expect(await sources.sync(name, { dryRun: true })).toMatchObject({ differences: [] });
    const drift = { missing: 0, stale: 0, orphan: 0 };
    const options = { store: ours.store, graceMs: 10 };
    expect(await check(ours.graph, options)).toMatchObject({ drift, unknown: 0, quarantined: 0 });
  });
});

/** The items that the library wrote, as they are stored. */
async function baseItems(client: DynamoDBClient, TableName: string): Promise<Record<string, unknown>[]> {
  const documents = DynamoDBDocumentClient.from(client);
  const items: Record<string, unknown>[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page: ScanCommandOutput = await documents.send(new ScanCommand({ TableName, ExclusiveStartKey }));
    items.push(...(page.Items ?? []).filter(({ pk, sk }) => pk !== '~edgeloom' && !sk.startsWith('~')));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return items.sort((left, right) => (`${left['pk']} ${left['sk']}` < `${right['pk']} ${right['sk']}` ? -1 : 1));
}
