import { canonicalText, type Item } from '../../items/attribute-value.ts';
import { ATTRIBUTES, COPIES, EDGE_SET, EVICTED, FENCE, MODEL, WATERMARK } from '../../items/derived-item.ts';
import { evictedTypes } from '../../items/stored-view.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { isOfOtherShape, shapeOf } from '../../plan/shape.ts';
import { NO_WATERMARK } from '../settle/context.ts';
import { settleViewParts } from '../settle/view.ts';
import { attributes } from './attributes.ts';
import { copy } from './copy.ts';
import { element, garbage } from './element.ts';
import { oddities } from './form.ts';
import type { ItemKind, Part, PartKind, ViewRepair } from './kind.ts';
import { mark } from './mark.ts';

/**
 * A view whose shape is not that of its type. Readers do not use it: they read base items instead, which is right but costs more.
 * The next writer that reads the view rebuilds it, and so does a repair.
 */
const shape: PartKind<Extract<Part, { kind: 'shape' }>> = {
  isContent: false,
  isMaintenance: () => true,
  decidingKeys: () => [],
  compare({ graph }, { suspect: { source }, derived }) {
    if (!hasOtherShape(graph, source, derived)) return { wanted: null, stored: null };
    const stored = derived![MODEL];
    return {
      wanted: `a view of the shape ${shapeOf(graph, source)!.stamp}`,
      stored: `a view of another shape: ${stored === undefined ? 'no stamp' : canonicalText(stored)}`,
    };
  },
};

/** The parts of a view that can be wrong by themselves. One write repairs them all. */
export const VIEW_PARTS = { element, garbage, attributes, copy, mark, shape };

/** Whether a view has content, and another shape than its type. */
export function hasOtherShape(graph: CompiledModel, source: string, item: Item | undefined): boolean {
  return view.isLive(item) && isOfOtherShape(graph, source, item);
}

/** A node's view: its edge set, its projected attributes, and copies of other nodes. */
export const view: ItemKind = {
  name: 'view',
  decidedBy: 'partition',
  attributes: new Map([
    [EDGE_SET, 'any'],
    [ATTRIBUTES, 'M'],
    [COPIES, 'any'],
    [EVICTED, 'SS'],
    [WATERMARK, 'any'],
    [FENCE, 'N'],
    [MODEL, 'any'],
  ]),
  hasTombstones: true,
  mendOrder: 1,
  isLive(item: Item | undefined): boolean {
    if (item === undefined) return false;
    const holds = [ATTRIBUTES, EDGE_SET, COPIES].some((name) => item[name] !== undefined);
    return holds || evictedTypes(item).size > 0;
  },
  oddities: (context, item) => oddities(view, context, item),
  async mend(context, { source, target: sortKey }, parts) {
    const repair: ViewRepair = { targets: new Set(), unmark: new Set(), drop: [] };
    for (const part of parts) {
      const kind: PartKind | undefined = (VIEW_PARTS as Partial<Record<Part['kind'], PartKind<never>>>)[part.kind];
      kind?.mendInView?.(repair, context.graph, { source, sortKey, part });
    }
    const { targets, unmark, drop } = repair;
    await settleViewParts(context, source, [...targets], NO_WATERMARK, { unmark, drop });
    return true;
  },
};
