/**
 * What tests and simulators replace in options: time, waiting and chance. The declarations of a package leave these out, so that no
 * program sees them. Each is an option of its function like any other.
 */

import type { RuntimeOptions } from './foundation/runtime.ts';

type TestSeams<Name extends 'now' | 'wait' | 'random'> = Pick<RuntimeOptions, Name>;

/** @internal */
declare module './client/feed/feed.ts' {
  interface FeedOptions extends TestSeams<'now' | 'wait'> {}
}
/** @internal */
declare module './client/session/session.ts' {
  interface SessionOptions extends TestSeams<'now'> {}
}
/** @internal */
declare module './client/write/writer.ts' {
  interface WriterOptions extends TestSeams<'wait'> {}
}
/** @internal */
declare module './core/store-port.ts' {
  interface BatchWaits extends TestSeams<'wait' | 'random'> {}
}
/** @internal */
declare module './deployment/drill/drill.ts' {
  interface DrillOptions extends TestSeams<'wait'> {}
}
/** @internal */
declare module './deployment/lambda/check-handler.ts' {
  interface CheckHandlerOptions extends TestSeams<'now' | 'wait'> {}
}
/** @internal */
declare module './deployment/lambda/feed-handler.ts' {
  interface FeedHandlerOptions extends TestSeams<'wait' | 'random'> {}
}
/** @internal */
declare module './deployment/lambda/mirror-handler.ts' {
  interface MirrorHandlerOptions extends TestSeams<'now' | 'wait' | 'random'> {}
}
/** @internal */
declare module './deployment/lambda/observe-handler.ts' {
  interface ObserveHandlerOptions extends TestSeams<'now' | 'wait'> {}
}
/** @internal */
declare module './deployment/lambda/redrive-handler.ts' {
  interface RedriveHandlerOptions extends TestSeams<'now'> {}
}
/** @internal */
declare module './deployment/lambda/stream-handler.ts' {
  interface StreamHandlerOptions extends TestSeams<'now' | 'random'> {}
}
/** @internal */
declare module './foundation/retry.ts' {
  interface RetryOptions extends TestSeams<'wait' | 'random'> {}
}
/** @internal */
declare module './mirror/lines.ts' {
  interface LinesOptions extends TestSeams<'now' | 'wait' | 'random'> {}
}
/** @internal */
declare module './mirror/mirror.ts' {
  interface MirrorOptions extends TestSeams<'now' | 'wait' | 'random'> {}
}
/** @internal */
declare module './projecting/apply/projector-types.ts' {
  interface ProjectorOptions extends TestSeams<'now' | 'wait' | 'random'> {}
}
/** @internal */
declare module './store/metered.ts' {
  interface MeterOptions extends TestSeams<'wait' | 'random'> {}
}
/** @internal */
declare module './store/table-update/update.ts' {
  interface UpdateTableOptions extends TestSeams<'wait'> {}
}
/** @internal */
declare module './stream/progress/claim-recorder.ts' {
  interface ClaimRecorderOptions extends TestSeams<'now'> {}
}
/** @internal */
declare module './stream/progress/low-watermark.ts' {
  interface LowWatermarkOptions extends TestSeams<'now'> {}
}
/** @internal */
declare module './stream/progress/recorder.ts' {
  interface RecorderOptions extends TestSeams<'now'> {}
}
/** @internal */
declare module './stream/progress/stream-position.ts' {
  interface PositionContext extends TestSeams<'now'> {}
}
/** @internal */
declare module './trust/explain/position.ts' {
  interface PositionOptions extends TestSeams<'now'> {}
}
/** @internal */
declare module './trust/explain/status.ts' {
  interface StatusOptions extends TestSeams<'now'> {}
}
