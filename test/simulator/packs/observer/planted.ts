import { addToFile, drop, insertBefore, replace, setCondition, setProperty, setValue } from '../../planted/changes.ts';
import { bugsNamed, type Mutant } from '../../planted/mutant.ts';
import { WRITTEN } from './directed.ts';
import { MARK } from './planted-low-watermark.ts';

/** A store whose reads are not consistent. */
const EVENTUALLY = `
function eventually<T extends object>(store: T): T {
  const inner = store as unknown as Record<string, (first: object, options?: object) => unknown>;
  const read = (name: string) => (first: object, options?: object) => {
    const request = { ...first, consistent: false };
    return name === 'query' ? inner[name]!(request) : inner[name]!(first, { ...options, consistent: false });
  };
  return { get: read('get'), getMany: read('getMany'), query: read('query') } as unknown as T;
}`;

/** Planted in what a record touches. */
const OPENING: readonly Mutant[] = [
  {
    name: 'base-records-open-nothing',
    rule: "A record of a base item opens each derived item whose value differs between the record's two images.",
    changes: [insertBefore('base-records-touch-what-they-change', 'if (isBaseSortKey(record.target)) return NOTHING;')],
  },
  {
    name: 'derived-records-open-nothing',
    rule: 'A record of a derived item opens the parts whose content differs, no matter who wrote the item.',
    changes: [
      setValue('derived-records-are-judged', (old) => `record.target.startsWith('~degree/') ? ${old} : NOTHING`),
    ],
  },
  {
    name: 'changed-node-opens-no-fan-out',
    rule: 'A changed node opens its fan-outs, because the items that they reach may be wrong.',
    changes: [setValue('changed-node-touches-its-fan-outs', (old) => `(${old}).slice(0, 0)`)],
  },
  {
    name: 'gone-reverse-item-opens-no-copy',
    rule: 'A deleted reverse item opens the copy of its edge, because no fan-out finds that copy any more.',
    changes: [setCondition('reverse-item-touches-the-copy-behind-it', (old) => `newImage !== undefined && ${old}`)],
  },
  {
    name: 'evicted-type-that-comes-back-opens-nothing',
    rule: "An edge type that returns to the edge set opens its whole partition, because the record doesn't show edges that changed in the meantime.",
    changes: [setValue('evicted-type-that-comes-back-touches-its-partition', (old) => `(${old}) && newImage === null`)],
  },
  {
    name: 'index-item-opens-no-count',
    rule: 'A changed index item opens the counts that include it.',
    changes: [setValue('counted-item-touches-its-counts', (old) => `kind.decidedBy === 'partition' ? [] : ${old}`)],
  },
  {
    name: 'entry-opens-no-total',
    rule: 'A changed entry opens its total.',
    changes: [setValue('counted-item-touches-its-counts', (old) => `kind.decidedBy === 'partition' ? ${old} : []`)],
  },
];

/** Planted in how parts are closed. */
const CLOSING: readonly Mutant[] = [
  {
    name: 'looks-are-eventual',
    rule: "The observer's looks use consistent reads.",
    changes: [
      setValue('looks-are-consistent', 'await judge({ ...context, store: eventually(context.store) }, suspects)'),
      addToFile('looks-are-consistent', EVENTUALLY),
    ],
  },
  {
    name: 'partitions-are-read-eventually',
    rule: 'The observer reads a partition consistently if anything in it may be wrong.',
    changes: [setValue('partitions-are-read-consistently', 'withConsistentReads(store) && store')],
  },
];

/** Planted in fan-outs. */
const FAN_OUTS: readonly Mutant[] = [
  {
    name: 'fan-out-stops-at-missing-reverse-items',
    rule: "A fan-out also reaches copies whose reverse items are open or drift, because its Query doesn't find them.",
    changes: [drop('fan-out-reaches-behind-missing-reverse-items')],
  },
  {
    name: 'fan-outs-are-queried-eventually',
    rule: 'The observer finds the items that a fan-out reaches with a consistent Query.',
    changes: [setProperty('fan-outs-are-queried-consistently', 'consistent', 'false')],
  },
  {
    name: 'earlier-query-names-the-parts',
    rule: "The Query that finds the items of a fan-out begins after the fan-out's record was received.",
    changes: [drop('range-is-queried-after-its-record')],
  },
  {
    name: 'parts-of-a-fan-out-inherit-nothing',
    rule: 'The items that a fan-out reaches inherit the records that opened the fan-out.',
    changes: [
      replace('parts-inherit-from-the-range', 'this.touch({ items, ranges: [] }, new Touches(), nowMs);'),
      drop('late-parts-inherit-from-the-range'),
    ],
  },
  {
    name: 'late-parts-inherit-nothing',
    rule: 'An item that is opened while a fan-out is open inherits the records that opened the fan-out.',
    changes: [drop('late-parts-inherit-from-the-range')],
  },
  {
    name: 'fan-out-is-closed-with-its-query',
    rule: 'A fan-out stays open until all records from before the end of its Query have been received.',
    changes: [setCondition('range-is-held-until-its-query-is-consumed', 'queriedMs !== undefined')],
  },
];

/** Planted in the time that is claimed. */
const TIME: readonly Mutant[] = [
  {
    name: 'open-parts-hold-nothing',
    rule: "The verified time isn't later than any record that has opened something.",
    changes: [setCondition('open-parts-hold-the-time', (old) => `${old} || touch.stampMs > 0`)],
  },
  {
    name: 'newest-shard-holds-the-time',
    rule: "The verified time isn't later than the time through which each shard has been received.",
    changes: [setCondition('every-shard-holds-the-time', (old) => `${old} && shardId === ''`)],
  },
  {
    name: 'empty-page-proves-all',
    rule: 'An empty page proves nothing about records made just before it, because they may appear late.',
    changes: [setValue('empty-page-says-nothing-of-late-records', 'atMs')],
  },
  {
    name: 'listing-holds-nothing',
    rule: "The verified time isn't later than the last listing of shards, because a shard that opened since then hasn't been read.",
    changes: [setProperty('time-is-not-after-the-last-listing', 'atMs', 'Number.MAX_SAFE_INTEGER')],
  },
  {
    name: 'closed-shard-holds-nothing',
    rule: 'A closed shard holds the verified time until its children are known.',
    changes: [setCondition('closed-shard-counts-until-its-children-are-known', 'isEnded')],
  },
  {
    name: 'clocks-agree',
    rule: 'The verified time allows for clock differences and for timestamps in whole seconds.',
    changes: [setValue('time-allows-for-clocks', 'leastMs')],
  },
  {
    name: 'exceptions-are-many',
    rule: 'Only drift that is saved counts as an exception; any other drift holds the verified time.',
    changes: [setCondition('exceptions-are-few', 'false')],
  },
  {
    name: 'exception-ends-with-a-touch',
    rule: 'A listed exception stays listed until the difference is gone, because the verified time has passed it.',
    changes: [
      insertBefore(
        'listed-drift-stays-listed',
        'for (const one of this.items.values()) if (one.touches.oldest.size > 0) one.isListed = false;',
      ),
    ],
  },
];

/** Planted in restarts, gaps and the base. */
const RESTARTS: readonly Mutant[] = [
  {
    name: 'feed-begins-once',
    rule: 'A feed that stopped before it reported any record of a shard begins again, because older changes may follow newer ones.',
    changes: [drop('feed-begins-again-with-unread-shards')],
  },
  {
    name: 'restart-from-the-last-record',
    rule: 'The saved position of a shard is the position of its oldest open record.',
    changes: [setValue('position-is-that-of-the-oldest-open-record', 'read?.after')],
  },
  {
    name: 'children-beside-their-parents',
    rule: 'A shard is read only after its parent.',
    changes: [
      replace(
        'parent-shards-are-read-first',
        'const readable = this.listed.filter(({ shardId }) => !this.finished.has(shardId));',
      ),
    ],
  },
  {
    name: 'drift-is-forgotten',
    rule: "Known drift is saved, because the verified time advances without it and its records aren't read again.",
    changes: [setProperty('drift-is-kept-across-restarts', 'drift', '[]')],
  },
  {
    name: 'time-goes-on-in-a-gap',
    rule: 'After a gap, the verified time stands still until a check of the whole table ends the gap.',
    changes: [setCondition('time-stands-in-a-gap', 'this.baseMs === undefined')],
  },
  {
    name: 'another-stream-is-no-gap',
    rule: 'A stream other than the saved one is a gap.',
    changes: [insertBefore('another-stream-is-a-gap', 'if (from.streamArn !== context.source.streamArn) return;')],
  },
  {
    name: 'long-absence-is-no-gap',
    rule: 'An absence that is longer than the stream keeps records is a gap.',
    changes: [setCondition('long-absence-is-a-gap', (old) => `${old} && from.savedMs < 0`)],
  },
  {
    name: 'lost-shard-is-no-gap',
    rule: 'A shard that leaves the stream before it is read to its end is a gap.',
    changes: [setCondition('lost-shard-is-a-gap', (old) => `${old} && atMs < 0`)],
  },
  {
    name: 'trimmed-records-are-no-gap',
    rule: 'A position that has left the stream is a gap.',
    changes: [replace('trimmed-records-are-a-gap', '() => undefined')],
  },
  {
    name: 'first-records-that-have-left-are-no-gap',
    rule: 'A shard whose first records may have left the stream unread is a gap.',
    changes: [setCondition('first-records-that-have-left-are-a-gap', 'sinceMs === null')],
  },
  {
    name: 'open-shard-is-forgotten',
    rule: 'A shard with open items is saved even after it has left the stream, so that a restart finds the gap.',
    changes: [setValue('open-shard-is-saved-after-it-has-left', 'new Set(this.tail.shardIds)')],
  },
  {
    name: 'check-before-the-gap',
    rule: 'Only a check that begins after a gap was noticed can end the gap.',
    changes: [replace('check-begins-after-the-gap', 'this.positionsMs ??= this.context.now();')],
  },
  {
    name: 'check-leaves-nothing-open',
    rule: 'Everything that a check of the whole table leaves unjudged is open.',
    changes: [drop('what-the-check-has-left-is-open')],
  },
  {
    name: 'base-without-its-differences',
    rule: 'The base is saved only after everything that the check left is judged, because no record opens it again.',
    changes: [setProperty('base-is-kept-once-it-is-judged', 'baseMs', 'this.baseMs')],
  },
];

/** Planted in the feed. */
const FEED: readonly Mutant[] = [
  {
    name: 'gap-is-not-told',
    rule: 'The feed reports every gap, because it never reports the changes in the gap.',
    changes: [drop('feed-tells-of-gaps')],
  },
];

/** Planted in what is told of as drift. */
const ALARMS: readonly Mutant[] = [
  {
    name: 'alarm-before-low-watermark',
    rule: "A difference is drift only if the projector had applied the item's newest touch before the look.",
    changes: [setValue('alarm-waits-for-the-low-watermark', 'newestMs < fromMs')],
  },
  {
    name: 'low-watermark-after-the-look',
    rule: 'A look asks for the low watermark before its first read.',
    changes: [
      replace(
        'low-watermark-is-asked-for-before-the-look',
        'const lowWatermarkMs = (await context.lowWatermark()) && Number.MAX_VALUE;',
      ),
    ],
  },
  {
    name: 'alarm-before-own-consumption',
    rule: 'A difference is judged only after all records from before the end of the look have been received.',
    changes: [setCondition('difference-waits-for-its-records', 'found === undefined')],
  },
  {
    name: 'received-without-clocks',
    rule: 'The time through which all records have been received allows for clock differences and for timestamps in whole seconds.',
    changes: [setValue('received-time-allows-for-clocks', 'through?.atMs')],
  },
  {
    name: 'oldest-touch-decides',
    rule: 'The newest touch of an item decides whether the item may still become right.',
    changes: [replace('newest-touch-is-kept', 'this.newestMs = Math.min(newestMs, this.newestMs || newestMs);')],
  },
  {
    name: 'alarm-during-a-fan-out',
    rule: "An item that a running fan-out has yet to visit isn't drift.",
    changes: [drop('alarm-waits-for-fan-outs-under-way')],
  },
  {
    name: 'alarm-beside-an-open-fan-out',
    rule: "An item that an open fan-out may reach isn't drift.",
    changes: [drop('alarm-waits-for-open-ranges')],
  },
  {
    name: 'unknown-low-watermark-is-certain',
    rule: "Without a low watermark, a finding says that it isn't certain.",
    changes: [setProperty('unknown-low-watermark-is-told', 'isCertain', 'true')],
  },
  {
    name: 'stuck-fan-out-holds-the-time',
    rule: 'An item behind a stuck fan-out is drift, because nothing will visit it.',
    changes: [setCondition('nothing-visits-parts-behind-a-stuck-fan-out', (old) => `${old} && fanOut === undefined`)],
  },
];

/** Planted in rules of which one is enough: each alone shows nothing. */
const TOGETHER: readonly Mutant[] = [
  {
    name: 'new-shards-hold-nothing',
    rule: "A shard that isn't known yet holds the verified time through the last listing or through its parent; either one is enough.",
    changes: [
      setProperty('time-is-not-after-the-last-listing', 'atMs', 'Number.MAX_SAFE_INTEGER'),
      setCondition('closed-shard-counts-until-its-children-are-known', 'isEnded'),
    ],
  },
  {
    name: 'lost-records-are-no-gap',
    rule: "Records that leave the stream unread are a gap, whether the stream, a shard, a shard's first records or the length of the absence shows it.",
    changes: [
      insertBefore('another-stream-is-a-gap', 'if (from.streamArn !== context.source.streamArn) return;'),
      setCondition('lost-shard-is-a-gap', (old) => `${old} && atMs < 0`),
      setCondition('first-records-that-have-left-are-a-gap', 'sinceMs === null'),
      setCondition('long-absence-is-a-gap', (old) => `${old} && from.savedMs < 0`),
    ],
  },
];

const ALL: readonly Mutant[] = [
  ...OPENING,
  ...CLOSING,
  ...FAN_OUTS,
  ...TIME,
  ...RESTARTS,
  ...ALARMS,
  ...FEED,
  ...TOGETHER,
  ...MARK,
];

/** Those that schedules find: drawn ones within the sweep of the test, or a kept one. A new bug belongs here once it is found. */
const FOUND: ReadonlySet<string> = new Set([
  'gap-is-not-told',
  'derived-records-open-nothing',
  'looks-are-eventual',
  'partitions-are-read-eventually',
  'parts-of-a-fan-out-inherit-nothing',
  'open-parts-hold-nothing',
  'clocks-agree',
  'exceptions-are-many',
  'restart-from-the-last-record',
  'drift-is-forgotten',
  'feed-begins-once',
  'time-goes-on-in-a-gap',
  'check-leaves-nothing-open',
  'alarm-before-low-watermark',
  'low-watermark-after-the-look',
  'unknown-low-watermark-is-certain',
  'mark-passes-what-is-not-read',
  'mark-of-the-end-of-the-look',
  'saved-mark-passes-what-is-unclaimed',
  'records-before-the-tail-are-skipped',
  'claims-are-dropped-before-their-records',
  'new-stream-forgets-the-one-before',
  'gone-records-hold-the-mark',
]);

/** Bugs planted in the observer. */
export const OBSERVER_MUTANTS: readonly Mutant[] = bugsNamed(ALL, FOUND);

/** Those that the attack of `verify/` finds within the sweep of its test, and the simulator of the observer does not. */
const FOUND_BY_ATTACK: ReadonlySet<string> = new Set([
  'base-records-open-nothing',
  'changed-node-opens-no-fan-out',
  'fan-out-stops-at-missing-reverse-items',
  'fan-outs-are-queried-eventually',
  'newest-shard-holds-the-time',
  'new-shards-hold-nothing',
  'lost-records-are-no-gap',
  'evicted-type-that-comes-back-opens-nothing',
  'index-item-opens-no-count',
  'base-without-its-differences',
  'alarm-before-own-consumption',
]);

/** Bugs planted in the observer that the attack finds. */
export const VERIFY_MUTANTS: readonly Mutant[] = bugsNamed(ALL, FOUND_BY_ATTACK);

const OF_NEW_SHARDS = 'nothing alone: `new-shards-hold-nothing` breaks both rules of new shards';
const OF_LOST_RECORDS = 'nothing alone: `lost-records-are-no-gap` breaks all four rules of lost records';

/** Why schedules cannot find a bug alone. */
export const HIDDEN: Readonly<Record<string, string>> = {
  'listing-holds-nothing': OF_NEW_SHARDS,
  'closed-shard-holds-nothing': OF_NEW_SHARDS,
  'another-stream-is-no-gap': OF_LOST_RECORDS,
  'long-absence-is-no-gap': OF_LOST_RECORDS,
  'lost-shard-is-no-gap': OF_LOST_RECORDS,
  'first-records-that-have-left-are-no-gap': OF_LOST_RECORDS,
  'late-parts-inherit-nothing': 'nothing alone: `parts-of-a-fan-out-inherit-nothing` breaks both ways to inherit',
  'gone-reverse-item-opens-no-copy':
    'none of 2,100 schedules of `verify`: the item has to go between the change of its node and the Query, and its record to come after that',
  'earlier-query-names-the-parts':
    'none of 2,100 schedules of `verify`: the node has to change again, and a child to come, while the fan-out of its first change is open',
  'children-beside-their-parents':
    'nothing of what the observer says: a look does not depend on the order of records; the feed does',
};

const HAVE_A_SCHEDULE: ReadonlySet<string> = new Set(Object.values(WRITTEN).map(({ bug }) => bug));

/** Bugs planted in the observer that a written schedule finds: each has one of its own. */
export const WRITTEN_MUTANTS: readonly Mutant[] = bugsNamed(ALL, HAVE_A_SCHEDULE);

/** Bugs planted in the observer that no schedule finds: `HIDDEN` says why. */
export const OBSERVER_EXPERIMENTS: readonly Mutant[] = ALL.filter(
  ({ name }) => !FOUND.has(name) && !FOUND_BY_ATTACK.has(name) && !HAVE_A_SCHEDULE.has(name),
);
