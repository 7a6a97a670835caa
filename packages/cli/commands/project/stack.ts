import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import {
  type Parameters,
  parameterWarnings,
  readParameters,
} from '../../../../src/deployment/stack/base/parameters.ts';
import type { Value } from '../../../../src/deployment/stack/base/template.ts';
import { STACK_POLICY } from '../../../../src/deployment/stack/parts/table.ts';
import {
  checkHandlers,
  checkNames,
  checkSources,
  recordedNames,
} from '../../../../src/deployment/stack/project/service.ts';
import { importTemplate, nameOfOwnTable, stackTemplate } from '../../../../src/deployment/stack/stack.ts';
import { docsPage } from '../../../../src/foundation/docs.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { inModel, openSources } from '../../shared/model.ts';
import { examples, refuseBeside, refuseWithout } from '../../shared/options.ts';
import { addNamed, repeated } from '../../shared/repeated.ts';
import { type ExistingTableOptions, existingTable, withExistingTable } from './existing-table.ts';

interface CommandOptions extends ExistingTableOptions {
  service?: string;
  stage: string;
  code: string;
  zip?: string;
  param?: Map<string, string>;
  policy?: boolean;
  import?: boolean;
}

export function stackCommand(command: Command): void {
  command
    .option('--service <name>', 'first part of all names (default: edgeloom.service of package.json, or "edgeloom")')
    .option('--stage <name>', 'second part of all names', 'dev')
    .option(
      '--code <place>',
      "the functions' code: a folder to upload, or s3://bucket/key of a zip, with ?versionId=... or a hash in the key",
      '.code',
    )
    .option('--zip <file>', 'zip file of an s3://bucket/key; its hash becomes part of the key, to which you upload it')
    .option('--param <name=value>', `a parameter of the stack (${docsPage('deploying')}); repeat it`, collectParameter)
    .option('--policy', 'print the stack policy instead, which keeps updates from replacing the table')
    .option('--import', 'print a template to import the table and the bucket that an older stack has left');
  withExistingTable(command)
    .addHelpText(
      'after',
      examples(
        'stack --stage prod --param alarmEmail=ops@example.com > template.json',
        'stack --stage prod --code s3://artefacts/edgeloom/functions.zip --zip functions.zip',
        'stack --stage prod --import > import.json',
        'stack --policy > stack-policy.json',
      ),
    )
    .action(
      inModel(async ({ graph, settings }, { stage, code, zip, param, ...options }: CommandOptions) => {
        if (options.policy === true) refuseBeside('--policy', { ...options, zip }, ['import', 'zip']);
        if (options.import === true) refuseBeside('--import', { zip }, ['zip']);
        const service = options.service ?? recordedNames(settings.config).service ?? 'edgeloom';
        const table = existingTable(options);
        const values = {
          ...Object.fromEntries(param ?? []),
          ...(table && { existingTableArn: table.tableArn, existingStreamArn: table.streamArn }),
        };
        const parameters = readParameters({ stage, values, region: settings.client.region });
        checkNames(settings.config, { service, table: nameOfOwnTable(graph, parameters) });
        if (options.policy !== true && options.import !== true) checkHandlers(settings.config, parameters);
        const unread = checkSources(await openSources(settings), parameters);
        for (const warning of [...parameterWarnings(parameters), ...unread])
          process.stderr.write(`Warning: ${warning}\n`);
        const outputOf = (json: Partial<ReturnType<typeof stackTemplate>> | { Statement: unknown[] }) => {
          return { json, text: JSON.stringify(json, undefined, 1) };
        };
        const input = { service, stage, parameters };
        if (options.policy === true) return outputOf({ Statement: policyOf(parameters) });
        if (options.import === true) return outputOf(importTemplate({ ...input, model: graph }));
        const place = await codePlace(code, zip);
        const revision = parameters.canaryMinutes > 0 ? await hashOfCode(code) : '';
        return outputOf(stackTemplate(graph, { ...input, code: place, revision }));
      }),
    );
}

/** Leaves out `Deny` statements for an existing table: CloudFormation refuses a policy that names a resource outside the stack. */
function policyOf({ existingTableArn }: Parameters): (typeof STACK_POLICY)[number][] {
  return STACK_POLICY.filter(({ Effect }) => existingTableArn === '' || Effect === 'Allow');
}

/**
 * Throws `usage` for an S3 key without a version or hash: CloudFormation deploys code only if its location
 * in the template changes.
 */
async function codePlace(text: string, zip: string | undefined): Promise<Value> {
  const [, bucket, key, version] = /^s3:\/\/([^/]+)\/([^?]+)(?:\?versionId=(.+))?$/.exec(text) ?? [];
  if (bucket === undefined) {
    if (text === '' || /^s3:/i.test(text)) {
      throw new EdgeloomError(
        'usage',
        `--code ${JSON.stringify(text)} is neither a folder nor a zip in a bucket.`,
        'Give a folder, or s3://BUCKET/KEY, with ?versionId=VERSION if the bucket keeps versions.',
      );
    }
    refuseWithout('--code s3://BUCKET/KEY', { zip }, ['zip']);
    return text;
  }
  if (version !== undefined) refuseBeside('?versionId=', { zip }, ['zip']);
  if (version !== undefined) return { S3Bucket: bucket, S3Key: key!, S3ObjectVersion: version };
  if (zip !== undefined) {
    const hash = createHash('sha256')
      .update(await readFile(zip))
      .digest('hex')
      .slice(0, HASH_DIGITS);
    return { S3Bucket: bucket, S3Key: key!.replace(/(\.\w+)?$/, `-${hash}$1`) };
  }
  if (SOME_HASH.test(key!.split('/').at(-1)!)) return { S3Bucket: bucket, S3Key: key! };
  throw new EdgeloomError(
    'usage',
    `With the code at ${text}, nothing is deployed when the code changes: the template stays the same.`,
    'Add --zip functions.zip, whose hash goes into the key, or ?versionId=..., or put a hash into the key.',
  );
}

async function hashOfCode(code: string): Promise<string> {
  if (code.startsWith('s3://')) return '';
  const hash = createHash('sha256');
  const entries = await readdir(code, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    const hint = 'Make it first, with npm run bundle: a gradual deployment has a version for each code.';
    throw new EdgeloomError('file-failed', `There is no code in ${code}.`, hint, { cause });
  });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(file).update(await readFile(file));
  return hash.digest('hex');
}

/** 64 bits are enough to tell the versions of a zip apart. */
const HASH_DIGITS = 16;
/** Matches a hash in a file name. Requires a letter and a digit: digits alone may be a date or an account number. */
const SOME_HASH = /(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7}/i;

const collectParameter = repeated<Map<string, string>>((text, before) => {
  const [name = '', value] = text.split(/=(.*)/s);
  if (value === undefined) throw new InvalidArgumentError('It should be NAME=VALUE.');
  return addNamed(name, value, before);
});
