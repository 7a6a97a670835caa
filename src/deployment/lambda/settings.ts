import * as z from 'zod/mini';
import { EdgeloomError } from '../../foundation/errors.ts';
import { parsingInEnglish } from '../../foundation/parsing.ts';
import type { ClientOptions } from '../../store/client.ts';
import { credentialsOf, ENDPOINT, LOG_LEVEL, type LogLevel } from '../../store/environment.ts';

/** Settings of a deployed function; the deployment sets each of its variables. */
export interface FunctionSettings {
  /** The table's name: the one that the stack made, whatever the model calls it. */
  table: string;
  /** Where DynamoDB is, and the role's credentials: see `functionClientOptions`. */
  client: ClientOptions;
  logLevel: LogLevel;
  /** Share of invocations that log at level `debug`, 0 to 1. */
  sampleRate: number;
  /** Derived items that are written at once. */
  concurrency?: number;
  /** How long the stream's consumer may take before what differs is drift, in milliseconds. */
  graceMs?: number;
  /** The bucket that keeps batches which the mapping gave up. */
  failedBatchesBucket?: string;
  /** The table's stream, which is swept; absent: nothing is. */
  streamArn?: string;
  /** The streams of the source tables; absent: there is none. */
  sourceStreamArns?: string[];
  /** The queue that the observer puts changes into; absent: it tells nobody. */
  feedQueueUrl?: string;
  /** The queue for events that EventBridge refuses for ever. */
  feedDeadLettersUrl?: string;
  /** The event bus that changes go to: its name or its ARN. */
  eventBus?: string;
  /** Where EventBridge is, if not at its usual endpoint. */
  eventsEndpoint?: string;
}

const number = z.coerce.number({ error: 'should be a number' });
const positive = number.check(z.positive({ error: 'should be above 0' }));
const SHARE = 'should be a number from 0 to 1';
const share = z.coerce.number({ error: SHARE }).check(z.gte(0, SHARE), z.lte(1, SHARE));
const functionSchema = z.object({
  /** The name of the table: the one that the stack made, whatever the model calls it. */
  EDGELOOM_TABLE: z
    .string({ error: 'should name the table' })
    .check(z.minLength(1, { error: 'should name the table' })),
  /** The level of the log: `trace`, `debug`, `info`, `warn`, `error` or `silent`. Default `info`. */
  EDGELOOM_LOG_LEVEL: z._default(LOG_LEVEL, 'info'),
  /** The share of invocations of the stream function that log at level `debug`, 0 to 1. Default 0. */
  EDGELOOM_SAMPLE_RATE: z._default(share, 0),
  /** Derived items that the stream function writes at once. Default 32. */
  EDGELOOM_CONCURRENCY: z.optional(z.pipe(positive, z.int({ error: 'should be a whole number' }))),
  /** How long the stream's consumer may take before a check takes a difference for drift. Default 30. */
  EDGELOOM_GRACE_SECONDS: z.optional(positive),
  /** The bucket that the redrive function reads failed batches from; messages may name no other. */
  EDGELOOM_FAILED_BATCHES_BUCKET: z.optional(z.string()),
  /** The ARN of the table's stream: the redrive function sweeps it, the observer and the feed read it. */
  EDGELOOM_STREAM_ARN: z.optional(z.string()),
  /** The ARNs of the source tables' streams, with commas between them: the mirror function compares them with the tables. */
  EDGELOOM_SOURCE_STREAM_ARNS: z.optional(z.string()),
  /** The queue that the observer puts changes into. Default: no feed. */
  EDGELOOM_FEED_QUEUE_URL: z.optional(ENDPOINT),
  /** The queue for changes that EventBridge refuses for ever. */
  EDGELOOM_FEED_DEAD_LETTER_QUEUE_URL: z.optional(ENDPOINT),
  /** The event bus that changes go to: its name or its ARN. */
  EDGELOOM_FEED_EVENT_BUS: z.optional(z.string()),
  /** The endpoint of EventBridge, where it is another than that of the region. */
  AWS_ENDPOINT_URL_EVENTBRIDGE: z.optional(ENDPOINT),
  /** The endpoint of DynamoDB and its streams, where it is another than that of the region. */
  AWS_ENDPOINT_URL_DYNAMODB: z.optional(ENDPOINT),
  /** The endpoint of both, where they have none of their own. */
  AWS_ENDPOINT_URL: z.optional(ENDPOINT),
  /** The region of the function; Lambda sets it. */
  AWS_REGION: z.optional(z.string().check(z.minLength(1))),
});

/**
 * Settings of a deployed function, to be read when it starts: a wrong one should fail the deployment's first invocation,
 * not the first that needs it. An empty variable is one that is not set. Throws `invalid-environment`, with every
 * variable that is wrong.
 */
export function readFunctionSettings(environment: NodeJS.ProcessEnv = process.env): FunctionSettings {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = functionSchema.safeParse(set, parsingInEnglish());
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new EdgeloomError(
      'invalid-environment',
      `The function's environment is wrong: ${problems.join('; ')}.`,
      'Correct these variables where the stack sets them, and deploy again.',
    );
  }
  const { data } = result;
  const graceSeconds = data.EDGELOOM_GRACE_SECONDS;
  return {
    table: data.EDGELOOM_TABLE,
    client: functionClientOptions(set),
    logLevel: data.EDGELOOM_LOG_LEVEL,
    sampleRate: data.EDGELOOM_SAMPLE_RATE,
    concurrency: data.EDGELOOM_CONCURRENCY,
    graceMs: graceSeconds === undefined ? undefined : graceSeconds * 1000,
    failedBatchesBucket: data.EDGELOOM_FAILED_BATCHES_BUCKET,
    streamArn: data.EDGELOOM_STREAM_ARN,
    sourceStreamArns: data.EDGELOOM_SOURCE_STREAM_ARNS?.split(','),
    feedQueueUrl: data.EDGELOOM_FEED_QUEUE_URL,
    feedDeadLettersUrl: data.EDGELOOM_FEED_DEAD_LETTER_QUEUE_URL,
    eventBus: data.EDGELOOM_FEED_EVENT_BUS,
    eventsEndpoint: data.AWS_ENDPOINT_URL_EVENTBRIDGE ?? data.AWS_ENDPOINT_URL,
  };
}

/** Variables by which the SDK finds other credentials, another endpoint, or another way to sign. */
const SDK_DECIDES = [
  'AWS_PROFILE',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_ACCOUNT_ID',
  'AWS_ACCOUNT_ID_ENDPOINT_MODE',
  'AWS_USE_FIPS_ENDPOINT',
  'AWS_USE_DUALSTACK_ENDPOINT',
  'AWS_AUTH_SCHEME_PREFERENCE',
];

/**
 * The options of a function's client. Lambda puts the region and the role's credentials into the environment, and they stay the same
 * while the function lives. With both, calls need no SDK to find out where they go. The credentials are left out where the SDK
 * might find others, another endpoint, or another way to sign.
 */
export function functionClientOptions(environment: NodeJS.ProcessEnv = process.env): ClientOptions {
  const { AWS_ENDPOINT_URL_DYNAMODB: own, AWS_ENDPOINT_URL: general, AWS_REGION: region } = environment;
  const isOpen = SDK_DECIDES.some((name) => Boolean(environment[name]));
  return {
    endpoint: own || general || undefined,
    region,
    credentials: isOpen ? undefined : credentialsOf(environment),
  };
}
