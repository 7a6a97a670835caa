import pMap from 'p-map';
import { type Item, setOwn } from '../../../core/items/attribute-value.ts';
import { parseNodeId, SORT_KEY_BYTES } from '../../../core/items/keys.ts';
import { sortKeyOfEdge } from '../../../core/model/base-item.ts';
import type { EdgeModel } from '../../../core/model/compiled.ts';
import type { OwnWrites } from '../../session/own-writes.ts';
import { gatherInbound, resolveInboundQuery } from '../lists/inbound.ts';
import { readEdgeSet } from '../nodes/edge-set.ts';
import { gatherEdges } from '../nodes/edges.ts';
import { type NodesRead, plainViewAttributes, readViews } from '../nodes/views.ts';
import type { ReadContext } from '../request/context.ts';
import { type EdgeResult, type EdgeSetEntry, indexAttributes, sourceOf } from '../request/result.ts';
import { type Level, MAX_DEPTH, showsEdge } from './level.ts';

/** Nodes that a page left out. */
export interface Truncated {
  /** The bound that was reached first: `maxNodes`, or the depth of 5 levels. */
  reason: 'maxNodes' | 'depth';
  /** Nodes that are not shown. */
  ids: string[];
  /** Nodes of which not all edges were read, so that it is not known who else is left out. */
  edgesOf?: string[];
}

/** The nodes of levels. */
export interface LevelsRead {
  /** Attributes by id; null for a node that does not exist. */
  nodes: Record<string, Record<string, unknown> | null>;
  /** The edge sets of nodes that have levels below them. Absent if no level has levels. */
  edgeSets?: Record<string, EdgeSetEntry[]>;
  /** Edges that were queried, by the node that they leave or enter. There only where levels are queried. */
  edges?: Record<string, EdgeResult[]>;
  truncated?: Truncated;
  /** DynamoDB calls made. */
  calls: number;
}

/** A node, and one of its levels. */
interface Step {
  id: string;
  level: Level;
}

/** A node at the other end of an edge, with what the edge copies of it. */
interface Neighbour {
  id: string;
  copy?: Record<string, unknown> | undefined;
}

/** Query's `Limit` is a 32-bit integer. */
const MOST_QUERIED = 1e9;
/** Named nodes are cheap to list: a Query asks for this many more than may be shown, so as to name those left out. */
const NAMED_BEYOND = 100;

/**
 * Reads the levels of a page, one after the other: a BatchGetItem for 100 nodes of a level, however many nodes they are next to. A
 * node is read once, on whichever levels it is.
 */
export async function readLevels(
  context: ReadContext,
  own: OwnWrites,
  page: NodesRead,
  levels: readonly Level[],
  maxNodes: number,
): Promise<LevelsRead> {
  return await new LevelWalk(context, own, page, maxNodes).run(levels);
}

class LevelWalk {
  private readonly views: Map<string, Item | undefined>;
  private readonly sets: Map<string, EdgeSetEntry[]>;
  /** Attributes that edges copy of the nodes that are shown. */
  private readonly shown = new Map<string, Record<string, unknown>>();
  /** The nodes that are shown by their views. */
  private readonly byView = new Set<string>();
  private readonly edgeSets: Record<string, EdgeSetEntry[]> = {};
  /** Each Query once, in the order of the steps. */
  private readonly queries = new Map<string, { id: string; found: Promise<EdgeResult[]> }>();
  private readonly left = new Set<string>();
  private readonly cut = new Set<string>();
  private reason: Truncated['reason'] | undefined;
  private calls = 0;

  constructor(
    private readonly context: ReadContext,
    private readonly own: OwnWrites,
    page: NodesRead,
    private readonly maxNodes: number,
  ) {
    this.views = new Map(page.nodes.map(({ id }) => [id, page.views.get(id)]));
    this.sets = new Map(page.nodes.map(({ id, edgeSet }) => [id, edgeSet]));
  }

  async run(levels: readonly Level[]): Promise<LevelsRead> {
    let above = [...this.sets.keys()].flatMap((id) => stepsFrom(id, levels));
    for (let depth = 1; above.length > 0; depth += 1) above = await this.readLevel(above, depth > MAX_DEPTH);
    const nodes: LevelsRead['nodes'] = {};
    for (const [id, copy] of this.shown) {
      setOwn(nodes, id, this.byView.has(id) ? plainViewAttributes(this.context, this.views.get(id)) : copy);
    }
    const hidden = [...this.left].filter((id) => !this.shown.has(id));
    const { reason, cut, edgeSets, calls } = this;
    const isCut = reason !== undefined && hidden.length + cut.size > 0;
    return {
      nodes,
      ...(levels.some(({ with: below }) => below.length > 0) && { edgeSets }),
      ...(hasQueriedLevel(levels) && { edges: await this.edgesByNode() }),
      ...(isCut && { truncated: { reason, ids: hidden, ...(cut.size > 0 && { edgesOf: [...cut] }) } }),
      calls,
    };
  }

  /** Shows the nodes of a level; gives the steps to those below. */
  private async readLevel(steps: readonly Step[], isTooDeep: boolean): Promise<Step[]> {
    const below = new Map<string, Set<Level>>();
    const { concurrency } = this.context;
    for (let at = 0; at < steps.length; at += concurrency) {
      const some = steps.slice(at, at + concurrency);
      const queried = some.filter(({ level }) => level.by !== 'edge set').length;
      // Each Query may ask many shards at once: together they stay within the bound.
      const share = { ...this.context, concurrency: Math.max(1, Math.floor(concurrency / Math.max(1, queried))) };
      const found = await Promise.all(some.map((step) => this.readNeighbours(share, step, isTooDeep)));
      for (const [i, { level }] of some.entries()) {
        for (const neighbour of found[i]!) {
          if (isTooDeep) this.noteLeftOut(this.left, neighbour.id, 'depth');
          else if (this.tryShow(neighbour)) {
            for (const step of stepsFrom(neighbour.id, level.with)) {
              below.set(step.id, (below.get(step.id) ?? new Set()).add(step.level));
            }
          }
        }
      }
    }
    await this.read([...this.byView, ...below.keys()].filter((id) => !this.views.has(id)));
    const sets = await pMap(below.keys(), (id) => this.edgeSetOf(id), { concurrency });
    for (const [i, id] of [...below.keys()].entries()) setOwn(this.edgeSets, id, sets[i]!);
    return [...below].flatMap(([id, levels]) => [...levels].map((level) => ({ id, level })));
  }

  /** Whether a node is shown: within the bound, or again. */
  private tryShow({ id, copy }: Neighbour): boolean {
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

  private async read(ids: readonly string[]): Promise<void> {
    const { items, calls } = await readViews(this.context, ids, false, this.own);
    this.calls += calls;
    for (const id of ids) {
      this.views.set(id, items.get(id));
      this.byView.add(id);
    }
  }

  private async edgeSetOf(id: string): Promise<EdgeSetEntry[]> {
    const known = this.sets.get(id);
    if (known !== undefined) return known;
    const isOwn = this.own.writes.some(({ source }) => source === id);
    const { entries, calls } = await readEdgeSet(this.context, id, this.views.get(id), isOwn);
    this.calls += calls;
    this.sets.set(id, entries);
    return entries;
  }

  /** The nodes at the other ends of the edges of a step. */
  private async readNeighbours(context: ReadContext, { id, level }: Step, isTooDeep: boolean): Promise<Neighbour[]> {
    if (level.by === 'edge set') {
      const entries = this.sets.get(id)!.filter((entry) => showsEdge(entry, level));
      return entries.map(({ target, copy }) => ({ id: target, copy }));
    }
    if (isTooDeep || this.isFull()) {
      this.noteLeftOut(this.cut, id, isTooDeep ? 'depth' : 'maxNodes');
      return [];
    }
    const { by, edge, order, partition } = level;
    const name = JSON.stringify([by, edge!.type, order, partition, id]);
    const { found } = this.queries.get(name) ?? { found: this.queryEdges(context, id, level, edge!) };
    this.queries.set(name, { id, found });
    return (await found).map(({ source, target }) => ({ id: by === 'inbound' ? source : target }));
  }

  private async queryEdges(context: ReadContext, id: string, level: Level, edge: EdgeModel): Promise<EdgeResult[]> {
    const limit = Math.min(this.maxNodes - this.shown.size, MOST_QUERIED) + NAMED_BEYOND;
    const { found, isWhole, calls } =
      level.by === 'inbound'
        ? await this.readInboundEdges(context, id, level, edge, limit)
        : await this.readLeavingEdges(context, id, edge, limit);
    this.calls += calls;
    if (!isWhole) this.noteLeftOut(this.cut, id, 'maxNodes');
    return found;
  }

  /** The edges of all Queries, each once, by the node that they leave or enter. */
  private async edgesByNode(): Promise<Record<string, EdgeResult[]>> {
    const edges: Record<string, EdgeResult[]> = {};
    for (const { id, found } of this.queries.values()) {
      const known = edges[id] ?? [];
      // Levels may ask for the same edges by several orders.
      const names = new Set(known.map(nameOfEdge));
      setOwn(edges, id, [...known, ...(await found).filter((edge) => !names.has(nameOfEdge(edge)))]);
    }
    return edges;
  }

  private async readLeavingEdges(context: ReadContext, id: string, edge: EdgeModel, limit: number) {
    const { items: found, lastKey, calls } = await gatherEdges(context, id, edge, { limit });
    return { found, isWhole: lastKey === undefined, calls };
  }

  private async readInboundEdges(
    context: ReadContext,
    id: string,
    { order, partition }: Level,
    edge: EdgeModel,
    limit: number,
  ) {
    const asked = { order, partition, limit };
    const query = resolveInboundQuery(context, edge.type, id, asked);
    const { gathered, cursor } = await gatherInbound(context, query, asked, [], this.own);
    const found = gathered.items.map((item): EdgeResult => {
      return {
        source: sourceOf(context, item),
        type: edge.type,
        target: id,
        attributes: indexAttributes(context, item),
      };
    });
    return { found, isWhole: cursor === undefined, calls: gathered.calls };
  }
}

/** The levels that a node can have: those of edges that leave or enter nodes of its type. */
function stepsFrom(id: string, levels: readonly Level[]): Step[] {
  const type = parseNodeId(id)?.type ?? '';
  return levels.filter((level) => canLevelStartAt(id, type, level)).map((level) => ({ id, level }));
}

function canLevelStartAt(id: string, type: string, { by, edge }: Level): boolean {
  if (edge === undefined) return true;
  if (by !== 'inbound') return edge.from.has(type);
  // No edge can name a node whose id is too long for a sort key.
  return edge.to.has(type) && Buffer.byteLength(sortKeyOfEdge(edge, id)) <= SORT_KEY_BYTES;
}

function nameOfEdge({ source, type, target }: EdgeResult): string {
  return JSON.stringify([source, type, target]);
}

function hasQueriedLevel(levels: readonly Level[]): boolean {
  return levels.some((level) => level.by !== 'edge set' || hasQueriedLevel(level.with));
}
