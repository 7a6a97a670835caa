import type { AnyPageNode, Neighbour } from '../../../src/client/read/levels/page-tree.ts';
import { setOwn } from '../../../src/core/items/attribute-value.ts';
import { typePrefix } from '../../../src/core/items/keys.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';

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
  /** True if the edges enter the node above. */
  isEntering: boolean;
  labels: Record<string, unknown>;
  nodes: ListedNode[];
}

/** A page as a tree. */
export interface PageTree {
  items: ListedNode[];
  /** True if nodes are left out because the tree has `MOST_LISTED` of them. */
  isCut: boolean;
}

/** Nodes of one tree at most: a few nodes that name each other make a tree of any size. */
const MOST_LISTED = 2_000;

/** The nodes of a page as they are listed. The neighbours of a node that comes again are listed once. */
export function listedTree(graph: CompiledModel, items: readonly AnyPageNode[]): PageTree {
  return new TreeLister(graph).list(items);
}

class TreeLister {
  private listed = 0;
  private isCut = false;
  /** Nodes whose neighbours are listed. */
  private readonly open = new Set<AnyPageNode>();

  constructor(private readonly graph: CompiledModel) {}

  list(nodes: readonly AnyPageNode[]): PageTree {
    this.listed = nodes.length;
    const items = nodes.map((node) => this.listedNode(node));
    return { items, isCut: this.isCut };
  }

  private listedNode(node: AnyPageNode): ListedNode {
    const { id, edges = {}, inbound = {} } = node;
    const listed: ListedNode = { id, attributes: this.inOrder(node), below: [] };
    if (this.open.has(node)) return { ...listed, isAbove: true };
    if (node.edges !== undefined || node.inbound !== undefined) this.open.add(node);
    for (const [type, neighbours] of Object.entries(edges)) listed.below.push(...this.groups(type, false, neighbours));
    for (const [type, neighbours] of Object.entries(inbound)) listed.below.push(...this.groups(type, true, neighbours));
    return listed;
  }

  /** Neighbours by edges of one type: those by edges of edge sets together that have the same labels. */
  private groups(type: string, isEntering: boolean, neighbours: readonly Neighbour[]): ListedGroup[] {
    const groups = new Map<string, ListedGroup>();
    const isLabelled = !isEntering && this.graph.edges.get(type)?.labels !== undefined;
    for (const { edge, node } of neighbours) {
      if (this.listed >= MOST_LISTED) {
        this.isCut = true;
        break;
      }
      this.listed += 1;
      const labels = isLabelled ? edge : {};
      const name = JSON.stringify(labels);
      const group = groups.get(name) ?? { type, isEntering, labels, nodes: [] };
      groups.set(name, group);
      const isShown = !isLabelled && Object.keys(edge).length > 0;
      group.nodes.push({ ...this.listedNode(node), ...(isShown && { edge: sorted(edge) }) });
    }
    return [...groups.values()];
  }

  /** Attributes in the order in which the model names them for the view, and others behind them: an engine gives them in any order. */
  private inOrder({ id, attributes }: AnyPageNode): ListedNode['attributes'] {
    if (attributes === null) return null;
    const view = this.graph.nodes.get(typePrefix(id) ?? '')?.view;
    const first = view?.kind === 'LIST' ? view.attributes.filter((name) => Object.hasOwn(attributes, name)) : [];
    return sorted(attributes, first);
  }
}

/** Attributes by name, some first. */
function sorted(attributes: Record<string, unknown>, first: readonly string[] = []): Record<string, unknown> {
  const ordered: Record<string, unknown> = {};
  for (const name of [...first, ...Object.keys(attributes).sort()]) setOwn(ordered, name, attributes[name]);
  return ordered;
}
