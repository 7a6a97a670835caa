import { UndiciHttpHandler } from '@smithy/undici-http-handler';
import type { Dispatcher } from 'undici';

type Handle = UndiciHttpHandler['handle'];

/** A request, as the SDK hands it to its handler. */
export type HandledRequest = Parameters<Handle>[0];

/** A response of undici with its body whole. */
export type WholeResponse = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { body: Buffer };

/** Sends requests, and gives responses whole. */
export interface WholeBodySender {
  whole(options: Dispatcher.RequestOptions): Promise<WholeResponse>;
}

/** The outcome of a request: a response, or the reason why there is none. */
export type Answer = { response: WholeResponse } | { error: unknown };

/** The lean way's instructions to the handler of one call of the SDK. */
export interface LeanAttempt {
  /** The answer that the lean way has got already: the SDK's first attempt gets it, and nothing is sent. */
  answer?: Answer | undefined;
  /** Called with the signed request that the SDK is about to send. */
  observe?: (request: HandledRequest) => void;
}

/** The options of a call of the SDK, which reach its handler unseen. */
export interface LeanOptions {
  lean: LeanAttempt;
}

/**
 * The SDK's handler over undici, with which the lean way (lean-way.ts) works. If the lean way has got an answer already, the handler
 * returns that answer and sends nothing. Otherwise it shows the request to the lean way, and sends it.
 */
export class LeanHandler extends UndiciHttpHandler {
  override async handle(
    request: HandledRequest,
    options?: Parameters<Handle>[1] & Partial<LeanOptions>,
  ): ReturnType<Handle> {
    const lean = options?.lean;
    if (lean?.answer === undefined) {
      lean?.observe?.(request);
      return await super.handle(request, options);
    }
    const { answer } = lean;
    // Only the first attempt was made: what the SDK sends again it sends itself.
    lean.answer = undefined;
    return await new UndiciHttpHandler({ dispatcher: answeringDispatcher(answer) }).handle(request, options);
  }
}

/** A dispatcher that sends nothing and replays a ready response, so that the SDK parses it as usual. */
function answeringDispatcher(answer: Answer): Dispatcher {
  const request = async (): Promise<WholeResponse> => {
    if ('error' in answer) throw answer.error;
    return answer.response;
  };
  const nothing = async (): Promise<void> => undefined;
  return { request, close: nothing, destroy: nothing } as unknown as Dispatcher;
}
