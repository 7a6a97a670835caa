import { UndiciHttpHandler } from '@smithy/undici-http-handler';
import { timeLimits } from './http.ts';
import { type ClientOptions, clientConfig } from './options.ts';

/** Adds the time limits that the SDK's own handler lacks. */
export function serviceConfig(options: ClientOptions) {
  return {
    ...clientConfig(options),
    requestHandler: new UndiciHttpHandler({ dispatcher: timeLimits(options.answerTimeoutMs) }),
  };
}
