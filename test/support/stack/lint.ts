import { RUNTIME } from '../../../src/deployment/stack/parts/functions.ts';
import { brokenReferences, cycles } from './references.ts';
import { specificationProblems, taggableTypes } from './specification.ts';
import { roleStatements } from './statements.ts';
import type { PolicyStatement, Template, TemplateResource } from './template.ts';
import { template as resolved } from './template.ts';

/** Rules for templates, of our own: what AWS would refuse, and what nobody should deploy. */

/** A rule, and what it finds in a template: texts that begin with the resource's logical id. */
export type Rule = (template: Template) => string[];

/** Actions that AWS grants on no single resource: a statement on `*` may hold these. */
const WITHOUT_RESOURCE = new Set([
  // X-Ray and network interfaces have no ARN before they are made.
  ...['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'xray:GetSamplingRules', 'xray:GetSamplingTargets'],
  ...['xray:GetSamplingStatisticSummaries', 'ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'],
  ...['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface', 'ec2:DescribeNetworkInterfaces'],
  ...['ec2:DescribeSubnets', 'cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData', 'cloudwatch:GetMetricStatistics'],
  ...['cloudwatch:ListMetrics', 'lambda:ListEventSourceMappings', 'logs:DescribeLogGroups', 'logs:GetQueryResults'],
]);

/** What CloudFormation takes at most: resources, outputs, bytes of a template that a bucket holds. */
const MOST = { resources: 500, outputs: 200, bytes: 1_000_000 };
/** What IAM takes at most, in characters without the spaces: a managed policy, and all inline policies of a role. */
const MOST_OF_POLICY = { managed: 6_144, role: 10_240 };

const byType = ({ Resources }: Template, type: string): [string, TemplateResource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type);

/** The resources of a type that lack a property. */
const without =
  (type: string, ...names: string[]): Rule =>
  (template) =>
    byType(template, type)
      .filter(([, { Properties }]) => names.every((name) => !(name in Properties)))
      .map(([id]) => `${id} has no ${names.join(' or ')}`);

/** The statements of roles and managed policies, each with its resource's id. */
function statements(template: Template): { id: string; statement: PolicyStatement }[] {
  const roles = byType(template, 'AWS::IAM::Role').flatMap(([id, role]) =>
    roleStatements(role).map((statement) => ({ id, statement })),
  );
  const policies = byType(template, 'AWS::IAM::ManagedPolicy').flatMap(([id, { Properties }]) =>
    (Properties['PolicyDocument'].Statement as PolicyStatement[]).map((statement) => ({ id, statement })),
  );
  return [...roles, ...policies];
}

/** The rules by their names. */
const RULES: Readonly<Record<string, Rule>> = {
  'types, properties and values are those of the specification': (template) =>
    specificationProblems(resolved(template)),
  'what is named is there': (template) => brokenReferences(template).map(({ id, attribute }) => `${id} ${attribute}`),
  'nothing waits for itself': cycles,
  'CloudFormation takes the size': (template) => [
    ...above('resources', Object.keys(template.Resources).length, MOST.resources),
    ...above('outputs', Object.keys(template.Outputs).length, MOST.outputs),
    ...above('bytes', Buffer.byteLength(JSON.stringify(template)), MOST.bytes),
    ...Object.keys(template.Resources).filter((id) => !/^[A-Za-z0-9]{1,255}$/.test(id)),
  ],
  'IAM takes the size of policies': (template) => {
    const { Resources } = resolved(template);
    return [
      ...byType(template, 'AWS::IAM::ManagedPolicy').flatMap(([id]) =>
        above(id, JSON.stringify(Resources[id]!.Properties['PolicyDocument']).length, MOST_OF_POLICY.managed),
      ),
      ...byType(template, 'AWS::IAM::Role').flatMap(([id]) =>
        above(id, JSON.stringify(Resources[id]!.Properties['Policies']).length, MOST_OF_POLICY.role),
      ),
    ];
  },
  'no right is for every action': (template) =>
    statements(template).flatMap(({ id, statement }) =>
      statement.Effect === 'Allow'
        ? actionsOf(statement)
            .filter((one) => one.includes('*'))
            .map((one) => `${id} ${one}`)
        : [],
    ),
  'a right without a resource is one that has none': (template) =>
    statements(template).flatMap(({ id, statement }) =>
      statement.Effect === 'Allow' && [statement.Resource].flat().includes('*')
        ? actionsOf(statement)
            .filter((one) => !WITHOUT_RESOURCE.has(one))
            .map((one) => `${id} ${one}`)
        : [],
    ),
  'no ARN has a partition, no text a region, but those of parameters': (template) =>
    Object.entries(template.Resources).flatMap(([id, resource]) =>
      [...JSON.stringify(resource).matchAll(/arn:aws[\w-]*:|\b(?:us|eu|ap|sa|ca|me|af|il)-[a-z]+-\d\b/g)].map(
        ([text]) => `${id} ${text}`,
      ),
    ),
  // DynamoDB encrypts each table, with a key of AWS where no other is named; so do logs, functions and topics.
  'buckets and queues are encrypted': (template) => [
    ...without('AWS::S3::Bucket', 'BucketEncryption')(template),
    ...without('AWS::SQS::Queue', 'SqsManagedSseEnabled', 'KmsMasterKeyId')(template),
  ],
  'logs end': without('AWS::Logs::LogGroup', 'RetentionInDays'),
  'each function has a log group before it': (template) =>
    byType(template, 'AWS::Lambda::Function')
      .filter(([id, { DependsOn = [] }]) => !DependsOn.includes(id.replace(/LambdaFunction$/, 'LogGroup')))
      .map(([id]) => id),
  'functions run on the runtime that is tested, on arm64': (template) =>
    byType(template, 'AWS::Lambda::Function')
      .filter(
        ([
          ,
          {
            Properties: { Runtime, Architectures },
          },
        ]) => Runtime !== RUNTIME || Architectures?.[0] !== 'arm64',
      )
      .map(([id]) => id),
  'a schedule that reaches nothing tells of it': (template) =>
    byType(template, 'AWS::Events::Rule').flatMap(([id, { Properties }]) =>
      (Properties['Targets'] as object[]).filter((target) => !('DeadLetterConfig' in target)).map(() => id),
    ),
  // Those of a deployment are for CodeDeploy: a deployment that is taken back fails, and whoever deploys sees it.
  'an alarm reaches someone': (template) =>
    without('AWS::CloudWatch::Alarm', 'AlarmActions')(template).filter((text) => !/^Deployment\w+Alarm/.test(text)),
  'everything that takes tags has them': (template) => {
    const taggable = taggableTypes();
    return Object.entries(template.Resources)
      .filter(([, { Type, Properties }]) => taggable.has(Type) && Properties['Tags'] === undefined)
      .map(([id, { Type }]) => `${id} ${Type}`);
  },
};

/** What the rules find in a template, as `rule: finding`. */
export function findings(template: Template): string[] {
  return Object.entries(RULES).flatMap(([name, rule]) => rule(template).map((finding) => `${name}: ${finding}`));
}

function above(what: string, count: number, most: number): string[] {
  return count > most ? [`${what} is ${count}, more than ${most}`] : [];
}

function actionsOf({ Action }: PolicyStatement): string[] {
  return [Action].flat();
}
