import { UndiciHttpHandler } from '@smithy/undici-http-handler';
import type { Dispatcher } from 'undici';

type Handle = UndiciHttpHandler['handle'];

/** As the SDK passes it to its handler. */
export type HandledRequest = Parameters<Handle>[0];

export type WholeResponse = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { body: Buffer };

export interface WholeBodySender {
  whole(options: Dispatcher.RequestOptions): Promise<WholeResponse>;
}

export type Answer = { response: WholeResponse } | { error: unknown };

export interface LeanAttempt {
  /** An answer that the lean way already has: the SDK's first attempt gets it, and nothing is sent. */
  answer?: Answer | undefined;
  /** Called with the signed request that the SDK is about to send. */
  observe?: (request: HandledRequest) => void;
}

/** Options of an SDK call, which reach its handler unseen. */
export interface LeanOptions {
  lean: LeanAttempt;
}

/**
 * The SDK's handler over undici, for the lean way (lean-way.ts). If the lean way already has an answer, it is returned
 * without sending. Otherwise the lean way is shown the request, which is then sent.
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
    // Only the first attempt was made; the SDK sends its retries itself.
    lean.answer = undefined;
    return await new UndiciHttpHandler({ dispatcher: answeringDispatcher(answer) }).handle(request, options);
  }
}

/** Sends nothing and replays a response, so that the SDK parses it as usual. */
function answeringDispatcher(answer: Answer): Dispatcher {
  const request = async (): Promise<WholeResponse> => {
    if ('error' in answer) throw answer.error;
    return answer.response;
  };
  const nothing = async (): Promise<void> => undefined;
  return { request, close: nothing, destroy: nothing } as unknown as Dispatcher;
}
