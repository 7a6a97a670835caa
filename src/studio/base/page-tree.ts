import { bindingOf, type Level, showsEdge } from '../../client/read/levels/level.ts';
import type { PageResult } from '../../client/read/page.ts';
import { setOwn } from '../../core/items/attribute-value.ts';
import { typePrefix } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';

/** A node of a page, with what is next to it. */
export interface ListedNode {
  id: string;
  /** Null: there is no such node. */
  attributes: Record<string, unknown> | null;
  /** Attributes of the edge that leads to it, where the edge was queried. */
  edge?: Record<string, unknown>;
  /** The nodes next to it, level by level. */
  below: ListedGroup[];
  /** It is listed further up too, and the nodes next to it are listed there. */
  isAbove?: true;
}

/** Nodes at the other end of edges of one type with the same labels. */
export interface ListedGroup {
  type: string;
  /** Whether the edges enter the node above. */
  isEntering: boolean;
  labels: Record<string, unknown>;
  nodes: ListedNode[];
}

/** A page as a tree. */
export interface PageTree {
  items: ListedNode[];
  /** Whether nodes are left out because the tree has `MOST_LISTED` of them. */
  isCut: boolean;
}

/** Nodes of one tree at most: a few nodes that name each other make a tree of any size. */
const MOST_LISTED = 2_000;

/** The nodes of a page, each with its neighbours below it. The neighbours of a node that comes again are listed once. */
export function pageTree(graph: CompiledModel, page: PageResult, levels: readonly Level[]): PageTree {
  return new TreeMaker(graph, page).make(levels);
}

/** An edge that a level shows, seen from the node above. */
interface Shown {
  type: string;
  isEntering: boolean;
  other: string;
  labels: Record<string, unknown>;
  edge?: Record<string, unknown>;
}

class TreeMaker {
  private listed = 0;
  private isCut = false;
  /** Nodes whose neighbours by some levels are listed. */
  private readonly open = new Set<string>();

  constructor(
    private readonly graph: CompiledModel,
    private readonly page: PageResult,
  ) {}

  make(levels: readonly Level[]): PageTree {
    this.listed = this.page.items.length;
    const items = this.page.items.map(({ id, attributes, edgeSet }) => {
      return { id, attributes: this.inOrder(id, attributes ?? null), ...this.below(id, levels, edgeSet) };
    });
    return { items, isCut: this.isCut };
  }

  private below(
    id: string,
    levels: readonly Level[],
    edgeSet = this.page.edgeSets?.[id] ?? [],
  ): Pick<ListedNode, 'below' | 'isAbove'> {
    if (levels.length === 0) return { below: [] };
    const name = JSON.stringify([id, bindingOf(levels)]);
    if (this.open.has(name)) return { below: [], isAbove: true };
    this.open.add(name);
    const groups = new Map<string, ListedGroup>();
    for (const [{ type, isEntering, other, labels, edge }, below] of this.edgesOf(id, levels, edgeSet)) {
      const attributes = this.page.nodes[other];
      // Beyond a bound of the page, which reports it.
      if (attributes === undefined) continue;
      if (this.listed >= MOST_LISTED) {
        this.isCut = true;
        break;
      }
      this.listed += 1;
      const group = JSON.stringify([type, isEntering, labels]);
      if (!groups.has(group)) groups.set(group, { type, isEntering, labels, nodes: [] });
      const shown = this.inOrder(other, attributes);
      const own = { id: other, attributes: shown, ...(edge !== undefined && { edge }), ...this.below(other, below) };
      groups.get(group)!.nodes.push(own);
    }
    return { below: [...groups.values()] };
  }

  /** Attributes in the order in which the model names them for the view, and others behind them: an engine gives them in any order. */
  private inOrder(id: string, attributes: ListedNode['attributes']): ListedNode['attributes'] {
    if (attributes === null) return null;
    const view = this.graph.nodes.get(typePrefix(id) ?? '')?.view;
    const first = view?.kind === 'LIST' ? view.attributes.filter((name) => Object.hasOwn(attributes, name)) : [];
    return sorted(attributes, first);
  }

  /** Each edge of a node once, with the levels next to its other end. */
  private edgesOf(id: string, levels: readonly Level[], edgeSet: PageResult['items'][number]['edgeSet']) {
    const found = new Map<string, [Shown, Level[]]>();
    for (const level of levels) {
      for (const shown of this.shownBy(id, level, edgeSet)) {
        const { type, isEntering, other } = shown;
        const name = JSON.stringify([type, isEntering, other]);
        const [first, below] = found.get(name) ?? [shown, []];
        found.set(name, [first, [...below, ...level.with]]);
      }
    }
    return found.values();
  }

  private shownBy(id: string, level: Level, edgeSet: PageResult['items'][number]['edgeSet']): Shown[] {
    if (level.by === 'edge set') {
      return edgeSet
        .filter((entry) => showsEdge(entry, level))
        .map((entry) => ({ type: entry.type, isEntering: false, other: entry.target, labels: labelsOf(entry) }));
    }
    const isEntering = level.by === 'inbound';
    return (this.page.edges?.[id] ?? [])
      .filter((edge) => edge.type === level.edge?.type && (isEntering ? edge.target : edge.source) === id)
      .map(({ type, source, target, attributes }) => ({
        ...{ type, isEntering, other: isEntering ? source : target, labels: {} },
        ...(Object.keys(attributes).length > 0 && { edge: sorted(attributes) }),
      }));
  }
}

/** Attributes by name, some first. */
function sorted(attributes: Record<string, unknown>, first: readonly string[] = []): Record<string, unknown> {
  const ordered: Record<string, unknown> = {};
  for (const name of [...first, ...Object.keys(attributes).sort()]) setOwn(ordered, name, attributes[name]);
  return ordered;
}

/** The labels of an element of an edge set, without those that it does not have. */
function labelsOf({ type: _, target: _target, copy: _copy, ...labels }: object & Record<string, unknown>) {
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(labels)) if (value !== undefined) setOwn(own, name, value);
  return own;
}
