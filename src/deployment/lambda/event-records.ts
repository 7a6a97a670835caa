import { EdgeloomError } from '../../foundation/errors.ts';

/** The sources of events with records. */
const SOURCES = {
  stream: 'an event source mapping of a DynamoDB stream',
  queue: 'an event source mapping of an SQS queue',
} as const;

/** Returns the records of an event. Throws `invalid-record` for an event of another kind, such as the arrays of EventBridge Pipes. */
export function recordsOf<Event extends { Records?: readonly unknown[] | undefined }>(
  event: Event,
  source: keyof typeof SOURCES,
): NonNullable<Event['Records']> {
  const records: unknown = (event as Event | null | undefined)?.Records;
  const isObject = (record: unknown): boolean => typeof record === 'object' && record !== null;
  if (Array.isArray(records) && records.every(isObject)) return records as NonNullable<Event['Records']>;
  throw new EdgeloomError(
    'invalid-record',
    `The event is ${kindOf(event)}; expected is { "Records": [...] }, a list of objects, as ${SOURCES[source]} gives it.`,
    'Let such a mapping call the function. A pipe of EventBridge gives bare arrays.',
  );
}

function kindOf(event: unknown): string {
  if (Array.isArray(event)) return 'an array';
  if (typeof event !== 'object' || event === null) return String(event);
  return 'Records' in event ? 'an object with other Records' : 'an object without Records';
}
