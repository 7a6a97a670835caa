import { EMPTIED_BUCKET, FAILED_BATCHES_BUCKET } from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { allow, attribute, type Resources, ref, sub } from '../base/template.ts';
import { roleOfService } from '../rights/roles.ts';
import { ARCHITECTURE, logGroup, RUNTIME } from './functions.ts';

/** Responds in every case: without a response, the stack's deletion would wait for an hour. */
const CODE = `const { CloudFormationClient, DescribeStacksCommand } = require('@aws-sdk/client-cloudformation');
const { S3Client, DeleteObjectsCommand, paginateListObjectsV2 } = require('@aws-sdk/client-s3');

// An update also deletes the custom resource if it sets keepData or is rolled back; the bucket then keeps its objects.
async function isGoing(StackName) {
  const { Stacks } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName }));
  return ['DELETE_IN_PROGRESS', 'ROLLBACK_IN_PROGRESS'].includes(Stacks[0].StackStatus);
}

async function empty(Bucket) {
  const client = new S3Client({});
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    if (Contents.length === 0) continue;
    const Objects = Contents.map(({ Key }) => ({ Key }));
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    if (Errors.length > 0) throw new Error(Errors[0].Message);
  }
}

exports.handler = async ({ RequestType, ResourceProperties, ResponseURL, StackId, RequestId, LogicalResourceId }) => {
  const answer = { Status: 'SUCCESS', PhysicalResourceId: ResourceProperties.BucketName, StackId, RequestId, LogicalResourceId };
  try {
    if (RequestType === 'Delete' && (await isGoing(StackId))) await empty(ResourceProperties.BucketName);
  } catch (error) {
    if (error.name !== 'NoSuchBucket') Object.assign(answer, { Status: 'FAILED', Reason: String(error) });
  }
  // Sends bytes, because a string adds a content type, for which the URL isn't signed.
  const response = await fetch(ResponseURL, { method: 'PUT', body: Buffer.from(JSON.stringify(answer)) });
  if (!response.ok) throw new Error('The answer was refused with ' + response.status);
};
`;

/** CloudFormation cannot delete a bucket that has objects. */
export function emptiedBucketResources(site: Site): Resources {
  const { names, parameters } = site;
  if (parameters.keepData) return {};
  const statements = [
    allow('cloudformation:DescribeStacks', ref('AWS::StackId')),
    allow('s3:ListBucket', attribute(FAILED_BATCHES_BUCKET)),
    allow('s3:DeleteObject', sub(`\${${FAILED_BATCHES_BUCKET}.Arn}/*`)),
    allow('logs:CreateLogStream PutLogEvents', attribute('EmptyLogGroup')),
  ];
  return {
    EmptyLogGroup: logGroup(site, 'empty'),
    EmptyRole: roleOfService('lambda', statements, site),
    EmptyLambdaFunction: {
      Type: 'AWS::Lambda::Function',
      DependsOn: ['EmptyLogGroup'],
      Properties: {
        FunctionName: names.local('empty'),
        Description: 'Empties the bucket of failed batches when the stack is deleted.',
        Handler: 'index.handler',
        Runtime: RUNTIME,
        Architectures: [ARCHITECTURE],
        Timeout: 300,
        Role: attribute('EmptyRole'),
        Code: { ZipFile: CODE },
      },
    },
    [EMPTIED_BUCKET]: {
      Type: 'AWS::CloudFormation::CustomResource',
      Properties: { ServiceToken: attribute('EmptyLambdaFunction'), BucketName: ref(FAILED_BATCHES_BUCKET) },
    },
  };
}
