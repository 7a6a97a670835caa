import { escapedEdge } from '../../core/items/element.ts';
import { typePrefix } from '../../core/items/keys.ts';
import { elementsByEdge, evictedTypes } from '../../core/items/stored-view.ts';
import { attributesText } from '../../core/kinds/attributes.ts';
import { indexItemText } from '../../core/kinds/index-item.ts';
import type { Seen } from '../../core/kinds/part.ts';
import { type CompiledModel, layersOf } from '../../core/model/compiled.ts';
import { sourceNodeOf } from '../../core/model/joined.ts';
import { type Dispute, fieldsAt, partsInDispute } from '../check/disputes.ts';
import { copyText, plainFanOuts } from '../plain/copies.ts';
import { plainDerivedOf } from '../plain/derive.ts';
import { changedJoinedKeys } from '../plain/joined.ts';
import type { Opened } from './obligation.ts';
import type { SeenChange } from './opened.ts';

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
  const disputed = [...partsInDispute(graph, change, oldImage), ...partsInDispute(graph, change, newImage)];
  const suspects = disputed.map(({ suspect }) => suspect);
  for (const layer of layersOf(graph)) {
    for (const sortKey of changedJoinedKeys(layer, change)) {
      suspects.push({ source, sortKey, part: { kind: 'index-item', target } });
    }
  }
  const spreads = plainFanOuts(graph, change).map(({ of: kind, edgeType }) => ({ kind, source, edgeType }));
  return { suspects, spreads };
}

/** The parts of a dispute that a check has found, and the fan-outs that bring a disputed copy to its views. */
export function openedByDispute({ base: { source }, parts, copies }: Dispute): Opened {
  return {
    suspects: parts.map(({ suspect }) => suspect),
    spreads: copies.map(({ edgeType }) => ({ kind: 'copies', source, edgeType })),
  };
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
