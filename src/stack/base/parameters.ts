import * as z from 'zod';
import { EdgeloomError } from '../../errors.ts';

/**
 * The parameters of a stack, with the values that they have where a stage does not say. What comes from a command line
 * (`--param`) is text, so texts of numbers, truths, lists and tags are taken too.
 */

/** The parameters of a stage, with the values of those that it does not set. */
export interface Parameters {
  /** Records that a batch holds at most; Lambda also ends a batch at 6 MB, and LocalStack takes 1,000. */
  batchSize: number;
  batchWindowSeconds: number;
  /** Batches of one shard that run at once. Order is kept for each item, so more than 1 is safe, but folds less. */
  parallelizationFactor: number;
  /** How often a batch is tried again. Finite: one bad record must not hold its shard for a day. */
  retries: number;
  /** Older records go to the failed batches untried. */
  recordAgeSeconds: number;
  /** Derived items that the stream function writes at once. */
  concurrency: number;
  /** Executions of the stream function that the account keeps free for it; 0: none are reserved. */
  reservedConcurrency: number;
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Share of invocations that log at level `debug`. */
  sampleRate: number;
  /** Days that logs are kept: a number that CloudWatch knows. */
  logRetentionDays: number;
  /** Traces in X-Ray. */
  tracing: boolean;
  pointInTimeRecovery: boolean;
  deletionProtection: boolean;
  /** Whether table and failed batches outlive the stack. */
  keepData: boolean;
  /** A table that there is already, instead of one that the stack makes; with the ARN of its stream. */
  existingTableArn: string;
  existingStreamArn: string;
  /** Days that failed batches are kept which the redrive function could not settle. */
  failedBatchDays: number;
  /** Minutes from one redrive of the quarantine to the next. */
  redriveMinutes: number;
  /** When the check runs: `cron(...)` or `rate(...)`, in UTC. */
  checkSchedule: string;
  checkEnabled: boolean;
  /** Whether the check mends what it finds. Its function may write derived items only then. */
  checkRepair: boolean;
  /** Hours after which a check stops for the night; the next one goes on from there. */
  checkHours: number;
  /** How long the stream's consumer may take before what differs is drift. */
  checkSettleSeconds: number;
  /** Functions that check at once; 0: as many as the table's size asks for. */
  checkWorkers: number;
  /** Read units a second of all workers together; 0: as the table's size asks for. */
  checkMaxRcu: number;
  /** Write units a second of all workers together that mend. */
  checkMaxWcu: number;
  /** Age of the oldest waiting record, in seconds, that raises the alarm. */
  iteratorAgeAlarmSeconds: number;
  /** A topic that alarms go to, instead of one that the stack makes. */
  alarmTopicArn: string;
  /** Who the stack's own topic mails alarms to; empty: to no address yet. */
  alarmEmail: string;
  /** The boundary of every role, as governed accounts want it. */
  permissionsBoundaryArn: string;
  /** A customer-managed key for table, bucket, queues, topic, logs and environments. Its policy has to allow their services. */
  kmsKeyArn: string;
  /** The functions run in these subnets, under these security groups. */
  vpcSubnetIds: string[];
  vpcSecurityGroupIds: string[];
  /** Tags of everything that takes tags. */
  tags: Record<string, string>;
}

const truth = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);
const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const arn = (service: string) =>
  z.string().regex(new RegExp(`^(arn:[^:]+:${service}:.+)?$`), `should be an ARN of ${service}`);
const list = z.union([
  z.array(z.string()),
  z.string().transform((text) => text.split(',').filter((one) => one !== '')),
]);
const tags = z.union([
  z.record(z.string().min(1).max(128), z.string().max(256)),
  z
    .string()
    .regex(/^([^=,]+=[^,]*(,[^=,]+=[^,]*)*)?$/, 'should be NAME=VALUE,NAME=VALUE')
    .transform(
      (text) =>
        Object.fromEntries(text === '' ? [] : text.split(',').map((tag) => tag.split(/=(.*)/s).slice(0, 2))) as Record<
          string,
          string
        >,
    ),
]);

/** The shapes of the parameters, by name. */
const parametersSchema = z
  .object({
    batchSize: whole(1, 10_000).default(10_000),
    batchWindowSeconds: whole(0, 300).default(1),
    parallelizationFactor: whole(1, 10).default(1),
    retries: whole(0, 10_000).default(20),
    recordAgeSeconds: whole(60, 86_400).default(43_200),
    concurrency: whole(1, 1000).default(32),
    reservedConcurrency: whole(0, 100_000).default(0),
    logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
    sampleRate: z.coerce.number().min(0).max(1).default(0),
    logRetentionDays: whole(1, 3653).default(90),
    tracing: truth.default(false),
    pointInTimeRecovery: truth.default(true),
    deletionProtection: truth.default(true),
    keepData: truth.default(true),
    existingTableArn: arn('dynamodb').default(''),
    existingStreamArn: arn('dynamodb').default(''),
    failedBatchDays: whole(1, 3650).default(30),
    redriveMinutes: whole(2, 1440).default(60),
    checkSchedule: z
      .string()
      .regex(/^(cron|rate)\(.+\)$/)
      .default('cron(0 2 * * ? *)'),
    checkEnabled: truth.default(true),
    checkRepair: truth.default(false),
    checkHours: whole(1, 23).default(6),
    checkSettleSeconds: whole(1, 3600).default(60),
    checkWorkers: whole(0, 100).default(0),
    checkMaxRcu: whole(0, 1_000_000).default(0),
    checkMaxWcu: whole(1, 1_000_000).default(200),
    iteratorAgeAlarmSeconds: whole(60, 86_400).default(300),
    alarmTopicArn: arn('sns').default(''),
    alarmEmail: z
      .string()
      .regex(/^([^@\s]+@[^@\s]+)?$/, 'should be an e-mail address')
      .default(''),
    permissionsBoundaryArn: arn('iam').default(''),
    kmsKeyArn: arn('kms').default(''),
    vpcSubnetIds: list.default([]),
    vpcSecurityGroupIds: list.default([]),
    tags: tags.default({}),
  })
  .strict()
  .refine(({ existingTableArn, existingStreamArn }) => (existingTableArn === '') === (existingStreamArn === ''), {
    path: ['existingStreamArn'],
    message: 'goes together with existingTableArn',
  })
  .refine(({ existingTableArn, existingStreamArn }) => existingStreamArn.startsWith(existingTableArn), {
    path: ['existingStreamArn'],
    message: 'should be a stream of existingTableArn',
  })
  .refine(({ existingTableArn }) => existingTableArn === '' || /:table\/[A-Za-z0-9_.-]+$/.test(existingTableArn), {
    path: ['existingTableArn'],
    message: 'should end with :table/ and the name of the table',
  })
  .refine(({ logRetentionDays }) => LOG_RETENTIONS.includes(logRetentionDays), {
    path: ['logRetentionDays'],
    message: 'should be a number of days that CloudWatch Logs takes, such as 7, 30, 90 or 365',
  })
  .refine(
    ({ vpcSubnetIds, vpcSecurityGroupIds }) => (vpcSubnetIds.length === 0) === (vpcSecurityGroupIds.length === 0),
    {
      path: ['vpcSecurityGroupIds'],
      message: 'goes together with vpcSubnetIds',
    },
  );

const LOG_RETENTIONS = [
  ...[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653],
];

/** The names of all parameters. */
export const PARAMETER_NAMES: readonly string[] = Object.keys(parametersSchema.shape);

/** What the stage `dev` has otherwise than all other stages: it costs little, and goes with its stack. */
const DEV: Readonly<Record<string, unknown>> = {
  logLevel: 'debug',
  logRetentionDays: 7,
  pointInTimeRecovery: false,
  deletionProtection: false,
  keepData: false,
};

/** LocalStack refuses larger batches. */
const LOCAL: Readonly<Record<string, unknown>> = { ...DEV, batchSize: 1000 };
/** What some stages have otherwise than all others, by their names. */
const STAGES = new Map([
  ['dev', DEV],
  ['local', LOCAL],
]);

/** Reads the parameters of a stage; throws `invalid-parameters`, an error that names every wrong one. */
export function readParameters(stage: string, values: Readonly<Record<string, unknown>> = {}): Parameters {
  const result = parametersSchema.safeParse({ ...STAGES.get(stage), ...values });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'they'}: ${message}`);
  throw new EdgeloomError(
    'invalid-parameters',
    `These parameters of the stack are wrong: ${problems.join('; ')}.`,
    'docs/deploying.md says what each means.',
  );
}

/** What deploys and is still unwise: a sentence for each. */
export function parameterWarnings({ keepData, alarmEmail, alarmTopicArn }: Parameters): string[] {
  if (!keepData || alarmEmail !== '' || alarmTopicArn !== '') return [];
  return ['Alarms reach no one: set alarmEmail or alarmTopicArn.'];
}
