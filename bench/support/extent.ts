/** Asks for the smallest sizes at which a benchmark does all it does. */
export const SHORT = 'EDGELOOM_BENCH_SHORT';

/** Whole for figures, short to show that the benchmark works. */
export function sizeOf<T>({ whole, short }: { whole: T; short: T }): T {
  return process.env[SHORT] === undefined ? whole : short;
}
