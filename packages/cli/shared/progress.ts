import { figureText } from '../../../src/foundation/figure.ts';
import { ProgressLine, type ProgressStream, secondsText } from './progress-line.ts';

export interface Progress {
  /** `total` replaces the earlier total. */
  update(value: number, total?: number): void;
  stop(): void;
}

/** Milliseconds between lines without a terminal. A short run prints none. */
const TELL_MS = 30_000;

export function startProgress(
  label: string,
  total: number,
  stream: ProgressStream = process.stderr,
  now: () => number = Date.now,
): Progress {
  const line = new ProgressLine(stream, TELL_MS, now);
  const startMs = now();
  let end = total;
  return {
    update: (value, newTotal = end) => {
      end = newTotal;
      if (!line.isDue()) return;
      const seconds = (now() - startMs) / 1000;
      const [of, left] =
        end > value && value > 0
          ? [` of ${figureText(end)}`, `, about ${secondsText((seconds * (end - value)) / value)} left`]
          : ['', ''];
      line.show(`${figureText(value)}${of} ${label}, ${figureText(Math.round(value / seconds))}/s${left}`);
    },
    stop: () => line.end(),
  };
}
