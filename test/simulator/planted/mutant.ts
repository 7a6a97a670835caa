import type { Change } from './changes.ts';

/** A planted bug: the production code with one rule of its protocol broken. */
export interface Mutant {
  name: string;
  /** The rule that the bug breaks, in one sentence. */
  rule: string;
  /** The changes to the marked code. */
  changes: readonly Change[];
}

/** Throws if no bug has this name. */
export function bugNamed(all: readonly Mutant[], name: string): Mutant {
  const found = all.find((mutant) => mutant.name === name);
  if (found === undefined)
    throw new Error(`A list names the planted bug ${name}, and there is none. Take the name away, or mend it.`);
  return found;
}

/** Returns the bugs with these names, in the order of `all`. Throws if a name has no bug. */
export function bugsNamed(all: readonly Mutant[], names: ReadonlySet<string>): readonly Mutant[] {
  for (const name of names) bugNamed(all, name);
  return all.filter(({ name }) => names.has(name));
}
