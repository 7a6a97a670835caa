import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { EdgeloomError } from '../errors.ts';
import { describe } from '../items/describe.ts';
import { type ClientOptions, clientConfig, isLoopback } from '../store/client.ts';
import { readFailedBatch } from './failed-batch.ts';
import { type FailureBuckets, failedBatchesOf, type ReadObject } from './failure-message.ts';
import { addRedrive, emptyRedrive, type RedriveOptions, type RedriveResult, redriveRecords } from './redrive.ts';

/** Where failed batches are read from. */
export interface FailureSources extends FailureBuckets {
  /** For ranges of the stream that a message only names. */
  streams: DynamoDBStreamsClient;
}

/** Settles everything that one message of an on-failure destination tells of, by the base items. Throws for others. */
export async function redriveMessage(
  text: string,
  sources: FailureSources,
  options: RedriveOptions,
): Promise<RedriveResult> {
  const total = emptyRedrive();
  for (const batch of await failedBatchesOf(text, sources)) {
    addRedrive(total, await redriveRecords(await readFailedBatch(options.graph, sources.streams, batch), options));
  }
  return total;
}

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
  const { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } = await import('@aws-sdk/client-sqs');
  const { remainingMs = () => Number.POSITIVE_INFINITY } = options;
  const queue = new SQSClient(clientConfig({ ...options.client, endpoint: new URL(queueUrl).origin }));
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

/** Reads objects of S3 buckets; the client is loaded and made with the first. */
export function bucketReader(client: Omit<ClientOptions, 'endpoint'>): ReadObject {
  let reader: Promise<ReadObject> | undefined;
  return async (bucket, key) => {
    // Few runs meet an object, and the client takes its time to load.
    reader ??= import('./bucket.ts').then(({ openBuckets }) => openBuckets(client));
    return await (await reader)(bucket, key);
  };
}
