import {
  addToFile,
  drop,
  insertAfter,
  insertBefore,
  moveAhead,
  replace,
  replaceIn,
  setCondition,
  setValue,
} from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of the projector, broken one by one. */
export const LEVEL_MUTANTS: readonly Mutant[] = [
  {
    name: 'level-revision-ignored',
    rule: 'A derived item is written only under the revision that was read.',
    changes: [replaceIn('item-is-written-under-the-revision-read', 'unchangedCondition(was, ttl)', "{ kind: 'none' }")],
  },
  {
    name: 'level-base-items-before-derived',
    rule: 'The derived item is read before the base items that decide what it contains.',
    changes: [
      insertBefore(
        'derived-item-is-read-before-what-decides, first',
        `const early = await BaseItems.read(context, keysOf(graph, open, open.map(() => undefined)));`,
      ),
      setValue('derived-item-is-read-before-what-decides, then', 'ahead?.bases ?? early'),
    ],
  },
  {
    name: 'level-base-items-kept-after-conflict',
    rule: 'After a conflict, the base items are read again, not only the derived item.',
    changes: [
      addToFile('conflict-repeats-every-read', 'const keptBases = new WeakMap<object, BaseItems>();'),
      setValue('conflict-repeats-every-read', (old) => `keptBases.get(this) ?? (${old})`),
      insertAfter('conflict-repeats-every-read', 'keptBases.set(this, bases);'),
    ],
  },
  {
    name: 'level-base-items-read-eventually',
    rule: 'Base items are read consistently.',
    changes: [
      setValue(
        'base-items-are-read-consistently',
        '(await context.store.getMany([...distinct.values()], { consistent: false })).items',
      ),
    ],
  },
  {
    name: 'level-equal-item-left',
    rule: 'Even an item that is right gets a new revision, so that a worker with an older read fails to write.',
    changes: [setCondition('equal-item-gets-a-new-revision', (old) => `${old} && (isGone || !changesNothing(update))`)],
  },
  {
    name: 'level-absent-leaves-nothing',
    rule: 'A derived item that no base item asks for becomes a tombstone, even if it was absent.',
    changes: [setCondition('equal-item-gets-a-new-revision', (old) => `${old} && !(isGone && was === undefined)`)],
  },
  {
    name: 'level-tombstone-without-expiry',
    rule: 'A derived item that no base item asks for gets an expiry, which makes it a tombstone.',
    changes: [drop('absent-base-item-gives-a-tombstone')],
  },
  {
    name: 'level-live-item-expires',
    rule: 'A live item loses the expiry of an earlier tombstone, because TTL would delete the item.',
    changes: [setCondition('only-a-tombstone-expires', (old) => `${old} && name !== ttl`)],
  },
  {
    name: 'level-written-long-after-its-read',
    rule: 'A write is sent only within a fixed time after the read that it is based on.',
    changes: [
      setValue('no-write-long-after-its-read', '() => Math.max(isFirst ? 1 : 0, context.remainingMs() + 0 * readAtMs)'),
    ],
  },
  {
    name: 'level-new-image-alone',
    rule: 'A record touches every item that either of its images names.',
    changes: [setValue('both-images-name-items', 'derive(plan, key, undefined)')],
  },
  {
    name: 'level-changed-share-left',
    rule: 'A record leaves an item untouched only if both of its images give the item the same share.',
    changes: [
      setCondition(
        'unchanged-share-touches-nothing',
        '(fieldsOf(before, sortKey) === undefined) !== (fieldsOf(after, sortKey) === undefined)',
      ),
    ],
  },
  {
    name: 'level-keys-alone-touch-nothing',
    rule: 'A record without images touches every item that its key names.',
    changes: [drop('keys-alone-touch-all-that-they-name')],
  },
  {
    name: 'level-mended-item-keeps-its-entry',
    rule: 'A record touches the quarantine entry if the base item has a fault before or after the change.',
    changes: [setValue('fault-before-or-after-touches-the-entry', 'after.problems.length > 0')],
  },
  {
    name: 'level-look-reads-eventually',
    rule: 'An item that may be left unwritten is read consistently.',
    changes: [setValue('item-that-may-be-left-is-read-consistently', 'isScan || attempt > 1')],
  },
  {
    name: 'level-entry-outlives-a-look',
    rule: 'A new quarantine entry is written first as a tombstone and then, after another read of the base item, with its content.',
    changes: [setValue('entry-begins-as-a-tombstone', 'true')],
  },
  {
    name: 'level-look-passes-a-tombstone',
    rule: 'A look at a quarantine entry leaves the entry unwritten only if it is absent.',
    changes: [
      replaceIn(
        'look-leaves-alone-only-what-is-absent',
        'was === undefined',
        '(was === undefined || isTombstone(was, graph.table))',
      ),
    ],
  },
  {
    name: 'level-count-apart',
    rule: 'A count changes in one transaction with the items of its edges.',
    changes: [
      replace(
        'count-moves-with-its-items',
        `const made = await context.store.transact(updates);
  if (made.applied) await context.store.update(countUpdate);
  return made;`,
      ),
    ],
  },
  {
    name: 'level-fan-out-of-one-page',
    rule: 'The stream record of a continuation drives the next page of the fan-out.',
    changes: [setCondition('continuation-drives-the-next-page', (old) => `${old} || source !== ''`)],
  },
  {
    name: 'level-fan-out-under-way-left',
    rule: 'A change to a node during its fan-out requests another round, even if no earlier change has requested one.',
    changes: [setValue('change-begins-the-continuation-again', 'toCome')],
  },
  {
    name: 'level-continuation-moved-first',
    rule: 'A continuation moves only after its page is done.',
    changes: [
      addToFile(
        'page-before-its-continuation-moves, first',
        `async function placeBehind(context: ApplyContext, touch: ContinuationTouch, after: string): Promise<string | undefined> {
  if (touch.of === 'joined') return await visitPage(context, touch, after);
  const page = await context.store.query({
    partition: touch.source,
    sortKey: { beginsWith: new FanOutPlaces(touch.edgeType).reversePrefix },
    limit: context.fanOutPageSize ?? PAGE_CHILDREN,
    startKey: { source: { S: touch.source }, target: { S: after } },
    consistent: true,
  });
  return page.lastKey && stringOf(page.lastKey['target']);
}`,
      ),
      setValue('page-before-its-continuation-moves, first', 'await placeBehind(context, touch, place)'),
      insertAfter('page-before-its-continuation-moves, then', 'await visitPage(context, touch, place);'),
    ],
  },
  {
    name: 'level-joined-items-skipped',
    rule: "A fan-out reconciles an edge even if the edge's joined item is absent.",
    changes: [
      insertBefore(
        'edge-without-its-joined-item-is-reconciled',
        'if (ranges.some(({ prefix, items: there }) => prefix + target === sortKey && there.get(target) === undefined)) continue;',
      ),
    ],
  },
  {
    name: 'level-page-ends-at-edges',
    rule: 'A page of a fan-out to joined items ends where the shortest of its ranges ends.',
    changes: [
      setValue('page-ends-with-its-shortest-range', 'edges.end'),
      insertBefore(
        'edge-without-its-joined-item-is-reconciled',
        'if (ranges.some((one) => one.prefix + target === sortKey && one.end !== undefined && compareKeys(target, one.end) > 0)) continue;',
      ),
    ],
  },
  {
    name: 'level-reconciled-for-ever',
    rule: 'A fan-out skips only the items that its own batch has reconciled.',
    changes: [
      addToFile('only-this-batch-counts-as-reconciled', 'const reconciledEver = new Set<string>();'),
      insertBefore(
        'only-this-batch-counts-as-reconciled',
        'for (const touch of done) reconciledEver.add(textOfKey(keyOfTouch(touch)));',
      ),
      setValue('only-this-batch-counts-as-reconciled', 'reconciledEver'),
    ],
  },
  {
    name: 'level-joint-fault-stays',
    rule: 'If a joined item was empty, the quarantine entry for a joint fault of its edge and source node is looked at.',
    changes: [setValue('joint-fault-has-an-entry', 'false')],
  },
  {
    name: 'level-joint-fault-outlives-its-item',
    rule: 'The quarantine entry for a joint fault is looked at even if TTL has deleted the empty joined item.',
    changes: [setValue('absent-item-may-have-failed', 'false')],
  },
  {
    name: 'level-item-before-its-entry',
    rule: 'The quarantine entry for a joint fault is removed before the joined item returns, because only the empty item shows that there may be an entry.',
    changes: [setValue('entry-goes-before-its-item-comes-back', 'false')],
  },
  {
    name: 'level-refused-view-whole',
    rule: 'If the table refuses a view, every share that fits is still written.',
    changes: [replaceIn('refused-view-is-written-in-parts', '1', '1_000')],
  },
  {
    name: 'level-failure-from-highest',
    rule: "A batch fails from its lowest record that isn't applied.",
    changes: [
      replaceIn(
        'batch-fails-from-its-lowest-record',
        'failures.flatMap(({ touch }) => touch.records)',
        'failures.flatMap(({ touch }) => touch.records).slice(-1)',
      ),
    ],
  },
  {
    name: 'level-view-with-its-reverse-items',
    rule: 'A reverse item is written before its view reads the parent, because the next fan-out of the parent could miss the child.',
    changes: [setValue('reverse-items-before-views', '(touch: Work) => touch === undefined')],
  },
  {
    name: 'level-fan-out-skips-views',
    rule: "A fan-out also writes views that don't list the edge, because a worker that is about to add it may have read the parent earlier.",
    changes: [
      addToFile(
        'fan-out-leaves-a-trace-in-every-view',
        `async function listing<T extends { source: string }>(context: ApplyContext, views: readonly T[], edge: string): Promise<T[]> {
  const listed: T[] = [];
  for (const one of views) {
    const view = await readItem(context, { source: one.source, target: '~view' });
    const set = view?.['edgeSet'];
    if (set !== undefined && 'SS' in set && set.SS.some((element) => element.startsWith(edge))) listed.push(one);
  }
  return listed;
}`,
      ),
      setValue('fan-out-leaves-a-trace-in-every-view', (old) => `await listing(context, ${old}, edgeKey)`),
    ],
  },
  {
    name: 'level-continuation-moved-unseen',
    rule: 'A continuation moves only if it still has the revision of the record that drives it.',
    changes: [setValue('continuation-moves-from-the-revision-of-its-record', "{ kind: 'none' }")],
  },
  {
    name: 'fan-out-by-eventual-query',
    rule: 'A fan-out finds reverse items with a consistent Query.',
    changes: [setValue('children-are-found-consistently', 'false')],
  },
  {
    name: 'joined-edges-before-items',
    rule: 'A fan-out to joined items queries the joined items before the base edges.',
    changes: [moveAhead('joined-items-before-edges')],
  },
  {
    name: 'joined-node-before-items',
    rule: 'A fan-out to joined items reads the node after the joined items and the base edges.',
    changes: [moveAhead('joined-items-before-the-node')],
  },
  {
    name: 'joined-ranges-read-eventually',
    rule: 'A fan-out to joined items uses consistent Queries.',
    changes: [setValue('joined-ranges-are-read-consistently', 'false')],
  },
  {
    name: 'joined-continuation-of-copies',
    rule: 'For each edge type, fan-outs of copies and fan-outs to joined items have separate continuations.',
    changes: [setCondition('fan-outs-of-a-type-go-on-apart', 'true')],
  },
  {
    name: 'joined-without-a-further-round',
    rule: 'When a fan-out ends, it begins the round that changes to the node have requested.',
    changes: [setValue('change-during-a-fan-out-gets-a-round', 'after')],
  },
  {
    name: 'joined-later-place',
    rule: 'A requested round begins at the earliest place among the change, the running fan-out and an earlier request.',
    changes: [
      replaceIn(
        'continuation-keeps-the-earlier-place',
        'compareKeys(place, inProgress) < 0',
        'compareKeys(place, inProgress) > 0',
      ),
    ],
  },
];
