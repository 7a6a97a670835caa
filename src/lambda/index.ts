/** `edgeloom/lambda`: factories of Lambda handlers. */
export {
  type InvocationContext,
  type StreamEvent,
  type StreamHandler,
  type StreamHandlerOptions,
  type StreamResponse,
  streamHandler,
} from './stream-handler.ts';
