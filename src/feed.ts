/** `edgeloom/feed`: lists that update while they are watched, and the changes that a stream record describes. */

export { changesOf, type FeedModel } from './client/feed/changes-of.ts';
export type { Feed } from './client/feed/feed.ts';
export type {
  CountChange,
  FeedChange,
  ItemChange,
  ListChange,
  ListedPlace,
  NodeListChange,
  RowChange,
  SearchChange,
  ViewChange,
} from './client/feed/feed-change.ts';
export { createFeedModels, type FeedModels, type FeedModelsOptions } from './client/feed/feed-models.ts';
export { type RunningFeed, type StartFeedOptions, startFeed } from './client/feed/start-feed.ts';
export type { FeedOptions } from './client/feed/subscriptions.ts';
export {
  applyWatchEvent,
  type PageEvent,
  type StepEvent,
  type WatchEvent,
} from './client/feed/watch-types.ts';
export type { WatchFailure } from './client/http/event-stream.ts';
export { answerNodeRequest } from './client/http/node.ts';
export { type WatchHandlerOptions, type WatchQueryOf, watchHandler } from './client/http/watch-handler.ts';
