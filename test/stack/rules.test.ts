import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import { readParameters } from '../../src/deployment/stack/base/parameters.ts';
import type { Value } from '../../src/deployment/stack/base/template.ts';
import { stackTemplate } from '../../src/deployment/stack/index.ts';
import type { Template } from '../support/stack/template.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { installedTestPackage } from '../support/test-package.ts';

/** The rules of AWS Solutions (cdk-nag) and of Control Tower (cfn-guard) on the template: no finding, or one with a reason here. */

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const config = await loadModel('edgeloom.config.ts');
const CODE = { S3Bucket: 'artefacts', S3Key: 'edgeloom/functions.zip' };

/** What a governed account sets. */
const GOVERNED = {
  kmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555',
  vpcSubnetIds: 'subnet-11111111',
  vpcSecurityGroupIds: 'sg-11111111',
  tracing: true,
  logRetentionDays: 365,
};

/** Everything that adds functions or other resources. */
const VARIANT = { observe: true, feedEventBus: 'default', canaryMinutes: 5, keepData: false };

const folder = temporaryFolder();
let installed: string;
beforeAll(async () => {
  installed = await installedTestPackage('cloudformation');
});
async function templateFile(name: string, more: object = {}, code: Value = CODE): Promise<string> {
  const file = join(folder, `${name}.json`);
  const parameters = readParameters({ stage: 'prod', values: { ...more } });
  await writeFile(
    file,
    JSON.stringify(
      stackTemplate(config, { service: 'edgeloom', stage: 'prod', parameters, code, revision: 'revision' }),
    ),
  );
  return file;
}

/** Runs a program where its imports find the test package. */
async function inPackage(program: string, args: string[]): Promise<string> {
  const copy = join(installed, `${process.pid}-${program.split('/').at(-1)}`);
  await writeFile(copy, await readFile(program, 'utf8'));
  try {
    const env = { ...process.env, CDK_OUTDIR: join(folder, 'cdk.out') };
    return (await run(process.execPath, [copy, ...args], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } finally {
    await rm(copy);
  }
}

describe('the rules of AWS Solutions', () => {
  /** `rule resource` of each finding in each template, without what it found there. */
  async function findings(files: string[]): Promise<string[][]> {
    const printed = await inPackage(join(ROOT, 'test/cloudformation/nag.mjs'), files);
    const lines = printed.split('\n').filter((one) => one.startsWith('FINDINGS '));
    return lines.map((line) => {
      const found = JSON.parse(line.slice('FINDINGS '.length)) as { resource: string; text: string }[];
      return [...new Set(found.map(({ resource, text }) => `${/AwsSolutions-\w+/.exec(text)![0]} ${resource}`))].sort();
    });
  }

  const SUPPRESSED: Record<string, string> = {
    'AwsSolutions-S1 FailedBatchesBucket':
      'Only the mapping and the redrive function use it; CloudTrail tells of others.',
    'AwsSolutions-SQS3 ScheduleDeadLetterQueue':
      'It is the dead-letter queue of the schedules, which the rule does not know.',
    'AwsSolutions-IAM5 CheckMachineRole':
      "Executions have names that nobody knows before; the machine's name is there.",
    'AwsSolutions-IAM5 OperatorPolicy': 'Executions, mappings and failed batches have names that nobody knows before.',
    'AwsSolutions-IAM5 StreamRole': 'Objects of failed batches have names that Lambda makes.',
    'AwsSolutions-IAM5 RedriveRole': 'Objects of failed batches have names that Lambda makes.',
    ...Object.fromEntries(
      ['MigratorPolicy', 'ProducerPolicy', 'ReaderPolicy', 'RebuildRole'].map((id) => [
        `AwsSolutions-IAM5 ${id}`,
        'Whoever may use the table may use all of its indexes, also those of the model before.',
      ]),
    ),
    'AwsSolutions-SF1 CheckMachine': 'Step Functions keep the history of executions for 90 days.',
    'AwsSolutions-SF2 CheckMachine': 'The parameter tracing turns it on.',
  };

  let prod: string[];
  let governed: string[];
  let varied: string[];
  beforeAll(async () => {
    const files = [
      await templateFile('prod'),
      await templateFile('governed', GOVERNED),
      await templateFile('varied', VARIANT),
    ];
    [prod, governed, varied] = (await findings(files)) as [string[], string[], string[]];
  });

  it('find nothing but what has a reason', () => {
    expect(prod).toEqual(Object.keys(SUPPRESSED).sort());
  });
  it('find less where the parameters of a governed account are set, but for rights that have no resource', () => {
    const more = { 'AwsSolutions-IAM5 CheckRole': 0 };
    const { 'AwsSolutions-SF2 CheckMachine': _, ...rest } = SUPPRESSED;
    expect(governed).toEqual([...Object.keys(rest), ...Object.keys(more)].sort());
  });
  it('find nothing in what parameters add, but what has a reason', () => {
    const more: Record<string, string> = {
      'AwsSolutions-IAM5 EmptyRole': 'Objects of failed batches have names that Lambda makes.',
      'AwsSolutions-IAM5 ObserveRole': 'The observer samples all indexes of the table.',
      'AwsSolutions-IAM5 StreamDeploymentRole':
        'Versions have numbers that nobody knows before; DescribeAlarms has no resource.',
    };
    expect(varied).toEqual([...Object.keys(SUPPRESSED), ...Object.keys(more)].sort());
  });
});

describe('the rules of Control Tower', () => {
  /** `rule resource` of each finding. */
  async function findings(file: string): Promise<string[]> {
    const guard = join(installed, 'node_modules/@cdklabs/cdk-validator-cfnguard');
    const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
    const program = join(guard, 'bin', process.platform === 'darwin' ? 'macos' : 'ubuntu', machine, 'cfn-guard');
    const args = [
      'validate',
      '-r',
      join(guard, 'rules/control-tower'),
      '-d',
      file,
      '-S',
      'none',
      '-o',
      'json',
      '--structured',
    ];
    // It ends with 19 where it has found something.
    const { stdout } = await run(program, args, { maxBuffer: 64 * 1024 * 1024 }).catch(
      (error: { code?: number; stdout: string }) => {
        if (error.code !== 19) throw error;
        return error;
      },
    );
    const [report] = JSON.parse(stdout) as [{ not_compliant: { Rule: { name: string } }[] }];
    return report.not_compliant
      .flatMap(({ Rule }) =>
        [...new Set([...JSON.stringify(Rule).matchAll(/"path":"\/Resources\/(\w+)/g)].map(([, id]) => id!))].map(
          (id) => `${Rule.name} ${id}`,
        ),
      )
      .sort();
  }

  const ALWAYS: Record<string, string> = {
    's3_bucket_versioning_enabled_check FailedBatchesBucket':
      'Objects are written once and deleted when they are settled.',
    's3_bucket_object_lock_enabled_check FailedBatchesBucket': 'Objects are deleted when they are settled.',
    's3_bucket_logging_enabled_check FailedBatchesBucket': 'Only the mapping and the redrive function use it.',
    's3_bucket_policy_ssl_requests_only_check FailedBatchesBucketPolicy':
      'The policy is there; the rule does not follow Fn::Sub.',
    'sqs_dlq_check DeadLetterQueue': 'It is a dead-letter queue.',
    'sqs_dlq_check ScheduleDeadLetterQueue': 'It is a dead-letter queue.',
    'step_functions_state_machine_logging_enabled_check CheckMachine': 'Step Functions keep the history for 90 days.',
  };
  const functions = ['Check', 'Rebuild', 'Redrive', 'Stream'];
  const BY_PARAMETER: Record<string, string> = {
    ...Object.fromEntries(
      functions.flatMap((name) => [
        [`cloudwatch_log_group_encrypted_check ${name}LogGroup`, 'kmsKeyArn'],
        [`cloudwatch_log_group_retention_period_check ${name}LogGroup`, 'logRetentionDays'],
        [`lambda_inside_vpc_check ${name}LambdaFunction`, 'vpcSubnetIds'],
      ]),
    ),
    'dynamodb_table_encrypted_kms_check RecordsTable': 'kmsKeyArn',
    's3_bucket_default_encryption_kms_check FailedBatchesBucket': 'kmsKeyArn',
    'step_functions_state_machine_tracing_enabled_check CheckMachine': 'tracing',
  };

  it('find nothing but what has a reason or a parameter', async () => {
    expect(await findings(await templateFile('prod'))).toEqual(
      [...Object.keys(ALWAYS), ...Object.keys(BY_PARAMETER)].sort(),
    );
    for (const parameter of Object.values(BY_PARAMETER)) expect(GOVERNED).toHaveProperty(parameter);
  });
  it('find nothing that a parameter is for where it is set', async () => {
    const found = await findings(await templateFile('governed', GOVERNED));
    expect(found).toEqual(Object.keys(ALWAYS).sort());
  });
});

describe('the app for CDK of a new project', () => {
  it.each([
    ['every parameter as it is', {}],
    ['observer, feed, gradual deployments and a bucket that is emptied', VARIANT],
  ])('is synthesised with %s: every resource of the stack, and the code as its asset', async (_name, more) => {
    const template = await templateFile('template', more, '.code');
    const code = join(folder, '.code');
    await mkdir(code, { recursive: true });
    await writeFile(join(code, 'stream.mjs'), 'export const handler = () => {};\n');
    await inPackage(join(ROOT, 'assets/deploy/cdk/app.mjs'), []);
    const assembly = join(folder, 'cdk.out');
    expect(await readdir(assembly)).toContain('SERVICE-prod.template.json');
    const made = JSON.parse(await readFile(join(assembly, 'SERVICE-prod.template.json'), 'utf8')) as Template;
    const { artifacts } = JSON.parse(await readFile(join(assembly, 'manifest.json'), 'utf8'));
    expect(artifacts['SERVICE-prod'].properties).toMatchObject({ terminationProtection: true });
    const ours = JSON.parse(await readFile(template, 'utf8')) as Template;
    const { CDKMetadata: _, ...resources } = made.Resources;
    expect(Object.keys(resources).sort()).toEqual(Object.keys(ours.Resources).sort());
    for (const [id, { Type, Properties }] of Object.entries(ours.Resources)) {
      const { Code: theirCode, ...theirs } = resources[id]!.Properties;
      const { Code: ownCode, ...own } = Properties;
      expect(resources[id]!.Type).toBe(Type);
      expect(Object.keys(theirs).sort(), id).toEqual(Object.keys(own).sort());
      if (ownCode === '.code') expect(theirCode).toMatchObject({ S3Key: expect.stringMatching(/\.zip$/) });
    }
  });
});
