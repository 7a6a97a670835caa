import { setOwn } from '../../../core/items/attribute-value.ts';
import type { EdgeResult, EdgeSetElement } from '../request/result.ts';
import { type Level, MAX_DEPTH, showsEdge } from './level.ts';

/** A node on a page. */
export interface PageNode<Id = string, Attributes = Record<string, unknown>> {
  id: Id;
  /** Attributes of the node's view, or only those copied to the edge. Null if the node doesn't exist. */
  attributes: Attributes | null;
}

/** A neighbor of a node, with the edge between them. */
export interface Neighbor<Edge = Record<string, unknown>, Node = AnyPageNode> {
  /** The edge's labels; for an incoming edge or a type in no edge set, its attributes. */
  edge: Edge;
  node: Node;
}

/** Neighbors by outgoing edges, by edge type. */
export interface Leaving<Edges = Record<string, Neighbor[]>> {
  edges: Edges;
}

/** Neighbors by incoming edges, by edge type. */
export interface Entering<Edges = Record<string, Neighbor[]>> {
  inbound: Edges;
}

/** A node on a page, with its neighbors. */
export interface AnyPageNode extends PageNode, Partial<Leaving>, Partial<Entering> {}

export interface FoundNodes {
  nodes: ReadonlyMap<string, Record<string, unknown> | null>;
  edgeSetOf(id: string): readonly EdgeSetElement[];
  edgesOf(id: string, level: Level): readonly EdgeResult[];
}

interface Shown {
  edge: Record<string, unknown>;
  below: readonly Level[];
}

/**
 * Reuses the object of a node that recurs with the same levels; otherwise, nodes that link to each other would
 * multiply.
 */
export class TreeMaker {
  private readonly made = new Map<string, AnyPageNode>();
  private readonly numbers = new Map<Level, number>();

  constructor(private readonly found: FoundNodes) {}

  make(items: readonly PageNode[], levels: readonly Level[]): AnyPageNode[] {
    return items.map(({ id, attributes }) => ({ id, attributes, ...this.below(id, levels, levels, 1) }));
  }

  /** Adds an entry for each edge type in `named`, but fills the entry only with edges of `levels`. */
  private below(
    id: string,
    levels: readonly Level[],
    named: readonly Level[],
    depth: number,
  ): Partial<Leaving & Entering> {
    const below: Partial<Leaving & Entering> = {};
    for (const group of byEdges(named)) {
      const { by, edge } = group[0]!;
      const side = by === 'inbound' ? 'inbound' : 'edges';
      below[side] ??= {};
      const neighbors = this.neighbors(id, levels, group, depth);
      setOwn(below[side], edge.type, neighbors);
    }
    return below;
  }

  private neighbors(id: string, levels: readonly Level[], group: readonly Level[], depth: number): Neighbor[] {
    if (depth > MAX_DEPTH) return [];
    const named = group.flatMap((level) => level.with);
    const shown = this.shownBy(
      id,
      group.filter((level) => levels.includes(level)),
    );
    return [...shown].flatMap(([other, { edge, below }]) => {
      const attributes = this.found.nodes.get(other);
      // A bound left out this node, which `truncated` reports.
      return attributes === undefined ? [] : [{ edge, node: this.node(other, attributes, below, named, depth) }];
    });
  }

  private node(
    id: string,
    attributes: PageNode['attributes'],
    levels: readonly Level[],
    named: readonly Level[],
    depth: number,
  ): AnyPageNode {
    const name = JSON.stringify([id, this.numbersOf(levels), this.numbersOf(named)]);
    const known = this.made.get(name);
    if (known !== undefined) return known;
    const node = { id, attributes, ...this.below(id, levels, named, depth + 1) };
    this.made.set(name, node);
    return node;
  }

  private numbersOf(levels: readonly Level[]): number[] {
    return levels.map((level) => {
      if (!this.numbers.has(level)) this.numbers.set(level, this.numbers.size);
      return this.numbers.get(level)!;
    });
  }

  private shownBy(id: string, levels: readonly Level[]): Map<string, Shown> {
    const shown = new Map<string, Shown>();
    const add = (other: string, edge: Shown['edge'], below: readonly Level[]): void => {
      const known = shown.get(other);
      shown.set(other, { edge, below: [...(known?.below ?? []), ...below] });
    };
    if (levels[0]?.by === 'edge set') {
      for (const entry of this.found.edgeSetOf(id)) {
        const { type: _, target, copy: _copy, ...labels } = entry;
        for (const level of levels) if (showsEdge(entry, level)) add(target, labels, level.with);
      }
      return shown;
    }
    for (const level of levels) {
      for (const { source, target, attributes } of this.found.edgesOf(id, level)) {
        add(level.by === 'inbound' ? source : target, attributes, level.with);
      }
    }
    return shown;
  }
}

function byEdges(levels: readonly Level[]): Iterable<Level[]> {
  const groups = new Map<string, Level[]>();
  for (const level of levels) {
    const name = `${level.by === 'inbound'} ${level.edge.type}`;
    groups.set(name, [...(groups.get(name) ?? []), level]);
  }
  return groups.values();
}
