import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import pMap from 'p-map';
import { createReader } from '../src/client/read/reader.ts';
import { createWriter } from '../src/client/write/writer.ts';
import type { Item } from '../src/core/items/attribute-value.ts';
import type { DerivedUpdate } from '../src/core/store-port.ts';
import { withoutRegistry } from '../src/registry/reader-lease.ts';
import { createClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { plainClient } from './support/document-loop.ts';
import { sizeOf } from './support/extent.ts';
import { withFreeTable } from './support/free-table.ts';
import { fullModel } from './support/models.ts';
import { cpuInTurns, ratios, timed } from './support/paired.ts';
import { atMost, figure, type Report, type Target } from './support/report.ts';

/** CPU of each call of writer and reader against the same call by hand through a DocumentClient, against a table that answers at once. */

const CONCURRENCY = 32;
const REPETITIONS = 5;
/** Calls of one form in one turn. */
const CALLS = sizeOf({ whole: 250, short: 25 });
/** Turns of one repetition, in which both ways alternate. */
const TURNS = sizeOf({ whole: 8, short: 2 });
const WARM_UPS = sizeOf({ whole: 4, short: 0 });
const BATCH = 25;
const PAGE = 25;
const SCANNED = 100;
const DERIVED = 125;
const WRITE = atMost(0.25);
const READ = atMost(0.3);

const TableName = fullModel.table.name;
const ATTRIBUTES = { memberRole: 'LEAD', date: '2026-07-01', note: 'added by the importer' };
const goalOf = (i: number) => `GOAL-${i % 500}` as const;
const edgeOf = (i: number) => ({ source: goalOf(i), target: `GOALMEMBERSHIP-USER-${i}` });
const memberOf = (i: number) => `USER-${i}` as const;

function storedEdges(count: number): Item[] {
  return Array.from({ length: count }, (_, i) => {
    const { source, target } = edgeOf(i);
    const [memberRole, date, note] = Object.values(ATTRIBUTES).map((S) => ({ S }));
    return { source: { S: source }, target: { S: target }, memberRole, date, note } as Item;
  });
}

const UNITS = { ConsumedCapacity: { TableName, CapacityUnits: 1 } };
const pageOf = (count: number) => ({ Items: storedEdges(count), Count: count, ScannedCount: count, ...UNITS });
const ANSWERS = { GetItem: { Item: storedEdges(1)[0], ...UNITS }, Query: pageOf(PAGE), Scan: pageOf(SCANNED) };

interface Form {
  ours: (i: number) => Promise<unknown>;
  byHand: (i: number) => Promise<unknown>;
  target: Target;
  /** Calls in one turn. Default: `CALLS`. */
  calls?: number;
}

export async function calls({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const figures = await withFreeTable(
    async (endpoint) => {
      const client = createClient({ endpoint });
      const base = plainClient(endpoint);
      const documents = DynamoDBDocumentClient.from(base);
      const forms = { ...writes(client, documents), ...derivedWrites(client, documents), ...reads(client, documents) };
      const run = (call: (i: number) => Promise<unknown>, count: number) => () =>
        timed(async () => {
          const numbers = Array.from({ length: count }, (_, i) => i);
          await pMap(numbers, call, { concurrency: CONCURRENCY });
        });
      const measured: Report['figures'] = [];
      for (const [name, { ours, byHand, target, calls: count = CALLS }] of Object.entries(forms)) {
        const variants = { ours: run(ours, count), byHand: run(byHand, count) };
        const cpu = await cpuInTurns(repetitions, variants, { turns: TURNS, warmUps: WARM_UPS });
        measured.push(figure(name, ratios(cpu.ours, cpu.byHand), 'x', target));
      }
      client.destroy();
      base.destroy();
      return measured;
    },
    { answers: ANSWERS },
  );
  const title = `CPU of a call against the same through a DocumentClient, ${CONCURRENCY} at once`;
  return [{ name: 'calls', title, figures }];
}

function writes(client: DynamoDBClient, documents: DynamoDBDocumentClient): Record<string, Form> {
  const writer = createWriter(fullModel, { store: new DynamoDBStore(client, fullModel.table) });
  const numbers = Array.from({ length: BATCH }, (_, i) => i);
  const forms: Record<string, Omit<Form, 'target'>> = {
    putEdge: {
      ours: (i) => writer.putEdge(goalOf(i), 'GOALMEMBERSHIP', memberOf(i), ATTRIBUTES),
      byHand: (i) => documents.send(new PutCommand({ TableName, Item: { ...edgeOf(i), ...ATTRIBUTES } })),
    },
    'putEdge, if it is absent': {
      ours: (i) => writer.putEdge(goalOf(i), 'GOALMEMBERSHIP', memberOf(i), ATTRIBUTES, { ifAbsent: true }),
      byHand: (i) =>
        documents.send(
          new PutCommand({
            TableName,
            Item: { ...edgeOf(i), ...ATTRIBUTES },
            ConditionExpression: 'attribute_not_exists(#s)',
            ExpressionAttributeNames: { '#s': 'source' },
          }),
        ),
    },
    updateEdge: {
      ours: (i) => writer.updateEdge(goalOf(i), 'GOALMEMBERSHIP', memberOf(i), { set: { note: 'changed' } }),
      byHand: (i) =>
        documents.send(
          new UpdateCommand({
            TableName,
            Key: edgeOf(i),
            UpdateExpression: 'SET #n = :n',
            ConditionExpression: 'attribute_exists(#s)',
            ExpressionAttributeNames: { '#n': 'note', '#s': 'source' },
            ExpressionAttributeValues: { ':n': 'changed' },
            ReturnValues: 'ALL_NEW',
          }),
        ),
    },
    deleteEdge: {
      ours: (i) => writer.deleteEdge(goalOf(i), 'GOALMEMBERSHIP', memberOf(i)),
      byHand: (i) => documents.send(new DeleteCommand({ TableName, Key: edgeOf(i) })),
    },
    [`batch of ${BATCH} edges`]: {
      ours: () =>
        writer.batch((batch) => {
          for (const i of numbers) batch.putEdge(goalOf(i), 'GOALMEMBERSHIP', memberOf(i), ATTRIBUTES);
        }),
      byHand: () => {
        const requests = numbers.map((i) => ({ PutRequest: { Item: { ...edgeOf(i), ...ATTRIBUTES } } }));
        return documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
      },
    },
    'transaction of two': {
      ours: (i) =>
        writer.transact((transaction) => {
          transaction.requireNode(goalOf(i));
          transaction.putEdge(goalOf(i), 'GOALMEMBERSHIP', memberOf(i), ATTRIBUTES, { ifAbsent: true });
        }),
      byHand: (i) =>
        documents.send(
          new TransactWriteCommand({
            TransactItems: [
              {
                ConditionCheck: {
                  TableName,
                  Key: { source: goalOf(i), target: goalOf(i) },
                  ConditionExpression: 'attribute_exists(#s)',
                  ExpressionAttributeNames: { '#s': 'source' },
                },
              },
              {
                Put: {
                  TableName,
                  Item: { ...edgeOf(i), ...ATTRIBUTES },
                  ConditionExpression: 'attribute_not_exists(#s)',
                  ExpressionAttributeNames: { '#s': 'source' },
                },
              },
            ],
          }),
        ),
    },
  };
  return withTarget(forms, WRITE);
}

/** Inserts and changes 100 known derived items: 25 in a call of statements, by an UpdateItem each, and by hand. */
function derivedWrites(client: DynamoDBClient, documents: DynamoDBDocumentClient): Record<string, Form> {
  const store = new DynamoDBStore(client, fullModel.table);
  const numbers = Array.from({ length: DERIVED }, (_, i) => i);
  const set = { gsi0pk: 'GOALMEMBERSHIP-USER-1', gsi0sk: 'LEAD', attributes: { date: '2026-07-01', note: 'added' } };
  const keyOf = (i: number) => ({ source: goalOf(i), target: `~ix/GOALMEMBERSHIP-USER-${i}` });
  const updates = numbers.map(
    (i): DerivedUpdate => ({
      key: keyOf(i),
      set: marshall(set) as Item,
      unset: i % 2 === 0 ? [] : ['expiresAt'],
      condition: i % 2 === 0 ? { kind: 'absent' } : { kind: 'revision', revision: '7' },
    }),
  );
  const byHand = (): Promise<unknown> => pMap(numbers, (i) => documents.send(derivedUpdateByHand(keyOf(i), set, i)));
  return {
    [`${DERIVED} derived items, in statements`]: {
      ours: () => store.updateMany(updates),
      byHand,
      target: atMost(0.1),
      calls: CALLS / DERIVED,
    },
    [`${DERIVED} derived items, each by an UpdateItem`]: {
      ours: () => pMap(updates, (update) => store.update(update)),
      byHand,
      target: WRITE,
      calls: CALLS / DERIVED,
    },
  };
}

function derivedUpdateByHand(Key: object, set: Record<string, unknown>, i: number): UpdateCommand {
  const names = Object.keys(set);
  return new UpdateCommand({
    TableName,
    Key: Key as Record<string, string>,
    UpdateExpression: `SET ${names.map((_, n) => `#${n} = :${n}`).join(', ')} ADD #r :one`,
    ConditionExpression: i % 2 === 0 ? 'attribute_not_exists(#s)' : '#r = :seen',
    ExpressionAttributeNames: {
      '#r': 'r',
      ...(i % 2 === 0 && { '#s': 'source' }),
      ...Object.fromEntries(names.map((name, n) => [`#${n}`, name])),
    },
    ExpressionAttributeValues: {
      ':one': 1,
      ...(i % 2 === 1 && { ':seen': 7 }),
      ...Object.fromEntries(names.map((name, n) => [`:${n}`, set[name]])),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ReturnConsumedCapacity: 'TOTAL',
  });
}

function reads(client: DynamoDBClient, documents: DynamoDBDocumentClient): Record<string, Form> {
  const store = new DynamoDBStore(client, fullModel.table);
  // The registry is read once in 30 s.
  const reader = createReader(fullModel, { store, leases: withoutRegistry(fullModel) });
  const forms: Record<string, Omit<Form, 'target'>> = {
    edge: {
      ours: (i) => reader.getEdge(goalOf(i), 'GOALMEMBERSHIP', memberOf(i)),
      byHand: (i) => documents.send(new GetCommand({ TableName, Key: edgeOf(i) })),
    },
    [`edges, a page of ${PAGE}`]: {
      ours: (i) => reader.edges(goalOf(i), 'GOALMEMBERSHIP'),
      byHand: (i) =>
        documents.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: '#s = :s AND begins_with(#t, :t)',
            ExpressionAttributeNames: { '#s': 'source', '#t': 'target' },
            ExpressionAttributeValues: { ':s': goalOf(i), ':t': 'GOALMEMBERSHIP-' },
          }),
        ),
    },
    [`scan, a page of ${SCANNED}`]: {
      ours: (i) => store.scan({ segment: i % 4, segments: 4 }),
      byHand: (i) => documents.send(new ScanCommand({ TableName, Segment: i % 4, TotalSegments: 4 })),
    },
  };
  return withTarget(forms, READ);
}

function withTarget(forms: Record<string, Omit<Form, 'target'>>, target: Target): Record<string, Form> {
  return Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, { ...form, target }]));
}
