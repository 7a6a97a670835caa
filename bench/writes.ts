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
import { createProjector } from '../src/projecting/apply/projector.ts';
import { createClient } from '../src/store/client.ts';
import { keySchema, tableDefinition } from '../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import { MeteredStore } from '../src/store/metered.ts';
import type { Item } from './support/images.ts';
import { type Figure, figure, type Report } from './support/report.ts';

/**
 * Write units of single changes, each in its own batch: with projections, with indexes of all attributes, with native orders and searches, and
 * by hand: one table with index keys on its items, indexes of all attributes, no edge sets, no copies.
 */

type Change = [before: Item | undefined, after: Item | undefined];

/** A change, and the same by hand. */
interface Step {
  name: string;
  changes: Change[];
  /** With index keys `k0`, `k1`, … */
  byHand: Change[];
  /** By hand, a transaction moves a count. */
  isCounted?: boolean;
}

interface Scene {
  graph: CompiledModel;
  /** With native orders and searches, where possible. */
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
  const projector = createProjector(graph, { store: metered });
  let number = 0;
  const write = async ([oldImage, newImage]: Change): Promise<void> => {
    const key = keyOf((newImage ?? oldImage)!);
    if (newImage === undefined) await metered.delete(key);
    else await metered.put(newImage as never);
    const sequenceNumber = String(++number);
    const images = { ...(oldImage && { oldImage }), ...(newImage && { newImage }) } as object;
    const { error } = await projector.project([{ ...key, ...images, stream: 'bench', sequenceNumber }]);
    if (error !== undefined) throw error;
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
  await client.send(
    new CreateTableCommand({
      ...{ TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: keySchema('source', 'target') },
      AttributeDefinitions: ['source', 'target', ...indexes.flat()].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      GlobalSecondaryIndexes: indexes.map(([partition, sort], i) => ({
        IndexName: `gsi${i}`,
        KeySchema: keySchema(partition, sort),
        Projection: { ProjectionType: 'ALL' },
      })),
    }),
  );
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

function keyOf(item: Item): { source: string; target: string } {
  const { source: from, target } = item as Record<'source' | 'target', { S: string }>;
  return { source: from.S, target: target.S };
}

/** Texts as attributes. */
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

/** Derived, and native. */
function bothOf(model: (native: boolean) => Model): Pick<Scene, 'graph' | 'native'> {
  return { graph: modelOf(model(false)), native: modelOf(model(true)) };
}

function searched(): Scene {
  const [ada, eda] = ['Ada', 'Eda'].map((name) => item('USER-1', 'USER-1', { name })) as [Item, Item];
  return {
    ...bothOf((native) => ({ table: 'bench', nodes: { USER: node({ search: { name: { native } } }) } })),
    steps: [
      { name: 'node with one search, create', changes: [[undefined, ada]], byHand: [[undefined, keyed(ada, 'Ada')]] },
      { name: 'node with one search, rename', changes: [[ada, eda]], byHand: [[keyed(ada, 'Ada'), keyed(eda, 'Eda')]] },
    ],
  };
}

function unsearched(): Scene {
  const [ada, eda] = ['Ada', 'Eda'].map((name) => item('USER-1', 'USER-1', { name })) as [Item, Item];
  return {
    graph: modelOf({
      table: 'bench',
      nodes: { USER: node() },
      edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { bySince: 'since' } } }) },
    }),
    steps: [
      { name: 'node without a search, create', changes: [[undefined, ada]], byHand: [[undefined, ada]] },
      { name: 'node without a search, change', changes: [[ada, eda]], byHand: [[ada, eda]] },
    ],
  };
}

const [FROM, TO] = ['USER-1', 'KNOWS-USER-2'];

function ordered(): Scene {
  const at = (day: string): Item => item(FROM!, TO!, { day });
  const [first, later] = [at('2024'), at('2025')];
  const hand = (edgeItem: Item, day: string): Item => keyed(edgeItem, day);
  return {
    ...bothOf((native) => ({
      table: 'bench',
      nodes: { USER: node() },
      edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { native, orders: { byDay: 'day' } } }) },
    })),
    steps: [
      { name: 'edge in an order, add', changes: [[undefined, first]], byHand: [[undefined, hand(first, '2024')]] },
      {
        name: 'edge in an order, another place',
        changes: [[first, later]],
        byHand: [[hand(first, '2024'), hand(later, '2025')]],
      },
      { name: 'edge in an order, delete', changes: [[later, undefined]], byHand: [[hand(later, '2025'), undefined]] },
    ],
  };
}

function orderedTwice(): Scene {
  const at = (day: string): Item => item(FROM!, TO!, { day, until: '2030' });
  const [first, later] = [at('2024'), at('2025')];
  const orders = { byDay: 'day', byUntil: 'until' };
  return {
    ...bothOf((native) => ({
      table: 'bench',
      nodes: { USER: node() },
      edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { native, orders } }) },
    })),
    steps: [
      {
        name: 'edge in two orders, add',
        changes: [[undefined, first]],
        byHand: [[undefined, keyed(first, '2024', '2030')]],
      },
      {
        name: 'edge in two orders, another place in one',
        changes: [[first, later]],
        byHand: [[keyed(first, '2024', '2030'), keyed(later, '2025', '2030')]],
      },
    ],
  };
}

function counted(): Scene {
  const follow = item('USER-1', 'FOLLOWS-USER-2', { day: '2024' });
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
    steps: [
      {
        ...{ name: 'follow that is counted, add', isCounted: true },
        changes: [[undefined, follow]],
        byHand: [[undefined, keyed(follow, '2024')]],
      },
    ],
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
    steps: [
      {
        ...{ name: 'edge with a sum, add', isCounted: true },
        changes: [[undefined, worked]],
        byHand: [[undefined, worked]],
      },
    ],
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
    // Stay derived: by attributes of the issue.
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
      {
        name: 'issue with two edges, create',
        changes: pairs(NONE, [open, inRepo, openedBy]),
        byHand: pairs(NONE, hand('open')),
      },
      { name: 'issue with two edges, close', changes: [[open, closed]], byHand: pairs(hand('open'), hand('closed')) },
      {
        name: 'issue with two edges, delete',
        changes: pairs([inRepo, openedBy, closed], NONE),
        byHand: pairs(hand('closed'), NONE),
      },
    ],
  };
}

/** The producer copies the phase to the edges, as by hand, so orders may be native. */
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
  const step = (name: string, of: (from: typeof items) => Change[]): Step => ({
    name: `issue with its phase on two edges, ${name}`,
    changes: of(items),
    byHand: of(hand),
  });
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
      step('create', (of) => pairs(NONE, of('open'))),
      step('close', (of) => pairs(of('open'), of('closed'))),
      step('delete', (of) => pairs(of('closed'), NONE).toReversed()),
    ],
  };
}

const NONE = [undefined, undefined, undefined];

function pairs(before: readonly (Item | undefined)[], after: readonly (Item | undefined)[]): Change[] {
  return before.map((one, i) => [one, after[i]]);
}

const SEARCHES = ['name', 'brand', 'category', 'colour', 'price', 'sku'] as const;

/** Over two indexes, or one for each search; native ones always have one each. */
function product(indexes: number, over = ''): Scene {
  const at = (name: string, stock: string): Item =>
    item('PRODUCT-1', 'PRODUCT-1', { ...Object.fromEntries(SEARCHES.map((one) => [one, one])), name, stock });
  const hand = (name: string, stock: string): Item => keyed(at(name, stock), name, ...SEARCHES.slice(1));
  return {
    ...bothOf((native) => ({
      table: { name: 'bench', indexes },
      nodes: {
        PRODUCT: node({ view: ['name'], search: Object.fromEntries(SEARCHES.map((one) => [one, { native }])) }),
      },
    })),
    steps: [
      {
        name: `product with six searches${over}, create`,
        changes: [[undefined, at('chair', '1')]],
        byHand: [[undefined, hand('chair', '1')]],
      },
      {
        name: `product with six searches${over}, one changed`,
        changes: [[at('chair', '1'), at('table', '1')]],
        byHand: [[hand('chair', '1'), hand('table', '1')]],
      },
      {
        name: `product with six searches${over}, change that nothing projects`,
        changes: [[at('table', '1'), at('table', '2')]],
        byHand: [[hand('table', '1'), hand('table', '2')]],
      },
    ],
  };
}
