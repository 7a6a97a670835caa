import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startEngine } from '../packages/local/engine/engine.ts';
import { createClient } from '../src/store/client.ts';
import { installedPackage } from '../test/support/test-package.ts';
import { type Figure, figure, type Report } from './support/report.ts';
import { createTableByHand } from './support/table.ts';

/** Measures the changes of `writes` with ElectroDB entities whose indexes answer the same queries. */

interface Library {
  Entity: new (
    schema: object,
    place: { client: DynamoDBClient; table: string },
  ) => { put(item: object): { go(): Promise<unknown> } };
}

interface Kind {
  name: string;
  id: string;
  others: readonly string[];
  lists: readonly (readonly [partition: string | undefined, order: string])[];
}

const TABLE = 'bench-electrodb';
const INDEXES = 6;
const SEARCHES = ['name', 'brand', 'category', 'color', 'price', 'sku'];

const KNOWS: Kind = { name: 'knows', id: 'id', others: ['other', 'since'], lists: [['other', 'since']] };
const ISSUE: Kind = { name: 'issue', id: 'id', others: ['title', 'status', 'updated'], lists: [[undefined, 'title']] };
// An order by an attribute of the issue needs a copy on each edge, which the program has to maintain.
const IN_REPO: Kind = {
  ...{ name: 'in-repo', id: 'id', others: ['repo', 'status', 'number'] },
  lists: [
    ['repo', 'status'],
    ['repo', 'number'],
  ],
};
const OPENED_BY: Kind = { name: 'opened-by', id: 'id', others: ['user', 'status'], lists: [['user', 'status']] };
const PRODUCT: Kind = {
  ...{ name: 'product', id: 'id', others: [...SEARCHES, 'stock'] },
  lists: SEARCHES.map((search) => [undefined, search] as const),
};

const STEPS: readonly (readonly [name: string, puts: readonly (readonly [Kind, object])[]])[] = [
  ['edge in an order, add', [[KNOWS, { id: '1', other: '2', since: '2024' }]]],
  [
    'issue with two edges, create',
    [
      [ISSUE, { id: '1', title: 'It leaks', status: 'open', updated: '2025' }],
      [IN_REPO, { id: '1', repo: '1', status: 'open', number: '17' }],
      [OPENED_BY, { id: '1', user: '1', status: 'open' }],
    ],
  ],
  [
    'product with six searches, create',
    [[PRODUCT, { id: '1', ...Object.fromEntries(SEARCHES.map((name) => [name, name])), stock: '1' }]],
  ],
];

export async function electrodb(): Promise<Report[]> {
  const folder = await installedPackage(join(process.cwd(), 'bench/peers/electrodb'), {
    cache: join(process.cwd(), '.cache/packages'),
  });
  const { Entity } = createRequire(join(folder, 'package.json'))('electrodb') as Library;
  const engine = await startEngine({ engine: 'memory' });
  const client = createClient({ endpoint: engine.endpoint });
  try {
    const indexes = Array.from({ length: INDEXES }, (_, i) => [`gsi${i}pk`, `gsi${i}sk`] as const);
    await createTableByHand(client, TABLE, ['pk', 'sk'], indexes);
    const spent = meter(client);
    const figures: Figure[] = [];
    for (const [name, puts] of STEPS) {
      const before = spent();
      for (const [kind, item] of puts) await new Entity(schemaOf(kind), { client, table: TABLE }).put(item).go();
      figures.push(figure(name, spent() - before, 'WCU'));
    }
    return [{ name: 'electrodb', title: 'write units of one change, by entities of ElectroDB', figures }];
  } finally {
    client.destroy();
    await engine.stop();
  }
}

function meter(client: DynamoDBClient): () => number {
  let units = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
      const result = await next(args);
      const { ConsumedCapacity } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
      if (ConsumedCapacity?.CapacityUnits === undefined) throw new Error('A call did not say what it consumed');
      units += ConsumedCapacity.CapacityUnits;
      return result;
    },
    { step: 'initialize', name: 'meter' },
  );
  return () => units;
}

function schemaOf({ name, id, others, lists }: Kind): object {
  const key = (field: string, composite: readonly string[]): object => ({ field, composite });
  const indexes = lists.map(([partition, order], i) => [
    `list${i}`,
    {
      index: `gsi${i}`,
      pk: key(`gsi${i}pk`, partition === undefined ? [] : [partition]),
      sk: key(`gsi${i}sk`, [order]),
    },
  ]);
  return {
    model: { entity: name, version: '1', service: 'bench' },
    attributes: Object.fromEntries([id, ...others].map((attribute) => [attribute, { type: 'string' }])),
    indexes: { own: { pk: key('pk', [id]), sk: key('sk', []) }, ...Object.fromEntries(indexes) },
  };
}
