import * as z from 'zod/mini';
import { EdgeloomError } from '../../foundation/errors.ts';
import { parsingInEnglish } from '../../foundation/parsing.ts';
import type { ClientOptions } from '../../store/client.ts';
import { credentialsOf, ENDPOINT, LOG_LEVEL } from '../../store/environment.ts';

const number = z.coerce.number({ error: 'should be a number' });
const positive = number.check(z.positive({ error: 'should be above 0' }));
const functionSchema = z.object({
  /** The name of the stack's table. */
  EDGELOOM_TABLE: z
    .string({ error: 'should name the table' })
    .check(z.minLength(1, { error: 'should name the table' })),
  /** `trace`, `debug`, `info`, `warn`, `error` or `silent`. Default: `info`. */
  EDGELOOM_LOG_LEVEL: z._default(LOG_LEVEL, 'info'),
  /** Calls that the stream function has in flight at once. Default: 32. */
  EDGELOOM_CONCURRENCY: z.optional(z.pipe(positive, z.int({ error: 'should be a whole number' }))),
  /** How long the projector may take before a check calls a difference drift. Default: 30. */
  EDGELOOM_GRACE_SECONDS: z.optional(positive),
  /** The bucket of failed batches, the only one that messages may name. */
  EDGELOOM_FAILED_BATCHES_BUCKET: z.optional(z.string()),
  /** The ARN of the table's stream. */
  EDGELOOM_STREAM_ARN: z.optional(z.string()),
  /** The ARNs of the source tables' streams, separated by commas. */
  EDGELOOM_SOURCE_STREAM_ARNS: z.optional(z.string()),
  /** The URL of the queue for the observer's changes. Default: no feed. */
  EDGELOOM_FEED_QUEUE_URL: z.optional(ENDPOINT),
  /** The URL of the queue for events that EventBridge will never accept. */
  EDGELOOM_FEED_DEAD_LETTER_QUEUE_URL: z.optional(ENDPOINT),
  /** The name or ARN of the event bus for changes. */
  EDGELOOM_FEED_EVENT_BUS: z.optional(z.string()),
  /** The endpoint of EventBridge. Default: `AWS_ENDPOINT_URL`, or the region's. */
  AWS_ENDPOINT_URL_EVENTBRIDGE: z.optional(ENDPOINT),
  /** The endpoint of DynamoDB and its streams. Default: `AWS_ENDPOINT_URL`, or the region's. */
  AWS_ENDPOINT_URL_DYNAMODB: z.optional(ENDPOINT),
  /** The endpoint of SQS, and the default for EventBridge and DynamoDB. Default: the region's. */
  AWS_ENDPOINT_URL: z.optional(ENDPOINT),
  /** The function's region; Lambda sets it. */
  AWS_REGION: z.optional(z.string().check(z.minLength(1))),
});

export type FunctionSettings = z.infer<typeof functionSchema> & { client: ClientOptions };

/** Treats empty variables as unset. */
export function readFunctionSettings(environment: NodeJS.ProcessEnv = process.env): FunctionSettings {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { data, error } = functionSchema.safeParse(set, parsingInEnglish());
  if (data !== undefined) return { ...data, client: functionClientOptions(set) };
  throw wrongEnvironment(error!.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
}

export function wrongEnvironment(problem: string): EdgeloomError {
  return new EdgeloomError(
    'invalid-environment',
    `The function's environment is wrong: ${problem}.`,
    'Correct these variables where the stack sets them, and deploy again.',
  );
}

/** Variables that make the SDK use other credentials, endpoints or signatures. */
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

/** Omits the credentials if the SDK might use others. Calls with a region and credentials don't load the SDK. */
export function functionClientOptions(environment: NodeJS.ProcessEnv = process.env): ClientOptions {
  const { AWS_ENDPOINT_URL_DYNAMODB: own, AWS_ENDPOINT_URL: general, AWS_REGION: region } = environment;
  const isOpen = SDK_DECIDES.some((name) => Boolean(environment[name]));
  return {
    endpoint: own || general || undefined,
    region,
    credentials: isOpen ? undefined : credentialsOf(environment),
  };
}
