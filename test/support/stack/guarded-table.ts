import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import { createWriter, type Writer } from '../../../src/client/write/writer.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../../src/core/items/keys.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../../src/core/model/native-indexes.ts';
import { policyResources } from '../../../src/deployment/stack/rights/policies.ts';
import { roleResources } from '../../../src/deployment/stack/rights/roles.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { createClient } from '../../../src/store/client.ts';
import { indexNeeds } from '../../../src/store/definition/index-needs.ts';
import { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import { TableIndexes } from '../../../src/store/table-indexes.ts';
import { testTable, uniqueTableName } from '../table.ts';
import { testSite } from './parameters.ts';
import { startPolicyProxy, tableArn, tableGrants } from './policy-proxy.ts';
import { roleStatements } from './statements.ts';
import type { PolicyStatement, TemplateResource } from './template.ts';

/** A table behind a proxy that enforces the rights of a program, and what programs find in it. */

/** Logical id of what gives a program its rights. */
export type Role =
  | 'StreamRole'
  | 'CheckRole'
  | 'RebuildRole'
  | 'RedriveRole'
  | 'ObserveRole'
  | 'MirrorRole'
  | 'ProducerPolicy'
  | 'ReaderPolicy'
  | 'MigratorPolicy'
  | 'OperatorPolicy';

const stops: (() => Promise<void>)[] = [];

/** Stops the proxies of all tables. */
export async function stopProxies(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}

/** What a role or policy of the stack says about a table that there is. */
function statementsOf(graph: CompiledModel, role: Role, more: object = {}): PolicyStatement[] {
  const arn = tableArn(graph.table.name);
  const site = testSite(graph, {
    ...{ existingTableArn: arn, existingStreamArn: `${arn}/stream/2026` },
    ...more,
  });
  const resource = { ...roleResources(site), ...policyResources(site) }[role] as TemplateResource;
  return resource.Type === 'AWS::IAM::Role'
    ? roleStatements(resource)
    : resource.Properties['PolicyDocument'].Statement;
}

/** A table, and ways to it that have the rights of one program each. */
export async function guardedTable<G extends CompiledModel>(make: (table: string) => G) {
  const table = await testTable(make(uniqueTableName()));
  const writer = createWriter(table.graph as CompiledModel, { store: table.store }) as Writer<CompiledModel>;
  async function as(role: Role, more: object = {}) {
    const statements = statementsOf(table.graph, role, more);
    const proxy = await startPolicyProxy(table.endpoint, statements);
    const client = createClient({ endpoint: proxy.endpoint, maxAttempts: 1 });
    stops.push(proxy.stop);
    const store = new DynamoDBStore(client, table.graph.table);
    const expectExact = (): void => {
      expect(proxy.denied).toEqual([]);
      // Few items, or an engine that takes no statements, leave these rights unused.
      const isNeeded = (grant: string): boolean => !grant.includes(':PartiQL') || proxy.used.has(grant);
      expect([...proxy.used].sort()).toEqual(tableGrants(statements).filter(isNeeded));
    };
    return { client, store, endpoint: proxy.endpoint, denied: proxy.denied, full: proxy.full, expectExact };
  }
  /** The stream's records so far, as the function gets them. */
  async function records(): Promise<Record<string, unknown>[]> {
    return (await table.rawRecords()).map((record) => ({ ...record, eventSourceARN: table.streamArn }));
  }
  const read = async (source: string, target: string): Promise<Item> =>
    (await table.store.get({ source, target }, { consistent: true })).item!;
  return { ...table, writer, as, records, read };
}

/** Base items that no model can project in full: an edge to nothing that is a node, and what is no date. */
const BAD: readonly Item[] = [
  { source: { S: 'USER-9' }, target: { S: 'MEMBER-nothing' } },
  { source: { S: 'USER-9' }, target: { S: 'USER-9' }, joined: { S: 'someday' } },
];

/** Writes everything that a model has: nodes, edges of each type, a hub that outgrows its view, changes and deletions. */
export async function fill({ graph, writer, store }: Awaited<ReturnType<typeof guardedTable>>): Promise<void> {
  for (let i = 0; i < 4; i++) await writer.putNode(`USER-${i}`, { name: `User ${i}`, joined: '2026-01-01' });
  for (const type of graph.edges.keys()) {
    const attributes = { role: 'LEAD', since: '2026-01-01' };
    for (let i = 0; i < 40; i++) await writer.putEdge('USER-0', type, `USER-${'x'.repeat(900)}${i}`, attributes);
    await writer.putEdge('USER-1', type, 'USER-2', attributes);
    await writer.putEdge('USER-3', type, 'USER-2', attributes);
    await writer.putEdge('USER-1', type, 'USER-3', attributes);
    await writer.deleteEdge('USER-1', type, 'USER-3');
  }
  for (const item of BAD) await store.put(item);
}

/** Gives the item that has no date one: a migration refuses to leave an item out. */
export async function correct({ store }: Pick<Awaited<ReturnType<typeof guardedTable>>, 'store'>): Promise<void> {
  await store.put({ ...BAD[1]!, joined: { S: '2026-01-01' } });
}

/** Takes an index away that the model needs, so that a migration adds it. */
export async function loseIndex({ graph, store }: Pick<Awaited<ReturnType<typeof guardedTable>>, 'graph' | 'store'>) {
  const { name } = indexNeeds(graph as CompiledModel).at(-1)!;
  while (!(await new TableIndexes(store).drop(name))) await sleep(20);
}

/** What a program reads and a consumer writes of the programs' own partition. */
export async function readOwn(store: DynamoDBStore): Promise<void> {
  await store.get({ source: SERVICE_PARTITION, target: 'head' }, { consistent: true });
  for (const one of [true, false]) await store.query({ partition: SERVICE_PARTITION, consistent: one });
}

/** Reads as a program does whose model, that of the deployment before, has searches and copies where this one has none. */
export async function readAsBefore(
  { client, store }: { client: DynamoDBClient; store: DynamoDBStore },
  graph: CompiledModel,
  { scans = false } = {},
): Promise<void> {
  await store.getMany([{ source: 'USER-0', target: 'USER-0' }], { consistent: false });
  const { indexes, table } = graph;
  for (const index of nativeIndexes(graph)) {
    const isNumber = index.partition === index.attribute && index.type === 'N';
    await store.queryNative({ index, partition: isNumber ? { N: '0' } : { S: '~' }, limit: 1 });
  }
  for (const index of indexes) {
    await store.query({ index, partition: 'USER-0' });
    if (scans) await client.send(new ScanCommand({ TableName: table.name, IndexName: table.indexNames[index] }));
  }
}

/** Corrupts derived items of every kind, by hand. */
export async function damage({ store, read, graph }: Awaited<ReturnType<typeof guardedTable>>): Promise<void> {
  const { attributes: _, ...view } = await read('USER-1', '~view');
  await store.put(view);
  await store.delete({ source: 'USER-3', target: '~view' });
  // A tombstone whose time is over.
  await store.put({ ...keysOf('USER-1', '~ix/MEMBER-USER-8'), r: { N: '1' }, expiresAt: { N: '1' } });
  for (const edge of graph.edges.values()) {
    if (edge.copy !== undefined) await store.delete({ source: 'USER-2', target: `~rev/${edge.type}-USER-1` });
    if (edge.count !== undefined)
      await store.put({ ...(await read('USER-1', `~degree/${edge.type}`)), count: { N: '7' } });
  }
}

/** The attributes of a key. */
export const keysOf = (source: string, target: string): Item => ({ source: { S: source }, target: { S: target } });
