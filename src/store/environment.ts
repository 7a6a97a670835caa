import * as z from 'zod/mini';
import type { ClientOptions } from './client.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const ENDPOINT = z.url({ protocol: /^https?$/, error: 'should be a URL such as http://127.0.0.1:8000' });

export const LOG_LEVEL = z.enum(LOG_LEVELS, { error: `should be one of ${LOG_LEVELS.join(', ')}` });

/** Leaves other sources of credentials, such as profiles and roles, to the SDK. */
export function credentialsOf(environment: NodeJS.ProcessEnv): ClientOptions['credentials'] {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: environment['AWS_SESSION_TOKEN'] };
}
