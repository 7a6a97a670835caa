import * as z from 'zod/mini';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { parsingInEnglish } from '../../../src/foundation/parsing.ts';
import type { ClientOptions } from '../../../src/store/client.ts';
import { credentialsOf, ENDPOINT, LOG_LEVEL, type LogLevel } from '../../../src/store/environment.ts';

export interface Settings {
  config: string;
  table?: string;
  client: ClientOptions;
  json: boolean;
  logLevel: LogLevel;
}

export interface GlobalOptions {
  config?: string;
  table?: string;
  endpoint?: string;
  region?: string;
  json?: boolean;
  logLevel?: string;
}

const filled = z.string().check(z.minLength(1, 'should not be empty'));
const schema = z.object({
  config: filled,
  table: z.optional(filled),
  endpoint: z.optional(ENDPOINT),
  region: z.optional(filled),
  json: z.boolean(),
  logLevel: LOG_LEVEL,
});

/** Options take precedence over `EDGELOOM_CONFIG`, `EDGELOOM_TABLE`, `EDGELOOM_LOG_LEVEL` and AWS's variables. Errors name the option. */
export function readSettings(options: GlobalOptions, variables: NodeJS.ProcessEnv = process.env): Settings {
  // As in the AWS CLI, an empty variable counts as unset.
  const environment = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const given = {
    config: options.config ?? environment['EDGELOOM_CONFIG'] ?? 'edgeloom.config.ts',
    table: options.table ?? environment['EDGELOOM_TABLE'],
    endpoint: options.endpoint ?? environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? environment['AWS_ENDPOINT_URL'],
    region: options.region ?? environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'],
    json: options.json ?? false,
    logLevel: options.logLevel ?? environment['EDGELOOM_LOG_LEVEL'] ?? 'warn',
  };
  const result = schema.safeParse(given, parsingInEnglish());
  if (!result.success) {
    const issue = result.error.issues[0]!;
    throw new EdgeloomError(
      'invalid-argument',
      `${optionText(given, issue.path.join('.'))} ${issue.message}.`,
      'Give it as edgeloom --help shows it, or correct the environment variable that stands for it.',
    );
  }
  const { endpoint, region, ...rest } = result.data;
  return { ...rest, client: { endpoint, region, credentials: credentialsOf(environment) } };
}

function optionText(given: Readonly<Record<string, unknown>>, name: string): string {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `The option --${flag} ${JSON.stringify(given[name])}`;
}

export function isRunByNpx(environment: NodeJS.ProcessEnv = process.env): boolean {
  return environment['npm_command'] === 'exec';
}
