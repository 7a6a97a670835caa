import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { StoreError } from '../../../src/foundation/errors.ts';
import { type FailureDocument, failureDocument } from '../../../src/foundation/failure-document.ts';
import { describeTable, hasTtl } from '../../../src/store/table-description.ts';
import { type Status, statusOf } from '../../../src/trust/explain/status.ts';
import { tableFacts } from '../../../src/trust/explain/table-status.ts';
import type { RequestContext } from '../base/context.ts';
import { type DescribedModel, describeModel } from '../base/describe-model.ts';
import { OVERVIEW_UNITS } from '../base/price.ts';
import { input, route } from '../base/route.ts';

/** Facts that stay the same while a studio runs. */
export interface ModelAnswer extends DescribedModel {
  table: string;
  isWritable: boolean;
}

/** Whether the table answers. */
export interface ConnectionAnswer {
  /** Why it does not; null: it does. */
  failure: FailureDocument['error'] | null;
}

/** How the table is at a moment. */
export interface StatusAnswer extends Omit<Status, 'rcu'> {
  /** When it was looked at, in milliseconds since 1970. */
  atMs: number;
  table: { name: string; status: string; indexes: string[]; itemCount: number; sizeBytes: number };
}

/** The overview: the model and the status of the table. */
export const OVERVIEW_ROUTES = [
  route('GET /api/model', z.object({}), async ({ graph, isWritable }): Promise<ModelAnswer> => {
    return { ...describeModel(graph), table: graph.table.name, isWritable };
  }),
  route('GET /api/connection', z.object({}), connectionOf),
  // `quick`: without the stream, of which the first look may read many pages.
  route('GET /api/status', z.object({ quick: input.flag }), answerStatus),
];

/** How long the table may take to describe itself, in milliseconds. */
const NO_ANSWER_MS = 5_000;

/** Whether the table answers, by a call that takes no capacity. */
async function connectionOf({ graph, client }: RequestContext): Promise<ConnectionAnswer> {
  const tooLong = sleep(NO_ANSWER_MS, undefined, { ref: false }).then(() => {
    const message = `DynamoDB has not answered for ${NO_ANSWER_MS / 1_000} s.`;
    throw new StoreError('retryable', 'no-connection', message);
  });
  try {
    await Promise.race([describeTable(graph, { client }), tooLong]);
    return { failure: null };
  } catch (error) {
    return { failure: failureDocument(error).error };
  } finally {
    tooLong.catch(() => undefined);
  }
}

async function answerStatus(context: RequestContext, { quick }: { quick: boolean }): Promise<StatusAnswer> {
  const { graph, store, client } = context;
  const description = await describeTable(graph, { client });
  const [facts, position] = await Promise.all([
    hasTtl(client, graph).then((has) =>
      tableFacts({ graph, store, table: description, hasTtl: has, quarantineRcu: OVERVIEW_UNITS }),
    ),
    quick ? undefined : context.position.find().then((found) => found?.latest()),
  ]);
  const { rcu: _, ...status } = statusOf(graph, facts, position, Date.now());
  const { status: state, indexes, itemCount, sizeBytes } = description;
  const table = { name: graph.table.name, status: state, indexes, itemCount, sizeBytes };
  return { ...status, atMs: Date.now(), table };
}
