import { randomUUID } from 'node:crypto';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import * as z from 'zod';
import { EdgeloomError } from '../errors.ts';

import type { ChangeRecord } from '../items/change-record.ts';
import { describe } from '../items/describe.ts';
import { type Claim, claimOf } from '../progress/claims.ts';
import { claimsItem } from '../progress/claims-item.ts';
import { type ClientOptions, isLoopback } from '../store/client/options.ts';
import { serviceConfig } from '../store/client/service.ts';
import { readFailedBatch } from './failed-batch.ts';
import {
  type BucketAccess,
  type DeleteObject,
  type FailureBuckets,
  failedBatchesOf,
  parsedMessage,
  type SendMessage,
} from './failure-message.ts';
import { ofPackage } from './optional-package.ts';
import { addRedrive, emptyRedrive, type RedriveOptions, type RedriveResult } from './redrive.ts';
import { redriveRecords } from './redrive-records.ts';

/** Where failed batches are read from. */
export interface FailureSources extends FailureBuckets {
  /** For ranges of the stream that a message only names. */
  streams: DynamoDBStreamsClient;
  /** Deletes what is settled in full. Default: it stays until the bucket lets it expire. */
  deleteObject?: DeleteObject;
}

/**
 * Settles everything that one message of an on-failure destination tells of, by the base items; of a message that stands
 * for the rest of another, what is left of that. Throws for other messages.
 */
export async function redriveMessage(
  text: string,
  sources: FailureSources,
  options: RedriveOptions,
): Promise<RedriveResult> {
  const { message, settled } = restOf(text);
  const records: ChangeRecord[] = [];
  const ends: number[] = [];
  const batches = await failedBatchesOf(message, sources);
  for (const batch of batches) {
    for (const record of await readFailedBatch(options.graph, sources.streams, batch)) records.push(record);
    ends.push(records.length);
  }
  const result = await redriveRecords(records.slice(settled), options);
  await claimSettled(records, ends, { from: settled, to: settled + result.repaired }, options);
  if (result.left > 0) return result;
  for (const { object } of batches) if (object !== undefined) await sources.deleteObject?.(object.bucket, object.key);
  return result;
}

/**
 * Claims records of failed batches that are settled: the mark of the stream goes on behind them.
 *
 * @param ends where each batch ends in the records.
 */
async function claimSettled(
  records: readonly ChangeRecord[],
  ends: readonly number[],
  settled: { from: number; to: number },
  { graph, store, now = Date.now }: RedriveOptions,
): Promise<void> {
  const claims = ends.flatMap((end, i): Claim[] => {
    const start = Math.max(settled.from, ends[i - 1] ?? 0);
    return claimOf(records.slice(start, Math.min(settled.to, end)));
  });
  if (claims.length > 0) await store.put(claimsItem(graph.table, randomUUID(), claims, now()));
}

const restSchema = z.object({ edgeloomRest: z.object({ settled: z.int().min(0), message: z.string() }) });

/** A message, and how many of its records are settled already. */
interface Rest {
  message: string;
  settled: number;
}

/** The message that stands for what is left of one, of which so many records more are settled. */
export function restMessage(text: string, repaired: number): string {
  const { message, settled } = restOf(text);
  return JSON.stringify({ edgeloomRest: { settled: settled + repaired, message } });
}

function restOf(text: string): Rest {
  const rest = restSchema.safeParse(parsedMessage(text));
  return rest.success ? rest.data.edgeloomRest : { message: text, settled: 0 };
}

/** Optional packages: most projects put their failed batches into neither. */
const SQS = '@aws-sdk/client-sqs';
const S3 = '@aws-sdk/client-s3';

/** Messages that are received at once: the most that SQS gives. */
const MESSAGES = 10;
/** How long SQS waits for a message before it says that there is none, in seconds. */
const WAIT_SECONDS = 1;

/**
 * Empties the queue of an on-failure destination: each message is settled and then deleted. One that cannot be settled in
 * full stays in the queue, is counted as left with its reason, and does not hold up the others. Throws `untrusted-queue` for
 * a URL that is neither of SQS nor of this machine: what is sent there is signed. With `anyHost` any HTTPS host will do.
 */
export async function redriveQueue(
  queueUrl: string,
  sources: FailureSources,
  options: RedriveOptions & { client: ClientOptions; anyHost?: boolean },
): Promise<RedriveResult> {
  checkQueueUrl(queueUrl, options.anyHost === true);
  // Only this needs the client, which takes its time to load.
  const { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } = await ofPackage(
    SQS,
    import('@aws-sdk/client-sqs'),
  );
  const { remainingMs = () => Number.POSITIVE_INFINITY } = options;
  const queue = new SQSClient(serviceConfig({ ...options.client, endpoint: new URL(queueUrl).origin }));
  const total = emptyRedrive();
  const seen = new Set<string>();
  try {
    while (remainingMs() > 0) {
      const { Messages = [] } = await queue.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: MESSAGES,
          WaitTimeSeconds: WAIT_SECONDS,
        }),
      );
      // A message that was left comes again when its time is over: once is enough for one run.
      const fresh = Messages.filter(({ MessageId = '' }) => !seen.has(MessageId));
      if (fresh.length === 0) break;
      for (const { MessageId = '', Body = '', ReceiptHandle } of fresh) {
        seen.add(MessageId);
        const result = await settleMessage(MessageId, Body, sources, options);
        addRedrive(total, result);
        if (result.left > 0) continue;
        await queue.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
      }
    }
    return total;
  } finally {
    queue.destroy();
  }
}

/** Host names of SQS: of a region, of a VPC endpoint, and the older form. */
const SQS_HOST =
  /^(?:(?:vpce-[a-z0-9-]{1,63}\.)?sqs(?:-fips)?\.[a-z0-9-]{1,63}(?:\.vpce)?\.(?:amazonaws\.com(?:\.cn)?|api\.aws)|[a-z0-9-]{1,63}\.queue\.amazonaws\.com)$/;

function checkQueueUrl(queueUrl: string, anyHost: boolean): void {
  const url = URL.canParse(queueUrl) ? new URL(queueUrl) : undefined;
  if (isLoopback(queueUrl)) return;
  if (url?.protocol === 'https:' && (anyHost || SQS_HOST.test(url.hostname))) return;
  throw new EdgeloomError(
    'untrusted-queue',
    `No signed request is sent to ${describe(queueUrl)}: it is no HTTPS URL of a queue of SQS.`,
    'Give the URL that SQS has for the queue, one of this machine, or with --any-host another HTTPS URL.',
  );
}

/** The same, but a message that cannot be read, or whose batch is gone, is a result: it is left, with the reason. */
export async function settleMessage(
  messageId: string,
  body: string,
  sources: FailureSources,
  options: RedriveOptions,
): Promise<RedriveResult> {
  try {
    return await redriveMessage(body, sources, options);
  } catch (error) {
    // Whatever a message makes go wrong is this message's: the others are settled, and it is left with the reason.
    const reason = error instanceof EdgeloomError ? `${error.message} ${error.hint}` : String(error);
    return { ...emptyRedrive(), entries: 1, left: 1, reasons: [`message ${messageId}: ${reason}`] };
  }
}

/** Sends messages to SQS queues; the client is loaded and made with the first. */
export function queueSender(client: Omit<ClientOptions, 'endpoint'>): SendMessage {
  let sender: Promise<SendMessage> | undefined;
  return async (queueArn, body) => {
    sender ??= ofPackage(SQS, import('./queue.ts')).then(({ openQueues }) => openQueues(client));
    await (await sender)(queueArn, body);
  };
}

/** Reads and deletes objects of S3 buckets; the client is loaded and made with the first. */
export function bucketAccess(client: Omit<ClientOptions, 'endpoint'>): BucketAccess {
  let opened: Promise<BucketAccess> | undefined;
  // Few runs meet an object, and the client takes its time to load.
  const open = (): Promise<BucketAccess> => {
    opened ??= ofPackage(S3, import('./bucket.ts')).then(({ openBuckets }) => openBuckets(client));
    return opened;
  };
  return {
    readObject: async (bucket, key) => (await open()).readObject(bucket, key),
    deleteObject: async (bucket, key) => (await open()).deleteObject(bucket, key),
  };
}
