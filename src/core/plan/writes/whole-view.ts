import { type Item, stringOf } from '../../items/attribute-value.ts';
import { WATERMARK } from '../../items/derived-item.ts';
import { elementsByEdge } from '../../items/stored-view.ts';
import { laterOf } from '../../items/watermark.ts';
import type { ParentCopies } from '../../kinds/copy.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import type { DerivedUpdate } from '../../store-port.ts';
import type { EpochSeconds } from '../unit.ts';
import { viewUpdate } from './view-update.ts';

/** Everything that a node's base items ask for in its view. */
export interface WholeView {
  /** By escaped edge. */
  elements: Map<string, string[]>;
  attributes: Item | undefined;
  copies: ParentCopies;
}

/**
 * Makes the update that rebuilds a view, whatever it holds. Its watermark becomes the later one of its own and `newest`: the base items
 * may have been read before a record that the view's own watermark covers.
 */
export function wholeViewUpdate(
  graph: CompiledModel,
  source: string,
  view: Item | undefined,
  whole: WholeView,
  newest: string,
  now: EpochSeconds,
): DerivedUpdate {
  const seen = [...elementsByEdge(view).values()].flat();
  const watermark = laterOf(stringOf(view?.[WATERMARK]), newest);
  return viewUpdate(graph, source, view, { ...whole, seen, evicted: new Set(), watermark }, now);
}
