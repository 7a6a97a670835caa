import {
  type AttributeDefinition,
  type DynamoDBClient,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { checkOptions } from '../../foundation/options.ts';
import { backoffMs } from '../../foundation/retry.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { classifyError } from '../classify.ts';
import { tableDefinition } from '../definition/table-definition.ts';
import {
  describedTable,
  needOfStep,
  planTableUpdate,
  type TablePlan,
  type TablePlanOptions,
  type TableStep,
} from './plan.ts';

/** Options of `updateTable`. */
export interface UpdateTableOptions extends TablePlanOptions {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** Called when a step begins, and while an index is filled. */
  onProgress?: ((step: string, status: string) => void) | undefined;
}

/** Pauses between looks at a changing table. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Adds to a table what the model needs: first the stream, so that nothing is missed, then one index after the other,
 * each filled before the next, then TTL, which a table with items only gets by name (`ttl`). Can be repeated after an
 * interruption: existing changes are awaited. Returns the steps taken.
 *
 * @example
 * await updateTable(graph, { client, onProgress: (step, status) => console.log(step, status) });
 */
export async function updateTable(graph: CompiledModel, options: UpdateTableOptions): Promise<TablePlan> {
  checkOptions('updateTable', options, { client: true, ttl: true, onProgress: true, wait: true });
  const { client, onProgress = () => undefined, ttl } = options;
  const { wait } = runtimeOf(options);
  const plan = await planTableUpdate(graph, { client, ttl });
  const settled = (text: string): Promise<void> =>
    waitUntilActive(client, graph, (status) => onProgress(text, status), wait);
  await settled('the table');
  for (const [i, step] of plan.steps.entries()) {
    const text = plan.texts[i]!;
    onProgress(text, 'asked for');
    try {
      if (step.kind === 'ttl') await enableTtl(client, graph);
      else await client.send(new UpdateTableCommand(await updateInput(client, graph, step)));
    } catch (error) {
      throw classifyError(error);
    }
    await settled(text);
  }
  return plan;
}

async function enableTtl(client: DynamoDBClient, { table: { name, ttl } }: CompiledModel): Promise<void> {
  const specification = { AttributeName: ttl, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: specification }));
}

async function updateInput(
  client: DynamoDBClient,
  graph: CompiledModel,
  step: Exclude<TableStep, { kind: 'ttl' }>,
): Promise<UpdateTableCommandInput> {
  const TableName = graph.table.name;
  if (step.kind === 'stream') {
    return { TableName, StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } };
  }
  const table = await describedTable(client, graph);
  const { partition, sort, definition } = needOfStep(graph, step);
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = table.ProvisionedThroughput ?? {};
  const isProvisioned = ReadCapacityUnits > 0;
  const isOwn = ({ AttributeName: name }: AttributeDefinition): boolean => name === partition || name === sort;
  const own = tableDefinition(graph).AttributeDefinitions!.filter(isOwn);
  const others = (table.AttributeDefinitions ?? []).filter((one) => !isOwn(one));
  const Create = {
    ...definition,
    ...(isProvisioned && { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } }),
  };
  return { TableName, AttributeDefinitions: [...others, ...own], GlobalSecondaryIndexUpdates: [{ Create }] };
}

/** Until table and indexes are active: DynamoDB makes one index at a time. */
async function waitUntilActive(
  client: DynamoDBClient,
  graph: CompiledModel,
  onStatus: (status: string) => void,
  wait: Runtime['wait'],
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { TableStatus, GlobalSecondaryIndexes = [] } = await describedTable(client, graph);
    const busy = GlobalSecondaryIndexes.find(
      ({ IndexStatus }) => IndexStatus !== undefined && IndexStatus !== 'ACTIVE',
    );
    if ((TableStatus ?? 'ACTIVE') === 'ACTIVE' && busy === undefined) return;
    onStatus(busy === undefined ? String(TableStatus) : `${busy.IndexName} ${busy.IndexStatus}`);
    await wait(
      Math.min(
        LONGEST_PAUSE_MS,
        backoffMs(attempt, () => 1),
      ),
    );
  }
}
