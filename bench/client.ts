import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type NativeAttributeValue, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import pMap from 'p-map';
import { createProjector } from '../src/apply/projector.ts';
import { foldBatch } from '../src/fold/fold.ts';
import { planUnits } from '../src/plan/units.ts';
import { fastViewUpdate } from '../src/plan/writes/updates.ts';
import { createClient } from '../src/store/client.ts';
import { DynamoDBStore } from '../src/store/dynamodb.ts';
import { updateExpression } from '../src/store/expressions.ts';
import { decodeRecords } from '../src/stream/decode.ts';
import type { BenchmarkOptions } from './support/command.ts';
import { withFreeTable } from './support/free-table.ts';
import { edgeSetModel } from './support/models.ts';
import { interleaved, ratios, type Timing, timed } from './support/paired.ts';
import type { Report } from './support/report.ts';
import { spread } from './support/statistics.ts';
import { insertsOverSources } from './support/workload.ts';

/**
 * What a write costs: the projector (from the raw stream record on: decode, fold, plan, apply) against a loop that sends
 * the same conditional updates, made beforehand, through a DocumentClient with the SDK's default HTTP handler. The table
 * answers at once, so that it takes no CPU from either.
 */

const CONCURRENCY = 32;
const REPETITIONS = 7;
const WRITES = 2_000;

/** Runs both, with the same concurrency. */
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
    // Unmeasured: the first calls of a process also pay for its compilation.
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

type DocumentInput = ConstructorParameters<typeof UpdateCommand>[0];

/** The updates that the projector makes of these records, in the plain form that a DocumentClient takes. */
function documentInputs(records: Parameters<typeof decodeRecords>[1]): DocumentInput[] {
  const inputs: DocumentInput[] = [];
  for (const [source, histories] of foldBatch(decodeRecords(edgeSetModel, records))) {
    for (const unit of planUnits(edgeSetModel, source, histories)) {
      const update = unit.kind === 'view' ? fastViewUpdate(edgeSetModel, unit) : undefined;
      if (update === undefined) throw new Error('each record should make one update of a view, without a read');
      const { ExpressionAttributeValues, ...expression } = updateExpression(update);
      inputs.push({
        TableName: edgeSetModel.table.name,
        Key: update.key,
        ...expression,
        ExpressionAttributeValues: unmarshall(ExpressionAttributeValues!) as Record<string, NativeAttributeValue>,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        ReturnConsumedCapacity: 'TOTAL',
      });
    }
  }
  return inputs;
}

async function documentClientLoop(endpoint: string, inputs: readonly DocumentInput[]): Promise<Timing> {
  const base = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const documents = DynamoDBDocumentClient.from(base);
  try {
    return await timed(async () => {
      await pMap(inputs, (input) => documents.send(new UpdateCommand(input)), { concurrency: CONCURRENCY });
    });
  } finally {
    base.destroy();
  }
}
