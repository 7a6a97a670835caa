import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { AFTER, CHILD, revisionOf } from '../core/items/derived-item.ts';
import { edgeSortKey, textOfKey } from '../core/items/keys.ts';
import { classifyKey } from '../core/model/base-item.ts';
import { FanOutPlaces } from '../core/model/projection/places.ts';
import {
  beginContinuationUpdate,
  continueFanOutUpdate,
  endContinuationUpdate,
  moveContinuationUpdate,
} from '../core/plan/fan-out.ts';
import { type ContinuationTouch, type FanOutTouch, keyOfTouch, viewTouch } from '../core/plan/touch.ts';
import { readItem } from '../core/store-pages.ts';
import type { ItemKey } from '../core/store-port.ts';
import { type ApplyContext, checkSending, checkTime, epochSeconds, updateItem } from './apply-context.ts';
import { visitEdges } from './joined-fan-out.ts';
import { reconcileOrThrow } from './reconcile.ts';
import { itemTask } from './ways.ts';

export const PAGE_CHILDREN = 250;

/**
 * A fan-out misses no child, because an edge's reverse item is written before the parent is read for the child's view:
 * either the Query finds the reverse item, or the parent was read after its change.
 */
export async function beginFanOut(context: ApplyContext, touch: FanOutTouch): Promise<void> {
  const after = await visitPage(context, touch, undefined);
  if (after === undefined) return;
  const begin = itemTask(keyOfTouch(touch), async ({ graph }, was) => ({
    update: beginContinuationUpdate(graph, touch, was, after),
  }));
  await reconcileOrThrow(context, [begin]);
}

/**
 * Visits the next page. Does nothing if the continuation no longer has the record's revision: the page was visited
 * before, or another worker has continued or restarted the fan-out.
 */
export async function continueFanOut(context: ApplyContext, touch: ContinuationTouch): Promise<void> {
  const key = keyOfTouch(touch);
  const readAtMs = context.now();
  const item = await readItem(context, key);
  const place = stringOf(item?.[AFTER]);
  // rule: continuation-ends-from-the-revision-of-its-record
  if (item === undefined || place === undefined || ('revision' in touch && revisionOf(item) !== touch.revision)) return;
  if (touch.isEnding) {
    await updateItem(context, endContinuationUpdate(context.graph, key, item, epochSeconds(context)));
    return;
  }
  // rule: page-before-its-continuation-moves, first
  const after = await visitPage(context, touch, place);
  checkTime(context);
  checkSending(context, readAtMs);
  // rule: page-before-its-continuation-moves, then
  await updateItem(context, moveContinuationUpdate(context.graph, touch, item, after, epochSeconds(context)));
}

export async function restartFanOut(context: ApplyContext, key: ItemKey): Promise<void> {
  const restart = itemTask(key, async ({ graph }, was) => {
    return was && { update: continueFanOutUpdate(graph, key, was, epochSeconds(context)) };
  });
  await reconcileOrThrow(context, [restart]);
}

async function visitPage(
  context: ApplyContext,
  touch: FanOutTouch | ContinuationTouch,
  after: string | undefined,
): Promise<string | undefined> {
  const { graph, store, stats, fanOutPageSize = PAGE_CHILDREN } = context;
  const { source, records } = touch;
  if (touch.of === 'joined') return await visitEdges(context, touch, after, fanOutPageSize);
  const { table } = graph;
  const edge = graph.edges.get(touch.edgeType);
  if (edge === undefined) return undefined;
  const page = await store.query({
    partition: source,
    sortKey: { beginsWith: new FanOutPlaces(touch.edgeType).reversePrefix },
    limit: fanOutPageSize,
    startKey: after === undefined ? undefined : { [table.partitionKey]: { S: source }, [table.sortKey]: { S: after } },
    // rule: children-are-found-consistently
    consistent: true,
  });
  stats.rcu += page.rcu;
  const edgeKey = edgeSortKey(edge.type, source);
  // A producer that may write to the parent's partition could forge a reverse item.
  // rule: fan-out-visits-possible-children
  const isPossible = (child: string): boolean => classifyKey(graph, child, edgeKey).kind === 'edge';
  // Skips views that this batch has already written with the node's change. Otherwise the fan-outs of many nodes would
  // compete for one view.
  const isDone = (child: string): boolean =>
    touch.kind === 'fan-out' && context.reconciled?.has(textOfKey({ source: child, target: edgeKey })) === true;
  const children = page.items
    .map((item: Item) => stringOf(item[CHILD]) ?? '')
    .filter((child) => isPossible(child) && !isDone(child));
  // Includes views that don't list the edge: another worker may be about to add it from an older read of the parent.
  // rule: fan-out-leaves-a-trace-in-every-view
  const views = children.map((child) => ({ ...viewTouch(child, [edgeKey]), records }));
  await reconcileOrThrow(context, views);
  return page.lastKey && stringOf(page.lastKey[table.sortKey]);
}
