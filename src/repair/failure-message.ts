import * as z from 'zod';
import { EdgeloomError } from '../errors.ts';
import { type FailedBatch, parseFailedBatch } from './failed-batch.ts';

/** Reads an object of a bucket as text. */
export type ReadObject = (bucket: string, key: string) => Promise<string>;

const topicSchema = z.object({ Type: z.literal('Notification'), Message: z.string() });
const bucketSchema = z.object({
  Records: z
    .array(
      z.object({ s3: z.object({ bucket: z.object({ name: z.string() }), object: z.object({ key: z.string() }) }) }),
    )
    .min(1),
});
const testSchema = z.object({ Event: z.literal('s3:TestEvent') });

/**
 * The failed batches that a message of a queue tells of: the mapping's own message, a bucket's notification of the object
 * that keeps the whole record, or either of them in a topic's envelope. A bucket's test message tells of none. Throws
 * `invalid-failure-message` for anything else.
 */
export async function failedBatchesOf(text: string, readObject: ReadObject): Promise<FailedBatch[]> {
  const message = parsed(text);
  const topic = topicSchema.safeParse(message);
  if (topic.success) return await failedBatchesOf(topic.data.Message, readObject);
  if (testSchema.safeParse(message).success) return [];
  const notification = bucketSchema.safeParse(message);
  if (!notification.success) return [parseFailedBatch(text)];
  const batches: FailedBatch[] = [];
  for (const { s3 } of notification.data.Records) {
    // Keys come as in a form: `+` is a space.
    const key = decodeURIComponent(s3.object.key.replaceAll('+', ' '));
    batches.push(parseFailedBatch(await readObject(s3.bucket.name, key)));
  }
  return batches;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new EdgeloomError(
      'invalid-failure-message',
      'The message is not JSON.',
      'Give the on-failure message of an event source mapping as it came.',
      { cause: error },
    );
  }
}
