import { Choices, type Script } from './choices.ts';
import type { Pack, SeedOutcome, Short } from './pack.ts';

/** What became of a schedule, and its script, where it was recorded or came from one. */
export interface Outcome extends SeedOutcome {
  script: Script;
}

/** Runs a schedule by its choices; `trace` is told line by line how it goes. */
export type RunChoices = (choices: Choices, trace?: (line: string) => void) => Promise<Outcome>;

/** A pack of schedules that are made of choices: its schedules are recorded, kept and shortened by them. */
export interface ScriptedPack extends Pack {
  run: (seed: number, isRecording?: boolean) => Promise<Outcome>;
  play: (kept: { script?: Script }, trace?: (line: string) => void) => Promise<Outcome>;
  shorten: (seed: number) => Promise<Short>;
}

/** The pack of schedules that a function runs by choices. */
export function scriptedPack(run: RunChoices): ScriptedPack {
  const play: ScriptedPack['play'] = ({ script = {} }, trace) => run(Choices.scripted(script), trace);
  return {
    run: (seed, isRecording = false) => run(Choices.seeded(seed, isRecording)),
    play,
    async shorten(seed) {
      const shrunk = await shrink((await run(Choices.seeded(seed, true))).script, play);
      if (shrunk === undefined) throw new Error(`The schedule of seed ${seed} does not fail when it is run again.`);
      const { script, outcome } = shrunk;
      const trace: string[] = [];
      await play({ script }, (line) => trace.push(line));
      const left = Object.entries(script).map(([name, value]) => `${name}: ${value}`);
      return { kept: { seed, script }, failures: outcome.failures, left, trace };
    },
  };
}

/** Shortens a schedule whose parts have names: leaves half of them out, then ever smaller runs of them. */
export async function withoutParts<T>(
  start: T,
  namesOf: (schedule: T) => readonly string[],
  /** Gives the schedule without some parts, if it still fails. */
  attempt: (schedule: T, left: readonly string[]) => Promise<T | undefined>,
): Promise<T> {
  let best = start;
  for (let length = Math.ceil(namesOf(best).length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let from = 0; from < namesOf(best).length; ) {
      const shorter = await attempt(best, namesOf(best).slice(from, from + length));
      if (shorter === undefined) from += length;
      else best = shorter;
    }
  }
  return best;
}

type Attempt = (script: Script) => Promise<Shrunk | undefined>;

/** The longest time of shortening, in milliseconds: of a schedule that runs on for ever each attempt takes seconds. */
const MOST_MS = 300_000;

/** A schedule that fails and from which nothing can be left out, or nothing was in the time that there is. */
interface Shrunk {
  script: Script;
  outcome: Outcome;
}

/**
 * Leaves out of a failing schedule what it does not need: whole writes, invocations and shards first, then single
 * choices, then the size of what is left. Gives undefined where the script does not fail.
 */
async function shrink(script: Script, run: ScriptedPack['play']): Promise<Shrunk | undefined> {
  const attempt = attemptWith(run);
  let best = await attempt(script);
  if (best === undefined) return undefined;
  for (let before = Number.POSITIVE_INFINITY; size(best.script) < before; ) {
    before = size(best.script);
    best = await withoutGroups(best, attempt);
    best = await withoutParts(
      best,
      (one) => Object.keys(one.script),
      (one, left) => attempt(without(one.script, (name) => left.includes(name))),
    );
    best = await smaller(best, attempt);
  }
  return best;
}

/**
 * Runs a script; gives what it was in the end (choices that were not asked for are gone) if it fails. After the longest time nothing is
 * tried any more.
 */
function attemptWith(run: ScriptedPack['play']): Attempt {
  const endMs = Date.now() + MOST_MS;
  return async (script) => {
    if (Date.now() >= endMs) return undefined;
    const outcome = await run({ script });
    return outcome.failures.length === 0 ? undefined : { script: outcome.script, outcome };
  };
}

/** A measure that falls with every step, so that shrinking ends. */
function size(script: Script): number {
  let bits = 0;
  for (const value of Object.values(script)) bits += 1 + Math.log2(1 + value);
  return bits;
}

async function withoutGroups(start: Shrunk, attempt: Attempt): Promise<Shrunk> {
  let best = start;
  const groups = new Set(Object.keys(start.script).map(groupOf));
  for (const group of groups) {
    best = (await attempt(without(best.script, (name) => groupOf(name) === group))) ?? best;
  }
  return best;
}

/** What a choice belongs to: a write, an invocation, a shard. */
function groupOf(name: string): string {
  return name.split('.').slice(0, 2).join('.');
}

async function smaller(start: Shrunk, attempt: Attempt): Promise<Shrunk> {
  let best = start;
  for (const name of Object.keys(start.script)) {
    for (const value of [1, 2, 5, 20, 100, 1_000, 10_000]) {
      const present = best.script[name];
      if (present === undefined || value >= present) break;
      const tried = await attempt({ ...best.script, [name]: value });
      if (tried !== undefined && size(tried.script) < size(best.script)) {
        best = tried;
        break;
      }
    }
  }
  return best;
}

function without(script: Script, isLeftOut: (name: string) => boolean): Script {
  return Object.fromEntries(Object.entries(script).filter(([name]) => !isLeftOut(name)));
}
