import { canonicalText, type Item } from '../../items/attribute-value.ts';
import { COPIES, revisionOf } from '../../items/derived-item.ts';
import { decodeElement, edgeKeyOf, escapedEdge } from '../../items/element.ts';
import {
  continuationKey,
  isWithinBytes,
  parseNodeId,
  reverseKey,
  SORT_KEY_BYTES,
  typePrefix,
} from '../../items/keys.ts';
import { elementsByEdge } from '../../items/stored-view.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { copyingEdge, copyOf, parentOf } from '../../plan/copies.ts';
import { isAheadOf, placeOf } from './continuation.ts';
import { hashed, imageText, type Part, type PartKind } from './kind.ts';

/**
 * What a view copies of other nodes, edge by edge. The view tells which edges it lists; what each of them should have beside
 * it, the node that the edge enters says, which is in another partition.
 */

/** What a view holds of an edge's target: the edge, the target, and the fan-out that may be on its way decide. */
export const copy: PartKind<Extract<Part, { kind: 'copy' }>> = {
  isContent: true,
  decidingKeys({ graph }, { source, part }) {
    const parent = copiedNode(graph, part.target);
    if (parent === undefined) return [];
    return [
      { source, target: part.target },
      { source: parent, target: parent },
      { source: parent, target: continuationKey(typePrefix(part.target) ?? '') },
    ];
  },
  compare({ graph }, { suspect: { part }, derived, items }) {
    const parent = isListed(derived, part.target) ? items[1] : undefined;
    return {
      wanted: wantedCopyText(graph, part.target, parent) ?? null,
      stored: storedCopyText(derived, part.target) ?? null,
    };
  },
  state({ suspect: { source, part }, derived, items: [edge, parent, continuation] }) {
    // It goes by the reverse items, in order. One that is past the edge has visited it, which moved the view's own revision, and can
    // mend nothing there any more.
    const isAhead = isAheadOf(continuation, reverseKey(typePrefix(part.target) ?? '', source));
    const moved = (isAhead && revisionOf(continuation)) || '';
    return {
      revision: `${revisionOf(derived) ?? ''}/${moved}`,
      base: hashed([edge, parent].map(imageText).join('\0') + moved),
      fanOut: isAhead ? placeOf(continuation) : undefined,
    };
  },
  // A copy that stands beside no edge goes with any write.
  mendInView({ targets }, graph, { part }) {
    if (copiedNode(graph, part.target) !== undefined) targets.add(part.target);
  },
};

function isListed(view: Item | undefined, edge: string): boolean {
  return elementsByEdge(view).has(escapedEdge(edge));
}

/** The place of one copy in a view: it is there, or should be, or both. */
export interface CopySlot {
  /** The edge's sort key; where no edge is listed, the name that a copy has. */
  edge: string;
  /** The node to copy; undefined where no copy is wanted. */
  parent: string | undefined;
  /** A hash of the copy that is there; undefined: none is. */
  stored: string | undefined;
}

/** The name of an attribute of copies that is no map of them, as no edge is called. */
export const NO_COPIES = '';

/** Whether any edge type of the model copies anything. */
export function hasCopies({ edges }: CompiledModel): boolean {
  for (const { copy } of edges.values()) if (copy !== undefined) return true;
  return false;
}

/** The node that an edge copies of, by the edge's sort key; undefined where it copies nothing or no such node can be. */
export function copiedNode(graph: CompiledModel, edge: string): string | undefined {
  if (copyingEdge(graph, edge) === undefined || !isWithinBytes(edge, SORT_KEY_BYTES)) return undefined;
  const parent = parentOf(edge);
  return parseNodeId(parent) === undefined ? undefined : parent;
}

/** The copies that a view holds and those that it should hold. */
export function copySlots(graph: CompiledModel, view: Item | undefined): CopySlot[] {
  const stored = storedCopies(view);
  const slots: CopySlot[] = [];
  for (const [escaped, elements] of elementsByEdge(view)) {
    const edge = decodeElement(elements[0]!) && edgeKeyOf(elements[0]!);
    const parent = edge === undefined || escapedEdge(edge) !== escaped ? undefined : copiedNode(graph, edge);
    if (edge === undefined || parent === undefined) continue;
    slots.push({ edge, parent, stored: copyHash(stored.get(edge)) });
    stored.delete(edge);
  }
  for (const [edge, copy] of stored) slots.push({ edge, parent: undefined, stored: copyHash(copy) });
  return slots;
}

/** One copy that a view holds, as a text; undefined where it holds none of that name. */
export function storedCopyText(view: Item | undefined, edge: string): string | undefined {
  const copy = storedCopies(view).get(edge);
  return copy && canonicalText(copy);
}

/** What a view should hold of a node beside an edge that it lists, as a text; undefined where there is no such node. */
export function wantedCopyText(graph: CompiledModel, edge: string, node: Item | undefined): string | undefined {
  const model = copyingEdge(graph, edge);
  const copy = model && copyOf(graph, model, node);
  return copy && canonicalText({ M: copy });
}

/** Whether a slot holds what the node says. */
export function isSlotRight(graph: CompiledModel, { edge, stored }: CopySlot, node: Item | undefined): boolean {
  const wanted = wantedCopyText(graph, edge, node);
  return stored === (wanted && hashed(wanted));
}

/** Every copy, also what is none: all of it is to be as it should. */
function storedCopies(view: Item | undefined): Map<string, Item[string]> {
  const stored = view?.[COPIES];
  if (stored === undefined) return new Map();
  const isMap = 'M' in stored && Object.keys(stored.M).length > 0;
  return new Map(isMap ? Object.entries(stored.M) : [[NO_COPIES, stored]]);
}

/** Many slots wait for their nodes at once: each takes the same room, however large the copy. */
function copyHash(copy: Item[string] | undefined): string | undefined {
  return copy && hashed(canonicalText(copy));
}
