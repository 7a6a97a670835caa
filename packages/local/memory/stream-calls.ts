import type { Input, Tables } from './definitions.ts';
import { keyAttributeNames } from './keys.ts';
import { invalid, Refusal } from './refusal.ts';
import type { TableStream } from './stream.ts';

const ITERATOR_MS = 15 * 60_000;
const MOST_RECORDS = 1000;

/** `from` is the lowest sequence number that the next page may contain. */
interface Iterator {
  arn: string;
  from: string;
  madeMs: number;
}

export function listStreams(tables: Tables, { TableName }: Input) {
  const streams = TableName === undefined ? tables.allStreams() : tables.streamsOf(TableName as string);
  return {
    Streams: streams.map(({ arn, label }) => ({ StreamArn: arn, StreamLabel: label, TableName: tableNameOfArn(arn) })),
  };
}

export function describeStream(tables: Tables, input: Input) {
  const stream = tables.findStream(input['StreamArn']);
  const { keys } = stream;
  return {
    StreamDescription: {
      StreamArn: stream.arn,
      StreamLabel: stream.label,
      StreamStatus: stream.lastNumber === undefined ? 'ENABLED' : 'DISABLED',
      StreamViewType: stream.view,
      CreationRequestDateTime: stream.createdMs / 1000,
      TableName: tableNameOfArn(stream.arn),
      KeySchema: keyAttributeNames(keys).map((AttributeName, i) => ({
        AttributeName,
        KeyType: i === 0 ? 'HASH' : 'RANGE',
      })),
      Shards: input['ExclusiveStartShardId'] === undefined ? [describeShard(stream)] : [],
    },
  };
}

function describeShard({ shardId, firstNumber, lastNumber }: TableStream) {
  return {
    ShardId: shardId,
    SequenceNumberRange: {
      StartingSequenceNumber: firstNumber,
      ...(lastNumber !== undefined && { EndingSequenceNumber: lastNumber }),
    },
  };
}

function tableNameOfArn(arn: string): string {
  return arn.split('/')[1]!;
}

export function getShardIterator(tables: Tables, input: Input) {
  const stream = tables.findStream(input['StreamArn']);
  if (input['ShardId'] !== stream.shardId) {
    throw new Refusal(
      'ResourceNotFoundException',
      `Requested resource not found: Shard does not exist: ${String(input['ShardId'])}`,
    );
  }
  return { ShardIterator: iteratorText({ arn: stream.arn, from: firstNumberOf(stream, input), madeMs: Date.now() }) };
}

function firstNumberOf(stream: TableStream, { ShardIteratorType: type, SequenceNumber: number }: Input): string {
  const records = stream.records();
  if (type === 'TRIM_HORIZON') return '';
  if (type === 'LATEST') return numberAfter(records.at(-1)?.dynamodb.SequenceNumber ?? '');
  if (typeof number !== 'string') throw invalid('SequenceNumber is required');
  const oldest = records[0]?.dynamodb.SequenceNumber ?? stream.firstNumber;
  if (number < oldest && number !== stream.firstNumber && number > stream.firstNumber && records.length > 0) {
    throw new Refusal(
      'TrimmedDataAccessException',
      'The operation attempted to read past the oldest stream record in a shard.',
    );
  }
  return type === 'AFTER_SEQUENCE_NUMBER' ? numberAfter(number) : number;
}

/** All sequence numbers have the same length, so a number with a character appended sorts before the next number. */
function numberAfter(number: string): string {
  return number === '' ? '' : `${number}+`;
}

function iteratorText(iterator: Iterator): string {
  return Buffer.from(JSON.stringify(iterator)).toString('base64url');
}

function parseIterator(text: unknown): Iterator {
  try {
    const iterator = JSON.parse(Buffer.from(String(text), 'base64url').toString()) as Iterator | null;
    if (typeof iterator?.arn === 'string') return iterator;
  } catch {
    // The text isn't JSON.
  }
  throw invalid('Invalid ShardIterator');
}

export function getRecords(tables: Tables, input: Input) {
  const { arn, from, madeMs } = parseIterator(input['ShardIterator']);
  const stream = tables.findStream(arn);
  if (Date.now() - madeMs > ITERATOR_MS) throw new Refusal('ExpiredIteratorException', 'Iterator expired');
  const most = Math.min(MOST_RECORDS, (input['Limit'] as number | undefined) ?? MOST_RECORDS);
  const all = stream.records();
  const first = firstIndex(all, from);
  const page = all.slice(first, first + most);
  const last = page.at(-1)?.dynamodb.SequenceNumber;
  const isEnd = stream.lastNumber !== undefined && first + page.length >= all.length;
  const next: Iterator = { arn, from: last === undefined ? from : numberAfter(last), madeMs: Date.now() };
  return { Records: page, ...(!isEnd && { NextShardIterator: iteratorText(next) }) };
}

function firstIndex(records: readonly { dynamodb: { SequenceNumber: string } }[], from: string): number {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (records[middle]!.dynamodb.SequenceNumber < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
