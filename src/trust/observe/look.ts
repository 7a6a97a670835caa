import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { BEGINNINGS, KINDS_IN_TARGET } from '../../core/items/derived-key.ts';
import { VIEW_KEY } from '../../core/items/keys.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import { copyingEdge } from '../../core/kinds/copy.ts';
import { edgeNamedInTarget } from '../../core/kinds/in-target.ts';
import { joinedKeysOf } from '../../core/kinds/joined.ts';
import type { JudgeContext, Part, Seen, Suspect } from '../../core/kinds/part.ts';
import { edgeOfReverse } from '../../core/kinds/reverse-item.ts';
import { hasOtherShape } from '../../core/kinds/view.ts';
import type { CompiledModel, Standing } from '../../core/model/compiled.ts';
import { FanOutPlaces } from '../../core/model/projection/places.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { standingOf } from '../../registry/standing.ts';
import { isWrong, observationOf, readSuspects } from '../check/judge.ts';
import { nominate } from '../check/nominate.ts';
import type { LookResult } from './open-parts.ts';
import { copyOf, type Range } from './touched-parts.ts';

/** The reads of an observer: looks at parts, and the Queries that name the parts which a change reaches. All of them are consistent. */

/** The values that looks need. `graph` is the model of what readers use. */
export interface LookContext extends JudgeContext {
  store: Pick<Store, 'get' | 'getMany' | 'query'>;
  now: () => number;
  lowWatermark: () => Promise<number | undefined>;
}

/**
 * Looks at some parts, as a check does: a hundred of them in two or three calls. These may come in any order. No record is received meanwhile:
 * the record of a write between two of them touches its parts again.
 */
export async function lookAt(context: LookContext, suspects: readonly Suspect[]): Promise<LookResult[]> {
  const { now } = context;
  // rule: low-watermark-is-asked-for-before-the-look
  const lowWatermarkMs = await context.lowWatermark();
  const fromMs = now();
  // rule: looks-are-consistent
  const read = await readSuspects(context, suspects);
  return await Promise.all(
    read.map(async (seen): Promise<LookResult> => {
      const judged = suspectToJudge(context.graph, seen);
      if (judged === undefined) return 'right';
      if (judged !== seen.suspect) return { instead: judged };
      const observation = await observationOf(context, seen);
      if (!isWrong(observation)) return 'right';
      const { expected, stored, fanOut } = observation;
      return { expected, stored, fromMs, toMs: now(), lowWatermarkMs, isAwaited: fanOut !== undefined };
    }),
  );
}

/**
 * Returns the part that is judged where a part was read: itself; where the registry has no place for the item, that, whatever the item holds;
 * undefined where no reader uses the item.
 */
function suspectToJudge(
  graph: CompiledModel,
  { suspect, derived }: Pick<Seen, 'suspect' | 'derived'>,
): Suspect | undefined {
  const { source, sortKey, part } = suspect;
  const { kind } = standingOf(graph, source, sortKey, derived ?? {});
  if (isOutsideRegistry(kind)) {
    // rule: item-that-the-registry-lacks-is-judged-as-such
    if (derived === undefined || isOutsideRegistry(part.kind)) return suspect;
    return { source, sortKey, part: { kind } };
  }
  // Readers take the base items in its place. The write that makes it whole opens its parts.
  // rule: view-of-another-shape-is-left-alone
  if (sortKey === VIEW_KEY && hasOtherShape(graph, source, derived)) return undefined;
  // The migration verifies what it builds. When readers use it, a check of the whole table is the base.
  // rule: part-of-what-is-built-is-no-drift
  return kind === 'compared' ? suspect : undefined;
}

function isOutsideRegistry(kind: Standing['kind'] | Part['kind']): kind is 'retired' | 'unregistered' | 'misplaced' {
  return kind === 'retired' || kind === 'unregistered' || kind === 'misplaced';
}

/** Names the parts of a range, page by page. */
export async function* partsOfRange(
  { graph, store }: LookContext,
  { kind, source, edgeType }: Range,
): AsyncGenerator<Suspect[]> {
  if (kind === 'partition') {
    const nominated: Suspect[] = [];
    // rule: partitions-are-read-consistently
    const reads = withConsistentReads(store);
    const nominations = nominate(graph, reads, source);
    for (let next = await nominations.next(); next.done !== true; next = await nominations.next()) {
      nominated.push(next.value);
    }
    yield nominated;
    // These are not nominated, since other partitions decide about them.
    for (const kind of [...KINDS_IN_TARGET, 'continuation'] as const) {
      const prefix = BEGINNINGS[kind];
      const request = { partition: source, sortKey: { beginsWith: prefix }, consistent: true };
      for await (const item of queriedItems(store, request)) {
        const sortKey = stringOf(item[graph.table.sortKey]) ?? '';
        yield partsDecidedElsewhere(graph, source, sortKey, item);
      }
    }
    return;
  }
  // rule: fan-outs-are-queried-consistently
  const request = {
    partition: source,
    sortKey: { beginsWith: new FanOutPlaces(edgeType).visitedPrefix(kind) },
    consistent: true,
  };
  for await (const item of queriedItems(store, request)) {
    const target = stringOf(item[graph.table.sortKey]) ?? '';
    yield kind === 'copies'
      ? suspectCopyOfReverse(graph, { source, target }, item)
      : suspectsOfJoinedItems(graph, edgeType, { source, target });
  }
}

/** A store whose reads are consistent: a check may read an old copy, since it looks again; a range is queried once. */
function withConsistentReads(store: LookContext['store']): LookContext['store'] {
  return {
    get: (key) => store.get(key, { consistent: true }),
    getMany: (keys) => store.getMany(keys, { consistent: true }),
    query: (request) => store.query({ ...request, consistent: true }),
  };
}

/** The parts to look at of an item that other partitions decide, whether it exists or not; none for an item of another kind. */
export function partsDecidedElsewhere(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  item: Item | undefined,
): Suspect[] {
  const kind = itemKindOf(graph, sortKey);
  if (kind.decidedBy !== 'edge-elsewhere' && kind.decidedBy !== 'time') return [];
  const parts: Part[] = item === undefined ? [] : [...kind.oddities(graph, item)];
  const key = { source, target: sortKey };
  if (kind.decidedBy === 'time') parts.push({ kind: 'continuation' });
  else parts.push({ kind: 'reverse-item', base: edgeNamedInTarget(graph, key, item) });
  const own = parts.map((part): Suspect => ({ source, sortKey, part }));
  return kind.decidedBy === 'time' ? own : [...own, ...suspectCopyOfReverse(graph, key, item)];
}

function suspectCopyOfReverse(graph: CompiledModel, key: ItemKey, item: Item | undefined): Suspect[] {
  const edge = edgeOfReverse(key, item);
  if (edge === undefined || copyingEdge(graph, edge.target) === undefined) return [];
  return [copyOf(edge)];
}

function suspectsOfJoinedItems(graph: CompiledModel, edgeType: string, { source, target }: ItemKey): Suspect[] {
  return joinedKeysOf(graph, edgeType, target).map((sortKey) => ({
    source,
    sortKey,
    part: { kind: 'index-item', target },
  }));
}
