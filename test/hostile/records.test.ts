import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { type Item, itemSizeBytes, stringOf } from '../../src/core/items/attribute-value.ts';
import { MAX_SEARCH_VALUES } from '../../src/core/kinds/parts/search-items.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, rank } from '../../src/core/model/schema.ts';
import { derivedOf } from '../../src/core/plan/derive.ts';
import { QUARANTINE_PARTITION } from '../../src/core/plan/quarantine-entry.ts';
import { queriedItems } from '../../src/core/store-pages.ts';
import { streamHandler } from '../../src/deployment/lambda/index.ts';
import type { RawRecord } from '../../src/stream/decode.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** A record that asks for more than a batch has time for ends in quarantine, and the batch goes on. */

const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };

function hostileGraph() {
  return defineGraph({
    table: uniqueTableName(),
    nodes: {
      USER: node({
        view: 'KEYS_ONLY',
        search: {
          name: { caseInsensitive: true },
          born: { type: 'date' },
          place: { path: ['state'], caseInsensitive: true },
          foods: { multiValue: true, project: 'ALL' },
          tags: { multiValue: true },
          level: rank('level', { GOLD: 2, STEEL: 1 }),
        },
      }),
    },
    edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: date('since') } } }) },
  });
}

/** Texts of three characters that differ. */
function foods(count: number): { SS: string[] } {
  return { SS: Array.from({ length: count }, (_, i) => i.toString(36).padStart(4, '0')) };
}

/** What one attribute of an item below 400 KB can hold, and the code that its quarantine entry has. */
const WORST: readonly [what: string, code: string, attributes: Record<string, unknown>][] = [
  [
    'a date whose fraction has 390,000 zeros',
    'key-too-long',
    { born: { S: `2020-07-01T00:00:00.${'0'.repeat(390_000)}1Z` } },
  ],
  ['a date that is none, of 390,000 digits', 'key-too-long', { born: { S: '1'.repeat(390_000) } }],
  ['a folded text of 190,000 accents', 'key-too-long', { name: { S: '\u0301\u0316'.repeat(95_000) } }],
  ['a path of 190,000 accents', 'key-too-long', { state: { S: '\u0301\u0316'.repeat(95_000) } }],
  ['a text of 390,000 characters to be searched for', 'key-too-long', { name: { S: 'x'.repeat(390_000) } }],
  ['a label of 390,000 characters that has no rank', 'undeclared-label', { level: { S: 'x'.repeat(390_000) } }],
  ['90,000 values that are searched for one by one', 'too-many-values', { foods: foods(90_000) }],
  ['5,001 values that are searched for one by one', 'too-many-values', { foods: foods(MAX_SEARCH_VALUES + 1) }],
  [
    '40 values whose items have 390,000 bytes of attributes each',
    'too-many-values',
    { foods: foods(40), text: { S: 'x'.repeat(390_000) } },
  ],
];

describe('a record that would use up the time of a batch', () => {
  beforeEach(() => void vi.spyOn(process.stdout, 'write').mockImplementation(() => true));
  afterEach(() => void vi.restoreAllMocks());

  it.each(WORST)(
    '%s: the record is quarantined as %s, those beside it are projected',
    async (_what, code, attributes) => {
      const graph = hostileGraph();
      const { store, streamArn } = await testTable(graph);
      const record = (sequence: number, source: string, target: string, rest: Record<string, unknown>): RawRecord => {
        const Keys = { source: { S: source }, target: { S: target } };
        const NewImage = { ...Keys, ...rest };
        return {
          eventName: 'INSERT',
          eventSourceARN: streamArn,
          dynamodb: { Keys, NewImage, SequenceNumber: `${100_000 + sequence}`, ApproximateCreationDateTime: 1e300 },
        };
      };
      const handler = streamHandler(graph, { store, logger: pino({ level: 'silent' }) });
      const Records = [
        record(1, 'USER-good', 'USER-good', { name: { S: 'Ada' } }),
        record(2, 'USER-bad', 'USER-bad', attributes),
        record(3, 'USER-good', 'FOLLOWS-USER-bad', { since: { S: '2026-01-01' } }),
      ];

      for (const { dynamodb } of Records) await store.put(dynamodb!.NewImage as Item);
      expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [] });

      const { items: entries } = await store.query({ index: 'gsi0', partition: QUARANTINE_PARTITION });
      expect(entries.map(({ source, code: found }) => [stringOf(source), stringOf(found)])).toEqual([
        ['USER-bad', code],
      ]);
      expect(itemSizeBytes(entries[0]!)).toBeLessThan(10_000);
      const target = { target: '~view' };
      expect((await store.get({ source: 'USER-good', ...target }, { consistent: true })).item).toBeDefined();
      expect((await store.get({ source: 'USER-bad', ...target }, { consistent: true })).item).toBeDefined();
    },
  );

  it('is quarantined too where it was fine before: its items go, and the entry stays small', async () => {
    const graph = hostileGraph();
    const { store, streamArn } = await testTable(graph);
    const Keys = { source: { S: 'USER-1' }, target: { S: 'USER-1' } };
    const long = (i: number): string => `${i}${'x'.repeat(900)}`;
    const OldImage = { ...Keys, tags: { SS: Array.from({ length: 400 }, (_, i) => long(i)) } };
    const NewImage = { ...Keys, tags: { N: '1' } };
    const handler = streamHandler(graph, { store, logger: pino({ level: 'silent' }) });
    const project = async (dynamodb: NonNullable<RawRecord['dynamodb']>) => {
      await store.put(dynamodb.NewImage as Item);
      const eventName = dynamodb.OldImage === undefined ? 'INSERT' : 'MODIFY';
      const Records = [{ eventName, eventSourceARN: streamArn, dynamodb: { Keys, ...dynamodb } }];
      expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [] });
    };
    const live = async () => {
      let count = 0;
      for await (const item of queriedItems(store, {
        partition: 'USER-1',
        sortKey: { beginsWith: '~ix/' },
        consistent: true,
      }))
        if (item[graph.table.ttl] === undefined) count += 1;
      return count;
    };

    await project({ NewImage: OldImage, SequenceNumber: '100001' });
    expect(await live()).toBe(400);
    await project({ OldImage, NewImage, SequenceNumber: '100002' });
    expect(await live()).toBe(0);

    const { items: entries } = await store.query({ index: 'gsi0', partition: QUARANTINE_PARTITION });
    expect(entries).toHaveLength(1);
    expect(itemSizeBytes(entries[0]!)).toBeLessThan(10_000);
  });
});

describe('the values of one attribute', () => {
  it('are all searched for up to the bound', () => {
    const image = { source: { S: 'USER-1' }, target: { S: 'USER-1' }, foods: foods(MAX_SEARCH_VALUES) };
    const { indexItems, problems } = derivedOf(
      defineGraph({
        table: 'records',
        nodes: { USER: node({ view: 'ALL', search: { foods: { multiValue: true } } }) },
      }),
      'USER-1',
      'USER-1',
      image,
    );
    expect(problems).toEqual([]);
    expect(indexItems.size).toBe(MAX_SEARCH_VALUES);
  });
});

describe('an argument of a reader', () => {
  it('of a length that no value has is refused with its name', async () => {
    const graph = hostileGraph();
    const { store } = await testTable(graph);
    const reader = createReader(graph, { store });
    const zeros = `2020-07-01T00:00:00.${'0'.repeat(390_000)}1Z`;
    const refused = (argument: string) => ({
      code: 'invalid-argument',
      message: expect.stringContaining(`${argument} of search`),
    });
    await expect(reader.search('USER.born').equals(zeros)).rejects.toMatchObject(refused('equals'));
    await expect(reader.search('USER.born').between(zeros, undefined)).rejects.toMatchObject(refused('between'));
    await expect(reader.search('USER.name').equals('\u0301\u0316'.repeat(95_000))).rejects.toMatchObject(
      refused('equals'),
    );
  });
});
