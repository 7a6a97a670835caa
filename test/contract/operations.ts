import fc from 'fast-check';
import type { AttributeValue, Item } from '../../src/core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../src/core/items/derived-item.ts';
import type { BatchWrite, DerivedUpdate, ItemKey, QueryRequest, UpdateCondition } from '../../src/core/store-port.ts';

/** A random store operation. */
export type Operation =
  | { kind: 'put'; item: Item }
  | { kind: 'delete'; key: ItemKey }
  | { kind: 'update'; update: DerivedUpdate }
  | { kind: 'updateMany'; updates: DerivedUpdate[] }
  | { kind: 'get'; key: ItemKey; consistent: boolean }
  | { kind: 'getMany'; keys: ItemKey[]; consistent: boolean }
  | { kind: 'writeMany'; writes: BatchWrite[] }
  | { kind: 'query'; request: QueryRequest };

/** Sort keys whose UTF-8 order is neither that of UTF-16 units nor that of any locale. */
const TARGETS = ['~view', '~ix/é', 'USER-1', 'E-\u{1F600}', 'E-\uFFFD', 'E\u0000~', 'E', 'e-#/|%', 'constructor'];
const INDEX_PARTITIONS = ['GOAL', 'USER.name#1'];
const INDEX_VALUES = ['500-LEAD\u0000', 'é', '\u{1F600}', '\uFFFD', 'z'];
const ELEMENTS = ['E-USER-1', 'E-USER-1|role=LEAD', 'E-é', 'F-USER-1', 'constructor'];
const EDGE_TYPES = ['E', 'F'];
const NUMBERS = ['0', '-0', '1', '1.0', '-1.50', '1e2', '12345678901234567890123456789012345678', '1E-130', '9.9E+125'];
const REVISIONS = [undefined, '1', '2', '2.0', '3'];
/** Sizes that leave the sum of an item well between two capacity units. */
const FILLERS = [0, 0, 0, 1300, 2600, 4600];

const source = fc.constantFrom('A', 'B');
const key: fc.Arbitrary<ItemKey> = fc.record({ source, target: fc.constantFrom(...TARGETS) });
const bytes = fc.uint8Array({ maxLength: 3 });

const scalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.constantFrom('', 'a', 'é\u{1F600}', '\u0000').map((S) => ({ S })),
  fc.constantFrom(...NUMBERS).map((N) => ({ N })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant<AttributeValue>({ NULL: true }),
  bytes.map((B) => ({ B })),
);
/** Now and then empty or with an element twice, which every store refuses. */
const set: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.uniqueArray(fc.constantFrom('', ...ELEMENTS), { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
  fc.uniqueArray(fc.constantFrom('1', '2.50', '-3e3'), { minLength: 1, maxLength: 3 }).map((NS) => ({ NS })),
  fc.uniqueArray(fc.constantFrom(0, 1, 2), { minLength: 1 }).map((values) => ({
    BS: values.map((value) => new Uint8Array([value])),
  })),
  fc.constantFrom<AttributeValue>({ SS: [] }, { SS: ['a', 'a'] }, { NS: ['1', '1.0'] }),
);
const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 3, arbitrary: set },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }).map((L) => ({ L })) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('a', '__proto__'), scalar).map((M) => ({ M })) },
);
const elements = fc.uniqueArray(fc.constantFrom(...ELEMENTS), { minLength: 1, maxLength: 3 });
const watermark = fc.constantFrom('a', 'b', 'b/0', 'c', '');
/** Both keys of an index or none: how halves are billed differs by engine, and no writer of this project leaves them. */
const indexKeys: fc.Arbitrary<Item> = fc
  .tuple(...Object.values(INDEX_KEYS).map((keys) => fc.option(indexKeysOf(keys), { nil: {} })))
  .map((parts) => Object.assign({}, ...parts));

/** Key attributes of an index with a wrong type, or empty: refused. */
const badIndexKeys: fc.Arbitrary<Item> = fc.constantFrom<Item>(
  ...[{ N: '1' }, { S: '' }, { SS: ['a'] }].flatMap((bad): Item[] => [{ gsi0pk: bad }, { gsi1sk: bad }]),
);

const attributes: fc.Arbitrary<Item> = fc.record(
  {
    plain: value,
    constructor: value,
    expiresAt: fc.constantFrom({ N: '1' }, { N: '99' }),
    filler: fc.constantFrom(...FILLERS).map((size) => ({ S: 'x'.repeat(size) })),
    w: fc.oneof(
      { weight: 5, arbitrary: watermark.map((S): AttributeValue => ({ S })) },
      { weight: 1, arbitrary: scalar },
    ),
    evicted: fc.oneof(
      fc.uniqueArray(fc.constantFrom(...EDGE_TYPES), { minLength: 1 }).map((SS) => ({ SS })),
      fc.constantFrom<AttributeValue>({ S: 'xEx' }, { L: [{ S: 'E' }] }, { N: '1' }),
    ),
  },
  { requiredKeys: [] },
);

const item: fc.Arbitrary<Item> = fc
  .tuple(
    key,
    attributes,
    indexKeys,
    fc.oneof({ weight: 20, arbitrary: fc.constant<Item>({}) }, { weight: 1, arbitrary: badIndexKeys }),
    fc.record(
      {
        edgeSet: fc.oneof(
          { weight: 5, arbitrary: elements.map((SS): AttributeValue => ({ SS })) },
          { weight: 1, arbitrary: scalar },
        ),
        r: fc.oneof(
          { weight: 5, arbitrary: fc.constantFrom('1', '2').map((N): AttributeValue => ({ N })) },
          { weight: 1, arbitrary: scalar },
        ),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([{ source, target }, some, keys, bad, more]) => ({
    source: { S: source },
    target: { S: target },
    ...some,
    ...keys,
    ...bad,
    ...more,
  }));

const condition: fc.Arbitrary<UpdateCondition> = fc.oneof(
  fc.record({ kind: fc.constant('revision' as const), revision: fc.constantFrom(...REVISIONS) }),
  fc.constant({ kind: 'absent' as const }),
);

const setChange: fc.Arbitrary<Pick<DerivedUpdate, 'addElements' | 'deleteElements' | 'setElements'>> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: elements.map((addElements) => ({ addElements })) },
  { weight: 3, arbitrary: elements.map((deleteElements) => ({ deleteElements })) },
  { weight: 2, arbitrary: elements.map((setElements) => ({ setElements })) },
  // Two changes of one attribute: refused.
  { weight: 1, arbitrary: elements.map((both) => ({ addElements: both, deleteElements: both })) },
);

const removals = ['plain', 'filler', 'expiresAt', 'evicted', 'gsi0pk gsi0sk', 'gsi1pk gsi1sk'];
const update: fc.Arbitrary<DerivedUpdate> = fc
  .record({
    key,
    attributes,
    indexKeys,
    unset: fc.subarray(removals).map((groups) => groups.flatMap((group) => group.split(' '))),
    setChange,
    condition,
    // What is set is removed as well only now and then: that is refused.
    overlap: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  })
  .map((given) => {
    const set = { ...given.attributes, ...given.indexKeys };
    const unset = given.unset.filter((name) => given.overlap || !Object.hasOwn(set, name));
    return { key: given.key, set, unset, ...given.setChange, condition: given.condition };
  });

const updates = fc.uniqueArray(update, {
  maxLength: 5,
  selector: ({ key: { source, target } }) => JSON.stringify([source, target]),
});

const texts = [...TARGETS, ...INDEX_VALUES].sort();
const query: fc.Arbitrary<QueryRequest> = fc
  .record(
    {
      index: fc.constantFrom(undefined, 'gsi0' as const, 'gsi1' as const),
      sortKey: fc.oneof(
        fc.constantFrom('', 'E', 'E-', '~', 'é').map((beginsWith) => ({ beginsWith })),
        fc.record({ from: fc.constantFrom(...texts), to: fc.constantFrom(...texts) }, { requiredKeys: [] }),
      ),
      reverse: fc.boolean(),
      limit: fc.integer({ min: 1, max: 4 }),
      countOnly: fc.boolean(),
      consistent: fc.boolean(),
    },
    { requiredKeys: ['index'] },
  )
  .chain((request) =>
    fc
      .constantFrom(...(request.index === undefined ? ['A', 'B'] : INDEX_PARTITIONS))
      .map((partition) => ({ ...request, partition })),
  );
/** Pages of a table may start after any key, also one that is not there. */
const queryFrom: fc.Arbitrary<QueryRequest> = fc.tuple(key, fc.boolean()).map(([{ source, target }, reverse]) => ({
  partition: source,
  reverse,
  startKey: { source: { S: source }, target: { S: target } },
}));

const write: fc.Arbitrary<BatchWrite> = fc.oneof(
  item.map((put) => ({ put })),
  key.map((itemKey) => ({ delete: itemKey })),
);

/** One operation. */
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: item.map((put) => ({ kind: 'put' as const, item: put })) },
  { weight: 1, arbitrary: key.map((itemKey) => ({ kind: 'delete' as const, key: itemKey })) },
  { weight: 8, arbitrary: update.map((change) => ({ kind: 'update' as const, update: change })) },
  { weight: 4, arbitrary: updates.map((changes) => ({ kind: 'updateMany' as const, updates: changes })) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('get' as const), key, consistent: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('getMany' as const),
      keys: fc.array(key, { maxLength: 6 }),
      consistent: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.array(write, { maxLength: 4 }).map((writes) => ({ kind: 'writeMany' as const, writes })) },
  { weight: 3, arbitrary: query.map((request) => ({ kind: 'query' as const, request })) },
  { weight: 1, arbitrary: queryFrom.map((request) => ({ kind: 'query' as const, request })) },
);

function indexKeysOf({ partition, sort }: { partition: string; sort: string }): fc.Arbitrary<Item> {
  return fc
    .tuple(fc.constantFrom(...INDEX_PARTITIONS), fc.constantFrom(...INDEX_VALUES))
    .map(([first, second]) => ({ [partition]: { S: first }, [sort]: { S: second } }));
}
