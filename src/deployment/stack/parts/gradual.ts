import { createHash } from 'node:crypto';
import { docsPage } from '../../../foundation/docs.ts';
import type { MetricName } from '../../metric-units.ts';
import { GRADUAL_ALIAS } from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { allow, attribute, type Resources, ref, sub, type Value } from '../base/template.ts';
import { roleOfService } from '../rights/roles.ts';
import { functionMetric, type Metric, metricProperties, ownMetric } from './metrics.ts';

const ALIAS = 'live';

/**
 * `stream` is the resource of the function; its hash names the version. `revision` distinguishes new code from old code
 * in the same location.
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
        allow('lambda:GetAlias UpdateAlias', ...functionArns),
        // This action cannot be limited to resources.
        allow('cloudwatch:DescribeAlarms', '*'),
      ],
      site,
    ),
    ...deploymentAlarms,
  };
}

/** Each version has its own alarms, so that failures of the previous version don't roll back the new one. */
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

/** Notifies nobody, since only CodeDeploy reads the alarm. */
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
      // A single failure may be a throttled call.
      DatapointsToAlarm: 2,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    },
  };
}
