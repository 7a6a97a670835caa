/** One thing that may happen next. */
export interface Step {
  /** Names it in a schedule that fails. */
  name: string;
  /** Lets it happen, and everything that follows from it alone. */
  take: () => Promise<void>;
}

/** A run of a scope from its beginning to its end, which is made by taking steps. */
export interface Play {
  /** Steps that may be taken now; none: the run is at its end. The same steps lead to the same list. */
  steps: () => readonly Step[];
  /** Everything that decides about the rest of the run: runs with equal states have equal futures. */
  state: () => string;
  /** Sentences that say what is wrong at the end. Called once. */
  judge: () => readonly string[];
}

/** Begins a run of a scope. Texts that states are made of are numbered by `numbering`. */
export type Begin = (numbering: Numbering) => Promise<Play>;

/** A schedule at whose end something is wrong. */
export interface WrongSchedule {
  /** The names of its steps. */
  steps: readonly string[];
  differences: readonly string[];
}

/** The outcome of a walk over all schedules of a scope. */
export interface Exhausted {
  /** How many schedules there are. */
  schedules: bigint;
  /** How many of them end wrong. */
  wrong: bigint;
  /** How many different states they go through, ends included. */
  states: number;
  /** How many ends differ. */
  ends: number;
  /** Steps of the longest schedule. */
  longest: number;
  /** Runs that it took. */
  runs: number;
  /** The first schedule that ends wrong. */
  first?: WrongSchedule;
}

/** Options of a walk. */
export interface WalkOptions {
  /** Stop at the first schedule that ends wrong; then the counts are of what was walked. Default: do not. */
  stopsAtWrong?: boolean;
  /** Told the number of states now and then. */
  onProgress?: (states: number) => void;
}

/** A schedule with more steps would never end. */
const MOST_STEPS = 2_000;

/** Numbers texts, so that a state names a long history by a short number. */
export class Numbering {
  private readonly numbers = new Map<string, number>();

  /** The number of a text: the same for the same text. */
  of(text: string): number {
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.numbers.size;
      this.numbers.set(text, number);
    }
    return number;
  }
}

/** Schedules from a state to their ends. */
interface Count {
  schedules: bigint;
  wrong: bigint;
}

/** A state on the way that is walked, some of whose steps are still to be taken. */
interface Fork {
  state: string;
  steps: number;
  /** The step that is being walked. */
  taken: number;
  name: string;
  count: Count;
}

/**
 * Walks all schedules of a scope, depth first. Code that waits for a promise cannot be copied, so each way back to a fork is a run
 * from the beginning with the steps that led to it. A state that was met before is not walked again: its schedules are counted
 * already. States are compared as a whole, not by a digest, so none is taken for another.
 */
export async function walkAll(
  begin: Begin,
  { stopsAtWrong = false, onProgress }: WalkOptions = {},
): Promise<Exhausted> {
  const numbering = new Numbering();
  const known = new Map<string, Count>();
  const path: Fork[] = [];
  const result: Exhausted = { schedules: 0n, wrong: 0n, states: 0, ends: 0, longest: 0, runs: 0 };
  for (;;) {
    const play = await begin(numbering);
    result.runs += 1;
    for (const fork of path) {
      const step = play.steps()[fork.taken]!;
      fork.name = step.name;
      await step.take();
    }
    let count: Count | undefined;
    for (;;) {
      const state = play.state();
      count = known.get(state);
      if (count !== undefined) break;
      const steps = play.steps();
      const [first] = steps;
      if (first === undefined) {
        const differences = play.judge();
        const isWrong = differences.length > 0;
        if (isWrong) result.first ??= { steps: path.map(({ name }) => name), differences };
        count = { schedules: 1n, wrong: isWrong ? 1n : 0n };
        result.ends += 1;
        known.set(state, count);
        break;
      }
      path.push({ state, steps: steps.length, taken: 0, name: first.name, count: { schedules: 0n, wrong: 0n } });
      if (path.length > MOST_STEPS) throw new Error(`A schedule has more than ${MOST_STEPS} steps, and goes on.`);
      result.longest = Math.max(result.longest, path.length);
      await first.take();
      onProgress?.(known.size);
    }
    const isDone = goBack(path, known, count);
    if (isDone !== undefined || (stopsAtWrong && result.first !== undefined)) {
      return { ...result, ...(isDone ?? path[0]!.count), states: known.size };
    }
  }
}

/** Goes back to the last fork with a step that was not taken; gives the count of all schedules if there is none. */
function goBack(path: Fork[], known: Map<string, Count>, last: Count): Count | undefined {
  let count = last;
  for (let fork = path.at(-1); fork !== undefined; fork = path.at(-1)) {
    fork.count.schedules += count.schedules;
    fork.count.wrong += count.wrong;
    fork.taken += 1;
    if (fork.taken < fork.steps) return undefined;
    known.set(fork.state, fork.count);
    count = fork.count;
    path.pop();
  }
  return count;
}
