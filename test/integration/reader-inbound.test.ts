import { beforeAll, describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { ExactNumber } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, number, rank } from '../../src/core/model/schema.ts';
import { allPages, countingReader } from '../support/reader.ts';
import { baseItem } from '../support/records.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: { GOAL: node({ view: 'ALL' }), USER: node({ view: 'ALL' }), TEAM: node({ view: 'ALL' }) },
  edges: {
    MEMBER: edge({
      from: 'GOAL',
      to: ['USER', 'TEAM'],
      inbound: {
        orders: { gsi0: rank('role', { LEAD: 500, OWNER: 500, CONTRIBUTOR: 200, TEAM: 100 }), gsi1: date('date') },
        project: ['role', 'date'],
      },
    }),
    SCORE: edge({ from: 'GOAL', to: 'USER', inbound: { orders: { gsi0: number('score') }, shards: 3 } }),
    TAG: edge({
      from: 'GOAL',
      to: 'USER',
      inbound: { orders: { gsi1: 'tag' }, shards: 4, shardBy: 'value', project: 'ALL' },
    }),
    PLAIN: edge({ from: 'GOAL', to: 'USER' }),
  },
});

const ROLES = ['LEAD', 'OWNER', 'CONTRIBUTOR', 'TEAM'];
const WEIGHTS: Record<string, number> = { LEAD: 500, OWNER: 500, CONTRIBUTOR: 200, TEAM: 100 };
const SCORES = ['-12345678901234567890123456789012345678', '-1', '0', '0', '0', '1', '1E+20', '1E+20'];

interface Member {
  source: string;
  role: string;
  date: string;
}

const members: Member[] = Array.from({ length: 24 }, (_, i) => ({
  source: `GOAL-${String(i).padStart(2, '0')}`,
  role: ROLES[i % 4]!,
  // Few dates: ties are broken by the source.
  date: `2020-0${(i % 3) + 1}-01`,
}));

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: ReturnType<typeof createReader<typeof graph>>;

beforeAll(async () => {
  table = await testTable(graph);
  const items = [
    ...members.map(({ source, role, date }) =>
      baseItem(source, 'MEMBER-USER-1', { role: { S: role }, date: { S: date }, note: { S: 'not projected' } }),
    ),
    baseItem('GOAL-00', 'MEMBER-USER-10', { role: { S: 'LEAD' } }),
    baseItem('GOAL-01', 'MEMBER-USER-10', { date: { S: '2020-01-01' } }),
    ...SCORES.map((score, i) => baseItem(`GOAL-s${i}`, 'SCORE-USER-1', { score: { N: score } })),
    ...['x', 'y', 'y', 'z'].map((tag, i) => baseItem(`GOAL-t${i}`, 'TAG-USER-1', { tag: { S: tag } })),
    // A producer's items that have the index keys as attributes of their own: between ours, and with the key of one.
    ...['200-', '500-LEAD\u0000GOAL-00', '999'].map((sortKey, i) => ({
      source: { S: `OTHER-${i}` },
      target: { S: `OTHER-${i}` },
      gsi0pk: { S: 'MEMBER-USER-1' },
      gsi0sk: { S: sortKey },
    })),
  ];
  await table.store.writeMany(items.map((put) => ({ put })));
  await table.projectAll();
  reader = createReader(graph, { store: table.store });
});

function byRank({ role, source }: Member): string {
  return `${WEIGHTS[role]}-${role} ${source}`;
}

function sorted(members: Member[], key: (member: Member) => string): string[] {
  return [...members].sort((left, right) => (key(left) < key(right) ? -1 : 1)).map(({ source }) => source);
}

const sources = (page: { items: { source: string }[] }): string[] => page.items.map(({ source }) => source);

describe('inbound', () => {
  it('gives source, type, target and what the model projects, in the first order', async () => {
    const { items, cursor } = await reader.inbound('USER-1', 'MEMBER');
    expect(cursor).toBeUndefined();
    expect(sources({ items })).toEqual(sorted(members, byRank));
    expect(items[0]).toEqual({
      source: 'GOAL-03',
      type: 'MEMBER',
      target: 'USER-1',
      attributes: { role: 'TEAM', date: '2020-01-01' },
    });
  });

  it('gives everything at least as high as a label, by its weight', async () => {
    const atLeast = members.filter(({ role }) => role !== 'TEAM');
    expect(sources(await reader.inbound('USER-1', 'MEMBER', { atLeast: 'CONTRIBUTOR' }))).toEqual(
      sorted(atLeast, byRank),
    );
    // OWNER weighs as much as LEAD and sorts after it; both labels mean the weight.
    const highest = sorted(
      members.filter(({ role }) => role === 'LEAD' || role === 'OWNER'),
      byRank,
    );
    expect(sources(await reader.inbound('USER-1', 'MEMBER', { atLeast: 'LEAD' }))).toEqual(highest);
    expect(sources(await reader.inbound('USER-1', 'MEMBER', { atLeast: 'OWNER' }))).toEqual(highest);
    expect(sources(await reader.inbound('USER-1', 'MEMBER', { between: ['TEAM', 'CONTRIBUTOR'] }))).toEqual(
      sorted(
        members.filter(({ role }) => role === 'TEAM' || role === 'CONTRIBUTOR'),
        byRank,
      ),
    );
  });

  it('gives exactly a label', async () => {
    const leads = members.filter(({ role }) => role === 'LEAD');
    expect(sources(await reader.inbound('USER-1', 'MEMBER', { equals: 'LEAD' }))).toEqual(sorted(leads, byRank));
  });

  it('gives the second order, from one date to another, both inclusive', async () => {
    const byDate = ({ date, source }: Member): string => `${date} ${source}`;
    const options = { order: 'gsi1', between: ['2020-02-01', '2020-03-01T00:00:00Z'], reverse: true } as const;
    const expected = sorted(
      members.filter(({ date }) => date >= '2020-02-01'),
      byDate,
    ).reverse();
    expect(sources(await reader.inbound('USER-1', 'MEMBER', options))).toEqual(expected);
    expect(sources(await reader.inbound('USER-1', 'MEMBER', { order: 'gsi1', equals: '2020-03-01' }))).toEqual(
      sorted(
        members.filter(({ date }) => date === '2020-03-01'),
        byDate,
      ),
    );
  });

  it('merges shards in order, one call to each', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const inOrder = SCORES.map((_, i) => `GOAL-s${i}`);
    const calls = await callsOf(async () => {
      expect(sources(await counted.inbound('USER-1', 'SCORE'))).toEqual(inOrder);
    });
    expect(calls).toEqual({ QueryCommand: 3 });
    expect(sources(await reader.inbound('USER-1', 'SCORE', { atLeast: 0n }))).toEqual(inOrder.slice(2));
    expect(
      sources(await reader.inbound('USER-1', 'SCORE', { between: [undefined, new ExactNumber(SCORES[0]!)] })),
    ).toEqual(['GOAL-s0']);
    expect(sources(await reader.inbound('USER-1', 'SCORE', { equals: 1e20, reverse: true }))).toEqual([
      'GOAL-s7',
      'GOAL-s6',
    ]);
  });

  it('asks one shard for one value where the shard is taken from the value', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const calls = await callsOf(async () => {
      expect(await counted.inbound('USER-1', 'TAG', { equals: 'y' })).toEqual({
        items: ['GOAL-t1', 'GOAL-t2'].map((source) => ({
          source,
          type: 'TAG',
          target: 'USER-1',
          attributes: { tag: 'y' },
        })),
      });
    });
    expect(calls).toEqual({ QueryCommand: 1 });
    expect(sources(await reader.inbound('USER-1', 'TAG', { reverse: true }))).toEqual([
      ...['GOAL-t3', 'GOAL-t2', 'GOAL-t1', 'GOAL-t0'],
    ]);
  });
});

describe('pages', () => {
  const queries = [
    { name: 'of a rank', edgeType: 'MEMBER', options: {} },
    { name: 'of a rank from a label on', edgeType: 'MEMBER', options: { atLeast: 'CONTRIBUTOR' } },
    { name: 'of the second order', edgeType: 'MEMBER', options: { order: 'gsi1' } },
    { name: 'of several shards with ties', edgeType: 'SCORE', options: {} },
  ] as const;

  for (const { name, edgeType, options } of queries) {
    it(`${name}, of every size and in both directions, give the whole list once and end without a cursor`, async () => {
      // The compiler does not know which options belong to which edge type.
      const untyped = reader as unknown as Reader;
      const whole = sources(await untyped.inbound('USER-1', edgeType, options));
      for (let limit = 1; limit <= whole.length + 1; limit++) {
        for (const reverse of [false, true]) {
          const pages = await allPages((cursor) =>
            untyped.inbound('USER-1', edgeType, { ...options, limit, reverse, cursor }),
          );
          const expected = reverse ? [...whole].reverse() : whole;
          expect(sources({ items: pages.flat() })).toEqual(expected);
          expect(pages).toHaveLength(Math.ceil(whole.length / limit));
        }
      }
    });
  }

  it('are one call each, where nothing of others lies in between', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    for (const reverse of [false, true]) {
      const calls = await callsOf(async () => {
        const pages = await allPages((cursor) =>
          counted.inbound('USER-1', 'MEMBER', { order: 'gsi1', limit: 8, reverse, cursor }),
        );
        expect(pages.map((page) => page.length)).toEqual([8, 8, 8]);
      });
      expect(calls).toEqual({ QueryCommand: 3 });
    }
  });

  it('go on where they were after items before and behind have come and gone', async () => {
    const options = { order: 'gsi1', limit: 2 } as const;
    const user = 'USER-moving';
    const put = (source: string, date: string) =>
      table.store.put(baseItem(source, `MEMBER-${user}`, { date: { S: date } }));
    for (const [i, source] of ['GOAL-a', 'GOAL-b', 'GOAL-c', 'GOAL-d'].entries())
      await put(source, `2020-01-0${i + 1}`);
    await table.projectAll();
    const first = await reader.inbound(user, 'MEMBER', options);
    expect(sources(first)).toEqual(['GOAL-a', 'GOAL-b']);
    // The item that the cursor stands for goes; one comes in before it, one right after.
    await table.store.delete({ source: 'GOAL-b', target: `MEMBER-${user}` });
    await put('GOAL-aa', '2020-01-01');
    await put('GOAL-bb', '2020-01-02');
    await table.projectAll();
    const second = await reader.inbound(user, 'MEMBER', { ...options, cursor: first.cursor });
    expect(sources(second)).toEqual(['GOAL-bb', 'GOAL-c']);
    const third = await reader.inbound(user, 'MEMBER', { ...options, cursor: second.cursor });
    expect(sources(third)).toEqual(['GOAL-d']);
    expect(third.cursor).toBeUndefined();
  });
});

describe('arguments that do not fit are refused', () => {
  it('with what the model declares', async () => {
    const any = reader as unknown as ReturnType<typeof createReader>;
    const refusals: [Promise<unknown>, string, string, string][] = [
      [any.inbound('USER-1', 'MEMBRE'), 'unknown-type', 'no edge type "MEMBRE"', 'MEMBER, SCORE, TAG, PLAIN'],
      [any.inbound('USER-1', '__proto__'), 'unknown-type', 'no edge type', 'MEMBER, SCORE, TAG, PLAIN'],
      [any.inbound('USER-1', 'PLAIN'), 'not-declared', 'no inbound order', 'edges.PLAIN'],
      [any.inbound('USER-1', 'TAG', { order: 'gsi0' }), 'unknown-name', 'no order "gsi0"', 'the orders gsi1'],
      [any.inbound('USER-1', 'TAG', { order: Object.create(null) }), 'unknown-name', 'no order', 'the orders gsi1'],
      [any.page('USER-1', 'PLAIN'), 'not-declared', 'no inbound order', 'edges.PLAIN'],
      [any.page('USER-1', 'MEMBER', { atLeast: 'BOSS' }), 'unknown-name', '"BOSS"', 'LEAD, OWNER'],
      [any.page('USER-1', 'MEMBER', { consistent: true }), 'invalid-argument', 'no consistent reads', 'session'],
      [
        any.inbound('USER-1', 'MEMBER', { atLeast: 'BOSS' }),
        'unknown-name',
        'atLeast of order gsi0 of MEMBER is "BOSS"',
        'LEAD, OWNER, CONTRIBUTOR, TEAM',
      ],
      [any.inbound('USER-1', 'MEMBER', { equals: 'constructor' }), 'unknown-name', 'no declared rank', 'LEAD'],
      [
        any.inbound('USER-1', 'MEMBER', { equals: 'LEAD', between: [undefined, 'LEAD'] }),
        'invalid-argument',
        'one of equals, atLeast',
        '',
      ],
      [
        any.inbound('USER-1', 'SCORE', { atLeast: 'x' }),
        'invalid-argument',
        'atLeast of order gsi0 of SCORE should be a number',
        '',
      ],
      [any.inbound('GOAL-1', 'MEMBER'), 'unknown-type', 'do not enter nodes of type GOAL', 'USER, TEAM'],
      [any.inbound('1', 'MEMBER'), 'invalid-id', '"1" is not a node id', 'USER-U1'],
      [any.inbound(`USER-${'x'.repeat(1_100)}`, 'MEMBER'), 'key-too-long', 'DynamoDB allows 1024', ''],
      [any.inbound('USER-1', 'MEMBER', { limit: -1 }), 'invalid-argument', 'is -1', ''],
      [any.inbound('USER-1', 'MEMBER', { consistent: true }), 'invalid-argument', 'no consistent reads', 'session'],
    ];
    for (const [read, code, message, hint] of refusals) {
      await expect(read).rejects.toThrow(
        expect.objectContaining({
          code,
          message: expect.stringContaining(message),
          hint: expect.stringContaining(hint),
        }),
      );
    }
  });
});
