import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { createWriter } from '../src/write/writer.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { fullModel } from './support/models.ts';
import { interleaved, ratios, type Timing, timed } from './support/paired.ts';
import type { Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { withFreshTable } from './support/table.ts';

/** What a checked write costs: `putEdge`, every check included, against a bare `PutCommand` of the same item. */

const CONCURRENCY = 32;
const REPETITIONS = 7;
const CALLS = 3_000;
const ATTRIBUTES = { memberRole: 'LEAD', date: '2026-07-01', note: 'added by the importer' };

/** Runs both, with the same concurrency. */
export async function writer({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const calls = Array.from({ length: CALLS }, (_, i) => i);
  const put = () =>
    withFreshTable(fullModel, [], ({ store }) => {
      const edges = createWriter(fullModel, { store });
      return timed(async () => {
        const run = (i: number) => edges.putEdge(`GOAL-${i % 500}`, 'GOALMEMBERSHIP', `USER-${i}`, ATTRIBUTES);
        await pMap(calls, run, { concurrency: CONCURRENCY });
      });
    });
  const bare = () =>
    withFreshTable(fullModel, [], async ({ endpoint }) => {
      const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
      const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
      const documents = DynamoDBDocumentClient.from(client);
      try {
        return await timed(async () => {
          const run = (i: number) => {
            const keys = { source: `GOAL-${i % 500}`, target: `GOALMEMBERSHIP-USER-${i}` };
            return documents.send(
              new PutCommand({ TableName: fullModel.table.name, Item: { ...keys, ...ATTRIBUTES } }),
            );
          };
          await pMap(calls, run, { concurrency: CONCURRENCY });
        });
      } finally {
        client.destroy();
      }
    });
  await put();
  await bare();
  const results = await interleaved(repetitions, { put, bare });
  const cpu = (runs: Timing[]): number[] => runs.map(({ cpuSeconds }) => (cpuSeconds * 1e6) / CALLS);
  return [
    {
      name: 'writer',
      title: `${CALLS.toLocaleString('en-US')} puts of an edge, ${CONCURRENCY} at once`,
      figures: [
        { name: 'putEdge: CPU a call', value: spread(cpu(results.put)), unit: 'µs' },
        { name: 'bare PutCommand: CPU a call', value: spread(cpu(results.bare)), unit: 'µs' },
        {
          name: 'putEdge against PutCommand',
          value: ratios(cpu(results.put), cpu(results.bare)),
          unit: 'x',
          target: { kind: 'at-most', value: 1.1 },
        },
      ],
    },
  ];
}
