import { type DynamoDBClient, UpdateTableCommand, type UpdateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { checkOptions } from '../../foundation/options.ts';
import { backoffMs } from '../../foundation/retry.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { withClassifiedErrors } from '../answers.ts';
import { requireTable } from '../described-table.ts';
import { enableTtl } from '../table-description.ts';
import { additionOf, changingIndex, isBusy } from '../table-indexes.ts';
import { needOfStep, planTableUpdate, type TablePlan, type TablePlanOptions, type TableStep } from './plan.ts';

/** Options of `updateTable`. */
export interface UpdateTableOptions extends TablePlanOptions {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** Called when a step begins, and repeatedly while the table or an index is changing. */
  onProgress?: ((step: string, status: string) => void) | undefined;
}

const LONGEST_PAUSE_MS = 10_000;

/**
 * Adds the stream, the indexes and TTL to a table if the model needs them, one after the other. A table with items only
 * gets TTL with the option `ttl`. Can be repeated after an interruption. Returns the plan that was carried out.
 *
 * @example
 * await updateTable(graph, { client, onProgress: (step, status) => console.log(step, status) });
 */
export async function updateTable(graph: CompiledModel, options: UpdateTableOptions): Promise<TablePlan> {
  checkOptions('updateTable', options, { client: true, ttl: true, onProgress: 'function', wait: 'internal' });
  const { client, onProgress = () => undefined, ttl } = options;
  const { wait } = runtimeOf(options);
  const plan = await planTableUpdate(graph, { client, ttl });
  const settled = (text: string): Promise<void> =>
    waitUntilActive(client, graph, (status) => onProgress(text, status), wait);
  await settled('the table');
  for (const [i, step] of plan.steps.entries()) {
    const text = plan.texts[i]!;
    onProgress(text, 'asked for');
    await withClassifiedErrors(async () => {
      if (step.kind === 'ttl') await enableTtl(client, graph);
      else await client.send(new UpdateTableCommand(await updateInput(client, graph, step)));
    });
    await settled(text);
  }
  return plan;
}

async function updateInput(
  client: DynamoDBClient,
  graph: CompiledModel,
  step: Exclude<TableStep, { kind: 'ttl' }>,
): Promise<UpdateTableCommandInput> {
  if (step.kind === 'stream') {
    return {
      TableName: graph.table.name,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    };
  }
  return additionOf(graph, needOfStep(graph, step), await requireTable(client, graph.table.name));
}

/** DynamoDB builds one index at a time, so each step waits for the one before. */
async function waitUntilActive(
  client: DynamoDBClient,
  graph: CompiledModel,
  onStatus: (status: string) => void,
  wait: Runtime['wait'],
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const table = await requireTable(client, graph.table.name);
    if (!isBusy(table)) return;
    const busy = changingIndex(table);
    onStatus(busy === undefined ? String(table.TableStatus) : `${busy.IndexName} ${busy.IndexStatus}`);
    const longestMs = backoffMs(attempt, () => 1);
    await wait(Math.min(LONGEST_PAUSE_MS, longestMs));
  }
}
