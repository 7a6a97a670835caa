import { type Item, itemSizeBytes } from '../../../src/core/items/attribute-value.ts';
import { isDerivedKey, textOfKey } from '../../../src/core/items/keys.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { indexItemKeysOf } from '../../../src/core/plan/index-item-keys.ts';
import { keyOfTouch } from '../../../src/core/plan/touch.ts';
import { touched } from '../../../src/core/plan/touched.ts';
import type { ItemKey } from '../../../src/core/store-port.ts';

export interface SeenChange extends ItemKey {
  /** Position among all changes seen. */
  number: number;
  oldImage?: Item | undefined;
  newImage?: Item | undefined;
  stream: string;
  sequenceNumber: string;
  atMs: number;
}

export interface RecentWrite extends ItemKey {
  rev: string;
  atMs: number;
  change: ChangeName;
}

export type ChangeName = 'created' | 'changed' | 'deleted';

const MOST_CHANGES = 4_000;
const MOST_BYTES = 16_000_000;
const MOST_RECENT = 30;

export class SeenChanges {
  count = 0;
  private changes: { change: SeenChange; bytes: number }[] = [];
  private bytes = 0;

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

  writeOf(
    { source, target }: ItemKey,
    at: { rev?: string | undefined; after?: number | undefined },
  ): SeenChange | undefined {
    const own = this.all().filter((change) => change.source === source && change.target === target);
    if (at.rev !== undefined) return own.find(({ sequenceNumber }) => sequenceNumber === at.rev);
    if (at.after !== undefined) return own.find(({ number }) => number > at.after!);
    return own.at(-1);
  }

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
   * Returns the changes that a write caused in derived items: in items that it touches and in its own index items,
   * whose keys may come from a later write in the same batch. `wrote` has the keys that the batch wrote, if the write
   * was its only record.
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

export function changeName({ oldImage, newImage }: Pick<SeenChange, 'oldImage' | 'newImage'>): ChangeName {
  if (newImage === undefined) return 'deleted';
  return oldImage === undefined ? 'created' : 'changed';
}
