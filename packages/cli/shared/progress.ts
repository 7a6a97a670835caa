import { Presets, SingleBar } from 'cli-progress';
import { figureText } from '../../../src/foundation/figure.ts';

/** A bar on a terminal; elsewhere a line now and then. */
export interface Progress {
  /** `total` where it has changed. */
  update(value: number, total?: number): void;
  stop(): void;
}

/** Milliseconds between lines without a terminal. */
const TELL_MS = 30_000;

export function startProgress(label: string, total: number): Progress {
  if (!process.stderr.isTTY) return progressLines(label, total, (line) => process.stderr.write(line));
  const bar = new SingleBar(
    {
      format: `${label} {bar} {value}/{total} | {rate}/s | ETA {eta_formatted}`,
      stream: process.stderr,
      hideCursor: true,
      // Leave Ctrl-C to the worker's graceful stop.
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  const start = Date.now();
  bar.start(total, 0, { rate: 0 });
  return {
    update: (value, newTotal) => {
      if (newTotal !== undefined) bar.setTotal(newTotal);
      bar.update(value, { rate: Math.round(value / Math.max(0.001, (Date.now() - start) / 1000)) });
    },
    stop: () => bar.stop(),
  };
}

/** A line in 30 s at most; a short run writes none. `now`: milliseconds. */
export function progressLines(
  label: string,
  total: number,
  write: (line: string) => void,
  now: () => number = Date.now,
): Progress {
  const startMs = now();
  let toldMs = startMs;
  let end = total;
  return {
    update: (value, newTotal = end) => {
      end = newTotal;
      const nowMs = now();
      if (nowMs - toldMs < TELL_MS) return;
      toldMs = nowMs;
      const perSecond = Math.round((value * 1000) / (nowMs - startMs));
      write(
        `${figureText(value)}${end > value ? ` of ${figureText(end)}` : ''} ${label}, ${figureText(perSecond)}/s\n`,
      );
    },
    stop: () => undefined,
  };
}
