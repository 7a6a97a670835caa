import { UndiciHttpHandler } from '@smithy/undici-http-handler';
import { timeLimits } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';

/**
 * The configuration of a client of a service that is called now and then, such as SQS or S3: with the time limits of all
 * clients, which the SDK's own handler does not have.
 */
export function serviceConfig(options: ClientOptions) {
  return {
    ...clientConfig(options),
    requestHandler: new UndiciHttpHandler({ dispatcher: timeLimits(options.answerTimeoutMs) }),
  };
}
