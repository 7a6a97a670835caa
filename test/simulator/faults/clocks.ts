/** What the clocks of this process say while a schedule runs, in milliseconds. */
export interface Clocks {
  /** The time of day, since 1970. */
  wall: () => number;
  /** Time that the process was awake; it stands still while the machine sleeps. */
  awake: () => number;
}

/**
 * Runs a schedule under clocks of its own. They stand in the place of the process's clocks, so that nothing that looks at the time
 * goes by another one, whatever options it has.
 */
export async function underClocks<T>({ wall, awake }: Clocks, run: () => Promise<T>): Promise<T> {
  const realWall = Date.now;
  const realAwake = performance.now;
  Date.now = wall;
  performance.now = awake;
  try {
    return await run();
  } finally {
    Date.now = realWall;
    performance.now = realAwake;
  }
}
