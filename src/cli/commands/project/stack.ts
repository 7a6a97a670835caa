import { type Command, InvalidArgumentError } from 'commander';
import { parameterWarnings, readParameters } from '../../../stack/base/parameters.ts';
import type { Value } from '../../../stack/base/template.ts';
import { STACK_POLICY } from '../../../stack/parts/table.ts';
import { checkService, recordedService } from '../../../stack/project/service.ts';
import { stackTemplate } from '../../../stack/stack.ts';
import { inModel } from '../../session/model.ts';
import { examples } from '../../session/options.ts';
import { type ExistingTableOptions, existingTable, withExistingTable } from './existing-table.ts';

interface CommandOptions extends ExistingTableOptions {
  service?: string;
  stage: string;
  code: Value;
  param?: Map<string, string>;
  policy?: boolean;
}

/** `edgeloom stack`: the CloudFormation of the model. */
export function stackCommand(command: Command): void {
  command
    .option(
      '--service <name>',
      'the first part of all names (default: edgeloom.service of package.json, or "edgeloom")',
    )
    .option('--stage <name>', 'the second part of all names', 'dev')
    .option(
      '--code <place>',
      'where the functions are: a folder that is uploaded, or s3://bucket/key of a zip',
      codePlace,
      '.code',
    )
    .option('--param <name=value>', 'a parameter of the stack (docs/deploying.md); repeat it', parameter)
    .option('--policy', 'print the policy of the stack instead, which keeps updates from replacing the table');
  withExistingTable(command)
    .addHelpText(
      'after',
      examples(
        'stack --stage prod --param alarmEmail=ops@example.com > template.json',
        'stack --stage prod --code s3://artefacts/edgeloom/functions.zip',
        'stack --policy > stack-policy.json',
      ),
    )
    .action(
      inModel(async ({ graph, settings }, { stage, code, param, policy, ...options }: CommandOptions) => {
        const service = options.service ?? recordedService(settings.config) ?? 'edgeloom';
        checkService(settings.config, service);
        const table = existingTable(options);
        const parameters = readParameters(stage, {
          ...Object.fromEntries(param ?? []),
          ...(table && { existingTableArn: table.tableArn, existingStreamArn: table.streamArn }),
        });
        for (const warning of parameterWarnings(parameters)) process.stderr.write(`Warning: ${warning}\n`);
        const json =
          policy === true
            ? { Statement: STACK_POLICY }
            : stackTemplate({ model: graph, service, stage, parameters }, code);
        return { json, text: JSON.stringify(json, undefined, 1) };
      }),
    );
}

function codePlace(text: string): Value {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(text) ?? [];
  return bucket === undefined ? text : { S3Bucket: bucket, S3Key: key! };
}

function parameter(text: string, before: Map<string, string> = new Map()): Map<string, string> {
  const [name = '', value] = text.split(/=(.*)/s);
  if (value === undefined) throw new InvalidArgumentError('It should be NAME=VALUE.');
  return new Map([...before, [name, value]]);
}
