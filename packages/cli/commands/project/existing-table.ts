import type { Command } from 'commander';
import { INDEX_NAMES } from '../../../../src/core/items/derived-item.ts';
import type { ExistingIndex } from '../../../../src/deployment/stack/project/project.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';

/** Options that name an existing table. */
export interface ExistingTableOptions {
  existingTable?: string;
  stream?: string;
}

/** Adds `--existing-table` and `--stream`. */
export function withExistingTable(command: Command): Command {
  return command
    .option('--existing-table <arn>', 'ARN of an existing table to use instead of a new one')
    .option('--stream <arn>', "ARN of the existing table's stream, with both images");
}

/** The table that the options name; undefined where they name none. Throws `usage` where one of the two is missing, or is no ARN. */
export function existingTable({ existingTable: tableArn, stream: streamArn }: ExistingTableOptions) {
  if (tableArn === undefined && streamArn === undefined) return undefined;
  if (tableArn === undefined || streamArn === undefined) {
    throw new EdgeloomError(
      'usage',
      '--existing-table and --stream go together.',
      'aws dynamodb describe-table names both: TableArn, LatestStreamArn.',
    );
  }
  const table = /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}$/;
  if (!table.test(tableArn)) throw notAnArn('--existing-table', tableArn, 'arn:aws:dynamodb:REGION:ACCOUNT:table/NAME');
  const ofTable = `${tableArn}/stream/`;
  const label = streamArn.slice(ofTable.length);
  if (streamArn.startsWith(ofTable) && /^[0-9T:.-]+$/.test(label)) return { tableArn, streamArn };
  throw notAnArn('--stream', streamArn, `${tableArn}/stream/LABEL`);
}

/**
 * Parses the value of one `--index`: `gsi0=byTarget`, or with the names of its key attributes `gsi0=GSI1:GSI1PK:GSI1SK`. Returns the
 * indexes of `before`, which earlier values of the option gave, together with this one.
 */
export function parseIndex(
  text: string,
  before: ReadonlyMap<string, ExistingIndex> = new Map(),
): ReadonlyMap<string, ExistingIndex> {
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
  return new Map([...before, [index, named]]);
}

/** The two are written into templates and policies as they are: a pattern or a variable there would mean more than one table. */
function notAnArn(option: string, given: string, form: string): EdgeloomError {
  return new EdgeloomError(
    'usage',
    `${option} should be the ARN of one table, ${form}, but is ${JSON.stringify(given)}.`,
    'aws dynamodb describe-table names both: TableArn, LatestStreamArn.',
  );
}
