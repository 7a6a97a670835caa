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

/** The program of a simulator's process: runs what its parent asks for. See `runner.ts`. */

/** What the parent asks for, one thing at a time. */
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
/** What it is answered; `done` comes in between, the other ones at the end. */
export type Reply =
  | { done: number }
  | { tally: Tally }
  | { failures: readonly SeedFailure[] }
  | { report: ShrunkReport }
  | { short: ShortEvolution }
  | { exhausted: Exhausted }
  | { differences: string[] };

const REPLY_INTERVAL_MS = 200;

// Ctrl-C reaches the whole group of processes; the parent decides what comes of it.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (request: Request) => {
  void answer(request).then(reply);
});

async function answer(request: Request): Promise<Reply> {
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
  let lastReplyMs = Date.now();
  const onProgress = (done: number): void => {
    if (Date.now() - lastReplyMs < REPLY_INTERVAL_MS) return;
    lastReplyMs = Date.now();
    reply({ done });
  };
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

function reply(message: Reply): void {
  process.send!(message);
}
