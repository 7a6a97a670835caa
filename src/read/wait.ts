import { EdgeloomError } from '../errors.ts';
import { type Item, sameItem, stringOf } from '../items/attribute-value.ts';
import { escapedEdge } from '../items/element.ts';
import { edgeIndexKey, ownerIndexKey, searchKey, searchValuePrefix, typePrefix, VIEW_KEY } from '../items/keys.ts';
import { elementsByEdge, evictedTypes, viewCopies } from '../items/stored-view.ts';
import { classifyKey, type KeyKind, misfitText } from '../model/base-item.ts';
import { layersOf } from '../model/compiled.ts';
import { checkOptions } from '../options.ts';
import { copyOf, reverseOf } from '../plan/copies.ts';
import { derivedOf } from '../plan/derive.ts';
import type { Derived } from '../plan/derived.ts';
import { isAsWanted } from '../plan/writes.ts';
import { sleep } from '../retry.ts';
import { queriedItems } from '../store/pages.ts';
import type { ItemKey } from '../store/port.ts';
import { isUsable } from './nodes/base-view.ts';
import type { ReadContext } from './request/context.ts';
import { checkSource, findEdge } from './request/lookup.ts';
import { projectedAttributes } from './request/result.ts';

/** Options of `waitForProjection`. */
export interface WaitOptions {
  /** How long to wait, in milliseconds; the first look is taken in any case. Default 10,000. */
  timeoutMs?: number | undefined;
  /**
   * Whether the derived items are read consistently, so that a `get` with `consistent` that follows shows them. The base item
   * always is. Default true.
   */
  consistent?: boolean | undefined;
  /**
   * Up to when everything is projected: milliseconds since 1970 before which each record of every shard of the stream was
   * applied; undefined where that is not known yet. With it the wait also lasts until the mark has passed the moment of this
   * call, so that no record of an earlier write is left to be applied. Default: agreement alone ends the wait.
   */
  lowMark?: (() => Promise<number | undefined>) | undefined;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;
const PAUSE_GROWTH = 1.5;

/** Waits until a base item is projected: see `Reader.waitForProjection`. */
export async function waitForProjection(context: ReadContext, base: ItemKey, options: WaitOptions = {}): Promise<void> {
  checkOptions('waitForProjection', options, { timeoutMs: true, consistent: true, lowMark: true });
  const { timeoutMs = 10_000, consistent = true, lowMark } = options;
  const kind = projectedKind(context, base);
  const calledAtMs = Date.now();
  const deadline = performance.now() + timeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * PAUSE_GROWTH)) {
    // The mark first: what agrees after it has passed the call is not undone by a record from before the call.
    const isPassed = lowMark === undefined || isAfter(await lowMark(), calledAtMs);
    const differing = await differences(context, base, kind, consistent);
    if (isPassed && differing.length === 0) return;
    const left = deadline - performance.now();
    if (left <= 0) {
      const missing =
        differing.length > 0
          ? `still different: ${differing.join(', ')}`
          : 'what is derived agrees, but the stream is not applied up to the call';
      throw new EdgeloomError(
        'projection-timeout',
        `After ${timeoutMs} ms ${base.source} ${base.target} is not projected yet; ${missing}.`,
        'Check that the projector runs and how far behind it is, or wait longer.',
      );
    }
    await sleep(Math.min(pause, left));
  }
}

function isAfter(mark: number | undefined, moment: number): boolean {
  return mark !== undefined && mark > moment;
}

type ProjectedKind = Extract<KeyKind, { kind: 'node' | 'edge' | 'hashed' }>;

/** What the base item is; throws for what the model does not project, which would be waited for in vain. */
function projectedKind({ graph }: ReadContext, { source, target }: ItemKey): ProjectedKind {
  checkSource(graph, source);
  const kind = classifyKey(graph, source, target);
  if (kind.kind === 'node' || kind.kind === 'edge' || kind.kind === 'hashed') return kind;
  if (kind.kind === 'misfit') throw notDerivable({ source, target }, misfitText(kind));
  const edgeType = typePrefix(target);
  if (edgeType !== undefined) findEdge(graph, edgeType);
  throw new EdgeloomError(
    'invalid-key',
    `${source} ${target} is no base item of the model.`,
    "A node's target is its own id; an edge's is its type, a dash and the id of the node it enters.",
  );
}

/** Names the derived items that are not yet what the base item wants. */
async function differences(
  context: ReadContext,
  base: ItemKey,
  kind: ProjectedKind,
  consistent: boolean,
): Promise<string[]> {
  const { store, readable } = context;
  const graph = readable?.model ?? context.graph;
  // The base item first: what is derived from it may be newer by then, never older than it was.
  const { item } = await store.get(base, { consistent: true });
  const derived = derivedOf(graph, base.source, base.target, item);
  if (derived.problems.length > 0) {
    throw notDerivable(base, derived.problems.map(({ message }) => message).join('; '));
  }
  const copy = item === undefined ? undefined : await wantedCopy(context, kind);
  const stored = await storedItems({ ...context, graph }, base, consistent);
  const view = stored.get(VIEW_KEY);
  // A view that reads do not use is made of the base items, which are up to date at any time.
  const isUsed = readable === undefined || isUsable(readable.view(base.source), view);
  const differing = !isUsed || isViewAsWanted(view, base, kind, derived, copy) ? [] : [VIEW_KEY];
  for (const sortKey of new Set([...stored.keys(), ...derived.indexItems.keys()])) {
    if (sortKey === VIEW_KEY) continue;
    if (!isAsWanted(stored.get(sortKey), derived.indexItems.get(sortKey))) differing.push(sortKey);
  }
  const reverse = reverseOf(graph, base);
  if (reverse !== undefined) {
    const { item: storedReverse } = await store.get(reverse, { consistent });
    if (!isAsWanted(storedReverse, derived.reverse?.fields)) differing.push(`${reverse.source} ${reverse.target}`);
  }
  return differing;
}

/** What an edge copies of its target, by a consistent read; undefined where that does not exist, or nothing is copied. */
async function wantedCopy({ graph, store }: ReadContext, kind: ProjectedKind): Promise<Item | undefined> {
  if (kind.kind !== 'edge' || kind.edge.copy === undefined) return undefined;
  const { item } = await store.get({ source: kind.target, target: kind.target }, { consistent: true });
  return copyOf(graph, kind.edge, item);
}

/** The view and every index item that the base item may have, also ones that it wants no more. */
async function storedItems(
  { graph, store }: ReadContext,
  { source, target }: ItemKey,
  consistent: boolean,
): Promise<Map<string, Item | undefined>> {
  const sortKeys = new Set([VIEW_KEY]);
  const prefixes: string[] = [];
  for (const layer of layersOf(graph)) {
    const kind = classifyKey(layer, source, target);
    if (kind.kind === 'edge' || kind.kind === 'hashed') {
      const { degree, inbound, generation: ofCount } = kind.edge;
      if (degree) sortKeys.add(edgeIndexKey(target, undefined, ofCount));
      for (const { orderName, generation } of inbound?.items ?? []) {
        sortKeys.add(edgeIndexKey(target, orderName, generation));
      }
    } else if (kind.kind === 'node') {
      for (const { name, each, generation } of kind.node.searches.values()) {
        if (each) prefixes.push(searchValuePrefix(name, generation));
        else sortKeys.add(searchKey(name, generation));
      }
      for (const { type, inbound } of kind.node.ownerOf) {
        for (const { orderName, generation } of inbound?.items ?? []) {
          sortKeys.add(ownerIndexKey(type, orderName, generation));
        }
      }
    }
  }
  const keys = [...sortKeys].map((sortKey) => ({ source, target: sortKey }));
  const { items } = await store.getMany(keys, { consistent });
  const stored = new Map([...sortKeys].map((sortKey, i) => [sortKey, items[i]]));
  for (const beginsWith of prefixes) {
    const items = queriedItems(store, { partition: source, sortKey: { beginsWith }, consistent });
    for await (const item of items) stored.set(stringOf(item[graph.table.sortKey])!, item);
  }
  return stored;
}

function isViewAsWanted(
  view: Item | undefined,
  base: ItemKey,
  kind: ProjectedKind,
  { element, attributes }: Derived,
  copy: Item | undefined,
): boolean {
  if (kind.kind === 'node') return sameItem(projectedAttributes(view), attributes);
  // An evicted type is read from the base edges: it is up to date at any time.
  if (evictedTypes(view).has(kind.edge.type)) return true;
  if (!sameItem(viewCopies(view).get(base.target), copy)) return false;
  const elements = elementsByEdge(view).get(escapedEdge(base.target)) ?? [];
  return element === undefined ? elements.length === 0 : elements.length === 1 && elements[0] === element;
}

function notDerivable({ source, target }: ItemKey, reason: string): EdgeloomError {
  return new EdgeloomError(
    'not-derivable',
    `${source} ${target} cannot be projected in full: ${reason}.`,
    'Correct the base item; until then it is in quarantine and waiting would not end.',
  );
}
