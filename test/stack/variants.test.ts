import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import { readParameters } from '../../src/deployment/stack/base/parameters.ts';
import { frameworkStack, importTemplate, stackTemplate } from '../../src/deployment/stack/stack.ts';
import { findings } from '../support/stack/lint.ts';
import type { Template } from '../support/stack/template.ts';

/** The templates of every tool, with everything that a parameter adds or takes away, under the rules. */

const model = await loadModel('edgeloom.config.ts');
const TABLE = 'arn:aws:dynamodb:eu-central-1:123456789012:table/edgeloom-prod-records';

/** What changes the resources of a stack. */
const VARIANTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'every parameter as it is': {},
  observer: { observe: true },
  'observer and feed': { observe: true, feedEventBus: 'default' },
  'a source': { sourceStreamArns: `${TABLE.replace('edgeloom-prod-records', 'app')}/stream/2026-01-01T00:00:00.000` },
  'sources, one of another account': {
    sourceStreamArns: ['app', 'orders'].map((name, i) => {
      const arn = TABLE.replace('edgeloom-prod-records', name).replace('123456789012', `${i + 1}`.repeat(12));
      return `${arn}/stream/2026-01-01T00:00:00.000`;
    }),
  },
  'gradual deployments': { canaryMinutes: 5 },
  'data that goes with the stack': { keepData: false, deletionProtection: false, pointInTimeRecovery: false },
  'a check that repairs': { checkRepair: true },
  'no check by itself': { checkEnabled: false },
  'bounds, warm capacity and insights': {
    ...{ maxReadUnits: 50_000, maxWriteUnits: 20_000, warmReadUnits: 24_000, contributorInsights: true },
    reservedConcurrency: 10,
  },
  'a table of another stack': {
    existingTableArn: TABLE.replace(/edgeloom-prod-records/, 'legacy'),
    existingStreamArn: `${TABLE.replace(/edgeloom-prod-records/, 'legacy')}/stream/2026-01-01T00:00:00.000`,
  },
  'the stream of the own table, made anew': { existingStreamArn: `${TABLE}/stream/2026-01-01T00:00:00.000` },
  'producers of other accounts': { producerAccounts: '111122223333' },
  'a topic of its own': { alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:operations' },
  'mail about alarms': { alarmEmail: 'operations@example.org' },
  'a governed account': {
    permissionsBoundaryArn: 'arn:aws:iam::123456789012:policy/boundary',
    kmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555',
    vpcSubnetIds: 'subnet-11111111,subnet-22222222',
    vpcSecurityGroupIds: 'sg-11111111',
    tracing: true,
  },
  everything: {
    ...{ observe: true, feedEventBus: 'changes', canaryMinutes: 30, keepData: false, checkRepair: true, tracing: true },
    ...{ maxReadUnits: 50_000, warmReadUnits: 24_000, contributorInsights: true, reservedConcurrency: 10 },
    producerAccounts: '111122223333',
    sourceStreamArns: `${TABLE.replace('edgeloom-prod-records', 'app')}/stream/2026-01-01T00:00:00.000`,
  },
};

const CODE = { S3Bucket: 'artefacts', S3Key: 'functions-9f86d08.zip' };
const partsOf = (parameters: object) => ({
  ...{ service: 'edgeloom', stage: 'prod' },
  parameters: readParameters({ stage: 'prod', values: { tags: 'team=graph', ...parameters } }),
});
const inputOf = (parameters: object) => ({ ...partsOf(parameters), model });
/** As JSON, where what is undefined is absent. */
const asJson = (template: object): Template => JSON.parse(JSON.stringify(template)) as Template;

/** What SAM, Terraform, CDK and CloudFormation deploy: `edgeloom stack` prints it for all of them. */
const printed = (parameters: object): Template =>
  asJson(stackTemplate(model, { ...partsOf(parameters), code: CODE, revision: 'revision' }));

/** What the Serverless Framework deploys: it adds the functions, with the properties that it is told. */
function byFramework(parameters: object): Template {
  const { resources } = frameworkStack(inputOf(parameters));
  const functions = Object.entries(resources.extensions).map(([id, { Properties, DependsOn }]) => [
    id,
    {
      ...{ Type: 'AWS::Lambda::Function', DependsOn },
      Properties: { ...Properties, Code: { S3Bucket: 'artefacts', S3Key: 'stream.zip' } },
    },
  ]);
  return asJson({ ...resources, Resources: { ...resources.Resources, ...Object.fromEntries(functions) } });
}

/** All templates, by what they are. */
const TEMPLATES = new Map<string, Template>(
  Object.entries(VARIANTS).flatMap(([name, parameters]) => [
    [`printed: ${name}`, printed(parameters)] as [string, Template],
    ...('canaryMinutes' in parameters ? [] : [[`framework: ${name}`, byFramework(parameters)] as [string, Template]]),
    ...('existingTableArn' in parameters
      ? []
      : [[`import: ${name}`, { ...asJson(importTemplate(inputOf(parameters))), Outputs: {} }] as [string, Template]]),
  ]),
);

/** What a parameter names has a partition and a region. */
const IS_GIVEN = /^no ARN has a partition/;

describe('the template of', () => {
  it.each([...TEMPLATES.keys()])('%s breaks no rule', (name) => {
    const isGiven = Object.values(VARIANTS[name.split(': ')[1]!]!).some((value) => String(value).startsWith('arn:'));
    const found = findings(TEMPLATES.get(name)!);
    expect(isGiven ? found.filter((text) => !IS_GIVEN.test(text)) : found).toEqual([]);
  });
});

describe('cfn-lint', async () => {
  const run = promisify(execFile);
  const isInstalled = await run('cfn-lint', ['--version']).then(
    () => true,
    () => false,
  );
  /** Findings that are none, by what they say. */
  const SUPPRESSED: readonly [reason: string, finding: RegExp][] = [
    ['Dashboards take tags since 2026; its copy of the schemas may be older.', /^E3002 .*Dashboard\/Properties\/Tags$/],
  ];

  /** These have every resource and property that the others have; it takes two seconds for each. */
  const WIDEST = ['every parameter as it is', 'a table of another stack', 'a governed account', 'everything'];

  // It is a package of Python, which npm does not bring.
  it.skipIf(!isInstalled)('finds nothing in the widest templates, but what has a reason', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edgeloom-lint-'));
    try {
      const names = WIDEST.map((name) => `printed: ${name}`);
      const files = names.map((_, i) => join(folder, `${i}.json`));
      for (const [i, name] of names.entries()) {
        await writeFile(files[i]!, JSON.stringify(TEMPLATES.get(name)));
      }
      const { stdout } = await run('cfn-lint', ['--format', 'json', ...files], { maxBuffer: 1 << 26 }).catch(
        (error: { code?: number; stdout: string }) => {
          // It ends with the sum of the levels that it has found.
          if (typeof error.code !== 'number') throw error;
          return error;
        },
      );
      const found = (
        JSON.parse(stdout) as {
          Filename: string;
          Message: string;
          Rule: { Id: string };
          Location: { Path: (string | number)[] };
        }[]
      ).map(({ Filename, Rule, Message, Location }) => {
        return `${Rule.Id} ${names[files.indexOf(Filename)]}: ${Message} ${Location.Path?.join('/')}`;
      });
      expect(found.filter((text) => !SUPPRESSED.some(([, finding]) => finding.test(text)))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
