import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { TARGET_ID } from '../../../src/core/items/hashed-key.ts';
import { isDerivedKey, isServicePartition, typePrefix } from '../../../src/core/items/keys.ts';
import { toPlainItem } from '../../../src/core/items/plain.ts';
import type { CompiledModel, NodeModel } from '../../../src/core/model/compiled.ts';
import type { ScanSource } from '../../../src/core/store-port.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import { walkedItem } from '../../../src/store/table-walk.ts';
import { SAMPLE_UNITS } from './price.ts';

/** Counts include derived items. */
export interface LookedAt {
  atMs: number;
  items: number;
  /** Estimated items of the table. At least `items`. */
  of: number;
  isWhole: boolean;
}

export interface SampleAnswer extends LookedAt {
  nodes: Record<string, number>;
  edges: Record<string, EdgeSample>;
}

export interface EdgeSample {
  count: number;
  /** Edge counts by source type. */
  from: Record<string, number>;
  /** The target with the most edges. */
  busiest: string | null;
}

const SEGMENTS = 16;
const PAGE_ITEMS = 500;
const PAGES_AT_ONCE = 4;
const FIRST_ITEMS = 25;
/** A sample is kept for a second per RCU that it took, within these bounds. */
const KEPT_MS = { least: 10_000, most: 5 * 60_000 };
const MOST_ENDS = 500;
/** Attributes that usually name a node. */
const NAMES = ['name', 'title', 'label', 'subject', 'email'] as const;
const MOST_NAME = 120;

export interface Sampled {
  answer: SampleAnswer;
  rcu: number;
  nodes: ReadonlyMap<string, ReadonlyMap<string, string | null>>;
}

export interface SampledTable {
  graph: CompiledModel;
  store: ScanSource;
  itemCount: () => Promise<number>;
}

interface KeptSample {
  untilMs: number;
  reader: SampleReader;
  sample: Promise<Sampled>;
}

export class TableSample {
  private kept: KeptSample | undefined;

  async read(table: SampledTable): Promise<Sampled> {
    if (this.kept === undefined || Date.now() > this.kept.untilMs) {
      const reader = new SampleReader(table.graph);
      this.keep(reader, reader.readOn(table, SAMPLE_UNITS.first));
    }
    return await this.kept!.sample;
  }

  async readOn(table: SampledTable): Promise<Sampled> {
    const known = this.read(table);
    const { reader } = this.kept!;
    this.keep(
      reader,
      known.then((sampled) => (sampled.answer.isWhole ? sampled : reader.readOn(table, SAMPLE_UNITS.more))),
    );
    return await this.kept!.sample;
  }

  private keep(reader: SampleReader, sample: Promise<Sampled>): void {
    const kept = { untilMs: Date.now() + KEPT_MS.most, reader, sample };
    this.kept = kept;
    sample.then(
      ({ rcu }) => {
        kept.untilMs = Date.now() + Math.min(KEPT_MS.most, Math.max(KEPT_MS.least, rcu * 1_000));
      },
      () => {
        if (this.kept === kept) this.kept = undefined;
      },
    );
  }
}

class SampleReader {
  private readonly counter: SampleCounter;
  private readonly waiting: { segment: number; startKey?: Item }[] = Array.from({ length: SEGMENTS }, (_, segment) => ({
    segment,
  }));
  private rcu = 0;
  private itemsRead = 0;
  /** Includes items of the service partitions. */
  private scanned = 0;

  constructor(graph: CompiledModel) {
    this.counter = new SampleCounter(graph);
  }

  async readOn({ store, itemCount }: SampledTable, units: number): Promise<Sampled> {
    const most = this.rcu + units;
    while (this.waiting.length > 0 && this.rcu < most) {
      const places = this.waiting.splice(0, this.scanned === 0 ? 1 : PAGES_AT_ONCE);
      const limit = this.itemsOfPage((most - this.rcu) / places.length);
      const pages = await Promise.all(
        places.map(async (place) => {
          const page = await store.scan({ ...place, segments: SEGMENTS, limit });
          return { page, segment: place.segment };
        }),
      );
      for (const { page, segment } of pages) {
        this.rcu += page.rcu;
        this.scanned += page.items.length;
        for (const item of page.items) if (this.counter.add(item)) this.itemsRead += 1;
        // Segments take turns, so that a partial sample spreads over the table.
        if (page.lastKey !== undefined) this.waiting.push({ segment, startKey: page.lastKey });
      }
    }
    return this.sampled(this.waiting.length === 0 ? this.itemsRead : await itemCount());
  }

  private itemsOfPage(units: number): number {
    if (this.scanned === 0) return FIRST_ITEMS;
    return Math.max(1, Math.min(PAGE_ITEMS, Math.floor((units * this.scanned) / this.rcu)));
  }

  private sampled(all: number): Sampled {
    const { rcu, itemsRead: items, counter } = this;
    const isWhole = this.waiting.length === 0;
    const of = Math.max(all, items);
    return {
      answer: { atMs: Date.now(), items, of, isWhole, ...counter.counts(isWhole || items === 0 ? 1 : of / items) },
      rcu,
      nodes: counter.met,
    };
  }
}

class SampleCounter {
  readonly met = new Map<string, Map<string, string | null>>();
  private readonly edges = new Map<string, EdgeCounter>();

  constructor(private readonly graph: CompiledModel) {}

  add(item: Item): boolean {
    const { source, target } = walkedItem(this.graph, item);
    if (isServicePartition(source)) return false;
    if (isDerivedKey(target)) return true;
    const own = typePrefix(source) ?? '';
    const node = this.graph.nodes.get(own);
    if (source === target && node !== undefined) {
      const met = this.met.get(own) ?? new Map<string, string | null>();
      this.met.set(own, met.set(source, nameOfNode(node, toPlainItem(item, losslessNumber))));
    } else if (node?.parts.has(target) !== true) this.addEdge(own, target, item);
    return true;
  }

  counts(scale: number): Pick<SampleAnswer, 'nodes' | 'edges'> {
    const nodes = [...this.graph.nodes.keys()].map((type) => [
      type,
      roundedCount(this.met.get(type)?.size ?? 0, scale),
    ]);
    const edges = [...this.graph.edges.keys()].map((type) => {
      return [type, (this.edges.get(type) ?? new EdgeCounter()).sample(scale)];
    });
    return { nodes: Object.fromEntries(nodes), edges: Object.fromEntries(edges) };
  }

  private addEdge(from: string, target: string, item: Item): void {
    const type = typePrefix(target) ?? '';
    const edge = this.graph.edges.get(type);
    if (edge === undefined) return;
    const end = edge.keys === 'hashed' ? (stringOf(item[TARGET_ID]) ?? '') : target.slice(type.length + 1);
    const counter = this.edges.get(type) ?? new EdgeCounter();
    this.edges.set(type, counter);
    counter.add(from, end);
  }
}

class EdgeCounter {
  private count = 0;
  private readonly from = new Map<string, number>();
  private readonly ends = new Map<string, number>();

  add(from: string, end: string): void {
    this.count += 1;
    if (this.ends.has(end) || this.ends.size < MOST_ENDS) this.ends.set(end, (this.ends.get(end) ?? 0) + 1);
    this.from.set(from, (this.from.get(from) ?? 0) + 1);
  }

  sample(scale: number): EdgeSample {
    const from = Object.fromEntries([...this.from].map(([type, count]) => [type, roundedCount(count, scale)]));
    const [busiest = null] = [...this.ends.keys()].sort((left, right) => this.ends.get(right)! - this.ends.get(left)!);
    return { count: roundedCount(this.count, scale), from, busiest };
  }
}

function roundedCount(count: number, scale: number): number {
  return scale === 1 ? count : Number((count * scale).toPrecision(2));
}

export function sampledName({ nodes }: Sampled, id: string): string | null {
  return nodes.get(typePrefix(id) ?? '')?.get(id) ?? null;
}

/**
 * Returns the first string or number among the view's listed attributes or, for other views, among `NAMES` and searched
 * attributes.
 */
export function nameOfNode(node: NodeModel, attributes: Record<string, unknown>): string | null {
  const searched = [...node.searches.values()].flatMap(({ order, part }) =>
    order.kind === 'attribute' && part === undefined ? [order.attribute] : [],
  );
  for (const name of node.view.kind === 'LIST' ? node.view.attributes : [...NAMES, ...searched]) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if ((typeof value === 'string' && value !== '') || typeof value === 'number')
      return String(value).slice(0, MOST_NAME);
  }
  return null;
}
