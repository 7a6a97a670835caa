import pMap from 'p-map';
import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { CHILD, revisionOf, WATERMARK } from '../core/items/derived-item.ts';
import { edgeSortKey, VIEW_KEY } from '../core/items/keys.ts';
import { copyOf } from '../core/kinds/copy.ts';
import { classifyKey } from '../core/model/base-item.ts';
import type { EdgeModel } from '../core/model/compiled.ts';
import { FanOutPlaces } from '../core/model/projection/places.ts';
import {
  beginContinuationUpdate,
  continueFanOutUpdate,
  endContinuationUpdate,
  moveContinuationUpdate,
} from '../core/plan/fan-out.ts';
import { refusalEntry } from '../core/plan/quarantine-entry.ts';
import type { ContinuationUnit, FanOutUnit, ViewUnit } from '../core/plan/unit.ts';
import { copyUpdate } from '../core/plan/writes/view-update.ts';
import { readItem, readItems } from '../core/store-pages.ts';
import type { ItemKey } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { type ApplyContext, checkTime, epochSeconds, OutOfTimeError, retryingWithin, updateItem } from './context.ts';
import { visitEdges } from './joined-fan-out.ts';
import { putEntry } from './quarantine.ts';
import { reconcile } from './reconcile.ts';
import { NO_WATERMARK, withPlausibleWatermark } from './repair.ts';
import { settleView } from './view.ts';

/**
 * The fan-out writes a parent's attributes into the views of its children. A consistent Query of the reverse items finds the
 * children. For each child the view is read first, then the parent; one write follows, under the view's revision.
 *
 * No child is missed: the reverse item of an edge is written before the parent is read for its child's view. So either this Query
 * finds it, or that read is later than the parent's change that this fan-out is about.
 */

/** Reverse items in a page if the projector's options give no number. One invocation visits one page. */
export const PAGE_CHILDREN = 250;
/** Views read in one call. */
const CHUNK = 100;
/** Children that are written at once. */
const CHILDREN_AT_ONCE = 8;

/** Visits the first page of a parent's children. The record of the continuation drives the remaining pages. */
export async function applyFanOutUnit(context: ApplyContext, unit: FanOutUnit): Promise<void> {
  // rule: continuation-begins-after-the-first-page
  const after = await visitPage(context, unit, undefined);
  if (after === undefined) return;
  await reconcile(context, {
    key: { source: unit.source, target: unit.sortKey },
    expected: () => after,
    update: (current) => beginContinuationUpdate(context.graph, unit, current, after),
  });
}

/**
 * Visits the page of a continuation's record, and moves the continuation past it. The condition is the revision in the record: if
 * it differs, another worker has continued or restarted the fan-out, and this sequence of pages ends.
 */
export async function applyContinuationUnit(context: ApplyContext, unit: ContinuationUnit): Promise<void> {
  const item = await readItem(context, { source: unit.source, target: unit.sortKey });
  // The page of a replayed record was visited before. Whoever has written since may need the fan-out.
  // rule: continuation-ends-from-the-revision-of-its-record
  if (item === undefined || revisionOf(item) !== unit.revision) return;
  if (unit.isEnding) {
    const key = { source: unit.source, target: unit.sortKey };
    await updateItem(context, endContinuationUpdate(context.graph, key, item, epochSeconds(context)));
    return;
  }
  // rule: page-before-its-continuation-moves, first
  const after = await visitPage(context, unit, unit.after);
  checkTime(context);
  // rule: page-before-its-continuation-moves, then
  await updateItem(context, moveContinuationUpdate(context.graph, unit, after, epochSeconds(context)));
}

/** Has a stuck fan-out go on. */
export async function restartFanOut(context: ApplyContext, key: ItemKey): Promise<void> {
  await reconcile(context, {
    key,
    expected: async (item) => stringOf((await withPlausibleWatermark(context, item))?.[WATERMARK]) ?? NO_WATERMARK,
    update: (item, watermark) =>
      item && continueFanOutUpdate(context.graph, key, item, watermark, epochSeconds(context)),
  });
}

/** Visits one page of children, or of edges; returns the sort key of the last reverse item, or edge, if more may follow. */
async function visitPage(
  context: ApplyContext,
  unit: FanOutUnit | ContinuationUnit,
  after: string | undefined,
): Promise<string | undefined> {
  const { graph, store, stats, fanOutPageSize = PAGE_CHILDREN } = context;
  if (unit.of === 'joined') return await visitEdges(context, unit, after, fanOutPageSize);
  const { table } = graph;
  const edge = graph.edges.get(unit.edgeType);
  if (edge === undefined) return undefined;
  const page = await store.query({
    partition: unit.source,
    sortKey: { beginsWith: new FanOutPlaces(unit.edgeType).reversePrefix },
    limit: fanOutPageSize,
    startKey:
      after === undefined ? undefined : { [table.partitionKey]: { S: unit.source }, [table.sortKey]: { S: after } },
    // rule: children-are-found-consistently
    consistent: true,
  });
  stats.rcu += page.rcu;
  const edgeKey = edgeSortKey(edge.type, unit.source);
  // Whoever may write the parent's partition may forge a reverse item.
  // rule: fan-out-visits-possible-children
  const isPossible = (child: string): boolean => classifyKey(graph, child, edgeKey).kind === 'edge';
  const children = page.items.map((item) => stringOf(item[CHILD]) ?? '').filter(isPossible);
  for (let start = 0; start < children.length; start += CHUNK) {
    await visitChildren(context, unit, edge, children.slice(start, start + CHUNK));
  }
  return page.lastKey && stringOf(page.lastKey[table.sortKey]);
}

async function visitChildren(
  context: ApplyContext,
  unit: FanOutUnit | ContinuationUnit,
  edge: EdgeModel,
  children: readonly string[],
): Promise<void> {
  checkTime(context);
  const keys = children.map((child) => ({ source: child, target: VIEW_KEY }));
  // rule: views-before-the-parent, first
  const views = await readItems(context, keys);
  // The parent is read after the views: a copy that is older than the view could replace a newer copy in it.
  // rule: views-before-the-parent, then
  // rule: fan-out-brings-the-parent-as-it-is
  const copy = await readCopy(context, edge, unit.source);
  const failures: unknown[] = [];
  await pMap(
    children,
    async (child, i) => {
      try {
        await visitChild(context, unit, edge, child, { view: views[i], copy });
      } catch (error) {
        failures.push(error);
      }
    },
    { concurrency: CHILDREN_AT_ONCE },
  );
  // The first real cause is thrown, not the time-outs that it caused for other children.
  if (failures.length > 0) throw failures.find((error) => !(error instanceof OutOfTimeError)) ?? failures[0];
}

/** A child's view, and the copy of the parent, which is read after it. */
interface Seen {
  view: Item | undefined;
  copy: Item | undefined;
}

/** Visits a child, with retries while there is time, so that the finished children are not visited again. */
async function visitChild(
  context: ApplyContext,
  unit: FanOutUnit | ContinuationUnit,
  edge: EdgeModel,
  child: string,
  first: Seen,
): Promise<void> {
  try {
    await retryingWithin(context, (attempt) =>
      writeCopy(context, unit.source, edge, child, attempt === 1 ? first : undefined),
    );
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'terminal') throw error;
    await putEntry(context, refusalEntry(context.graph, viewUnitOf(unit, child), error, context.now()));
  }
}

async function writeCopy(
  context: ApplyContext,
  parent: string,
  edge: EdgeModel,
  child: string,
  first: Seen | undefined,
): Promise<void> {
  const { graph } = context;
  await settleView(context, child, {
    seen: first && { item: first.view },
    watermark: NO_WATERMARK,
    async parts(_view, attempt) {
      // rule: parent-is-read-again-after-a-conflict
      const copy = first !== undefined && attempt === 1 ? first.copy : await readCopy(context, edge, parent);
      return { copy };
    },
    update(view, { copy }, now) {
      // rule: fan-out-leaves-a-trace-in-every-view
      return copyUpdate(graph, child, view, new Map([[edgeSortKey(edge.type, parent), copy]]), now);
    },
  });
}

async function readCopy(context: ApplyContext, edge: EdgeModel, parent: string): Promise<Item | undefined> {
  return copyOf(context.graph, edge, await readItem(context, { source: parent, target: parent }));
}

/** The child's view as a unit, for the quarantine entry of a refused write. */
function viewUnitOf({ records, oldest, newest }: FanOutUnit | ContinuationUnit, child: string): ViewUnit {
  return { kind: 'view', source: child, sortKey: VIEW_KEY, changes: [], records, oldest, newest };
}
