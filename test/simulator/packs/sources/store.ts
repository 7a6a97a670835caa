import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { defineGraph, edge, node, StoreError } from '../../../../src/index.ts';
import { presentMap, sameText } from '../../kernel/values.ts';

/**
 * A table for the attack, written from what the port of the store promises and on nothing that the program keeps: one map, conditions as
 * DynamoDB takes them, reads that may be a little old, and TTL that comes when it likes.
 */

/** The model of the table: everything in it is mirrored. */
export const GRAPH = defineGraph({
  table: 'ours',
  nodes: { USER: node({ view: 'ALL' }), GOAL: node({ view: 'ALL' }) },
  edges: { AIMS: edge({ from: 'USER', to: 'GOAL' }) },
  mirrored: ['USER', 'AIMS'],
});

/** A condition of a write. */
interface Condition {
  present?: boolean;
  equal?: Item;
  absent?: readonly string[];
  claimedBefore?: { maker: string; token: number };
}

/** A write of one item. */
export type Change = { key: ItemKey; condition?: Condition } & ({ kind: 'put'; item: Item } | { kind: 'delete' });

/** One table. */
export class AttackStore {
  private readonly states = new Map<string, { at: number; item: Item | undefined }[]>();

  constructor(
    private readonly now: () => number,
    /** How many milliseconds an eventually consistent read lags. */
    private readonly lagMs: () => number,
  ) {}

  /** The item of a key as it is. */
  at(key: ItemKey): Item | undefined {
    return this.states.get(textOf(key))?.at(-1)?.item;
  }

  /** All items, in the order of their keys. */
  all(): { key: ItemKey; item: Item }[] {
    return [...this.states.keys()].sort().flatMap((text) => {
      const key = keyOf(text);
      const item = this.at(key);
      return item === undefined ? [] : [{ key, item }];
    });
  }

  /** Writes by no rule. */
  set(key: ItemKey, item: Item | undefined): void {
    const text = textOf(key);
    const states = this.states.get(text) ?? [];
    states.push({ at: this.now(), item: item && structuredClone(item) });
    this.states.set(text, states.slice(-12));
  }

  /** Deletes expired items for which `isFound` is true. */
  bury(isFound: () => boolean): void {
    for (const { key, item } of this.all()) {
      const expiry = item[GRAPH.table.ttl];
      const isExpired = expiry !== undefined && 'N' in expiry && Number(expiry.N) * 1000 <= this.now();
      if (isExpired && isFound()) this.set(key, undefined);
    }
  }

  /** Reads an item. */
  get(key: ItemKey, { consistent }: { consistent: boolean }): { item?: Item; rcu: number } {
    const states = this.states.get(textOf(key)) ?? [];
    const lagMs = consistent ? 0 : this.lagMs();
    const state = lagMs > 0 ? states.findLast(({ at }) => at <= this.now() - lagMs) : states.at(-1);
    return { ...(state?.item && { item: structuredClone(state.item) }), rcu: 1 };
  }

  /** Writes an item under a condition. */
  change(change: Change): { applied: true; wcu: number } | { applied: false; wcu: number; current?: Item } {
    const { kind, key, condition = {} } = change;
    const current = this.at(key);
    if (!holds(current, condition))
      return { applied: false, wcu: 1, ...(current && { current: structuredClone(current) }) };
    if (kind === 'put') {
      const { source, target } = change.item as { source: { S: string }; target: { S: string } };
      if (source.S !== key.source || target.S !== key.target) throw new StoreError('terminal', 'x', 'The keys differ.');
    }
    this.set(key, kind === 'put' ? change.item : undefined);
    return { applied: true, wcu: 1 };
  }

  /** A page of a partition, consistently read. */
  query(request: {
    partition: string;
    sortKey?: { beginsWith: string } | { from?: string; to?: string };
    limit?: number;
    startKey?: Item;
  }): { items: Item[]; count: number; scanned: number; lastKey?: Item; rcu: number } {
    const prefix = request.sortKey !== undefined && 'beginsWith' in request.sortKey ? request.sortKey.beginsWith : '';
    const after = (request.startKey?.['target'] as { S: string } | undefined)?.S ?? '';
    const found = this.all()
      .filter(({ key }) => key.source === request.partition && key.target.startsWith(prefix) && key.target > after)
      .sort((left, right) => (left.key.target < right.key.target ? -1 : 1));
    const page = found.slice(0, Math.min(request.limit ?? 3, 3));
    const items = page.map(({ item }) => structuredClone(item));
    const { source, target } = items.at(-1) ?? {};
    const isMore = found.length > page.length;
    return {
      items,
      count: items.length,
      scanned: items.length,
      rcu: 1,
      ...(isMore && { lastKey: { source: source!, target: target! } }),
    };
  }
}

function holds(item: Item | undefined, { present, equal = {}, absent = [], claimedBefore }: Condition): boolean {
  if (present !== undefined && present !== (item !== undefined)) return false;
  if (Object.entries(equal).some(([name, value]) => item?.[name] === undefined || !sameText(item[name], value)))
    return false;
  if (absent.some((name) => item?.[name] !== undefined)) return false;
  return claimedBefore === undefined || item === undefined || isClaimedBefore(item, claimedBefore);
}

function isClaimedBefore(item: Item, { maker, token }: { maker: string; token: number }): boolean {
  const makers = presentMap(presentMap(item['~mirror'])?.['makers']);
  const own = presentMap(makers?.[maker])?.['t'];
  if (makers === undefined || Object.keys(makers).length !== 1 || own === undefined) return false;
  return 'N' in own && Number(own.N) < token;
}

function textOf({ source, target }: ItemKey): string {
  return JSON.stringify([source, target]);
}

function keyOf(text: string): ItemKey {
  const [source, target] = JSON.parse(text) as [string, string];
  return { source, target };
}
