import { TailedSource } from '../tailed-source.ts';
import { readPublishedLowWatermark } from './applied-places.ts';
import { lowWatermarkOfStream } from './low-watermark.ts';
import type { MoverContext } from './low-watermark-mover.ts';

/** The low watermark in a process that reads the whole stream anyway, such as an observer. */
export interface TailLowWatermark {
  listener: TailedSource;
  upToMs(): Promise<number | undefined>;
}

export function lowWatermarkOfTail(context: MoverContext, everyMs: number): TailLowWatermark {
  const { store, source, now } = context;
  const listener = new TailedSource(source);
  // rule: low-watermark-is-not-later-than-the-reading
  const tail = { source: listener, now: () => Math.min(now(), listener.throughMs ?? 0) };
  const move = lowWatermarkOfStream({ ...context, tail }, everyMs);
  return {
    listener,
    async upToMs() {
      if (listener.throughMs !== undefined) return await move();
      const { published } = await readPublishedLowWatermark(store);
      return published?.streamArn === source.streamArn ? published.upToMs : undefined;
    },
  };
}
