/** How many views are remembered; beyond that those that were noted first are forgotten. */
const MOST_VIEWS = 10_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * Which edge types views were last seen without. A view that lacks a type refuses the fast path of that type's edges, and the
 * refusal costs as much as a write. Who knows it writes once. It is a memory and no truth: the write's condition tells where
 * it is out of date.
 */
export class EvictedViews {
  private readonly types = new Map<string, ReadonlySet<string>>();

  /** The types that the view of a node was last seen without. */
  of(source: string): ReadonlySet<string> {
    return this.types.get(source) ?? NONE;
  }

  /** Notes how a view was just written or seen. */
  note(source: string, types: ReadonlySet<string>): void {
    this.types.delete(source);
    if (types.size === 0) return;
    this.types.set(source, types);
    if (this.types.size > MOST_VIEWS) for (const first of this.types.keys()) return void this.types.delete(first);
  }
}
