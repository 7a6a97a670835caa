import { Presets, SingleBar } from 'cli-progress';

/** A progress bar on stderr; silent where stderr is not a terminal. */
export interface Progress {
  /** Sets how far it is, and how far it will go where that has changed. */
  update(value: number, total?: number): void;
  stop(): void;
}

/** Starts a progress bar; `label` says what is counted. */
export function startProgress(label: string, total: number): Progress {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar(
    {
      format: `${label} {bar} {value}/{total} | {rate}/s | ETA {eta_formatted}`,
      stream: process.stderr,
      hideCursor: true,
      // The bar keeps the machine's Ctrl-C handling as it is: the worker stops gracefully by itself.
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
