import type { Script } from './choices.ts';
import { directedSchedules } from './directed.ts';
import { directedEvolutions } from './evolution/directed.ts';
import { runEvolution } from './evolution/schedule.ts';
import { type KeptEvolution, type ShortEvolution, shortened } from './evolution/shrink.ts';
import { scopeOf } from './exhaustive/scopes.ts';
import { type Exhausted, type WalkOptions, walkAll } from './exhaustive/walk.ts';
import { interruptedWorker } from './interrupted-worker.ts';
import { playOfBug } from './observer/directed.ts';
import { runObserved, runObservedScript } from './observer/schedule.ts';
import { type Runs, type ShrunkReport, shrunkReport } from './report.ts';
import { runScript, runSeed } from './schedule.ts';
import { runSeeds, type SeedFailure, type SeedRange, type Tally } from './tally.ts';
import { runWatched, runWatchedScript } from './watch/schedule.ts';

/** What the programs of the simulators do, by what is asked for. A planted bug is planted in this file's imports. See `runner.ts`. */

/** What a runner asks for, one thing at a time. */
export type Request =
  | { seeds: SeedRange }
  | { script: Script; world?: SeedRange['world'] }
  | { shrink: number; world?: SeedRange['world'] }
  | { writtenForBug: string }
  | { evolution: KeptEvolution }
  | { shrinkEvolution: number }
  | { scope: string; options: Pick<WalkOptions, 'stopsAtWrong'> }
  | 'interrupted-worker'
  | 'directed'
  | 'directed-evolutions';
/** What it is answered. */
export type Reply =
  | { tally: Tally }
  | { failures: readonly SeedFailure[] }
  | { report: ShrunkReport }
  | { short: ShortEvolution }
  | { exhausted: Exhausted }
  | { differences: string[] };

/** Does what a runner asks for; `onProgress` is told now and then how many schedules or states are done. */
export async function answer(request: Request, onProgress: (done: number) => void): Promise<Reply> {
  if (request === 'interrupted-worker') return { differences: await interruptedWorker() };
  if (request === 'directed') return { differences: await directedSchedules() };
  if (request === 'directed-evolutions') return { differences: await directedEvolutions() };
  if ('script' in request) {
    const { replay } = runsOf(request.world);
    return { failures: (await replay(request.script)).failures };
  }
  if ('writtenForBug' in request) return { failures: await playOfBug(request.writtenForBug) };
  if ('shrink' in request) {
    return { report: await shrunkReport(request.shrink, runsOf(request.world)) };
  }
  if ('evolution' in request) {
    const { seed, without } = request.evolution;
    return { failures: (await runEvolution(seed, { without })).failures };
  }
  if ('shrinkEvolution' in request) return { short: await shortened(request.shrinkEvolution) };
  if ('scope' in request) {
    const { begin } = scopeOf(request.scope);
    return { exhausted: await walkAll(begin, { ...request.options, onProgress }) };
  }
  return { tally: await runSeeds(request.seeds, onProgress) };
}

/** How schedules of a world are run by a seed, and by a script. */
function runsOf(world: SeedRange['world']): Runs {
  if (world === 'observer') return { run: runObserved, replay: runObservedScript };
  if (world === 'watch') return { run: runWatched, replay: runWatchedScript };
  return { run: runSeed, replay: runScript };
}
