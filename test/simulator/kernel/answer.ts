import { scopeOf } from '../exhaustive/scopes.ts';
import { type WalkOptions, walkAll } from '../exhaustive/walk.ts';
import type { Kept } from './pack.ts';
import { type PackName, packOf } from './packs.ts';
import { runSeeds, type SeedRange } from './tally.ts';

/** The work of the simulator's programs, by what is asked for. A planted bug is planted in this file's imports. See `runner.ts`. */

/** What a runner asks for, one thing at a time. */
export type Request =
  | { seeds: SeedRange }
  | { pack: PackName; play: Kept }
  | { pack: PackName; shorten: number }
  | { pack: PackName; written: string | undefined }
  | { scope: string; options: Pick<WalkOptions, 'stopsAtWrong'> };

/** Does what a runner asks for; `onProgress` is told now and then how many schedules or states are done. */
export async function answer(request: Request, onProgress: (done: number) => void): Promise<unknown> {
  if ('seeds' in request) return await runSeeds(request.seeds, onProgress);
  if ('scope' in request) {
    return await walkAll(scopeOf(request.scope).begin, { ...request.options, onProgress });
  }
  const { play, shorten, written } = await packOf(request.pack);
  if ('play' in request) return (await play!(request.play)).failures;
  return 'shorten' in request ? await shorten!(request.shorten) : await written!(request.written);
}
