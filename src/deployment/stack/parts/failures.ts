import {
  DEAD_LETTER_QUEUE,
  FAILED_BATCHES_BUCKET,
  FAILED_BATCHES_QUEUE,
  FEED_DEAD_LETTER_QUEUE,
  FEED_QUEUE,
  MIRROR_DEAD_LETTER_QUEUE,
  SCHEDULE_DEAD_LETTER_QUEUE,
} from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import {
  allowService,
  attribute,
  denyPlainText,
  ownArn,
  policyDocument,
  type Resources,
  ref,
  type Statement,
  sub,
  type Value,
} from '../base/template.ts';

const RECEIVES = 10;
/** Six times the redrive function's timeout, as AWS recommends. */
const VISIBILITY_SECONDS = 720;
/** SQS's maximum. */
const RETENTION_SECONDS = 14 * 86_400;

/** The bucket keeps batches that the mapping gave up on, and notifies the queue that the redrive function reads. */
export function failureResources(site: Site): Resources {
  const { names, parameters } = site;
  const { keepData, failedBatchDays, kmsKeyArn } = parameters;
  // A fixed name avoids a circular dependency, because the queue's policy names the bucket and must exist first.
  const bucketName = names.inWorld('failed');
  const bucketArn = sub(`arn:\${AWS::Partition}:s3:::${names.local('failed')}-\${AWS::AccountId}-\${AWS::Region}`);
  const queueArn = attribute(FAILED_BATCHES_QUEUE);
  return {
    [FAILED_BATCHES_BUCKET]: {
      Type: 'AWS::S3::Bucket',
      DependsOn: ['FailedBatchesQueuePolicy'],
      DeletionPolicy: keepData ? 'RetainExceptOnCreate' : 'Delete',
      UpdateReplacePolicy: keepData ? 'Retain' : 'Delete',
      Properties: {
        BucketName: bucketName,
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [bucketEncryption(kmsKeyArn)],
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
    ...queue(
      site,
      FAILED_BATCHES_QUEUE,
      'failed-batches',
      {
        VisibilityTimeout: VISIBILITY_SECONDS,
        RedrivePolicy: { deadLetterTargetArn: attribute(DEAD_LETTER_QUEUE), maxReceiveCount: RECEIVES },
      },
      allowService('s3', 'sqs:SendMessage', queueArn, { ArnEquals: bucketArn }),
    ),
    ...queue(site, DEAD_LETTER_QUEUE, 'dead-letters'),
    ...queue(
      site,
      SCHEDULE_DEAD_LETTER_QUEUE,
      'schedule-dead-letters',
      {},
      allowService('events', 'sqs:SendMessage', attribute(SCHEDULE_DEAD_LETTER_QUEUE), {
        ArnLike: ownArn('events', `rule/${names.prefix}-*`),
      }),
    ),
  };
}

/** Six times the feed function's timeout. */
const FEED_VISIBILITY_SECONDS = 360;
/** Allows a try every six minutes for four days while the event bus is down. SQS's limit is 1,000. */
const FEED_RECEIVES = 960;

/** The queue lets the observer continue while EventBridge is down. */
export function feedResources(site: Site): Resources {
  if (!site.functions.includes('feed')) return {};
  return {
    ...queue(site, FEED_QUEUE, 'feed.fifo', {
      ...FIFO,
      VisibilityTimeout: FEED_VISIBILITY_SECONDS,
      RedrivePolicy: { deadLetterTargetArn: attribute(FEED_DEAD_LETTER_QUEUE), maxReceiveCount: FEED_RECEIVES },
    }),
    ...queue(site, FEED_DEAD_LETTER_QUEUE, 'feed-dead-letters.fifo', FIFO),
  };
}

export function mirrorResources(site: Site): Resources {
  return site.functions.includes('mirror') ? queue(site, MIRROR_DEAD_LETTER_QUEUE, 'mirror-dead-letters') : {};
}

const FIFO = { FifoQueue: true, DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' };

function bucketEncryption(kmsKeyArn: string): Value {
  if (kmsKeyArn === '') return { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } };
  return {
    ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: kmsKeyArn },
    BucketKeyEnabled: true,
  };
}

function queue(
  { names, parameters: { kmsKeyArn } }: Site,
  id: string,
  name: string,
  properties: Resources[string]['Properties'] = {},
  ...statements: readonly Statement[]
): Resources {
  return {
    [id]: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        QueueName: names.local(name),
        // S3 and EventBridge cannot send to a queue that uses the AWS-managed KMS key.
        ...(kmsKeyArn === '' ? { SqsManagedSseEnabled: true } : { KmsMasterKeyId: kmsKeyArn }),
        MessageRetentionPeriod: RETENTION_SECONDS,
        ...properties,
      },
    },
    [`${id}Policy`]: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: {
        Queues: [ref(id)],
        PolicyDocument: policyDocument([...statements, denyPlainText('sqs:*', [attribute(id)])]),
      },
    },
  };
}
