import { Choices, type Script } from './choices.ts';
import { differences } from './verdict.ts';
import { type Counters, type Failure, World } from './world.ts';

/** What became of a schedule. */
export interface Outcome {
  /** Empty where all is well. */
  failures: readonly Failure[];
  /** The schedule as a script, where it was recorded or came from one. */
  script: Script;
  counters: Counters;
}

/** More happenings than this, and a schedule does not come to rest. */
const MOST_HAPPENINGS = 50_000;
/** After so many happenings nothing goes wrong any more. */
const ROUGH_HAPPENINGS = 3_000;
/** Burying tombstones may delete base items too, whose records have to be projected: rounds until nothing is left. */
const BURIALS = 3;

/** Runs the schedule of a seed. `isRecording` gives its script. */
export function runSeed(seed: number, isRecording = false): Promise<Outcome> {
  return run(Choices.seeded(seed, isRecording));
}

/** Runs a schedule that was kept. `trace` is told what happens, line by line. */
export function runScript(script: Script, trace?: (line: string) => void): Promise<Outcome> {
  return run(Choices.scripted(script), trace);
}

async function run(choices: Choices, trace?: (line: string) => void): Promise<Outcome> {
  const world = new World(choices, trace);
  world.plan();
  let isAtRest = await untilQuiet(world);
  for (let i = 0; isAtRest && i < BURIALS; i++) {
    world.bury(`burial${i}`);
    isAtRest = await untilQuiet(world);
  }
  if (isAtRest) {
    const { options, table, answered, settledEntries, mapping } = world;
    const quiet = { options, items: [...table.items()], answered, settledEntries, givenUp: mapping.givenUp };
    for (const difference of differences(quiet)) world.fail('diverged', difference);
  }
  return { failures: world.failures, script: choices.recorded, counters: world.counters };
}

async function untilQuiet(world: World): Promise<boolean> {
  for (let i = 0; i < MOST_HAPPENINGS; i++) {
    if (i === ROUGH_HAPPENINGS) world.calm();
    const happening = world.agenda.next();
    if (happening === undefined) return true;
    if (happening()) await everythingElse();
    if (world.failures.some(({ kind }) => kind === 'endless')) return false;
  }
  world.fail('endless', `more than ${MOST_HAPPENINGS} happenings`);
  return false;
}

/** Lets code that was woken run on until it waits for the next happening. */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
