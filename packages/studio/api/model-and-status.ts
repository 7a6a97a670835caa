import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { StoreError } from '../../../src/foundation/errors.ts';
import { type FailureDocument, failureDocument } from '../../../src/foundation/failure-document.ts';
import { describeTable, hasTtl } from '../../../src/store/table-description.ts';
import type { StreamPosition } from '../../../src/stream/progress/stream-position.ts';
import { type Status, statusOf } from '../../../src/trust/explain/status.ts';
import { tableFacts } from '../../../src/trust/explain/table-status.ts';
import type { RequestContext } from '../base/context.ts';
import { type DescribedModel, describeModel } from '../base/describe-model.ts';
import { OVERVIEW_UNITS } from '../base/price.ts';
import { input, route } from '../base/route.ts';
import { KEPT_MS, type StatusLook, type StreamPart, type TableFacts } from '../base/status-walk.ts';

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
  /** How long the look is kept, in milliseconds. */
  keptMs: number;
  /** How far the stream is looked at: `shards` and `consumers` are empty until it is read. */
  stream: { state: 'reading' | 'read' } | Extract<StreamPart<never>, { state: 'failed' }>;
  table: { name: string; status: string; indexes: string[]; itemCount: number; sizeBytes: number };
}

/** The overview: the model and the status of the table. */
export const OVERVIEW_ROUTES = [
  route('GET /api/model', z.object({}), async ({ graph, isWritable }): Promise<ModelAnswer> => {
    return { ...describeModel(graph), table: graph.table.name, isWritable };
  }),
  route('GET /api/connection', z.object({}), connectionOf),
  route('GET /api/status', z.object({ quick: input.flag, again: input.flag }), answerStatus),
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

async function answerStatus(
  context: RequestContext,
  { quick, again }: { quick: boolean; again: boolean },
): Promise<StatusAnswer> {
  const { graph, statusWalk } = context;
  if (again) statusWalk.forget();
  const { atMs, facts: known, stream } = await statusWalk.ask(lookOf(context), quick);
  const position = stream.state === 'read' ? stream.position : undefined;
  const { rcu: _, ...status } = statusOf(graph, known.facts, position, Date.now());
  const { table: name, status: state, indexes, itemCount, sizeBytes } = known.table;
  return {
    ...status,
    ...{ atMs, keptMs: KEPT_MS, table: { name, status: state, indexes, itemCount, sizeBytes } },
    stream: stream.state === 'failed' ? stream : { state: stream.state },
  };
}

function lookOf(context: RequestContext): StatusLook<TableFacts, StreamPosition | undefined> {
  const { graph, store, client } = context;
  return {
    facts: async () => {
      const table = await describeTable(graph, { client });
      const of = { graph, store, table, hasTtl: await hasTtl(client, graph), quarantineRcu: OVERVIEW_UNITS };
      return { table, facts: await tableFacts(of) };
    },
    position: async () => (await context.position.find())?.latest(),
  };
}
