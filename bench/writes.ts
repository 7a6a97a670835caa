import {
  type AttributeValue,
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { startEngine } from '../packages/local/engine/engine.ts';
import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { source, sum } from '../src/core/model/order.ts';
import { edge, node } from '../src/core/model/schema.ts';
import { createClient } from '../src/store/client.ts';
import { tableDefinition } from '../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import { MeteredStore } from '../src/store/metered.ts';
import type { Item } from './support/images.ts';
import { projecting } from './support/projecting.ts';
import { type Figure, figure, type Report } from './support/report.ts';
import { createTableByHand, keyOf } from './support/table.ts';

/**
 * Measures the write units of single changes, each in its own batch: with projections, with indexes of all attributes,
 * with native orders and searches, and by hand. By hand means one table with index keys on its items, indexes of all
 * attributes, and neither edge sets nor copies.
 */

type Change = [before: Item | undefined, after: Item | undefined];

interface Step {
  name: string;
  changes: Change[];
  byHand: Change[];
  isCounted?: boolean;
}

interface Scene {
  graph: CompiledModel;
  native?: CompiledModel;
  steps: Step[];
}

export async function writes(): Promise<Report[]> {
  const engine = await startEngine({ engine: 'memory' });
  const client = createClient({ endpoint: engine.endpoint });
  try {
    const figures: Figure[] = [];
    for (const { graph, native, steps } of scenes()) {
      const ours = await projected(client, graph, steps, tableDefinition(graph));
      const wide = await projected(client, graph, steps, ofAllAttributes(tableDefinition(graph)));
      const own = native && (await projected(client, native, steps, tableDefinition(native)));
      const hand = await byHand(client, steps);
      for (const [i, { name }] of steps.entries()) {
        figures.push(
          figure(name, ours[i]!, 'WCU'),
          figure(`${name}: indexes of all attributes`, wide[i]!, 'WCU'),
          ...(own ? [figure(`${name}: native`, own[i]!, 'WCU')] : []),
          figure(`${name}: by hand`, hand[i]!, 'WCU'),
        );
      }
    }
    return [{ name: 'writes', title: 'write units of one change, with its projections', figures }];
  } finally {
    client.destroy();
    await engine.stop();
  }
}

let tables = 0;

async function projected(
  client: DynamoDBClient,
  of: CompiledModel,
  steps: readonly Step[],
  { StreamSpecification: _, ...definition }: CreateTableCommandInput,
): Promise<number[]> {
  const graph = { ...of, table: { ...of.table, name: `bench-writes-${++tables}` } };
  await client.send(new CreateTableCommand({ ...definition, TableName: graph.table.name }));
  const metered = new MeteredStore(new DynamoDBStore(client, graph.table));
  const project = projecting(graph, { store: metered });
  let number = 0;
  const write = async ([oldImage, newImage]: Change): Promise<void> => {
    const key = keyOf((newImage ?? oldImage)!);
    if (newImage === undefined) await metered.delete(key);
    else await metered.put(newImage as never);
    const sequenceNumber = String(++number);
    const images = { ...(oldImage && { oldImage }), ...(newImage && { newImage }) } as object;
    await project([{ ...key, ...images, stream: 'bench', sequenceNumber }]);
  };
  return await unitsOf(
    steps,
    () => metered.wcu,
    async ({ changes }) => {
      for (const change of changes) await write(change);
    },
  );
}

function ofAllAttributes(definition: CreateTableCommandInput): CreateTableCommandInput {
  const GlobalSecondaryIndexes = definition.GlobalSecondaryIndexes!.map((index) => ({
    ...index,
    Projection: { ProjectionType: 'ALL' as const },
  }));
  return { ...definition, GlobalSecondaryIndexes };
}

const HAND_INDEXES = 6;

async function byHand(client: DynamoDBClient, steps: readonly Step[]): Promise<number[]> {
  const TableName = `bench-writes-${++tables}`;
  const indexes = Array.from({ length: HAND_INDEXES }, (_, i) => [`p${i}`, `k${i}`] as const);
  await createTableByHand(client, TableName, ['source', 'target'], indexes);
  const { table } = defineGraph({ table: TableName, nodes: { NODE: node() } });
  const metered = new MeteredStore(new DynamoDBStore(client, table));
  const counter = { TableName, Key: { source: { S: 'N-0' }, target: { S: 'count' } } };
  let transacted = 0;
  const units = (): number => metered.wcu + transacted;
  return await unitsOf(steps, units, async ({ byHand: changes, isCounted }) => {
    for (const [before, after] of changes) {
      if (isCounted === true) {
        const { ConsumedCapacity: spent = [] } = await client.send(
          new TransactWriteItemsCommand({
            ReturnConsumedCapacity: 'TOTAL',
            TransactItems: [
              { Put: { TableName, Item: after } },
              {
                Update: {
                  ...counter,
                  UpdateExpression: 'ADD n :one',
                  ExpressionAttributeValues: { ':one': { N: '1' } },
                },
              },
            ],
          }),
        );
        for (const { CapacityUnits = 0 } of spent) transacted += CapacityUnits;
      } else if (after === undefined) await metered.delete(keyOf(before!));
      else await metered.put(after as never);
    }
  });
}

async function unitsOf(
  steps: readonly Step[],
  spent: () => number,
  run: (step: Step) => Promise<void>,
): Promise<number[]> {
  const units: number[] = [];
  for (const step of steps) {
    const before = spent();
    await run(step);
    units.push(spent() - before);
  }
  return units;
}

function item(from: string, target: string, attributes: Readonly<Record<string, string>> = {}): Item {
  const texts: Record<string, AttributeValue> = { source: { S: from }, target: { S: target } };
  for (const [name, text] of Object.entries(attributes)) texts[name] = { S: text };
  return texts as Item;
}

/** By hand, index keys are attributes. */
function keyed(plain: Item, ...keys: readonly string[]): Item {
  const names = keys.flatMap((key, i) => [
    [`p${i}`, { S: `partition ${i}` }],
    [`k${i}`, { S: key }],
  ]);
  return { ...plain, ...Object.fromEntries(names) } as Item;
}

function scenes(): Scene[] {
  return [
    searched(),
    unsearched(),
    ordered(),
    orderedTwice(),
    counted(),
    summed(),
    issue(),
    issueWithPhases(),
    product(2),
    product(6, ' over six indexes'),
  ];
}

type Model = Parameters<typeof defineGraph>[0];

function modelOf(model: Model): CompiledModel {
  return defineGraph(model) as CompiledModel;
}

function bothOf(model: (native: boolean) => Model): Pick<Scene, 'graph' | 'native'> {
  return { graph: modelOf(model(false)), native: modelOf(model(true)) };
}

/** The items of a scene at one time, and the same by hand. */
type State = readonly [items: readonly Item[], byHand: readonly Item[]];

const NONE: State = [[], []];

function one(plain: Item, ...keys: readonly string[]): State {
  return [[plain], [keyed(plain, ...keys)]];
}

function step(name: string, before: State, after: State): Step {
  return { name, changes: changesOf(before[0], after[0]), byHand: changesOf(before[1], after[1]) };
}

function changesOf(before: readonly Item[], after: readonly Item[]): Change[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, i) => [before[i], after[i]]);
}

function searched(): Scene {
  const at = (name: string): State => one(item('USER-1', 'USER-1', { name }), name);
  return {
    ...bothOf((native) => ({ table: 'bench', nodes: { USER: node({ search: { name: { native } } }) } })),
    steps: [
      step('node with one search, create', NONE, at('Ada')),
      step('node with one search, rename', at('Ada'), at('Eda')),
    ],
  };
}

function acquaintances(orders: Readonly<Record<string, string>>): Pick<Scene, 'graph' | 'native'> {
  return bothOf((native) => ({
    table: 'bench',
    nodes: { USER: node() },
    edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { native, orders } }) },
  }));
}

function unsearched(): Scene {
  const at = (name: string): State => one(item('USER-1', 'USER-1', { name }));
  return {
    graph: acquaintances({ bySince: 'since' }).graph,
    steps: [
      step('node without a search, create', NONE, at('Ada')),
      step('node without a search, change', at('Ada'), at('Eda')),
    ],
  };
}

function ordered(): Scene {
  const at = (day: string): State => one(item('USER-1', 'KNOWS-USER-2', { day }), day);
  return {
    ...acquaintances({ byDay: 'day' }),
    steps: [
      step('edge in an order, add', NONE, at('2024')),
      step('edge in an order, another place', at('2024'), at('2025')),
      step('edge in an order, delete', at('2025'), NONE),
    ],
  };
}

function orderedTwice(): Scene {
  const at = (day: string): State => one(item('USER-1', 'KNOWS-USER-2', { day, until: '2030' }), day, '2030');
  return {
    ...acquaintances({ byDay: 'day', byUntil: 'until' }),
    steps: [
      step('edge in two orders, add', NONE, at('2024')),
      step('edge in two orders, another place in one', at('2024'), at('2025')),
    ],
  };
}

function counted(): Scene {
  const follow = one(item('USER-1', 'FOLLOWS-USER-2', { day: '2024' }), '2024');
  return {
    ...bothOf((native) => ({
      table: 'bench',
      nodes: { USER: node() },
      edges: {
        FOLLOWS: edge({
          ...{ from: 'USER', to: 'USER', edgeSet: false, degree: true },
          inbound: { native, orders: { byDay: 'day' } },
        }),
      },
    })),
    steps: [{ ...step('follow that is counted, add', NONE, follow), isCounted: true }],
  };
}

function summed(): Scene {
  const worked = { ...item('USER-1', 'WORKED_ON-PROJECT-1'), hours: { N: '3' } } as Item;
  return {
    graph: modelOf({
      table: 'bench',
      nodes: { USER: node(), PROJECT: node() },
      edges: { WORKED_ON: edge({ from: 'USER', to: 'PROJECT', inbound: { total: { hours: sum('hours') } } }) },
    }),
    steps: [{ ...step('edge with a sum, add', NONE, one(worked)), isCounted: true }],
  };
}

function issue(): Scene {
  const at = (status: string): Item => item('ISSUE-1', 'ISSUE-1', { title: 'It leaks', status, updated: '2025' });
  const [open, closed] = [at('open'), at('closed')];
  const inRepo = item('ISSUE-1', 'IN_REPO-REPO-1', { number: '17' });
  const openedBy = item('ISSUE-1', 'OPENED_BY-USER-1', {});
  const byStatus = [source('status'), source('updated')] as const;
  const hand = (status: string): [Item, Item, Item] => [
    keyed(at(status), 'It leaks'),
    keyed({ ...inRepo, status: { S: status } } as Item, status, '17'),
    keyed({ ...openedBy, status: { S: status } } as Item, status),
  ];
  return {
    // These orders use attributes of the issue, so they can't be native.
    ...bothOf((native) => ({
      table: 'bench',
      nodes: { ISSUE: node({ view: ['title', 'status'], search: { title: { native } } }), REPO: node(), USER: node() },
      edges: {
        IN_REPO: edge({
          from: 'ISSUE',
          to: 'REPO',
          inbound: { orders: { byStatus: [...byStatus], byNumber: 'number' } },
        }),
        OPENED_BY: edge({ from: 'ISSUE', to: 'USER', inbound: { orders: { byStatus: [...byStatus] } } }),
      },
    })),
    steps: [
      step('issue with two edges, create', NONE, [[open, inRepo, openedBy], hand('open')]),
      step('issue with two edges, close', [[open], hand('open')], [[closed], hand('closed')]),
      step('issue with two edges, delete', [[inRepo, openedBy, closed], hand('closed')], NONE),
    ],
  };
}

/** As by hand, the producer copies the phase to the edges, so orders may be native. */
function issueWithPhases(): Scene {
  const items = (phase: string): [Item, Item, Item] => [
    item('ISSUE-1', 'ISSUE-1', { title: 'It leaks', status: phase }),
    item('ISSUE-1', 'IN_REPO-REPO-1', { number: '17', phase }),
    item('ISSUE-1', 'OPENED_BY-USER-1', { phase }),
  ];
  const hand = (phase: string): [Item, Item, Item] => {
    const [issueItem, inRepo, openedBy] = items(phase);
    return [keyed(issueItem, 'It leaks'), keyed(inRepo, phase, '17'), keyed(openedBy, phase)];
  };
  const at = (phase: string): State => [items(phase), hand(phase)];
  const [closed, closedByHand] = at('closed');
  const name = 'issue with its phase on two edges';
  return {
    ...bothOf((native) => ({
      table: 'bench',
      nodes: { ISSUE: node({ view: ['title', 'status'], search: { title: { native } } }), REPO: node(), USER: node() },
      edges: {
        IN_REPO: edge({
          ...{ from: 'ISSUE', to: 'REPO' },
          inbound: { native, orders: { byPhase: 'phase', byNumber: 'number' } },
        }),
        OPENED_BY: edge({ from: 'ISSUE', to: 'USER', inbound: { native, orders: { byPhase: 'phase' } } }),
      },
    })),
    steps: [
      step(`${name}, create`, NONE, at('open')),
      step(`${name}, close`, at('open'), at('closed')),
      step(`${name}, delete`, [closed.toReversed(), closedByHand.toReversed()], NONE),
    ],
  };
}

const SEARCHES = ['name', 'brand', 'category', 'color', 'price', 'sku'] as const;

/** Has two indexes, or one per search. Native searches always have one index each. */
function product(indexes: number, over = ''): Scene {
  const values = Object.fromEntries(SEARCHES.map((search) => [search, search]));
  const at = (name: string, stock: string): State =>
    one(item('PRODUCT-1', 'PRODUCT-1', { ...values, name, stock }), name, ...SEARCHES.slice(1));
  return {
    ...bothOf((native) => ({
      table: { name: 'bench', indexes },
      nodes: {
        PRODUCT: node({ view: ['name'], search: Object.fromEntries(SEARCHES.map((name) => [name, { native }])) }),
      },
    })),
    steps: [
      step(`product with six searches${over}, create`, NONE, at('chair', '1')),
      step(`product with six searches${over}, one changed`, at('chair', '1'), at('table', '1')),
      step(`product with six searches${over}, change that nothing projects`, at('table', '1'), at('table', '2')),
    ],
  };
}
