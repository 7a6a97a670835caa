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
    rule: 'The derived item is read first, what decides about it after that.',
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
    rule: 'After a conflict what decides is read again, not the derived item alone.',
    changes: [
      addToFile('conflict-repeats-every-read', 'const keptBases = new WeakMap<object, BaseItems>();'),
      setValue('conflict-repeats-every-read', (old) => `keptBases.get(this) ?? (${old})`),
      insertAfter('conflict-repeats-every-read', 'keptBases.set(this, bases);'),
    ],
  },
  {
    name: 'level-base-items-read-eventually',
    rule: 'What decides is read consistently.',
    changes: [
      setValue(
        'base-items-are-read-consistently',
        '(await context.store.getMany([...distinct.values()], { consistent: false })).items',
      ),
    ],
  },
  {
    name: 'level-equal-item-left',
    rule: 'An item that is right gets a new revision too: a worker with an older read must fail.',
    changes: [setCondition('equal-item-gets-a-new-revision', (old) => `${old} && (isGone || !changesNothing(update))`)],
  },
  {
    name: 'level-absent-leaves-nothing',
    rule: 'What no base item asks for becomes a tombstone, also where nothing is.',
    changes: [setCondition('equal-item-gets-a-new-revision', (old) => `${old} && !(isGone && was === undefined)`)],
  },
  {
    name: 'level-tombstone-without-expiry',
    rule: 'A tombstone has an expiry.',
    changes: [drop('absent-base-item-gives-a-tombstone')],
  },
  {
    name: 'level-live-item-expires',
    rule: 'A live item loses the expiry of the tombstone before it.',
    changes: [setCondition('only-a-tombstone-expires', (old) => `${old} && name !== ttl`)],
  },
  {
    name: 'level-written-long-after-its-read',
    rule: 'No write is sent later than a bound after the read that it rests on.',
    changes: [
      setValue('no-write-long-after-its-read', '() => Math.max(isFirst ? 1 : 0, context.remainingMs() + 0 * readAtMs)'),
    ],
  },
  {
    name: 'level-new-image-alone',
    rule: 'Both images of a record name the items that it touches.',
    changes: [setValue('both-images-name-items', 'derive(plan, key, undefined)')],
  },
  {
    name: 'level-changed-share-left',
    rule: 'A record touches nothing only where both of its images give an item the same share.',
    changes: [
      setCondition(
        'unchanged-share-touches-nothing',
        '(fieldsOf(before, sortKey) === undefined) !== (fieldsOf(after, sortKey) === undefined)',
      ),
    ],
  },
  {
    name: 'level-keys-alone-touch-nothing',
    rule: 'A record without images touches each item that its key names.',
    changes: [drop('keys-alone-touch-all-that-they-name')],
  },
  {
    name: 'level-mended-item-keeps-its-entry',
    rule: 'A fault before or after a record touches the entry.',
    changes: [setValue('fault-before-or-after-touches-the-entry', 'after.problems.length > 0')],
  },
  {
    name: 'level-look-reads-eventually',
    rule: 'An item that may be left as it is is read consistently.',
    changes: [setValue('item-that-may-be-left-is-read-consistently', 'isScan || attempt > 1')],
  },
  {
    name: 'level-entry-outlives-a-look',
    rule: 'An entry is written over its tombstone, after another read of the base item.',
    changes: [setValue('entry-begins-as-a-tombstone', 'true')],
  },
  {
    name: 'level-look-passes-a-tombstone',
    rule: 'A look at an entry leaves only an absent one as it is.',
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
    rule: "A count moves in one transaction with the edges' items.",
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
    rule: "A continuation's record drives the next page.",
    changes: [setCondition('continuation-drives-the-next-page', (old) => `${old} || source !== ''`)],
  },
  {
    name: 'level-fan-out-under-way-left',
    rule: 'A change during a fan-out asks for another round.',
    changes: [setValue('change-begins-the-continuation-again', 'toCome')],
  },
  {
    name: 'level-continuation-moved-first',
    rule: 'A continuation is moved when its page is done.',
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
    rule: 'A fan-out reconciles an edge also where its item is absent.',
    changes: [
      insertBefore(
        'edge-without-its-joined-item-is-reconciled',
        'if (ranges.some(({ prefix, items: there }) => prefix + target === sortKey && there.get(target) === undefined)) continue;',
      ),
    ],
  },
  {
    name: 'level-page-ends-at-edges',
    rule: 'A page of a fan-out to joined items ends at the shortest of its ranges.',
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
    rule: 'A fan-out leaves alone only what its own batch has reconciled.',
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
    rule: 'The entry of a fault that an edge and its source node have together is looked at where their item was empty.',
    changes: [setValue('joint-fault-has-an-entry', 'false')],
  },
  {
    name: 'level-joint-fault-outlives-its-item',
    rule: 'The entry is looked at also where TTL has deleted the empty item.',
    changes: [setValue('absent-item-may-have-failed', 'false')],
  },
  {
    name: 'level-item-before-its-entry',
    rule: 'The entry goes before the item that shows that there may be an entry.',
    changes: [setValue('entry-goes-before-its-item-comes-back', 'false')],
  },
  {
    name: 'level-refused-view-whole',
    rule: 'Of a view that the table refuses all shares are written that fit.',
    changes: [replaceIn('refused-view-is-written-in-parts', '1', '1_000')],
  },
  {
    name: 'level-failure-from-highest',
    rule: 'A batch fails from its lowest record that is not applied on.',
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
    rule: 'A reverse item is written before its view reads the parent.',
    changes: [setValue('reverse-items-before-views', '(touch: Work) => touch === undefined')],
  },
  {
    name: 'level-fan-out-skips-views',
    rule: 'A fan-out writes views without the edge too: a worker about to add it has read the parent before.',
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
    rule: 'A continuation is moved only from the revision of the record that drives it.',
    changes: [setValue('continuation-moves-from-the-revision-of-its-record', "{ kind: 'none' }")],
  },
  {
    name: 'fan-out-by-eventual-query',
    rule: 'The reverse items are found by a consistent Query.',
    changes: [setValue('children-are-found-consistently', 'false')],
  },
  {
    name: 'joined-edges-before-items',
    rule: 'A fan-out to joined items queries them before the base edges.',
    changes: [moveAhead('joined-items-before-edges')],
  },
  {
    name: 'joined-node-before-items',
    rule: 'A fan-out to joined items reads the node after the items and the base edges.',
    changes: [moveAhead('joined-items-before-the-node')],
  },
  {
    name: 'joined-ranges-read-eventually',
    rule: 'A fan-out to joined items queries consistently.',
    changes: [setValue('joined-ranges-are-read-consistently', 'false')],
  },
  {
    name: 'joined-continuation-of-copies',
    rule: 'Fan-outs of copies and to joined items along one edge type go on apart.',
    changes: [setCondition('fan-outs-of-a-type-go-on-apart', 'true')],
  },
  {
    name: 'joined-without-a-further-round',
    rule: 'A change of the node that meets a fan-out under way gets a round of its own, when that is at its end.',
    changes: [setValue('change-during-a-fan-out-gets-a-round', 'after')],
  },
  {
    name: 'joined-later-place',
    rule: 'A continuation that begins keeps the earlier of its own place and the one in progress.',
    changes: [
      replaceIn(
        'continuation-keeps-the-earlier-place',
        'compareKeys(place, inProgress) < 0',
        'compareKeys(place, inProgress) > 0',
      ),
    ],
  },
];
