import { type Item, sameItem } from '../../core/items/attribute-value.ts';
import { escapedEdge } from '../../core/items/element.ts';
import { textOfKey, typePrefix, VIEW_KEY } from '../../core/items/keys.ts';
import { elementsByEdge, evictedTypes } from '../../core/items/stored-view.ts';
import { attributesText } from '../../core/kinds/attributes.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import type { Part, Seen, Suspect } from '../../core/kinds/part.ts';
import { type CompiledModel, layersOf } from '../../core/model/compiled.ts';
import { sourceNodeOf } from '../../core/model/joined.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { ItemKey } from '../../core/store-port.ts';
import type { Opened } from './obligation.ts';
import type { SeenChange } from './opened.ts';
import { copyText, plainFanOuts } from './plain/copies.ts';
import { plainDerivedOf } from './plain/derive.ts';
import { changedJoinedKeys } from './plain/joined.ts';

/**
 * The planner against the plain one. Projector and observer share the planner: if both ask for the wrong item, the two agree. So of a
 * share of its judgements the observer asks the plain planner too.
 */

/**
 * The parts for which the two planners differ about an image of a base item, and the fan-outs that the plain one finds. The
 * planner may not notice these at all, so that nothing else opens them.
 */
export function openedByPlainPlanner(graph: CompiledModel, change: SeenChange): Opened {
  const { source, target, oldImage, newImage } = change;
  const suspects = [...partsInDispute(graph, change, oldImage), ...partsInDispute(graph, change, newImage)];
  for (const layer of layersOf(graph)) {
    for (const sortKey of changedJoinedKeys(layer, change)) {
      suspects.push({ source, sortKey, part: { kind: 'index-item', target } });
    }
  }
  const spreads = plainFanOuts(graph, change).map(({ of: kind, edgeType }) => ({ kind, source, edgeType }));
  return { suspects, spreads };
}

/** The parts of derived items about which the planners differ, as far as one base item decides about them. */
function partsInDispute(graph: CompiledModel, base: ItemKey, image: Item | undefined): Suspect[] {
  const { source, target } = base;
  const planned = derivedOf(graph, source, target, image);
  const plain = plainDerivedOf(graph, source, target, image);
  const suspects: Suspect[] = [];
  const open = (key: ItemKey, part: Part): void => {
    suspects.push({ source: key.source, sortKey: key.target, part });
  };
  const view = { source, target: VIEW_KEY };
  if (!sameItem(planned.attributes, plain.attributes)) open(view, { kind: 'attributes' });
  if (planned.element !== plain.element) open(view, { kind: 'element', target });
  for (const sortKey of new Set([...planned.indexItems.keys(), ...plain.indexItems.keys()])) {
    if (sameItem(planned.indexItems.get(sortKey), plain.indexItems.get(sortKey))) continue;
    open({ source, target: sortKey }, { kind: 'index-item', target });
  }
  const inTarget = [...(planned.inTarget ?? []), ...plain.inTarget];
  for (const { key } of new Map(inTarget.map((item) => [textOfKey(item.key), item])).values()) {
    if (sameItem(fieldsAt(planned.inTarget, key), fieldsAt(plain.inTarget, key))) continue;
    open(key, { kind: 'reverse-item', base: { source, target } });
  }
  return suspects;
}

function fieldsAt(items: readonly { key: ItemKey; fields: Item }[] | undefined, key: ItemKey): Item | undefined {
  return items?.find((item) => textOfKey(item.key) === textOfKey(key))?.fields;
}

/**
 * The content that the plain planner asks for, in the same form as `wanted` of a comparison. Undefined: it does not judge the part,
 * since no image is derived for it.
 */
export function plainWanted(graph: CompiledModel, seen: Seen): string | null | undefined {
  const { suspect, derived, keys, items } = seen;
  const { source, sortKey, part } = suspect;
  switch (part.kind) {
    case 'attributes':
      return attributesText(plainDerivedOf(graph, source, source, items[0]).attributes) ?? null;
    case 'element':
      if (evictedTypes(derived).has(typePrefix(part.target) ?? '')) return null;
      return plainDerivedOf(graph, source, part.target, items[0]).element ?? null;
    case 'index-item': {
      const [base] = keys;
      if (base === undefined) return undefined;
      const node = keys.length < 2 ? undefined : sourceNodeOf(graph, source, items.slice(2));
      const { indexItems } = plainDerivedOf(graph, source, base.target, items[0], node);
      return indexItemText(indexItems.get(sortKey)) ?? null;
    }
    case 'reverse-item': {
      const [edge] = keys;
      if (edge === undefined) return undefined;
      const { inTarget } = plainDerivedOf(graph, edge.source, edge.target, items[0]);
      return indexItemText(fieldsAt(inTarget, { source, target: sortKey })) ?? null;
    }
    case 'copy':
      if (!elementsByEdge(derived).has(escapedEdge(part.target))) return null;
      return copyText(graph, part.target, items[1]) ?? null;
    default:
      return undefined;
  }
}
