import { describe } from '../../foundation/describe.ts';
import { EdgeloomError } from '../../foundation/errors.ts';

export function checkStreamTable(streamArn: string, table: string): void {
  streamLabel(streamArn);
  if (streamArn.split('/stream/')[0]!.endsWith(`:table/${table}`)) return;
  throw new EdgeloomError(
    'wrong-table',
    `The stream ${describe(streamArn)} is not one of the table ${table}.`,
    'Give the stream of the table of the model, or name the table.',
  );
}

export function streamLabel(streamArn: string): string {
  const label = streamArn.split('/stream/').at(-1);
  if (label === undefined || label === streamArn || label === '') {
    throw new EdgeloomError(
      'wrong-table',
      `${describe(streamArn)} is not the ARN of a DynamoDB stream.`,
      'Give the LatestStreamArn of the table.',
    );
  }
  return label;
}
