/** Environment variable that asks for the smallest sizes at which a benchmark still runs all of its code. */
export const SHORT = 'EDGELOOM_BENCH_SHORT';

/** `whole` is for figures. `short` only shows that the benchmark works. */
export function sizeOf<T>({ whole, short }: { whole: T; short: T }): T {
  return process.env[SHORT] === undefined ? whole : short;
}
