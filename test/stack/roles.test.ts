import { describe, expect, it } from 'vitest';
import { roleStatements } from '../support/stack/statements.ts';
import { type PolicyStatement, type TemplateResource, template } from '../support/stack/template.ts';

/** Exactly what roles and policies allow besides calls of the table, which the programs themselves try in role-use.test.ts. */

const TABLE = 'arn:aws:dynamodb:eu-central-1:123456789012:table/edgeloom-prod-records';
const STREAM = `${TABLE}/stream/2026-01-01T00:00:00.000`;
const BUCKET = 'arn:aws:s3:::edgeloom-prod-failed-123456789012-eu-central-1';
const MACHINE = 'arn:aws:states:eu-central-1:123456789012:stateMachine:edgeloom-prod-check';

/** `action resource` of everything besides the table that statements allow; anything else than a plain Allow is shown as it is. */
function allowed(statements: readonly PolicyStatement[]): string[] {
  return statements
    .filter(({ Resource }) => ![TABLE, `${TABLE}/index/*`].includes([Resource].flat()[0]!))
    .flatMap(({ Effect, Action, Resource, ...rest }) => {
      if (Effect !== 'Allow') return [JSON.stringify({ Effect, Action, ...rest })];
      const when = Object.keys(rest).length > 0 ? ` if ${JSON.stringify(rest)}` : '';
      return [Action].flat().flatMap((action) => [Resource].flat().map((resource) => `${action} ${resource}${when}`));
    })
    .sort();
}

function roleAllows(role: TemplateResource): string[] {
  // No managed policies beside its own.
  expect(Object.keys(role.Properties).sort()).toEqual(['AssumeRolePolicyDocument', 'Policies']);
  return allowed(roleStatements(role));
}

const on = (resource: string, ...actions: string[]): string[] => actions.map((action) => `${action} ${resource}`);
const logsOf = (name: string): string[] =>
  on(
    `arn:aws:logs:eu-central-1:123456789012:log-group:/aws/lambda/edgeloom-prod-${name}:*`,
    'logs:CreateLogStream',
    'logs:PutLogEvents',
  );

const OURS = ` if ${JSON.stringify({ Condition: { StringEquals: { 's3:ResourceAccount': '123456789012' } } })}`;

const { Resources } = template();

/** For what a service may take a role. */
const SOURCES: Record<string, string> = {
  CheckMachineRole: `${MACHINE}*`,
  CheckScheduleRole: 'arn:aws:events:eu-central-1:123456789012:rule/edgeloom-prod-check',
};

describe('the role of', () => {
  it.each<[string, string, string[]]>([
    [
      'StreamRole',
      'lambda.amazonaws.com',
      [
        ...logsOf('stream'),
        ...on(STREAM, 'dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'),
        ...on(STREAM, 'dynamodb:ListStreams'),
        ...on(BUCKET + OURS, 's3:ListBucket'),
        ...on(`${BUCKET}/aws/lambda/*${OURS}`, 's3:PutObject'),
      ],
    ],
    [
      'RedriveRole',
      'lambda.amazonaws.com',
      [
        ...logsOf('redrive'),
        ...on(STREAM, 'dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'),
        ...on(`${BUCKET}/aws/lambda/*${OURS}`, 's3:DeleteObject', 's3:GetObject'),
        ...on(
          'arn:aws:sqs:eu-central-1:123456789012:edgeloom-prod-failed-batches',
          ...['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:SendMessage'],
        ),
      ],
    ],
    [
      'CheckMachineRole',
      'states.amazonaws.com',
      [
        ...['check', 'rebuild'].flatMap((name) =>
          on(`arn:aws:lambda:eu-central-1:123456789012:function:edgeloom-prod-${name}`, 'lambda:InvokeFunction'),
        ),
        ...on(MACHINE, 'states:StartExecution'),
        ...on(
          'arn:aws:states:eu-central-1:123456789012:execution:edgeloom-prod-check:*',
          ...['states:DescribeExecution', 'states:StopExecution'],
        ),
      ],
    ],
    ['CheckScheduleRole', 'events.amazonaws.com', on(MACHINE, 'states:StartExecution')],
  ])('%s allows exactly what it needs, to %s alone', (id, service, expected) => {
    const role = Resources[id]!;
    expect(roleAllows(role)).toEqual(expected.sort());
    const [trust, ...others] = role.Properties['AssumeRolePolicyDocument'].Statement;
    expect(others).toEqual([]);
    expect(trust).toMatchObject({ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' });
    // Lambda takes a role for the function that has it; other services say for what they take it.
    const source = trust.Condition?.ArnLike['aws:SourceArn'];
    expect(source).toBe(SOURCES[id]);
  });
});

it('who may invoke a function or send to a queue or topic is named, with the source', () => {
  const permissions = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Permission');
  expect(permissions.map(({ Properties }) => [Properties['Principal'], Properties['SourceArn']])).toEqual([
    ['events.amazonaws.com', 'arn:aws:events:eu-central-1:123456789012:rule/edgeloom-prod-redrive'],
    ['events.amazonaws.com', 'arn:aws:events:eu-central-1:123456789012:rule/edgeloom-prod-watch'],
  ]);
  const open = Object.values(Resources)
    .flatMap(({ Properties }): PolicyStatement[] => Properties['PolicyDocument']?.Statement ?? [])
    .filter(({ Effect, Principal }) => Effect === 'Allow' && Principal !== undefined)
    .map(({ Principal, Condition }) => [Principal, Condition]);
  expect(open).toEqual([
    [
      { Service: 's3.amazonaws.com' },
      { ArnEquals: { 'aws:SourceArn': BUCKET }, StringEquals: { 'aws:SourceAccount': '123456789012' } },
    ],
    [
      { Service: 'events.amazonaws.com' },
      {
        ArnLike: { 'aws:SourceArn': 'arn:aws:events:eu-central-1:123456789012:rule/edgeloom-prod-*' },
        StringEquals: { 'aws:SourceAccount': '123456789012' },
      },
    ],
    [
      { Service: 'cloudwatch.amazonaws.com' },
      {
        ArnLike: { 'aws:SourceArn': 'arn:aws:cloudwatch:eu-central-1:123456789012:alarm:edgeloom-prod-*' },
        StringEquals: { 'aws:SourceAccount': '123456789012' },
      },
    ],
  ]);
});
