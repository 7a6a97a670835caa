import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { compareKeys } from '../core/items/encoding.ts';
import { isWithinBytes, SORT_KEY_BYTES, textOfKey } from '../core/items/keys.ts';
import { joinedKeysOf, joinedPrefixes } from '../core/kinds/joined.ts';
import { sourceNodeKeys } from '../core/model/joined.ts';
import {
  type ContinuationTouch,
  type FanOutTouch,
  type ItemTouch,
  itemTouch,
  type Reconcilable,
} from '../core/plan/touch.ts';
import { readItems } from '../core/store-pages.ts';
import { type ApplyContext, checkTime } from './apply-context.ts';
import { BaseItems } from './base-items.ts';
import { reconcile } from './reconcile.ts';

type Fan = FanOutTouch | ContinuationTouch;

/**
 * After a node's change, every edge is reconciled, even if its joined item is absent: a writer with an older read of
 * the node may be about to write that item. An edge that the Query misses was written after the node's change, so its
 * own record makes the projector read the node again.
 *
 * Returns where the next page begins, which is the end of the shortest range; undefined after the last page.
 */
export async function visitEdges(
  context: ApplyContext,
  touch: Fan,
  after: string | undefined,
  pageSize: number,
): Promise<string | undefined> {
  const { graph } = context;
  const { source } = touch;
  const node = sourceNodeKeys(graph, source).map((target) => ({ source, target }));
  const readAtMs = context.now();
  const ranges: Range[] = [];
  // rule: joined-items-before-edges, first
  // rule: joined-items-before-the-node, first
  for (const prefix of joinedPrefixes(graph, touch.edgeType)) {
    const range = await readRange(context, touch, prefix, after, pageSize);
    if (range !== undefined) ranges.push(range);
  }
  // rule: joined-items-before-edges, then
  const edges = (await readRange(context, touch, '', after, pageSize))!;
  // rule: page-ends-with-its-shortest-range
  const end = earliestPlace([...ranges, edges].map((range) => range.end));
  const inPage = [...edges.items].filter(([target]) => end === undefined || compareKeys(target, end) <= 0);
  const targets = inPage.map(([target]) => target);
  const { touches, was, apart } = touchesOf(context, touch, targets, ranges);
  // rule: joined-items-before-the-node, then
  const found = await readItems(context, node);
  const items = new Map<string, Item | undefined>(
    inPage.map(([target, edge]) => [textOfKey({ source, target }), edge]),
  );
  for (const [i, key] of node.entries()) items.set(textOfKey(key), found[i]);
  const ahead = { was, bases: new BaseItems(graph, items), readAtMs };
  const failures = [...(await reconcile(context, touches, { ahead })), ...(await reconcile(context, apart))];
  if (failures.length > 0) throw failures[0]!.error;
  return end;
}

interface Range {
  prefix: string;
  items: ReadonlyMap<string, Item>;
  end: string | undefined;
}

interface PageTouches {
  touches: ItemTouch[];
  /** As read in the ranges. */
  was: ReadonlyMap<Reconcilable, Item | undefined>;
  /** Items outside the ranges. */
  apart: ItemTouch[];
}

function touchesOf(
  context: ApplyContext,
  touch: Fan,
  targets: readonly string[],
  ranges: readonly Range[],
): PageTouches {
  const { source } = touch;
  const touches: ItemTouch[] = [];
  const was = new Map<Reconcilable, Item | undefined>();
  const apart: ItemTouch[] = [];
  for (const target of targets) {
    const base = { source, target };
    for (const sortKey of joinedKeysOf(context.graph, touch.edgeType, target)) {
      // This batch has already reconciled the joined item, with reads made after the node's record.
      if (touch.kind === 'fan-out' && context.reconciled?.has(textOfKey({ source, target: sortKey }))) continue;
      // rule: edge-without-its-joined-item-is-reconciled
      const one = { ...itemTouch({ source, target: sortKey }, base), records: touch.records };
      const range = ranges.find(({ prefix }) => prefix + target === sortKey);
      if (range === undefined) apart.push(one);
      else {
        touches.push(one);
        was.set(one, range.items.get(target));
      }
    }
  }
  return { touches, was, apart };
}

/** Returns undefined if the key to continue from would be too long. */
async function readRange(
  context: ApplyContext,
  { source, edgeType }: Fan,
  prefix: string,
  after: string | undefined,
  limit: number,
): Promise<Range | undefined> {
  const { table } = context.graph;
  const place = after === undefined ? undefined : prefix + after;
  if (place !== undefined && !isWithinBytes(place, SORT_KEY_BYTES)) return undefined;
  checkTime(context);
  const page = await context.store.query({
    partition: source,
    sortKey: { beginsWith: `${prefix}${edgeType}-` },
    limit,
    startKey: place === undefined ? undefined : { [table.partitionKey]: { S: source }, [table.sortKey]: { S: place } },
    // rule: joined-ranges-are-read-consistently
    consistent: true,
  });
  context.stats.rcu += page.rcu;
  const edgeKeyOf = (item: Item): string => (stringOf(item[table.sortKey]) ?? '').slice(prefix.length);
  const items = new Map(page.items.map((item) => [edgeKeyOf(item), item]));
  return { prefix, items, end: page.lastKey && edgeKeyOf(page.lastKey) };
}

function earliestPlace(places: readonly (string | undefined)[]): string | undefined {
  let first: string | undefined;
  for (const place of places) {
    if (place !== undefined && (first === undefined || compareKeys(place, first) < 0)) first = place;
  }
  return first;
}
