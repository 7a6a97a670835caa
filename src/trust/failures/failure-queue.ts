import { randomUUID } from 'node:crypto';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import * as z from 'zod/mini';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import type { OfGraph } from '../../core/model/compiled.ts';
import { describe } from '../../foundation/describe.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { retryableUpTo, retrying } from '../../foundation/retry.ts';
import { runtimeOf } from '../../foundation/runtime.ts';
import type { CallService } from '../../store/client/json-service.ts';
import { type ClientOptions, isLoopback } from '../../store/client/options.ts';
import { type Claim, claimOf, claimsItem } from '../../stream/progress/claims.ts';
import { addRedrive, emptyRedrive, type RedriveOptions, type RedriveResult } from '../repair/redrive.ts';
import { redriveRecords } from '../repair/redrive-records.ts';
import { type OpenStreams, readFailedBatch } from './failed-batch.ts';
import {
  type BucketAccess,
  type DeleteObject,
  type FailureBuckets,
  failedBatchesOf,
  parsedMessage,
} from './failure-message.ts';
import { loadOptionalPackage } from './optional-package.ts';

/** Sources of failed batches. */
export interface FailureSources extends FailureBuckets {
  /** Reads records that a message doesn't contain. */
  streams: DynamoDBStreamsClient | OpenStreams;
  /**
   * Deletes an object after all batches of its message are reconciled. Default: the object stays until its bucket
   * expires it.
   */
  deleteObject?: DeleteObject;
}

export async function redriveMessage(
  text: string,
  sources: FailureSources,
  options: OfGraph<RedriveOptions>,
): Promise<RedriveResult> {
  const { message, reconciled } = parseRest(text);
  const records: ChangeRecord[] = [];
  const ends: number[] = [];
  const batches = await failedBatchesOf(message, sources);
  for (const batch of batches) {
    for (const record of await readFailedBatch(options.graph, sources.streams, batch)) records.push(record);
    ends.push(records.length);
  }
  const result = await redriveRecords(records.slice(reconciled), options);
  await claimReconciled(records, ends, { from: reconciled, to: reconciled + result.repaired }, options);
  if (result.left > 0) return result;
  for (const { object } of batches) if (object !== undefined) await sources.deleteObject?.(object.bucket, object.key);
  return result;
}

/**
 * Claims the reconciled records, so that the low watermark can move past them.
 *
 * @param ends the end of each batch in `records`.
 */
async function claimReconciled(
  records: readonly ChangeRecord[],
  ends: readonly number[],
  reconciled: { from: number; to: number },
  options: OfGraph<RedriveOptions>,
): Promise<void> {
  const claims = ends.flatMap((end, i): Claim[] => {
    const start = Math.max(reconciled.from, ends[i - 1] ?? 0);
    return claimOf(records.slice(start, Math.min(reconciled.to, end)));
  });
  const { graph, store } = options;
  // One notification of a bucket may name batches of a table's old and new stream.
  for (const stream of new Set(claims.map((claim) => claim.stream))) {
    const ofStream = claims.filter((claim) => claim.stream === stream);
    await store.put(claimsItem(graph.table, randomUUID(), ofStream, runtimeOf(options).now()));
  }
}

const restSchema = z.object({
  edgeloomRest: z.object({ reconciled: z.int().check(z.minimum(0)), message: z.string() }),
});

export function messageOfRest(text: string, repaired: number): string {
  const { message, reconciled } = parseRest(text);
  return JSON.stringify({ edgeloomRest: { reconciled: reconciled + repaired, message } });
}

function parseRest(text: string): z.infer<typeof restSchema>['edgeloomRest'] {
  const rest = restSchema.safeParse(parsedMessage(text));
  return rest.success ? rest.data.edgeloomRest : { message: text, reconciled: 0 };
}

/** Maximum number of messages that SQS returns in one call. */
const MESSAGES = 10;
const WAIT_SECONDS = 1;
const MOST_ATTEMPTS = 3;

const received = z.object({
  Messages: z.optional(z.array(z.object({ MessageId: z.string(), ReceiptHandle: z.string(), Body: z.string() }))),
});

/**
 * Redrives the messages of a queue, and deletes each that is reconciled in full. The others stay in the queue and count
 * as left. Requests are signed, so a URL outside SQS and this machine throws `not-allowed`; `anyHost` allows any
 * HTTPS host.
 *
 * @param options `openQueue` returns a function that calls SQS at an endpoint.
 */
export async function redriveQueue(
  queueUrl: string,
  sources: FailureSources,
  options: OfGraph<RedriveOptions> & { openQueue: (endpoint: string) => Promise<CallService>; anyHost?: boolean },
): Promise<RedriveResult> {
  checkQueueUrl(queueUrl, options.anyHost === true);
  const call = await options.openQueue(new URL(queueUrl).origin);
  const runtime = runtimeOf(options);
  const callQueue: CallService = (name, input) =>
    retrying(() => call(name, { QueueUrl: queueUrl, ...input }), {
      ...runtime,
      isRetryable: retryableUpTo(MOST_ATTEMPTS),
    });
  const total = emptyRedrive();
  const seen = new Set<string>();
  while (runtime.remainingMs() > 0) {
    const { Messages = [] } = received.parse(
      await callQueue('ReceiveMessage', { MaxNumberOfMessages: MESSAGES, WaitTimeSeconds: WAIT_SECONDS }),
    );
    // A message that stays in the queue becomes visible again, but one attempt per run is enough.
    const fresh = Messages.filter(({ MessageId }) => !seen.has(MessageId));
    if (fresh.length === 0) break;
    for (const { MessageId, Body, ReceiptHandle } of fresh) {
      seen.add(MessageId);
      const result = await tryRedriveMessage(MessageId, Body, sources, options);
      addRedrive(total, result);
      if (result.left === 0) await callQueue('DeleteMessage', { ReceiptHandle });
    }
  }
  return total;
}

/** Hosts of a region and of a VPC endpoint, and the legacy form. */
const SQS_HOST =
  /^(?:(?:vpce-[a-z0-9-]{1,63}\.)?sqs(?:-fips)?\.[a-z0-9-]{1,63}(?:\.vpce)?\.(?:amazonaws\.com(?:\.cn)?|api\.aws)|[a-z0-9-]{1,63}\.queue\.amazonaws\.com)$/;

function checkQueueUrl(queueUrl: string, anyHost: boolean): void {
  const url = URL.canParse(queueUrl) ? new URL(queueUrl) : undefined;
  if (isLoopback(queueUrl)) return;
  if (url?.protocol === 'https:' && (anyHost || SQS_HOST.test(url.hostname))) return;
  throw new EdgeloomError(
    'not-allowed',
    `No signed request is sent to ${describe(queueUrl)}: it is not the HTTPS URL of an SQS queue.`,
    'Give the URL that SQS has for the queue, one of this machine, or with --any-host another HTTPS URL.',
  );
}

export async function tryRedriveMessage(
  messageId: string,
  body: string,
  sources: FailureSources,
  options: OfGraph<RedriveOptions>,
): Promise<RedriveResult> {
  try {
    return await redriveMessage(body, sources, options);
  } catch (error) {
    // One message's error must not stop the others.
    const reason = error instanceof EdgeloomError ? `${error.message} ${error.hint}` : String(error);
    return { ...emptyRedrive(), entries: 1, left: 1, reasons: [`message ${messageId}: ${reason}`] };
  }
}

export function bucketAccess(client: Omit<ClientOptions, 'endpoint'>): BucketAccess {
  let opened: Promise<BucketAccess> | undefined;
  const open = (): Promise<BucketAccess> => {
    opened ??= loadOptionalPackage('@aws-sdk/client-s3', import('./bucket.ts')).then(({ openBuckets }) =>
      openBuckets(client),
    );
    return opened;
  };
  return {
    readObject: async (bucket, key) => (await open()).readObject(bucket, key),
    deleteObject: async (bucket, key) => (await open()).deleteObject(bucket, key),
  };
}
