import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, startEngine } from '../../packages/local/engine/engine.ts';
import { isOlder } from '../../src/core/items/change-record.ts';
import { streamFilterPattern } from '../../src/core/plan/stream-filter.ts';
import { sleep } from '../../src/foundation/runtime.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import type { Projector } from '../../src/projecting/apply/projector-types.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable, serverTime, tableIdentity } from '../../src/store/table-description.ts';
import { memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { decodeRecords } from '../../src/stream/decode.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { check } from '../../src/trust/check/check.ts';
import { Random } from '../simulator/kernel/random.ts';
import { ROOT } from '../support/command.ts';
import { createEventSourceMapping } from '../support/emulator/event-source-mapping.ts';
import type { InvokeResult, LambdaFunction, LambdaStreamEvent } from '../support/emulator/lambda-function.ts';
import { recordingLogger } from '../support/follow-graph.ts';
import { earlierModel, laterModel, type Side } from '../support/rolling/models.ts';
import { askUntil, Heard, Producers, Writes, waitForShortLeases } from '../support/rolling/traffic.ts';

/**
 * A roll-out and a roll-back as Lambda makes them: two versions of the stack's stream function, each bundled with a model of
 * its own as the stack bundles it, serve the batches of one stream in turn, while the model of the table changes.
 */

/** Bundles the stream function with one of the two models; gives the module's path. */
async function bundled(folder: string, model: string): Promise<string> {
  const entry = join(folder, `${model}.ts`);
  await writeFile(
    entry,
    `import { ${model} } from '${ROOT}/test/support/rolling/models.ts';
import { deployedStream } from '${ROOT}/src/deployment/lambda/deployed.ts';
export const handler = deployedStream(${model});
`,
  );
  const outdir = join(folder, model);
  await build({
    ...{ entryPoints: { stream: entry }, outdir, outExtension: { '.js': '.mjs' }, absWorkingDir: ROOT },
    // As serverless.yml has it.
    ...{
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      mainFields: ['module', 'main'],
    },
    plugins: createRequire(import.meta.url)(join(ROOT, 'assets/bundle/plugins.cjs')) as Plugin[],
    banner: {
      js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return join(outdir, 'stream.mjs');
}

/** A function of which some versions serve, in turn, as an alias with weights has them. */
class RollingFunction implements LambdaFunction {
  readonly arn = 'arn:aws:lambda:us-east-1:000000000000:function:stream:live';
  readonly served: Record<Side, number> = { old: 0, new: 0 };
  failed = 0;
  live: readonly Side[] = ['old'];
  private calls = 0;

  constructor(
    private readonly versions: Readonly<Record<Side, LambdaFunction>>,
    private readonly writes: Writes,
  ) {}

  async invoke(event: LambdaStreamEvent, requestId: string): Promise<InvokeResult> {
    const side = this.live[this.calls++ % this.live.length]!;
    const result = await this.versions[side].invoke(event, requestId);
    const failures =
      result.kind === 'response' ? (result.payload as { batchItemFailures: unknown[] }).batchItemFailures : [result];
    if (failures.length > 0) this.failed += 1;
    else {
      this.served[side] += 1;
      this.writes.projected(decodeRecords(earlierModel, event.Records));
    }
    return result;
  }
}

/** How long two workers run side by side while one replaces the other. */
const OVERLAP_MS = 500;

/** A projector that tells which records it has projected. */
function notingProjector(inner: Projector, writes: Writes): Projector {
  return {
    project: async (records, options) => {
      const result = await inner.project(records, options);
      const { failedFrom } = result;
      writes.projected(records.filter((record) => failedFrom === undefined || isOlder(record, failedFrom)));
      return result;
    },
  };
}

let folder: string;
let engine: Engine;

describe('two versions of the packaged stream function, with two models', () => {
  const cleanups: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgeloom-rolling-'));
    engine = await startEngine();
    // A function reads them as it is loaded.
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'us-east-1',
      EDGELOOM_TABLE: earlierModel.table.name,
    });
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function version(model: string): Promise<LambdaFunction> {
    const { handler } = (await import(pathToFileURL(await bundled(folder, model)).href)) as {
      handler: (event: LambdaStreamEvent, context: object) => Promise<unknown>;
    };
    return {
      arn: `arn:aws:lambda:us-east-1:000000000000:function:${model}`,
      async invoke(event, awsRequestId) {
        const context = { awsRequestId, functionName: model, getRemainingTimeInMillis: () => 60_000 };
        return { kind: 'response', payload: await handler(JSON.parse(JSON.stringify(event)), context) };
      },
    };
  }

  it('serve one stream in turn, before, during and after a migration, and rolled back: no answer is wrong', async () => {
    const client = createClient({ endpoint: engine.endpoint });
    const streams = createStreamsClient({ endpoint: engine.endpoint });
    cleanups.push(async () => {
      client.destroy();
      streams.destroy();
    });
    const { streamArn = '' } = await createTable(earlierModel, { client });
    const store = new DynamoDBStore(client, earlierModel.table);
    const bringTo = async (graph: typeof earlierModel | typeof laterModel, onStep?: (step: string) => void) =>
      migrate(graph, {
        ...{ store, ...(await tableIdentity(graph, { client })), wait: waitForShortLeases },
        serverTime: () => serverTime(graph, { client }),
        onStep: ({ step }) => onStep?.(step),
      });
    expect((await bringTo(earlierModel)).done).toBe(true);

    const writes = new Writes();
    const versions = { old: await version('earlierModel'), new: await version('laterModel') };
    const rolling = new RollingFunction(versions, writes);
    const mapping = createEventSourceMapping({
      source: new DynamoDBStreamSource(streams, streamArn),
      function: rolling,
      filters: [streamFilterPattern(earlierModel.table)],
      ...{ bisectBatchOnFunctionError: true, batchSize: 25, maximumRetryAttempts: 10 },
      failures: join(folder, 'failures'),
      logger: recordingLogger(),
    });
    const delivery = mapping.run();
    // A failure is thrown by the await of the run below.
    delivery.catch(() => undefined);
    cleanups.push(() => mapping.stop());
    const checkpoint = memoryCheckpoint();
    const running: Promise<unknown>[] = [];
    const deployWorker = (graph: typeof earlierModel) => {
      const worker = createWorker(graph, {
        ...{ store, streams, streamArn, checkpoint, pollIntervalMs: 50, batchTimeoutMs: 600_000 },
        projector: notingProjector(createProjector(graph, { store }), writes),
      });
      const run = worker.run();
      // A failure is thrown by the await at the end.
      run.catch(() => undefined);
      running.push(run);
      cleanups.push(() => worker.stop());
      return worker;
    };
    const earlierWorker = deployWorker(earlierModel);

    const random = new Random(1);
    const producers = new Producers(store, writes, random);
    await producers.putAll();
    await mapping.idle();
    const heard = new Heard();
    heard.begin('before');
    let isWriting = true;
    let isAsking = true;
    const asking = { store, history: writes.history, heard, random };
    const asked = Promise.all([askUntil('old', asking, () => !isAsking), askUntil('new', asking, () => !isAsking)]);
    const written = producers.run(10, () => !isWriting);
    await sleep(1_500);
    await expect.poll(() => heard.of('before').new.notReady).toBeGreaterThan(0);

    heard.begin('migration');
    rolling.live = ['old', 'new'];
    const { done } = await bringTo(laterModel, (step) => {
      // Rolled back in the middle, and forth again.
      if (step === 'backfill') rolling.live = ['old'];
      if (step === 'replace-views') rolling.live = ['new', 'old'];
    });
    expect(done).toBe(true);
    const laterWorker = deployWorker(laterModel);
    await sleep(OVERLAP_MS);
    await earlierWorker.stop();
    rolling.live = ['new'];
    heard.begin('new alone');
    await sleep(2_000);
    await expect.poll(() => rolling.served.new).toBeGreaterThan(10);
    rolling.live = ['old'];
    heard.begin('rolled back');
    await sleep(2_000);
    await expect.poll(() => rolling.served.old).toBeGreaterThan(10);
    isWriting = false;
    await written;
    await mapping.idle();
    await laterWorker.idle();
    heard.begin('at rest');
    // Nothing was retired: each model has all that it means.
    for (const side of ['old', 'new'] as const) {
      await expect.poll(() => heard.of('at rest')[side].right).toBeGreaterThan(10);
    }
    isAsking = false;
    await asked;
    await mapping.stop();
    await laterWorker.stop();
    await Promise.all([delivery, ...running]);

    expect(heard.wrong).toEqual([]);
    expect(rolling.failed).toBe(0);
    for (const side of ['old', 'new'] as const) expect(heard.of('at rest')[side]).toMatchObject({ notReady: 0 });
    for (const graph of [earlierModel, laterModel]) {
      const { drift, unknown } = await check(graph, { store, graceMs: 500 });
      expect({ drift, unknown }).toEqual({ drift: { missing: 0, stale: 0, orphan: 0 }, unknown: 0 });
    }
  });
});
