import {
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { EdgeloomError, StoreError } from '../../foundation/errors.ts';
import { requireAnswer } from '../../store/answers.ts';
import { classifyError } from '../../store/classify.ts';
import type { RawRecord } from '../../stream/decode.ts';
import { shardErrorKind } from '../../stream/dynamodb-source.ts';

export interface StreamRange {
  streamArn: string;
  shardId: string;
  startSequenceNumber: string;
  endSequenceNumber: string;
}

/** Maximum number of consecutive empty pages. Even a page before the shard's end may be empty. */
const MOST_EMPTY_PAGES = 100;

export async function readStreamRange(streams: DynamoDBStreamsClient, batch: StreamRange): Promise<RawRecord[]> {
  const { streamArn, shardId, startSequenceNumber, endSequenceNumber } = batch;
  const end = BigInt(endSequenceNumber);
  const records: RawRecord[] = [];
  let asked: string | undefined = startSequenceNumber;
  try {
    const first = await streams.send(
      new GetShardIteratorCommand({
        StreamArn: streamArn,
        ShardId: shardId,
        ShardIteratorType: 'AT_SEQUENCE_NUMBER',
        SequenceNumber: asked,
      }),
    );
    asked = undefined;
    let iterator: string | undefined = requireAnswer(first.ShardIterator, 'GetShardIterator', 'ShardIterator');
    for (let empty = 0; iterator !== undefined && empty < MOST_EMPTY_PAGES; ) {
      const page: GetRecordsCommandOutput = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }));
      const found = requireAnswer(page.Records, 'GetRecords', 'Records');
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
    const kind = shardErrorKind(error, asked);
    if (kind !== 'trimmed' && kind !== 'no-shard') throw classifyError(error);
    throw new EdgeloomError(
      'batch-trimmed',
      `The records ${startSequenceNumber} to ${endSequenceNumber} of shard ${shardId} have left the stream.`,
      'A stream keeps records for 24 hours: run edgeloom check --repair, and let an S3 destination keep whole records.',
      { cause: error },
    );
  }
  // An incomplete read must not succeed: the message would be deleted, and the remaining records lost.
  throw new StoreError(
    'retryable',
    'incomplete-answer',
    `Shard ${shardId} was read without its record ${endSequenceNumber}, which the batch ends with.`,
    'Try again. If it fails again, the message names a record that the shard does not have: run edgeloom check --repair.',
  );
}
