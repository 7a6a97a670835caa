import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { packageFile } from '../../../package/package-files.ts';
import { makeProject } from '../../../stack/project/project.ts';
import { examples } from '../../session/options.ts';
import { print } from '../../session/output.ts';
import { type ExistingTableOptions, existingTable, withExistingTable } from './existing-table.ts';

interface CommandOptions extends ExistingTableOptions {
  partitionKey?: string;
  sortKey?: string;
  index?: Map<string, string>;
}

/** `edgeloom init`: a project that uses the package. */
export function initCommand(command: Command): void {
  command
    .argument('<dir>', 'folder of the project; its name is that of the service')
    .option('--partition-key <name>', 'partition key of the existing table (default: source)')
    .option('--sort-key <name>', 'sort key of the existing table (default: target)')
    .option(
      '--index <gsi0=name>',
      'name of an existing index; repeat it',
      (text, before: Map<string, string> = new Map()) => {
        const [index = '', name = ''] = text.split(/=(.*)/s);
        return new Map([...before, [index, name]]);
      },
    );
  withExistingTable(command)
    .addHelpText(
      'after',
      examples(
        'init my-service',
        'init my-service --existing-table arn:aws:dynamodb:eu-central-1:123456789012:table/legacy --stream arn:aws:dynamodb:eu-central-1:123456789012:table/legacy/stream/2026-01-01T00:00:00.000 --partition-key pk --sort-key sk --index gsi0=byTarget',
      ),
    )
    .action(async (folder: string, { partitionKey, sortKey, index, ...options }: CommandOptions, given: Command) => {
      const packageFolder = fileURLToPath(packageFile('./'));
      const table = existingTable(options);
      const names = { partitionKey, sortKey, indexes: index && Object.fromEntries(index) };
      const files = await makeProject(folder, { packageFolder, existing: table && { ...table, ...names } });
      const text = [...files, '', `Next: cd ${folder}, npm install, npm test.`].join('\n');
      print({ json: { files }, text }, given.optsWithGlobals<{ json?: boolean }>().json === true);
    });
}
