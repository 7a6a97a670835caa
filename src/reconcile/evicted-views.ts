/** The most views that are remembered; beyond that the oldest notes are dropped. */
const MOST_VIEWS = 10_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * Remembers the edge types that views were last seen without. A view that lacks a type refuses the fast path of that type's edges,
 * and the refusal costs as much as a write. A writer that knows this writes only once. The memory may be out of date: the write's
 * condition detects that.
 */
export class EvictedViews {
  private readonly types = new Map<string, ReadonlySet<string>>();

  /** Returns the types that a node's view was last seen without. */
  evictedTypesOf(source: string): ReadonlySet<string> {
    return this.types.get(source) ?? NONE;
  }

  /** Notes the evicted types of a view that was just written or read. */
  noteEvictedTypes(source: string, types: ReadonlySet<string>): void {
    this.types.delete(source);
    if (types.size === 0) return;
    this.types.set(source, types);
    if (this.types.size > MOST_VIEWS) for (const first of this.types.keys()) return void this.types.delete(first);
  }
}
