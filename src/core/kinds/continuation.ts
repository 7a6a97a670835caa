import { canonicalText, type Item, stringOf } from '../items/attribute-value.ts';
import { AFTER, AGAIN, MODEL, revisionOf } from '../items/derived-item.ts';
import { compareKeys } from '../items/encoding.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { oncePer } from '../model/compiled.ts';
import { joinedEdgeTypes } from '../model/joined.ts';
import { FanOutPlaces } from '../model/projection/places.ts';
import type { Difference, FanOutSeen } from './difference.ts';
import { faultsOfForm } from './form.ts';
import { joinedPrefixes } from './joined.ts';
import { type ItemForm, type ItemKind, origin, type SharedKind } from './kind.ts';

/**
 * Records how far a fan-out has come. The stream record of each write triggers the next page, until no page is left.
 */
const FAN_OUT: SharedKind = {
  decidedBy: 'time',
  hasBase: false,
  attributes: new Map([AFTER, AGAIN, MODEL].map((name) => [name, 'any'])),
  hasTombstones: true,
  isLive: isFanOutOpen,
  faults: (graph, item) => faults(FAN_OUT, graph, item),
};

/** Drives fan-outs to the copies of a changed node. */
export const continuation: ItemKind<'continuation'> = {
  ...FAN_OUT,
  name: 'continuation',
  lifetime: { of: 'need', neededBy: copyingViewsOf },
  isKept: (graph, { edgeType }, sortKey) =>
    graph.edges.get(edgeType)?.copy !== undefined && new FanOutPlaces(edgeType).continuation('copies') === sortKey,
  originsOf: (_graph, { source }, { edgeType }) => [
    origin({ source, target: source }, `edges.${edgeType}.copy`, 'The node whose attributes are copied.'),
  ],
};

/** Drives fan-outs to the joined index items of a changed node's edges. */
export const sourceContinuation: ItemKind<'source-continuation'> = {
  ...FAN_OUT,
  name: 'source-continuation',
  lifetime: { of: 'need', neededBy: (graph, edgeType) => joinedPrefixes(graph, edgeType) },
  isKept: (graph, { edgeType }, sortKey) =>
    joinedEdgeTypes(graph).has(edgeType) && new FanOutPlaces(edgeType).continuation('joined') === sortKey,
  originsOf: (_graph, { source }, { edgeType }) => [
    origin(
      { source, target: source },
      `edges.${edgeType}.inbound`,
      'The node whose attributes its edges are found by.',
    ),
  ],
};

/** Uses the revision as `base`, so that a fan-out that rewrites the same place doesn't seem stuck. */
function faults(kind: ItemForm, graph: CompiledModel, item: Item): readonly Difference[] {
  const ofForm = faultsOfForm(kind, graph, item);
  if (!isFanOutOpen(item)) return ofForm;
  const stored = `a fan-out that is at ${stringOf(item[AFTER]) ?? 'no place'}`;
  const fanOut = { place: fanOutPlace(item), revision: undefined };
  const base = revisionOf(item) ?? '';
  return [{ kind: 'continuation', expected: COMPLETED, stored, base, fanOut }, ...ofForm];
}

const COMPLETED = 'a fan-out that has come to its end';

export function isFanOutOpen(item: Item | undefined): boolean {
  return item?.[AFTER] !== undefined;
}

/** If the fan-out is past `place`, it has already written the item there. */
export function fanOutSeen(continuation: Item | undefined, place: string): FanOutSeen {
  const isAhead = (name: string): boolean => {
    const after = stringOf(continuation?.[name]);
    return after !== undefined && compareKeys(after, place) < 0;
  };
  if (!isFanOutOpen(continuation) || !(isAhead(AFTER) || isAhead(AGAIN)))
    return { place: undefined, revision: undefined };
  return { place: fanOutPlace(continuation), revision: revisionOf(continuation) };
}

function fanOutPlace(item: Item | undefined): string | undefined {
  const after = item?.[AFTER];
  return after && canonicalText(after);
}

export const hasFanOuts = oncePer(
  (graph: CompiledModel): boolean =>
    joinedEdgeTypes(graph).size > 0 || [...graph.edges.values()].some(({ copy }) => copy !== undefined),
);

export function copyingViewsOf(model: CompiledModel, edgeType: string): string[] {
  const edge = model.edges.get(edgeType);
  return edge?.copy === undefined ? [] : [...edge.from].map((type) => model.shapes?.get(type)?.stamp ?? type);
}
