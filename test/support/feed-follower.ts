import type {
  FeedChange,
  ListChange,
  NodeListChange,
  SearchChange,
  ViewChange,
} from '../../src/client/feed/feed-change.ts';
import { compareKeys } from '../../src/core/items/encoding.ts';

/** A row of a list as changes tell it. */
export type FollowedRow = ListChange | NodeListChange | SearchChange;

/** The revision of a change whose record tells no time; `number`: how often the item has been written. */
export const timelessRevision = (number: number): string => `${'0'.repeat(15)}.${String(number).padStart(40, '0')}`;

/** A program that knows a table by the changes alone. Each may come again, and an older one behind a newer one. */
export class FeedFollower {
  private readonly revisions = new Map<string, string>();
  private readonly newest = new Map<string, FeedChange>();
  private readonly edges = new Map<string, Map<string, Record<string, unknown>>>();

  take(change: FeedChange): void {
    const key = keyOf(change);
    const known = this.revisions.get(key);
    if (known !== undefined && change.revision <= known) return;
    this.revisions.set(key, change.revision);
    if (change.kind === 'view' && change.part === undefined) {
      const edges = this.edges.get(change.id) ?? new Map<string, Record<string, unknown>>();
      for (const [name, { type }] of edges) if (change.outgrown?.includes(String(type))) edges.delete(name);
      for (const entry of change.left ?? []) edges.delete(`${entry.type} ${entry.target}`);
      for (const entry of change.entered ?? []) edges.set(`${entry.type} ${entry.target}`, { ...entry });
      this.edges.set(change.id, edges);
    }
    // A row that stays where it is keeps its place.
    const before = this.newest.get(key);
    const isRow = change.kind === 'list' || change.kind === 'search';
    const stays = isRow && change.attributes !== null && change.entered === undefined;
    const place = stays ? { entered: (before as FollowedRow | undefined)?.entered } : {};
    this.newest.set(key, { ...change, ...place } as FeedChange);
  }

  /** The rows that are there, in the order of their places. */
  rows(isOf: (row: FollowedRow) => boolean): FollowedRow[] {
    const rows = [...this.newest.values()].filter(
      (change): change is FollowedRow =>
        (change.kind === 'list' || change.kind === 'search') && change.attributes !== null && isOf(change),
    );
    return rows.sort((left, right) => compareKeys(left.entered!.place, right.entered!.place));
  }

  /** The rows of a list of incoming edges; `target`: as events name it. */
  inbound(target: string, type: string, order: string, partition?: string): FollowedRow[] {
    return this.rows(
      (row) =>
        row.kind === 'list' &&
        JSON.stringify(row.list) === JSON.stringify({ inbound: [target, type], order }) &&
        row.entered?.partition === partition,
    );
  }

  /** The rows of the list of a node type. */
  nodes(type: string): FollowedRow[] {
    return this.rows((row) => row.kind === 'list' && 'nodes' in row.list && row.list.nodes === type);
  }

  /** The hits of a search. */
  hits(search: string, partition?: string): SearchChange[] {
    const isOf = (row: FollowedRow): boolean =>
      row.kind === 'search' && row.list.search === search && row.entered?.partition === partition;
    return this.rows(isOf) as SearchChange[];
  }

  /** A node as `getViews` gives it, without an order of its edges. */
  node(id: string): { id: string; attributes: object | null; edgeSet: Record<string, unknown>[] } {
    const parts: Record<string, unknown> = {};
    let own: Record<string, unknown> | null = null;
    for (const change of this.views(id)) {
      if (change.part === undefined) own = change.attributes;
      else if (change.attributes !== null) parts[change.part] = change.attributes;
    }
    const edgeSet = [...(this.edges.get(id)?.values() ?? [])];
    return { id, attributes: own && { ...(own as object), ...parts }, edgeSet };
  }

  /** All that events tell of a node, its parts without it too. */
  shown(id: string): unknown {
    const views = this.views(id).map(({ part, attributes, outgrown }) => ({ part, attributes, outgrown }));
    return { views, edgeSet: this.node(id).edgeSet };
  }

  /** The edge types of which a node's events tell no edges. */
  outgrown(id: string): readonly string[] {
    return this.views(id).find(({ part }) => part === undefined)?.outgrown ?? [];
  }

  /** The count of a node's edges, with its sums and groups; undefined: no change told one. */
  count(type: string, id: string, direction: string): Record<string, unknown> | undefined {
    for (const change of this.newest.values()) {
      if (change.kind === 'count' && change.type === type && change.id === id && change.direction === direction) {
        return change.attributes;
      }
    }
    return undefined;
  }

  private views(id: string): ViewChange[] {
    return [...this.newest.values()].filter(
      (change): change is ViewChange => change.kind === 'view' && change.id === id,
    );
  }
}

/** An item has one row in each order that it is listed in. */
function keyOf(change: FeedChange): string {
  // An item may be in several lists, or searches, each with changes of its own.
  return `${change.item} ${JSON.stringify('list' in change ? change.list : '')}`;
}
