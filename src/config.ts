import { z } from 'zod';
import { EdgeloomError } from './errors.ts';
import type { ClientOptions } from './store/client.ts';

/** What the command line and handlers run with. This file alone reads the environment. */
export interface Settings {
  /** Path of the model file. */
  config: string;
  /** Table name that replaces the model's. */
  table?: string;
  /** Where DynamoDB is, and how to sign in. */
  client: ClientOptions;
  /** Machine-readable output. */
  json: boolean;
  logLevel: LogLevel;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The global options of the command line, as given. */
export interface GlobalOptions {
  config?: string;
  table?: string;
  endpoint?: string;
  region?: string;
  json?: boolean;
  logLevel?: string;
}

const schema = z.object({
  config: z.string().min(1),
  table: z.string().min(1).optional(),
  endpoint: z.url({ protocol: /^https?$/, error: 'should be a URL such as http://127.0.0.1:8000' }).optional(),
  region: z.string().min(1).optional(),
  json: z.boolean(),
  logLevel: z.enum(LOG_LEVELS, { error: `should be one of ${LOG_LEVELS.join(', ')}` }),
});

/**
 * Settings from the command line's options and the environment; options win. Variables: `EDGELOOM_CONFIG`,
 * `EDGELOOM_TABLE`, `EDGELOOM_LOG_LEVEL`, and AWS's own `AWS_ENDPOINT_URL_DYNAMODB`, `AWS_ENDPOINT_URL`, `AWS_REGION`,
 * `AWS_DEFAULT_REGION` and credentials. Throws an `EdgeloomError` that names the option.
 */
export function readSettings(options: GlobalOptions, environment: NodeJS.ProcessEnv = process.env): Settings {
  const result = schema.safeParse({
    config: options.config ?? environment['EDGELOOM_CONFIG'] ?? 'edgeloom.config.ts',
    table: options.table ?? environment['EDGELOOM_TABLE'],
    endpoint: options.endpoint ?? environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? environment['AWS_ENDPOINT_URL'],
    region: options.region ?? environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'],
    json: options.json ?? false,
    logLevel: options.logLevel ?? environment['EDGELOOM_LOG_LEVEL'] ?? 'warn',
  });
  if (!result.success) {
    const issue = result.error.issues[0]!;
    throw new EdgeloomError(
      'invalid-option',
      `The option ${issue.path.join('.')} ${issue.message}.`,
      'See edgeloom --help.',
    );
  }
  const { endpoint, region, ...rest } = result.data;
  return { ...rest, client: { endpoint, region, credentials: credentials(environment) } };
}

/** Credentials of the environment; other sources (profiles, roles) are left to the SDK. */
function credentials(environment: NodeJS.ProcessEnv): ClientOptions['credentials'] {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: environment['AWS_SESSION_TOKEN'] };
}

/** The user's folder for caches. */
export function cacheHome(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment['XDG_CACHE_HOME'];
}

/** What Lambda tells a runtime client, and a client its handler. */
export interface FunctionRuntime {
  /** Host and port of the Runtime API. */
  runtimeApi: string;
  name: string;
  version: string;
  memorySizeMb: string;
  logGroup: string;
  logStream: string;
}

/** What Lambda's variables say of the function that this process serves. */
export function functionRuntime(environment: NodeJS.ProcessEnv = process.env): FunctionRuntime {
  return {
    runtimeApi: environment['AWS_LAMBDA_RUNTIME_API'] ?? '',
    name: environment['AWS_LAMBDA_FUNCTION_NAME'] ?? '',
    version: environment['AWS_LAMBDA_FUNCTION_VERSION'] ?? '',
    memorySizeMb: environment['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? '',
    logGroup: environment['AWS_LAMBDA_LOG_GROUP_NAME'] ?? '',
    logStream: environment['AWS_LAMBDA_LOG_STREAM_NAME'] ?? '',
  };
}

/** The variables that a function on this machine takes over from whoever starts it: all but a profile for AWS itself. */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const { AWS_PROFILE: _, ...inherited } = environment;
  return inherited;
}
