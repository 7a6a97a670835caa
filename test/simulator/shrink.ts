import type { Script } from './choices.ts';
import { type Outcome, runScript } from './schedule.ts';

/** Runs the schedule of a script. */
export type RunScript = (script: Script, trace?: (line: string) => void) => Promise<Outcome>;
type Attempt = (script: Script) => Promise<Shrunk | undefined>;

/** The longest time of shortening, in milliseconds: of a schedule that runs on for ever each attempt takes seconds. */
const MOST_MS = 300_000;

/** A schedule that fails and from which nothing can be left out, or nothing was in the time that there is. */
export interface Shrunk {
  script: Script;
  outcome: Outcome;
}

/**
 * Leaves out of a failing schedule what it does not need: whole writes, invocations and shards first, then single
 * choices, then the size of what is left. Gives undefined where the script does not fail.
 */
export async function shrink(script: Script, run: RunScript = runScript): Promise<Shrunk | undefined> {
  const attempt = attemptWith(run);
  let best = await attempt(script);
  if (best === undefined) return undefined;
  for (let before = Number.POSITIVE_INFINITY; size(best.script) < before; ) {
    before = size(best.script);
    best = await withoutGroups(best, attempt);
    best = await withoutHalves(best, attempt);
    best = await smaller(best, attempt);
  }
  return best;
}

/**
 * Runs a script; gives what it was in the end (choices that were not asked for are gone) if it fails. After the longest time nothing is
 * tried any more.
 */
function attemptWith(run: RunScript): Attempt {
  const endMs = Date.now() + MOST_MS;
  return async (script) => {
    if (Date.now() >= endMs) return undefined;
    const outcome = await run(script);
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

/** Tries to leave out ever smaller runs of choices. */
async function withoutHalves(start: Shrunk, attempt: Attempt): Promise<Shrunk> {
  let best = start;
  for (let length = Math.ceil(Object.keys(best.script).length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let from = 0; from < Object.keys(best.script).length; ) {
      const left = new Set(Object.keys(best.script).slice(from, from + length));
      const shorter = await attempt(without(best.script, (name) => left.has(name)));
      if (shorter === undefined) from += length;
      else best = shorter;
    }
  }
  return best;
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
