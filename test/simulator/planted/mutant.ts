/** A text of a source file and what stands there instead; it has to be in the file exactly once. */
export interface Patch {
  /** From the repository's root. */
  file: string;
  find: string;
  replace: string;
}

/** A planted bug: the production code with one rule of its protocol broken. */
export interface Mutant {
  name: string;
  /** The rule that it breaks, and so the reason why the rule is there. */
  rule: string;
  patches: readonly Patch[];
}
