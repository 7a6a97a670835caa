import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { scratchRoot } from '../packages/local/engine/dynoxide.ts';
import { createSources } from '../src/sources/create-sources.ts';
import { tableDefinition } from '../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { sizeOf } from './support/extent.ts';
import type { Item } from './support/images.ts';
import { type Figure, figure, type Report, varying } from './support/report.ts';
import { countedSources, issue, mirrorModel, SOURCE, type SyncCounts, sourceModel } from './support/sync-source.ts';
import { type FreshTable, load, scanTable, withFreshTable } from './support/table.ts';

/** Kills a sync halfway and resumes it, and measures single touches. */

const ITEMS = sizeOf({ whole: 20_000, short: 3_000 });
/** A source item and everything made of it, in the engine. */
const BYTES_OF_ITEM = 8_000;
/** Share by which counts vary, because the process is killed at an arbitrary moment. */
const BY_THE_KILL = 0.1;

export async function sync({ nodes = ITEMS }: BenchmarkOptions): Promise<Report[]> {
  return [await withSource(nodes, (table) => killedAndResumed(nodes, table)), await withSource(1, touched)];
}

/** Keeps the data in memory if it fits, because disks differ. */
async function withSource<T>(items: number, run: (table: FreshTable) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(await scratchRoot(items * BYTES_OF_ITEM), 'edgeloom-sync-'));
  const withTables = async (table: FreshTable): Promise<T> => {
    const { StreamSpecification: _, ...definition } = tableDefinition(sourceModel);
    await table.client.send(new CreateTableCommand(definition));
    const source = new DynamoDBStore(table.client, sourceModel.table);
    const images = Array.from({ length: items }, (_, i) => marshall(issue(i)) as Item);
    await load(source, images);
    return await run(table);
  };
  try {
    return await withFreshTable(mirrorModel, [], withTables, dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function inOwnProcess(
  endpoint: string,
  how: 'begin' | 'resume',
  killAt: number,
): Promise<SyncCounts & { items: number }> {
  const child = fileURLToPath(new URL('support/sync-child.js', import.meta.url));
  const running = spawn(process.execPath, [child, endpoint, how], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(running, 'close');
  let last: (SyncCounts & { items: number }) | undefined;
  for await (const line of createInterface({ input: running.stdout })) {
    last = JSON.parse(line) as SyncCounts & { items: number };
    if (last.items >= killAt) running.kill('SIGKILL');
  }
  await ended;
  if (last === undefined) throw new Error('the sync has told nothing');
  return last;
}

async function killedAndResumed(items: number, { endpoint, client }: FreshTable): Promise<Report> {
  const start = performance.now();
  const killed = await inOwnProcess(endpoint, 'begin', items / 2);
  const resumed = await inOwnProcess(endpoint, 'resume', Number.POSITIVE_INFINITY);
  const seconds = (performance.now() - start) / 1000;
  if (killed.items >= items || resumed.items < items)
    throw new Error(`it went on from ${killed.items} to ${resumed.items}`);
  const base = [...(await scanTable(client, mirrorModel)).keys()].filter((key) => key.startsWith('ISSUE-'));
  if (base.length !== items * 2) throw new Error(`${items} source items have made ${base.length} items`);
  const perItem = (count: keyof SyncCounts): number => (killed[count] + resumed[count]) / items;
  const figureOf = (name: string, count: keyof SyncCounts, unit: string): Figure =>
    varying(BY_THE_KILL, figure(name, perItem(count), unit));
  return {
    name: 'sync',
    title: `${items.toLocaleString('en-US')} source items of 200 bytes, each makes a node and an edge; killed after half of them, and resumed (dynoxide)`,
    figures: [
      figure('synced', items / seconds, 'items/s'),
      figure('in all', seconds, 's'),
      figureOf('read capacity of the source, for an item', 'sourceRcu', 'RCU'),
      figureOf('read capacity of the table, for an item', 'rcu', 'RCU'),
      figureOf('write capacity, for an item', 'wcu', 'WCU'),
    ],
  };
}

async function touched({ client }: FreshTable): Promise<Report> {
  const { graph, options, counts } = countedSources(client);
  const sources = createSources(graph, options);
  const source = new DynamoDBStore(client, sourceModel.table);
  const figures: Figure[] = [];
  // The first touch puts the version in force.
  await sources.touch(SOURCE, [{ pk: 'none', sk: 'none' }]);
  const { pk, sk } = issue(0);
  const measure = async (what: string): Promise<void> => {
    const before = counts();
    await sources.touch(SOURCE, [{ pk, sk }]);
    const after = counts();
    figures.push(
      figure(`${what}: write capacity`, after.wcu - before.wcu, 'WCU'),
      figure(`${what}: read capacity`, after.rcu - before.rcu, 'RCU'),
      figure(`${what}: read capacity of the source`, after.sourceRcu - before.sourceRcu, 'RCU'),
    );
  };
  await measure('a new item');
  await source.put(marshall(issue(0, 'closed')) as Item);
  await measure('a changed item');
  await measure('an unchanged item');
  await source.writeMany([{ delete: { source: pk, target: sk } }]);
  await measure('a deleted item');
  const ours = new DynamoDBStore(client, mirrorModel.table);
  const plain = [
    { source: 'ISSUE-1', target: 'ISSUE-1', subject: issue(1).subject, state: 'open' },
    { source: 'ISSUE-1', target: 'IN_REPO-REPO-1', state: 'open' },
  ];
  let wcu = 0;
  for (const item of plain) wcu += (await ours.put(marshall(item) as Item)).wcu;
  figures.push(figure('a node and an edge by PutItem: write capacity', wcu, 'WCU'));
  return { name: 'touch', title: 'one source item of 200 bytes, which makes a node and an edge (dynoxide)', figures };
}
