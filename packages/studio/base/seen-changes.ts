import { type Item, itemSizeBytes } from '../../../src/core/items/attribute-value.ts';
import { isDerivedKey, textOfKey } from '../../../src/core/items/keys.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { indexItemKeysOf } from '../../../src/core/plan/index-item-keys.ts';
import { keyOfTouch } from '../../../src/core/plan/touch.ts';
import { touched } from '../../../src/core/plan/touched.ts';
import type { ItemKey } from '../../../src/core/store-port.ts';

/** A change of one item, as a record of the stream has it. */
export interface SeenChange extends ItemKey {
  /** Counts the changes that the studio has seen. */
  number: number;
  oldImage?: Item | undefined;
  newImage?: Item | undefined;
  /** The label of its stream. */
  stream: string;
  sequenceNumber: string;
  /** When it was made, in milliseconds since 1970; the stream tells whole seconds. */
  atMs: number;
}

/** A write of a base item, as lists of them have it. */
export interface RecentWrite extends ItemKey {
  /** The sequence number of its record. */
  rev: string;
  atMs: number;
  change: ChangeName;
}

/** The effect of a write on its item. */
export type ChangeName = 'created' | 'changed' | 'deleted';

/** Changes that are kept, and the size of their images. */
const MOST_CHANGES = 4_000;
const MOST_BYTES = 16_000_000;
/** Writes that a list of recent ones has. */
const MOST_RECENT = 30;

/** The newest changes that the stream has shown, base items and derived ones, with their images. */
export class SeenChanges {
  /** The number of the newest, and of the last gap. */
  count = 0;
  private changes: { change: SeenChange; bytes: number }[] = [];
  private bytes = 0;
  private gapAt = 0;

  add(change: Omit<SeenChange, 'number'>): void {
    this.count += 1;
    const bytes = [change.oldImage, change.newImage].reduce(
      (sum, image) => sum + (image ? itemSizeBytes(image) : 0),
      0,
    );
    this.changes.push({ change: { ...change, number: this.count }, bytes });
    this.bytes += bytes;
    while (this.changes.length > MOST_CHANGES || this.bytes > MOST_BYTES) this.bytes -= this.changes.shift()!.bytes;
  }

  /** Notes that records were left out, of whatever items. */
  noteGap(): void {
    this.count += 1;
    this.gapAt = this.count;
  }

  /** The changes after a number, oldest first; undefined: some of them are not known. */
  after(number: number): SeenChange[] | undefined {
    const all = this.all();
    const isKnown = number >= this.gapAt && number + 1 >= (all[0]?.number ?? 0);
    return isKnown ? all.filter((change) => change.number > number) : undefined;
  }

  /** A write of a base item: the one with this sequence number, or the first behind a number, or the newest. */
  writeOf(
    { source, target }: ItemKey,
    at: { rev?: string | undefined; after?: number | undefined },
  ): SeenChange | undefined {
    const own = this.all().filter((change) => change.source === source && change.target === target);
    if (at.rev !== undefined) return own.find(({ sequenceNumber }) => sequenceNumber === at.rev);
    if (at.after !== undefined) return own.find(({ number }) => number > at.after!);
    return own.at(-1);
  }

  /** The newest writes of base items, newest first. */
  recent(): RecentWrite[] {
    const writes = this.all().filter(({ target }) => !isDerivedKey(target));
    return writes
      .slice(-MOST_RECENT)
      .reverse()
      .map(({ source, target, sequenceNumber, atMs, ...images }) => {
        return { source, target, rev: sequenceNumber, atMs, change: changeName(images) };
      });
  }

  /**
   * The changes of derived items that a write of a base item has made: those of items that it touches, and those of its own items, where a
   * batch has taken a later write with it. `wrote`: keys that its batch wrote, where it took this write alone.
   */
  derivedOf(graph: CompiledModel, write: SeenChange, wrote: ReadonlySet<string>): SeenChange[] {
    const keys = new Set(touched(graph, [write]).map((touch) => textOfKey(keyOfTouch(touch))));
    const itemKeys = indexItemKeysOf(graph, write);
    const isOwn = (target: string): boolean =>
      itemKeys.some(({ key, isPrefix }) => target === key || (isPrefix && target.startsWith(key)));
    const found = new Map<string, SeenChange>();
    for (const change of this.all()) {
      const { source, target, number } = change;
      const text = textOfKey(change);
      if (number <= write.number || !isDerivedKey(target) || found.has(text)) continue;
      if (keys.has(text) || (source === write.source && isOwn(target)) || wrote.has(text)) found.set(text, change);
    }
    return [...found.values()];
  }

  private all(): SeenChange[] {
    return this.changes.map(({ change }) => change);
  }
}

/** The effect of a record's write on its item. */
export function changeName({ oldImage, newImage }: Pick<SeenChange, 'oldImage' | 'newImage'>): ChangeName {
  if (newImage === undefined) return 'deleted';
  return oldImage === undefined ? 'created' : 'changed';
}
