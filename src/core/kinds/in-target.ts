import type { Item } from '../items/attribute-value.ts';
import { type KindInTarget, parseDerivedKey } from '../items/derived-key.ts';
import { TARGET_ID } from '../items/hashed-key.ts';
import { type DerivedSortKey, typePrefix } from '../items/keys.ts';
import { classifyBaseItem, classifyKey } from '../model/base-item.ts';
import { type CompiledModel, type EdgeModel, layersOf, oncePer } from '../model/compiled.ts';
import type { ItemKey } from '../store-port.ts';
import type { KindOfTarget } from './kind.ts';
import { reverseItem } from './reverse-item.ts';
import { totalEntry } from './total-entry.ts';

export const KINDS_OF_TARGETS: { readonly [Kind in KindInTarget]: KindOfTarget<Kind> } = {
  'reverse-item': reverseItem,
  'total-entry': totalEntry,
};

export function kindOfTarget(sortKey: string): KindOfTarget | undefined {
  const key = parseDerivedKey(sortKey);
  return key !== undefined && 'source' in key ? (KINDS_OF_TARGETS[key.kind] as KindOfTarget) : undefined;
}

export function edgeNamedInTarget(graph: CompiledModel, key: ItemKey, item: Item | undefined): ItemKey | undefined {
  return kindOfTarget(key.target)?.edgeOf(graph, key, item);
}

const NONE: readonly never[] = [];

export function kindsInTarget(edge: EdgeModel | undefined): readonly KindOfTarget[] {
  return edge === undefined ? NONE : kindsOfEdge(edge);
}

const kindsOfEdge = oncePer((edge: EdgeModel): readonly KindOfTarget[] =>
  (Object.values(KINDS_OF_TARGETS) as KindOfTarget[]).filter((kind) => kind.isAskedBy(edge)),
);

export function hasItemInTarget(graph: CompiledModel, sortKey: string): boolean {
  const type = typePrefix(sortKey) ?? '';
  return layersOf(graph).some(({ edges }) => kindsInTarget(edges.get(type)).length > 0);
}

export function hasItemsInTargets(graph: CompiledModel): boolean {
  return layersOf(graph).some(({ edges }) => [...edges.values()].some((edge) => kindsInTarget(edge).length > 0));
}

/**
 * Includes items that aren't expected. An edge with a hashed key has none without its image, because only the image
 * names the target.
 */
export function keysInTarget(graph: CompiledModel, base: ItemKey, image: Item | undefined): ItemKey[] {
  const { source, target } = base;
  const kind =
    image === undefined ? classifyKey(graph, source, target) : classifyBaseItem(graph, source, target, image);
  if (kind.kind !== 'edge') return [];
  return keysOf(graph, source, kind.edge.type).map((key) => ({ source: kind.target, target: key }));
}

/** Leaves out the items that a total includes, because they don't serve the view of the edge's source. */
export function keysInTargetOfView(graph: CompiledModel, base: ItemKey): (ItemKey & { target: DerivedSortKey })[] {
  const kind = classifyKey(graph, base.source, base.target);
  if (kind.kind !== 'edge') return [];
  const { edge, target: source } = kind;
  const ofView = kindsInTarget(edge).filter(({ totalOf }) => totalOf === undefined);
  return ofView.map(({ keyOf }) => ({ source, target: keyOf(edge, base.source) }));
}

/**
 * Tells whether an edge can have an item with this key in its target's partition. A redrive reads the key from a
 * quarantine entry, which a producer may have forged.
 */
export function isInTargetOf(graph: CompiledModel, base: ItemKey, { source, target }: ItemKey): boolean {
  const entersSource = (layer: CompiledModel): boolean => {
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
    return kindsInTarget(edge).map((kind) => kind.keyOf(edge!, source));
  });
}
