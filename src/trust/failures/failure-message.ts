import * as z from 'zod/mini';
import { describe } from '../../foundation/describe.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { type FailedBatch, parseFailedBatch } from './failed-batch.ts';

/** Sends a message to a queue. */
export type SendMessage = (queueArn: string, body: string) => Promise<void>;

/** Reads an object of a bucket as text. */
export type ReadObject = (bucket: string, key: string) => Promise<string>;
/** Deletes an object of a bucket. */
export type DeleteObject = (bucket: string, key: string) => Promise<void>;
/** Access to the objects of S3 buckets. */
export interface BucketAccess {
  /** Reads the object of a failed batch. */
  readObject: ReadObject;
  /** Deletes the object of a batch that is reconciled in full. */
  deleteObject: DeleteObject;
}

/** The buckets that keep failed batches. */
export interface FailureBuckets {
  /** Reads an object with a failed batch and its records. */
  readObject: ReadObject;
  /** The buckets that a message may refer to, usually those of the stack. Default: none. */
  buckets?: readonly string[];
}

const topicSchema = z.object({ Type: z.literal('Notification'), Message: z.string() });
const bucketSchema = z.object({
  Records: z
    .array(
      z.object({ s3: z.object({ bucket: z.object({ name: z.string() }), object: z.object({ key: z.string() }) }) }),
    )
    .check(z.minLength(1)),
});
const testSchema = z.object({ Event: z.literal('s3:TestEvent') });

/**
 * Returns the failed batches of a message. The message comes from an event source mapping, from a bucket that stores
 * whole batches, or from a topic that wraps one of these. A bucket's test message contains no batch. Throws
 * `invalid-failure-message` for any other message, and `not-allowed` for a bucket that isn't in `buckets`.
 */
export async function failedBatchesOf(text: string, from: FailureBuckets): Promise<FailedBatch[]> {
  const message = parsedMessage(text);
  const topic = topicSchema.safeParse(message);
  if (topic.success) return await failedBatchesOf(topic.data.Message, from);
  if (testSchema.safeParse(message).success) return [];
  const notification = bucketSchema.safeParse(message);
  if (!notification.success) return [parseFailedBatch(text)];
  const batches: FailedBatch[] = [];
  for (const { s3 } of notification.data.Records) {
    const { name } = s3.bucket;
    if (!(from.buckets ?? []).includes(name)) {
      throw new EdgeloomError(
        'not-allowed',
        `The message names the bucket ${describe(name)}, from which no failed batch is read.`,
        "Name the stack's bucket with --bucket, or in the option buckets of the handler.",
      );
    }
    const key = decodeObjectKey(s3.object.key);
    batches.push({ ...parseFailedBatch(await from.readObject(name, key)), object: { bucket: name, key } });
  }
  return batches;
}

/** Object keys are encoded like form data, with `+` for a space. */
function decodeObjectKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch (error) {
    throw unreadableMessage(
      `The message names an object by a key that cannot be decoded, ${describe(encoded)}.`,
      error,
    );
  }
}

export function parsedMessage(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadableMessage('The message is not JSON.', error);
  }
}

function unreadableMessage(message: string, cause: unknown): EdgeloomError {
  const hint = 'Give the on-failure message of an event source mapping as it came.';
  return new EdgeloomError('invalid-failure-message', message, hint, { cause });
}
