import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import goals from '../../edgeloom.config.ts';
import { type Engine, startEngine } from '../../packages/local/engine/engine.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph, withTableName } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable } from '../../src/store/table-description.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { DERIVED_WRITES } from '../support/calls.ts';
import { edgeloom } from '../support/command.ts';
import {
  type InvocationReport,
  type MappingSettings,
  runEventSourceMapping,
} from '../support/emulator/event-source-mapping.ts';
import { type FunctionCommand, type LocalFunction, startFunction } from '../support/emulator/local-function.ts';
import { type Fault, startFaultyEndpoint } from '../support/faulty-endpoint.ts';
import { recordingLogger } from '../support/follow-graph.ts';
import { lambdaRuntime, lambdaRuntimeObstacle } from '../support/lambda-runtime.ts';
import { template } from '../support/stack/template.ts';
import { uniqueTableName } from '../support/table.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { unpack } from '../support/zip.ts';

/**
 * The packaged artefact as Lambda would run it: the zip of `npm run package`, unpacked, under Lambda's own runtime client
 * on Node 24, invoked with the stream of a real table.
 */
const obstacle = await lambdaRuntimeObstacle();
if (obstacle !== undefined) console.warn(`The packaged function is not run: ${obstacle}.`);

/** More than the handler's reserve, so that it starts to write. */
const TIMEOUT_MS = 8_000;

let engine: Engine;
let runtime: FunctionCommand;
const cleanups: (() => Promise<void>)[] = [];

describe.runIf(obstacle === undefined)('the packaged stream function', () => {
  const folder = temporaryFolder();
  beforeAll(async () => {
    engine = await startEngine();
    runtime = await lambdaRuntime();
    unpack(join(inject('packages').prod, 'stream.zip'), join(folder, 'code'));
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
    await engine.stop();
  });

  /** A table with the packaged function behind its stream. */
  async function deployed(fault: Fault = () => undefined) {
    const graph = withTableName(goals, uniqueTableName());
    const client = createClient({ endpoint: engine.endpoint });
    const streams = createStreamsClient({ endpoint: engine.endpoint });
    const { streamArn = '' } = await createTable(graph, { client });
    const store = new DynamoDBStore(client, graph.table);
    const way = await startFaultyEndpoint(engine.endpoint, fault);
    let output = '';
    const lambda = await startFunction({
      command: runtime,
      folder: join(folder, 'code'),
      handler: 'handlers/stream.handler',
      environment: {
        AWS_ENDPOINT_URL_DYNAMODB: way.endpoint,
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        EDGELOOM_TABLE: graph.table.name,
      },
      timeoutMs: TIMEOUT_MS,
      onOutput: (chunk) => {
        output += chunk.toString();
      },
    });
    cleanups.push(async () => {
      await lambda.stop();
      await way.stop();
      client.destroy();
      streams.destroy();
    });
    const failures = join(folder, graph.table.name);
    const invocations: InvocationReport[] = [];

    /** Delivers all that stands in the stream. */
    const deliver = (settings: Partial<MappingSettings> = {}) =>
      runEventSourceMapping({
        source: new DynamoDBStreamSource(streams, streamArn),
        function: lambda,
        ...packagedMapping(),
        // As it is packaged, but for what would only take time.
        maximumRetryAttempts: 2,
        failures,
        onInvocation: (report) => invocations.push(report),
        logger: recordingLogger(),
        ...settings,
      });

    /** What the check finds, apart from what is right. */
    const findings = async (): Promise<string[]> => {
      const found: Finding[] = [];
      await check(graph, {
        store,
        graceMs: 100,
        onFinding: (finding) => found.push(finding),
      });
      return found.map(({ source, target, verdict }) => `${source} ${target} ${verdict}`);
    };

    const put = (item: Item) => client.send(new PutItemCommand({ TableName: graph.table.name, Item: item }));
    const redrive = (...args: string[]) =>
      edgeloom(['redrive', ...args, '--json', '--table', graph.table.name, '--endpoint', engine.endpoint]);
    const kept = async (): Promise<string[]> => (await readdir(failures)).map((name) => join(failures, name));
    const reader = createReader(graph, { store });
    const table = { graph, client, store, lambda, reader, put, redrive };
    return { ...table, invocations, deliver, findings, kept, output: () => output };
  }

  it('projects what comes in at the SDK into views and index items, in batches, and drops its own records', async () => {
    const { graph, client, reader, put, deliver, findings, invocations, output } = await deployed();
    const TableName = graph.table.name;
    for (let i = 0; i < 30; i++) await put(user(`U${i}`, { name: { S: i === 7 ? 'Terui' : `User ${i}` } }));
    await put(goal('G1', { title: { S: 'Ship it' }, status: { S: 'open' } }));
    await put(membership('G1', 'U7', 'LEAD'));
    await put(membership('G1', 'U8', 'CONTRIBUTOR'));
    await put(membership('G1', 'U9', 'CONTRIBUTOR'));
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key: keysOf(membership('G1', 'U8', '')),
        UpdateExpression: 'SET memberRole = :role',
        ExpressionAttributeValues: { ':role': { S: 'LEAD' } },
      }),
    );
    await client.send(new DeleteItemCommand({ TableName, Key: keysOf(membership('G1', 'U9', '')) }));

    const result = await deliver({ batchSize: 10 });

    expect(result).toMatchObject({ invocations: 4, failedInvocations: 0, delivered: 36, givenUp: 0 });
    expect(result.filtered).toBeGreaterThanOrEqual(34);
    expect(invocations.map(({ sequenceNumbers }) => sequenceNumbers.length)).toEqual([10, 10, 10, 6]);
    expect(await reader.getViews(['GOAL-G1'])).toMatchObject([
      {
        attributes: { title: 'Ship it', status: 'open' },
        edgeSet: [
          { type: 'GOALMEMBERSHIP', target: 'USER-U7', memberRole: 'LEAD' },
          { type: 'GOALMEMBERSHIP', target: 'USER-U8', memberRole: 'LEAD' },
        ],
      },
    ]);
    expect((await reader.inbound('USER-U8', 'GOALMEMBERSHIP', { atLeast: 'LEAD' })).items).toMatchObject([
      { source: 'GOAL-G1', attributes: { memberRole: 'LEAD' } },
    ]);
    expect((await reader.search('USER.name').equals('Terui')).items).toMatchObject([{ id: 'USER-U7' }]);
    expect(await findings()).toEqual([]);
    // Metrics and logs come out of the function as on Lambda: keys, but no contents.
    expect(output()).toContain('CloudWatchMetrics');
    expect(output()).not.toContain('Ship it');
  });

  it('a poisoned record is isolated and kept; its file, redriven, leaves no drift', async () => {
    let isPoisoned = true;
    const { put, deliver, findings, kept, redrive, reader } = await deployed(({ operation, body }) =>
      isPoisoned && operation !== 'Query' && body.includes('USER-BAD') ? Promise.resolve('refused') : undefined,
    );
    for (const id of ['A', 'B', 'BAD', 'C', 'D']) await put(user(id, { name: { S: `Name ${id}` } }));

    const result = await deliver({ batchSize: 100 });

    expect(result).toMatchObject({ delivered: 4, givenUp: 1 });
    const files = await kept();
    expect(files).toHaveLength(1);
    const record = JSON.parse(await readFile(files[0]!, 'utf8')) as { DDBStreamBatchInfo: { batchSize: number } };
    expect(record.DDBStreamBatchInfo.batchSize).toBe(1);
    expect(await findings()).toEqual(expect.arrayContaining(['USER-BAD ~view missing']));
    expect(await reader.getViews(['USER-D'])).toMatchObject([{ attributes: { name: 'Name D' } }]);

    isPoisoned = false;
    const redriven = await redrive('--from-failure', files[0]!);

    expect(redriven.code).toBe(0);
    expect(JSON.parse(redriven.stdout)).toMatchObject({ entries: 1, repaired: 1, left: 0 });
    expect(await findings()).toEqual([]);
    expect(await reader.getViews(['USER-BAD'])).toMatchObject([{ attributes: { name: 'Name BAD' } }]);
  });

  it('a time-out kills the process; the batch comes again, and a late write of the dead one changes nothing', async () => {
    let release: () => void = () => undefined;
    const late = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    let held = 0;
    const { put, deliver, findings, invocations, reader } = await deployed(({ operation, body }) =>
      DERIVED_WRITES.has(operation) && body.includes('USER-SLOW') && held++ === 0 ? late : undefined,
    );
    for (const id of ['A', 'SLOW', 'B']) await put(user(id, { name: { S: 'first' } }));

    await deliver({ bisectBatchOnFunctionError: false });
    release();

    expect(held).toBeGreaterThan(1);
    expect(invocations[0]!.result).toMatchObject({ kind: 'error', errorType: 'Sandbox.Timedout' });
    expect(invocations.at(-1)).toMatchObject({ isDone: true, done: 3 });
    await put(user('SLOW', { name: { S: 'second' } }));
    await deliver();
    expect(await reader.getViews(['USER-SLOW'])).toMatchObject([{ attributes: { name: 'second' } }]);
    expect(await findings()).toEqual([]);
  });

  it('a crash in the middle of a batch loses nothing: a new process gets the batch again', async () => {
    let kills = 0;
    const victim: { lambda?: LocalFunction } = {};
    const { put, deliver, findings, invocations, lambda, reader } = await deployed(({ operation, body }) => {
      if (!DERIVED_WRITES.has(operation) || !body.includes('USER-CRASH') || kills === 2) return undefined;
      kills += 1;
      process.kill(-victim.lambda!.processGroup!, 'SIGKILL');
      return undefined;
    });
    victim.lambda = lambda;
    for (const id of ['A', 'CRASH', 'B', 'C']) await put(user(id, { name: { S: id } }));

    const result = await deliver({ bisectBatchOnFunctionError: false, maximumRetryAttempts: 5 });

    expect(result).toMatchObject({ delivered: 4, givenUp: 0 });
    expect(invocations.filter(({ result: { kind } }) => kind === 'error').length).toBeGreaterThan(0);
    expect(invocations[0]!.result).toMatchObject({ errorType: 'Runtime.ExitError' });
    for (const id of ['A', 'CRASH', 'B', 'C']) {
      expect(await reader.getViews([`USER-${id}`])).toMatchObject([{ attributes: { name: id } }]);
    }
    expect(await findings()).toEqual([]);
  });

  it('rolled back behind a migration, it maintains a search that only the later model has', async () => {
    const { graph, store, put, deliver } = await deployed();
    const later = defineGraph({
      table: graph.table.name,
      nodes: { USER: node({ view: 'ALL', search: { nick: {} } }) },
    });
    expect(await migrate(later, { store, wait: async () => undefined })).toMatchObject({ done: true });
    await put(user('U1', { name: { S: 'Ann' }, nick: { S: 'an' } }));
    expect(await deliver()).toMatchObject({ givenUp: 0, failedInvocations: 0 });
    const { items } = await createReader(later, { store }).search('USER.nick').equals('an');
    expect(items).toMatchObject([{ id: 'USER-U1' }]);
  });
});

/** The settings of the stream's event source mapping in the packaged template. */
function packagedMapping(): MappingSettings {
  const resources = Object.values(template().Resources);
  const mapping = resources.find(
    ({ Type, Properties }) =>
      Type === 'AWS::Lambda::EventSourceMapping' && Properties['StartingPosition'] !== undefined,
  );
  if (mapping === undefined) throw new Error('the template has no mapping of a stream');
  const { Properties: found } = mapping;
  const filters = found['FilterCriteria'] as { Filters: { Pattern: string }[] };
  return {
    batchSize: found['BatchSize'],
    filters: filters.Filters.map(({ Pattern }) => JSON.parse(Pattern)),
    bisectBatchOnFunctionError: found['BisectBatchOnFunctionError'],
    maximumRetryAttempts: found['MaximumRetryAttempts'],
  };
}

function user(id: string, attributes: Item): Item {
  return { source: { S: `USER-${id}` }, target: { S: `USER-${id}` }, ...attributes };
}

function goal(id: string, attributes: Item): Item {
  return { source: { S: `GOAL-${id}` }, target: { S: `GOAL-${id}` }, ...attributes };
}

function membership(goalId: string, userId: string, role: string): Item {
  return {
    source: { S: `GOAL-${goalId}` },
    target: { S: `GOALMEMBERSHIP-USER-${userId}` },
    memberRole: { S: role },
    date: { S: '2026-07-01' },
  };
}

function keysOf(item: Item) {
  return { source: { S: stringOf(item['source']) ?? '' }, target: { S: stringOf(item['target']) ?? '' } };
}
