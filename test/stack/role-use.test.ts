import { createHash } from 'node:crypto';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { SERVICE_PARTITION } from '../../src/core/items/keys.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { RunEvent, RunHandler, RunResponse } from '../../src/deployment/lambda/check-run-handler.ts';
import { checkRunHandler, observeHandler, redriveHandler, streamHandler } from '../../src/deployment/lambda/index.ts';
import type { MigrateResponse } from '../../src/deployment/lambda/migrate-call.ts';
import { sleep } from '../../src/foundation/runtime.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { modelNotice } from '../../src/registry/notice.ts';
import { describeTable, hasTtl, serverTime, tableIdentity } from '../../src/store/table-description.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { check } from '../../src/trust/check/check.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { eraseSubject } from '../../src/trust/subject/erase-subject.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { featureGraph } from '../support/stack/feature-graph.ts';
import { loadFunction } from '../support/stack/functions.ts';
import {
  correct,
  damage,
  fill,
  guardedTable,
  keysOf,
  loseIndex,
  readAsBefore,
  readOwn,
  stopProxies,
} from '../support/stack/guarded-table.ts';

/**
 * Every program, with a model that has every feature, under the rights that the stack gives it: a proxy before the engine refuses what
 * the policy does not allow, and what it allows has to be used. A right too few fails here as it would on AWS, and a right too
 * many fails as well.
 */

const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 900_000 };
const logger = pino({ level: 'silent' });
const graceMs = 20;

beforeEach(() => {
  // Metrics go to stdout as they do in Lambda.
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stopProxies();
});

const EXTRA_SEARCH = 'search:USER.other';

/** What the table kept before: one search, which the model has no more. */
const modelBefore = (table: string) =>
  defineGraph({ table, nodes: { USER: node({ view: 'ALL', search: { other: { attribute: 'name' } } }) }, edges: {} });

type Table = Awaited<ReturnType<typeof guardedTable>>;

/** Does a worker's share as the state machine does: from cursor to cursor, with its pauses. */
async function runShare(handler: RunHandler, share: object): Promise<RunResponse> {
  for (let cursor: unknown = null, calls = 1; ; calls++) {
    expect(calls).toBeLessThan(20);
    const answer = (await handler({ ...share, cursor } as RunEvent, context)) as RunResponse;
    if (answer.cursor === null) return answer;
    cursor = answer.cursor;
    await sleep(2 * graceMs);
  }
}

/** Migrates as the state machine does, from a model with less: the pauses of the machine pass at once. */
async function migrateByFunction(table: Table, client: Table['client']): Promise<void> {
  const { graph } = table;
  const before = modelBefore(graph.table.name);
  await correct(table);
  expect(await migrate(before, { store: table.store, wait: async () => {} })).toMatchObject({ done: true });
  await loseIndex(table);
  let nowMs = Date.now();
  const handler = checkRunHandler(graph, { client, logger, graceMs, now: () => nowMs });
  for (let calls = 1; ; calls++) {
    expect(calls).toBeLessThan(50);
    const request = { workers: 2, maxRcu: 0, maxWcu: 10_000 };
    const { done, shares, waitSeconds } = (await handler({ migrate: request }, context)) as MigrateResponse;
    if (done) return;
    for (const walk of shares) expect(await handler({ walk }, context)).toEqual({ isDone: true });
    nowMs += waitSeconds * 1000;
  }
}

describe('a program calls exactly what its role allows:', () => {
  it('the stream function, with records in order, again, one by one, and after a change of what is copied', async () => {
    const table = await guardedTable(featureGraph);
    const { client, store, expectExact } = await table.as('StreamRole');
    const handler = streamHandler(table.graph, { client, logger });
    await fill(table);
    const first = await table.records();
    expect(await handler({ Records: first as never }, context)).toEqual({ batchItemFailures: [] });
    await table.writer.putNode('USER-2', { name: 'Renamed', joined: '2026-01-01' });
    await table.writer.deleteNode('USER-3');
    const later = (await table.records()).slice(first.length);
    for (const record of later) await handler({ Records: [record] as never }, context);
    // Older than what is projected, and at odds with it: the base items decide.
    for (const record of first) await handler({ Records: [record] as never }, context);
    await readOwn(store);
    // How far it has come.
    await store.put(keysOf(SERVICE_PARTITION, 'consumers/stream'));
    expectExact();
  });

  it.each([
    ['the check', 'CheckRole', 'check', false],
    ['the check that repairs', 'CheckRole', 'check', true],
    ['the rebuild', 'RebuildRole', 'rebuild', false],
  ] as const)('%s', async (_program, role, mode, repair) => {
    const table = await guardedTable(featureGraph);
    await fill(table);
    await table.projectAll();
    await damage(table);
    const { client, store, expectExact } = await table.as(role, { checkRepair: repair });
    const handler = checkRunHandler(table.graph, { client, logger, graceMs });
    const limits = { hours: 1, workers: 1, maxRcu: 0, maxWcu: 1000, repair };
    const plan = (await handler({ plan: { mode, ...limits } }, context)) as { shares: never[] };
    expect(plan.shares).toHaveLength(1);
    expect(await runShare(handler, plan.shares[0]!)).toMatchObject({ isDone: true });
    await readOwn(store);
    if (mode === 'rebuild' || repair) {
      const again = checkRunHandler(table.graph, { client: table.client, logger, graceMs });
      const { shares } = (await again({ plan: { mode: 'check', ...limits, repair: false } }, context)) as {
        shares: never[];
      };
      expect(await runShare(again, shares[0]!)).toMatchObject({ drift: { missing: 0, stale: 0, orphan: 0 } });
    }
    if (mode === 'rebuild') {
      await migrateByFunction(table, client);
      await readAsBefore({ client, store }, table.graph, { scans: true });
    }
    expectExact();
  });

  it('a migration that builds everything, and takes away what the model lacks', async () => {
    const table = await guardedTable(featureGraph);
    await fill(table);
    await table.projectAll();
    await damage(table);
    await correct(table);
    const wait = async (): Promise<void> => {};
    const graph = modelBefore(table.graph.table.name);
    expect(await migrate(graph, { store: table.store, wait })).toMatchObject({ done: true });

    await loseIndex(table);
    const { client, store, expectExact } = await table.as('MigratorPolicy');
    const ofCommand = {
      ...{ store, wait, ...(await tableIdentity(table.graph, { client })) },
      serverTime: () => serverTime(table.graph, { client }),
    };
    expect(await modelNotice(table.graph, store)).toMatchObject({ isManaged: true });
    const action = { kind: 'drop', name: EXTRA_SEARCH } as const;
    expect(await migrate(table.graph, { ...ofCommand, action })).toMatchObject({ done: true });
    expect(await modelNotice(table.graph, store)).toEqual({ isManaged: true, changes: [] });
    await readAsBefore({ client, store }, table.graph, { scans: true });
    expectExact();
  });

  it('an operator who checks, repairs, redrives, looks at the status, migrates and erases', async () => {
    const table = await guardedTable(featureGraph);
    await fill(table);
    await table.projectAll();
    await damage(table);
    const { client, store, expectExact } = await table.as('OperatorPolicy');
    const { graph } = table;
    expect(await check(graph, { store, graceMs, mode: 'repair' })).toMatchObject({ repaired: expect.any(Number) });
    await redrive(graph, { store });
    await correct(table);
    expect((await describeTable(graph, { client })).lacks).toEqual([]);
    await hasTtl(client, graph);
    await loseIndex(table);
    const ofTable = { ...(await tableIdentity(graph, { client })), serverTime: () => serverTime(graph, { client }) };
    expect(await migrate(graph, { store, wait: async () => {}, ...ofTable })).toMatchObject({ done: true });
    await readAsBefore({ client, store }, graph, { scans: true });
    await readOwn(store);
    expect((await eraseSubject(graph, { store, id: 'USER-3' })).deleted).toMatchObject({ nodes: 1 });
    // The place of a check, which it deletes at its end.
    await store.put(keysOf(SERVICE_PARTITION, 'check'));
    await store.delete({ source: SERVICE_PARTITION, target: 'check' });
    expectExact();
  });

  it('the redrive, of the quarantine and of a failed batch', async () => {
    const table = await guardedTable(featureGraph);
    await fill(table);
    const records = await table.records();
    await table.projectAll();
    await damage(table);
    const { client, store, full, expectExact } = await table.as('RedriveRole');
    await table.writer.putNode('USER-2', { name: 'Renamed', joined: '2026-01-01' });
    const renamed = (await table.records()).slice(-1);
    // One batch with what cannot be projected in full, and one without.
    const good = records.filter(({ dynamodb }) => !JSON.stringify(dynamodb).includes('USER-9'));
    const batchOf = (contents: unknown[]) =>
      JSON.stringify({
        DDBStreamBatchInfo: {
          streamArn: table.streamArn,
          shardId: 's',
          startSequenceNumber: '1',
          endSequenceNumber: '2',
        },
        payload: JSON.stringify({ Records: contents }),
      });
    const deleted: string[] = [];
    const handler = redriveHandler(table.graph, {
      ...{ client, logger },
      sources: {
        ...{ streams: table.streams, buckets: ['b'] },
        readObject: async (_bucket, key) =>
          batchOf(key.endsWith('good') ? good : key.endsWith('renamed') ? renamed : records),
        deleteObject: async (_bucket, key) => void deleted.push(key),
      },
    });
    const event = (key: string) => {
      const notice = { Records: [{ s3: { bucket: { name: 'b' }, object: { key: `aws/lambda/${key}` } } }] };
      return { Records: [{ messageId: key, body: JSON.stringify(notice), eventSource: 'aws:sqs' }] };
    };
    // What cannot be projected in full goes into quarantine, so that either batch is settled, and deleted.
    for (const key of ['all', 'good']) {
      expect(await handler(event(key), context)).toMatchObject({ left: 0, batchItemFailures: [] });
    }
    expect(deleted).toEqual(['aws/lambda/all', 'aws/lambda/good']);
    // A view that has no room for the name that is copied into it.
    full.add('USER-1');
    await handler(event('renamed'), context);
    full.clear();
    await handler({}, context);
    await table.writer.putNode('USER-9', { name: 'Mended', joined: '2026-01-01' });
    await table.store.delete({ source: 'USER-9', target: 'MEMBER-nothing' });
    await handler({}, context);
    // The table has items and no registry: it is looked at, and left alone.
    await handler({ watch: true }, context);
    await readOwn(store);
    // It deletes edges that are over, which few models have: the test of these is below.
    await store.delete({ source: 'USER-9', target: 'MEMBER-over' });
    expectExact();
  });

  it('the observer, of what is projected and of what is broken', async () => {
    const table = await guardedTable(featureGraph);
    const { client, expectExact } = await table.as('ObserveRole', { observe: true });
    // The pauses end at once and advance the observer's clock, because looks wait for the low watermark.
    let passedMs = 0;
    const handler = observeHandler(table.graph, {
      ...{ client, logger, indexShare: 1, limits: { lateMs: 50, skewMs: 20, graceMs: 20, listMs: 50 } },
      stream: new DynamoDBStreamSource(table.streams, table.streamArn),
      now: () => Date.now() + passedMs,
      async wait(milliseconds) {
        passedMs += milliseconds;
      },
    });
    await handler({}, context);
    await fill(table);
    // The low watermark moves by the claims of the stream's function.
    const project = streamHandler(table.graph, { client: table.client, logger });
    expect(await project({ Records: (await table.records()) as never }, context)).toEqual({ batchItemFailures: [] });
    await damage(table);
    const { records, drift } = await handler({}, context);
    expect(records).toBeGreaterThan(0);
    // The view that is damaged, and the one that is missing.
    expect(drift).toBeGreaterThanOrEqual(2);
    // The indexes are asked a minute later.
    passedMs += 61_000;
    await handler({}, context);
    expectExact();
  });

  it('producers and readers; a producer is kept off the own partition of the programs', async () => {
    const table = await guardedTable(featureGraph);
    const producer = await table.as('ProducerPolicy');
    const writer = createWriter(table.graph, { store: producer.store });
    await fill({ ...table, writer, store: producer.store });
    await table.projectAll();
    await writer.batch(async (batch) => {
      await batch.putNode('USER-7', { name: 'Seven', joined: '2026-01-01' });
    });
    const key = { source: 'USER-7', target: 'USER-7' };
    const set = { kind: 'update', key, changes: { set: { name: { S: 'Eight' } } } } as const;
    expect(await producer.store.change(set)).toMatchObject({ applied: true });
    const look = {
      kind: 'look',
      key: { source: 'USER-1', target: 'USER-1' },
      condition: { present: true },
    } as const;
    const token = createHash('sha256').update(table.graph.table.name).digest('hex').slice(0, 36);
    expect(await producer.store.changeAll([set, look], token)).toMatchObject({ applied: true });
    await writer.deleteNodeWithEdges('USER-1');
    await writer.deleteNodeWithEdges('USER-2');
    await readOwn(producer.store);
    await readAsBefore(producer, table.graph);
    producer.expectExact();
    await expect(producer.store.put(keysOf(SERVICE_PARTITION, 'head'))).rejects.toMatchObject({ kind: 'fatal' });
    expect(producer.denied).toHaveLength(1);

    const { client, store, expectExact } = await table.as('ReaderPolicy');
    const reader = createReader(table.graph as CompiledModel, { store });
    await reader.getViews(['USER-0']);
    for (const { type, inbound } of table.graph.edges.values()) {
      await reader.edges('USER-0', type as never);
      if (inbound !== undefined) await reader.inbound('USER-2', type);
    }
    await reader.search('USER.joined').equals('2026-01-01');
    await reader.waitForProjection('USER-0', { timeoutMs: 5_000 });
    await readAsBefore({ client, store }, table.graph);
    await readOwn(store);
    expectExact();
  });
});

describe('a packaged function under its role', () => {
  it('projects and is refused what it has no right to', async () => {
    const table = await guardedTable(goalGraph);
    await table.writer.putNode('GOAL-1', { title: 'One' });
    const records = await table.records();
    for (const [role, failures] of [
      ['StreamRole', 0],
      ['ReaderPolicy', 1],
    ] as const) {
      const { endpoint } = await table.as(role);
      const environment = {
        EDGELOOM_TABLE: table.graph.table.name,
        AWS_ENDPOINT_URL: endpoint,
        EDGELOOM_LOG_LEVEL: 'silent',
      };
      const handler = await loadFunction('stream', environment);
      const answer = await handler({ Records: records }, context);
      expect(answer.batchItemFailures).toHaveLength(failures);
    }
  });
});

it('the rights of the redrive function let it delete edges that are over', async () => {
  const expiring = (table: string) =>
    defineGraph({
      table,
      nodes: { USER: node({}) },
      edges: { KNOWS: edge({ from: 'USER', to: 'USER', degree: true, expires: 'expiresAt' }) },
    });
  const table = await guardedTable(expiring);
  const key = { source: 'USER-1', target: 'KNOWS-USER-2' };
  await table.store.put({ source: { S: key.source }, target: { S: key.target }, expiresAt: { N: '1000000000' } });
  await table.projectAll();
  const { client, denied } = await table.as('RedriveRole');
  await redriveHandler(table.graph, { client, logger })({ ended: true }, context);
  expect(denied).toEqual([]);
  expect((await table.store.get(key, { consistent: true })).item).toBeUndefined();
});

describe('writes of known items', () => {
  const updates = (source: string) =>
    ['~a', '~b'].map((target) => ({
      key: { source, target },
      set: {},
      unset: [],
      condition: { kind: 'absent' } as const,
    }));

  it('go in statements where a role has the rights, and are refused where it may not write', async () => {
    const table = await guardedTable(goalGraph);
    const stream = await table.as('StreamRole');
    expect(await stream.store.updateMany(updates('USER-1'))).toMatchObject([{ applied: true }, { applied: true }]);
    expect(await stream.store.writesBy()).toBe('statements');
    expect(stream.denied).toEqual([]);
    const reader = await table.as('ReaderPolicy');
    await expect(reader.store.updateMany(updates('USER-2'))).rejects.toMatchObject({ code: 'AccessDeniedException' });
    const actions = new Set(reader.denied.map(({ action }) => action));
    expect([...actions].sort()).toEqual(['dynamodb:PartiQLInsert', 'dynamodb:UpdateItem']);
  });
});
