import { createReader } from '../src/client/read/reader.ts';
import { defineGraph } from '../src/core/model/compile/define-graph.ts';
import { node } from '../src/core/model/schema.ts';
import { createClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { sizeOf } from './support/extent.ts';
import { withFreeTable } from './support/free-table.ts';
import { interleaved, ratios, type Timing, timed } from './support/paired.ts';
import { atMost, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';

/** Measures the client's cost of a prefix search over 200 shards that finds nothing, with calls of 5 ms. */

const SHARDS = 200;
const CALL_MS = 5;
const REPETITIONS = 15;
const ROUNDS = sizeOf({ whole: 5, short: 1 });
const WARM_UPS = sizeOf({ whole: 5, short: 0 });
/** Maximum share of the CPU time of the same search through the SDK. */
const MOST_OF_SDK = 0.33;

const graph = defineGraph({ table: 'bench', nodes: { USER: node({ search: { name: { shards: SHARDS } } }) } });

export async function search({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  const results = await withFreeTable(
    async (endpoint) => {
      const clients = { lean: createClient({ endpoint }), sdk: createClient({ endpoint, lean: false }) };
      const searching = (client: (typeof clients)['lean']) => {
        const reader = createReader(graph, { store: new DynamoDBStore(client, graph.table) });
        return () =>
          timed(async () => {
            for (let round = 0; round < ROUNDS; round++) await reader.search('USER.name').beginsWith('Te');
          });
      };
      const variants = { lean: searching(clients.lean), sdk: searching(clients.sdk) };
      const timings = await interleaved(repetitions, variants, { warmUps: WARM_UPS });
      clients.lean.destroy();
      clients.sdk.destroy();
      return timings;
    },
    { delayMs: CALL_MS },
  );
  const cpu = (runs: Timing[]): number[] => runs.map(({ cpuSeconds }) => (cpuSeconds * 1000) / ROUNDS);
  const wall = (runs: Timing[]): number[] => runs.map(({ seconds }) => (seconds * 1000) / ROUNDS);
  return [
    {
      name: 'search',
      title: `a search by prefix over ${SHARDS} shards, ${CALL_MS} ms a call`,
      figures: [
        figure('CPU of a search', spread(cpu(results.lean)), 'ms'),
        figure('a search', spread(wall(results.lean)), 'ms'),
        figure('CPU through the SDK alone', spread(cpu(results.sdk)), 'ms'),
        figure('CPU against it', ratios(cpu(results.lean), cpu(results.sdk)), 'x', atMost(MOST_OF_SDK)),
      ],
    },
  ];
}
