import type { DynamoDBClient, ScanCommand, TableDescription } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { proposedFile } from '../../../packages/workbench/adopt/proposed-file.ts';
import { Sample } from '../../../packages/workbench/adopt/sample.ts';
import { sampledItem } from '../../../packages/workbench/adopt/sampled-item.ts';
import { tableFacts } from '../../../packages/workbench/adopt/table-facts.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { hash128 } from '../../../src/core/items/keys.ts';
import { readForeignTable } from '../../../src/store/foreign-table.ts';
import { Random } from '../../simulator/kernel/random.ts';

/** What `adopt` reads of a table, and that the same table gives the same proposal. */

const DESCRIBED = tableFacts(
  {
    ...{ TableName: 'legacy', ItemCount: 0 },
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  } as TableDescription,
  undefined,
);
const numbers = (count: number): number[] => [...Array(count).keys()];
const texts = (values: Record<string, string>): Item =>
  Object.fromEntries(Object.entries(values).map(([name, S]) => [name, { S }]));

/** Users with orders; three coupons, and one user who is deleted. */
function shop(users: number): Item[] {
  return [
    ...numbers(users).map((i) =>
      texts({ pk: `USER#u${i}`, sk: 'PROFILE', name: `User ${i}`, ...(i === 7 && { deletedAt: '2026-03-01' }) }),
    ),
    ...numbers(users * 3).map((i) => texts({ pk: `USER#u${i % users}`, sk: `ORDER#${i}`, total: `${i}` })),
    ...numbers(3).map((i) => texts({ pk: `COUPON#c${i}`, sk: 'META', code: `X${i}` })),
  ];
}

/** An engine that puts items into segments, orders and pages as it likes; two with one `places` have the same segments. */
function engine(items: readonly Item[], seed: number, places = seed): DynamoDBClient {
  const random = new Random(seed);
  const placed = items
    .map((item) => [hash128(JSON.stringify([places, item['pk'], item['sk']])), item] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([place, item]) => {
      const shuffled = Object.fromEntries(Object.entries(item).sort(() => random.next() - 0.5));
      return [Number.parseInt(place.slice(-6), 16), shuffled] as const;
    });
  const send = async ({ input }: ScanCommand) => {
    const own = placed.filter(([place]) => place % input.TotalSegments! === input.Segment).map(([, item]) => item);
    const from = Number((input.ExclusiveStartKey?.['at'] as { N: string } | undefined)?.N ?? 0);
    const end = from + random.between(1, input.Limit!);
    if (random.chance(0.1)) await new Promise((resolve) => setImmediate(resolve));
    const LastEvaluatedKey = end < own.length ? { at: { N: String(end) } } : undefined;
    return { Items: own.slice(from, end), LastEvaluatedKey, ConsumedCapacity: { CapacityUnits: 1 } };
  };
  return { send } as unknown as DynamoDBClient;
}

async function proposed(client: DynamoDBClient, { most = 20_000, chosen = 20_000 } = {}) {
  const sample = new Sample(chosen);
  const { isWhole } = await readForeignTable(client, 'legacy', {
    most,
    onItems: (items) => {
      for (const item of items) sample.add(sampledItem(item, ['pk', 'sk'], new Set())!);
    },
  });
  return { ...proposedFile(sample.chosen(), DESCRIBED, { read: sample.seen, isWhole }), read: sample.seen, isWhole };
}

it('a scan that waits for its rate stops as soon as it is told', async () => {
  const page = { Items: [], LastEvaluatedKey: { pk: { S: 'a' } }, ConsumedCapacity: { CapacityUnits: 1_000_000 } };
  const client = { send: async () => page } as unknown as DynamoDBClient;
  const stop = new AbortController();
  const reading = readForeignTable(client, 'legacy', {
    most: 1,
    maxRcu: 1,
    onItems: () => undefined,
    signal: stop.signal,
  });
  setTimeout(() => stop.abort(new Error('told')), 20);
  await expect(reading).rejects.toThrow('told');
});

describe('the proposal for a table', () => {
  it('is the same from whatever segments, pages and orders its items come', async () => {
    const items = shop(150);
    const first = await proposed(engine(items, 1));
    expect(first).toMatchObject({ read: 603, isWhole: true, nodes: ['COUPON', 'USER', 'ORDER'] });
    expect(first.text).toContain('Proposed from all 603 items of legacy');
    expect(first.text).toContain("USER: node({ view: 'ALL', deletedWhen: 'deletedAt' })");
    expect(first.unsure).toContainEqual(
      expect.objectContaining({ items: 3, reason: 'it is rare: there are 3 such items' }),
    );
    for (const seed of [2, 3, 4]) expect((await proposed(engine(items, seed))).text).toBe(first.text);
  });

  it('rests on some items of a large table, with those of each kind and attribute that are rare', async () => {
    const items = shop(600);
    const first = await proposed(engine(items, 1), { chosen: 200 });
    expect(first.text).toMatch(/Proposed from \d+ items, chosen from all 2,403 of legacy/);
    expect(first.text).toContain("deletedWhen: 'deletedAt'");
    expect(first.nodes).toContain('COUPON');
    for (const seed of [2, 3]) expect((await proposed(engine(items, seed), { chosen: 200 })).text).toBe(first.text);
  });

  it('is said to be of a part of the table if that is larger than what is read, and does not depend on pages', async () => {
    const items = shop(600);
    const first = await proposed(engine(items, 1, 9), { most: 1_000 });
    expect(first).toMatchObject({ read: 1_000, isWhole: false });
    expect(first.text).toContain('Proposed from 1,000 of about 1,001 items of legacy');
    expect(first.text).toContain('Kinds and attributes that are rare may be missing: --sample reads more.');
    for (const seed of [2, 3]) expect((await proposed(engine(items, seed, 9), { most: 1_000 })).text).toBe(first.text);
  });

  it('names items after their partition where it is the only one, and says what a stream lacks', async () => {
    const items = [...shop(20), ...numbers(3).map((i) => texts({ pk: 'SESSION', sk: `s${i}`, email: 'a@x' }))];
    const { nodes, notes, unsure } = await proposed(engine(items, 1));
    expect(nodes).toContain('SESSION');
    expect(notes).toEqual(['The table lacks a stream: switch one on. KEYS_ONLY is enough.']);
    // There are few items of any kind.
    expect(unsure).toEqual([]);
  });

  it('rests on as many items as may be read, also if they all lie in few segments', async () => {
    const items = numbers(300).map((i) => texts({ pk: 'USER#u1', sk: `ORDER#${i}` }));
    const { read, isWhole } = await proposed(engine(items, 1), { most: 290 });
    expect([read, isWhole]).toEqual([290, false]);
  });
});
