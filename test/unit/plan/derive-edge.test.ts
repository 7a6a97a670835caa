import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { hash128 } from '../../../src/core/items/keys.ts';
import { derive as computed, node, number, rank, sum } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { indexSortKey } from '../../support/derived-keys.ts';
import { anyEdge, define } from '../../support/model.ts';
import { baseItem } from '../../support/records.ts';

const SOURCE = 'GOAL-G1';
const SORT_KEY = 'MEMBER-USER-U1';

/** What an edge with these options and attributes wants derived. */
function derived(options: object, attributes: Item, sortKey = SORT_KEY) {
  const graph = define({
    table: 'records',
    nodes: { GOAL: node({ view: 'ALL' }), USER: node({ view: 'ALL' }) },
    edges: { MEMBER: anyEdge({ from: 'GOAL', to: 'USER', ...options }) },
  });
  return derivedOf(graph, SOURCE, sortKey, baseItem(SOURCE, sortKey, attributes));
}

describe('the example of the documentation', () => {
  it('an edge has an element with its role, and an index item under its rank and its date', () => {
    const target = 'GOALMEMBERSHIP-USER-U1';
    const attributes = { memberRole: { S: 'LEAD' }, date: { S: '2020-07-01' }, note: { S: 'x' } };
    const result = derivedOf(goalGraph(), SOURCE, target, baseItem(SOURCE, target, attributes));
    expect(result.element).toBe('GOALMEMBERSHIP-USER-U1|memberRole=LEAD');
    expect(result.attributes).toBeUndefined();
    expect(Object.fromEntries(result.indexItems)).toEqual({
      '~ix/GOALMEMBERSHIP-USER-U1': {
        gsi0pk: { S: target },
        gsi0sk: { S: indexSortKey('500-LEAD', SOURCE) },
        gsi1pk: { S: target },
        gsi1sk: { S: indexSortKey('2020-07-01T00:00:00', SOURCE) },
        attributes: { M: { memberRole: { S: 'LEAD' }, date: { S: '2020-07-01' } } },
      },
    });
  });
});

describe('the element of an edge', () => {
  it('names the target only by default, and is absent where the type is left out of the set', () => {
    expect(derived({}, { role: { S: 'LEAD' } }).element).toBe('MEMBER-USER-U1');
    expect(derived({ edgeSet: false }, {}).element).toBeUndefined();
  });
  it('has labels from attributes of any scalar type, by other names, or computed; absent ones are left out', () => {
    const edgeSet = {
      role: 'memberRole',
      n: 'count',
      year: computed(({ date }) => String(date).slice(0, 4)),
      no: 'none',
    };
    const attributes = { memberRole: { S: 'LEAD' }, count: { N: '3' }, date: { S: '2020-07-01' } };
    expect(derived({ edgeSet }, attributes).element).toBe('MEMBER-USER-U1|role=LEAD|n:3|year=2020');
  });
  it('takes the base64 text of a Lambda event for the bytes that it means', () => {
    const fromEvent = derived({ edgeSet: ['mark'] }, { mark: { B: 'AQI=' } } as unknown as Item).element;
    expect(fromEvent).toBe(derived({ edgeSet: ['mark'] }, { mark: { B: new Uint8Array([1, 2]) } }).element);
  });
  it('a computed label may be undefined', () => {
    expect(derived({ edgeSet: { a: computed(() => undefined) } }, {}).element).toBe('MEMBER-USER-U1');
  });
});

describe('the index item of an edge', () => {
  it('is there with each order whose attribute is, and not at all without', () => {
    const inbound = { orders: { gsi0: 'since', gsi1: number('score') } };
    const keysOf = (attributes: Item) =>
      Object.keys(derived({ inbound }, attributes).indexItems.get('~ix/MEMBER-USER-U1') ?? {}).sort();
    expect(keysOf({ since: { S: 'a' }, score: { N: '1' } })).toEqual(['gsi0pk', 'gsi0sk', 'gsi1pk', 'gsi1sk']);
    expect(keysOf({ since: { S: 'a' } })).toEqual(['gsi0pk', 'gsi0sk']);
    expect(keysOf({ score: { N: '1' } })).toEqual(['gsi1pk', 'gsi1sk']);
    expect(keysOf({})).toEqual([]);
  });
  it('is sharded by source, or by value, in all orders', () => {
    const partitions = (shardBy: string) => {
      const inbound = { orders: { gsi0: 'since', gsi1: 'score' }, shards: 50, shardBy };
      const item = derived({ inbound }, { since: { S: 'a' }, score: { S: 'b' } }).indexItems.get('~ix/MEMBER-USER-U1');
      return [item?.['gsi0pk'], item?.['gsi1pk']];
    };
    const [first, second] = partitions('source');
    expect(first).toEqual(second);
    expect(first).toMatchObject({ S: expect.stringMatching(/^MEMBER-USER-U1#\d+$/) });
    const [byFirst, bySecond] = partitions('value');
    expect(byFirst).not.toEqual(bySecond);
  });
  it('has projected attributes', () => {
    const attributes = { since: { S: 'a' }, note: { S: 'n' } };
    const copied = (project: unknown) =>
      derived({ inbound: { orders: { gsi0: 'since' }, project } }, attributes).indexItems.get('~ix/MEMBER-USER-U1')?.[
        'attributes'
      ];
    expect(copied(undefined)).toBeUndefined();
    expect(copied(['note'])).toEqual({ M: { note: { S: 'n' } } });
    expect(copied('ALL')).toEqual({ M: attributes });
  });
  it('does not depend on labels in its key, which is hashed where it would be too long', () => {
    const inbound = { orders: { gsi0: 'since' } };
    const sortKey = `MEMBER-USER-${'x'.repeat(1009)}`;
    const [key] = [...derived({ inbound }, { since: { S: 'a' } }, sortKey).indexItems.keys()];
    expect(key).toBe(`~ix/#${hash128(sortKey)}`);
  });
});

describe('the index items of named orders', () => {
  const inbound = {
    orders: { gsi0: 'since', byScore: number('score'), byRole: rank('role', { LEAD: 5 }) },
    project: ['role'],
  };
  it('leave the others there where one cannot be derived, and are named in the problem', () => {
    const { indexItems, problems } = derived({ inbound }, { since: { S: 'a' }, score: { S: 'high' } });
    expect([...indexItems.keys()]).toEqual(['~ix/MEMBER-USER-U1']);
    expect(problems).toMatchObject([
      { code: 'wrong-type', message: expect.stringContaining('order byScore of MEMBER') },
    ]);
  });
});

describe('what cannot be derived of an edge', () => {
  it.each<[string, string, object, Item]>([
    ['a label that is no scalar', 'wrong-type', { edgeSet: ['role'] }, { role: { L: [] } }],
    ['a computed label that throws', 'derive-failed', { edgeSet: { role: computed(() => JSON.parse('{')) } }, {}],
    ['a computed label with a lone surrogate', 'derive-failed', { edgeSet: { role: computed(() => '\ud800') } }, {}],
    ['an order of another type', 'wrong-type', { inbound: { orders: { gsi0: 'role' } } }, { role: { N: '1' } }],
    [
      'a label without rank',
      'undeclared-label',
      { inbound: { orders: { gsi1: rank('role', { LEAD: 1 }) } } },
      { role: { S: 'lead' } },
    ],
    [
      'a key that would be too long',
      'key-too-long',
      { inbound: { orders: { gsi0: 'role' } } },
      { role: { S: 'x'.repeat(1020) } },
    ],
    [
      'an index item beyond 400 KB',
      'item-too-large',
      { inbound: { orders: { gsi0: 'role' }, project: 'ALL' } },
      { role: { S: 'a' }, huge: { S: 'x'.repeat(406_000) } },
    ],
  ])('%s is a problem: %s', (_name, code, options, attributes) => {
    const { problems } = derived(options, attributes);
    expect(problems.map((problem) => problem.code)).toEqual([code]);
    expect(problems[0]?.message).toMatch(/MEMBER|label role|gsi/);
  });

  it('leaves the good parts beside it: one order of two, and the element', () => {
    const options = { edgeSet: ['role'], inbound: { orders: { gsi0: 'since', gsi1: number('score') } } };
    const result = derived(options, { role: { S: 'LEAD' }, since: { S: 'a' }, score: { S: 'high' } });
    expect(result.element).toBe('MEMBER-USER-U1|role=LEAD');
    expect(Object.keys(result.indexItems.get('~ix/MEMBER-USER-U1')!)).toEqual(['gsi0pk', 'gsi0sk']);
    expect(result.problems).toHaveLength(1);
  });

  it('an edge between types that it does not join is a misfit, and wants nothing', () => {
    const result = derived({ inbound: { orders: { gsi0: 'since' } } }, { since: { S: 'a' } }, 'MEMBER-GOAL-2');
    expect(result).toEqual({
      indexItems: new Map(),
      problems: [{ code: 'misfit', message: 'edge type MEMBER enters USER, not GOAL' }],
    });
  });
});

it('values that a total cannot add are counted as problems beside those that it can', () => {
  const total = { hours: sum('hours'), cost: sum('cost') };
  const attributes = { date: { S: '2026-01-01' }, hours: { N: '2.5' }, cost: { S: 'much' }, kind: { S: 'WORK' } };
  const result = derived({ inbound: { orders: { gsi0: 'date' }, total, groupBy: ['kind'] } }, attributes);
  const ledger = { 'sum/hours': { N: '2.5' }, 'by/kind': { S: 'SWORK' }, problems: { N: '1' } };
  expect(result.inTarget).toMatchObject([{ fields: { ledger: { M: ledger } } }]);
  expect(result.problems).toMatchObject([{ code: 'wrong-type', attribute: 'cost' }]);
});
