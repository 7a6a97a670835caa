/** `edgeloom/lambda`: factories of Lambda handlers. */

export type { PlanRequest, RunPlan, RunShare } from '../../trust/check/run/plan.ts';
export type { RunHandlerOptions } from './check-part.ts';
export { checkRunHandler, type RunEvent, type RunHandler, type RunResponse } from './check-run-handler.ts';
export {
  deployedCheck,
  deployedFeed,
  deployedMirror,
  deployedObserve,
  deployedRedrive,
  deployedStream,
} from './deployed.ts';
export type { FeedHandler, FeedQueueEvent } from './feed-handler.ts';
export type { FunctionLogger } from './function-logger.ts';
export type { FunctionOptions, InvocationContext } from './function-parts.ts';
export {
  type MirrorEvent,
  type MirrorHandler,
  type MirrorHandlerOptions,
  mirrorHandler,
  type WatchedSource,
} from './mirror-handler.ts';
export {
  type ObserveHandler,
  type ObserveHandlerOptions,
  type ObserveResponse,
  observeHandler,
} from './observe-handler.ts';
export {
  type RedriveEvent,
  type RedriveHandler,
  type RedriveHandlerOptions,
  type RedriveResponse,
  redriveHandler,
} from './redrive-handler.ts';
export {
  type StreamEvent,
  type StreamHandler,
  type StreamHandlerOptions,
  type StreamResponse,
  streamHandler,
} from './stream-handler.ts';
