import * as z from 'zod';
import { DOCS, docsPage } from '../../../foundation/docs.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions } from '../../../foundation/options.ts';
import { issueTexts } from '../../../foundation/parsing.ts';
import { tableNameIn } from './arns.ts';
import * as shape from './parameter-shapes.ts';
import { arnOfService, idsOf, oneOf, truth, unitsFrom, wholeBetween } from './parameter-shapes.ts';

/** The parameters of a stage, with defaults for unset ones. */
export interface Parameters {
  /** The most records in a batch. Lambda also ends a batch at 6 MB, and LocalStack accepts at most 1,000 records. */
  batchSize: number;
  /** How long to gather records into a batch. */
  batchWindowSeconds: number;
  /** Concurrent batches per stream shard. Values above 1 keep each item's order, but save fewer writes. */
  parallelizationFactor: number;
  /** Retries of a batch, limited so that one bad record does not block its shard for a day. */
  retries: number;
  /**
   * Older records go to the failed batches untried. The default leaves two hours to read them, since a stream keeps
   * records for 24 hours.
   */
  recordAgeSeconds: number;
  /** Calls that the stream function has in flight at once. */
  concurrency: number;
  /** Executions reserved for the stream function. 0: none. */
  reservedConcurrency: number;
  /** The log level of the functions. */
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Days to keep logs; CloudWatch allows only certain numbers. */
  logRetentionDays: number;
  /** Whether to trace calls in X-Ray. */
  tracing: boolean;
  /** Whether the table can be restored to any second of the last 35 days. */
  pointInTimeRecovery: boolean;
  /** Whether to protect the table from deletion. */
  deletionProtection: boolean;
  /**
   * Read units per second that the table and its first two indexes serve immediately. 0: DynamoDB's default, 12,000.
   */
  warmReadUnits: number;
  /**
   * Write units per second that the table and its first two indexes serve immediately. 0: DynamoDB's default, 4,000.
   */
  warmWriteUnits: number;
  /** The most read units per second of the table and of each index, to limit the bill. 0: no limit. */
  maxReadUnits: number;
  /** The most write units per second of the table and of each index; further calls are throttled. 0: no limit. */
  maxWriteUnits: number;
  /** Whether CloudWatch Contributor Insights reports the busiest keys of the table and its first two indexes. */
  contributorInsights: boolean;
  /** Whether the table and the failed batches outlive the stack. */
  keepData: boolean;
  /** The ARN of an existing table to use instead of the stack's own: docs/how-to/adopting.md. */
  existingTableArn: string;
  /**
   * The ARN of the existing table's stream, or of the stack's own stream after it was switched off and on
   * (docs/how-to/alarms.md#streamreplaced).
   */
  existingStreamArn: string;
  /** Accounts whose programs may read the table and write base items; their own policies must allow it as well. */
  producerAccounts: string[];
  /** Days to keep failed batches. */
  failedBatchDays: number;
  /** Minutes between redrives of the quarantine. */
  redriveMinutes: number;
  /** Failed batches to redrive concurrently: docs/how-to/repair.md#the-event-source-mapping-gave-up-on-a-batch. */
  redriveConcurrency: number;
  /** When the check runs, in UTC: `cron(...)` or `rate(...)`. */
  checkSchedule: string;
  /** Whether the check runs on its schedule. */
  checkEnabled: boolean;
  /** Whether the check repairs drift. Only then may its function write derived items. */
  checkRepair: boolean;
  /** Hours after which a check stops; the next night's check continues it. */
  checkHours: number;
  /** Hours without a complete check before `CheckOverdue` rings. Large tables take several nights. */
  checkOverdueHours: number;
  /** How long the projector may take before a difference counts as drift. */
  checkGraceSeconds: number;
  /** Functions that check concurrently. 0: depends on the table's size. */
  checkWorkers: number;
  /** Read units per second of all workers together. 0: 100 to 4,000, depending on the table's size. */
  checkMaxRcu: number;
  /** Write units per second of all workers that repair or rebuild. */
  checkMaxWcu: number;
  /** Whether a function checks each change of the table, once a minute: docs/explain/observing.md#where-it-runs. */
  observe: boolean;
  /**
   * The name (such as `default`) or ARN of the event bus for changes
   * (docs/how-to/feeds.md#put-changes-on-an-event-bus). Empty: none. Needs `observe`.
   */
  feedEventBus: string;
  /** The ARNs of the source tables' streams. The model file has to export these tables as `sources`. */
  sourceStreamArns: string[];
  /** Age of the oldest waiting record, in seconds, at which the alarm rings. */
  iteratorAgeAlarmSeconds: number;
  /**
   * Minutes for which a new stream function gets a tenth of the batches: 5, 10, 15 or 30. CodeDeploy rolls it back if
   * it fails, leaves batches unapplied or quarantines items in two of three minutes. 0: all at once, as with osls.
   */
  canaryMinutes: number;
  /** A topic for alarms, instead of the stack's own. */
  alarmTopicArn: string;
  /** The address that the stack's topic sends alarms to once SNS's e-mail is confirmed. Empty: none. */
  alarmEmail: string;
  /**
   * The base URL for links to runbooks, such as `https://git.example.com/edgeloom/docs`. Default: the package's pages.
   */
  docsUrl: string;
  /** The permissions boundary for every role. */
  permissionsBoundaryArn: string;
  /**
   * A customer-managed key for table, bucket, queues, topic, logs, environments and state machine. Its policy must
   * allow their services: docs/how-to/deploying.md#parameters.
   */
  kmsKeyArn: string;
  /** Subnets for the functions, such as `subnet-1,subnet-2`. They need access to DynamoDB, S3, SQS and the stream. */
  vpcSubnetIds: string[];
  /** The security groups for the functions in these subnets. */
  vpcSecurityGroupIds: string[];
  /** Tags for every resource that can have them, such as `team=graph,cost-center=42`. */
  tags: Record<string, string>;
}

const EVENT_BUS = /^(?:[A-Za-z0-9_./-]{1,256}|arn:[^:]+:events:[^:]+:\d{12}:event-bus\/.+)?$/;

/** The minutes that CodeDeploy offers; 0 turns gradual deployments off. */
const CANARY_MINUTES = [0, 5, 10, 15, 30];
const LOG_RETENTIONS = [
  ...[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653],
];
const A_RETENTION = 'should be a number of days that CloudWatch Logs takes, such as 7, 30, 90 or 365';

const parametersSchema = z
  .object({
    batchSize: wholeBetween(1, 10_000).default(10_000),
    batchWindowSeconds: wholeBetween(0, 300).default(1),
    parallelizationFactor: wholeBetween(1, 10).default(1),
    retries: wholeBetween(0, 10_000).default(20),
    recordAgeSeconds: wholeBetween(60, 86_400).default(79_200),
    concurrency: wholeBetween(1, 1000).default(32),
    reservedConcurrency: wholeBetween(0, 100_000).default(0),
    logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
    logRetentionDays: oneOf(LOG_RETENTIONS, A_RETENTION).default(90),
    tracing: truth.default(false),
    pointInTimeRecovery: truth.default(true),
    deletionProtection: truth.default(true),
    // The minima for warm units are DynamoDB's.
    warmReadUnits: unitsFrom(12_000).default(0),
    warmWriteUnits: unitsFrom(4_000).default(0),
    maxReadUnits: unitsFrom(1).default(0),
    maxWriteUnits: unitsFrom(1).default(0),
    contributorInsights: truth.default(false),
    keepData: truth.default(true),
    existingTableArn: arnOfService('dynamodb', 'a table', 'table/[A-Za-z0-9_.-]+').default(''),
    existingStreamArn: arnOfService('dynamodb', 'a stream', shape.STREAM_RESOURCE).default(''),
    producerAccounts: shape.list
      .refine((all) => all.every((one) => /^\d{12}$/.test(one)), 'should be numbers of accounts, of twelve digits each')
      .default([]),
    failedBatchDays: wholeBetween(1, 3650).default(30),
    redriveMinutes: wholeBetween(2, 1440).default(60),
    redriveConcurrency: wholeBetween(2, 1_000).default(2),
    checkSchedule: shape.schedule.default('cron(0 2 * * ? *)'),
    checkEnabled: truth.default(true),
    checkRepair: truth.default(false),
    checkHours: wholeBetween(1, 23).default(6),
    checkOverdueHours: wholeBetween(2, 720).default(26),
    checkGraceSeconds: wholeBetween(1, 600).default(60),
    checkWorkers: wholeBetween(0, 100).default(0),
    checkMaxRcu: wholeBetween(0, 1_000_000).default(0),
    checkMaxWcu: wholeBetween(1, 1_000_000).default(200),
    observe: truth.default(false),
    feedEventBus: z.string().regex(EVENT_BUS, 'should be the name or the ARN of an event bus').default(''),
    sourceStreamArns: shape.streamsOfTables.default([]),
    iteratorAgeAlarmSeconds: wholeBetween(60, 86_400).default(300),
    canaryMinutes: oneOf(CANARY_MINUTES, `should be one of ${CANARY_MINUTES.join(', ')}`).default(0),
    // CloudWatch alarms cannot notify FIFO topics.
    alarmTopicArn: arnOfService('sns', 'a standard topic', '[A-Za-z0-9_-]+').default(''),
    alarmEmail: z
      .string()
      .regex(/^([^@\s]+@[^@\s]+)?$/, 'should be an e-mail address')
      .default(''),
    docsUrl: z
      .string()
      .regex(
        /^(node_modules\/edgeloom\/docs|https?:\/\/[^\s()]+[^\s()/])$/,
        'should be an address such as https://git.example.com/edgeloom/docs',
      )
      .default(DOCS),
    permissionsBoundaryArn: arnOfService('iam', 'a policy', 'policy/.+').default(''),
    // Policies and log groups need a key's ARN, not an alias.
    kmsKeyArn: arnOfService('kms', 'a key', 'key/[A-Za-z0-9-]+').default(''),
    vpcSubnetIds: idsOf('subnet').default([]),
    vpcSecurityGroupIds: idsOf('sg').default([]),
    tags: shape.tags.default({}),
  })
  .strict();

const RULES: readonly (readonly [string, (parameters: Parameters) => boolean])[] = [
  [
    'existingStreamArn: goes together with existingTableArn',
    ({ existingTableArn, existingStreamArn }) => existingTableArn === '' || existingStreamArn !== '',
  ],
  [
    'existingStreamArn: should be a stream of existingTableArn',
    ({ existingTableArn: table, existingStreamArn }) =>
      table === '' || existingStreamArn.startsWith(`${table}/stream/`),
  ],
  [
    'producerAccounts: is for the table of the stack; give an existing table its policy where it is made',
    ({ producerAccounts, existingTableArn }) => producerAccounts.length === 0 || existingTableArn === '',
  ],
  ['feedEventBus: goes together with observe: true', ({ feedEventBus, observe }) => feedEventBus === '' || observe],
  [
    'vpcSecurityGroupIds: goes together with vpcSubnetIds',
    ({ vpcSubnetIds, vpcSecurityGroupIds }) => (vpcSubnetIds.length === 0) === (vpcSecurityGroupIds.length === 0),
  ],
];

function ruleProblems(parameters: Parameters, region: string | undefined): string[] {
  const broken = RULES.filter(([, isRight]) => !isRight(parameters)).map(([problem]) => problem);
  return broken.length > 0 ? broken : regionProblems(parameters, region);
}

/** Parameters whose ARNs must be in the stack's region. */
const OF_THE_REGION = [
  ...(['existingTableArn', 'existingStreamArn', 'alarmTopicArn', 'kmsKeyArn', 'feedEventBus'] as const),
  'sourceStreamArns',
] as const;

function regionProblems(parameters: Parameters, region: string | undefined): string[] {
  const found = OF_THE_REGION.flatMap((name) =>
    [parameters[name]].flat().flatMap((arn) => {
      const [, , , of = ''] = arn.split(':');
      // Ignores the regions of local engines, which have other forms.
      return /^[a-z]+(-[a-z]+)+-\d+$/.test(of) ? [{ name, of }] : [];
    }),
  );
  const [first] = found;
  const expected = region ?? first?.of;
  const whose = region === undefined ? `that of ${first?.name}` : 'the region of the stack';
  return found
    .filter(({ of }) => of !== expected)
    .map(({ name, of }) => `${name}: is in ${of}, and should be in ${expected}, ${whose}`);
}

export const PARAMETER_NAMES: readonly string[] = Object.keys(parametersSchema.shape);

/** A `dev` stack costs little and is deleted together with its data. */
const DEV: Readonly<Record<string, unknown>> = {
  logLevel: 'debug',
  logRetentionDays: 7,
  pointInTimeRecovery: false,
  deletionProtection: false,
  keepData: false,
};

/** LocalStack accepts at most 1,000 records per batch. */
const LOCAL: Readonly<Record<string, unknown>> = { ...DEV, batchSize: 1000 };
const STAGES = new Map([
  ['dev', DEV],
  ['local', LOCAL],
]);

/** Options of `readParameters`. */
export interface ParameterOptions {
  /** The stage, which determines the defaults. */
  stage: string;
  /** Parameters that differ from the stage's defaults. Default: none. */
  values?: Readonly<Record<string, unknown>> | undefined;
  /** The stack's region, in which the ARNs must be. Default: assumes the region of the first ARN. */
  region?: string | undefined;
}

/** Reads the parameters of a stage. Throws `invalid-parameters` with every wrong one. */
export function readParameters(options: ParameterOptions): Parameters {
  checkOptions('readParameters', options, { stage: true, values: true, region: true });
  const { stage, values = {}, region } = options;
  const result = parametersSchema.safeParse({ ...STAGES.get(stage), ...values });
  const problems = result.success ? ruleProblems(result.data, region) : issueTexts(result.error.issues);
  if (result.success && problems.length === 0) return result.data;
  throw new EdgeloomError(
    'invalid-parameters',
    `These parameters of the stack are wrong: ${problems.join('; ')}.`,
    `Correct them where the stack is made; ${docsPage('parameters')} says what each means.`,
  );
}

/** Returns warnings about parameters that are valid but leave something to do. */
export function parameterWarnings(parameters: Parameters): string[] {
  const { keepData, alarmEmail, alarmTopicArn, existingTableArn } = parameters;
  const table = tableNameIn(existingTableArn);
  return [
    ...(keepData && alarmEmail === '' && alarmTopicArn === ''
      ? ['Alarms reach no one: set alarmEmail or alarmTopicArn.']
      : []),
    ...(alarmEmail !== '' && alarmTopicArn === ''
      ? [`No alarm reaches ${alarmEmail} before the mail of SNS is confirmed once: npx edgeloom drill.`]
      : []),
    ...(existingTableArn === ''
      ? []
      : [
          `The stack registers no table that has items: run npx edgeloom migrate --table ${table} after the first deployment.`,
        ]),
  ];
}
