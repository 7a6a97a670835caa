import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { BEGINNINGS, KINDS_IN_TARGET } from '../../core/items/derived-key.ts';
import { VIEW_KEY } from '../../core/items/keys.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import { copyingEdge } from '../../core/kinds/copy.ts';
import { type Suspect, traitsOf } from '../../core/kinds/difference.ts';
import { edgeNamedInTarget } from '../../core/kinds/in-target.ts';
import { joinedKeysOf } from '../../core/kinds/joined.ts';
import { edgeOfReverse } from '../../core/kinds/reverse-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { FanOutPlaces } from '../../core/model/projection/places.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { type JudgeContext, judge } from '../../reconcile/judge.ts';
import { nominate } from '../check/nominate.ts';
import type { Found } from './open-items.ts';
import { type Range, shareOf } from './touched-items.ts';

/** `graph` is the model that readers use. */
export interface LookContext extends JudgeContext {
  store: Pick<Store, 'getMany' | 'query'>;
  now: () => number;
  lowWatermark: () => Promise<number | undefined>;
}

/**
 * Returns undefined for each item that is right. A write between two of the reads makes a record, which touches the
 * item again.
 */
export async function lookAt(context: LookContext, suspects: readonly Suspect[]): Promise<(Found | undefined)[]> {
  const { now } = context;
  // rule: low-watermark-is-asked-for-before-the-look
  const lowWatermarkMs = await context.lowWatermark();
  const fromMs = now();
  // rule: looks-are-consistent
  const judged = await judge(context, suspects);
  const toMs = now();
  return judged.map(({ differences: all }) => {
    const differences = all.filter((difference) => traitsOf(difference).isHarmless !== true);
    return differences.length === 0 ? undefined : { differences, fromMs, toMs, lowWatermarkMs };
  });
}

export async function* itemsOfRange(
  { graph, store }: LookContext,
  { kind, source, edgeType }: Range,
): AsyncGenerator<Suspect[]> {
  if (kind === 'partition') {
    const nominated: Suspect[] = [];
    // rule: partitions-are-read-consistently
    const reads = withConsistentReads(store);
    for await (const named of nominate({ graph, store: reads }, source))
      nominated.push(...named.flatMap(({ suspect }) => eachShareOf(suspect)));
    yield nominated;
    for (const kind of [...KINDS_IN_TARGET, 'continuation'] as const) {
      const prefix = BEGINNINGS[kind];
      const request = { partition: source, sortKey: { beginsWith: prefix }, consistent: true };
      for await (const item of queriedItems(store, request)) {
        const sortKey = stringOf(item[graph.table.sortKey]) ?? '';
        yield itemsDecidedElsewhere(graph, { source, target: sortKey }, item);
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
    const key = { source, target };
    yield kind === 'copies'
      ? shareBehindReverse(graph, key, item)
      : joinedKeysOf(graph, edgeType, target).map((sortKey) => ({ source, sortKey, bases: [key] }));
  }
}

function eachShareOf(suspect: Suspect): Suspect[] {
  const { sortKey, bases = [] } = suspect;
  if (sortKey === VIEW_KEY && bases.length > 0) return bases.map(shareOf);
  const { returning: _, ...own } = suspect;
  return [own];
}

/** A check may read old data, because it looks again. A range is read only once. */
function withConsistentReads(store: LookContext['store']): Pick<Store, 'getMany' | 'query'> {
  return {
    getMany: (keys) => store.getMany(keys, { consistent: true }),
    query: (request) => store.query({ ...request, consistent: true }),
  };
}

export function itemsDecidedElsewhere(graph: CompiledModel, key: ItemKey, item: Item | undefined): Suspect[] {
  const { decidedBy } = itemKindOf(graph, key.target);
  if (decidedBy !== 'edge-elsewhere' && decidedBy !== 'time') return [];
  const own: Suspect = { source: key.source, sortKey: key.target };
  if (decidedBy === 'time') return [own];
  const edge = edgeNamedInTarget(graph, key, item);
  return [edge === undefined ? own : { ...own, bases: [edge] }, ...shareBehindReverse(graph, key, item)];
}

function shareBehindReverse(graph: CompiledModel, key: ItemKey, item: Item | undefined): Suspect[] {
  const edge = edgeOfReverse(key, item);
  if (edge === undefined || copyingEdge(graph, edge.target) === undefined) return [];
  return [shareOf(edge)];
}
