import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { EdgeloomError, StoreError } from '../../../src/foundation/errors.ts';
import { type FailureDocument, failureDocument } from '../../../src/foundation/failure-document.ts';
import { describeTable, hasTtl } from '../../../src/store/table-description.ts';
import type { StreamPosition } from '../../../src/stream/progress/stream-position.ts';
import { type Status, statusOf } from '../../../src/trust/explain/status.ts';
import { tableFacts } from '../../../src/trust/explain/table-status.ts';
import type { RequestContext } from '../base/context.ts';
import { type DescribedModel, describeModel } from '../base/describe-model.ts';
import { OVERVIEW_UNITS } from '../base/price.ts';
import { route } from '../base/route.ts';

export interface ModelAnswer extends DescribedModel {
  table: string;
  isWritable: boolean;
}

export interface ConnectionAnswer {
  failure: FailureDocument['error'] | null;
}

export interface StatusAnswer extends Omit<Status, 'rcu'> {
  atMs: number;
}

export const OVERVIEW_ROUTES = [
  route('GET /api/model', z.object({}), async ({ graph, isWritable }): Promise<ModelAnswer> => {
    return { ...describeModel(graph), table: graph.table.name, isWritable };
  }),
  route('GET /api/connection', z.object({}), connectionOf),
  route('GET /api/status', z.object({}), answerStatus),
];

const NO_ANSWER_MS = 5_000;

/** Describes the table, which consumes no capacity. */
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

async function answerStatus(context: RequestContext): Promise<StatusAnswer> {
  const { graph, store, client } = context;
  const description = await describeTable(graph, { client });
  const [facts, stream] = await Promise.all([
    hasTtl(client, graph).then((has) =>
      tableFacts({ graph, store, table: description, hasTtl: has, quarantineRcu: OVERVIEW_UNITS }),
    ),
    positionOrProblem(context),
  ]);
  const missing = [...facts.missing, ...stream.problems];
  const { rcu: _, ...status } = statusOf(graph, { ...facts, missing }, stream.position, Date.now());
  return { ...status, atMs: Date.now() };
}

/** A role may be allowed to read the table but not its stream. */
async function positionOrProblem({
  position,
}: RequestContext): Promise<{ position?: StreamPosition | undefined; problems: string[] }> {
  try {
    return { position: await (await position.find())?.latest(), problems: [] };
  } catch (error) {
    if (!(error instanceof EdgeloomError)) throw error;
    return { problems: [`How far the stream is applied is unknown: ${error.message}`] };
  }
}
