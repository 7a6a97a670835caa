import { runJoined } from './joined.ts';
import { runMirror } from './mirror.ts';
import { runTenants } from './tenants.ts';
import { runUpdates } from './updates.ts';
import { runWalks } from './walks.ts';

/** A kind of schedule: gives what is wrong in the end. */
type Run = (seed: number) => Promise<string[]>;

/** The kinds of schedules, by name. */
export const KINDS = {
  joined: runJoined,
  mirror: runMirror,
  tenants: (seed) => runTenants(seed),
  updates: runUpdates,
  walks: runWalks,
} satisfies Record<string, Run>;

/** What `runSchedules` gives. */
export interface SchedulesReport {
  runs: number;
  failed: number;
  failures: { seed: number; failures: string[] }[];
}

/** Runs schedules of consecutive seeds, up to so many that fail. */
export async function runSchedules(
  kind: keyof typeof KINDS,
  most: { runs: number; failures: number },
  seed = 1,
): Promise<SchedulesReport> {
  const failures: SchedulesReport['failures'] = [];
  let runs = 0;
  for (; runs < most.runs && failures.length < most.failures; runs++) {
    const found = await KINDS[kind](seed + runs);
    if (found.length > 0) failures.push({ seed: seed + runs, failures: found });
  }
  return { runs, failed: failures.length, failures };
}
