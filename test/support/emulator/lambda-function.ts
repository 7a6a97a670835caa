import type { StreamRecord } from '../../../src/stream/source.ts';

/** A record in the form in which Lambda hands it to a function: JSON values only. */
export interface LambdaRecord extends StreamRecord {
  eventID: string;
  eventVersion: string;
  eventSource: 'aws:dynamodb';
  awsRegion: string;
  eventSourceARN: string;
}

/** The event of an invocation. */
export interface LambdaStreamEvent {
  Records: LambdaRecord[];
}

/** The result of an invocation: the function's answer, or the reason why there is none. */
export type InvokeResult =
  | { kind: 'response' /** The handler's answer as JSON values. */; payload: unknown }
  | { kind: 'error' /** Such as `TypeError`, `Sandbox.Timedout`. */; errorType: string; errorMessage: string };

/** A function to invoke. */
export interface LambdaFunction {
  /** Its ARN, as on-failure records name it. */
  readonly arn: string;
  /** Invokes it. Whatever goes wrong within the function is a result. */
  invoke(event: LambdaStreamEvent, requestId: string): Promise<InvokeResult>;
}

/** Puts a record of the SDK into Lambda's form: times in seconds, binary values as base64 text. */
export function toLambdaRecord(record: StreamRecord, streamArn: string): LambdaRecord {
  const { dynamodb } = record;
  const created = dynamodb?.ApproximateCreationDateTime;
  return {
    eventID: record.eventID ?? dynamodb?.SequenceNumber ?? '',
    eventName: record.eventName,
    eventVersion: record.eventVersion ?? '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: streamArn.split(':')[3] ?? '',
    dynamodb: dynamodb && {
      ...(withBinaryAsText(dynamodb) as NonNullable<StreamRecord['dynamodb']>),
      ApproximateCreationDateTime: created instanceof Date ? Math.floor(created.getTime() / 1000) : created,
    },
    eventSourceARN: streamArn,
  };
}

/** A copy of a value with binary data as base64 text. Times stay `Date`s. */
function withBinaryAsText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(withBinaryAsText);
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withBinaryAsText(entry)]));
}
