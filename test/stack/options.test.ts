import { describe, expect, inject, it } from 'vitest';
import { streamFilterPattern } from '../../src/core/plan/stream-filter.ts';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import { rawTemplate, template } from '../support/stack/template.ts';

/** Each option of the deployment that issue and documentation promise. */

const config = await loadModel('edgeloom.config.ts');
const { Resources } = template();
const dev = template(rawTemplate(inject('packages').dev)).Resources;
const properties = (id: string) => Resources[id]!.Properties;

describe('the table', () => {
  it('has the keys and indexes of the model, on demand, with both images in its stream and TTL', () => {
    const key = (hash: string, range: string) => [
      { AttributeName: hash, KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ];
    expect(properties('RecordsTable')).toMatchObject({
      TableName: 'edgeloom-prod-records',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: key('source', 'target'),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'gsi0',
          KeySchema: key('gsi0pk', 'gsi0sk'),
          Projection: {
            ProjectionType: 'INCLUDE',
            NonKeyAttributes: ['attributes', 'value', 'of', 'code', 'reason', 'since', 'derivedKeys', 'in'],
          },
        },
        {
          IndexName: 'gsi1',
          KeySchema: key('gsi1pk', 'gsi1sk'),
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['attributes', 'gsi1value'] },
        },
      ],
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
  });
  it('can be restored, is protected and outlives the stack in prod; in dev it goes with it', () => {
    const protection = (table: (typeof Resources)[string]) => ({
      restorable: table.Properties['PointInTimeRecoverySpecification'].PointInTimeRecoveryEnabled,
      isProtected: table.Properties['DeletionProtectionEnabled'],
      whenDeleted: table.DeletionPolicy,
      whenReplaced: table.UpdateReplacePolicy,
    });
    expect(protection(Resources['RecordsTable']!)).toEqual({
      ...{ restorable: true, isProtected: true, whenDeleted: 'RetainExceptOnCreate', whenReplaced: 'Retain' },
    });
    expect(protection(dev['RecordsTable']!)).toEqual({
      ...{ restorable: false, isProtected: false, whenDeleted: 'Delete', whenReplaced: 'Retain' },
    });
  });
});

describe('the event source mapping of the stream', () => {
  const mapping = properties('StreamEventSourceMappingDynamodbRecordsTable');

  it('begins with the oldest record, and folds big batches of one shard at a time', () => {
    expect(mapping).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 10_000,
      MaximumBatchingWindowInSeconds: 1,
      ParallelizationFactor: 1,
    });
    expect(mapping['EventSourceArn']).toContain(':table/edgeloom-prod-records/stream/');
    expect(mapping['FunctionName']).toBe('arn:aws:lambda:eu-central-1:123456789012:function:edgeloom-prod-stream');
  });
  it('gives up after some tries, halves, and keeps what it gave up in a bucket', () => {
    expect(mapping).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 20,
      MaximumRecordAgeInSeconds: 79_200,
      DestinationConfig: {
        OnFailure: { Destination: 'arn:aws:s3:::edgeloom-prod-failed-123456789012-eu-central-1' },
      },
    });
    // A record must not leave the stream before the mapping has given it up.
    expect(mapping['MaximumRecordAgeInSeconds']).toBeLessThan(24 * 3600);
  });
  it("counts its events, and filters by the code's own pattern", () => {
    expect(mapping['MetricsConfig']).toEqual({ Metrics: ['EventCount'] });
    const { Filters } = mapping['FilterCriteria'] as { Filters: { Pattern: string }[] };
    expect(Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([streamFilterPattern(config.table)]);
    // Lambda's limit.
    expect(Filters[0]!.Pattern.length).toBeLessThan(4096);
  });
});

describe('failed batches', () => {
  const TLS = { Bool: { 'aws:SecureTransport': 'false' } };

  it('are kept in a bucket that is encrypted and closed, for a month', () => {
    expect(properties('FailedBatchesBucket')).toMatchObject({
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      PublicAccessBlockConfiguration: {
        ...{ BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true },
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      LifecycleConfiguration: { Rules: [{ Status: 'Enabled', ExpirationInDays: 30 }] },
    });
    expect(Resources['FailedBatchesBucket']!.DeletionPolicy).toBe('RetainExceptOnCreate');
    const bucket = 'arn:aws:s3:::edgeloom-prod-failed-123456789012-eu-central-1';
    expect(properties('FailedBatchesBucketPolicy')['PolicyDocument'].Statement).toEqual([
      { Effect: 'Deny', Principal: '*', Action: 's3:*', Resource: [bucket, `${bucket}/*`], Condition: TLS },
    ]);
  });
  it('are told to a queue once the queue lets the bucket', () => {
    const queue = 'arn:aws:sqs:eu-central-1:123456789012:edgeloom-prod-failed-batches';
    expect(properties('FailedBatchesBucket')['NotificationConfiguration']).toEqual({
      QueueConfigurations: [{ Event: 's3:ObjectCreated:*', Queue: queue }],
    });
    expect(Resources['FailedBatchesBucket']!.DependsOn).toEqual(['FailedBatchesQueuePolicy']);
    expect(properties('FailedBatchesQueuePolicy')['PolicyDocument'].Statement).toMatchObject([
      { Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: [queue] },
      { Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: [queue], Condition: TLS },
    ]);
  });
  it('go to the redrive function, and after ten tries to the dead letters', () => {
    expect(properties('RedriveEventSourceMappingSQSFailedBatchesQueue')).toMatchObject({
      EventSourceArn: 'arn:aws:sqs:eu-central-1:123456789012:edgeloom-prod-failed-batches',
      FunctionName: 'arn:aws:lambda:eu-central-1:123456789012:function:edgeloom-prod-redrive',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BatchSize: 1,
      Enabled: true,
    });
    expect(properties('FailedBatchesQueue')).toMatchObject({
      SqsManagedSseEnabled: true,
      RedrivePolicy: {
        deadLetterTargetArn: 'arn:aws:sqs:eu-central-1:123456789012:edgeloom-prod-dead-letters',
        maxReceiveCount: 10,
      },
    });
    expect(properties('DeadLetterQueue')).toMatchObject({
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 86_400,
    });
    // Lambda's advice: or a message comes again while it is being worked on.
    const { VisibilityTimeout } = properties('FailedBatchesQueue');
    expect(VisibilityTimeout).toBe(6 * properties('RedriveLambdaFunction')['Timeout']);
  });
});
