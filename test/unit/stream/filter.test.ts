import { describe, expect, it } from 'vitest';
import { isBaseSortKey, streamFilterPattern } from '../../../src/core/plan/stream-filter.ts';
import { matchesPattern } from '../../support/filter-pattern.ts';

/** The rule of the code and the pattern of the event source mapping, on the same records. */

const BASE = ['GOAL-G1', 'GOALMEMBERSHIP-USER-U1', 'A', 'Z', 'ZEBRA-1', 'B_2-~view', 'USER-~', 'M-é', 'Q-\u{1f600}'];
const CONTINUATIONS = ['~more/', '~more/GOAL-G1/5'];
const OTHERS = [
  ...['~view', '~ix/name', '~ix/GOALMEMBERSHIP-USER-U1', '~quarantine/GOAL-G1/1', '~', '~more', '~MORE/', '~A'],
  ...['goal-g1', 'zebra', '[', '@', '1-GOAL', ' GOAL-G1', '_A', 'ÄGYPTEN-1', 'Ａ-1', '', '-', '{"prefix":"A"}'],
];

function record(eventName: string, sortKey: string, name = 'target') {
  return {
    eventName,
    eventSource: 'aws:dynamodb',
    dynamodb: {
      Keys: { source: { S: 'GOAL-G1' }, [name]: { S: sortKey } },
      // What images hold must not matter.
      NewImage: { source: { S: 'GOAL-G1' }, [name]: { S: sortKey }, other: { S: 'A' } },
      SequenceNumber: '1',
    },
  };
}

describe.each(['INSERT', 'MODIFY', 'REMOVE'])('records of %s', (eventName) => {
  const passes = (sortKey: string) =>
    matchesPattern(streamFilterPattern({ sortKey: 'target' }), record(eventName, sortKey));

  it.each(BASE)('with the base sort key %j pass, by the pattern and the code', (sortKey) => {
    expect([passes(sortKey), isBaseSortKey(sortKey)]).toEqual([true, true]);
  });
  it.each(CONTINUATIONS)('with the continuation key %j pass, and are no base items', (sortKey) => {
    expect([passes(sortKey), isBaseSortKey(sortKey)]).toEqual([true, false]);
  });
  it.each(OTHERS)('with the sort key %j do not, by both', (sortKey) => {
    expect([passes(sortKey), isBaseSortKey(sortKey)]).toEqual([false, false]);
  });
});

describe('the pattern', () => {
  it("follows the table's name of the sort key", () => {
    const pattern = streamFilterPattern({ sortKey: 'sk' });
    expect(matchesPattern(pattern, record('INSERT', 'GOAL-G1', 'sk'))).toBe(true);
    expect(matchesPattern(pattern, record('INSERT', 'GOAL-G1', 'target'))).toBe(false);
  });
  it('agrees with the rule on every character that a sort key can begin with', () => {
    const pattern = streamFilterPattern({ sortKey: 'target' });
    const differing: string[] = [];
    for (let code = 1; code < 0xd800; code++) {
      const sortKey = `${String.fromCharCode(code)}-1`;
      if (matchesPattern(pattern, record('INSERT', sortKey)) !== isBaseSortKey(sortKey)) differing.push(sortKey);
    }
    expect(differing).toEqual([]);
  });
  it('fits into what Lambda takes: one pattern of 4,096 characters', () => {
    expect(JSON.stringify(streamFilterPattern({ sortKey: 'a'.repeat(255) })).length).toBeLessThan(4096);
  });
});
