import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { IndexSample } from '../../../src/trust/observe/index-sample.ts';
import { followGraph } from '../../support/follow-graph.ts';

const graph = followGraph();
const MINUTE = 60_000;

const imageOf = (revision: number, partition?: string): Item => ({
  ...{ source: { S: 'USER-1' }, target: { S: '~ix/FOLLOWS-USER-2' }, r: { N: String(revision) } },
  ...(partition !== undefined && { gsi0pk: { S: partition }, gsi0sk: { S: 'a' } }),
});
const at = (partition: string) => ({ index: 'gsi0', partition, sort: 'a' });
let number = 0;
const change = (oldImage: Item | undefined, newImage: Item | undefined, target = '~ix/FOLLOWS-USER-2') => ({
  ...{ source: 'USER-1', target, oldImage, newImage },
  ...{ sequenceNumber: String(++number), stream: '2026' },
});
/** A sample of all records, with one item that has moved from a place to another one. */
function asked(share = 1): IndexSample {
  const sample = new IndexSample(graph, share);
  sample.resume(undefined, 0);
  sample.receive(change(imageOf(1, 'old'), imageOf(2, 'new')), 0);
  return sample;
}
const moved = { stored: imageOf(2, 'new'), holds: [imageOf(2, 'new')], left: [undefined] };

describe('the items about which the indexes are asked', () => {
  it('are those in an index and those that have left a place, a minute later', () => {
    const sample = asked();
    expect(sample.due(MINUTE - 1)).toEqual([]);
    expect(sample.due(MINUTE)).toMatchObject([{ revision: '2', holds: [at('new')], left: [at('old')] }]);
    sample.receive(change(imageOf(2, 'new'), imageOf(3)), 0);
    expect(sample.due(MINUTE)).toMatchObject([{ revision: '3', holds: [], left: [at('new')] }]);
    sample.receive(change(imageOf(3, 'new'), imageOf(4, 'new')), 0);
    expect(sample.due(MINUTE)).toMatchObject([{ revision: '4', holds: [at('new')], left: [] }]);
    sample.receive(change(imageOf(4, 'new'), undefined), 0);
    expect(sample.due(MINUTE)).toMatchObject([{ revision: undefined, holds: [], left: [at('new')] }]);
  });

  it('are no items outside the indexes, no base items, none in an index of others, and none outside the share', () => {
    const sample = new IndexSample(graph, 1);
    sample.receive(change(imageOf(1), imageOf(2)), 0);
    sample.receive(change(imageOf(1, 'old'), imageOf(2, 'new'), 'FOLLOWS-USER-2'), 0);
    sample.receive(change(undefined, { ...imageOf(1), gsi1pk: { S: 'x' }, gsi1sk: { S: 'y' } }), 0);
    expect(sample.due(MINUTE)).toEqual([]);
    expect(asked(0).due(MINUTE)).toEqual([]);
    expect(asked(0).sampled).toBeUndefined();
  });

  it('are left alone once a newer record of them comes', () => {
    const sample = asked();
    sample.receive(change(imageOf(2), imageOf(3)), MINUTE);
    expect(sample.due(10 * MINUTE)).toEqual([]);
    expect(sample.sampled).toMatchObject({ asked: 0 });
  });

  it('wait on where records come again', () => {
    const sample = asked();
    const again = [imageOf(2, 'new'), imageOf(3, 'new')].map((image) => change(imageOf(1, 'old'), image));
    for (const record of again) sample.receive(record, 0);
    for (const record of again) sample.receive(record, MINUTE);
    expect(sample.due(MINUTE)).toMatchObject([{ revision: '3' }]);
  });

  it('are a thousand at most, ten of them a turn', () => {
    const sample = new IndexSample(graph, 1);
    sample.resume(undefined, 0);
    for (let i = 0; i < 1_500; i++) sample.receive(change(undefined, imageOf(1, 'a'), `~ix/FOLLOWS-USER-${i}`), 0);
    let turns = 0;
    for (let due = sample.due(MINUTE); due.length > 0; due = sample.due(MINUTE)) {
      turns += 1;
      expect(due).toHaveLength(10);
      for (const question of due)
        sample.take(question, { stored: imageOf(1, 'a'), holds: [imageOf(1, 'a')], left: [] }, 0);
    }
    expect([turns, sample.sampled]).toMatchObject([100, { asked: 1_000, wrong: 0 }]);
  });
});

describe('the answers', () => {
  it.each([
    ['missing', { ...moved, holds: [undefined] }],
    ['stale', { ...moved, holds: [{ ...imageOf(2, 'new'), attributes: { M: {} } }] }],
    ['left-over', { ...moved, left: [imageOf(1, 'old')] }],
  ])('are a difference that is %s after 1, 1, 5 and 15 minutes, and not before', (kind, answer) => {
    const sample = asked();
    let nowMs = 0;
    for (const minutes of [1, 1, 5]) {
      expect(sample.due(nowMs + minutes * MINUTE - 1)).toEqual([]);
      nowMs += minutes * MINUTE;
      expect(sample.take(sample.due(nowMs)[0]!, answer, nowMs)).toBeUndefined();
    }
    expect(sample.due(nowMs + 15 * MINUTE - 1)).toEqual([]);
    nowMs += 15 * MINUTE;
    const item = { source: 'USER-1', target: '~ix/FOLLOWS-USER-2' };
    expect(sample.take(sample.due(nowMs)[0]!, answer, nowMs)).toEqual({ ...item, index: 'gsi0', kind });
    expect(sample.sampled).toEqual({ asked: 1, wrong: 1, wrongItems: ['USER-1 ~ix/FOLLOWS-USER-2'], sinceMs: 0 });
    expect(sample.due(100 * MINUTE)).toEqual([]);
  });

  it('are the same where an index holds all attributes, or what readers need', () => {
    const { source, target, gsi0pk, gsi0sk } = imageOf(2, 'new');
    for (const holds of [imageOf(2, 'new'), { source: source!, target: target!, gsi0pk: gsi0pk!, gsi0sk: gsi0sk! }]) {
      const sample = asked();
      sample.take(sample.due(MINUTE)[0]!, { ...moved, holds: [holds] }, MINUTE);
      expect(sample.sampled).toMatchObject({ asked: 1, wrong: 0 });
    }
  });

  it('say nothing about an item that has another revision by now', () => {
    const sample = asked();
    const [question] = sample.due(MINUTE);
    question!.wrongLooks = 3;
    expect(sample.take(question!, { ...moved, stored: imageOf(3, 'new') }, MINUTE)).toBeUndefined();
    expect([sample.sampled, sample.due(100 * MINUTE)]).toMatchObject([{ asked: 0, wrong: 0 }, []]);
  });

  it('come later where a read fails, and the failure is told until then', () => {
    const sample = asked();
    sample.putOff(sample.due(MINUTE)[0]!, 'throttled', MINUTE);
    expect(sample.due(2 * MINUTE - 1)).toEqual([]);
    expect(sample.sampled).toMatchObject({ asked: 0, failure: 'throttled' });
    sample.take(sample.due(2 * MINUTE)[0]!, moved, 2 * MINUTE);
    expect(sample.sampled).toEqual({ asked: 1, wrong: 0, wrongItems: [], sinceMs: 0 });
  });

  it('are counted on from what is saved for a week, with ten names', () => {
    const names = Array.from({ length: 10 }, (_, i) => `USER-${i} ~view`);
    const saved = { asked: 41, wrong: 10, wrongItems: names, sinceMs: 0 };
    const sample = asked();
    const question = { ...sample.due(MINUTE)[0]!, wrongLooks: 3 };
    sample.resume(saved, MINUTE);
    sample.take(question, { ...moved, holds: [undefined] }, MINUTE);
    const wrongItems = ['USER-1 ~ix/FOLLOWS-USER-2', ...names.slice(0, 9)];
    expect(sample.sampled).toEqual({ asked: 42, wrong: 11, wrongItems, sinceMs: 0 });
    const weekMs = 7 * 24 * 60 * MINUTE;
    sample.resume(saved, weekMs);
    expect(sample.sampled).toEqual({ asked: 0, wrong: 0, wrongItems: [], sinceMs: weekMs });
  });
});
