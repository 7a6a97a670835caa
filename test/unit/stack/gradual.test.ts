import { describe, expect, it } from 'vitest';
import { frameworkStack, stackTemplate } from '../../../src/deployment/stack/stack.ts';
import { followGraph } from '../../support/follow-graph.ts';
import { parametersOf } from '../../support/stack/parameters.ts';
import { specificationProblems } from '../../support/stack/specification.ts';
import { type Template, template } from '../../support/stack/template.ts';

/** Deployments of the stream function by alias. */

const stack = (
  canaryMinutes: number,
  { key = 'functions-1.zip', revision = '', batchSize = 10_000, logLevel = 'info' } = {},
) => {
  const parameters = parametersOf({ canaryMinutes, batchSize, logLevel });
  const input = { model: followGraph(), service: 'own', stage: 'prod', parameters };
  const code = key === '' ? '.code' : { S3Bucket: 'code', S3Key: key };
  return stackTemplate(input, code, revision) as unknown as Template;
};
const MAPPING = 'StreamEventSourceMappingDynamodbRecordsTable';
const versionIn = ({ Resources }: Template): string =>
  Object.keys(Resources).find((id) => Resources[id]!.Type === 'AWS::Lambda::Version')!;

describe('a gradual deployment', () => {
  it('has an alias that the mapping calls, a role and an alarm that rolls it back, all known to CloudFormation', () => {
    const made = template(stack(10));
    expect(specificationProblems(made)).toEqual([]);
    const { Resources } = stack(10);
    expect(Resources[MAPPING]!.Properties['FunctionName']).toEqual({ Ref: 'StreamAlias' });
    expect(Resources['StreamAlias']).toMatchObject({
      UpdatePolicy: { CodeDeployLambdaAliasUpdate: { ApplicationName: { Ref: 'StreamDeployments' } } },
      Properties: { FunctionVersion: { 'Fn::GetAtt': [versionIn(stack(10)), 'Version'] } },
    });
    expect(Resources['StreamDeploymentGroup']!.Properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
      AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']) },
      AlarmConfiguration: { Enabled: true, Alarms: [{ Name: { Ref: 'DeploymentErrorsAlarm' } }] },
    });
    const { Dimensions } = made.Resources['DeploymentErrorsAlarm']!.Properties;
    expect(Dimensions).toContainEqual({ Name: 'Resource', Value: 'own-prod-stream:live' });
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
