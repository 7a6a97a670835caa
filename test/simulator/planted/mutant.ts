import type { Change } from './changes.ts';

/** A planted bug: the production code with one rule of its protocol broken. */
export interface Mutant {
  name: string;
  /** The rule that it breaks, and so the reason why the rule is there. */
  rule: string;
  /** How it is broken, each change at a mark of the code. */
  changes: readonly Change[];
}

/** The bug of this name; throws where there is none. */
export function bugNamed(all: readonly Mutant[], name: string): Mutant {
  const found = all.find((mutant) => mutant.name === name);
  if (found === undefined)
    throw new Error(`A list names the planted bug ${name}, and there is none. Take the name away, or mend it.`);
  return found;
}

/** The bugs of these names, in the order of all; throws where there is none of a name. */
export function bugsNamed(all: readonly Mutant[], names: ReadonlySet<string>): readonly Mutant[] {
  for (const name of names) bugNamed(all, name);
  return all.filter(({ name }) => names.has(name));
}
