import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import * as z from 'zod/mini';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import { checkStreamTable } from '../../core/items/stream-arn.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { decodeRecords, type RawRecord } from '../../stream/decode.ts';
import type { StreamRange } from './failed-range.ts';

/** Opens a client of the stream. Called only if a message lacks its records. */
export type OpenStreams = () => Promise<DynamoDBStreamsClient>;

/** The message that an event source mapping sends to its on-failure destination when it gives up on a batch. */
export interface FailedBatch extends StreamRange {
  /** The invocation's event. Only messages that S3 keeps contain it. */
  payload?: { Records: RawRecord[] };
  object?: { bucket: string; key: string };
}

const filled = z.string().check(z.minLength(1));
const sequenceNumber = z.string().check(z.regex(/^\d{1,99}$/));
const schema = z.object({
  DDBStreamBatchInfo: z.object({
    streamArn: filled,
    shardId: filled,
    startSequenceNumber: sequenceNumber,
    endSequenceNumber: sequenceNumber,
  }),
  // AWS writes the event as a string, LocalStack as an object.
  payload: z.optional(z.union([z.string(), z.looseObject({})])),
});
const payloadSchema = z.object({
  Records: z.array(z.custom<RawRecord>((value) => typeof value === 'object' && value !== null)),
});

export function parseFailedBatch(text: string): FailedBatch {
  try {
    const { DDBStreamBatchInfo, payload } = schema.parse(JSON.parse(text));
    return {
      ...DDBStreamBatchInfo,
      payload:
        payload === undefined
          ? undefined
          : payloadSchema.parse(typeof payload === 'string' ? JSON.parse(payload) : payload),
    };
  } catch (error) {
    throw new EdgeloomError(
      'invalid-failure-message',
      'The message is not one that an event source mapping of a DynamoDB stream sends to its on-failure destination.',
      'It is JSON with DDBStreamBatchInfo; give it as it came.',
      { cause: error },
    );
  }
}

/**
 * Reads the records of a batch from the message if it contains them, otherwise from the stream. Throws `batch-trimmed`
 * if the records have left the stream, which keeps them for 24 hours, and `wrong-table` if the stream isn't the
 * table's.
 */
export async function readFailedBatch(
  graph: CompiledModel,
  streams: DynamoDBStreamsClient | OpenStreams,
  batch: FailedBatch,
): Promise<ChangeRecord[]> {
  const { streamArn, payload } = batch;
  checkStreamTable(streamArn, graph.table.name);
  if (payload !== undefined) return decodeRecords(graph, payload.Records, streamArn);
  // Imported only here: few messages lack their records, and the stream client is slow to load.
  const { readStreamRange } = await import('./failed-range.ts');
  const client = typeof streams === 'function' ? await streams() : streams;
  return decodeRecords(graph, await readStreamRange(client, batch), streamArn);
}
