import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { QUARANTINE_FIELDS } from '../../core/items/derived-item.ts';
import { BEGINNINGS, KINDS_IN_TARGET } from '../../core/items/derived-key.ts';
import { VIEW_KEY } from '../../core/items/keys.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import { copiedNode, copyingEdge } from '../../core/kinds/copy.ts';
import { edgeNamedInTarget } from '../../core/kinds/in-target.ts';
import { indexItem } from '../../core/kinds/index-item.ts';
import { joinedKeysOf } from '../../core/kinds/joined.ts';
import type { ObserveContext, Part, Suspect } from '../../core/kinds/part.ts';
import { edgeOfReverse, reverseItemOf } from '../../core/kinds/reverse-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { isItemThere } from '../../core/model/gone.ts';
import { FanOutPlaces } from '../../core/model/projection/places.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { nominate } from '../check/nominate.ts';
import { isWrong, type Observation, observationOf, observe, readSuspects } from '../check/observe.ts';
import type { LookResult, Mismatch, OpenSpread } from './obligation-states.ts';
import { type LookModels, treatmentOf } from './treatment.ts';

/** The reads of an observer: looks at parts, and the Queries that name the parts which a change reaches. All of them are consistent. */

/** The values that looks need. `graph` is the model of what is ready. */
export interface LookContext extends ObserveContext, LookModels {
  store: Pick<Store, 'get' | 'getMany' | 'query'>;
  now: () => number;
  lowWatermark: () => Promise<number | undefined>;
}

/**
 * Looks at some parts: a hundred of them in two or three calls. These may come in any order. No record is received meanwhile:
 * the record of a write between two of them opens its parts again.
 */
export async function lookAtSuspects(context: LookContext, suspects: readonly Suspect[]): Promise<LookResult[]> {
  const { now } = context;
  // rule: low-watermark-is-asked-for-before-the-look
  const lowWatermarkMs = await context.lowWatermark();
  const fromMs = now();
  const reverse = await absentReverseItems(context, suspects);
  // rule: looks-are-consistent
  const read = await readSuspects(context, suspects);
  const treatments = read.map((one) => treatmentOf(context, one));
  const observations = await Promise.all(
    read.map(async (one, i) => (treatments[i]!.kind === 'compared' ? await observationOf(context, one) : undefined)),
  );
  const built = suspects.filter((_, i) => treatments[i]!.kind === 'built');
  const ofBuilt = built.length === 0 ? [] : await observe({ ...context, graph: context.maintained }, built);
  const toMs = now();
  const seenAs = ({ expected, stored, fanOut }: Observation): Mismatch => {
    return { expected, stored, fromMs, toMs, lowWatermarkMs, isAwaited: fanOut !== undefined };
  };
  return suspects.map((suspect, i) => {
    const { source, part } = suspect;
    const treatment = treatments[i]!;
    if (treatment.kind === 'instead') return { instead: treatment.suspect };
    if (treatment.kind === 'alone') return 'right';
    if (treatment.kind === 'built') {
      const own = ofBuilt[built.indexOf(suspect)]!;
      return isWrong(own) ? { ...seenAs(own), builtSinceMs: treatment.sinceMs } : 'right';
    }
    const observation = observations[i]!;
    const seen = seenAs(observation);
    const absent = reverse.get(suspect);
    // rule: copy-without-its-reverse-item-stays-open
    if (absent !== undefined && part.kind === 'copy') {
      const base: ItemKey = { source, target: part.target };
      return {
        ...seen,
        behind: { source: absent.source, sortKey: absent.target, part: { kind: 'reverse-item', base } },
      };
    }
    return isWrong(observation) ? seen : 'right';
  });
}

/**
 * Reads the reverse items of copies. Returns for each copy the key of its reverse item, if its edge exists and the item does not: then
 * no fan-out finds the edge, and a copy that is right now may become old unseen.
 */
async function absentReverseItems(
  { graph, store }: LookContext,
  suspects: readonly Suspect[],
): Promise<ReadonlyMap<Suspect, ItemKey>> {
  const copies = suspects.flatMap((suspect) => {
    const { source, part } = suspect;
    if (part.kind !== 'copy' || copiedNode(graph, part.target) === undefined) return [];
    const reverse = reverseItemOf(graph, { source, target: part.target });
    return reverse === undefined ? [] : [{ suspect, edge: { source, target: part.target }, reverse: reverse.key }];
  });
  if (copies.length === 0) return new Map();
  const { items } = await store.getMany(
    copies.map(({ reverse }) => reverse),
    { consistent: true },
  );
  const absent = copies.filter((_, i) => !indexItem.isLive(items[i]));
  const edges = (
    await store.getMany(
      absent.map(({ edge }) => edge),
      { consistent: true },
    )
  ).items;
  return new Map(
    absent
      .filter(({ edge }, i) => isItemThere(graph, edge, edges[i]))
      .map(({ suspect, reverse }) => [suspect, reverse]),
  );
}

/** Names the parts that a spread reaches, page by page. */
export async function* partsOfSpread(context: LookContext, { spread }: OpenSpread): AsyncGenerator<Suspect[]> {
  const { graph, maintained, store } = context;
  const { kind, source, edgeType } = spread;
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
  // A projection that is being built has parts too. They may be on their way when it becomes ready.
  // rule: fan-outs-name-what-is-built-too
  const named = maintained;
  // rule: fan-outs-are-queried-consistently
  const request = {
    partition: source,
    sortKey: { beginsWith: new FanOutPlaces(edgeType).visitedPrefix(kind) },
    consistent: true,
  };
  for await (const item of queriedItems(store, request)) {
    const target = stringOf(item[graph.table.sortKey]) ?? '';
    yield kind === 'copies'
      ? suspectCopyOfReverse(named, { source, target }, item)
      : suspectsOfJoinedItems(named, edgeType, { source, target });
  }
}

/** A store whose reads are consistent: a check may read an old copy, since it looks again, and a spread does not. */
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
  return [{ source: edge.source, sortKey: VIEW_KEY, part: { kind: 'copy', target: edge.target } }];
}

function suspectsOfJoinedItems(graph: CompiledModel, edgeType: string, { source, target }: ItemKey): Suspect[] {
  return joinedKeysOf(graph, edgeType, target).map((sortKey) => ({
    source,
    sortKey,
    part: { kind: 'index-item', target },
  }));
}

/** Tells whether a quarantine entry names one of the base items of a part: then a redrive has to come first. */
export async function hasQuarantineEntry(
  { store }: Pick<LookContext, 'store'>,
  { source, part }: Suspect,
): Promise<boolean> {
  const base = baseItemOfPart(source, part);
  if (base === undefined) return false;
  const request = {
    partition: base.source,
    sortKey: { beginsWith: BEGINNINGS['quarantine-entry'] },
    consistent: true,
  };
  for await (const entry of queriedItems(store, request)) {
    if (stringOf(entry[QUARANTINE_FIELDS.of]) === base.target) return true;
  }
  return false;
}

function baseItemOfPart(source: string, part: Suspect['part']): ItemKey | undefined {
  switch (part.kind) {
    case 'attributes':
      return { source, target: source };
    case 'element':
    case 'copy':
      return { source, target: part.target };
    case 'index-item':
      return part.target === undefined ? undefined : { source, target: part.target };
    case 'reverse-item':
      return part.base;
    default:
      return undefined;
  }
}
