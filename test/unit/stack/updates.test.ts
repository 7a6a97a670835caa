import { beforeEach, describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { STACK_POLICY } from '../../../src/deployment/stack/index.ts';
import { importTemplate, stackTemplate } from '../../../src/deployment/stack/stack.ts';
import { Account } from '../../support/account/account.ts';
import { changesBetween } from '../../support/account/changes.ts';
import { type ResourceToImport, Stacks } from '../../support/account/stacks.ts';
import { parametersOf } from '../../support/stack/parameters.ts';
import type { Template } from '../../support/stack/template.ts';

/** Deployments, changes and failures of stacks, on the simulator of CloudFormation. */

const NAME = 'own-prod';
const TABLE = 'AWS::DynamoDB::Table';
const BUCKET = 'AWS::S3::Bucket';
const BUCKET_NAME = 'own-prod-failed-123456789012-eu-central-1';
const STREAM_MAPPING = 'StreamEventSourceMappingDynamodbRecordsTable';

const model = (orders: { gsi0: string; gsi1?: string }, table = 'follows') =>
  defineGraph({
    table,
    nodes: { USER: node({ view: 'ALL' }) },
    edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders } }) },
  });
const graph = model({ gsi0: 'since', gsi1: 'until' });

const made = (more: Readonly<Record<string, unknown>> = {}, of: CompiledModel = graph, key = 'functions-1.zip') => {
  const input = { service: 'own', stage: 'prod', parameters: parametersOf(more) };
  return stackTemplate(of, { ...input, code: { S3Bucket: 'code', S3Key: key } }) as unknown as Template;
};

let account: Account;
let stacks: Stacks;
beforeEach(() => {
  account = new Account();
  stacks = new Stacks(account);
});

const table = (name = 'own-prod-follows') => account.find(TABLE, name);
const changed = (changes: readonly { id: string; action: string; isReplaced: boolean }[]): string[] =>
  changes.map(({ id, action, isReplaced }) => `${action}${isReplaced ? ' by another' : ''} ${id}`);

/** Deploys the stack with its policy, as the pages tell. */
async function deployed(template = made()): Promise<void> {
  await stacks.deploy(NAME, template);
  Object.assign(stacks.get(NAME), { policy: STACK_POLICY, isProtected: true });
}

describe('a first deployment that fails', () => {
  const byHand = async (): Promise<void> => {
    table()!.properties = { ...table()!.properties, DeletionProtectionEnabled: false };
  };
  beforeEach(async () => {
    account.refused.add('own-prod-eu-central-1');
    await expect(stacks.deploy(NAME, made())).rejects.toThrow(/protected against deletion/);
    account.refused.clear();
  });

  it('leaves the table, whose deletion protection refuses the roll-back', async () => {
    expect(stacks.get(NAME).status).toBe('ROLLBACK_FAILED');
    expect(table()).toBeDefined();
    await expect(stacks.deploy(NAME, made())).rejects.toThrow(/can not be updated/);
  });
  it('is in the way of the second one when only the stack is deleted', async () => {
    await stacks.delete(NAME);
    await expect(stacks.deploy(NAME, made())).rejects.toThrow(/own-prod-follows already exists/);
  });
  it('is gone after the steps of the runbook, in their order', async () => {
    await byHand();
    await stacks.delete(NAME);
    await account.delete(table()!);
    await stacks.deploy(NAME, made());
    expect(stacks.get(NAME).status).toBe('CREATE_COMPLETE');
  });
});

describe('a table and a bucket that a stack has left', () => {
  const resources: ResourceToImport[] = [
    { ResourceType: TABLE, LogicalResourceId: 'RecordsTable', ResourceIdentifier: { TableName: 'own-prod-follows' } },
    { ResourceType: BUCKET, LogicalResourceId: 'FailedBatchesBucket', ResourceIdentifier: { BucketName: BUCKET_NAME } },
  ];
  const imported = () =>
    importTemplate({ model: graph, service: 'own', stage: 'prod', parameters: parametersOf() }) as unknown as Template;
  beforeEach(async () => {
    await stacks.deploy(NAME, made());
    account.find(BUCKET, BUCKET_NAME)!.objects = 3;
    await stacks.delete(NAME);
  });

  it('are in the way of a deployment', async () => {
    await expect(stacks.deploy(NAME, made())).rejects.toThrow(/already exists/);
  });
  it('are imported, and the whole stack is deployed over them', async () => {
    const { changes, execute } = stacks.changeSet(NAME, imported(), resources);
    expect(changed(changes)).toEqual(['Import RecordsTable', 'Import FailedBatchesBucket']);
    await execute();
    await stacks.deploy(NAME, made());
    expect(stacks.get(NAME).status).toBe('UPDATE_COMPLETE');
    expect(account.find(BUCKET, BUCKET_NAME)).toMatchObject({ objects: 3, isManaged: true });
    expect(account.find(BUCKET, BUCKET_NAME)!.properties).toHaveProperty('NotificationConfiguration');
  });
  it('are not imported by the whole template: it has what is not there', () => {
    expect(() => stacks.changeSet(NAME, made(), resources)).toThrow(/An import changes nothing else/);
  });
});

describe('another table in the place of the own one', () => {
  const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/records-restored';
  const restored = { existingTableArn: arn, existingStreamArn: `${arn}/stream/2026-05-01T00:00:00.000` };

  it('is denied by the policy of the stack, and deployed after the policy is opened; the old table stays', async () => {
    await deployed();
    const before = stacks.get(NAME).template;
    await expect(stacks.deploy(NAME, made(restored))).rejects.toThrow(/RecordsTable: Action denied by stack policy/);
    expect(stacks.get(NAME)).toMatchObject({ status: 'UPDATE_ROLLBACK_COMPLETE', template: before });
    stacks.get(NAME).policy = [{ Effect: 'Allow', Action: 'Update:*', Resource: '*' }];
    const changes = changed(await stacks.deploy(NAME, made(restored)));
    expect(changes).toEqual(expect.arrayContaining(['Remove RecordsTable', `Modify by another ${STREAM_MAPPING}`]));
    expect(table()).toMatchObject({ isManaged: false });
    const { Variables } = account.find('AWS::Lambda::Function', 'own-prod-stream')!.properties['Environment'];
    expect(Variables['EDGELOOM_TABLE']).toBe('records-restored');
  });
});

describe('a change of the model', () => {
  it('never changes the table, whatever lists the models have', async () => {
    const indexed = (indexes: object | number, inbound: object) =>
      defineGraph({
        table: { name: 'follows', indexes },
        nodes: { USER: node({ view: 'ALL', search: { name: {}, mail: { native: true } } }) },
        edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: inbound as never }) },
      } as never) as CompiledModel;
    await deployed();
    for (const other of [
      model({ gsi0: 'since' }),
      indexed(4, { orders: { bySince: 'since', byUntil: 'until' } }),
      indexed({ gsi0: 'byTarget' }, { orders: { bySince: 'since' } }),
      indexed(2, { native: true, orders: { bySince: 'since', byUntil: 'until' } }),
      graph,
    ])
      expect(changed(await stacks.deploy(NAME, made({}, other)))).not.toContain('Modify RecordsTable');
  });
  it('that renames the table is denied by the policy; without a policy the new table would be empty', async () => {
    await deployed();
    const renamed = made({}, model({ gsi0: 'since', gsi1: 'until' }, 'followers'));
    await expect(stacks.deploy(NAME, renamed)).rejects.toThrow(/denied by stack policy/);
    stacks.get(NAME).policy = [{ Effect: 'Allow', Action: 'Update:*', Resource: '*' }];
    expect(changed(await stacks.deploy(NAME, renamed))).toContain('Modify by another RecordsTable');
    expect(table('own-prod-followers')).toBeDefined();
    expect(table()).toMatchObject({ isManaged: false });
  });
});

describe('other code', () => {
  it('is deployed where its place in the template is another, and not where it is the same', async () => {
    await deployed();
    expect(await stacks.deploy(NAME, made())).toEqual([]);
    expect(changed(await stacks.deploy(NAME, made({}, graph, 'functions-2.zip')))).toEqual(
      ['Stream', 'Check', 'Rebuild', 'Redrive'].map((name) => `Modify ${name}LambdaFunction`),
    );
  });
});

describe('a stream that was switched off and on', () => {
  it('is not read after a deployment of the same template, and is after one that names it', async () => {
    await deployed();
    expect(await stacks.deploy(NAME, made())).toEqual([]);
    const existingStreamArn =
      'arn:aws:dynamodb:eu-central-1:123456789012:table/own-prod-follows/stream/2026-06-01T00:00:00.000';
    const changes = changed(await stacks.deploy(NAME, made({ existingStreamArn })));
    expect(changes).toContain(`Modify by another ${STREAM_MAPPING}`);
    expect(changes).not.toContain('Modify RecordsTable');
    const mappings = account.all('AWS::Lambda::EventSourceMapping');
    expect(mappings.filter(({ properties }) => properties['EventSourceArn'] === existingStreamArn)).toHaveLength(1);
    expect(mappings).toHaveLength(2);
  });
});

describe('the deletion of a stack', () => {
  it('is refused while it is protected; data outlives it in prod', async () => {
    await deployed();
    await expect(stacks.delete(NAME)).rejects.toThrow(/TerminationProtection/);
    stacks.get(NAME).isProtected = false;
    await stacks.delete(NAME);
    expect([table(), account.find(BUCKET, BUCKET_NAME)]).toEqual([
      expect.objectContaining({ isManaged: false }),
      expect.objectContaining({ isManaged: false }),
    ]);
  });
  it('takes everything along where data goes with the stack; a bucket with objects would be in the way', async () => {
    const dev = { keepData: false, deletionProtection: false };
    await stacks.deploy(NAME, made(dev));
    const bucket = account.find(BUCKET, BUCKET_NAME)!;
    bucket.objects = 3;
    await expect(stacks.delete(NAME)).rejects.toThrow(/not empty/);
    // The custom resource does this before.
    bucket.objects = 0;
    await stacks.delete(NAME);
    expect(account.all(TABLE).concat(account.all(BUCKET))).toEqual([]);
  });
});

describe('the comparison of templates', () => {
  const queue = (QueueName: string) => ({ Type: 'AWS::SQS::Queue', Properties: { QueueName } });
  const policy = { Type: 'AWS::SQS::QueuePolicy', Properties: { Queues: [{ Ref: 'Q' }], PolicyDocument: {} } };

  it('follows a replacement to what refers to it, and no other change', () => {
    const before = { Q: queue('a'), P: policy };
    expect(changed(changesBetween(before, { Q: queue('b'), P: policy }))).toEqual([
      'Modify by another Q',
      expect.stringMatching(/^Modify.* P$/),
    ]);
    const slower = { ...queue('a'), Properties: { QueueName: 'a', VisibilityTimeout: 9 } };
    expect(changed(changesBetween(before, { Q: slower, P: policy }))).toEqual(['Modify Q']);
  });
  it('finds what comes and goes, and another type as another resource', () => {
    expect(changed(changesBetween({ Q: queue('a') }, { P: policy }))).toEqual(['Remove Q', 'Add P']);
    expect(changed(changesBetween({ Q: queue('a') }, { Q: policy }))).toEqual(['Modify by another Q']);
  });
  it('makes no thing under a name that is taken, and replaces none under its own name', async () => {
    await account.make('AWS::SQS::Queue', 'a', {}, false);
    await expect(stacks.deploy(NAME, { Resources: { Q: queue('a') } })).rejects.toThrow(/a already exists/);
    const keyed = (name: string) => ({ Type: TABLE, Properties: { TableName: 't', KeySchema: [name] } });
    await stacks.deploy('other', { Resources: { T: keyed('a') } });
    await expect(stacks.deploy('other', { Resources: { T: keyed('b') } })).rejects.toThrow(/custom-named resource/);
  });
  it('makes or deletes one index of a table in an update', async () => {
    const indexed = (...names: string[]) => ({
      Resources: {
        T: {
          Type: TABLE,
          Properties: { TableName: 't', GlobalSecondaryIndexes: names.map((IndexName) => ({ IndexName })) },
        },
      },
    });
    await stacks.deploy(NAME, indexed());
    await expect(stacks.deploy(NAME, indexed('gsi0', 'gsi1'))).rejects.toThrow(/more than one GSI/);
    await stacks.deploy(NAME, indexed('gsi0'));
    await stacks.deploy(NAME, indexed('gsi0', 'gsi1'));
  });
});
