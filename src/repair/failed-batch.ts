import {
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import * as z from 'zod';
import { EdgeloomError, StoreError } from '../errors.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { checkStreamTable } from '../items/watermark.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { answered } from '../store/answered.ts';
import { classifyError } from '../store/classify.ts';
import { decodeRecords, type RawRecord } from '../stream/decode.ts';

/** The message that an event source mapping sends to its on-failure destination when it gives up on a batch. */
export interface FailedBatch {
  streamArn: string;
  shardId: string;
  startSequenceNumber: string;
  endSequenceNumber: string;
  /** The invocation's event; present only in the whole records that S3 keeps. */
  payload?: { Records: RawRecord[] };
  /** The object that the message was read from. */
  object?: { bucket: string; key: string };
}

const sequenceNumber = z.string().regex(/^\d{1,99}$/);
const schema = z.object({
  DDBStreamBatchInfo: z.object({
    streamArn: z.string().min(1),
    shardId: z.string().min(1),
    startSequenceNumber: sequenceNumber,
    endSequenceNumber: sequenceNumber,
  }),
  // AWS writes the event as text, LocalStack as an object.
  payload: z.union([z.string(), z.looseObject({})]).optional(),
});
const payloadSchema = z.object({
  Records: z.array(z.custom<RawRecord>((value) => typeof value === 'object' && value !== null)),
});

/** Reads an on-failure message: the metadata that SQS and SNS get, or the whole record that S3 keeps. */
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
 * Returns the records of a failed batch: from the message if it contains them, else from the stream, which keeps records for 24
 * hours. Throws `batch-trimmed` if they have left the stream, and `wrong-table` if the stream is not the table's.
 */
export async function readFailedBatch(
  graph: CompiledModel,
  streams: DynamoDBStreamsClient,
  batch: FailedBatch,
): Promise<ChangeRecord[]> {
  const { streamArn, payload } = batch;
  checkStreamTable(streamArn, graph.table.name);
  return decodeRecords(graph, payload?.Records ?? (await readRange(streams, batch)), streamArn);
}

/** Number of empty pages in a row after which the reading ends: a page may be empty before the end of its shard. */
const MOST_EMPTY_PAGES = 100;

async function readRange(streams: DynamoDBStreamsClient, batch: FailedBatch): Promise<RawRecord[]> {
  const { streamArn, shardId, startSequenceNumber, endSequenceNumber } = batch;
  const end = BigInt(endSequenceNumber);
  const records: RawRecord[] = [];
  try {
    const first = await streams.send(
      new GetShardIteratorCommand({
        StreamArn: streamArn,
        ShardId: shardId,
        ShardIteratorType: 'AT_SEQUENCE_NUMBER',
        SequenceNumber: startSequenceNumber,
      }),
    );
    let iterator: string | undefined = answered(first.ShardIterator, 'GetShardIterator', 'ShardIterator');
    for (let empty = 0; iterator !== undefined && empty < MOST_EMPTY_PAGES; ) {
      const page: GetRecordsCommandOutput = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }));
      const found = answered(page.Records, 'GetRecords', 'Records');
      for (const record of found) {
        const number = record.dynamodb?.SequenceNumber;
        if (number !== undefined && BigInt(number) > end) return records;
        records.push(record);
        if (number !== undefined && BigInt(number) === end) return records;
      }
      empty = found.length === 0 ? empty + 1 : 0;
      iterator = page.NextShardIterator;
    }
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name !== 'TrimmedDataAccessException' && name !== 'ResourceNotFoundException') throw classifyError(error);
    throw new EdgeloomError(
      'batch-trimmed',
      `The records ${startSequenceNumber} to ${endSequenceNumber} of shard ${shardId} have left the stream.`,
      'A stream keeps records for 24 hours: run edgeloom check --repair, and let an S3 destination keep whole records.',
      { cause: error },
    );
  }
  // An error, not a result: the message is deleted after its batch is reconciled, and its last records would be lost with it.
  throw new StoreError(
    'retryable',
    'incomplete-answer',
    `Shard ${shardId} was read without its record ${endSequenceNumber}, which the batch ends with.`,
    'Try again; where it stays so, the message names a record that the shard does not have: run edgeloom check --repair.',
  );
}
