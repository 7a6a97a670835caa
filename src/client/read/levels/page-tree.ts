import { setOwn } from '../../../core/items/attribute-value.ts';
import type { EdgeResult, EdgeSetElement } from '../request/result.ts';
import { type Level, MAX_DEPTH, showsEdge } from './level.ts';

/** A node of a page. Where levels are next to it, it has its neighbours, too. */
export interface PageNode<Id = string, Attributes = Record<string, unknown>> {
  id: Id;
  /**
   * Attributes that the view shows; null for a node that does not exist. A neighbour to which all shown edges have a copy has the copied
   * attributes only: it is not read.
   */
  attributes: Attributes | null;
}

/** A node next to another. */
export interface Neighbour<Edge = Record<string, unknown>, Node = AnyPageNode> {
  /** Attributes of the edge: its labels, what its index item shows, or all, for a type in no edge set. */
  edge: Edge;
  /** The node at the other end. */
  node: Node;
}

/** The part of a node of a page where levels next to it name edges that leave it. */
export interface Leaving<Edges = Record<string, Neighbour[]>> {
  /** The neighbours at the other ends of edges that leave the node, by edge type. */
  edges: Edges;
}

/** The part of a node of a page where levels next to it name edges that enter it. */
export interface Entering<Edges = Record<string, Neighbour[]>> {
  /** The neighbours at the other ends of edges that enter the node, by edge type. */
  inbound: Edges;
}

/** A node of a page of any model, with its neighbours. */
export interface AnyPageNode extends PageNode, Partial<Leaving>, Partial<Entering> {}

/** The nodes that a page has read on its levels, and their edges. */
export interface FoundNodes {
  /** The attributes of the nodes that are shown. */
  nodes: ReadonlyMap<string, Record<string, unknown> | null>;
  edgeSetOf(id: string): readonly EdgeSetElement[];
  /** The edges that a Query for a level found at a node. */
  edgesOf(id: string, level: Level): readonly EdgeResult[];
}

/**
 * The nodes of a page, each with its neighbours, level by level. Every edge type that is named at a place has a list there, also where
 * none of its edges is found. A node that comes again with the same levels is one object: else a few nodes that name each other
 * would make a tree of any size.
 */
export function pageTree(items: readonly PageNode[], levels: readonly Level[], found: FoundNodes): AnyPageNode[] {
  return new TreeMaker(found).make(items, levels);
}

/** An edge, seen from one of its nodes, with the levels next to the other. */
interface Shown {
  edge: Record<string, unknown>;
  below: readonly Level[];
}

class TreeMaker {
  private readonly made = new Map<string, AnyPageNode>();
  private readonly numbers = new Map<Level, number>();

  constructor(private readonly found: FoundNodes) {}

  make(items: readonly PageNode[], levels: readonly Level[]): AnyPageNode[] {
    return items.map(({ id, attributes }) => ({ id, attributes, ...this.below(id, levels, levels, 1) }));
  }

  /**
   * The neighbours of a node.
   *
   * @param levels those whose edges are shown; `named`, those that the question names for edges of the same type with any label.
   */
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
      const neighbours = this.neighbours(id, levels, group, depth);
      setOwn(below[side], edge.type, neighbours);
    }
    return below;
  }

  private neighbours(id: string, levels: readonly Level[], group: readonly Level[], depth: number): Neighbour[] {
    if (depth > MAX_DEPTH) return [];
    const named = group.flatMap((level) => level.with);
    const shown = this.shownBy(
      id,
      group.filter((level) => levels.includes(level)),
    );
    return [...shown].flatMap(([other, { edge, below }]) => {
      const attributes = this.found.nodes.get(other);
      // Beyond a bound of the page, which reports it.
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

  /** The edges of one type that levels show at a node, each once, by the node at its other end. */
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

/** Levels in groups of one edge type and one direction. */
function byEdges(levels: readonly Level[]): Iterable<Level[]> {
  const groups = new Map<string, Level[]>();
  for (const level of levels) {
    const name = `${level.by === 'inbound'} ${level.edge.type}`;
    groups.set(name, [...(groups.get(name) ?? []), level]);
  }
  return groups.values();
}
