import pMap from 'p-map';
import type { Item } from '../../../core/items/attribute-value.ts';
import { parseNodeId, SORT_KEY_BYTES } from '../../../core/items/keys.ts';
import { sortKeyOfEdge } from '../../../core/model/base-item.ts';
import { slicesOf } from '../../../foundation/for-each.ts';
import type { OwnWrites } from '../../session/own-writes.ts';
import { LEAST_RCU } from '../lists/budget.ts';
import { edgeOfItem, readInboundItems, resolveInboundQuery, withMaxRcu } from '../lists/inbound.ts';
import { MOST_ASKED } from '../lists/scatter.ts';
import { readEdgeSet } from '../nodes/edge-set.ts';
import { readEdgePage } from '../nodes/edges.ts';
import { isReadInPlace, type NodesRead, plainViewAttributes, readViews } from '../nodes/views.ts';
import type { ReadContext } from '../request/read-context.ts';
import type { EdgeResult, EdgeSetElement } from '../request/result.ts';
import { affordable } from './affordable.ts';
import { type Level, MAX_DEPTH, showsEdge } from './level.ts';
import { type AnyPageNode, type FoundNodes, TreeMaker } from './page-tree.ts';

/** The nodes and edges that a page left out. */
export interface Truncated {
  /**
   * The bound that was reached first. `edges` means that only the first edges of a type that outgrew the view were
   * read.
   */
  reason: 'maxNodes' | 'maxRcu' | 'depth' | 'edges';
  ids: string[];
  /** Nodes with edges that weren't read or shown. */
  edgesOf?: string[];
}

export interface LevelsRead {
  items: AnyPageNode[];
  truncated?: Truncated;
}

interface Step {
  id: string;
  level: Level;
}

interface Neighbor {
  id: string;
  copy?: Record<string, unknown> | undefined;
}

/** Each Query reads this many edges more than the page can show, to name nodes that are left out. */
const NAMED_BEYOND = 100;

/** Reads each neighbor at most once, or twice if its type declares no view and a lower level needs its edges. */
export class LevelWalk {
  private readonly views: Map<string, Item | undefined>;
  private readonly sets: Map<string, EdgeSetElement[]>;
  private readonly withoutEdges = new Set<string>();
  private readonly truncatedTypes: Map<string, readonly string[]>;
  private readonly shown = new Map<string, Record<string, unknown>>();
  private readonly byView = new Set<string>();
  private readonly queries = new Map<string, Promise<EdgeResult[]>>();
  private readonly left = new Set<string>();
  private readonly cut = new Set<string>();
  /** Nodes of the last level, each with a neighbor below it. */
  private readonly tooDeep: [id: string, neighbor: string][] = [];
  private reason: Truncated['reason'] | undefined;

  constructor(
    private readonly context: ReadContext,
    private readonly own: OwnWrites,
    private readonly page: NodesRead,
    private readonly maxNodes: number,
  ) {
    this.views = new Map(page.nodes.map(({ id }) => [id, page.views.get(id)]));
    this.sets = new Map(page.nodes.map(({ id, edgeSet }) => [id, edgeSet]));
    this.truncatedTypes = new Map(page.nodes.map(({ id, truncated = [] }) => [id, truncated]));
  }

  async run(levels: readonly Level[]): Promise<LevelsRead> {
    let above = [...this.sets.keys()].flatMap((id) => stepsFrom(id, levels));
    for (let depth = 1; above.length > 0; depth += 1) above = await this.readLevel(above, depth > MAX_DEPTH);
    for (const [id, neighbor] of this.tooDeep) if (this.shown.has(neighbor)) this.cut.add(id);
    const hidden = [...this.left].filter((id) => !this.shown.has(id));
    const { reason, cut } = this;
    const isCut = reason !== undefined && hidden.length + cut.size > 0;
    return {
      items: new TreeMaker(await this.found()).make(this.page.nodes, levels),
      ...(isCut && { truncated: { reason, ids: hidden, ...(cut.size > 0 && { edgesOf: [...cut] }) } }),
    };
  }

  private async found(): Promise<FoundNodes> {
    const nodes = new Map<string, Record<string, unknown> | null>();
    for (const [id, copy] of this.shown) {
      nodes.set(id, this.byView.has(id) ? plainViewAttributes(this.context, this.views.get(id)) : copy);
    }
    const edges = new Map<string, EdgeResult[]>();
    for (const [name, found] of this.queries) edges.set(name, await found);
    return {
      nodes,
      edgeSetOf: (id) => this.sets.get(id) ?? [],
      edgesOf: (id, level) => edges.get(nameOfQuery(id, level)) ?? [],
    };
  }

  private async readLevel(steps: readonly Step[], isTooDeep: boolean): Promise<Step[]> {
    const below = new Map<string, Set<Level>>();
    for await (const { id, level, neighbor } of this.neighborsOf(steps, isTooDeep)) {
      if (isTooDeep) {
        this.noteLeftOut(this.left, neighbor.id, 'depth');
        this.tooDeep.push([id, neighbor.id]);
      } else if (this.tryShow(neighbor)) {
        for (const step of stepsFrom(neighbor.id, level.with))
          below.set(step.id, (below.get(step.id) ?? new Set()).add(step.level));
      }
    }
    const isLacking = (id: string): boolean => !this.views.has(id) || (below.has(id) && this.withoutEdges.has(id));
    await this.read([...new Set([...this.byView, ...below.keys()])].filter(isLacking), (id) => below.has(id));
    for (const id of below.keys()) if (!this.shown.has(id) || this.withoutEdges.has(id)) below.delete(id);
    await pMap(below.keys(), (id) => this.readEdgeSetOf(id), { concurrency: this.concurrency });
    return [...below].flatMap(([id, levels]) => [...levels].map((level) => ({ id, level })));
  }

  /** If `maxRcu` is given, makes one call at a time, because each may use up the units. */
  private get concurrency(): number {
    return this.context.spending === undefined ? this.context.concurrency : 1;
  }

  private async *neighborsOf(
    steps: readonly Step[],
    isTooDeep: boolean,
  ): AsyncGenerator<Step & { neighbor: Neighbor }, void> {
    const { concurrency } = this;
    for (const some of slicesOf(steps, concurrency)) {
      const queried = some.filter(({ level }) => level.by !== 'edge set').length;
      const share = { ...this.context, concurrency: Math.max(1, Math.floor(concurrency / Math.max(1, queried))) };
      const found = await Promise.all(some.map((step) => this.readNeighbors(share, step, isTooDeep)));
      for (const [i, step] of some.entries()) for (const neighbor of found[i]!) yield { ...step, neighbor };
    }
  }

  private tryShow({ id, copy }: Neighbor): boolean {
    if (!this.shown.has(id) && this.isFull()) {
      this.noteLeftOut(this.left, id, 'maxNodes');
      return false;
    }
    this.shown.set(id, { ...this.shown.get(id), ...copy });
    if (copy === undefined) this.byView.add(id);
    return true;
  }

  private isFull(): boolean {
    return this.shown.size >= this.maxNodes;
  }

  private noteLeftOut(ids: Set<string>, id: string, reason: Truncated['reason']): void {
    ids.add(id);
    this.reason ??= reason;
  }

  private async read(ids: readonly string[], needsEdges: (id: string) => boolean): Promise<void> {
    for await (const { ids: some, read } of affordable(this.context.spending, ids, (some) =>
      readViews(this.context, some, { own: this.own, needsEdges }),
    )) {
      if (read === undefined) {
        for (const id of some) {
          const isViewed = this.views.has(id);
          this.noteLeftOut(isViewed ? this.cut : this.left, id, 'maxRcu');
          if (isViewed) continue;
          this.shown.delete(id);
          this.byView.delete(id);
        }
        continue;
      }
      for (const id of some) {
        this.views.set(id, read.get(id));
        this.byView.add(id);
        if (needsEdges(id)) this.withoutEdges.delete(id);
        else if (isReadInPlace(this.context.graph, id)) this.withoutEdges.add(id);
      }
    }
  }

  private async readEdgeSetOf(id: string): Promise<void> {
    if (this.sets.has(id)) return;
    const isOwn = this.own.writes.some(({ source }) => source === id);
    const { entries, truncated } = await readEdgeSet(this.context, id, this.views.get(id), {
      consistent: isOwn,
      own: this.own,
    });
    this.sets.set(id, entries);
    this.truncatedTypes.set(id, truncated);
  }

  private async readNeighbors(context: ReadContext, { id, level }: Step, isTooDeep: boolean): Promise<Neighbor[]> {
    if (level.by === 'edge set') {
      const entries = this.sets.get(id)!.filter((entry) => showsEdge(entry, level));
      if (this.truncatedTypes.get(id)?.includes(level.edge.type))
        this.noteLeftOut(this.cut, id, this.context.spending?.isSpent ? 'maxRcu' : 'edges');
      return entries.map(({ target, copy }) => ({ id: target, copy }));
    }
    const name = nameOfQuery(id, level);
    const known = this.queries.get(name);
    const isSpent = this.context.spending?.isSpent === true;
    if (isTooDeep || (known === undefined && (this.isFull() || isSpent))) {
      this.noteLeftOut(this.cut, id, isTooDeep ? 'depth' : isSpent ? 'maxRcu' : 'maxNodes');
      return [];
    }
    const found = known ?? this.queryEdges(context, id, level);
    this.queries.set(name, found);
    return (await found).map(({ source, target }) => ({ id: level.by === 'inbound' ? source : target }));
  }

  private async queryEdges(context: ReadContext, id: string, level: Level): Promise<EdgeResult[]> {
    const limit = Math.min(this.maxNodes - this.shown.size + NAMED_BEYOND, MOST_ASKED);
    const { found, isWhole } =
      level.by === 'inbound'
        ? await this.readInboundEdges(context, id, level, limit)
        : await this.readLeavingEdges(context, id, level, limit);
    if (!isWhole) this.noteLeftOut(this.cut, id, found.length < limit ? 'maxRcu' : 'maxNodes');
    return found;
  }

  private async readLeavingEdges(context: ReadContext, id: string, { edge }: Level, limit: number) {
    const bound = { limit, maxRcu: context.spending?.left };
    const { items: found, lastKey } = await readEdgePage(context, id, edge, { ...bound, isProjected: true });
    return { found, isWhole: lastKey === undefined };
  }

  private async readInboundEdges(context: ReadContext, id: string, { edge, order, partition }: Level, limit: number) {
    const asked = { order, partition, limit };
    const query = resolveInboundQuery(context, id, edge.type, asked);
    const { spending } = context;
    if (spending !== undefined && spending.left < LEAST_RCU * query.list.partitions.length)
      return { found: [], isWhole: false };
    const left = spending === undefined ? query : withMaxRcu(query, spending.left);
    const { items, cursor } = await readInboundItems(context, left, asked, { read: 'inbound', own: this.own });
    const found = items.map((item) => edgeOfItem(context, edge.type, id, item));
    return { found, isWhole: cursor === undefined };
  }
}

function stepsFrom(id: string, levels: readonly Level[]): Step[] {
  const type = parseNodeId(id)?.type ?? '';
  return levels.filter((level) => canLevelStartAt(id, type, level)).map((level) => ({ id, level }));
}

function canLevelStartAt(id: string, type: string, { by, edge }: Level): boolean {
  if (by !== 'inbound') return edge.from.has(type);
  // No edge can point to a node whose id is too long for a sort key.
  return edge.to.has(type) && Buffer.byteLength(sortKeyOfEdge(edge, id)) <= SORT_KEY_BYTES;
}

function nameOfQuery(id: string, { by, edge, order, partition }: Level): string {
  return JSON.stringify([by, edge.type, order, partition, id]);
}
