import { type Item, stringOf } from '../items/attribute-value.ts';
import { COUNTED, WATERMARK } from '../items/derived-item.ts';
import { decodeElement, edgeKeyOf, escapedEdge } from '../items/element.ts';
import { compareKeys } from '../items/encoding.ts';
import {
  baseKeyOfIndexItem,
  DEGREE_PREFIX,
  degreeKey,
  INDEX_PREFIX,
  QUARANTINE_PREFIX,
  VIEW_KEY,
} from '../items/keys.ts';
import { countOf, elementsByEdge, evictedTypes, hasEdgeSet, viewAttributes } from '../items/stored-view.ts';
import { isPlausibleWatermark } from '../items/watermark.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { derive } from '../plan/derive.ts';
import type { Store } from '../store/port.ts';
import { attributesText, indexItemText, isContinuationOf, isCountOf, isLive, isReverseOf } from './compare.ts';
import { type CopySlot, copySlots, isSlotRight } from './copies.ts';
import { NO_SET, type Suspect, type SuspectPart } from './finding.ts';
import { baseItems, derivedStreams, type Keyed, next } from './partition-streams.ts';

/**
 * The second look at a partition whose digests differ: which derived items, or parts of them, do. Base items and index
 * items are read side by side in the order of their keys, which is the same, so that a partition of any size takes no
 * more room than a page of each stream and its view.
 */

/** How a partition is looked at. */
export interface NominateOptions {
  /** Label of the table's stream; undefined where it is unknown. */
  streamLabel: string | undefined;
  /** Leaves out what other partitions decide: the nodes that the view copies of are not read. */
  withoutLookUps?: boolean;
}

/**
 * Reads a partition and names what differs in it. What it reads may change meanwhile: a nomination is no verdict. At its
 * end it gives whether any base item wants something in the view.
 */
export async function* nominate(
  graph: CompiledModel,
  store: Pick<Store, 'get' | 'getMany' | 'query'>,
  source: string,
  { streamLabel, withoutLookUps = false }: NominateOptions,
): AsyncGenerator<Suspect, boolean> {
  const { item: view } = await store.get({ source, target: VIEW_KEY }, { consistent: true });
  const bases = baseItems(graph, store, source);
  const streams = await derivedStreams(graph, store, source);
  const prefixes = streams.map(({ prefix }) => prefix);
  const comparison = new PartitionComparison(graph, source, view, streamLabel, prefixes);
  for (let base = await next(bases); ; base = await next(bases)) {
    const beside = new Map<string, Item>();
    for (const stream of streams) {
      const place = base && stream.prefix + base.key;
      // What lies before the place has no base item; after the last base item that is all that is left.
      for (; stream.head !== undefined; await stream.advance()) {
        const order = place === undefined ? -1 : compareKeys(stream.head.key, place);
        if (order > 0) break;
        if (order < 0) yield* comparison.derived(stream.head);
        else beside.set(stream.head.key, stream.head.item);
      }
    }
    if (base === undefined) break;
    yield* comparison.base(base, beside);
  }
  yield* comparison.rest();
  for await (const edge of wrongCopies(graph, store, copySlots(graph, view), withoutLookUps)) {
    yield { source, sortKey: VIEW_KEY, part: { kind: 'copy', target: edge } };
  }
  return comparison.wantsView;
}

/** What is compared once both sides of it were met. */
interface Pending {
  wanted?: string;
  stored?: string;
  /** The base item that wants it. */
  target?: string;
}

/** The comparison of one partition, as its items are met. */
class PartitionComparison {
  wantsView = false;
  private readonly inView: ViewComparison;
  /** Live index items of counted edges, and the stored counts, by edge type. */
  private readonly live = new Map<string, number>();
  private readonly counts = new Map<string, number>();
  private readonly malformed = new Set<string>();
  /** Index items whose key does not follow their base item's: search items, and edges named by a hash. */
  private readonly apart = new Map<string, Pending>();

  constructor(
    private readonly graph: CompiledModel,
    private readonly source: string,
    view: Item | undefined,
    private readonly streamLabel: string | undefined,
    /** What stands before a base item's sort key in the keys of the index items that follow it. */
    private readonly prefixes: readonly string[],
  ) {
    this.inView = new ViewComparison(view);
  }

  /** Takes in a base item; `beside`: the derived items whose keys follow its own, by sort key. */
  *base({ key, item }: Keyed, beside: ReadonlyMap<string, Item>): Generator<Suspect> {
    const wanted = derive(this.graph, this.source, key, item);
    if (wanted.attributes !== undefined || wanted.element !== undefined) this.wantsView = true;
    if (key === this.source) {
      if (!this.inView.hasAttributes(wanted.attributes)) yield this.suspect(VIEW_KEY, { kind: 'attributes' });
    } else if (!this.inView.hasElement(key, wanted.element)) {
      yield this.suspect(VIEW_KEY, { kind: 'element', target: key });
    }
    const besideKeys = this.prefixes.map((prefix) => prefix + key);
    for (const [sortKey, fields] of wanted.indexItems) {
      if (besideKeys.includes(sortKey)) continue;
      Object.assign(this.pending(sortKey), { wanted: indexItemText(fields), target: key });
    }
    for (const besideKey of besideKeys) {
      const stored = beside.get(besideKey);
      if (indexItemText(stored) !== indexItemText(wanted.indexItems.get(besideKey))) {
        yield this.suspect(besideKey, { kind: 'fields', target: key });
      }
      if (stored !== undefined) yield* this.indexItem(besideKey, stored);
    }
  }

  /** Takes in a derived item that no base item was met beside. */
  *derived({ key, item }: Keyed): Generator<Suspect> {
    // Continuations and reverse items are looked at as they pass: what they should be, other partitions say.
    if (key.startsWith(QUARANTINE_PREFIX) || isContinuationOf(this.graph, key) || isReverseOf(this.graph, key)) return;
    if (isCountOf(this.graph, key)) {
      const edgeType = key.slice(DEGREE_PREFIX.length);
      const count = countOf(item);
      // It is in the way of every item that it counts, and so has to be mended before them.
      if (count === undefined) {
        this.malformed.add(edgeType);
        yield this.suspect(key, { kind: 'degree', edgeType });
      } else {
        this.counts.set(edgeType, count);
      }
      return;
    }
    if (key !== VIEW_KEY && !key.startsWith(INDEX_PREFIX)) {
      yield this.suspect(key, { kind: 'unknown-item' });
      return;
    }
    yield* this.indexItem(key, item);
    const text = key === VIEW_KEY ? undefined : indexItemText(item);
    if (text === undefined) return;
    const target = baseKeyOfIndexItem(this.source, key);
    if (target === undefined || target === this.source) this.pending(key).stored = text;
    else yield this.suspect(key, { kind: 'fields', target });
  }

  /** What can be told only when all items were met. */
  *rest(): Generator<Suspect> {
    for (const [key, { wanted, stored, target }] of this.apart) {
      if (wanted === stored) continue;
      yield this.suspect(key, { kind: 'fields', target: target ?? baseKeyOfIndexItem(this.source, key) });
    }
    for (const edgeType of new Set([...this.live.keys(), ...this.counts.keys()])) {
      const differs = (this.counts.get(edgeType) ?? 0) !== (this.live.get(edgeType) ?? 0);
      if (differs && !this.malformed.has(edgeType))
        yield this.suspect(degreeKey(edgeType), { kind: 'degree', edgeType });
    }
    for (const part of this.inView.rest()) yield this.suspect(VIEW_KEY, part);
  }

  /** What no base item decides about: of an index item, and of the view. */
  private *indexItem(key: string, item: Item): Generator<Suspect> {
    const edgeType = stringOf(item[COUNTED]);
    if (edgeType !== undefined) this.live.set(edgeType, (this.live.get(edgeType) ?? 0) + 1);
    if (!isPlausibleWatermark(item[WATERMARK], this.streamLabel)) yield this.suspect(key, { kind: 'watermark' });
    if (isLive(key, item) && item[this.graph.table.ttl] !== undefined) yield this.suspect(key, { kind: 'expiry' });
  }

  private pending(key: string): Pending {
    let found = this.apart.get(key);
    if (found === undefined) {
      found = {};
      this.apart.set(key, found);
    }
    return found;
  }

  private suspect(sortKey: string, part: SuspectPart): Suspect {
    return { source: this.source, sortKey, part };
  }
}

/** A view as its edges are compared with it, one after the other. */
class ViewComparison {
  private attributes: string | undefined;
  private readonly elements: Map<string, string[]>;
  private readonly evicted: ReadonlySet<string>;
  private readonly hasSet: boolean;

  constructor(view: Item | undefined) {
    this.hasSet = hasEdgeSet(view);
    this.attributes = attributesText(viewAttributes(view));
    this.elements = elementsByEdge(view);
    this.evicted = evictedTypes(view);
  }

  hasAttributes(wanted: Item | undefined): boolean {
    const stored = this.attributes;
    this.attributes = undefined;
    return attributesText(wanted) === stored;
  }

  hasElement(target: string, element: string | undefined): boolean {
    const edge = escapedEdge(target);
    const stored = this.elements.get(edge) ?? [];
    this.elements.delete(edge);
    const wanted = element === undefined || this.evicted.has(target.slice(0, target.indexOf('-'))) ? [] : [element];
    return stored.length === wanted.length && stored[0] === wanted[0];
  }

  /** What no base item was met for, and the marks: only all edges of a type together can tell whether one is right. */
  *rest(): Generator<SuspectPart> {
    if (this.attributes !== undefined) yield { kind: 'attributes' };
    if (!this.hasSet) yield { kind: 'garbage', element: NO_SET };
    for (const [edge, elements] of this.elements) {
      const target = edgeKeyOf(elements[0]!);
      const isElement = decodeElement(elements[0]!) !== undefined && escapedEdge(target) === edge;
      if (isElement) yield { kind: 'element', target };
      else for (const element of elements) yield { kind: 'garbage', element };
    }
    for (const edgeType of this.evicted) yield { kind: 'mark', edgeType };
  }
}

/** Nodes that are looked up in one call. */
const PARENTS = 100;

/** The edges, or the names, of a view's copies that are not what the nodes say. */
async function* wrongCopies(
  graph: CompiledModel,
  store: Pick<Store, 'getMany'>,
  slots: readonly CopySlot[],
  withoutLookUps: boolean,
): AsyncGenerator<string> {
  for (const { edge, parent } of slots) if (parent === undefined) yield edge;
  const listed = withoutLookUps ? [] : slots.filter(({ parent }) => parent !== undefined);
  for (let start = 0; start < listed.length; start += PARENTS) {
    const chunk = listed.slice(start, start + PARENTS);
    const keys = chunk.map(({ parent = '' }) => ({ source: parent, target: parent }));
    const { items } = await store.getMany(keys, { consistent: false });
    for (const [i, slot] of chunk.entries()) if (!isSlotRight(graph, slot, items[i])) yield slot.edge;
  }
}
