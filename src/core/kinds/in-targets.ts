import type { Item } from '../items/attribute-value.ts';
import { TARGET_ID } from '../items/hashed-key.ts';
import { type DerivedSortKey, typePrefix } from '../items/keys.ts';
import { classifyBaseItem, classifyKey } from '../model/base-item.ts';
import { type CompiledModel, type EdgeModel, layersOf } from '../model/compiled.ts';
import type { ItemKey } from '../store-port.ts';
import type { AskedInTarget } from './asked-in-target.ts';
import { reverseItems } from './copies.ts';
import { totalEntries } from './counted.ts';

/** The kinds of items that edges ask for in the partitions of their targets. The planner and those who look for such items ask this list. */
const IN_TARGETS: readonly AskedInTarget[] = [reverseItems, totalEntries];

const NONE: readonly never[] = [];
const askedByType = new WeakMap<EdgeModel, readonly AskedInTarget[]>();

/** The kinds of items that the edges of a type ask for in the partitions of their targets. */
export function askedInTarget(edge: EdgeModel | undefined): readonly AskedInTarget[] {
  if (edge === undefined) return NONE;
  let asked = askedByType.get(edge);
  if (asked === undefined) {
    asked = IN_TARGETS.filter((kind) => kind.isAskedBy(edge));
    askedByType.set(edge, asked);
  }
  return asked;
}

/** Whether an edge may have an item in its target's partition, by its sort key. */
export function hasItemInTarget(graph: CompiledModel, sortKey: string): boolean {
  const type = typePrefix(sortKey) ?? '';
  return layersOf(graph).some(({ edges }) => askedInTarget(edges.get(type)).length > 0);
}

/** Whether edges of any type have items in the partitions of their targets. */
export function hasItemsInTargets(graph: CompiledModel): boolean {
  return layersOf(graph).some(({ edges }) => [...edges.values()].some((edge) => askedInTarget(edge).length > 0));
}

/**
 * The keys of an edge's items in its target's partition, expected or not. The target of an edge with a hashed key is known by its image
 * only.
 */
export function keysInTarget(graph: CompiledModel, base: ItemKey, image: Item | undefined): ItemKey[] {
  const { source, target } = base;
  const kind =
    image === undefined ? classifyKey(graph, source, target) : classifyBaseItem(graph, source, target, image);
  if (kind.kind !== 'edge') return [];
  return keysOf(graph, source, kind.edge.type).map((key) => ({ source: kind.target, target: key }));
}

/** The same without the items that a total adds up: those that belong to the view of the edge's source. */
export function keysInTargetOfView(graph: CompiledModel, base: ItemKey): (ItemKey & { target: DerivedSortKey })[] {
  const kind = classifyKey(graph, base.source, base.target);
  if (kind.kind !== 'edge') return [];
  const { edge, target: source } = kind;
  const ofView = askedInTarget(edge).filter(({ totalOf }) => totalOf === undefined);
  return ofView.map(({ keyOf }) => ({ source, target: keyOf(edge, base.source) }));
}

/** Whether a key is that of an edge's item in its target's partition. Whoever may write the edge's partition may have forged the key. */
export function isInTargetOf(graph: CompiledModel, base: ItemKey, { source, target }: ItemKey): boolean {
  const entersSource = (layer: CompiledModel): boolean => {
    // rule: entry-names-what-its-edge-may-have
    const kind = classifyBaseItem(layer, base.source, base.target, { [TARGET_ID]: { S: source } });
    return kind.kind === 'edge' && kind.target === source;
  };
  return (
    layersOf(graph).some(entersSource) && keysOf(graph, base.source, typePrefix(base.target) ?? '').includes(target)
  );
}

function keysOf(graph: CompiledModel, source: string, type: string): string[] {
  return layersOf(graph).flatMap(({ edges }) => {
    const edge = edges.get(type);
    return askedInTarget(edge).map((kind) => kind.keyOf(edge!, source));
  });
}
