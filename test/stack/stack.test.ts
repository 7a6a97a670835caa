import { describe, expect, inject, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';

import { edge, node } from '../../src/core/model/schema.ts';
import { streamFilterPattern } from '../../src/core/plan/stream-filter.ts';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import { stackNames } from '../../src/deployment/stack/base/names.ts';
import { PARAMETER_NAMES, parameterWarnings, readParameters } from '../../src/deployment/stack/base/parameters.ts';
import { parametersOf, testStack } from '../support/stack/parameters.ts';
import { cycles } from '../support/stack/references.ts';
import { roleStatements } from '../support/stack/statements.ts';
import { type PolicyStatement, rawTemplate, template } from '../support/stack/template.ts';

/** The stack of this project, and those of other models and parameters. */

const config = await loadModel('edgeloom.config.ts');

const graph = defineGraph({
  table: { name: 'follows', partitionKey: 'pk', sortKey: 'sk', ttl: 'gone', indexes: { gsi0: 'byTarget' } },
  nodes: { USER: node({ view: 'ALL' }) },
  edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
});

const made = (more: Readonly<Record<string, unknown>> = {}) => testStack(graph, more).Resources;

describe('the packaged stack', () => {
  const { Resources } = template();
  const properties = (id: string) => Resources[id]!.Properties;
  const MAPPING = properties('StreamEventSourceMappingDynamodbRecordsTable');

  it('has the keys and indexes of the model, on demand, with both images in its stream and TTL', () => {
    const key = (hash: string, range: string) => [
      { AttributeName: hash, KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ];
    const ofFirst = ['attributes', 'value', 'of', 'code', 'reason', 'since', 'derivedKeys', 'in'];
    const index = (IndexName: string, NonKeyAttributes: string[]) => ({
      ...{ IndexName, KeySchema: key(`${IndexName}pk`, `${IndexName}sk`) },
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes },
    });
    expect(properties('RecordsTable')).toMatchObject({
      ...{ TableName: 'edgeloom-prod-records', BillingMode: 'PAY_PER_REQUEST', KeySchema: key('source', 'target') },
      GlobalSecondaryIndexes: [index('gsi0', ofFirst), index('gsi1', ['attributes', 'gsi1value'])],
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
  });
  it('protects the table and keeps it in prod; in dev it goes with the stack', () => {
    const dev = template(rawTemplate(inject('packages').dev)).Resources;
    for (const [resources, isKept] of [[Resources, true] as const, [dev, false] as const]) {
      const { DeletionPolicy, UpdateReplacePolicy, Properties } = resources['RecordsTable']!;
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual([isKept ? 'RetainExceptOnCreate' : 'Delete', 'Retain']);
      expect(Properties['DeletionProtectionEnabled']).toBe(isKept);
      expect(Properties['PointInTimeRecoverySpecification'].PointInTimeRecoveryEnabled).toBe(isKept);
    }
  });
  it("reads its stream from the oldest record on, by the code's own pattern, and loses no batch that fails", () => {
    const { Filters } = MAPPING['FilterCriteria'] as { Filters: { Pattern: string }[] };
    expect(Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([streamFilterPattern(config.table)]);
    // Lambda's limit.
    expect(Filters[0]!.Pattern.length).toBeLessThan(4096);
    expect(MAPPING).toMatchObject({
      ...{ StartingPosition: 'TRIM_HORIZON', BisectBatchOnFunctionError: true },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: { OnFailure: { Destination: 'arn:aws:s3:::edgeloom-prod-failed-123456789012-eu-central-1' } },
    });
    const queue = 'arn:aws:sqs:eu-central-1:123456789012:edgeloom-prod-failed-batches';
    expect(properties('FailedBatchesBucket')['NotificationConfiguration'].QueueConfigurations[0].Queue).toBe(queue);
    expect(Resources['FailedBatchesBucket']!.DependsOn).toEqual(['FailedBatchesQueuePolicy']);
    expect(properties('RedriveEventSourceMappingSQSFailedBatchesQueue')).toMatchObject({
      ...{ EventSourceArn: queue, FunctionResponseTypes: ['ReportBatchItemFailures'] },
    });
  });
  it('gives up a record before it leaves the stream, and a message after six times the time of its function', () => {
    expect(MAPPING['MaximumRecordAgeInSeconds']).toBeLessThan(24 * 3600);
    const { VisibilityTimeout, RedrivePolicy } = properties('FailedBatchesQueue');
    // Lambda's advice: or a message comes again while it is being worked on.
    expect(VisibilityTimeout).toBe(6 * properties('RedriveLambdaFunction')['Timeout']);
    expect(RedrivePolicy.deadLetterTargetArn).toMatch(/edgeloom-prod-dead-letters$/);
  });
});

describe('a stack follows the model', () => {
  it('and deletes each minute what is over and counted, where there can be any', () => {
    const rules = (options: object): string[] => {
      const type = edge({ from: 'USER', to: 'USER', ...options });
      const of = defineGraph({ table: 'follows', nodes: { USER: node({ view: 'ALL' }) }, edges: { FOLLOWS: type } });
      const resources = Object.values(testStack(of).Resources).filter((one) => one.Type === 'AWS::Events::Rule');
      return resources.flatMap(({ Properties }) =>
        Properties['ScheduleExpression'] === 'rate(1 minute)' ? [Properties['Targets'][0].Input as string] : [],
      );
    };
    expect(rules({ degree: true, expires: 'expiresAt' })).toEqual(['{"ended":true}']);
    expect(rules({ expires: 'expiresAt' })).toEqual([]);
    expect(rules({ degree: true })).toEqual([]);
  });
  it('in the alarms of throttled indexes, of which each takes ten metrics at most', () => {
    const READER = node({
      view: 'ALL',
      search: { mail: { native: true }, name: { native: true }, card: { native: true } },
    });
    const of = defineGraph({ table: { name: 'loans', indexes: 4 }, nodes: { READER } });
    const rings = Object.entries(testStack(of).Resources).filter(([id]) => id.startsWith('HotPartition'));
    const watched = rings.map(([, { Properties }]) =>
      Properties['Metrics'].filter((one: never) => 'MetricStat' in one),
    );
    expect(watched.map(({ length }) => length)).toEqual([10, 6]);
    expect(rings.map(([id]) => id)).toEqual(['HotPartitionAlarm', 'HotPartition2Alarm']);
    for (const name of ['gsi3', 'mail-target', 'name-target', 'card-target'])
      expect(JSON.stringify(watched)).toContain(`"Value":"${name}"`);
    for (const [, { Properties }] of rings) expect(Properties['AlarmDescription']).toMatch(/#hotpartition$/);
  });
  it('in none of the roles and policies, which allow all indexes of a table', () => {
    for (const id of ['RedriveRole', 'ProducerPolicy', 'ReaderPolicy']) {
      const text = JSON.stringify(made()[id]);
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation fills it in
      expect(text).toContain('${RecordsTable.Arn}/index/*');
    }
  });
});

describe('a first deployment that fails', () => {
  it('leaves nothing behind that would be in the way of the second', () => {
    const kept = Object.entries(made()).filter(([, { DeletionPolicy }]) => DeletionPolicy !== undefined);
    expect(kept.map(([id, { DeletionPolicy }]) => `${id} ${DeletionPolicy}`)).toEqual([
      'RecordsTable RetainExceptOnCreate',
      'FailedBatchesBucket RetainExceptOnCreate',
    ]);
    const gone = Object.values(made({ keepData: false })).map(({ DeletionPolicy }) => DeletionPolicy);
    expect(new Set(gone)).toEqual(new Set([undefined, 'Delete']));
  });
});

describe('names', () => {
  it('that are global to the account hold the region, so that a second region can deploy', () => {
    const resources = made();
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation fills it in
    const region = '${AWS::Region}';
    expect(resources['ProducerPolicy']!.Properties['ManagedPolicyName']).toEqual({
      'Fn::Sub': `own-test-producer-${region}`,
    });
    expect(resources['ReaderPolicy']!.Properties['ManagedPolicyName']).toEqual({
      'Fn::Sub': `own-test-reader-${region}`,
    });
    expect(resources['Dashboard']!.Properties['DashboardName']).toEqual({ 'Fn::Sub': `own-test-${region}` });
    expect(JSON.stringify(resources['FailedBatchesBucket']!.Properties['BucketName'])).toContain(region);
    // Roles have no names of their own: CloudFormation makes them.
    const roles = Object.values(resources).filter(({ Type }) => Type === 'AWS::IAM::Role');
    expect(roles.filter(({ Properties }) => 'RoleName' in Properties)).toEqual([]);
  });
  it.each(['Prod', 'feature/x', 'a_b', 'two--hyphens', 'end-', ''])('with the stage %j are refused', (stage) => {
    expect(() => stackNames('edgeloom', stage, 'records')).toThrow(/cannot be in the name of a bucket/);
  });
  it('are refused where they are too long, with the length that fits', () => {
    const longest = 'a'.repeat(63 - '-failed-123456789012-ap-southeast-1'.length - 'edgeloom-'.length);
    expect(stackNames('edgeloom', longest, 'records').prefix).toBe(`edgeloom-${longest}`);
    expect(() => stackNames('edgeloom', `${longest}a`, 'records')).toThrow(/longer than 63 characters/);
    expect(() => stackNames('edgeloom', 'prod', 'r'.repeat(250))).toThrow(/DynamoDB takes no table/);
  });
});

describe('an existing table', () => {
  const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/legacy';
  const streamArn = `${arn}/stream/2026-05-01T00:00:00.000`;
  const resources = template(testStack(graph, { existingTableArn: arn, existingStreamArn: streamArn })).Resources;

  it('is not made, and everything speaks of it', () => {
    expect(resources).not.toHaveProperty('RecordsTable');
    const text = JSON.stringify(resources);
    expect(text).not.toContain('own-test-follows');
    expect(resources['StreamEventSourceMappingDynamodbRecordsTable']!.Properties['EventSourceArn']).toBe(streamArn);
    expect(resources['StreamLambdaFunction']!.Properties['Environment'].Variables['EDGELOOM_TABLE']).toBe('legacy');
    const allowed = roleStatements(resources['RedriveRole']!).flatMap(({ Resource }) => Resource);
    expect(allowed).toEqual(expect.arrayContaining([arn, `${arn}/index/*`]));
  });
  it('is refused without its stream, and with the stream of another', () => {
    expect(() => parametersOf({ existingTableArn: arn })).toThrow(/existingStreamArn: goes together/);
    expect(() =>
      parametersOf({ existingTableArn: arn, existingStreamArn: streamArn.replace('legacy', 'other') }),
    ).toThrow(/should be a stream of existingTableArn/);
  });
});

describe('the stream of the own table, after it was switched off and on', () => {
  const streamArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/own-test-follows/stream/2026-06-01T00:00:00.000';

  it('is read by a mapping that is made anew, under roles that name it', () => {
    const before = made();
    const after = made({ existingStreamArn: streamArn });
    expect(after['RecordsTable']).toEqual(before['RecordsTable']);
    expect(after['StreamEventSourceMappingDynamodbRecordsTable']!.Properties['EventSourceArn']).toBe(streamArn);
    for (const id of ['StreamRole', 'RedriveRole']) expect(JSON.stringify(after[id])).toContain(streamArn);
    expect(JSON.stringify(before['StreamRole'])).not.toContain(streamArn);
  });
  it('is refused where it is that of another table, or none', () => {
    expect(() => made({ existingStreamArn: streamArn.replace('follows', 'other') })).toThrow(
      /existingStreamArn: is not a stream of the table own-test-follows/,
    );
    expect(() => parametersOf({ existingStreamArn: 'arn:aws:dynamodb:eu-central-1:1:table/x' })).toThrow(
      /existingStreamArn: should be the ARN of a stream/,
    );
  });
});

describe('the parameters', () => {
  it('name a topic of their own, or mail the one of the stack', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-central-1:123456789012:operations';
    const other = made({ alarmTopicArn });
    expect(other).not.toHaveProperty('AlarmTopic');
    expect(other['DriftAlarm']!.Properties['AlarmActions']).toEqual([alarmTopicArn]);
    const mailed = made({ alarmEmail: 'operations@example.org' })['AlarmTopic']!;
    expect(mailed.Properties['Subscription']).toEqual([{ Protocol: 'email', Endpoint: 'operations@example.org' }]);
  });
  it('warn where alarms of a stage that keeps data reach no one, or not yet, and where a table has to be migrated first', () => {
    expect(parameterWarnings(readParameters({ stage: 'prod' }))).toEqual([expect.stringContaining('alarmEmail')]);
    expect(parameterWarnings(readParameters({ stage: 'dev' }))).toEqual([]);
    expect(parameterWarnings(parametersOf({ alarmEmail: 'operations@example.org' }))).toEqual([
      expect.stringMatching(/operations@example\.org before the mail of SNS is confirmed/),
    ]);
    const tableArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/goals';
    const alarmTopicArn = 'arn:aws:sns:eu-central-1:123456789012:alarms';
    const elsewhere = { existingTableArn: tableArn, existingStreamArn: `${tableArn}/stream/2026`, alarmTopicArn };
    expect(parameterWarnings(parametersOf(elsewhere))).toEqual([
      expect.stringContaining('run npx edgeloom migrate --table goals after the first deployment'),
    ]);
    expect(parameterWarnings(parametersOf({ alarmTopicArn }))).toEqual([]);
  });
  it('say in the outputs what comes next: a mail to confirm, a drill, and the migration of a table with items', () => {
    const { Outputs } = testStack(graph, { alarmEmail: 'operations@example.org' });
    expect(Outputs['AlarmDrill']).toMatchObject({
      Description: expect.stringContaining('Confirm the mail that SNS has sent to operations@example.org'),
      Value: 'npx edgeloom drill --stack own-test',
    });
    expect(Outputs['FirstMigration']!.Value).toMatch(/^npx edgeloom migrate --table own-test-/);
  });
  it('let the rest of a failed batch go round as often as it takes: only the redrive function may call itself by its queue', () => {
    const functions = Object.entries(made()).filter(([, { Type }]) => Type === 'AWS::Lambda::Function');
    const allowed = functions.filter(([, { Properties }]) => Properties['RecursiveLoop'] === 'Allow');
    expect(allowed.map(([id]) => id)).toEqual(['RedriveLambdaFunction']);
    expect(functions.length).toBeGreaterThan(3);
  });
  it('turn the schedule of the check off, and with it the alarm that misses it', () => {
    expect(made({ checkEnabled: false })['CheckSchedule']!.Properties['State']).toBe('DISABLED');
    expect(made({ checkEnabled: false })).not.toHaveProperty('CheckOverdueAlarm');
  });
  it('let the check write derived items only where it is to repair', () => {
    const actions = (checkRepair: boolean): string[] =>
      roleStatements(template(testStack(graph, { checkRepair })).Resources['CheckRole']!)
        .filter(({ Condition }) => Condition === undefined)
        .flatMap(({ Action }) => Action)
        .filter((action) => /^dynamodb:(Put|Update|Delete|BatchWrite)/.test(action));
    expect(actions(false)).toEqual([]);
    expect(actions(true)).toEqual(['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']);
  });
  it('bound what the table and its indexes take, warm them, and name their busiest keys', () => {
    expect(JSON.stringify(made()['RecordsTable'])).not.toMatch(/Throughput|ContributorInsights/);
    const bounded = testStack(graph, {
      ...{ maxReadUnits: '50000', maxWriteUnits: 20_000, warmReadUnits: 24_000, contributorInsights: 'true' },
    });
    const expected = {
      OnDemandThroughput: { MaxReadRequestUnits: 50_000, MaxWriteRequestUnits: 20_000 },
      WarmThroughput: { ReadUnitsPerSecond: 24_000 },
      ContributorInsightsSpecification: { Enabled: true },
    };
    const table = bounded.Resources['RecordsTable']!.Properties;
    expect(table).toMatchObject({ ...expected, GlobalSecondaryIndexes: [expected, expected] });
    expect(() => parametersOf({ warmWriteUnits: 100 })).toThrow(/warmWriteUnits: should be 0, or 4000 and more/);
  });
  it('let each program use the customer-managed key through those services alone that it needs', () => {
    const { Resources } = template(testStack(graph, { kmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/1' }));
    const services = (statements: readonly PolicyStatement[]): string[] =>
      statements
        .flatMap(({ Condition }) => (Condition as Record<string, never>)?.['StringEquals']?.['kms:ViaService'] ?? [])
        .map((service: string) => service.split('.')[0]!);
    const ofPolicy = (id: string) => services(Resources[id]!.Properties['PolicyDocument'].Statement);
    for (const id of ['ProducerPolicy', 'ReaderPolicy', 'MigratorPolicy']) expect(ofPolicy(id)).toEqual(['dynamodb']);
    const ofRole = (id: string) => services(roleStatements(Resources[id]!));
    expect(ofRole('StreamRole')).toEqual(['dynamodb', 'lambda', 's3']);
    expect(ofRole('CheckRole')).toEqual(['dynamodb', 'lambda']);
    expect(ofRole('RedriveRole')).toEqual(['dynamodb', 'lambda', 's3', 'sqs']);
    expect(Resources['CheckMachine']!.Properties['EncryptionConfiguration']).toEqual({
      ...{ Type: 'CUSTOMER_MANAGED_KMS_KEY', KmsKeyId: 'arn:aws:kms:eu-central-1:123456789012:key/1' },
    });
    expect(roleStatements(Resources['CheckMachineRole']!)).toContainEqual(
      expect.objectContaining({ Action: ['kms:Decrypt', 'kms:GenerateDataKey'] }),
    );
  });
  // The rules of Control Tower look at keys, networks, traces and retention: see rules.test.ts.
  it('set the boundary of every role, executions that are kept free, and tags', () => {
    const permissionsBoundaryArn = 'arn:aws:iam::123456789012:policy/boundary';
    const governed = made({ permissionsBoundaryArn, tags: 'team=graph,cost-center=42', reservedConcurrency: 20 });
    const roles = Object.values(governed).filter(({ Type }) => Type === 'AWS::IAM::Role');
    expect(roles.length).toBeGreaterThan(5);
    for (const { Properties } of roles) expect(Properties['PermissionsBoundary']).toBe(permissionsBoundaryArn);
    expect(governed['StreamLambdaFunction']!.Properties['ReservedConcurrentExecutions']).toBe(20);
    expect(governed['RecordsTable']!.Properties['Tags']).toEqual([
      { Key: 'team', Value: 'graph' },
      { Key: 'cost-center', Value: '42' },
    ]);
  });
  it('let programs of other accounts write base items, by a policy of the table that names it without waiting for it', () => {
    const accounts = testStack(graph, { producerAccounts: '111122223333,444455556666' });
    const { PolicyDocument } = template(accounts).Resources['RecordsTable']!.Properties['ResourcePolicy'];
    const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/own-test-follows';
    const Principal = { AWS: ['111122223333', '444455556666'] };
    const { PolicyDocument: ofOwn } = template(accounts).Resources['ProducerPolicy']!.Properties;
    expect(PolicyDocument.Statement).toEqual(ofOwn.Statement.map((one: object) => ({ ...one, Principal })));
    expect(PolicyDocument.Statement).toContainEqual(expect.objectContaining({ Effect: 'Deny', Resource: [table] }));
    expect(cycles(accounts)).toEqual([]);
    expect(made()['RecordsTable']!.Properties).not.toHaveProperty('ResourcePolicy');
    expect(() => parametersOf({ producerAccounts: 'me' })).toThrow(/producerAccounts: should be numbers of accounts/);
    const existing = { existingTableArn: table, existingStreamArn: `${table}/stream/2026-01-01T00:00:00.000` };
    expect(() => parametersOf({ producerAccounts: '111122223333', ...existing })).toThrow(
      /producerAccounts: is for the table of the stack/,
    );
  });
  it('have a value each where a stage says nothing', () => {
    expect(Object.keys(readParameters({ stage: 'prod' })).sort()).toEqual([...PARAMETER_NAMES].sort());
  });
  it('may be text, as they are on a command line', () => {
    const plain = {
      ...readParameters({ stage: 'prod' }),
      vpcSubnetIds: 'subnet-a,subnet-b',
      vpcSecurityGroupIds: 'sg-c',
      tags: 'a=b=c',
    };
    const text = Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, String(value)]));
    expect(readParameters({ stage: 'prod', values: text })).toEqual({
      ...readParameters({ stage: 'prod' }),
      ...{ vpcSubnetIds: ['subnet-a', 'subnet-b'], vpcSecurityGroupIds: ['sg-c'], tags: { a: 'b=c' } },
    });
  });
  it('are refused by name where they make no sense', () => {
    const wrong = {
      retries: -1,
      recordAgeSeconds: 86_401,
      checkRepair: 'maybe',
      alarmEmail: 'nobody',
      checkWrokers: 3,
    };
    expect(() => readParameters({ stage: 'prod', values: wrong })).toThrow(
      /retries:.*recordAgeSeconds:.*checkRepair:.*alarmEmail:.*checkWrokers/,
    );
    expect(() => readParameters({ stage: 'prod', values: { logRetentionDays: 8 } })).toThrow(
      /logRetentionDays: should be a number of days/,
    );
    expect(() => readParameters({ stage: 'prod', values: { vpcSubnetIds: 'subnet-1' } })).toThrow(
      /vpcSecurityGroupIds: goes together/,
    );
  });
});
