import { createProjector } from '../src/projecting/apply/projector.ts';
import { createClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { CONCURRENCY, documentClientLoop, documentInputs } from './support/document-loop.ts';
import { sizeOf } from './support/extent.ts';
import { withFreeTable } from './support/free-table.ts';
import { edgeSetModel } from './support/models.ts';
import { interleaved, ratios, type Timing, timed } from './support/paired.ts';
import type { Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { insertsOverSources } from './support/workload.ts';

/**
 * A write by the projector, from the raw record on, against a loop that sends the same updates, made beforehand, through a DocumentClient with
 * default HTTP handler. The table answers at once.
 */

const REPETITIONS = 7;
const WRITES = sizeOf({ whole: 2_000, short: 200 });

/** With the same concurrency. */
export async function client({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const records = insertsOverSources(WRITES);
  const project = (endpoint: string, lean: boolean) => async () => {
    const client = createClient({ endpoint, lean });
    const store = new DynamoDBStore(client, edgeSetModel.table);
    try {
      return await timed(async () => {
        const projector = createProjector(edgeSetModel, { store, concurrency: CONCURRENCY });
        const result = await projector.project(decodeRecords(edgeSetModel, records));
        if (result.error !== undefined) throw result.error;
        if (result.writes !== WRITES) throw new Error(`the projector made ${result.writes} writes, not ${WRITES}`);
      });
    } finally {
      client.destroy();
    }
  };
  const inputs = documentInputs(records);
  const results = await withFreeTable(async (endpoint) => {
    const variants = {
      project: project(endpoint, true),
      sdk: project(endpoint, false),
      loop: () => documentClientLoop(endpoint, inputs),
    };
    // Unmeasured: the first calls also pay for compilation.
    for (const variant of Object.values(variants)) await variant();
    return await interleaved(repetitions, variants);
  });
  const cpu = (runs: Timing[]): number[] => runs.map(({ cpuSeconds }) => (cpuSeconds * 1e6) / WRITES);
  const throughput = (runs: Timing[]): number[] => runs.map(({ seconds }) => WRITES / seconds);
  return [
    {
      name: 'client',
      title: `${WRITES.toLocaleString('en-US')} conditional updates of views, ${CONCURRENCY} at once`,
      figures: [
        { name: 'projector: CPU a write', value: spread(cpu(results.project)), unit: 'µs' },
        { name: 'projector through the SDK alone: CPU a write', value: spread(cpu(results.sdk)), unit: 'µs' },
        { name: 'DocumentClient loop: CPU a write', value: spread(cpu(results.loop)), unit: 'µs' },
        {
          name: 'CPU a write against the loop',
          value: ratios(cpu(results.project), cpu(results.loop)),
          unit: 'x',
          target: { kind: 'at-most', value: 0.25 },
        },
        {
          name: 'the same, projector through the SDK alone',
          value: ratios(cpu(results.sdk), cpu(results.loop)),
          unit: 'x',
        },
        { name: 'projector: throughput', value: spread(throughput(results.project)), unit: 'writes/s' },
        { name: 'DocumentClient loop: throughput', value: spread(throughput(results.loop)), unit: 'writes/s' },
        {
          name: 'throughput against the loop',
          value: ratios(throughput(results.project), throughput(results.loop)),
          unit: 'x',
          target: { kind: 'at-least', value: 1.5 },
        },
      ],
    },
  ];
}
