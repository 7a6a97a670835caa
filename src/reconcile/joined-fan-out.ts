import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { compareKeys } from '../core/items/encoding.ts';
import { type DerivedSortKey, isWithinBytes, SORT_KEY_BYTES, textOfKey } from '../core/items/keys.ts';
import { joinedKeysOf, joinedPrefixes } from '../core/kinds/joined.ts';
import { refusalEntry } from '../core/plan/quarantine-entry.ts';
import type { ContinuationUnit, FanOutUnit, IndexUnit } from '../core/plan/unit.ts';
import { StoreError } from '../foundation/errors.ts';
import { type ApplyContext, checkTime, retryingWithin } from './context.ts';
import { type JoinedLook, reconcileJoined, writeExpectedFields } from './joined.ts';
import { putEntry } from './quarantine.ts';
import { readSourceNode } from './source-node.ts';

/**
 * The fan-out of a source node's change to the index items of its edges, page by page. The ranges of the items are queried first,
 * then the base edges, then the node, all consistently: the same order as for a single item. Every edge is reconciled, even if its
 * item is absent, because a writer with an older read of the node may be about to write it.
 *
 * No edge is missed. An edge that the Query does not find is written after the change of the node, and its own record makes the
 * projector read the node again.
 */

type Unit = FanOutUnit | ContinuationUnit;

/** Items that are reconciled together. */
const CHUNK = 100;

/**
 * Visits one page of a node's edges of a type.
 *
 * @param after the sort key of the last visited edge.
 * @param pageSize number of items to read of each range.
 * @returns the end of the page, which is the end of the shortest range; undefined if nothing follows.
 */
export async function visitEdges(
  context: ApplyContext,
  unit: Unit,
  after: string | undefined,
  pageSize: number,
): Promise<string | undefined> {
  const { graph } = context;
  const ranges: Range[] = [];
  // rule: joined-items-before-edges, first
  // rule: joined-items-before-the-node, first
  for (const prefix of joinedPrefixes(graph, unit.edgeType)) {
    const range = await readRange(context, unit, prefix, after, pageSize);
    if (range !== undefined) ranges.push(range);
  }
  // rule: joined-items-before-edges, then
  const edges = (await readRange(context, unit, '', after, pageSize))!;
  // rule: joined-items-before-the-node, then
  const node = await readSourceNode(context, unit.source);
  // rule: page-ends-with-its-shortest-range
  const end = earliestPlace([...ranges, edges].map((range) => range.end));
  const units: IndexUnit[] = [];
  const looks: (JoinedLook | undefined)[] = [];
  for (const [target, edge] of edges.items) {
    if (end !== undefined && compareKeys(target, end) > 0) continue;
    for (const sortKey of joinedKeysOf(graph, unit.edgeType, target)) {
      // This batch has reconciled the item already, with an edge and a node that it read after the node's record.
      if (unit.kind === 'fan-out' && context.settled?.has(textOfKey({ source: unit.source, target: sortKey })))
        continue;
      const range = ranges.find(({ prefix }) => prefix + target === sortKey);
      // rule: edge-without-its-joined-item-is-reconciled
      units.push(unitWithoutPosition(unit, target, sortKey));
      // An item with a hash in its name is in no range.
      looks.push(range === undefined ? undefined : { current: range.items.get(target), edge, node });
    }
  }
  for (let start = 0; start < units.length; start += CHUNK) {
    await reconcileTogetherOrAlone(context, unit, units.slice(start, start + CHUNK), looks.slice(start, start + CHUNK));
  }
  return end;
}

/**
 * A part of a partition: the items with a prefix, by the edge's sort key, and the key that the part ends at; undefined: it is
 * complete.
 */
interface Range {
  prefix: string;
  items: ReadonlyMap<string, Item>;
  end: string | undefined;
}

/** Reads a page of a range; undefined if the key of the place to continue from would be longer than a sort key can be. */
async function readRange(
  context: ApplyContext,
  { source, edgeType }: Unit,
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

/** The unit carries no position: the position of a node's record says nothing about the edge's records. */
function unitWithoutPosition({ source, records }: Unit, target: string, sortKey: DerivedSortKey): IndexUnit {
  // rule: node-moves-no-watermark-of-joined-items
  const position = { oldest: '', newest: '' };
  return { kind: 'index', source, sortKey, base: { source, target }, byBase: true, records, ...position };
}

async function reconcileTogetherOrAlone(
  context: ApplyContext,
  fanOut: Unit,
  units: readonly IndexUnit[],
  looks: readonly (JoinedLook | undefined)[],
): Promise<void> {
  const seen = units.filter((_, i) => looks[i] !== undefined);
  const apart = units.filter((_, i) => looks[i] === undefined);
  let open: readonly IndexUnit[];
  try {
    open = await writeExpectedFields(
      context,
      seen,
      looks.filter((look) => look !== undefined),
    );
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind === 'fatal') throw error;
    // DynamoDB has refused one item, or has not answered. So each is reconciled by itself, and only a refused one is quarantined.
    open = seen;
  }
  for (const one of [...open, ...apart]) await reconcileAlone(context, fanOut, one);
}

async function reconcileAlone(context: ApplyContext, { oldest, newest }: Unit, unit: IndexUnit): Promise<void> {
  try {
    await retryingWithin(context, () => reconcileJoined(context, [unit]));
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'terminal') throw error;
    await putEntry(context, refusalEntry(context.graph, { ...unit, oldest, newest }, error, context.now()));
  }
}
