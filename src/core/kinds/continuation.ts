import { canonicalText, type Item, stringOf } from '../items/attribute-value.ts';
import { AFTER, AGAIN, MODEL, revisionOf } from '../items/derived-item.ts';
import { compareKeys } from '../items/encoding.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { joinedEdgeTypes } from '../model/joined.ts';
import { FanOutPlaces } from '../model/projection/places.ts';
import { oddities } from './form.ts';
import { joinedPrefixes } from './joined.ts';
import { type ItemKind, origin, type SharedKind } from './kind.ts';
import { hashOfText, type Part, type PartKind } from './part.ts';

/** How far a fan-out has come. Each write makes the record that drives the next page. */
const FAN_OUT: SharedKind = {
  decidedBy: 'time',
  hasBase: false,
  attributes: new Map([AFTER, AGAIN, MODEL].map((name) => [name, 'any'])),
  hasTombstones: true,
  isLive: isFanOutOpen,
  oddities: (context, item) => oddities(FAN_OUT, context, item),
};

/** The fan-out to the copies of a node. */
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

/** The fan-out to the joined index items of a node's edges. */
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

const COMPLETED = 'a fan-out that has come to its end';

/** A continuation that hasn't ended. No item decides about it: only time shows whether it is stuck. */
export const continuationPart: PartKind<Extract<Part, { kind: 'continuation' }>> = {
  isContent: true,
  decidingKeys: () => [],
  compare: (_context, { derived }) => ({
    expected: COMPLETED,
    stored: isFanOutOpen(derived) ? `a fan-out that is at ${stringOf(derived?.[AFTER]) ?? 'no place'}` : COMPLETED,
  }),
  // The state is the revision: a fan-out that rewrites the same place isn't stuck.
  state: ({ derived }) => ({
    revision: revisionOf(derived),
    base: hashOfText(revisionOf(derived) ?? ''),
    fanOut: fanOutPlace(derived),
  }),
};

export function isFanOutOpen(item: Item | undefined): boolean {
  return item?.[AFTER] !== undefined;
}

/** In this round or the next. */
export function willFanOutVisit(item: Item | undefined, place: string): boolean {
  if (item?.[AFTER] === undefined) return false;
  return [AFTER, AGAIN].some((name) => {
    const after = stringOf(item[name]);
    // rule: fan-out-that-is-past-repairs-nothing
    return after !== undefined && compareKeys(after, place) < 0;
  });
}

/** A repair that only restarts the fan-out doesn't change its place. */
export function fanOutPlace(item: Item | undefined): string | undefined {
  const after = item?.[AFTER];
  return after && canonicalText(after);
}

/** Whether the model has fan-outs: changes of a node then show in other nodes' items. */
export function hasFanOuts(graph: CompiledModel): boolean {
  let found = withFanOuts.get(graph);
  if (found === undefined) {
    found = joinedEdgeTypes(graph).size > 0 || [...graph.edges.values()].some(({ copy }) => copy !== undefined);
    withFanOuts.set(graph, found);
  }
  return found;
}

const withFanOuts = new WeakMap<CompiledModel, boolean>();

export function copyingViewsOf(model: CompiledModel, edgeType: string): string[] {
  const edge = model.edges.get(edgeType);
  return edge?.copy === undefined ? [] : [...edge.from].map((type) => model.shapes?.get(type)?.stamp ?? type);
}
