import { UndiciHttpHandler } from '@smithy/undici-http-handler';
import { timeLimits } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';

/**
 * Makes the configuration of a client for a service with few calls, such as SQS or S3. It has the time limits of all clients, because
 * the SDK's own handler has none.
 */
export function serviceConfig(options: ClientOptions) {
  return {
    ...clientConfig(options),
    requestHandler: new UndiciHttpHandler({ dispatcher: timeLimits(options.answerTimeoutMs) }),
  };
}
