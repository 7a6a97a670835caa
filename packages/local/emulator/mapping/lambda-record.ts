import type { StreamRecord } from '../../../../src/stream/source.ts';

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
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(withBinaryAsText);
  // Entries are defined, not assigned: an attribute may be named __proto__.
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withBinaryAsText(entry)]));
}
