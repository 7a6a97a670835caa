import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesOf, type FeedModel } from '../../src/client/feed/changes-of.ts';
import type { FeedChange } from '../../src/client/feed/feed-change.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { exactNumber } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import { projectionsOfModel } from '../../src/registry/projections-in-force.ts';
import type { RawRecord } from '../../src/stream/raw-record.ts';
import { FeedFollower } from '../support/feed-follower.ts';

/**
 * A program that lets the higher revision win ends with the newest state of an item, in whatever order changes come and however often: over
 * deletions, tombstones that expire, restored tables, new streams, and shards whose numbers begin below those of their parents.
 */

const graph = defineGraph({
  table: 'library',
  nodes: { BOOK: node(), READER: node() },
  edges: {
    DERIVED: edge({
      from: 'BOOK',
      to: 'READER',
      edgeSet: false,
      inbound: { orders: { byDay: 'day' }, project: ['note'] },
    }),
    NATIVE: edge({
      ...{ from: 'BOOK', to: 'READER', edgeSet: false },
      inbound: { native: true, orders: { byDay: 'day' }, project: ['note'] },
    }),
  },
});
const model: FeedModel = { graph, projections: projectionsOfModel(graph), readNumber: exactNumber };

/** Milliseconds that pass before a step, and what it does. */
type Step = { passesMs: number; does: 'write' | 'delete' | 'expire' | 'restore' | 'new shard' };

const HOUR_MS = 3_600_000;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ passesMs: fc.constantFrom(0, 1, 900, HOUR_MS), does: fc.constant('write' as const) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ passesMs: fc.constantFrom(0, 5, HOUR_MS), does: fc.constant('delete' as const) }),
  },
  // TTL deletes a tombstone after two days.
  { weight: 2, arbitrary: fc.record({ passesMs: fc.constant(48 * HOUR_MS), does: fc.constant('expire' as const) }) },
  // A table is restored, and a shard replaced, with the clock going on.
  { weight: 1, arbitrary: fc.record({ passesMs: fc.constant(HOUR_MS), does: fc.constant('restore' as const) }) },
  { weight: 2, arbitrary: fc.record({ passesMs: fc.constant(1_000), does: fc.constant('new shard' as const) }) },
);

/** The records of one item of a list, whose numbers a restore or a new shard lets fall. */
function recordsOf(
  type: 'DERIVED' | 'NATIVE',
  steps: readonly Step[],
): { records: RawRecord[]; last: string | undefined } {
  const [source, baseKey] = ['BOOK-1', `${type}-READER-1`];
  let nowMs = 1_790_000_000_000;
  let sequence = 500;
  let stored: Item | undefined;
  /** What a backup has. */
  let saved: Item | undefined;
  let note: string | undefined;
  let savedNote: string | undefined;
  const records: RawRecord[] = [];
  const write = (after: Item | undefined): void => {
    sequence += 1;
    const target = type === 'NATIVE' ? baseKey : `~ix/${baseKey}`;
    const keys = { source: { S: source }, target: { S: target } };
    records.push({
      eventName: stored === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
      dynamodb: {
        Keys: keys,
        SequenceNumber: String(sequence),
        ApproximateCreationDateTime: Math.floor(nowMs / 1000),
        ...(stored && { OldImage: { ...keys, ...stored } }),
        ...(after && { NewImage: { ...keys, ...after } }),
      },
    });
    stored = after;
  };
  /** The next state of the item. A derived one counts its revisions, from 1 on where it is new. */
  const stateOf = (now: string | undefined): Item | undefined => {
    const base = { day: { S: '2026-01-01' }, note: { S: now ?? '' } };
    if (type === 'NATIVE') return now === undefined ? undefined : base;
    const r = { N: String(Number((stored?.['r'] as { N: string } | undefined)?.N ?? 0) + 1) };
    if (now === undefined) return { r, expiresAt: { N: '1' } };
    const [[, fields]] = [...derivedOf(graph, source, baseKey, base).indexItems] as [[string, Item]];
    return { ...fields, r };
  };
  for (const [i, { passesMs, does }] of steps.entries()) {
    nowMs += passesMs;
    if (i === 3) [saved, savedNote] = [stored, note];
    if (does === 'write') {
      note = `n${i}`;
      write(stateOf(note));
    } else if (does === 'delete') {
      if (note === undefined) continue;
      note = undefined;
      write(stateOf(undefined));
    } else if (does === 'expire') {
      if (note === undefined && stored !== undefined) write(undefined);
    } else {
      sequence = does === 'restore' ? 0 : Math.floor(sequence / 3);
      if (does === 'restore') [stored, note] = [saved, savedNote];
    }
  }
  // What a restore has brought back no record tells: the last write does.
  nowMs += 1_000;
  note = 'last';
  write(stateOf(note));
  return { records, last: note };
}

const shownOf = (changes: Iterable<FeedChange>): unknown => {
  const follower = new FeedFollower();
  for (const change of changes) follower.take(change);
  return follower.rows(() => true).map(({ attributes }) => attributes);
};

describe.each(['DERIVED', 'NATIVE'] as const)('revisions of a %s list', (type) => {
  it('never fall, so that the higher one is newer in whatever order changes come', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 4, maxLength: 14 }), fc.infiniteStream(fc.nat()), (steps, draws) => {
        const { records, last } = recordsOf(type, steps);
        const changes = records.flatMap((record) => changesOf(model, record));
        const revisions = changes.map(({ revision }) => revision);
        expect(revisions).toEqual(revisions.toSorted());
        expect(new Set(revisions).size).toBe(revisions.length);
        const shuffled = [...changes, ...changes.slice(0, 3)]
          .map((change) => ({ change, place: draws.next().value as number }))
          .sort((left, right) => left.place - right.place)
          .map(({ change }) => change);
        expect(shownOf(shuffled)).toEqual([{ note: last }]);
      }),
      { numRuns: 500 },
    );
  });
});
