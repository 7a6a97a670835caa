import { hash } from 'node:crypto';
import { canonicalText, type Item, itemSizeBytes, numberOf } from '../model/attribute-value.ts';
import { REVISION, WATERMARK } from '../model/derived-item.ts';
import { escapedEdge } from '../model/element.ts';
import type { AnyGraph } from '../model/graph.ts';
import { edgeIndexKey, orderOfIndexKey, SORT_KEY_BYTES } from '../model/keys.ts';
import { derive } from '../plan/derive.ts';
import { viewBudgetBytes } from '../plan/eviction.ts';
import { countOf, elementsByEdge, evictedTypes, hasEdgeSet, viewAttributes } from '../plan/stored-view.ts';
import { countLive } from '../repair/settle.ts';
import type { ItemKey, Store } from '../store/port.ts';
import type { StreamLabel } from '../stream/label.ts';
import { attributesText, fitsAgain, indexItemText, isLive } from './compare.ts';
import { NO_SET, type Suspect } from './finding.ts';

/** A suspect as it was at one moment: the derived item was read first, then its base item, both consistently. */
export interface Observation {
  /** Revision of the derived item; undefined where it has none. */
  revision: string | undefined;
  /** What the base item wants; null: nothing. */
  wanted: string | null;
  /** What is stored; null: nothing. */
  stored: string | null;
  /** A hash of the base item's image, to tell whether it has changed. */
  base: string;
  /** Whether the derived item exists as more than a tombstone. */
  isLive: boolean;
}

/** What observing needs. */
export interface ObserveContext {
  graph: AnyGraph;
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
  const baseKeys = new Map<Suspect, ItemKey>();
  for (const suspect of suspects) {
    const target = await baseKeyOf(context, suspect);
    if (target !== undefined) baseKeys.set(suspect, { source: suspect.source, target });
  }
  const { items } = await store.getMany([...baseKeys.values()], { consistent: true });
  const bases = new Map([...baseKeys.keys()].map((suspect, i) => [suspect, items[i]]));
  return Promise.all(
    suspects.map(async (suspect, i): Promise<Observation> => {
      const base = bases.get(suspect);
      const revision = numberOf(derived[i]?.[REVISION]);
      // A count has no base item of its own; its revision moves with each of the items that it counts.
      const image = suspect.part.kind === 'degree' ? (revision ?? '') : base && canonicalText({ M: base });
      return {
        revision,
        base: image === undefined ? '' : hash('sha256', image, 'base64'),
        isLive: isLive(suspect.sortKey, derived[i]),
        ...(await compared(context, suspect, derived[i], { target: baseKeys.get(suspect)?.target ?? '', item: base })),
      };
    }),
  );
}

/** The sort key of the base item that decides about a suspect, where one does. */
async function baseKeyOf(context: ObserveContext, { source, sortKey, part }: Suspect): Promise<string | undefined> {
  if (part.kind === 'element') return part.target;
  if (part.kind === 'attributes') return source;
  if (part.kind !== 'fields') return undefined;
  return part.target ?? (await edgeNamedBy(context, source, sortKey));
}

/** The edge whose index item is named by this hash; only edges with a long sort key have such names. */
export async function edgeNamedBy(
  { graph, store }: { graph: AnyGraph; store: Pick<Store, 'query'> },
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
  suspect: Suspect,
  derived: Item | undefined,
  base: { target: string; item: Item | undefined },
): Promise<Pick<Observation, 'wanted' | 'stored'>> {
  const { part, source, sortKey } = suspect;
  const wanted = derive(context.graph, source, base.target, base.item);
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
    for (const item of page.items) {
      const { element } = derive(graph, source, textOf(item[graph.table.sortKey]), item);
      if (element !== undefined) bytes += Buffer.byteLength(element);
    }
    startKey = bytes > viewBudgetBytes(graph, source) ? undefined : page.lastKey;
  } while (startKey !== undefined);
  return { wanted: fitsAgain(graph, source, bytes) ? null : mark, stored: mark };
}

function textOf(value: Item[string] | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}
