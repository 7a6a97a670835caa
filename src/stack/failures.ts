import type { Parameters } from './parameters.ts';
import {
  allow,
  attribute,
  denyPlainText,
  policyDocument,
  type Resources,
  ref,
  type Statement,
  sub,
} from './template.ts';

/** Logical ids. */
export const FAILED_BATCHES_BUCKET = 'FailedBatchesBucket';
export const FAILED_BATCHES_QUEUE = 'FailedBatchesQueue';
export const DEAD_LETTER_QUEUE = 'DeadLetterQueue';

/** Where an event source mapping puts the objects of its on-failure destination. */
export const FAILED_BATCH_OBJECTS = 'aws/lambda/*';

/** How often the redrive function may try to settle a failed batch before it is a dead letter. */
const RECEIVES = 10;
/** Six times the redrive function's timeout, as Lambda wants it of a queue that it reads. */
const VISIBILITY_SECONDS = 720;
/** The most that SQS keeps a message. */
const RETENTION_SECONDS = 14 * 86_400;

/**
 * What becomes of batches that the mapping gives up: a bucket keeps each one whole, and tells a queue, from which the redrive
 * function settles it. What that cannot settle ends in the dead-letter queue, which has the alarm.
 *
 * @param prefix of names; `edgeloom-prod`.
 */
export function failureResources(prefix: string, { keepData, failedBatchDays }: Parameters): Resources {
  // The queue's policy names the bucket and must be there before it: the bucket's name is fixed, or each would wait for the other.
  const bucketName = sub(`${prefix}-failed-\${AWS::AccountId}-\${AWS::Region}`);
  const bucketArn = sub(`arn:\${AWS::Partition}:s3:::${prefix}-failed-\${AWS::AccountId}-\${AWS::Region}`);
  const queueArn = attribute(FAILED_BATCHES_QUEUE);
  const policy = keepData ? 'Retain' : 'Delete';
  return {
    [FAILED_BATCHES_BUCKET]: {
      Type: 'AWS::S3::Bucket',
      DependsOn: ['FailedBatchesQueuePolicy'],
      DeletionPolicy: policy,
      UpdateReplacePolicy: policy,
      Properties: {
        BucketName: bucketName,
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        LifecycleConfiguration: { Rules: [{ Id: 'expire', Status: 'Enabled', ExpirationInDays: failedBatchDays }] },
        NotificationConfiguration: { QueueConfigurations: [{ Event: 's3:ObjectCreated:*', Queue: queueArn }] },
      },
    },
    FailedBatchesBucketPolicy: {
      Type: 'AWS::S3::BucketPolicy',
      Properties: {
        Bucket: ref(FAILED_BATCHES_BUCKET),
        PolicyDocument: policyDocument([
          denyPlainText('s3:*', [attribute(FAILED_BATCHES_BUCKET), sub(`\${${FAILED_BATCHES_BUCKET}.Arn}/*`)]),
        ]),
      },
    },
    [FAILED_BATCHES_QUEUE]: queue(`${prefix}-failed-batches`, {
      VisibilityTimeout: VISIBILITY_SECONDS,
      RedrivePolicy: { deadLetterTargetArn: attribute(DEAD_LETTER_QUEUE), maxReceiveCount: RECEIVES },
    }),
    FailedBatchesQueuePolicy: queuePolicy(FAILED_BATCHES_QUEUE, [
      {
        ...allow(['sqs:SendMessage'], [queueArn]),
        Principal: { Service: 's3.amazonaws.com' },
        Condition: {
          ArnEquals: { 'aws:SourceArn': bucketArn },
          StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') },
        },
      },
    ]),
    [DEAD_LETTER_QUEUE]: queue(`${prefix}-dead-letters`, {}),
    DeadLetterQueuePolicy: queuePolicy(DEAD_LETTER_QUEUE, []),
  };
}

function queue(name: string, properties: Resources[string]['Properties']): Resources[string] {
  return {
    Type: 'AWS::SQS::Queue',
    Properties: {
      QueueName: name,
      // S3 cannot send to a queue under AWS's KMS key; SQS's own keys it can.
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: RETENTION_SECONDS,
      ...properties,
    },
  };
}

function queuePolicy(queueId: string, statements: readonly Statement[]): Resources[string] {
  return {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [ref(queueId)],
      PolicyDocument: policyDocument([...statements, denyPlainText('sqs:*', [attribute(queueId)])]),
    },
  };
}
