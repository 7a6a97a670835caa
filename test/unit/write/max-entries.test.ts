import { describe, expect, it } from 'vitest';
import { checkBaseItem } from '../../../src/client/write/checks/base-item.ts';
import { type AttributeValue, type Item, itemSizeBytes } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    USER: node({ view: 'ALL', maxEntries: { addresses: 3, ['__proto__']: 3, tags: 1 } }),
    TEAM: node({ view: 'ALL' }),
  },
  edges: { MEMBER: edge({ from: 'USER', to: 'TEAM' }) },
});

function user(attributes: Item): Item {
  return { source: { S: 'USER-U1' }, target: { S: 'USER-U1' }, ...attributes };
}

function refusal(item: Item): EdgeloomError | undefined {
  try {
    checkBaseItem(graph, item);
  } catch (error) {
    if (error instanceof EdgeloomError) return error;
    throw error;
  }
  return undefined;
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));
const collections: [string, (count: number) => AttributeValue][] = [
  ['a list', (count) => ({ L: numbers(count).map((N) => ({ N })) })],
  ['a map', (count) => ({ M: Object.fromEntries(numbers(count).map((N) => [`k${N}`, { N }])) })],
  ['a string set', (count) => ({ SS: numbers(count) })],
  ['a number set', (count) => ({ NS: numbers(count) })],
  ['a binary set', (count) => ({ BS: numbers(count).map((N) => new Uint8Array([Number(N)])) })],
];

describe('maxEntries', () => {
  it.each(collections)('takes %s up to the limit and refuses one entry more', (_name, of) => {
    expect(refusal(user({ addresses: of(3) }))).toBeUndefined();
    const item = user({ addresses: of(4) });
    expect(refusal(item)).toMatchObject({
      code: 'too-many-entries',
      message: `Node "USER-U1": attribute "addresses" has 4 entries; its model allows 3. The item has ${itemSizeBytes(item)} bytes.`,
      hint: expect.stringContaining('edges'),
    });
  });

  it('takes scalars, empty collections and no attribute at all', () => {
    const values: AttributeValue[] = [{ S: 'abcd' }, { N: '1234' }, { L: [] }, { M: {} }];
    for (const value of values) {
      expect(refusal(user({ addresses: value }))).toBeUndefined();
    }
    expect(refusal(user({}))).toBeUndefined();
  });

  it('counts the entries of the attribute itself, each attribute for itself, and only those of its node type', () => {
    expect(refusal(user({ addresses: { L: [{ SS: numbers(9) }] }, phones: { SS: numbers(9) } }))).toBeUndefined();
    expect(refusal(user({ addresses: { L: [] }, tags: { SS: numbers(2) } }))?.message).toContain('"tags" has 2');
    const team: Item = { source: { S: 'TEAM-1' }, target: { S: 'TEAM-1' }, addresses: { SS: numbers(9) } };
    expect(refusal(team)).toBeUndefined();
    const edgeItem: Item = { source: { S: 'USER-U1' }, target: { S: 'MEMBER-TEAM-1' }, addresses: { SS: numbers(9) } };
    expect(refusal(edgeItem)).toBeUndefined();
  });

  it('is told before the size of an item that is beyond 400 KB too', () => {
    const huge = user({ addresses: { L: [1, 2, 3, 4].map(() => ({ S: 'x'.repeat(110 * 1024) })) } });
    expect(refusal(huge)).toMatchObject({
      code: 'too-many-entries',
      message: expect.stringMatching(/has 45\d{4} bytes/),
    });
  });
});
