import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import * as edgeloom from '../../src/index.ts';
import { ROOT } from '../support/command.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The page on stored items says how any SDK asks the indexes: its model, its items, its keys and its example are tried as they are printed. */

const PAGE = readFileSync(join(ROOT, 'docs/reference/stored-items.md'), 'utf8').split('## Keys in the indexes')[1]!;
const [MODEL = '', EXAMPLE = ''] = [...PAGE.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);

interface Entry {
  index: string;
  partition: string;
  sortKey: string;
}

/** A row of the page's table: an entry with the model's two indexes, and its partition with one. */
interface Row extends Entry {
  alone: string;
}

const ROWS: Row[] = PAGE.split('\n')
  .filter((line) => /^\| .*? \| `gsi\d+` \| /.test(line))
  .map((line) => {
    const [, index, partition, sortKey, alone] = line.split(' | ').map((cell) => /`(.*)`/.exec(cell)?.[1] ?? '');
    return { index: index!, partition: partition!, sortKey: JSON.parse(`"${sortKey}"`) as string, alone: alone! };
  });

/** The page's table, with its items, in a model with this number of indexes. */
async function tableOfPage(indexes: number) {
  const [declared = '', ...calls] = MODEL.split('const writer');
  const known = { ...edgeloom };
  const names = Object.keys(known);
  const table = { name: uniqueTableName(), indexes };
  const graph = new Function(...names, 'table', `${declared.replace("table: 'records'", 'table')}\nreturn graph;`)(
    ...[...Object.values(known), table],
  );
  const made = await testTable(graph);
  const lines = `return (async () => { const writer${calls.join('const writer')} })();`;
  await new Function(...names, 'graph', 'client', lines)(...Object.values(known), graph, made.client);
  await made.projectAll();
  return made;
}

/** What a plain SDK finds in an index: the keys of the base item's partition, and its own key. */
async function ask({ client, graph }: Awaited<ReturnType<typeof tableOfPage>>, entry: Entry) {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: graph.table.name,
      IndexName: entry.index,
      KeyConditionExpression: '#pk = :partition AND #sk = :sortKey',
      ExpressionAttributeNames: { '#pk': `${entry.index}pk`, '#sk': `${entry.index}sk` },
      ExpressionAttributeValues: { ':partition': { S: entry.partition }, ':sortKey': { S: entry.sortKey } },
    }),
  );
  return Items.map(({ source }) => source!.S);
}

/** All entries of the indexes of a table. */
async function entriesOf({ client, graph }: Awaited<ReturnType<typeof tableOfPage>>): Promise<Entry[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: graph.table.name }));
  return Items.flatMap((item) =>
    ['gsi0', 'gsi1', 'gsi2'].flatMap((index) => {
      const [partition, sortKey] = [item[`${index}pk`]?.S, item[`${index}sk`]?.S];
      return partition === undefined || sortKey === undefined ? [] : [{ index, partition, sortKey }];
    }),
  );
}

const sorted = (entries: Entry[]) => entries.map((entry) => JSON.stringify(entry)).sort();

describe('the page on stored items', () => {
  it('names each entry of the indexes, so that a plain SDK finds it', async () => {
    const table = await tableOfPage(2);
    for (const { alone: _, ...entry } of ROWS) {
      const source = entry.sortKey.endsWith('\u0002') ? 'TEAM-1' : 'USER-1';
      expect(await ask(table, entry), JSON.stringify(entry)).toEqual([source]);
    }
    const own = ROWS.map(({ alone: _, ...entry }) => entry);
    expect(sorted(await entriesOf(table))).toEqual(sorted(own));
  });

  it('names them with one index, too', async () => {
    const alone = ROWS.map(({ alone: partition, sortKey }) => ({ index: 'gsi0', partition, sortKey }));
    expect(sorted(await entriesOf(await tableOfPage(1)))).toEqual(sorted(alone));
  });

  it('searches by the plain SDK as it is printed', async () => {
    const { client, graph } = await tableOfPage(2);
    const [imports, code = ''] = EXAMPLE.split(/\n\n/s, 2) as [string, string?];
    expect(imports).toContain('@aws-sdk/client-dynamodb');
    const body = `${EXAMPLE.slice(imports.length).replace(/: (string|number)/g, '')}\nreturn Items;`;
    expect(code).not.toBe('');
    const lines = `return (async () => { ${body} })();`;
    const found = await new Function('QueryCommand', 'client', 'TableName', lines)(
      QueryCommand,
      client,
      graph.table.name,
    );
    expect(found).toMatchObject([{ source: { S: 'USER-1' }, gsi1value: { S: 'Ada@Example.org' } }]);
  });
});
