import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { fromItem, nameOf, sameText } from '../../kernel/values.ts';

/** The attributes of a base item; undefined where there is none. */
export type State = Readonly<Record<string, unknown>> | undefined;

/** What the base items were at any time, and from when on all of it must show. */
export class History {
  private readonly versions = new Map<string, { key: ItemKey; states: { fromMs: number; state: State }[] }>();
  /** Up to when every change was applied, and since when. */
  private marks: { upToMs: number; sinceMs: number }[] = [];

  /** Notes what a base item is from now on. */
  note(key: ItemKey, item: Item | undefined, nowMs: number): void {
    const name = nameOf(key);
    const entry = this.versions.get(name) ?? { key, states: [] };
    const state = item && fromItem(item);
    if (sameText(entry.states.at(-1)?.state, state) && entry.states.length > 0) return;
    entry.states.push({ fromMs: nowMs, state });
    this.versions.set(name, entry);
  }

  /** All that was changed up to a moment is applied now. */
  mark(upToMs: number, nowMs = upToMs): void {
    this.marks.push({ upToMs, sinceMs: nowMs });
  }

  /** Nothing is known to be applied any more. */
  forget(): void {
    this.marks = [];
  }

  /** The latest moment of which all must show to those that read from `startMs` on. */
  shownUpTo(startMs: number, mostLagMs: number): number {
    const mark = this.marks.findLast(({ sinceMs }) => sinceMs + mostLagMs <= startMs);
    return mark?.upToMs ?? Number.NEGATIVE_INFINITY;
  }

  /** The different states that an item had from a moment to another; those of before its first are that it was absent. */
  statesOf(key: ItemKey, fromMs: number, toMs: number): State[] {
    const states = this.versions.get(nameOf(key))?.states ?? [];
    const found: State[] = [];
    const add = (state: State): void => {
      if (!found.some((other) => sameText(other, state))) found.push(state);
    };
    if (states.length === 0 || states[0]!.fromMs >= fromMs) add(undefined);
    for (const [i, { fromMs: begin, state }] of states.entries()) {
      const end = states[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
      if (end >= fromMs && begin <= toMs) add(state);
    }
    return found;
  }

  /** The keys that ever were, of a kind. */
  *keys(isWanted: (key: ItemKey) => boolean): Iterable<ItemKey> {
    for (const { key } of this.versions.values()) if (isWanted(key)) yield key;
  }
}
