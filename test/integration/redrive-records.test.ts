import { DescribeStreamCommand } from '@aws-sdk/client-dynamodb-streams';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { redriveHandler } from '../../src/deployment/lambda/index.ts';
import { check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { messageOfRest } from '../../src/trust/failures/failure-queue.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { redriveRecords } from '../../src/trust/repair/redrive-records.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

function bookGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      USER: node({ view: 'ALL', search: { name: { shards: 1 }, age: { type: 'number', shards: 1 } } }),
      BOOK: node({ view: 'ALL' }),
    },
    edges: {
      READ: edge({
        from: 'USER',
        to: 'BOOK',
        edgeSet: ['stars'],
        inbound: { orders: { gsi0: 'stars' } },
        degree: true,
      }),
      OWNS: edge({ from: 'USER', to: 'BOOK', copy: ['title'] }),
    },
  });
}

const userItem = (id: number | string, attributes: Item = {}): Item => ({
  ...{ source: { S: `USER-${id}` }, target: { S: `USER-${id}` } },
  ...attributes,
});
const edgeItem = (user: number, type: string, book: number, attributes: Item = {}): Item => ({
  ...{ source: { S: `USER-${user}` }, target: { S: `${type}-BOOK-${book}` } },
  ...attributes,
});

/** A table with this many users, each put twice, read a book, own one; nothing of it is projected. */
async function failedTable(users: number) {
  const table = await testTable(bookGraph());
  const { store } = table;
  const each = Array.from({ length: users }, (_, i) => i);
  await store.writeMany([{ put: { source: { S: 'BOOK-1' }, target: { S: 'BOOK-1' }, title: { S: 'Emma' } } }]);
  await store.writeMany(each.map((i) => ({ put: userItem(i, { name: { S: 'first' } }) })));
  await store.writeMany(each.map((i) => ({ put: edgeItem(i, 'READ', 1, { stars: { S: '5' } }) })));
  await store.writeMany(each.map((i) => ({ put: edgeItem(i, 'OWNS', 1) })));
  await store.writeMany(each.map((i) => ({ put: userItem(i, { name: { S: `name ${i}` } }) })));
  return { ...table, records: await table.allRecords() };
}

/**
 * A table with more records than a redrive folds together, nearly all of them of the cheapest kind: a node each, which has a view. Ten users
 * have edges as well.
 */
async function largeFailedTable() {
  const { records, ...table } = await failedTable(10);
  const books = Array.from({ length: 1_200 - records.length }, (_, i) => ({ S: `BOOK-x${i}` }));
  await table.store.writeMany(books.map((id) => ({ put: { source: id, target: id, title: { S: 'Emma' } } })));
  return { ...table, records: await table.allRecords() };
}

type FailedTable = Awaited<ReturnType<typeof failedTable>>;

/** The message that an event source mapping sends for all records of the table's stream. */
async function failedMessage({ streams, streamArn, records }: FailedTable): Promise<string> {
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const range = {
    ...{ streamArn, shardId: StreamDescription!.Shards![0]!.ShardId! },
    startSequenceNumber: records[0]!.sequenceNumber,
    endSequenceNumber: records.at(-1)!.sequenceNumber,
  };
  return JSON.stringify({ version: '1.0', DDBStreamBatchInfo: range });
}

/** What a check finds once the fan-outs have gone on, as their own records in the stream make them. */
async function findingsOf({ graph, store, projector, allRecords }: Omit<FailedTable, 'records'>): Promise<Finding[]> {
  const continuations = (await allRecords()).filter(({ target }) => target.startsWith('~more/'));
  await projector.project(continuations);
  const findings: Finding[] = [];
  await check(graph, { store, graceMs: 0, onFinding: (finding) => findings.push(finding) });
  return findings;
}

/** Looks at the time that are enough for a thousand records and a bit. */
const BUDGET = 1_150;

describe('a redrive of a large failed batch', () => {
  it('writes each derived item once, and once more where it comes again', async () => {
    const table = await failedTable(60);
    const { graph, store, records } = table;
    expect(records).toHaveLength(241);
    const first = await redriveRecords(records, { graph, store });
    expect(first).toMatchObject({ entries: 241, repaired: 241, left: 0, quarantined: 0 });
    // Of each user: view, name, index item of the edge with the count, reverse item; of the book: its view and fan-outs.
    expect(first.writes).toBeLessThanOrEqual(60 * 6 + 10);
    expect(await findingsOf(table)).toEqual([]);
    const again = await redriveRecords(records.slice(1), { graph, store });
    expect(again).toMatchObject({ entries: 240, repaired: 240, left: 0 });
    expect(again.writes).toBeLessThanOrEqual(first.writes);
  });

  it('costs no more write capacity than the stream handler that projects it', async () => {
    const one = await failedTable(60);
    const { wcu: projecting } = await one.projector.project(one.records);
    const two = await failedTable(60);
    const { wcu: redriving } = await redriveRecords(two.records, { graph: two.graph, store: two.store });
    // Counted items of one node conflict with each other now and then, and a conflict is paid for: how often depends on timing.
    expect(redriving).toBeLessThanOrEqual(projecting * 1.1);
  });

  it('keeps its place: where the time ends in its middle, the next one begins there, until it is done', async () => {
    const table = await largeFailedTable();
    const { graph, store, records } = table;
    const text = JSON.stringify({ kind: 'stands for a failed batch' });
    const places: number[] = [];
    let message = text;
    for (let reconciled = 0; reconciled < records.length; ) {
      expect(places.length).toBeLessThan(100);
      const rest = JSON.parse(message) as { edgeloomRest?: { reconciled: number; message: string } };
      expect(rest.edgeloomRest?.reconciled ?? 0).toBe(reconciled);
      // A budget of calls in the place of a clock: enough for the first slice of a thousand records.
      let budget = BUDGET;
      const remainingMs = (): number => {
        budget -= 1;
        return Math.max(0, budget);
      };
      const result = await redriveRecords(records.slice(reconciled), { graph, store, remainingMs });
      expect(result.repaired).toBeGreaterThan(0);
      expect(result.left).toBe(result.entries - result.repaired);
      if (result.left > 0) expect(result.reasons[0]).toMatch(/^1,\d{3} of 1,200 records reconciled/);
      reconciled += result.repaired;
      places.push(reconciled);
      message = messageOfRest(message, result.repaired);
    }
    expect(places.length).toBeGreaterThan(1);
    expect(JSON.parse(message)).toEqual({ edgeloomRest: { reconciled: records.length, message: text } });
    expect(await findingsOf(table)).toEqual([]);
  });

  it('takes a record that cannot be derived as settled when it is quarantined, and one whose item is mended as fine', async () => {
    const { graph, store, allRecords } = await testTable(bookGraph());
    for (let i = 0; i < 16; i++) await store.put(userItem(i, { name: { S: `${i}` } }));
    await store.put(userItem('bad', { age: { S: 'old' } }));
    await store.put(userItem('mended', { age: { S: 'old' } }));
    const records = await allRecords();
    await store.put(userItem('mended', { age: { N: '7' } }));
    const result = await redriveRecords(records, { graph, store });
    expect(result).toMatchObject({ entries: 18, repaired: 18, left: 0, quarantined: 1, reasons: [] });
    expect(await redrive(graph, { store })).toMatchObject({ entries: 1, repaired: 0, left: 1 });
  });
});

describe('the redrive function and a batch that does not fit its time', () => {
  const logger = pino({ level: 'silent' });
  // Metrics go to stdout as they do in Lambda.
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const queue = 'arn:aws:sqs:eu-central-1:123456789012:failed';
  const event = (body: string) => ({
    Records: [{ messageId: 'm', body, eventSource: 'aws:sqs', eventSourceARN: queue }],
  });

  function handlerOf({ graph, store, streams }: FailedTable, sendRest: (arn: string, rest: string) => Promise<void>) {
    const sources = { streams, readObject: async () => '' };
    return redriveHandler(graph, { store, sources, sendRest, logger });
  }

  it('sends a message for the rest, and has the first one deleted', async () => {
    const table = await largeFailedTable();
    const message = await failedMessage(table);
    const sent: string[] = [];
    const handler = handlerOf(table, async (arn, rest) => {
      expect(arn).toBe(queue);
      sent.push(rest);
    });
    // A call keeps half of its time.
    let budget = 2 * BUDGET;
    const context = { awsRequestId: '1', getRemainingTimeInMillis: () => Math.max(0, budget--) };
    const answer = await handler(event(message), context);
    expect(answer.batchItemFailures).toEqual([]);
    expect(answer.repaired).toBeGreaterThan(0);
    expect(answer.left).toBe(answer.entries - answer.repaired);
    expect(answer.left).toBeGreaterThan(0);
    budget = 1_000_000;
    const rest = await handler(event(sent[0]!), context);
    expect(rest).toMatchObject({ entries: answer.left, repaired: answer.left, left: 0, batchItemFailures: [] });
    expect(sent).toHaveLength(1);
    expect(await findingsOf(table)).toEqual([]);
  });

  it('has the message come again where nothing was settled, or the rest cannot be sent', async () => {
    const table = await largeFailedTable();
    const message = await failedMessage(table);
    const handler = handlerOf(table, async () => {
      throw new Error('no queue');
    });
    let budget = 0;
    const context = { awsRequestId: '1', getRemainingTimeInMillis: () => Math.max(0, budget--) };
    const late = await handler(event(message), context);
    expect(late).toMatchObject({ entries: 0, batchItemFailures: [{ itemIdentifier: 'm' }] });
    budget = 2 * BUDGET;
    const answer = await handler(event(message), context);
    expect(answer.repaired).toBeGreaterThan(0);
    expect(answer.batchItemFailures).toEqual([{ itemIdentifier: 'm' }]);
  });
});

describe('a redrive of the quarantine whose time ends', () => {
  it('begins the next time with the entries that it has not come to, so that stuck ones do not starve the rest', async () => {
    const { graph, store, projectAll } = await testTable(bookGraph());
    for (let i = 0; i < 120; i++) await store.put(userItem(i, { age: { S: 'old' } }));
    await store.put(userItem('last', { age: { S: 'old' } }));
    expect(await projectAll()).toMatchObject({ quarantined: 121 });
    await store.put(userItem('last', { age: { N: '7' } }));
    let repaired = 0;
    const runs: number[] = [];
    while (repaired === 0 && runs.length < 10) {
      let entries = 0;
      const result = await redrive(graph, {
        ...{ store, concurrency: 1 },
        remainingMs: () => (entries >= 100 ? 0 : 60_000),
        onProgress: (count) => {
          entries = count;
        },
      });
      repaired += result.repaired;
      runs.push(result.entries - result.left);
      if (result.repaired === 0) expect(result.reasons.at(-1)).toMatch(/The time is over: entries from USER-/);
    }
    expect(repaired).toBe(1);
    expect(runs.length).toBeGreaterThan(1);
    const { left } = await redrive(graph, { store });
    expect(left).toBe(120);
  });
});
