import type { CompiledModel } from '../../core/model/compiled.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import {
  CHECK_MACHINE,
  DEAD_LETTER_QUEUE,
  FAILED_BATCHES_BUCKET,
  FAILED_BATCHES_QUEUE,
  type FunctionName,
  logicalIdPrefix,
} from './base/ids.ts';
import { type Parameters, readParameters } from './base/parameters.ts';
import { type Site, type StackInput, siteOf, withTags } from './base/site.ts';
import { attribute, type Resources, ref, type Value } from './base/template.ts';
import { alarmResources, alarms } from './parts/alarms.ts';
import { checkResources } from './parts/check-machine.ts';
import { countCustomMetrics, dashboardResources } from './parts/dashboard.ts';
import { emptiedBucketResources } from './parts/emptied-bucket.ts';
import { failureResources, feedResources, mirrorResources } from './parts/failures.ts';
import { functionProperties, functionResources, handlerOf, RUNTIME, triggerResources } from './parts/functions.ts';
import { gradualResources } from './parts/gradual.ts';
import { tableResources } from './parts/table.ts';
import {
  MIGRATOR_POLICY,
  OPERATOR_POLICY,
  PRODUCER_POLICY,
  policyResources,
  READER_POLICY,
} from './rights/policies.ts';
import { roleResources } from './rights/roles.ts';

/** A CloudFormation template. */
export interface Template {
  AWSTemplateFormatVersion: '2010-09-09';
  Description: string;
  Resources: Resources;
  Outputs: Record<string, { Description: string; Value: Value }>;
}

/** A stack for a framework that creates the functions itself. */
export interface FrameworkStack {
  resources: Pick<Template, 'Resources' | 'Outputs'> & {
    extensions: Record<string, { Properties: Record<string, Value>; DependsOn: string[] }>;
  };
  functions: Record<string, Record<string, Value>>;
}

/** Options of `stackTemplate`. */
export interface TemplateOptions extends Omit<StackInput, 'model'> {
  /** The functions' code: `{ S3Bucket, S3Key }`, or a folder to upload when packaging. */
  code: Value | ((name: FunctionName) => Value);
  /** Distinguishes new code from old code in the same folder; needed with `canaryMinutes`. Default: none. */
  revision?: string | undefined;
}

const OPTIONS: OptionNames<TemplateOptions> = {
  service: true,
  stage: true,
  parameters: true,
  code: true,
  revision: true,
};

/**
 * Returns the whole stack for a model. Throws `invalid-argument` for names that AWS would refuse, and
 * `invalid-parameters` for streams that don't fit the model's table.
 *
 * @example
 * stackTemplate(graph, { service: 'goals', stage: 'prod', parameters: readParameters({ stage: 'prod' }), code });
 */
export function stackTemplate(graph: CompiledModel, options: TemplateOptions): Template {
  checkOptions('stackTemplate', options, OPTIONS);
  const { code, revision = '', ...input } = options;
  const site = siteOf({ ...input, model: graph });
  const functions = functionResources(site, code);
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `Edgeloom ${site.names.prefix}: a table with its projections.`,
    Resources: withTags(
      { ...resourcesOf(site), ...functions, ...gradualResources(site, functions['StreamLambdaFunction']!, revision) },
      input.parameters,
    ),
    Outputs: outputsOf(site),
  };
}

/**
 * Returns a template for importing an earlier stack's table and bucket. Omits the bucket's notification, which needs
 * the queue.
 */
export function importTemplate(input: StackInput): Pick<Template, 'AWSTemplateFormatVersion' | 'Resources'> {
  const site = siteOf(input);
  const { DependsOn: _, ...bucket } = failureResources(site)[FAILED_BATCHES_BUCKET]!;
  const { NotificationConfiguration: __, ...Properties } = bucket.Properties;
  const resources = { ...tableResources(site), [FAILED_BATCHES_BUCKET]: { ...bucket, Properties } };
  return { AWSTemplateFormatVersion: '2010-09-09', Resources: withTags(resources, input.parameters) };
}

export function nameOfOwnTable(model: CompiledModel, { existingTableArn }: Parameters): string | undefined {
  return existingTableArn === '' ? model.table.name : undefined;
}

export function frameworkStack(input: StackInput): FrameworkStack {
  const site = siteOf(input);
  const { parameters } = input;
  if (parameters.canaryMinutes > 0) {
    throw new EdgeloomError(
      'invalid-parameters',
      'These parameters of the stack are wrong: canaryMinutes: the Serverless Framework makes the functions, and no versions of them.',
      'Deploy with SAM, Terraform or CDK (edgeloom init --deploy sam), or without canaryMinutes.',
    );
  }
  const whole = withTags(functionResources(site, ''), parameters);
  const extensions = Object.fromEntries(
    site.functions.map((name) => {
      const id = `${logicalIdPrefix(name)}LambdaFunction`;
      const { Code: _, ...properties } = whole[id]!.Properties;
      return [id, { Properties: properties, DependsOn: [`${logicalIdPrefix(name)}LogGroup`] }];
    }),
  );
  return {
    resources: { Resources: withTags(resourcesOf(site), parameters), Outputs: outputsOf(site), extensions },
    functions: Object.fromEntries(
      site.functions.map((name) => {
        const { FunctionName } = functionProperties(name, site);
        const own = { handler: handlerOf(name), name: FunctionName!, runtime: RUNTIME };
        return [name, { ...own, role: `${logicalIdPrefix(name)}Role`, disableLogs: true }];
      }),
    ),
  };
}

function resourcesOf(site: Site): Resources {
  return {
    ...tableResources(site),
    ...failureResources(site),
    ...feedResources(site),
    ...mirrorResources(site),
    ...emptiedBucketResources(site),
    ...checkResources(site),
    ...triggerResources(site),
    ...roleResources(site),
    ...policyResources(site),
    ...alarmResources(site),
    ...dashboardResources(site),
  };
}

function outputsOf({ graph, names, functions, table, parameters }: Site): Template['Outputs'] {
  const { alarmEmail, alarmTopicArn } = parameters;
  return {
    ...(functions.includes('mirror') && {
      MirrorRoleArn: {
        Description: 'The role that reads the source tables: policies of other accounts name it.',
        Value: attribute('MirrorRole'),
      },
    }),
    AlarmDrill: {
      Description:
        alarmEmail !== '' && alarmTopicArn === ''
          ? `Confirm the mail that SNS has sent to ${alarmEmail}; then try the alarms by this command.`
          : 'Tries whether the alarms reach a person.',
      Value: `npx edgeloom drill --stack ${names.prefix}`,
    },
    FirstMigration: {
      Description:
        'An empty table with all indexes of the model is registered within minutes. For any other table this comes next.',
      Value: `npx edgeloom migrate --table ${graph.table.name}`,
    },
    TableName: { Description: 'The table; give it to --table.', Value: table.name },
    ProducerPolicyArn: { Description: 'For the roles of programs that write.', Value: ref(PRODUCER_POLICY) },
    ReaderPolicyArn: { Description: 'For the roles of programs that read.', Value: ref(READER_POLICY) },
    OperatorPolicyArn: { Description: 'For people who check, repair and redrive.', Value: ref(OPERATOR_POLICY) },
    MigratorPolicyArn: { Description: 'For the role that runs edgeloom migrate.', Value: ref(MIGRATOR_POLICY) },
    FailedBatchesQueueUrl: { Description: 'Tells of failed batches.', Value: ref(FAILED_BATCHES_QUEUE) },
    DeadLetterQueueUrl: { Description: 'Failed batches to look at.', Value: ref(DEAD_LETTER_QUEUE) },
    CheckMachineArn: {
      Description: 'Start it for a check, a rebuild or a migration at once.',
      Value: ref(CHECK_MACHINE),
    },
  };
}

/** Counts the resources that AWS bills by number: metrics of alarms, dashboards and custom metrics. */
export function stackFixtures(
  model: CompiledModel,
  values: Pick<Partial<Parameters>, 'observe' | 'feedEventBus' | 'sourceStreamArns'> = {},
): { alarms: number; dashboards: number; metrics: number } {
  const site = siteOf({
    model,
    service: 'edgeloom',
    stage: 'cost',
    parameters: readParameters({ stage: 'cost', values }),
  });
  return {
    alarms: Object.values(alarms(site)).reduce(
      (sum, { metric }) => sum + ('namespace' in metric ? 1 : metric.length),
      0,
    ),
    dashboards: 1,
    metrics: countCustomMetrics(site),
  };
}
