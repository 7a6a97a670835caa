import { describe, expect, it, vi } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { functionLogger } from '../../../src/deployment/lambda/function-logger.ts';
import { streamHandler } from '../../../src/deployment/lambda/index.ts';
import { frameworkStack, stackTemplate } from '../../../src/deployment/stack/stack.ts';
import { failingStore, followGraph, user } from '../../support/follow-graph.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { Metrics, metricText, rings } from '../../support/stack/alarm-rules.ts';
import { parametersOf } from '../../support/stack/parameters.ts';
import { type Template, template } from '../../support/stack/template.ts';

/** Deployments of the stream function by alias. */

const stack = (
  canaryMinutes: number,
  { key = 'functions-1.zip', revision = '', batchSize = 10_000, logLevel = 'info' } = {},
) => {
  const parameters = parametersOf({ canaryMinutes, batchSize, logLevel });
  const input = { service: 'own', stage: 'prod', parameters };
  const code = key === '' ? '.code' : { S3Bucket: 'code', S3Key: key };
  return stackTemplate(followGraph(), { ...input, code, revision }) as unknown as Template;
};
/** The alarms of a deployment have the hash of its version in their ids. */
const alarmsIn = ({ Resources }: Template): string[] =>
  Object.keys(Resources).filter((id) => /^Deployment\w+Alarm[0-9a-f]{16}$/.test(id));
const MAPPING = 'StreamEventSourceMappingDynamodbRecordsTable';
const versionIn = ({ Resources }: Template): string =>
  Object.keys(Resources).find((id) => Resources[id]!.Type === 'AWS::Lambda::Version')!;

describe('a gradual deployment', () => {
  it('has an alias that the mapping calls, a role and an alarm that rolls it back', () => {
    const made = template(stack(10));
    const { Resources } = stack(10);
    expect(Resources[MAPPING]!.Properties['FunctionName']).toEqual({ Ref: 'StreamAlias' });
    expect(Resources['StreamAlias']).toMatchObject({
      UpdatePolicy: { CodeDeployLambdaAliasUpdate: { ApplicationName: { Ref: 'StreamDeployments' } } },
      Properties: { FunctionVersion: { 'Fn::GetAtt': [versionIn(stack(10)), 'Version'] } },
    });
    expect(Resources['StreamDeploymentGroup']!.Properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
      AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']) },
      AlarmConfiguration: { Enabled: true, Alarms: alarmsIn(made).map((Ref) => ({ Name: { Ref } })) },
    });
    expect(alarmsIn(made)).toHaveLength(3);
    const { Dimensions } = made.Resources[alarmsIn(made).find((id) => id.startsWith('DeploymentErrors'))!]!.Properties;
    expect(Dimensions).toContainEqual({ Name: 'Resource', Value: 'own-prod-stream:live' });
    // Each by the version that is deployed.
    for (const id of alarmsIn(made)) {
      expect(JSON.stringify(Resources[id]!.Properties['Dimensions'])).toContain(versionIn(stack(10)));
    }
  });
  it('makes another version for other code or another configuration of the function, and for nothing else', () => {
    const first = versionIn(stack(10));
    expect(versionIn(stack(10, { batchSize: 5 }))).toBe(first);
    expect(versionIn(stack(10, { key: 'functions-2.zip' }))).not.toBe(first);
    expect(versionIn(stack(10, { logLevel: 'debug' }))).not.toBe(first);
    expect(versionIn(stack(10, { key: '', revision: 'a' }))).not.toBe(versionIn(stack(10, { key: '', revision: 'b' })));
  });
  it('is not there without a word', () => {
    const ids = Object.keys(stack(0).Resources);
    expect(ids.filter((id) => /Alias|Deployment|Version/.test(id))).toEqual([]);
    expect(stack(0).Resources[MAPPING]!.Properties['FunctionName']).toEqual({
      'Fn::GetAtt': ['StreamLambdaFunction', 'Arn'],
    });
  });
  it('is refused where CodeDeploy does not know the time, and where the framework makes the functions', () => {
    expect(() => parametersOf({ canaryMinutes: 7 })).toThrow(/canaryMinutes: should be one of 0, 5, 10, 15, 30/);
    const input = {
      model: followGraph(),
      service: 'own',
      stage: 'prod',
      parameters: parametersOf({ canaryMinutes: 5 }),
    };
    expect(() => frameworkStack(input)).toThrow(/canaryMinutes.*Serverless Framework/);
  });
});

describe('a version that fails during its minutes', () => {
  const made = template(stack(5));
  const { Resources } = made;
  const TABLE = Resources['RecordsTable']!.Properties['TableName'] as string;
  /** The version of the template, as the alarms name it. */
  const NEW = '1';
  const streamArn = `arn:aws:dynamodb:eu-central-1:123456789012:table/${TABLE}/stream/2026-01-01T00:00:00.000`;
  const recordOf = (item: Item) => ({
    ...{ eventID: '1', eventName: 'INSERT', eventSource: 'aws:dynamodb', eventSourceARN: streamArn },
    dynamodb: {
      Keys: { source: item['source'], target: item['target'] },
      ...{ NewImage: item, SequenceNumber: '100', StreamViewType: 'NEW_AND_OLD_IMAGES' },
    },
  });
  const GOOD = user('1');
  const BAD: Item = { source: { S: 'USER-1' }, target: { S: 'FOLLOWS-nothing' } };

  /** Runs the stream function once a minute for three minutes, and gives the alarms that ring by what it has emitted. */
  async function rung(functionVersion: string, item: Item, isRefused = false): Promise<string[]> {
    const printed: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed.push(String(text));
      return true;
    });
    const graph = followGraph(TABLE);
    const table = new MemoryStore(graph.table, { indexes: graph.indexes });
    await table.put(item);
    const store = failingStore(table, 'fatal', () => isRefused);
    const handler = streamHandler(graph, { store, logger: functionLogger('silent'), progress: false });
    const context = { awsRequestId: 'r', functionVersion, getRemainingTimeInMillis: () => 60_000 };
    const metrics = new Metrics();
    for (let minute = 1; minute <= 3; minute++) {
      const { batchItemFailures } = await handler({ Records: [recordOf(item) as never] }, context);
      expect(batchItemFailures).toHaveLength(isRefused ? 1 : 0);
      for (const text of printed.splice(0).join('').trim().split('\n')) {
        const document = JSON.parse(text);
        const [{ Namespace, Dimensions, Metrics: named }] = document._aws.CloudWatchMetrics;
        const dimensions = (Dimensions[0] as string[]).map((Name) => ({ Name, Value: document[Name] }));
        for (const { Name } of named) metrics.add(minute, metricText(Namespace, Name, dimensions), document[Name]);
      }
    }
    const ringing = alarmsIn(made).filter((id) => {
      // Nobody is called: CodeDeploy looks at the state.
      const alarm = { ...Resources[id]!, Properties: { ...Resources[id]!.Properties, AlarmActions: ['CodeDeploy'] } };
      return rings(alarm, metrics, 5, 0).some(({ state }) => state === 'ALARM');
    });
    return ringing.map((id) => id.replace(/[0-9a-f]{16}$/, ''));
  }

  it('is taken back where it leaves batches unapplied, as with a right that it lacks', async () => {
    expect(await rung(NEW, GOOD, true)).toEqual(['DeploymentRetriedBatchesAlarm']);
  });
  it('is taken back where it puts items into quarantine', async () => {
    expect(await rung(NEW, BAD)).toEqual(['DeploymentQuarantinedAlarm']);
  });
  it('is not taken back for what the version before does, or where all is well', async () => {
    expect(await rung('2', GOOD, true)).toEqual([]);
    expect(await rung('$LATEST', GOOD, true)).toEqual([]);
    expect(await rung(NEW, GOOD)).toEqual([]);
  });
});
