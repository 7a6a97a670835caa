import type { Command } from 'commander';
import { EdgeloomError } from '../../../errors.ts';

/** Options that name a table that there is already. */
export interface ExistingTableOptions {
  existingTable?: string;
  stream?: string;
}

/** Adds `--existing-table` and `--stream`. */
export function withExistingTable(command: Command): Command {
  return command
    .option('--existing-table <arn>', 'a table that there is already, instead of one that the stack makes')
    .option('--stream <arn>', 'its stream, with both images');
}

/** The table that the options name; undefined where they name none. Throws `usage` where one of the two is missing. */
export function existingTable({ existingTable: tableArn, stream: streamArn }: ExistingTableOptions) {
  if (tableArn === undefined && streamArn === undefined) return undefined;
  if (tableArn === undefined || streamArn === undefined) {
    throw new EdgeloomError(
      'usage',
      '--existing-table and --stream go together.',
      'aws dynamodb describe-table names both: TableArn, LatestStreamArn.',
    );
  }
  return { tableArn, streamArn };
}
