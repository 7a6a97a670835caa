import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { describeTable, hasTtl } from '../../src/store/table-description.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { type ConsumerProgress, progressItem } from '../../src/stream/progress/consumers.ts';
import { isProjectedIn } from '../../src/stream/progress/projected.ts';
import { appliedUpToMs, notedUpToMs, streamPosition } from '../../src/stream/progress/stream-position.ts';
import { type LastCheck, lastCheckItem } from '../../src/trust/check/last-check.ts';
import {
  readFacts,
  type Status,
  type StatusFacts,
  status,
  statusOf as statusOfFacts,
} from '../../src/trust/explain/status.ts';
import { tableStatus } from '../../src/trust/explain/table-status.ts';
import { TableMemory } from '../../src/trust/observe/memory.ts';
import { eraseSubject } from '../../src/trust/subject/erase-subject.ts';
import { followGraph, follows, user } from '../support/follow-graph.ts';
import { testTable } from '../support/table.ts';

type Table = Awaited<ReturnType<typeof testTable>>;

const MINUTES = 60_000;

function contextOf({ graph, store, streams, streamArn }: Table, laterMs = 0) {
  return {
    store,
    source: new DynamoDBStreamSource(streams, streamArn),
    isProjected: isProjectedIn(graph, { store }),
    now: () => Date.now() + laterMs,
  };
}

function statusFrom(graph: Table['graph'], facts: StatusFacts): Status {
  return statusOfFacts(graph, facts, undefined, Date.now());
}

function statusOf(table: Table, laterMs = 0): Promise<Status> {
  const context = contextOf(table, laterMs);
  const { graph } = table;
  const { store, now } = context;
  return status(graph, { store, now, position: () => streamPosition(graph, context) });
}

async function project({ graph, store, streams, streamArn }: Table, progress = true): Promise<void> {
  await createWorker(graph, { store, streams, streamArn, pollIntervalMs: 20, progress }).run({ untilIdle: true });
}

async function putUsers(table: Table, count: number): Promise<void> {
  await table.store.writeMany(Array.from({ length: count }, (_, i) => ({ put: user(`${i}`) })));
}

describe('status', () => {
  it('tells a consumer that is gone from one that is at the end of its shard', async () => {
    const table = await testTable(followGraph());
    await putUsers(table, 30);
    const gone = await statusOf(table, 10 * MINUTES);
    expect(gone.shards).toEqual([expect.objectContaining({ atEnd: false, state: 'gone' })]);
    expect(gone.shards[0]!.behindSeconds).toBeGreaterThan(500);
    expect(gone.problems).toEqual([expect.stringContaining('No consumer of shard')]);

    await project(table);
    const done = await statusOf(table, 10 * MINUTES);
    expect(done.shards).toEqual([expect.objectContaining({ atEnd: true, behindSeconds: 0, state: 'at end' })]);
    expect(done.consumers).toEqual([expect.objectContaining({ kind: 'worker', isStopped: true })]);
    expect(done.problems).toEqual([]);
  });

  it('tells how each consumer writes what it has read', async () => {
    const table = await testTable(followGraph());
    const { graph, store } = table;
    const progress = { kind: 'lambda', model: graph.fingerprint, seenAtMs: Date.now(), isStopped: false } as const;
    const tell = (more: Pick<ConsumerProgress, 'id' | 'writes'>) =>
      store.put(progressItem(graph.table, { ...progress, ...more, records: 1, intervalMs: 1, shards: [] }, 0));
    await tell({ id: 'denied', writes: 'UpdateItem' });
    await tell({ id: 'fast', writes: 'statements' });
    await tell({ id: 'new' });
    const { consumers } = await statusOf(table);
    expect(Object.fromEntries(consumers.map(({ id, writes }) => [id, writes]))).toEqual({
      denied: 'UpdateItem',
      fast: 'statements',
      new: null,
    });
  });

  it('takes records for applied that a consumer has applied and not noted', async () => {
    const table = await testTable(followGraph());
    await putUsers(table, 5);
    await project(table, false);
    const { shards, consumers } = await statusOf(table);
    expect(consumers).toEqual([]);
    expect(shards).toEqual([expect.objectContaining({ atEnd: true })]);
  });

  it('counts quarantine by reason, and asks for a person', async () => {
    const table = await testTable(followGraph());
    await table.store.put({ ...follows('1', '2'), since: { M: {} } });
    await project(table);
    const { quarantined, problems } = await statusOf(table);
    expect(quarantined).toEqual({ 'wrong-type': 1 });
    expect(problems).toEqual([expect.stringContaining('1 record is in quarantine (wrong-type)')]);
  });

  it('ends the count of a large quarantine where its units are spent, and says so', async () => {
    const table = await testTable(followGraph());
    const { graph, store } = table;
    await store.writeMany(
      Array.from({ length: 101 }, (_, i) => ({ put: { ...follows(`${i}`, '2'), since: { M: {} } } })),
    );
    await project(table);
    const ended = statusFrom(graph, await readFacts({ graph, store, quarantineRcu: 1 }));
    expect(ended).toMatchObject({ quarantined: { 'wrong-type': 100 }, quarantineIsWhole: false });
    expect(ended.problems).toEqual([expect.stringContaining('At least 100 records are in quarantine (wrong-type)')]);
    expect(await statusOf(table)).toMatchObject({ quarantined: { 'wrong-type': 101 }, quarantineIsWhole: true });
  });

  it.each<[string, Partial<LastCheck>, number, RegExp | undefined]>([
    ['a clean check', {}, 0, undefined],
    ['a check that left drift', { verdict: 'drift', drift: 3 }, 0, /^The last check, at 20\S+Z, left 3 differences/],
    [
      'a check that left items without an entry',
      { verdict: 'problems', quarantined: 2 },
      0,
      /^The last check, at 20\S+Z, found 2 quarantined items, and the quarantine now has 0 entries: run edgeloom check/,
    ],
    [
      'a check that exited with 1 for another reason',
      { verdict: 'problems', pending: 1 },
      0,
      /, at 20\S+Z, exited with 1/,
    ],
    ['a check of two days ago', {}, 48 * 60 * MINUTES, /48 hours ago/],
  ])('tells of %s', async (_name, last, laterMs, problem) => {
    const table = await testTable(followGraph());
    const check: LastCheck = { endedAtMs: Date.now(), verdict: 'clean', drift: 0, pending: 0, quarantined: 0, ...last };
    await table.store.put(lastCheckItem(table.graph.table, check));
    const { lastCheck, problems } = await statusOf(table, laterMs);
    expect(lastCheck).toMatchObject({ verdict: check.verdict, drift: check.drift });
    expect(problems).toEqual(problem === undefined ? [] : [expect.stringMatching(problem)]);
  });

  it.each([
    [24, 'has found 24 differences'],
    [25, 'has found at least 25 differences'],
  ])('tells of %i saved differences of an observer, which saves 25 at most', async (count, problem) => {
    const table = await testTable(followGraph());
    const memory = new TableMemory(table.store, Date.now);
    await memory.open();
    const drift = Array.from({ length: count }, (_, i) => ({
      suspect: { source: `USER-${i}`, sortKey: '~view' },
      ...{ differences: [], expected: null, stored: null, foundMs: 1, isCertain: true },
    }));
    await memory.save({
      streamArn: 'arn',
      savedMs: 1,
      shards: [],
      ready: [],
      positionsMs: 1,
      heldBy: undefined,
      drift,
    });
    expect((await statusOf(table)).problems).toContainEqual(expect.stringContaining(problem));
  });
});

describe('the status of a table', () => {
  it('says what the table lacks for the model, and that nothing deletes what has expired', async () => {
    const usual = followGraph();
    const small = { ...usual, table: { ...usual.table, indexes: usual.indexes } };
    const { client, store } = await testTable(small);
    // The same table, and a model that needs another index.
    const graph = defineGraph({
      table: small.table.name,
      nodes: { USER: node({ view: 'ALL' }) },
      edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since', gsi1: 'until' } } }) },
    });
    expect(await hasTtl(client, small)).toBe(true);
    const elsewhere = { ...graph, table: { ...graph.table, ttl: 'endsAt' } };
    expect(await hasTtl(client, elsewhere)).toBe(false);
    const table = await describeTable(elsewhere, { client });
    const { problems } = await tableStatus({ graph: elsewhere, store, table, hasTtl: false, position: undefined });
    expect(problems).toEqual([
      expect.stringMatching(/^The table lacks the index .*gsi1.*which the model needs: run edgeloom migrate\.$/),
      expect.stringMatching(/^TTL is not enabled on endsAt/),
    ]);
  });
});

describe('the position of a stream', () => {
  it('is certain at the end, and at the oldest record that is not applied', async () => {
    const table = await testTable(followGraph());
    const context = contextOf(table);
    await putUsers(table, 3);
    const behind = appliedUpToMs(await streamPosition(table.graph, context));
    expect(behind).toBeLessThanOrEqual(Date.now());
    await project(table);
    const beforeMs = Date.now();
    expect(appliedUpToMs(await streamPosition(table.graph, context))).toBeGreaterThanOrEqual(beforeMs);
  });

  it('is noted as applied only up to the oldest record that no consumer has noted, whatever agrees', async () => {
    const table = await testTable(followGraph());
    const context = contextOf(table);
    await putUsers(table, 3);
    await project(table);
    const beforeMs = Date.now();
    expect(notedUpToMs(await streamPosition(table.graph, context))).toBeGreaterThanOrEqual(beforeMs);
    // A value that comes again after another: comparing takes both records for applied.
    await table.store.put({ ...user('1'), name: { S: 'other' } });
    await table.store.put(user('1'));
    const writtenMs = Date.now();
    const position = await streamPosition(table.graph, context);
    expect(appliedUpToMs(position)).toBeGreaterThanOrEqual(writtenMs);
    expect(notedUpToMs(position)).toBeLessThanOrEqual(writtenMs);
    await project(table);
    expect(notedUpToMs(await streamPosition(table.graph, context))).toBeGreaterThanOrEqual(writtenMs);
  });

  it('is unknown where many records stand for each other', async () => {
    const table = await testTable(followGraph());
    await putUsers(table, 60);
    await project(table, false);
    expect(appliedUpToMs(await streamPosition(table.graph, contextOf(table)))).toBeUndefined();
  });

  it('shows an erasure until its second run has ended, and asks for that run once its day has come', async () => {
    const table = await testTable(followGraph());
    const { graph, store } = table;
    await putUsers(table, 2);
    await project(table);
    const run = (laterHours: number) => eraseSubject(graph, { store, id: 'USER-0', now: hoursOn(laterHours) });
    const { next } = await run(0);
    await project(table);

    const waiting = await statusOf(table);
    expect(waiting.erasures).toEqual([{ state: 'waiting', since: expect.any(String), next: expect.any(String) }]);
    expect(Math.abs(Date.parse(waiting.erasures[0]!.next!) - Date.parse(next!))).toBeLessThan(1000);
    expect(waiting.problems).toEqual([]);

    const due = await status(graph, { store, now: hoursOn(50) });
    expect(due.erasures).toMatchObject([{ state: 'due' }]);
    expect(due.problems).toEqual([
      expect.stringMatching(/^The erasure of .* waits for its second run since .*: run edgeloom subject erase/),
    ]);
    expect(JSON.stringify(due.erasures)).not.toContain('USER-0');

    expect(await run(50)).toMatchObject({ isDone: true });
    expect((await statusOf(table)).erasures).toEqual([]);
  });

  it('shows an erasure whose first run did not end, and one whose record cannot be read', async () => {
    const table = await testTable(followGraph());
    const { graph, store } = table;
    await putUsers(table, 2);
    expect(await eraseSubject(graph, { store, id: 'USER-0', remainingMs: () => 0 })).toMatchObject({ isStopped: true });
    await store.put({ source: { S: '~edgeloom' }, target: { S: 'erasure/0' }, state: { S: '{' } });
    const { erasures, problems } = await status(graph, { store });
    expect(erasures).toEqual([{ state: 'deleting', since: expect.any(String), next: null }]);
    expect(problems).toEqual([
      expect.stringContaining('has not ended its first run'),
      expect.stringContaining('1 item ~edgeloom erasure/… cannot be read'),
    ]);
  });
});

/** Hours later than now. */
function hoursOn(hours: number): () => number {
  return () => Date.now() + hours * 60 * MINUTES;
}
