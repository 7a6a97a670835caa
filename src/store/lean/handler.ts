import { UndiciHttpHandler } from '@smithy/undici-http-handler';
import type { Dispatcher } from 'undici';

type Handle = UndiciHttpHandler['handle'];

export type HandledRequest = Parameters<Handle>[0];

export type WholeResponse = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { body: Buffer };

export interface WholeBodySender {
  whole(options: Dispatcher.RequestOptions): Promise<WholeResponse>;
}

export type Answer = { response: WholeResponse } | { error: unknown };

export interface LeanAttempt {
  /** Passed to the SDK as the answer to its first attempt, which isn't sent. */
  answer?: Answer | undefined;
  observe?: (request: HandledRequest) => void;
}

/** Options of an SDK call, which the SDK passes to its handler. */
export interface LeanOptions {
  lean: LeanAttempt;
}

/** Returns the answer of `LeanWay` instead of sending the request, or shows the request to `LeanWay`. */
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
    // Cleared, so that the SDK's retries are sent.
    lean.answer = undefined;
    return await new UndiciHttpHandler({ dispatcher: answeringDispatcher(answer) }).handle(request, options);
  }
}

/** Replays an answer, so that the SDK parses it as usual. */
function answeringDispatcher(answer: Answer): Dispatcher {
  const request = async (): Promise<WholeResponse> => {
    if ('error' in answer) throw answer.error;
    return answer.response;
  };
  const nothing = async (): Promise<void> => undefined;
  return { request, close: nothing, destroy: nothing } as unknown as Dispatcher;
}
