import { hash128 } from '../../../src/core/items/keys.ts';
import { byKey } from '../../../src/foundation/entries.ts';
import type { SampledItem } from './sampled-item.ts';
import { endOfFirstWord, hasDigit } from './texts.ts';

/**
 * Chooses the items behind a proposal: some of all items, of each kind and with each attribute, so that rare ones aren't missed. The
 * order of items doesn't matter.
 */
export class Sample {
  seen = 0;
  private readonly items: Lowest<SampledItem>;
  private readonly kinds = new Lowest<Lowest<SampledItem>>(MOST_KINDS);
  private readonly attributes = new Lowest<Lowest<SampledItem>>(MOST_ATTRIBUTES);

  /** @param most items chosen regardless of kind and attributes. Smaller tables are sampled whole */
  constructor(most = 20_000) {
    this.items = new Lowest(most);
  }

  add(item: SampledItem): void {
    this.seen += 1;
    const hash = hash128(JSON.stringify(item.keys));
    this.items.add(hash, () => item);
    this.kinds.add(hash128(kindOf(item)), () => new Lowest(OF_KIND))?.add(hash, () => item);
    for (const name of item.names)
      this.attributes.add(hash128(name), () => new Lowest(OF_ATTRIBUTE))?.add(hash, () => item);
  }

  chosen(): SampledItem[] {
    const parts = [this.items, ...this.kinds.values(), ...this.attributes.values()];
    const all = new Map(parts.flatMap((part) => part.values().map((item) => [JSON.stringify(item.keys), item])));
    return [...all.entries()].sort(byKey).map(([, item]) => item);
  }
}

/** Maximum kinds and attributes that are sampled separately, and maximum items of each. */
const [MOST_KINDS, OF_KIND] = [200, 50];
const [MOST_ATTRIBUTES, OF_ATTRIBUTE] = [500, 5];

function kindOf({ keys, mark }: SampledItem): string {
  const words = keys.map((key) => key.slice(0, endOfFirstWord(key) ?? 0));
  return JSON.stringify([mark?.value, ...words.map((word) => (hasDigit(word) ? '' : word))]);
}

/** Keeps the values with the lowest hashes, so that the order doesn't matter. */
class Lowest<T> {
  private found = new Map<string, T>();
  private highest = '';

  constructor(private readonly most: number) {}

  add(hash: string, make: () => T): T | undefined {
    const known = this.found.get(hash);
    if (known !== undefined) return known;
    if (this.highest !== '' && hash > this.highest) return undefined;
    const value = make();
    this.found.set(hash, value);
    if (this.found.size > this.most * 2) this.trim();
    return value;
  }

  values(): T[] {
    this.trim();
    return [...this.found.values()];
  }

  private trim(): void {
    if (this.found.size <= this.most) return;
    const lowest = [...this.found].sort(byKey).slice(0, this.most);
    this.found = new Map(lowest);
    this.highest = lowest.at(-1)![0];
  }
}
