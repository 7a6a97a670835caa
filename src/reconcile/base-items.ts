import type { Item } from '../core/items/attribute-value.ts';
import { textOfKey, typePrefix } from '../core/items/keys.ts';
import { evictedTypes } from '../core/items/stored-view.ts';
import { copyingEdge, copyOf, type ParentCopies, parentOf } from '../core/kinds/copy.ts';
import type { Derived } from '../core/kinds/derived.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { needsSource, sourceNodeKeys, sourceNodeOf } from '../core/model/joined.ts';
import { derivedOf } from '../core/plan/derive.ts';
import { type CountingReader, readItems } from '../core/store-pages.ts';
import type { BatchWaits, ItemKey } from '../core/store-port.ts';

/**
 * The base items that determine derived items. They have to be read consistently and after the derived items, because
 * no later record would correct a result based on an outdated base item.
 */
export class BaseItems {
  private readonly derived = new Map<string, Derived>();

  constructor(
    private readonly graph: CompiledModel,
    private readonly items: ReadonlyMap<string, Item | undefined>,
  ) {}

  static async read(
    context: CountingReader<'getMany'> & BatchWaits & { graph: CompiledModel },
    keys: Iterable<ItemKey>,
  ): Promise<BaseItems> {
    const distinct = new Map<string, ItemKey>();
    for (const key of keys) distinct.set(textOfKey(key), key);
    // rule: base-items-are-read-consistently
    const items = await readItems(context, [...distinct.values()]);
    return new BaseItems(context.graph, new Map([...distinct.keys()].map((text, i) => [text, items[i]])));
  }

  derivedOf(base: ItemKey): Derived {
    const text = textOfKey(base);
    let derived = this.derived.get(text);
    if (derived === undefined) {
      const { graph } = this;
      const node = needsSource(graph, base.target) ? this.sourceNode(base.source) : undefined;
      derived = derivedOf(graph, base.source, base.target, this.items.get(text), node);
      this.derived.set(text, derived);
    }
    return derived;
  }

  elementOf({ source, target }: ItemKey, image: Item): string | undefined {
    return derivedOf(this.graph, source, target, image).element;
  }

  imageOf(base: ItemKey): Item | undefined {
    return this.items.get(textOfKey(base));
  }

  fieldsOf(base: ItemKey, { source, target }: ItemKey): Item | undefined {
    const { indexItems, inTarget } = this.derivedOf(base);
    const own = source === base.source ? indexItems.get(target) : undefined;
    return own ?? inTarget?.find(({ key }) => key.target === target && key.source === source)?.fields;
  }

  copiesOf(targets: Iterable<string>): ParentCopies {
    const copies = new Map<string, Item | undefined>();
    for (const target of targets) {
      const edge = copyingEdge(this.graph, target);
      if (edge === undefined) continue;
      const parent = parentOf(target);
      copies.set(target, copyOf(this.graph, edge, this.items.get(textOfKey({ source: parent, target: parent }))));
    }
    return copies;
  }

  private sourceNode(source: string): ReturnType<typeof sourceNodeOf> {
    const items = sourceNodeKeys(this.graph, source).map((target) => this.items.get(textOfKey({ source, target })));
    return sourceNodeOf(this.graph, source, items);
  }
}

/** Leaves out edges of evicted types, which stay out of the view until their type returns. */
export function sharingTargets(targets: readonly string[], view: Item | undefined): readonly string[] {
  const evicted = evictedTypes(view);
  return evicted.size === 0 ? targets : targets.filter((target) => !evicted.has(typePrefix(target) ?? ''));
}
