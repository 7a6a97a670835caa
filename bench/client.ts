import { createClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { CONCURRENCY, documentClientLoop, documentInputs } from './support/document-loop.ts';
import { sizeOf } from './support/extent.ts';
import { withFreeTable } from './support/free-table.ts';
import { edgeSetModel } from './support/models.ts';
import { interleaved, ratios, type Timing, timed } from './support/paired.ts';
import { projecting } from './support/projecting.ts';
import { atLeast, atMost, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { insertsOverSources } from './support/workload.ts';

/**
 * A write by the projector, from the raw record on, against a loop that sends the same updates, made beforehand, through a DocumentClient with
 * default HTTP handler. The table answers at once.
 */

const REPETITIONS = 7;
const WRITES = sizeOf({ whole: 2_000, short: 200 });

export async function client({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const records = insertsOverSources(WRITES);
  const project = (endpoint: string, lean: boolean) => async () => {
    const client = createClient({ endpoint, lean });
    const store = new DynamoDBStore(client, edgeSetModel.table);
    try {
      return await timed(async () => {
        const project = projecting(edgeSetModel, { store, concurrency: CONCURRENCY });
        const { writes } = await project(decodeRecords(edgeSetModel, records));
        if (writes !== WRITES) throw new Error(`the projector made ${writes} writes, not ${WRITES}`);
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
    return await interleaved(repetitions, variants, { warmUps: 1 });
  });
  const cpu = (runs: Timing[]): number[] => runs.map(({ cpuSeconds }) => (cpuSeconds * 1e6) / WRITES);
  const throughput = (runs: Timing[]): number[] => runs.map(({ seconds }) => WRITES / seconds);
  return [
    {
      name: 'client',
      title: `${WRITES.toLocaleString('en-US')} conditional updates of views, ${CONCURRENCY} at once`,
      figures: [
        figure('projector: CPU a write', spread(cpu(results.project)), 'µs'),
        figure('projector through the SDK alone: CPU a write', spread(cpu(results.sdk)), 'µs'),
        figure('DocumentClient loop: CPU a write', spread(cpu(results.loop)), 'µs'),
        figure('CPU a write against the loop', ratios(cpu(results.project), cpu(results.loop)), 'x', atMost(0.25)),
        figure('the same, projector through the SDK alone', ratios(cpu(results.sdk), cpu(results.loop)), 'x'),
        figure('projector: throughput', spread(throughput(results.project)), 'writes/s'),
        figure('DocumentClient loop: throughput', spread(throughput(results.loop)), 'writes/s'),
        figure(
          'throughput against the loop',
          ratios(throughput(results.project), throughput(results.loop)),
          'x',
          atLeast(1.5),
        ),
      ],
    },
  ];
}
