import { ALARMS } from './directed-alarms.ts';
import { CLAIMS } from './directed-claims.ts';
import { LOW_WATERMARKS } from './directed-low-watermark.ts';
import { RESTARTS } from './directed-restarts.ts';
import type { BrokenPromise, WrittenSchedule } from './stage.ts';

/** The schedules of the observer that are written down and not drawn, by what happens in them: what they show is too rare for a draw. */
export const WRITTEN: Readonly<Record<string, WrittenSchedule>> = {
  ...ALARMS,
  ...CLAIMS,
  ...LOW_WATERMARKS,
  ...RESTARTS,
};

/** Plays the schedule that is written for a planted bug. */
export async function playOfBug(name?: string): Promise<readonly BrokenPromise[]> {
  const written = Object.values(WRITTEN).find(({ bug }) => bug === name);
  if (written === undefined) throw new Error(`no schedule is written for ${name}`);
  return await written.play();
}
