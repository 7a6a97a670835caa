import type { Command } from 'commander';
import { INDEX_NAMES } from '../../../../src/core/items/derived-item.ts';
import type { ExistingIndex } from '../../../../src/deployment/stack/project/project.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { addNamed, repeated } from '../../shared/repeated.ts';

export interface ExistingTableOptions {
  existingTable?: string;
  stream?: string;
}

export function withExistingTable(command: Command): Command {
  return command
    .option('--existing-table <arn>', 'ARN of an existing table to use instead of a new one')
    .option('--stream <arn>', "ARN of the existing table's stream, with both images");
}

export function existingTable({ existingTable: tableArn, stream: streamArn }: ExistingTableOptions) {
  if (tableArn === undefined && streamArn === undefined) return undefined;
  if (tableArn === undefined || streamArn === undefined) {
    throw new EdgeloomError(
      'usage',
      '--existing-table and --stream go together.',
      'aws dynamodb describe-table names both: TableArn, LatestStreamArn.',
    );
  }
  // Templates and policies use the ARN verbatim, so a wildcard or a variable in it would match other tables, too.
  const table = /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}$/;
  if (!table.test(tableArn)) throw notAnArn('--existing-table', tableArn, 'arn:aws:dynamodb:REGION:ACCOUNT:table/NAME');
  const ofTable = `${tableArn}/stream/`;
  const label = streamArn.slice(ofTable.length);
  if (streamArn.startsWith(ofTable) && /^[0-9T:.-]+$/.test(label)) return { tableArn, streamArn };
  throw notAnArn('--stream', streamArn, `${tableArn}/stream/LABEL`);
}

/** Parses `gsi0=byTarget` or `gsi0=GSI1:GSI1PK:GSI1SK`. */
export const parseIndex = repeated<ReadonlyMap<string, ExistingIndex>>((text, before) => {
  const [, index, name, partitionKey, sortKey] =
    /^(\w+)=([A-Za-z0-9_.-]{3,255})(?::([^:]+):([^:]+))?$/.exec(text) ?? [];
  if (index === undefined || name === undefined || !INDEX_NAMES.some((known) => known === index)) {
    throw new EdgeloomError(
      'usage',
      `--index should be gsi0=NAME, or gsi0=NAME:PARTITIONKEY:SORTKEY (gsi1 and so on, too), but is ${JSON.stringify(text)}.`,
      'aws dynamodb describe-table names them: GlobalSecondaryIndexes.',
    );
  }
  const named = partitionKey === undefined || sortKey === undefined ? name : { name, partitionKey, sortKey };
  return addNamed(index, named, before);
});

function notAnArn(option: string, given: string, form: string): EdgeloomError {
  return new EdgeloomError(
    'usage',
    `${option} should be the ARN of one table, ${form}, but is ${JSON.stringify(given)}.`,
    'aws dynamodb describe-table names both: TableArn, LatestStreamArn.',
  );
}
