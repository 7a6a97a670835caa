import * as z from 'zod';

/**
 * The parameters that serverless.yml gives for each stage. What comes from its command line (`--param`) is text, so texts
 * of numbers and truths are taken too.
 */

const truth = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);
const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

/** The shapes of the parameters, by name. */
export const parametersSchema = z
  .object({
    /** Records that a batch holds at most; Lambda also ends a batch at 6 MB. */
    batchSize: whole(1, 10_000),
    batchWindowSeconds: whole(0, 300),
    /** Batches of one shard that run at once. Order is kept for each item, so more than 1 is safe, but folds less. */
    parallelizationFactor: whole(1, 10),
    /** How often a batch is tried again. Finite: one bad record must not hold its shard for a day. */
    retries: whole(0, 10_000),
    /** Older records go to the failed batches untried. */
    recordAgeSeconds: whole(60, 86_400),
    pointInTimeRecovery: truth,
    deletionProtection: truth,
    /** Whether table and failed batches outlive the stack. */
    keepData: truth,
    /** Days that failed batches are kept. */
    failedBatchDays: whole(1, 3650),
    /** Minutes from one redrive of the quarantine to the next. */
    redriveMinutes: whole(2, 1440),
    /** When the check runs: `cron(...)` or `rate(...)`, in UTC. */
    checkSchedule: z.string().regex(/^(cron|rate)\(.+\)$/),
    checkEnabled: truth,
    /** Parts that the check reads the table in. */
    checkSegments: whole(1, 1_000_000),
    /** Functions that check at once; the parts are dealt out to them. */
    checkWorkers: whole(1, 1000),
    /** Whether the check mends what it finds. Its function may write only then. */
    checkRepair: truth,
    /** Hours after which a check counts as failed. */
    checkHours: whole(1, 24),
    /** Age of the oldest waiting record, in seconds, that raises the alarm. */
    iteratorAgeAlarmSeconds: whole(60, 86_400),
    /** A topic that alarms go to, instead of one that the stack makes. */
    alarmTopicArn: z.string().regex(/^(arn:[^:]+:sns:.+)?$/),
    /** Who the stack's own topic mails alarms to; empty: nobody yet. */
    alarmEmail: z.string().regex(/^([^@\s]+@[^@\s]+)?$/),
  })
  .refine(({ checkSegments, checkWorkers }) => checkWorkers <= checkSegments, {
    path: ['checkWorkers'],
    message: 'should not be above checkSegments',
  });

/** The parameters of a stage. */
export type Parameters = z.output<typeof parametersSchema>;

/** The names of all parameters. */
export const PARAMETER_NAMES = Object.keys(parametersSchema.shape);

/** Reads the parameters of a stage; throws an error that names every wrong one. */
export function readParameters(values: Readonly<Record<string, unknown>>): Parameters {
  const result = parametersSchema.safeParse(values);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`These parameters of serverless.yml are wrong: ${problems.join('; ')}.`);
}
