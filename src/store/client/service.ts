import { UndiciHttpHandler } from '@smithy/undici-http-handler';
import { timeLimits } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';

/** For clients of services with few calls, such as SQS or S3. Sets the time limits that the SDK's own handler lacks. */
export function serviceConfig(options: ClientOptions) {
  return {
    ...clientConfig(options),
    requestHandler: new UndiciHttpHandler({ dispatcher: timeLimits(options.answerTimeoutMs) }),
  };
}
