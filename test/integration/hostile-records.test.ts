import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { QUARANTINE_PARTITION } from '../../src/core/plan/quarantine-entry.ts';
import { streamHandler } from '../../src/deployment/lambda/index.ts';
import type { RawRecord } from '../../src/stream/decode.ts';
import { check } from '../../src/trust/check/check.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/**
 * Nothing in a record is trusted: what producers may have put there, or somebody who may invoke the function, must
 * neither fail the batch nor reach beyond its own item.
 */

const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };

/** The stream of the table of the graph that was made last. */
let streamArn = '';

function hostileGraph() {
  const table = uniqueTableName();
  streamArn = `arn:aws:dynamodb:eu-central-1:123456789012:table/${table}/stream/2026-01-01T00:00:00.000`;
  return defineGraph({
    table,
    nodes: { USER: node({ view: 'ALL', search: { name: {}, age: { type: 'number' }, foods: { multiValue: true } } }) },
    edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: ['since'], inbound: { orders: { gsi0: 'since' } } }) },
  });
}

/** A table, with the function that projects it, and what is in quarantine. */
async function hostileTable() {
  const graph = hostileGraph();
  const table = await testTable(graph);
  const { store } = table;
  const handler = streamHandler(graph, { store, logger: pino({ level: 'silent' }) });
  const quarantined = async () => (await store.query({ index: 'gsi0', partition: QUARANTINE_PARTITION })).items;
  const read = async (source: string, target: string): Promise<Item | undefined> =>
    (await store.get({ source, target }, { consistent: true })).item;
  return { ...table, handler, quarantined, read };
}

/** A record as Lambda hands it over: parsed from JSON, in which `__proto__` is a name like any other. */
function record(sequence: number, source: string, target: string, attributes: string): RawRecord {
  const keys = `"source":{"S":${JSON.stringify(source)}},"target":{"S":${JSON.stringify(target)}}`;
  return JSON.parse(`{
    "eventName": "INSERT",
    "eventSourceARN": "${streamArn}",
    "dynamodb": {
      "Keys": {${keys}},
      "NewImage": {${keys}${attributes === '' ? '' : `,${attributes}`}},
      "SequenceNumber": "${100_000 + sequence}"
    }
  }`) as RawRecord;
}

function nested(levels: number): string {
  return `${'{"M":{"a":'.repeat(levels)}{"S":"deep"}${'}}'.repeat(levels)}`;
}

/** Records that a producer can cause, and that only somebody who calls the function by hand can make. */
const HOSTILE: readonly [what: string, attributes: string][] = [
  ['__proto__ as an attribute', '"__proto__":{"M":{"polluted":{"S":"yes"}}},"name":{"S":"proto"}'],
  ['__proto__ within a map', '"bag":{"M":{"__proto__":{"M":{"polluted":{"S":"yes"}}}}}'],
  ['constructor and its like as attributes', '"constructor":{"S":"a"},"toString":{"S":"b"},"hasOwnProperty":{"N":"1"}'],
  ['prototype of the constructor', '"constructor":{"M":{"prototype":{"M":{"polluted":{"S":"yes"}}}}}'],
  ['a number beyond every double', '"age":{"N":"1e999999999"}'],
  ['a number of 38 digits', `"age":{"N":"${'9'.repeat(38)}"}`],
  ['a number of 200,000 digits', `"age":{"N":"${'0'.repeat(100_000)}1${'0'.repeat(100_000)}1"}`],
  ['a number that is none', '"age":{"N":"NaN"}'],
  ['a nesting as deep as DynamoDB allows', `"deep":${nested(31)}`],
  ['a nesting of 20,000 levels', `"deep":${nested(20_000)}`],
  ['an image of 400 KB', `"text":{"S":"${'x'.repeat(409_000)}"}`],
  ['a value of no type', '"name":{},"age":{"X":"1"}'],
  ['values of the wrong JSON types', '"name":{"S":5},"age":{"N":7},"foods":{"SS":"a"}'],
  ['null in place of a value', '"name":null'],
  ['a text in place of a value', '"name":"plain"'],
  ['half a surrogate pair', '"name":{"S":"\\ud800"}'],
  ['a thousand foods', `"foods":{"SS":[${Array.from({ length: 1000 }, (_, i) => `"food ${i}"`).join(',')}]}`],
];

describe('a record is not trusted', () => {
  beforeEach(() => void vi.spyOn(process.stdout, 'write').mockImplementation(() => true));
  afterEach(() => {
    vi.restoreAllMocks();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each(HOSTILE)(
    '%s: the batch goes on, and nothing comes of what is not in the table',
    async (_what, attributes) => {
      const { store, handler, quarantined, read } = await hostileTable();
      const Records = [
        record(1, 'USER-good', 'USER-good', '"name":{"S":"Ada"}'),
        record(2, 'USER-bad', 'USER-bad', attributes),
        record(3, 'USER-good', 'FOLLOWS-USER-bad', '"since":{"S":"2026"}'),
      ];

      for (const { dynamodb } of [Records[0]!, Records[2]!]) await store.put(dynamodb!.NewImage as Item);
      expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [] });

      expect(await read('USER-good', '~view')).toMatchObject({ edgeSet: { SS: ['FOLLOWS-USER-bad|since=2026'] } });
      expect(await read('USER-good', '~ix/FOLLOWS-USER-bad')).toBeDefined();
      expect(await quarantined()).toEqual([]);
      const { items: left } = await store.query({ partition: 'USER-bad', consistent: true });
      expect(left.filter((item) => item['expiresAt'] === undefined)).toEqual([]);
    },
  );

  it('a record that is not of this table fails the batch, since its meaning is not known', async () => {
    const { handler, read } = await hostileTable();
    const good = record(1, 'USER-good', 'USER-good', '');
    const wrong: RawRecord[] = [
      {},
      { ...good, dynamodb: undefined },
      { ...good, eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:queue' },
      { ...good, dynamodb: { ...good.dynamodb, Keys: { source: { S: 'USER-1' }, target: { N: '1' } } } },
      { ...good, dynamodb: { ...good.dynamodb, SequenceNumber: '../1' } },
    ];
    for (const one of wrong) await expect(handler({ Records: [good, one] }, context)).rejects.toThrow();
    expect(await read('USER-good', '~view')).toBeUndefined();
  });

  it.each([[[{}]], [{}], [null], [undefined], ['text'], [{ Records: {} }], [{ Records: [null] }]])(
    'an event that is none of a stream is refused with what one is: %j',
    async (event) => {
      const { handler } = await hostileTable();
      await expect(handler(event as never, context)).rejects.toMatchObject({
        code: 'invalid-record',
        message: expect.stringContaining('as an event source mapping of a DynamoDB stream gives it'),
      });
    },
  );

  it('__proto__ as an attribute is in no view, as in no read of the base item: a check finds nothing', async () => {
    const graph = defineGraph({
      table: uniqueTableName(),
      nodes: { USER: node({ view: 'ALL', search: { name: { project: 'ALL' } } }) },
    });
    const { store, client, streamArn: arn } = await testTable(graph);
    streamArn = arn;
    const raw = record(
      1,
      'USER-1',
      'USER-1',
      '"__proto__":{"S":"lost"},"name":{"S":"Ada"},"bag":{"M":{"__proto__":{"S":"kept"}}}',
    );
    await client.send(new PutItemCommand({ TableName: graph.table.name, Item: raw.dynamodb!.NewImage as Item }));
    const handler = streamHandler(graph, { store, logger: pino({ level: 'silent' }) });
    expect(await handler({ Records: [raw] }, context)).toEqual({ batchItemFailures: [] });
    const { item } = await store.get({ source: 'USER-1', target: '~view' }, { consistent: true });
    expect(Object.keys((item!['attributes'] as { M: Item }).M).sort()).toEqual(['bag', 'name']);
    expect(await check(graph, { store, graceMs: 1 })).toMatchObject({ drift: { missing: 0, stale: 0, orphan: 0 } });
  });

  it('binary data that is not base64 is no matter of the record: the base item decides', async () => {
    const { store, handler, quarantined } = await hostileTable();
    for (const [i, text] of ['***', 'A_-8'].entries()) {
      const user = `USER-${i}`;
      const Records = [record(i, user, user, `"name":{"B":"${text}"}`)];
      await store.put({ source: { S: user }, target: { S: user }, name: { S: 'Ada' } });
      expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [] });
    }
    expect(await quarantined()).toEqual([]);
  });

  describe('images that do not fit their event', () => {
    const USER = ['USER-1', 'USER-1'] as const;
    const NAME = '"name":{"S":"Ada"}';

    /** Projects records of an item, which is in the table if `isThere`; the codes of quarantine, and whether search item and view are live. */
    async function projected(isThere: boolean, changes: readonly ((of: RawRecord) => RawRecord)[]) {
      const { store, handler, quarantined, read } = await hostileTable();
      if (isThere) await store.put(record(1, ...USER, NAME).dynamodb!.NewImage as Item);
      const Records = changes.map((change, i) => change(record(i + 1, ...USER, NAME)));
      expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [] });
      const found = [await read('USER-1', '~ix/name'), await read('USER-1', '~view')];
      const live = found.map((item) => item !== undefined && item['expiresAt'] === undefined);
      return { codes: (await quarantined()).map(({ code }) => stringOf(code)), live };
    }

    const as =
      (eventName: string, images: (image: Item) => Partial<NonNullable<RawRecord['dynamodb']>>) =>
      (of: RawRecord): RawRecord => {
        const image = of.dynamodb!.NewImage as Item;
        return { ...of, eventName, dynamodb: { ...of.dynamodb, NewImage: undefined, ...images(image) } };
      };
    const there = { codes: [], live: [true, true] };
    const gone = { codes: [], live: [false, false] };
    const insert = as('INSERT', (NewImage) => ({ NewImage }));

    it('a removal with an empty new image is a removal', async () => {
      const removal = as('REMOVE', (OldImage) => ({ OldImage, NewImage: {} }));
      expect(await projected(false, [insert, removal])).toEqual(gone);
    });

    /** An image of before that is none. */
    const insertAfter = (OldImage: unknown) => (NewImage: Item) => ({ NewImage, OldImage: OldImage as Item });
    it.each([
      ['an insert with {} as its old image', 'INSERT', insertAfter({})],
      ['an insert with null as its old image', 'INSERT', insertAfter(null)],
      ['an insert with a list as its old image', 'INSERT', insertAfter([])],
      ['an insert with an old image', 'INSERT', (image: Item) => ({ NewImage: image, OldImage: image })],
      ['an insert of an empty item', 'INSERT', () => ({ NewImage: {} })],
      ['a change from an empty item', 'MODIFY', (image: Item) => ({ NewImage: image, OldImage: {} })],
      ['a change to an empty item', 'MODIFY', (image: Item) => ({ NewImage: {}, OldImage: image })],
      ['a removal with a new image', 'REMOVE', (image: Item) => ({ NewImage: image, OldImage: image })],
    ])('%s only names its item: the base item decides', async (_what, eventName, images) => {
      const found = await projected(true, [insert, as(eventName, images)]);
      expect(found).toEqual(there);
      const before = await projected(true, [as(eventName, images), insert]);
      expect(before).toEqual(found);
    });
  });
});
