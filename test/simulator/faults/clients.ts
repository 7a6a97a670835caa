import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { Stage } from './stage.ts';

/** A call of the SDK: its class names it. */
interface Command {
  constructor: { name: string };
  input: Record<string, unknown>;
}

const SHARD = 'shardId-00000000000000000000-00000000';

function refusal(name: string, message: string): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: 400 } });
}

/** What reads a stage's stream through the SDK's own calls: one shard, which is open. */
export function streamsClientOf(stage: Stage, arn: string): DynamoDBStreamsClient {
  const placeAfter = (sequenceNumber: string): number => {
    const place = stage.records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === sequenceNumber);
    if (place < 0) throw refusal('ValidationException', 'Invalid SequenceNumber');
    return place + 1;
  };
  const answers: Record<string, (input: Record<string, unknown>) => unknown> = {
    DescribeStreamCommand: () => {
      const range = { StartingSequenceNumber: stage.records[0]?.dynamodb?.SequenceNumber ?? '0' };
      const Shards = [{ ShardId: SHARD, SequenceNumberRange: range }];
      return { StreamDescription: { StreamArn: arn, StreamStatus: 'ENABLED', Shards } };
    },
    GetShardIteratorCommand: ({ ShardIteratorType: type, SequenceNumber: number }) => {
      const from = { TRIM_HORIZON: () => 0, LATEST: () => stage.records.length }[String(type)];
      const place = from?.() ?? placeAfter(String(number)) - (type === 'AT_SEQUENCE_NUMBER' ? 1 : 0);
      return { ShardIterator: String(place) };
    },
    GetRecordsCommand: ({ ShardIterator: iterator, Limit: limit }) => {
      const [from, most] = [Number(iterator), Math.min(Number(limit ?? 1_000), 1_000)];
      const records = stage.records.slice(from, from + most).map((record) => {
        const { ApproximateCreationDateTime: seconds } = record.dynamodb ?? {};
        const made = new Date(Number(seconds) * 1_000);
        return { ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: made } };
      });
      return { Records: records, NextShardIterator: String(from + records.length) };
    },
  };
  return clientOf(stage, answers) as DynamoDBStreamsClient;
}

/** What tells which stream the stage's table has. */
export function tableClientOf(stage: Stage, arn: string): DynamoDBClient {
  return clientOf(stage, {
    DescribeTableCommand: () => ({
      Table: {
        ...{ TableName: 'records', TableStatus: 'ACTIVE', LatestStreamArn: arn },
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      },
    }),
    DescribeTimeToLiveCommand: () => ({}),
  }) as DynamoDBClient;
}

function clientOf(stage: Stage, answers: Record<string, (input: Record<string, unknown>) => unknown>): unknown {
  return {
    send: async (command: Command) => {
      const answer = answers[command.constructor.name];
      if (answer === undefined) throw new Error(`Nothing here answers ${command.constructor.name}.`);
      await stage.sleep(5 + stage.random.below(30));
      return answer(command.input);
    },
  };
}
