import { TailedSource } from '../tailed-source.ts';
import { readPublishedLowWatermark } from './applied-places.ts';
import { lowWatermarkOfStream } from './low-watermark.ts';
import type { MoverContext } from './low-watermark-mover.ts';

/** The low watermark of a stream in a process that reads the whole stream anyway, such as an observer. */
export interface TailLowWatermark {
  /** Gets the pages that the process reads: the low watermark is moved by them, and the stream has no other reader. */
  listener: TailedSource;
  /** The low watermark, as `createLowWatermark` tells it: milliseconds since 1970; undefined: not known. */
  upToMs(): Promise<number | undefined>;
}

/**
 * Makes the low watermark of a process that reads the stream anyway. No other process moves the low watermark meanwhile.
 *
 * @param everyMs how long an answer is reused, in milliseconds.
 */
export function lowWatermarkOfTail(context: MoverContext, everyMs: number): TailLowWatermark {
  const { store, source, now } = context;
  const listener = new TailedSource(source);
  // The low watermark is not later than what the process has read of the stream.
  // rule: low-watermark-is-not-later-than-the-reading
  const tail = { source: listener, now: () => Math.min(now(), listener.throughMs ?? 0) };
  const move = lowWatermarkOfStream({ ...context, tail }, everyMs);
  return {
    listener,
    async upToMs() {
      if (listener.throughMs !== undefined) return await move();
      // Until each shard is read, the low watermark is where another process, or this one before its restart, has left it.
      const { published } = await readPublishedLowWatermark(store);
      return published?.streamArn === source.streamArn ? published.upToMs : undefined;
    },
  };
}
