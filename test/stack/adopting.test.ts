import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import pino from 'pino';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { checkRunHandler, type RunPlan } from '../../src/deployment/lambda/index.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { serverTime, tableIdentity } from '../../src/store/table-description.ts';
import { check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { testTable, uniqueTableName } from '../support/table.ts';
import { installedTestPackage } from '../support/test-package.ts';

/** The walk of docs/how-to/adopting.md: from a table with data, written by another library, to a clean check. */

const model = (name: string) =>
  defineGraph({
    table: { name, partitionKey: 'pk', sortKey: 'sk', ttl: 'gone', indexes: { gsi0: 'byTarget' } },
    nodes: { USER: node({ view: ['name'] }) },
    edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: ['since'], inbound: { orders: { gsi0: 'since' } } }) },
  });

// The libraries are in test packages of their own, without types here.
// biome-ignore lint/suspicious/noExplicitAny: as above
let Entity: any;
// biome-ignore lint/suspicious/noExplicitAny: as above
let OneTable: any;
beforeAll(async () => {
  const required = async (folder: string, name: string) =>
    createRequire(join(await installedTestPackage(folder), 'package.json'))(name);
  ({ Entity } = await required('cloudformation', 'electrodb'));
  ({ Table: OneTable } = await required('onetable', 'dynamodb-onetable'));
});

afterEach(() => vi.restoreAllMocks());

/** What an application does with a library. */
interface Library {
  put(id: string): Promise<unknown>;
  rename(id: string, name: string): Promise<unknown>;
  follow(from: string, to: string, since: string): Promise<unknown>;
  unfollow(from: string, to: string): Promise<unknown>;
}

function electroDb(client: DynamoDBClient, table: string): Library {
  const key = (field: string, attribute: string, before: string) => ({
    ...{ field, composite: [attribute], template: `${before}\${${attribute}}`, casing: 'none' },
  });
  const text = { type: 'string' };
  const of = (entity: string, attributes: string[], pk: object, sk: object) =>
    new Entity(
      {
        model: { entity, service: 'app', version: '1' },
        attributes: Object.fromEntries(attributes.map((name) => [name, text])),
        indexes: { primary: { pk, sk } },
      },
      { client: DynamoDBDocumentClient.from(client), table },
    );
  const user = of('user', ['id', 'name'], key('pk', 'id', 'USER-'), key('sk', 'id', 'USER-'));
  const follows = of('follows', ['from', 'to', 'since'], key('pk', 'from', 'USER-'), key('sk', 'to', 'FOLLOWS-USER-'));
  return {
    put: (id) => user.put({ id, name: `Name of ${id}` }).go(),
    rename: (id, name) => user.patch({ id }).set({ name }).go(),
    follow: (from, to, since) => follows.put({ from, to, since }).go(),
    unfollow: (from, to) => follows.remove({ from, to }).go(),
  };
}

/** The models of docs/how-to/adopting.md for OneTable. */
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: templates of OneTable
function oneTable(client: DynamoDBClient, name: string): Library {
  const text = { type: String, required: true };
  const schema = {
    format: 'onetable:1.1.0',
    version: '1',
    indexes: { primary: { hash: 'pk', sort: 'sk' } },
    models: {
      User: {
        pk: { type: String, value: 'USER-${id}' },
        sk: { type: String, value: 'USER-${id}' },
        ...{ id: text, name: { type: String } },
      },
      Follows: {
        pk: { type: String, value: 'USER-${from}' },
        sk: { type: String, value: 'FOLLOWS-USER-${to}' },
        ...{ from: text, to: text, since: { type: String } },
      },
    },
  };
  const table = new OneTable({ client, name, schema, partial: false, logger: false });
  const [user, follows] = ['User', 'Follows'].map((model) => table.getModel(model));
  return {
    put: (id) => user.create({ id, name: `Name of ${id}` }),
    rename: (id, to) => user.update({ id, name: to }),
    follow: (from, to, since) => follows.create({ from, to, since }),
    unfollow: (from, to) => follows.remove({ from, to }),
  };
}
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: templates of OneTable

describe.each([
  ['ElectroDB', electroDb],
  ['OneTable', oneTable],
])('a table that %s writes', (_library, open) => {
  it('is adopted by a migration, projected from then on, and clean in the end', async () => {
    const { graph, client, store, projectAll, allRecords } = await testTable(model(uniqueTableName()));
    const application = open(client, graph.table.name);
    for (const id of ['Ada', 'grace', 'Edsger']) await application.put(id);
    await application.follow('Ada', 'grace', '2026-01-01');
    // An item of another kind, which the model does not know: it stays as it is.
    await store.put({ pk: { S: 'invoice#7' }, sk: { S: 'line#1' }, total: { N: '12' } });
    // What was there before the consumer has left the stream.
    expect((await allRecords()).length).toBeGreaterThan(3);

    const identity = await tableIdentity(graph, { client });
    const migrated = await migrate(graph, {
      ...{ store, ...identity, wait: async () => {} },
      serverTime: () => serverTime(graph, { client }),
    });
    expect(migrated).toMatchObject({ done: true });
    const reader = createReader(graph, { store });
    expect(await reader.getViews(['USER-Ada'])).toMatchObject([
      {
        attributes: { name: 'Name of Ada' },
        edgeSet: [{ type: 'FOLLOWS', target: 'USER-grace', since: '2026-01-01' }],
      },
    ]);

    await application.rename('grace', 'Grace');
    await application.follow('Edsger', 'grace', '2026-02-01');
    await application.unfollow('Ada', 'grace');
    await projectAll();
    const { items } = await reader.inbound('USER-grace', 'FOLLOWS');
    expect(items.map(({ source }) => source)).toEqual(['USER-Edsger']);
    expect(await reader.getViews(['USER-grace'])).toMatchObject([{ attributes: { name: 'Grace' } }]);
    const findings: Finding[] = [];
    const { drift, quarantined } = await check(graph, { store, graceMs: 10, onFinding: (one) => findings.push(one) });
    expect({ drift, quarantined }, JSON.stringify(findings)).toEqual({
      ...{ drift: { missing: 0, stale: 0, orphan: 0 }, quarantined: 0 },
    });

    // The nightly check too keeps its place under the table's own key names.
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const handler = checkRunHandler(graph, { client, graceMs: 10, logger: pino({ level: 'silent' }) });
    const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 60_000 };
    const limits = { hours: 1, workers: 2, maxRcu: 0, maxWcu: 100, repair: false };
    const { shares } = (await handler({ plan: { mode: 'check', ...limits } }, context)) as RunPlan;
    expect(shares).toHaveLength(2);
    for (const share of shares) expect(await handler(share, context)).toMatchObject({ isDone: true, isClean: true });
  });
});
