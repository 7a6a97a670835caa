import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, startEngine } from '../../packages/local/engine/engine.ts';
import { loadDemoData } from '../../packages/workbench/demo/data.ts';
import { airportId } from '../../packages/workbench/demo/expected.ts';
import { streamFilterPattern } from '../../src/core/plan/stream-filter.ts';
import { sleep } from '../../src/foundation/runtime.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable, serverTime, tableIdentity } from '../../src/store/table-description.ts';
import { decodeRecords } from '../../src/stream/decode.ts';
import { DynamoDBStreamSource } from '../../src/stream/dynamodb-source.ts';
import { check } from '../../src/trust/check/check.ts';
import { ROOT } from '../support/command.ts';
import { createEventSourceMapping } from '../support/emulator/event-source-mapping.ts';
import type { InvokeResult, LambdaFunction, LambdaStreamEvent } from '../support/emulator/lambda-function.ts';
import { type Asking, askUntil, waitForShortLeases } from '../support/evolve/askers.ts';
import { Consumers, noteProjected } from '../support/evolve/consumers.ts';
import { History } from '../support/evolve/history.ts';
import { earlierModel, laterModel, type Side } from '../support/evolve/models.ts';
import { Tally } from '../support/evolve/tally.ts';
import { type BusyKeys, busiestAirports, importAll, Producer } from '../support/evolve/traffic.ts';
import { recordingLogger } from '../support/follow-graph.ts';

/**
 * A roll-out and a roll-back as Lambda makes them: two versions of the stack's stream function, each bundled with a model of
 * its own as the stack bundles it, serve the batches of one stream in turn, while the model of the table changes.
 */

/** Bundles the stream function with one of the two models; gives the module's path. */
async function bundled(folder: string, model: string): Promise<string> {
  const entry = join(folder, `${model}.ts`);
  await writeFile(
    entry,
    `import { ${model} } from '${ROOT}/test/support/evolve/models.ts';
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
    private readonly history: History,
  ) {}

  async invoke(event: LambdaStreamEvent, requestId: string): Promise<InvokeResult> {
    const side = this.live[this.calls++ % this.live.length]!;
    const result = await this.versions[side].invoke(event, requestId);
    const failures =
      result.kind === 'response' ? (result.payload as { batchItemFailures: unknown[] }).batchItemFailures : [result];
    if (failures.length > 0) this.failed += 1;
    else {
      this.served[side] += 1;
      noteProjected(this.history, decodeRecords(earlierModel, event.Records));
    }
    return result;
  }
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

    const history = new History();
    const versions = { old: await version('earlierModel'), new: await version('laterModel') };
    const rolling = new RollingFunction(versions, history);
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
    const worker = new Consumers({ store, streams, streamArn }, history);
    await worker.deploy('old');
    cleanups.push(() => worker.stop());

    const data = busiestAirports(await loadDemoData(), 12);
    await importAll(store, data, history);
    await mapping.idle();
    const tally = new Tally();
    tally.beginPhase('before');
    let isWriting = true;
    let isAsking = true;
    const asking: Asking = { store, history, tally, airports: data.airports.map(({ iata }) => airportId(iata)) };
    const asked = Promise.all([askUntil('old', asking, () => !isAsking), askUntil('new', asking, () => !isAsking)]);
    const busy: BusyKeys = new Set();
    const producers = [earlierModel, laterModel].map((graph) => new Producer(graph, store, data, history, busy));
    const written = Promise.all(producers.map((producer) => producer.run(10, () => !isWriting)));
    await sleep(1_500);
    const phaseOf = (name: string) => tally.phases.find((phase) => phase.name === name)!;
    await expect.poll(() => phaseOf('before').new.notReady).toBeGreaterThan(0);

    tally.beginPhase('migration');
    rolling.live = ['old', 'new'];
    const { done } = await bringTo(laterModel, (step) => {
      // Rolled back in the middle, and forth again.
      if (step === 'backfill') rolling.live = ['old'];
      if (step === 'install') rolling.live = ['new', 'old'];
    });
    expect(done).toBe(true);
    await worker.deploy('new');
    rolling.live = ['new'];
    tally.beginPhase('new alone');
    await sleep(2_000);
    await expect.poll(() => rolling.served.new).toBeGreaterThan(10);
    rolling.live = ['old'];
    tally.beginPhase('rolled back');
    await sleep(2_000);
    await expect.poll(() => rolling.served.old).toBeGreaterThan(10);
    isWriting = false;
    await written;
    await mapping.idle();
    await worker.waitUntilIdle();
    tally.beginPhase('at rest');
    // Nothing was retired: each model has all that it means.
    for (const side of ['old', 'new'] as const) {
      await expect.poll(() => phaseOf('at rest')[side].right).toBeGreaterThan(10);
    }
    isAsking = false;
    await asked;
    await mapping.stop();
    await delivery;

    expect(tally.mistakes).toEqual([]);
    expect(tally.sums()).toMatchObject({ wrong: 0, partial: 0 });
    expect(rolling.failed).toBe(0);
    for (const side of ['old', 'new'] as const) expect(phaseOf('at rest')[side]).toMatchObject({ notReady: 0 });
    for (const graph of [earlierModel, laterModel]) {
      const { drift, unknown } = await check(graph, { store, graceMs: 500 });
      expect({ drift, unknown }).toEqual({ drift: { missing: 0, stale: 0, orphan: 0 }, unknown: 0 });
    }
  });
});
