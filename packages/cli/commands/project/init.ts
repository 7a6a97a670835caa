import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { packageFile } from '../../../../src/deployment/package/package-files.ts';
import {
  DEPLOY_TOOLS,
  type DeployTool,
  type ExistingIndex,
  makeProject,
} from '../../../../src/deployment/stack/project/project.ts';
import { examples, refuseWithout } from '../../shared/options.ts';
import { print } from '../../shared/output.ts';
import { type ExistingTableOptions, existingTable, parseIndex, withExistingTable } from './existing-table.ts';

interface CommandOptions extends ExistingTableOptions {
  deploy: DeployTool;
  partitionKey?: string;
  sortKey?: string;
  index?: ReadonlyMap<string, ExistingIndex>;
  source?: string;
}

function parseStreamArn(text: string): string {
  const arn = /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}\/stream\/[0-9T:.-]+$/;
  if (arn.test(text)) return text;
  throw new InvalidArgumentError('It should be arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/stream/LABEL.');
}

export function initCommand(command: Command): void {
  command
    .argument('<dir>', "folder of the project; its name becomes the service's name")
    .addOption(
      new Option('--deploy <tool>', 'tool that deploys the project').choices(DEPLOY_TOOLS).default('serverless'),
    )
    .option(
      '--partition-key <name>',
      'partition key of the existing table (default: source), or of the table of --source (default: pk)',
    )
    .option(
      '--sort-key <name>',
      'sort key of the existing table (default: target), or of the table of --source (default: sk; none with --partition-key)',
    )
    .option(
      '--index <gsi0=name>',
      'existing index as gsi0=NAME:PARTITIONKEY:SORTKEY; leave the keys out if they are gsi0pk and gsi0sk; repeatable',
      parseIndex,
    );
  command.option('--source <stream>', 'ARN of the stream of an existing table, to mirror that table', parseStreamArn);
  withExistingTable(command)
    .addHelpText(
      'after',
      examples(
        'init my-service',
        'init my-service --deploy cdk',
        'init my-service --source arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-01T00:00:00.000 --partition-key id',
        'init my-service --existing-table arn:aws:dynamodb:eu-central-1:123456789012:table/legacy --stream arn:aws:dynamodb:eu-central-1:123456789012:table/legacy/stream/2026-01-01T00:00:00.000 --partition-key pk --sort-key sk --index gsi0=GSI1:GSI1PK:GSI1SK',
      ),
    )
    .action(
      async (
        folder: string,
        { deploy, partitionKey, sortKey, index, source, ...options }: CommandOptions,
        given: Command,
      ) => {
        const packageFolder = fileURLToPath(packageFile('./'));
        const table = existingTable(options);
        if (table === undefined) {
          refuseWithout('--existing-table', { index }, ['index']);
          const own = { partitionKey, sortKey };
          if (source === undefined) refuseWithout('--existing-table or --source', own, ['partitionKey', 'sortKey']);
        }
        const names = { partitionKey, sortKey, indexes: index && Object.fromEntries(index) };
        const files = await makeProject(folder, {
          deploy,
          packageFolder,
          existing: table && { ...table, ...names },
          sourceStreamArn: source,
          sourceKeys:
            table === undefined && (partitionKey ?? sortKey) !== undefined
              ? { partitionKey: partitionKey ?? 'pk', sortKey }
              : undefined,
        });
        const text = [...files, '', `Next: cd ${folder}, npm install, npm test.`].join('\n');
        print({ json: { files }, text }, given.optsWithGlobals<{ json?: boolean }>().json === true);
      },
    );
}
