import { createHash } from 'node:crypto';
import { docsPage } from '../../../foundation/docs.ts';
import type { MetricName } from '../../metric-units.ts';
import { GRADUAL_ALIAS } from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { allow, attribute, type Resources, ref, sub, type Value } from '../base/template.ts';
import { roleOfService } from '../rights/roles.ts';
import { functionMetric, type Metric, metricProperties, ownMetric } from './metrics.ts';

/** Name of the alias that the event source mapping calls. */
const ALIAS = 'live';

/**
 * Deployments of the stream function by alias: the new version gets a tenth of the batches for `canaryMinutes`, then all of them. If
 * it fails in two of three minutes, CodeDeploy gives all batches to the version before, and CloudFormation rolls the deployment back.
 * It fails by an error, by batches that it does not apply in full, or by items that it puts into quarantine.
 * Two versions may run side by side: both maintain what the registry keeps.
 *
 * @param stream the resource of the function. Another code or configuration is another version, which its hash names.
 * @param revision what tells the code from other code, where its place does not: a folder has the same name each time.
 */
export function gradualResources(site: Site, stream: Resources[string], revision: string): Resources {
  const { names, parameters } = site;
  if (parameters.canaryMinutes === 0) return {};
  const text = JSON.stringify([stream.Properties, revision]);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const version = `StreamVersion${hash}`;
  const deploymentAlarms = alarmsOfVersion(site, attribute(version, 'Version'), hash);
  const functionArns = [attribute('StreamLambdaFunction'), sub(`\${StreamLambdaFunction.Arn}:*`)];
  return {
    [version]: {
      Type: 'AWS::Lambda::Version',
      Properties: { FunctionName: ref('StreamLambdaFunction') },
    },
    [GRADUAL_ALIAS]: {
      Type: 'AWS::Lambda::Alias',
      UpdatePolicy: {
        CodeDeployLambdaAliasUpdate: {
          ApplicationName: ref('StreamDeployments'),
          DeploymentGroupName: ref('StreamDeploymentGroup'),
        },
      },
      Properties: {
        Name: ALIAS,
        FunctionName: ref('StreamLambdaFunction'),
        FunctionVersion: attribute(version, 'Version'),
      },
    },
    StreamDeployments: {
      Type: 'AWS::CodeDeploy::Application',
      Properties: { ApplicationName: names.local('stream'), ComputePlatform: 'Lambda' },
    },
    StreamDeploymentGroup: {
      Type: 'AWS::CodeDeploy::DeploymentGroup',
      Properties: {
        ApplicationName: ref('StreamDeployments'),
        DeploymentGroupName: names.local('stream'),
        ServiceRoleArn: attribute('StreamDeploymentRole'),
        DeploymentConfigName: `CodeDeployDefault.LambdaCanary10Percent${parameters.canaryMinutes}Minutes`,
        DeploymentStyle: { DeploymentType: 'BLUE_GREEN', DeploymentOption: 'WITH_TRAFFIC_CONTROL' },
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
        },
        AlarmConfiguration: { Enabled: true, Alarms: Object.keys(deploymentAlarms).map((id) => ({ Name: ref(id) })) },
      },
    },
    StreamDeploymentRole: roleOfService(
      'codedeploy',
      [
        allow(['lambda:GetAlias', 'lambda:UpdateAlias'], functionArns),
        // It has no resources.
        allow(['cloudwatch:DescribeAlarms'], ['*']),
      ],
      site,
    ),
    ...deploymentAlarms,
  };
}

/**
 * The alarms of a deployment, by the version that is deployed: failures of the version before it, which it may end, are no reason to
 * take it back. Each version has alarms of its own: an alarm keeps its state, and would stop the deployment that repairs it. The metrics of the
 * event source mapping do not say which version has failed.
 */
function alarmsOfVersion(site: Site, version: Value, hash: string): Resources {
  const errors = functionMetric('stream', 'Errors');
  const alias = sub(`\${StreamLambdaFunction}:${ALIAS}`);
  const ofVersion = (name: MetricName): Metric => {
    const metric = ownMetric(site, name);
    return { ...metric, dimensions: { ...metric.dimensions, version } };
  };
  const watched: Readonly<Record<string, Metric>> = {
    DeploymentErrors: { ...errors, dimensions: { ...errors.dimensions, Resource: alias, ExecutedVersion: version } },
    DeploymentRetriedBatches: ofVersion('RetriedBatches'),
    DeploymentQuarantined: ofVersion('Quarantined'),
  };
  return Object.fromEntries(
    Object.entries(watched).map(([name, metric]) => [
      `${name}Alarm${hash}`,
      deploymentAlarm(site.names.local(`${name}-${hash}`), metric),
    ]),
  );
}

/** It is for CodeDeploy alone: a deployment that was rolled back fails, and nobody is called. */
function deploymentAlarm(name: string, metric: Metric): Resources[string] {
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: name,
      AlarmDescription: `The new version of the stream function fails: its deployment is rolled back. See ${docsPage('deploying')}.`,
      ...metricProperties(metric),
      Statistic: metric.statistic,
      Period: 60,
      EvaluationPeriods: 3,
      // One failure may be a throttled call, which is made again.
      DatapointsToAlarm: 2,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    },
  };
}
