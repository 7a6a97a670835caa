import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { followGraph } from '../support/follow-graph.ts';
import { testStack } from '../support/stack/parameters.ts';
import { roleStatements } from '../support/stack/statements.ts';

/** The bucket of a stage whose data goes with its stack: CloudFormation deletes no bucket that has objects. */

const stack = (keepData: boolean) => testStack(followGraph(), { keepData }).Resources;

/**
 * Runs the code of the template as Lambda does, beside a bucket with these objects, in a stack of this status. Gives the answer to
 * CloudFormation.
 */
async function call(
  RequestType: string,
  objects: string[],
  { failure, status = 'DELETE_IN_PROGRESS' }: { failure?: Error; status?: string } = {},
): Promise<Record<string, unknown>> {
  const { ZipFile } = stack(false)['EmptyLambdaFunction']!.Properties['Code'];
  class DeleteObjectsCommand {
    constructor(readonly input: { Delete: { Objects: { Key: string }[] } }) {}
  }
  class DescribeStacksCommand {
    constructor(readonly input: { StackName: string }) {}
  }
  class CloudFormationClient {
    async send({ input }: DescribeStacksCommand): Promise<object> {
      expect(input).toEqual({ StackName: 'stack' });
      return { Stacks: [{ StackStatus: status }] };
    }
  }
  class S3Client {
    async send({ input }: DeleteObjectsCommand): Promise<object> {
      for (const { Key } of input.Delete.Objects) objects.splice(objects.indexOf(Key), 1);
      return {};
    }
  }
  async function* paginateListObjectsV2(_: unknown, { Bucket }: { Bucket: string }) {
    expect(Bucket).toBe('the-bucket');
    if (failure !== undefined) throw failure;
    for (const Key of [...objects]) yield { Contents: [{ Key }] };
    yield {};
  }
  const answers: Record<string, unknown>[] = [];
  const fetch = async (url: string, { method, body }: { method: string; body: Buffer }) => {
    expect([url, method]).toEqual(['https://answer', 'PUT']);
    answers.push(JSON.parse(body.toString()));
    return { ok: true };
  };
  const exports: { handler?: (event: object) => Promise<void> } = {};
  const modules: Record<string, object> = {
    '@aws-sdk/client-cloudformation': { CloudFormationClient, DescribeStacksCommand },
    '@aws-sdk/client-s3': { S3Client, DeleteObjectsCommand, paginateListObjectsV2 },
  };
  const require = (name: string) => modules[name];
  runInNewContext(ZipFile, { exports, require, fetch, Buffer });
  const ids = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'EmptiedBucket' };
  const ResourceProperties = { BucketName: 'the-bucket' };
  await exports.handler!({ RequestType, ResourceProperties, ResponseURL: 'https://answer', ...ids });
  expect(answers).toHaveLength(1);
  expect(answers[0]).toMatchObject({ ...ids, PhysicalResourceId: 'the-bucket' });
  return answers[0]!;
}

describe('the bucket of failed batches', () => {
  it('is emptied before it is deleted, after nothing puts objects into it any more', () => {
    const resources = stack(false);
    expect(resources['FailedBatchesBucket']!.DeletionPolicy).toBe('Delete');
    // What is needed is deleted later: the mapping, then the custom resource, then the bucket.
    expect(resources['StreamEventSourceMappingDynamodbRecordsTable']!.DependsOn).toContain('EmptiedBucket');
    expect(resources['EmptiedBucket']!.Properties['BucketName']).toEqual({ Ref: 'FailedBatchesBucket' });
    expect(resources['EmptyLambdaFunction']!.Properties['Code'].ZipFile.length).toBeLessThan(4096);
  });
  it('is left alone where data outlives the stack', () => {
    expect(Object.keys(stack(true)).filter((id) => id.startsWith('Empt'))).toEqual([]);
  });
  it('loses its objects when the stack is deleted, and at no other time', async () => {
    const objects = ['aws/lambda/1', 'aws/lambda/2'];
    for (const type of ['Create', 'Update']) {
      expect(await call(type, objects)).toMatchObject({ Status: 'SUCCESS' });
      expect(objects).toHaveLength(2);
    }
    expect(await call('Delete', objects)).toMatchObject({ Status: 'SUCCESS' });
    expect(objects).toEqual([]);
  });
  it('loses them when a first deployment is taken back', async () => {
    const objects = ['aws/lambda/1'];
    expect(await call('Delete', objects, { status: 'ROLLBACK_IN_PROGRESS' })).toMatchObject({ Status: 'SUCCESS' });
    expect(objects).toEqual([]);
  });
  it.each([
    // What `keepData` has been set to true for.
    'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS',
    // An update that brought the function, and failed.
    'UPDATE_ROLLBACK_IN_PROGRESS',
    'UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS',
  ])('keeps them when an update takes the function away: %s', async (status) => {
    const objects = ['aws/lambda/1'];
    expect(await call('Delete', objects, { status })).toMatchObject({ Status: 'SUCCESS' });
    expect(objects).toEqual(['aws/lambda/1']);
  });
  it('gives its function the rights to ask for the stack, to list and to delete, and no others', () => {
    const statements = roleStatements(stack(false)['EmptyRole']!);
    const own = statements.filter(({ Action }) => ![Action].flat().join().startsWith('logs:'));
    expect(own.map(({ Action, Resource }) => [Action, Resource])).toEqual([
      [['cloudformation:DescribeStacks'], [{ Ref: 'AWS::StackId' }]],
      [['s3:ListBucket'], [{ 'Fn::GetAtt': ['FailedBatchesBucket', 'Arn'] }]],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation fills it in
      [['s3:DeleteObject'], [{ 'Fn::Sub': '${FailedBatchesBucket.Arn}/*' }]],
    ]);
  });
  it('lets a deletion go on without it, and names what is in the way', async () => {
    const gone = Object.assign(new Error('gone'), { name: 'NoSuchBucket' });
    expect(await call('Delete', [], { failure: gone })).toMatchObject({ Status: 'SUCCESS' });
    const answer = await call('Delete', [], { failure: new Error('no right') });
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining('no right') });
  });
});
