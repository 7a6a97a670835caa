import * as z from 'zod';
import { stringOf } from '../../../src/core/items/attribute-value.ts';
import { isDerivedKey } from '../../../src/core/items/keys.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { figureText } from '../../../src/foundation/figure.ts';
import { modelToCheck } from '../../../src/registry/checked.ts';
import { lagOfStream } from '../../../src/trust/explain/position.ts';
import type { RequestContext } from '../base/context.ts';
import { differencesOf, isCompared, type PartDifference } from '../base/differences.ts';
import {
  itemsAfterEach,
  itemsBefore,
  type PartitionItems,
  type Stretch,
  stretchesOf,
  versionsOf,
} from '../base/history.ts';
import { input, route } from '../base/route.ts';
import { type ChangeName, changeName, MOST_CHANGES, type SeenChange } from '../base/seen-changes.ts';
import { type StoredItem, storedItem } from './inspect.ts';

/** The moment after a change of an item of the partition. */
export interface HistoryMoment {
  target: string;
  /** The sequence number of the record. */
  rev: string;
  /** In milliseconds since 1970; the stream tells whole seconds. */
  atMs: number;
  change: ChangeName;
  /** The first differences, and the number of all. */
  differences: PartDifference[];
  differs: number;
}

/** An item of the partition as it was from one moment to another. */
export interface HistoryVersion {
  first: number;
  last: number;
  item: StoredItem;
  /** False: it is a base item, or base items of other partitions decide about it. */
  isCompared: boolean;
}

/** A partition over the time that the studio knows. */
export interface HistoryAnswer {
  /** The reason why nothing is known before the first moment. */
  unknown: string;
  /** Oldest first. */
  moments: HistoryMoment[];
  stretches: Stretch[];
  versions: HistoryVersion[];
}

/** The newest changes of a partition, the items that it may have, and the differences that a moment names. */
const MOST_MOMENTS = 100;
const MOST_ITEMS = 500;
const MOST_DIFFERENCES = 20;

/** The base items of a node and what was derived from them, over time. */
export const HISTORY_ROUTES = [
  route('GET /api/history', z.object({ id: input.id }), async (context, { id }): Promise<HistoryAnswer> => {
    const first = await readHistory(context, id);
    if (isEqualNow(first)) return answerOf(id, first, false);
    const { isApplied } = await lagOfStream(await context.position.find());
    // A change that was under way at the first look may be applied by now, and another one may be under way.
    const second = await readHistory(context, id);
    const isSettled = lastWrite(first)?.number === lastWrite(second)?.number;
    return answerOf(id, second, isApplied === true && isSettled);
  }),
];

/** The changes of a partition that are known, and after each of them the items and the differences. */
interface History {
  /** The model that says what base items ask for. */
  graph: CompiledModel;
  unknown: string;
  changes: SeenChange[];
  items: PartitionItems[];
  differences: PartDifference[][];
  /** True if it is known that nothing differed before the first change. */
  wasEqual: boolean;
}

async function readHistory(context: RequestContext, id: string): Promise<History> {
  const { store, flow } = context;
  // Before the stream: an item that changes meanwhile has a record, which counts more.
  const { items, lastKey } = await store.query({ partition: id, limit: MOST_ITEMS + 1, consistent: true });
  await flow.look();
  const isLarge = lastKey !== undefined || items.length > MOST_ITEMS;
  const { unknown, changes } = isLarge
    ? { unknown: `it has more than ${MOST_ITEMS} items or 1 MB, which are not compared for each moment`, changes: [] }
    : knownChanges(context, id);
  const { sortKey } = context.graph.table;
  const after = itemsAfterEach(new Map(items.map((item) => [stringOf(item[sortKey]) ?? '', item])), changes);
  const graph = await modelToCheck(context.graph, store).current();
  const differences: PartDifference[][] = [];
  for (const one of after) differences.push(await differencesOf(graph, id, one));
  const [first] = changes;
  const before = first && (await differencesOf(graph, id, itemsBefore(after[0]!, first)));
  return { graph, unknown, changes, items: after, differences, wasEqual: before?.length === 0 };
}

/** The changes of a partition that one model and a stream without gaps tell of, and why there are no earlier ones. */
function knownChanges({ flow, timeline }: RequestContext, id: string): Pick<History, 'unknown' | 'changes'> {
  timeline.addRecords(flow.registryHeads);
  const modelMs = timeline.moments.find((moment) => moment.changes.length > 0)?.atMs ?? 0;
  const seen = flow.changes.ofPartition(id);
  const ofModel = seen.changes.filter(({ atMs }) => atMs >= modelMs);
  const changes = ofModel.slice(-MOST_MOMENTS);
  const reasons: [holds: boolean, reason: string][] = [
    [!flow.hasStream, 'the table has no stream'],
    [changes.length < ofModel.length, `the newest ${MOST_MOMENTS} changes of a node are compared`],
    [ofModel.length < seen.changes.length, 'the model was another one'],
    [seen.hasGap, 'the studio has not read all of the stream'],
  ];
  const [, reason] = reasons.find(([holds]) => holds) ?? [];
  return {
    changes,
    unknown:
      reason ?? `the studio has no earlier change of it, and keeps the newest ${figureText(MOST_CHANGES)} of the table`,
  };
}

function isEqualNow({ differences }: History): boolean {
  return (differences.at(-1) ?? []).length === 0;
}

function lastWrite({ changes }: History): SeenChange | undefined {
  return changes.findLast(({ target }) => !isDerivedKey(target));
}

function answerOf(
  id: string,
  { graph, unknown, changes, items, differences, wasEqual }: History,
  isApplied: boolean,
): HistoryAnswer {
  const judged = changes.map(({ atMs, target }, i) => {
    return { atMs, isBase: !isDerivedKey(target), isEqual: differences[i]!.length === 0 };
  });
  return {
    unknown,
    moments: changes.map(({ target, sequenceNumber, atMs, ...images }, i): HistoryMoment => {
      const all = differences[i]!;
      return {
        ...{ target, rev: sequenceNumber, atMs, change: changeName(images) },
        ...{ differences: all.slice(0, MOST_DIFFERENCES), differs: all.length },
      };
    }),
    stretches: stretchesOf(judged, { isApplied, wasEqual }),
    versions: versionsOf(items).map(({ target, image, first, last }): HistoryVersion => {
      const item = storedItem(graph, image, changes[first]!.atMs);
      return { first, last, item, isCompared: isDerivedKey(target) && isCompared(graph, id, target, image) };
    }),
  };
}
