import { EdgeloomError } from '../../foundation/errors.ts';

const SOURCES = {
  stream: ['aws:dynamodb', 'an event source mapping of a DynamoDB stream'],
  queue: ['aws:sqs', 'an event source mapping of an SQS queue'],
} as const;

export function recordsOf<Event extends { Records?: readonly unknown[] | undefined }>(
  event: Event,
  source: keyof typeof SOURCES,
): NonNullable<Event['Records']> {
  const records: unknown = (event as Event | null | undefined)?.Records;
  const [service, mapping] = SOURCES[source];
  const isObject = (record: unknown): boolean => typeof record === 'object' && record !== null;
  const isList = Array.isArray(records) && records.every(isObject);
  const other = isList ? records.find(({ eventSource = service }) => eventSource !== service) : undefined;
  if (isList && other === undefined) return records as unknown as NonNullable<Event['Records']>;
  const found = other === undefined ? kindOf(event) : `one of records with the eventSource ${other.eventSource}`;
  throw new EdgeloomError(
    'invalid-record',
    `The event is ${found}; expected is { "Records": [...] }, a list of objects, as ${mapping} gives it.`,
    'Let such a mapping call the function. A pipe of EventBridge gives bare arrays.',
  );
}

function kindOf(event: unknown): string {
  if (Array.isArray(event)) return 'an array';
  if (typeof event !== 'object' || event === null) return String(event);
  return 'Records' in event ? 'an object with other Records' : 'an object without Records';
}
