import { createProjector } from '../src/apply/projector.ts';
import { createClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import type { Store } from '../src/store/port.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { withFreeTable } from './support/free-table.ts';
import { fullModel } from './support/models.ts';
import { interleaved, type Timing, timed } from './support/paired.ts';
import type { Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { recordedBatch } from './support/workload.ts';

/**
 * How many records a core projects: the recorded batch with the full model, in batches as Lambda brings them, against a table
 * that answers at once, and against a store that does nothing. What is counted is CPU, so that a loaded machine says the same.
 */

const REPETITIONS = 7;
const RECORDS_IN_BATCH = 10_000;
const LEAST_RECORDS = 8_000;

/** Runs both stores, and the SDK alone beside them. */
export async function throughput({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const { records } = recordedBatch({ nodeChanges: 1_000 });
  const event = JSON.stringify(records);
  const run = async (store: Store): Promise<Timing> => {
    const projector = createProjector(fullModel, { store });
    return await timed(async () => {
      const parsed = JSON.parse(event) as typeof records;
      for (let start = 0; start < parsed.length; start += RECORDS_IN_BATCH) {
        const batch = decodeRecords(fullModel, parsed.slice(start, start + RECORDS_IN_BATCH));
        const { error } = await projector.project(batch);
        if (error !== undefined) throw error;
      }
    });
  };
  const results = await withFreeTable(async (endpoint) => {
    const clients = { lean: createClient({ endpoint }), sdk: createClient({ endpoint, lean: false }) };
    const variants = {
      lean: () => run(new DynamoDBStore(clients.lean, fullModel.table)),
      sdk: () => run(new DynamoDBStore(clients.sdk, fullModel.table)),
      nothing: () => run(idleStore()),
    };
    for (const variant of Object.values(variants)) await variant();
    const timings = await interleaved(repetitions, variants);
    clients.lean.destroy();
    clients.sdk.destroy();
    return timings;
  });
  const perCore = (runs: Timing[]): number[] => runs.map(({ cpuSeconds }) => records.length / cpuSeconds);
  const perSecond = (runs: Timing[]): number[] => runs.map(({ seconds }) => records.length / seconds);
  return [
    {
      name: 'throughput',
      title: `${records.length.toLocaleString('en-US')} records, full model, parsed from JSON, batches of ${RECORDS_IN_BATCH.toLocaleString('en-US')}`,
      figures: [
        {
          name: 'a table that answers at once',
          value: spread(perCore(results.lean)),
          unit: 'records/s a core',
          target: { kind: 'at-least', value: LEAST_RECORDS },
        },
        { name: 'the same, by the clock', value: spread(perSecond(results.lean)), unit: 'records/s' },
        { name: 'through the SDK alone', value: spread(perCore(results.sdk)), unit: 'records/s a core' },
        { name: 'a store that does nothing', value: spread(perCore(results.nothing)), unit: 'records/s a core' },
      ],
    },
  ];
}

/** A store in which every update applies and nothing is found. */
function idleStore(): Store {
  const refuse = async (): Promise<never> => {
    throw new Error('the projector makes no such call here');
  };
  return {
    get: async () => ({ rcu: 1 }),
    getMany: async (keys) => ({ items: keys.map(() => undefined), rcu: 1, calls: 1 }),
    update: async () => ({ applied: true, wcu: 1 }),
    transact: refuse,
    put: refuse,
    delete: refuse,
    writeMany: refuse,
    query: refuse,
    change: refuse,
    changeAll: refuse,
  };
}
