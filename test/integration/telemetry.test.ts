import { type Attributes, context, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { Telemetry } from '../../src/core/telemetry.ts';
import { functionLogger } from '../../src/deployment/lambda/function-logger.ts';
import { redriveHandler } from '../../src/deployment/lambda/redrive-handler.ts';
import { openTelemetry } from '../../src/deployment/telemetry/index.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { check } from '../../src/trust/check/check.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { failingStore } from '../support/follow-graph.ts';
import { howTo } from '../support/how-to.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** Spans and metrics as the SDK of OpenTelemetry gets them, on a real engine. docs/how-to/telemetry.md names them. */

const PAGE = howTo(['telemetry']);

/** Nobody else reads these tables: no reader's lease has to end. */
const noWait = async (): Promise<void> => undefined;

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

/** A table, and an SDK that keeps what it gets. */
async function observedTable() {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({ view: 'ALL', search: { name: {} } }), GOAL: node({ view: ['title'] }) },
    edges: {
      MEMBER: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'], inbound: { orders: { gsi0: 'since' } } }),
      READS: edge({ from: 'USER', to: 'GOAL', inbound: { native: true, orders: { byDay: 'day' } } }),
    },
  });
  const table = await testTable(graph);
  const spans = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
  const telemetry = openTelemetry({ tracerProvider, meterProvider: new MeterProvider({ readers: [reader] }) });
  /** The spans since the last call. */
  const takeSpans = (): ReadableSpan[] => {
    const taken = [...spans.getFinishedSpans()];
    spans.reset();
    return taken;
  };
  /** The sum of each metric, or the number of its values. */
  const metrics = async (): Promise<Record<string, { value: number; attributes: Attributes }[]>> => {
    await reader.forceFlush();
    const all =
      exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    const values = all.map(({ descriptor: { name }, dataPoints }) => [
      name,
      dataPoints.map(({ value, attributes }) => ({
        attributes,
        value: typeof value === 'number' ? value : (value as { count: number }).count,
      })),
    ]);
    return Object.fromEntries(values);
  };
  return { ...table, graph, telemetry, takeSpans, metrics };
}

/** The names of spans, each with those below it: once each, in the order of the alphabet; `TABLE` stands for the table. */
function treeOf(spans: readonly ReadableSpan[], table: string): string[] {
  const nameOf = ({ name }: ReadableSpan): string => name.replace(table, 'TABLE');
  const below = (parent: string | undefined): string[] => [
    ...new Set(
      spans
        .filter((span) => span.parentSpanContext?.spanId === parent)
        .map((span) => {
          const inner = below(span.spanContext().spanId);
          return inner.length === 0 ? nameOf(span) : `${nameOf(span)} > ${inner.join(' + ')}`;
        })
        .sort(),
    ),
  ];
  return below(undefined);
}

function named(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} in ${spans.map((span) => span.name).join(', ')}`);
  return found;
}

/** Writes a goal with a member. */
async function writeGoal(table: Awaited<ReturnType<typeof observedTable>>, telemetry?: Telemetry) {
  const { graph, store } = table;
  const writer = createWriter(graph, { store, telemetry });
  await writer.putNode('USER-U1', { name: 'Ada' });
  await writer.putNode('GOAL-G1', { title: 'Run' });
  await writer.putEdge('GOAL-G1', 'MEMBER', 'USER-U1', { role: 'LEAD', since: '2026' });
  return writer;
}

describe('the spans', () => {
  it('of writes have the call to DynamoDB below the operation', async () => {
    const table = await observedTable();
    const { graph, telemetry, takeSpans } = table;
    const writer = await writeGoal(table, telemetry);
    const spans = takeSpans();
    expect(treeOf(spans, graph.table.name)).toEqual([
      'putEdge MEMBER > PutItem TABLE',
      'putNode GOAL > PutItem TABLE',
      'putNode USER > PutItem TABLE',
    ]);
    const put = named(spans, 'putEdge MEMBER');
    expect(put).toMatchObject({ kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.UNSET } });
    expect(put.attributes).toEqual({
      'edgeloom.operation': 'putEdge',
      'edgeloom.type': 'MEMBER',
      'db.collection.name': graph.table.name,
    });
    const call = named(spans, `PutItem ${graph.table.name}`);
    expect(call.kind).toBe(SpanKind.CLIENT);
    expect(call.attributes).toEqual({
      'db.system.name': 'aws.dynamodb',
      'db.operation.name': 'PutItem',
      'db.collection.name': graph.table.name,
      'aws.dynamodb.consumed_capacity': [JSON.stringify({ TableName: graph.table.name, CapacityUnits: 1 })],
    });
    await writer.with(createSession()).deleteNode('USER-U1');
    expect(treeOf(takeSpans(), graph.table.name)).toEqual(['deleteNode USER > DeleteItem TABLE']);
  });

  it('of a batch have its counts, and every call of it below', async () => {
    const table = await observedTable();
    const { graph, store, telemetry, takeSpans } = table;
    await writeGoal(table);
    const result = await createProjector(graph, { store, telemetry }).project(await table.allRecords());
    const spans = takeSpans();
    const batch = named(spans, `process ${graph.table.name}`);
    expect(batch.kind).toBe(SpanKind.CONSUMER);
    expect(batch.attributes).toMatchObject({
      'messaging.system': 'aws.dynamodb.streams',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': graph.table.name,
      'messaging.batch.message_count': 3,
      'edgeloom.batch.records': 3,
      'edgeloom.batch.touches': result.touches,
      'edgeloom.batch.writes': result.writes,
      'edgeloom.batch.wcu': result.wcu,
      'edgeloom.batch.conflicts': 0,
      'edgeloom.batch.quarantined': 0,
    });
    const calls = spans.filter((span) => span !== batch);
    expect(calls.map(({ name }) => name.split(' ')[0])).toContain('BatchExecuteStatement');
    expect(calls.every((span) => span.parentSpanContext?.spanId === batch.spanContext().spanId)).toBe(true);
  });

  it('of a worker are those of its batches', async () => {
    const table = await observedTable();
    const { graph, store, streams, streamArn, telemetry, takeSpans } = table;
    await writeGoal(table);
    await createWorker(graph, { store, streams, streamArn, telemetry, pollIntervalMs: 20 }).run({ untilIdle: true });
    const batches = takeSpans().filter(({ name }) => name === `process ${graph.table.name}`);
    const records = batches.map(({ attributes }) => Number(attributes['messaging.batch.message_count']));
    expect(records.reduce((sum, count) => sum + count, 0)).toBe(3);
  });

  it('of reads name the type, and the number of rows', async () => {
    const table = await observedTable();
    const { graph, store, telemetry, takeSpans } = table;
    const writer = await writeGoal(table);
    await writer.putEdge('USER-U1', 'READS', 'GOAL-G1', { day: '2026-01-01' });
    await table.projectAll();
    const reader = createReader(graph, { store, telemetry });
    await reader.getViews(['GOAL-G1']);
    takeSpans();
    expect(await reader.getViews(['GOAL-G1'])).toHaveLength(1);
    expect((await reader.inbound('USER-U1', 'MEMBER')).items).toHaveLength(1);
    expect((await reader.inbound('GOAL-G1', 'READS')).items).toHaveLength(1);
    expect((await reader.search('USER.name').equals('Ada')).items).toHaveLength(1);
    expect(await reader.has('GOAL-G1', 'MEMBER', 'USER-U1')).toBe(true);
    const spans = takeSpans();
    expect(treeOf(spans, graph.table.name)).toEqual([
      'getViews GOAL > BatchGetItem TABLE',
      'has MEMBER > GetItem TABLE',
      'inbound MEMBER > Query TABLE',
      'inbound READS > Query TABLE',
      'search.equals USER.name > Query TABLE',
    ]);
    expect(named(spans, 'inbound MEMBER').attributes).toMatchObject({ 'db.response.returned_rows': 1 });
    expect(named(spans, `BatchGetItem ${graph.table.name}`).attributes).toMatchObject({
      'db.operation.batch.size': 1,
      'db.response.returned_rows': 1,
    });
  });

  it('of a check and of a migration have what they found and did', async () => {
    const table = await observedTable();
    const { graph, store, telemetry, takeSpans } = table;
    await writeGoal(table);
    const { drift } = await check(graph, { store, telemetry, mode: 'rebuild', segments: 1, graceMs: 0 });
    expect(drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
    await check(graph, { store, telemetry, segments: 1, graceMs: 0 });
    const checks = takeSpans().filter(({ name }) => name === `check ${graph.table.name}`);
    expect(checks.map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({ 'edgeloom.check.base_items': 3 }),
      expect.objectContaining({ 'edgeloom.check.base_items': 3, 'edgeloom.check.drift.missing': 0 }),
    ]);
    const { steps } = await migrate(graph, { store, telemetry, mostSteps: 2, wait: noWait });
    expect(steps).toHaveLength(2);
    const tree = treeOf(takeSpans(), graph.table.name);
    expect(tree).toHaveLength(1);
    expect(tree[0]).toMatch(/^migrate TABLE > /);
    for (const { step } of steps) expect(tree[0]).toMatch(new RegExp(`[>+] ${step} `));
  });

  it('of a redrive have what it reconciled, also of a function', async () => {
    const table = await observedTable();
    const { graph, store, telemetry, takeSpans } = table;
    await store.put({ source: { S: 'USER-U1' }, target: { S: 'USER-U1' }, name: { N: '7' } });
    await createProjector(graph, { store }).project(await table.allRecords());
    await store.put({ source: { S: 'USER-U1' }, target: { S: 'USER-U1' }, name: { S: 'Eve' } });
    const context = { awsRequestId: 'redrive-1', getRemainingTimeInMillis: () => 60_000 };
    const logger = functionLogger('silent');
    expect(await redriveHandler(graph, { store, telemetry, logger })({}, context)).toMatchObject({ repaired: 1 });
    const spans = takeSpans();
    expect(named(spans, `redrive ${graph.table.name}`).attributes).toMatchObject({
      'edgeloom.operation': 'redrive',
      'edgeloom.redrive.entries': 1,
      'edgeloom.redrive.repaired': 1,
    });
    expect(named(spans, `UpdateItem ${graph.table.name}`).attributes).toMatchObject({
      'db.system.name': 'aws.dynamodb',
    });
  });

  it('of errors have their code, and no message', async () => {
    const table = await observedTable();
    const { graph, store, telemetry, takeSpans } = table;
    const writer = await writeGoal(table, telemetry);
    takeSpans();
    await expect(writer.putNode('USER-U1', { name: 'Eve' }, { ifAbsent: true })).rejects.toThrow();
    const spans = takeSpans();
    const put = named(spans, 'putNode USER');
    expect(put.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(put.attributes['error.type']).toBe('condition-failed');
    expect(named(spans, `PutItem ${graph.table.name}`)).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: { 'edgeloom.condition_failed': true },
    });
    await expect(writer.putNode('USER-' as never, {})).rejects.toThrow();
    expect(named(takeSpans(), 'putNode').attributes['error.type']).toBe('invalid-id');

    const failing = failingStore(store, 'fatal', (id) => id.startsWith('GOAL'));
    const { error } = await createProjector(graph, { store: failing, telemetry }).project(await table.allRecords());
    expect(error).toBeDefined();
    const failed = takeSpans();
    const batch = named(failed, `process ${graph.table.name}`);
    expect(batch.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(batch.attributes['error.type']).toBe('planned');
  });
});

it('the metrics count calls, capacity, records, and refused conditions', async () => {
  const table = await observedTable();
  const { graph, store, telemetry } = table;
  const writer = await writeGoal(table, telemetry);
  await writer.putNode('USER-U1', {}, { ifAbsent: true }).catch(() => undefined);
  const { touches, writes } = await createProjector(graph, { store, telemetry }).project(await table.allRecords());
  await check(graph, { store, telemetry, segments: 1, graceMs: 0 });
  const all = await table.metrics();
  const sumOf = (name: string, expected: Attributes = {}): number =>
    (all[name] ?? [])
      .filter(({ attributes }) => Object.entries(expected).every(([key, value]) => attributes[key] === value))
      .reduce((sum, { value }) => sum + value, 0);
  expect(writes).toBeGreaterThan(0);
  expect(sumOf('db.client.operation.duration', { 'db.operation.name': 'BatchExecuteStatement' })).toBe(1);
  expect(sumOf('edgeloom.capacity.write', { 'db.operation.name': 'PutItem' })).toBe(4);
  expect(sumOf('edgeloom.conditions_failed')).toBe(1);
  expect(sumOf('edgeloom.operation.duration', { 'edgeloom.operation': 'putNode' })).toBe(3);
  expect(sumOf('edgeloom.operation.duration', { 'error.type': 'condition-failed' })).toBe(1);
  expect(sumOf('messaging.client.consumed.messages')).toBe(3);
  expect(sumOf('messaging.process.duration')).toBe(1);
  expect(sumOf('edgeloom.batch.touches')).toBe(touches);
  expect(sumOf('edgeloom.check.base_items')).toBe(3);
});

it('nothing that is observed names an item, or has a value of it', async () => {
  const table = await observedTable();
  const { graph, store, telemetry } = table;
  const secret = 'c0ffee';
  const writer = createWriter(graph, { store, telemetry });
  const reader = createReader(graph, { store, telemetry });
  await writer.putNode(`USER-${secret}`, { name: secret });
  await writer.putEdge(`GOAL-${secret}`, 'MEMBER', `USER-${secret}`, { role: secret, since: secret });
  await writer.putNode(`${secret}-${secret}` as never, {}).catch(() => undefined);
  await writer.putNode(`USER-${secret}`, {}, { ifAbsent: true }).catch(() => undefined);
  await writer.updateNode(`USER-${secret}`, { set: { name: `${secret}2` } });
  await createProjector(graph, { store, telemetry }).project(await table.allRecords());
  await reader.getViews([`GOAL-${secret}`]);
  await reader.inbound(`USER-${secret}`, 'MEMBER', { limit: 1 });
  await reader.search('USER.name').beginsWith(secret);
  await Promise.resolve()
    .then(() => reader.search(secret as never))
    .catch(() => undefined);
  await check(graph, { store, telemetry, segments: 1, graceMs: 0 });
  const spans = table.takeSpans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
  expect(spans.length).toBeGreaterThan(15);
  expect(JSON.stringify([spans, await table.metrics()])).not.toContain(secret);
});

it('what is observed is named in docs/how-to/telemetry.md, and the other way round', async () => {
  const table = await observedTable();
  const { graph, store, telemetry } = table;
  const writer = await writeGoal(table, telemetry);
  await writer.putNode('USER-U1', {}, { ifAbsent: true }).catch(() => undefined);
  await createProjector(graph, { store, telemetry }).project(await table.allRecords());
  await check(graph, { store, telemetry, segments: 1, graceMs: 0 });
  await redrive(graph, { store, telemetry });
  await migrate(graph, { store, telemetry, mostSteps: 2, wait: noWait });
  await createReader(graph, { store, telemetry }).getViews(['GOAL-G1']);
  const attributes = table.takeSpans().flatMap((span) => Object.keys(span.attributes));
  const observed = new Set([...attributes, ...Object.keys(await table.metrics())]);
  const section = PAGE;
  // `edgeloom.batch.*` stands for each count of a result.
  const texts = [...section.matchAll(/`((?:db|aws|messaging|edgeloom|error)\.[\w.*]+)`/g)].map(([, name]) => name!);
  const isNamed = (name: string, text: string): boolean =>
    text.endsWith('*') ? name.startsWith(text.slice(0, -1)) : name === text;
  expect([...observed].filter((name) => !texts.some((text) => isNamed(name, text)))).toEqual([]);
  expect(texts.filter((text) => ![...observed].some((name) => isNamed(name, text)))).toEqual([]);
});

it('without an SDK everything works as without telemetry; what is none is refused', async () => {
  const table = await observedTable();
  const { graph, store } = table;
  const telemetry = openTelemetry();
  await writeGoal(table, telemetry);
  const { error, touches } = await createProjector(graph, { store, telemetry }).project(await table.allRecords());
  expect(error).toBeUndefined();
  expect(touches).toBeGreaterThan(3);
  const reader = createReader(graph, { store, telemetry });
  expect((await reader.inbound('USER-U1', 'MEMBER')).items).toHaveLength(1);
  expect(await check(graph, { store, telemetry, segments: 1, graceMs: 0 })).toMatchObject({ baseItems: 3 });
  const wrong = { store, telemetry: true as never };
  expect(() => createReader(graph, wrong)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  expect(() => createWriter(graph, wrong)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  expect(() => createProjector(graph, wrong)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
});
