import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeWhere, type Where } from '../../src/client/read/request/where.ts';
import { type AttributeValue, type Item, setOwn, stringOf } from '../../src/core/items/attribute-value.ts';
import { passesFilter } from '../../src/core/items/filter.ts';
import { ExactNumber } from '../../src/core/items/plain.ts';
import type { Store } from '../../src/core/store-port.ts';
import { runs } from '../support/extent.ts';
import { SIZES } from '../support/sizes.ts';
import { contractGraph, freshPartition, item, SUBJECTS } from './stores.ts';

/** A session's own writes are filtered here, all else by DynamoDB: both have to leave out the same items. */

const NAMES = ['status', 'points', 'a.b#c', 'constructor'];
/** Close to each other, and some of them alike in all but their type. */
const TEXTS = ['', 'a', 'A', 'ab', 'b', 'é', '\uFFFD', '\u{1F600}', '\u0000', '1', '10', '9'];
const NUMBERS = [
  ...['0', '1', '1.0', '-1', '9', '10', '0.1', '1E-130', '-9.9E+125'],
  ...['9007199254740992', '9007199254740993'],
];
const BYTES = [[], [0], [1], [1, 0], [127], [128], [255]].map((all) => new Uint8Array(all));

const ordered = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...NUMBERS).map((text) => new ExactNumber(text)),
  fc.constantFrom(...BYTES),
);
const scalar = fc.oneof(ordered, fc.constantFrom(true, false, null));
const beginning = fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom(...BYTES));
const OPERATORS = {
  ...{ equals: scalar, in: fc.array(scalar, { minLength: 1, maxLength: 4 }), exists: fc.boolean() },
  ...{ lt: ordered, lte: ordered, gt: ordered, gte: ordered, between: fc.tuple(ordered, ordered) },
  beginsWith: beginning,
};
const operators = fc.record(OPERATORS, { requiredKeys: [] }).filter((all) => Object.keys(all).length > 0);
const one = fc
  .constantFrom(...(Object.keys(OPERATORS) as (keyof typeof OPERATORS)[]))
  .chain((name) => (OPERATORS[name] as fc.Arbitrary<unknown>).map((value) => ({ [name]: value })));
const condition = fc.oneof(
  scalar,
  one,
  operators,
  fc.oneof(scalar, one, operators).map((not) => ({ not })),
);
const where = fc.dictionary(fc.constantFrom(...NAMES), condition, { maxKeys: 3, noNullPrototype: true });

const stored: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.constantFrom(...TEXTS).map((S) => ({ S })),
  fc.constantFrom(...NUMBERS).map((N) => ({ N })),
  fc.constantFrom(...BYTES).map((B) => ({ B })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constantFrom<AttributeValue>({ NULL: true }, { SS: ['a'] }, { L: [{ S: 'a' }] }, { M: { a: { S: 'a' } } }),
);
const attributes = fc.dictionary(fc.constantFrom(...NAMES), stored, { noNullPrototype: true });

describe.each(SUBJECTS.slice(1, 3))('filters on $name', ({ open }) => {
  let store: Store;
  const graph = contractGraph();

  beforeAll(async () => {
    store = await open(graph);
  });

  it('leave out the items that are left out in memory', async () => {
    const passed = { some: 0, none: 0 };
    const batch = fc.tuple(
      fc.array(fc.option(attributes, { nil: undefined }), { minLength: 10, maxLength: 25 }),
      fc.array(where, { minLength: 20, maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(batch, async ([all, conditions]) => {
        const partition = freshPartition();
        const index = `KNOWS-${partition}`;
        const items = all.map((held, i): Item => {
          const sortKey = `P${String(i).padStart(2, '0')}`;
          const made = item(partition, sortKey, { gsi0pk: { S: index }, gsi0sk: { S: sortKey } });
          if (held !== undefined) setOwn<AttributeValue>(made, 'attributes', { M: held });
          return made;
        });
        await store.writeMany(items.map((put) => ({ put })));
        for (const asked of conditions) {
          const filter = encodeWhere(graph, asked as Where, { name: 'order', projection: { kind: 'ALL' }, path: '' });
          const found = await store.query({ index: 'gsi0', partition: index, ...(filter && { where: filter }) });
          const expected = items.filter((_, i) => passesFilter(all[i] ?? {}, filter ?? []));
          const keys = (list: readonly Item[]) => list.map((each) => stringOf(each['target']));
          expect(keys(found.items), fc.stringify(asked)).toEqual(keys(expected));
          passed[expected.length === 0 ? 'none' : 'some'] += 1;
        }
      }),
      { numRuns: runs(SIZES['filters of engines']) },
    );
    // Neither is the exception.
    expect(passed.some).toBeGreaterThan(passed.none / 4);
    expect(passed.none).toBeGreaterThan(passed.some / 50);
  });
});
