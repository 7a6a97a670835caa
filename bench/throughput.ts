import pMap from 'p-map';
import { Agent } from 'undici';
import type { Store } from '../src/core/store-port.ts';
import { createClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import type { TableCalls } from '../src/store/lean/calls.ts';
import type { WholeBodySender } from '../src/store/lean/handler.ts';
import { LeanWay, routeTo } from '../src/store/lean/lean-way.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { derivedItems } from './support/derived.ts';
import { documentClientLoop, documentInputs } from './support/document-loop.ts';
import { sizeOf } from './support/extent.ts';
import { withFreeTable } from './support/free-table.ts';
import { idleStore } from './support/idle-store.ts';
import { fullModel } from './support/models.ts';
import { cpuSecondsOf, interleaved, ratios, type Timing, timed } from './support/paired.ts';
import { projecting } from './support/projecting.ts';
import { atMost, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { answerTo, type StoredTexts, storedTexts } from './support/stored-answers.ts';
import { baseItemsAfter, insertsOverSources, recordedBatch } from './support/workload.ts';

/**
 * Measures the CPU time per projected record (full model, batches as Lambda delivers them): against a table that
 * answers at once, without sending the requests, and with a store that takes no time. Compares it with a write of a
 * DocumentClient's loop and with a bare HTTP request, because each derived item takes one request.
 */

const REPETITIONS = 7;
const RECORDS_IN_BATCH = 10_000;
const SMALL_BATCHES = [100, 25] as const;
const LOOP_WRITES = sizeOf({ whole: 2_000, short: 200 });
const MOST_OF_LOOP = 0.125;
const AT_ONCE = 32;

export async function throughput({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const workload = recordedBatch({ nodeChanges: 1_000 });
  const { records } = workload;
  // A consumer reads base items, and the derived items from before the batch.
  const items = [...baseItemsAfter(workload), ...derivedItems(fullModel, workload.before)];
  const texts = storedTexts(items);
  const idle = idleStore(items);
  const event = JSON.stringify(records);
  const run = async (store: Store, batchSize = RECORDS_IN_BATCH): Promise<Timing> => {
    const project = projecting(fullModel, { store });
    return await timed(async () => {
      const parsed = JSON.parse(event) as typeof records;
      for (let start = 0; start < parsed.length; start += batchSize) {
        await project(decodeRecords(fullModel, parsed.slice(start, start + batchSize)));
      }
    });
  };
  const inputs = documentInputs(insertsOverSources(LOOP_WRITES));
  const results = await withFreeTable(
    async (endpoint) => {
      const clients = { lean: createClient({ endpoint }), sdk: createClient({ endpoint, lean: false }) };
      const variants = {
        lean: () => run(new DynamoDBStore(clients.lean, fullModel.table)),
        hundred: () => run(new DynamoDBStore(clients.lean, fullModel.table), SMALL_BATCHES[0]),
        twentyFive: () => run(new DynamoDBStore(clients.lean, fullModel.table), SMALL_BATCHES[1]),
        sdk: () => run(new DynamoDBStore(clients.sdk, fullModel.table)),
        nothing: () => run(idle),
        unsent: () => withoutAnswering((calls) => run(new DynamoDBStore(calls, fullModel.table)), texts),
        bare: () => bareRequests(endpoint, JSON.stringify(inputs[0]), records.length),
        loop: () => documentClientLoop(endpoint, inputs),
      };
      const timings = await interleaved(repetitions, variants, { warmUps: 1 });
      clients.lean.destroy();
      clients.sdk.destroy();
      return timings;
    },
    { items },
  );
  const perCore = (runs: Timing[]): number[] => runs.map(({ cpuSeconds }) => records.length / cpuSeconds);
  const ofLoop = (runs: Timing[]) =>
    ratios(cpuSecondsOf(runs, records.length), cpuSecondsOf(results.loop, LOOP_WRITES));
  const perSecond = (runs: Timing[]): number[] => runs.map(({ seconds }) => records.length / seconds);
  return [
    {
      name: 'throughput',
      title: `${records.length.toLocaleString('en-US')} records, full model, parsed from JSON, batches of ${RECORDS_IN_BATCH.toLocaleString('en-US')}`,
      figures: [
        figure(
          "CPU a record against a write of a DocumentClient's loop",
          ofLoop(results.lean),
          'x',
          atMost(MOST_OF_LOOP),
        ),
        figure(`the same, in batches of ${SMALL_BATCHES[0]}`, ofLoop(results.hundred), 'x'),
        figure(`the same, in batches of ${SMALL_BATCHES[1]}`, ofLoop(results.twentyFive), 'x'),
        figure('the same, a store that does nothing', ofLoop(results.nothing), 'x'),
        figure('the same, requests made, signed and their answers read, but not sent', ofLoop(results.unsent), 'x'),
        figure('a bare HTTP request of as many bytes, neither made nor signed nor read', ofLoop(results.bare), 'x'),
        figure('a table that answers at once', spread(perCore(results.lean)), 'records/s a core'),
        figure('the same, by the clock', spread(perSecond(results.lean)), 'records/s'),
        figure('through the SDK alone', spread(perCore(results.sdk)), 'records/s a core'),
        figure('a store that does nothing', spread(perCore(results.nothing)), 'records/s a core'),
      ],
    },
  ];
}

/** Builds the requests, but answers them without sending. The time for the answers isn't counted. */
async function withoutAnswering(run: (calls: TableCalls) => Promise<Timing>, stored: StoredTexts): Promise<Timing> {
  let ownMs = 0;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const scope = { host: '127.0.0.1', path: '/', region: 'us-east-1', service: 'dynamodb' };
  const sender: WholeBodySender = {
    async whole({ headers, body }) {
      const start = performance.now();
      const call = (headers as Record<string, string>)['x-amz-target']!.split('.')[1]!;
      const answer = answerTo(call, String(body), stored);
      if (answer === undefined) throw new Error(`no answer to ${call}`);
      const bytes = Buffer.from(answer);
      ownMs += performance.now() - start;
      return { statusCode: 200, headers: {}, body: bytes };
    },
  };
  const calls = (): Promise<never> => Promise.reject(new Error('no call of the projector should need the SDK here'));
  const leftToSdk = { credentials: () => credentials, clockOffsetMs: () => 0, isObserved: () => false, calls };
  const timing = await run(new LeanWay(sender, leftToSdk, routeTo('http://127.0.0.1', scope, credentials)));
  return { ...timing, cpuSeconds: timing.cpuSeconds - ownMs / 1000 };
}

async function bareRequests(endpoint: string, body: string, count: number): Promise<Timing> {
  const agent = new Agent({ connections: AT_ONCE });
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.UpdateItem' };
  try {
    return await timed(async () => {
      await pMap(
        Array.from({ length: count }),
        async () => {
          const response = await agent.request({ origin: endpoint, path: '/', method: 'POST', headers, body });
          await response.body.dump();
        },
        { concurrency: AT_ONCE },
      );
    });
  } finally {
    await agent.close();
  }
}
