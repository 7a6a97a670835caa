import { textOfKey } from '../../../src/core/items/keys.ts';

/** The attributes of a base item at one time; undefined while it does not exist. */
export type BaseState = Readonly<Record<string, unknown>> | undefined;

/** A base item's key. */
export interface BaseKey {
  source: string;
  target: string;
}

interface Version {
  attributes: BaseState;
  /** Before its write was sent. */
  begunAtMs: number;
  /** After its record was projected. */
  projectedAtMs?: number;
}

/** One base item with all that it may be by what was written and projected in some span of time. */
export interface PossibleItem extends BaseKey {
  versions: readonly BaseState[];
}

/**
 * All writes, and the time from which readers may rely on each: the oracle for answers that are asked while items change. An
 * answer may show a version that was begun before the answer's end, unless a later one was projected before its beginning.
 */
export class History {
  private readonly items = new Map<string, { key: BaseKey; versions: Version[] }>();

  /** @param clock milliseconds of a clock that never goes back. */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** Notes a write that is about to be sent; gives the version's number, which the base item has to hold in `change`. */
  beginWrite({ source, target }: BaseKey, attributes: BaseState): number {
    const text = textOfKey({ source, target });
    const item = this.items.get(text) ?? {
      key: { source, target },
      versions: [
        { attributes: undefined, begunAtMs: Number.NEGATIVE_INFINITY, projectedAtMs: Number.NEGATIVE_INFINITY },
      ],
    };
    this.items.set(text, item);
    return item.versions.push({ attributes, begunAtMs: this.clock() }) - 1;
  }

  /** Notes that a version's record was projected; a replay says nothing new. */
  markProjected(key: BaseKey, version: number): void {
    const found = this.items.get(textOfKey(key))?.versions[version];
    if (found !== undefined) found.projectedAtMs ??= this.clock();
  }

  /** The attributes of a base item after all writes that have begun. */
  newestState(key: BaseKey): BaseState {
    return this.items.get(textOfKey(key))?.versions.at(-1)?.attributes;
  }

  /** The keys of all base items that there are or were. */
  keys(): BaseKey[] {
    return [...this.items.values()].map(({ key }) => key);
  }

  /** The base items that `isMeant` with what they may be in an answer that was asked and came in this span of time. */
  possibleItems(fromMs: number, untilMs: number, isMeant: (key: BaseKey) => boolean): PossibleItem[] {
    const found: PossibleItem[] = [];
    for (const { key, versions } of this.items.values()) {
      if (!isMeant(key)) continue;
      const first = versions.findLastIndex(({ projectedAtMs = Number.POSITIVE_INFINITY }) => projectedAtMs < fromMs);
      const seen = versions.slice(first).filter(({ begunAtMs }) => begunAtMs <= untilMs);
      found.push({ ...key, versions: seen.map(({ attributes }) => attributes) });
    }
    return found;
  }
}
