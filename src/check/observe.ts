import { hash } from 'node:crypto';
import { readCopies } from '../apply/copies.ts';
import { canonicalText, type Item, itemSizeBytes, numberOf, stringOf } from '../items/attribute-value.ts';
import { AFTER, REVISION, WATERMARK } from '../items/derived-item.ts';
import { escapedEdge } from '../items/element.ts';
import { compareKeys } from '../items/encoding.ts';
import {
  continuationKey,
  edgeIndexKey,
  orderOfIndexKey,
  reverseKey,
  SORT_KEY_BYTES,
  typePrefix,
} from '../items/keys.ts';
import { countOf, elementsByEdge, evictedTypes, hasEdgeSet, viewAttributes } from '../items/stored-view.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { wantedFields } from '../plan/copies.ts';
import { derive } from '../plan/derive.ts';
import { copyBytes, viewBudgetBytes } from '../plan/eviction.ts';
import { countLive } from '../repair/settle.ts';
import type { ItemKey, Store } from '../store/port.ts';
import type { StreamLabel } from '../stream/stream-label.ts';
import { attributesText, fitsAgain, indexItemText, isLive } from './compare.ts';
import { copiedNode, edgeNamedByReverse, storedCopyText, wantedCopyText } from './copies.ts';
import { NO_SET, type Suspect } from './finding.ts';

/** A suspect as it was at one moment: the derived item was read first, then its base item, both consistently. */
export interface Observation {
  /** Revision of the derived item; undefined where it has none. Of a copy, with that of the fan-out that comes to it. */
  revision: string | undefined;
  /** What the base item wants; null: nothing. */
  wanted: string | null;
  /** What is stored; null: nothing. */
  stored: string | null;
  /** A hash of the base item's image, to tell whether it has changed. */
  base: string;
  /** Whether the derived item exists as more than a tombstone. */
  isLive: boolean;
  /** Where a fan-out is that would mend it and has not come to its end; undefined: there is none. */
  fanOut?: string;
}

/** What observing needs. */
export interface ObserveContext {
  graph: CompiledModel;
  store: Pick<Store, 'getMany' | 'query'>;
  stream: StreamLabel;
}

/** Whether an observation shows a difference. */
export function isWrong({ wanted, stored }: Observation): boolean {
  return wanted !== stored;
}

/** Observes suspects, in their order; a hundred in two calls. */
export async function observe(context: ObserveContext, suspects: readonly Suspect[]): Promise<Observation[]> {
  const { store } = context;
  const derivedKeys = suspects.map(({ source, sortKey }): ItemKey => ({ source, target: sortKey }));
  const derived = (await store.getMany(derivedKeys, { consistent: true })).items;
  const keys = await Promise.all(suspects.map((suspect, i) => decidingKeys(context, suspect, derived[i])));
  const { items } = await store.getMany(keys.flat(), { consistent: true });
  let read = 0;
  const seen = suspects.map((suspect, i): Seen => {
    const first = read;
    read += keys[i]!.length;
    return { suspect, derived: derived[i], keys: keys[i]!, items: items.slice(first, read) };
  });
  return Promise.all(
    seen.map(async (one): Promise<Observation> => {
      const { suspect } = one;
      return { isLive: isLive(suspect.sortKey, one.derived), ...stateOf(one), ...(await compared(context, one)) };
    }),
  );
}

/** A suspect's derived item, and the items that decide about it, read after it. */
interface Seen {
  suspect: Suspect;
  derived: Item | undefined;
  /** Of the items that decide, as `decidingKeys` has them. */
  keys: readonly ItemKey[];
  items: readonly (Item | undefined)[];
}

/** What tells that something has changed between two observations. */
function stateOf({ suspect, derived, items }: Seen): Pick<Observation, 'revision' | 'base' | 'fanOut'> {
  const { part } = suspect;
  const own = numberOf(derived?.[REVISION]);
  // One that begins again and again at one place is not stuck: only the revision tells.
  if (part.kind === 'continuation') return { revision: own, base: hashed(own ?? ''), fanOut: placeOf(derived) };
  // A count has no base item of its own; its revision moves with each of the items that it counts.
  if (part.kind === 'degree') return { revision: own, base: hashed(own ?? '') };
  if (part.kind !== 'copy') return { revision: own, base: items[0] === undefined ? '' : hashed(imageText(items[0])) };
  const [edge, parent, continuation] = items;
  const isAhead = isAheadOf(suspect.source, part.target, continuation);
  const moved = (isAhead && numberOf(continuation?.[REVISION])) || '';
  return {
    revision: `${own ?? ''}/${moved}`,
    base: hashed([edge, parent].map(imageText).join('\0') + moved),
    fanOut: isAhead ? placeOf(continuation) : undefined,
  };
}

/**
 * Whether a fan-out will still come to an edge: it goes by the reverse items, in order. One that is past it has visited it,
 * which moved the view's own revision, and can mend nothing there any more.
 */
function isAheadOf(source: string, edge: string, continuation: Item | undefined): boolean {
  const after = stringOf(continuation?.[AFTER]);
  return after !== undefined && compareKeys(after, reverseKey(typePrefix(edge) ?? '', source)) < 0;
}

/** The place that a continuation has come to; one that repair has only set going again is where it was. */
function placeOf(continuation: Item | undefined): string | undefined {
  const after = continuation?.[AFTER];
  return after && canonicalText(after);
}

function imageText(item: Item | undefined): string {
  return item === undefined ? '' : canonicalText({ M: item });
}

function hashed(text: string): string {
  return hash('sha256', text, 'base64');
}

/**
 * The keys of the items that decide about a suspect: one base item or none; of a copy its edge, the node that it copies of
 * and the continuation of that node's fan-out.
 */
async function decidingKeys(
  context: ObserveContext,
  { source, sortKey, part }: Suspect,
  derived: Item | undefined,
): Promise<ItemKey[]> {
  if (part.kind === 'copy') {
    const parent = copiedNode(context.graph, part.target);
    if (parent === undefined) return [];
    const continuation = continuationKey(typePrefix(part.target) ?? '');
    return [
      { source, target: part.target },
      { source: parent, target: parent },
      { source: parent, target: continuation },
    ];
  }
  if (part.kind === 'reverse') {
    const edge = part.base ?? edgeNamedByReverse({ source, target: sortKey }, derived);
    return edge === undefined ? [] : [edge];
  }
  if (part.kind === 'element') return [{ source, target: part.target }];
  if (part.kind === 'attributes') return [{ source, target: source }];
  if (part.kind !== 'fields') return [];
  const target = part.target ?? (await edgeNamedBy(context, source, sortKey));
  return target === undefined ? [] : [{ source, target }];
}

/** The edge whose index item is named by this hash; only edges with a long sort key have such names. */
export async function edgeNamedBy(
  { graph, store }: { graph: CompiledModel; store: Pick<Store, 'query'> },
  source: string,
  indexKey: string,
): Promise<string | undefined> {
  const orderName = orderOfIndexKey(indexKey);
  let startKey: Item | undefined;
  do {
    const page = await store.query({ partition: source, sortKey: { from: 'A', to: '[' }, startKey, consistent: true });
    for (const item of page.items) {
      const key = textOf(item[graph.table.sortKey]);
      if (key.length * 3 > SORT_KEY_BYTES / 2 && edgeIndexKey(key, orderName) === indexKey) return key;
    }
    startKey = page.lastKey;
  } while (startKey !== undefined);
  return undefined;
}

async function compared(
  context: ObserveContext,
  { suspect, derived, keys, items }: Seen,
): Promise<Pick<Observation, 'wanted' | 'stored'>> {
  const { part, source, sortKey } = suspect;
  const base = keys[0] ?? { source, target: '' };
  const wanted = derive(context.graph, base.source, base.target, items[0]);
  switch (part.kind) {
    case 'fields':
      return {
        wanted: indexItemText(wanted.indexItems.get(sortKey)) ?? null,
        stored: indexItemText(derived) ?? null,
      };
    case 'element': {
      const stored = elementsByEdge(derived).get(escapedEdge(part.target)) ?? [];
      const isEvicted = evictedTypes(derived).has(part.target.slice(0, part.target.indexOf('-')));
      return {
        wanted: isEvicted ? null : (wanted.element ?? null),
        stored: stored.length === 0 ? null : stored.join(', '),
      };
    }
    case 'attributes':
      return {
        wanted: attributesText(wanted.attributes) ?? null,
        stored: attributesText(viewAttributes(derived)) ?? null,
      };
    case 'copy': {
      const parent = isListed(derived, part.target) ? items[1] : undefined;
      return {
        wanted: wantedCopyText(context.graph, part.target, parent) ?? null,
        stored: storedCopyText(derived, part.target) ?? null,
      };
    }
    case 'reverse':
      return {
        wanted: indexItemText(wantedFields(wanted, sortKey)) ?? null,
        stored: indexItemText(derived) ?? null,
      };
    case 'continuation':
      return {
        wanted: COMPLETED,
        stored: isLive(sortKey, derived)
          ? `a fan-out that is at ${stringOf(derived?.[AFTER]) ?? 'no place'}`
          : COMPLETED,
      };
    case 'garbage':
      return { wanted: null, stored: holdsElement(derived, part.element) ? part.element : null };
    case 'degree': {
      const count = countOf(derived);
      const live = await countLive(context, source, part.edgeType);
      return { wanted: `a count of ${live}`, stored: `a count of ${count ?? 'nothing'}` };
    }
    case 'mark':
      return markCompared(context, source, derived, part.edgeType);
    case 'watermark': {
      const watermark = derived?.[WATERMARK];
      const isRight = derived === undefined || (await context.stream.isPlausible(watermark));
      const stored = watermark === undefined ? 'no watermark' : canonicalText(watermark);
      return { wanted: isRight ? stored : 'a watermark of the stream', stored };
    }
    case 'expiry': {
      const expiry = isLive(sortKey, derived) ? derived?.[context.graph.table.ttl] : undefined;
      return { wanted: null, stored: expiry === undefined ? null : `an expiry at ${canonicalText(expiry)}` };
    }
    case 'unknown-item':
      return { wanted: null, stored: derived === undefined ? null : canonicalText({ M: derived }) };
  }
}

/** What a continuation comes to. */
const COMPLETED = 'a fan-out that has come to its end';

function isListed(view: Item | undefined, edge: string): boolean {
  return elementsByEdge(view).has(escapedEdge(edge));
}

function holdsElement(view: Item | undefined, element: string): boolean {
  if (!hasEdgeSet(view)) return element === NO_SET;
  return [...elementsByEdge(view).values()].some((elements) => elements.includes(element));
}

/** Whether a mark is needed, which takes all edges of its type; they are read only as far as they would fit. */
async function markCompared(
  { graph, store }: ObserveContext,
  source: string,
  view: Item | undefined,
  edgeType: string,
): Promise<Pick<Observation, 'wanted' | 'stored'>> {
  const mark = `mark of evicted ${edgeType}`;
  if (view === undefined || !evictedTypes(view).has(edgeType)) return { wanted: null, stored: null };
  if (graph.edges.get(edgeType)?.labels === undefined) return { wanted: null, stored: mark };
  let bytes = itemSizeBytes(view);
  let startKey: Item | undefined;
  do {
    const sortKey = { beginsWith: `${edgeType}-` };
    const page = await store.query({ partition: source, sortKey, startKey, consistent: true });
    const listed: string[] = [];
    for (const item of page.items) {
      const edge = textOf(item[graph.table.sortKey]);
      const { element } = derive(graph, source, edge, item);
      if (element === undefined) continue;
      bytes += Buffer.byteLength(element);
      listed.push(edge);
    }
    if (fitsAgain(graph, source, bytes)) bytes += await bytesOfCopies({ graph, store }, listed);
    startKey = bytes > viewBudgetBytes(graph, source) ? undefined : page.lastKey;
  } while (startKey !== undefined);
  return { wanted: fitsAgain(graph, source, bytes) ? null : mark, stored: mark };
}

/** What copies come back with edges, in bytes. */
async function bytesOfCopies(
  { graph, store }: Pick<ObserveContext, 'graph' | 'store'>,
  edges: readonly string[],
): Promise<number> {
  let bytes = 0;
  for (const [edge, copy] of await readCopies({ graph, store, stats: { rcu: 0 } }, edges)) {
    if (copy !== undefined) bytes += copyBytes(edge, copy);
  }
  return bytes;
}

function textOf(value: Item[string] | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}
