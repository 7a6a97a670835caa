import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { QUARANTINE_FIELDS } from '../../core/items/derived-item.ts';
import { BEGINNINGS, KINDS_IN_TARGET } from '../../core/items/derived-key.ts';
import { itemKindOf } from '../../core/kinds/all-kinds.ts';
import { copyingEdge } from '../../core/kinds/copy.ts';
import { edgeNamedInTarget } from '../../core/kinds/in-target.ts';
import { joinedKeysOf } from '../../core/kinds/joined.ts';
import type { ObserveContext, Part, Suspect } from '../../core/kinds/part.ts';
import { edgeOfReverse } from '../../core/kinds/reverse-item.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { FanOutPlaces } from '../../core/model/projection/places.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { nominate } from '../check/nominate.ts';
import { isWrong, type Observation, observationOf, observe, readSuspects } from '../check/observe.ts';
import type { Difference, LookResult } from './open-parts.ts';
import { copyOf, type Range } from './touched-parts.ts';
import { type LookModels, treatmentOf } from './treatment.ts';

/** The reads of an observer: looks at parts, and the Queries that name the parts which a change reaches. All of them are consistent. */

/** The values that looks need. `graph` is the model of what is ready. */
export interface LookContext extends ObserveContext, LookModels {
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
  const resultOf = (seen: Observation, builtSinceMs?: number): Difference | 'right' => {
    if (!isWrong(seen)) return 'right';
    const { expected, stored, fanOut } = seen;
    return { expected, stored, fromMs, toMs: now(), lowWatermarkMs, isAwaited: fanOut !== undefined, builtSinceMs };
  };
  const treatments = read.map((seen) => treatmentOf(context, seen));
  const built = suspects.filter((_, i) => treatments[i]!.kind === 'built');
  const asBuilt = built.length === 0 ? [] : await observe({ ...context, graph: context.maintained }, built);
  return await Promise.all(
    read.map(async (seen, i): Promise<LookResult> => {
      const treatment = treatments[i]!;
      if (treatment.kind === 'instead') return { instead: treatment.suspect };
      if (treatment.kind === 'alone') return 'right';
      return treatment.kind === 'built'
        ? resultOf(asBuilt[built.indexOf(seen.suspect)]!, treatment.sinceMs)
        : resultOf(await observationOf(context, seen));
    }),
  );
}

/** Names the parts of a range, page by page. */
export async function* partsOfRange(
  { graph, maintained, store }: LookContext,
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
