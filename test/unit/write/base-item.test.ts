import { describe, expect, it } from 'vitest';
import { checkBaseItem, ITEM_BYTES, toBaseItem } from '../../../src/client/write/checks/base-item.ts';
import type { AttributeValue, Item } from '../../../src/core/items/attribute-value.ts';
import { hashedEdgeKey, hashedSortKey } from '../../../src/core/items/hashed-key.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { graph } from './graph.ts';

const LONE_SURROGATE = 'a\ud800b';

function item(source: string, target: string, attributes: Item = {}): Item {
  return { source: { S: source }, target: { S: target }, ...attributes };
}

function goal(attributes: Item): Item {
  return item('GOAL-G1', 'GOAL-G1', attributes);
}

function user(attributes: Item): Item {
  return item('USER-U1', 'USER-U1', attributes);
}

function membership(attributes: Item): Item {
  return item('GOAL-G1', 'GOALMEMBERSHIP-USER-U1', attributes);
}

function refusal(base: Item): EdgeloomError {
  try {
    checkBaseItem(graph, base);
  } catch (error) {
    if (error instanceof EdgeloomError) return error;
    throw error;
  }
  throw new Error('the item was not refused');
}

describe('keys', () => {
  const longId = `USER-${'x'.repeat(1019)}`;
  describe('hashed ones', () => {
    const key = hashedEdgeKey('FRIEND', 'USER-U2');
    const friend = (attributes: Item, target = key): Item => item('USER-U1', target, attributes);

    it('take their target in an attribute, however long it is', () => {
      expect(() => checkBaseItem(graph, friend({ targetId: { S: 'USER-U2' } }))).not.toThrow();
      const far = `USER-${'x'.repeat(2043)}`;
      expect(() => checkBaseItem(graph, friend({ targetId: { S: far } }, hashedEdgeKey('FRIEND', far)))).not.toThrow();
      expect(toBaseItem(graph, { source: 'USER-U1', target: key, targetId: 'USER-U2' })).toEqual(
        friend({ targetId: { S: 'USER-U2' } }),
      );
    });

    it.each([
      ['a plain key', friend({ targetId: { S: 'USER-U2' } }, 'FRIEND-USER-U2'), 'has hashed keys, and this is none'],
      ['no target', friend({}), 'no text targetId says whose'],
      ['a number as target', friend({ targetId: { N: '2' } }), 'no text targetId says whose'],
      ['another target', friend({ targetId: { S: 'USER-U3' } }), 'not the hashed key of its targetId'],
    ])('are refused with %s, and what to do is said', (_what, base, part) => {
      const { code, message, hint } = refusal(base);
      expect({ code, message }).toEqual({ code: 'invalid-edge', message: expect.stringContaining(part) });
      expect(hint).toContain("Put it under hashedEdgeKey(edgeType, target) with the target's id in targetId");
    });

    it.each([
      ['of a type outside the model', 'STORE-S1', 'unknown-type'],
      ['of a type that the edge does not enter', 'GOAL-G1', 'invalid-edge'],
      ['that is no node id', 'nobody', 'invalid-edge'],
      ['that no partition can have', `USER-${'x'.repeat(2044)}`, 'key-too-long'],
    ])('are refused for a target %s', (_what, target, code) => {
      expect(refusal(friend({ targetId: { S: target } }, hashedSortKey('FRIEND', target))).code).toBe(code);
    });
  });

  it.each([
    ['no source', { target: { S: 'USER-U1' } }, 'invalid-key', 'source of the item with target "USER-U1" is missing'],
    ['a number as source', { source: { N: '1' }, target: { S: 'A' } }, 'invalid-key', 'source of the item with target'],
    ['no target', { source: { S: 'USER-U1' } }, 'invalid-key', 'target of the item with source "USER-U1" is missing'],
    ['an empty source', item('', ''), 'invalid-key', 'Attribute source'],
    ['an empty target', item('USER-U1', ''), 'invalid-key', 'Attribute target of item "USER-U1"'],
    ['a lone surrogate in a node id', item('USER-\ud800', 'USER-\ud800'), 'invalid-key', 'lone surrogate'],
    ['a lone surrogate in a target', item('USER-1', 'FOLLOWS-USER-\udfff'), 'invalid-key', 'Attribute target of item'],
    ['a node id over 1,024 bytes', item(`${longId}x`, `${longId}x`), 'key-too-long', '1025 bytes'],
    ['an edge key over 1,024 bytes', item('USER-1', `FOLLOWS-${longId}`), 'key-too-long', 'target of item "USER-1"'],
    ['a derived item', item('USER-U1', '~view'), 'invalid-key', 'begins with ~'],
    ['a source with ~', item('~x', '~x'), 'invalid-key', '"~x" begins with ~'],
    ['a source that is no id', item('user-1', 'user-1'), 'invalid-id', '"user-1"'],
    ['a source that is a type only', item('USER', 'USER'), 'invalid-id', '"USER"'],
    ['a source without text after the dash', item('USER-', 'USER-'), 'invalid-id', '"USER-"'],
    ['a node type outside the model', item('STORE-S1', 'STORE-S1'), 'unknown-type', '"STORE"'],
    ['an edge type outside the model', item('USER-1', 'KNOWS-USER-2'), 'unknown-type', '"KNOWS"'],
    ['a sort key that is none', item('USER-1', 'profile'), 'invalid-key', '"profile"'],
    ['an edge to a type outside the model', item('USER-1', 'FOLLOWS-STORE-S1'), 'unknown-type', '"STORE"'],
    ['an edge to something that is no id', item('USER-1', 'FOLLOWS-U2'), 'invalid-edge', 'not followed by a node id'],
    ['an edge that leaves another type', item('GOAL-1', 'FOLLOWS-USER-1'), 'invalid-edge', 'leaves USER, not GOAL'],
    ['an edge that enters another type', item('USER-1', 'FOLLOWS-GOAL-1'), 'invalid-edge', 'enters USER, not GOAL'],
  ] as [string, Item, string, string][])('refuses %s', (_, base, code, part) => {
    const error = refusal(base);
    expect(error.code).toBe(code);
    expect(error.message).toContain(part);
  });

  it('says what types there are', () => {
    expect(refusal(item('STORE-S1', 'STORE-S1')).hint).toContain('GOAL, USER');
    expect(refusal(item('USER-1', 'KNOWS-USER-2')).hint).toContain('GOALMEMBERSHIP, FOLLOWS');
  });

  it('reads the keys under the names of the table', () => {
    const renamed = defineGraph({
      table: { name: 'records', partitionKey: 'pk', sortKey: 'sk' },
      nodes: { USER: node({ view: 'ALL' }) },
    });
    expect(() =>
      checkBaseItem(renamed, { pk: { S: 'USER-1' }, sk: { S: 'USER-1' }, source: { N: '1' } }),
    ).not.toThrow();
    expect(() => checkBaseItem(renamed, item('USER-1', 'USER-1'))).toThrow('Attribute pk');
  });
});

function nested(depth: number): AttributeValue {
  let value: AttributeValue = { S: 'x' };
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { L: [value] } : { M: { a: value } };
  return value;
}

describe('attribute values', () => {
  it.each([
    ['empty text', { S: '' }],
    ['38 digits', { N: '12345678901234567890.123456789012345678' }],
    ['the largest number', { N: '9.9999999999999999999999999999999999999E+125' }],
    ['the smallest number', { N: '-1E-130' }],
    ['binary', { B: new Uint8Array([0, 255]) }],
    ['empty binary', { B: new Uint8Array() }],
    ['sets', { M: { s: { SS: ['', 'a'] }, n: { NS: ['1', '2.5'] }, b: { BS: [new Uint8Array([1])] } } }],
    ['null and booleans', { L: [{ NULL: true }, { BOOL: false }] }],
    ['empty list and map', { L: [{ L: [] }, { M: {} }] }],
    ['30 levels of lists and maps', nested(30)],
  ] as [string, AttributeValue][])('takes %s', (_, value) => {
    expect(() => checkBaseItem(graph, user({ value }))).not.toThrow();
  });

  it.each([
    ['NaN', { N: 'NaN' }, 'value is "NaN"'],
    ['infinity', { N: '-Infinity' }, 'not a number'],
    ['39 digits', { N: '1'.repeat(39) }, '38 significant digits'],
    ['a number that is too large', { N: '1E126' }, 'range'],
    ['a number with blanks', { N: ' 1' }, 'not a number'],
    ['an empty set', { SS: [] }, 'value is an empty set'],
    ['an element twice', { SS: ['a', 'a'] }, 'a string set with an element twice'],
    ['one number twice', { NS: ['1', '1.0'] }, 'a number set with an element twice'],
    ['one binary twice', { BS: [new Uint8Array([1]), new Uint8Array([1])] }, 'a binary set with an element twice'],
    ['a lone surrogate', { S: LONE_SURROGATE }, 'lone surrogate'],
    ['a lone surrogate in a set', { SS: ['x', LONE_SURROGATE] }, 'value[1]'],
    ['a lone surrogate deep inside', { M: { a: { L: [{ S: 'x' }, { S: LONE_SURROGATE }] } } }, 'value.a[1]'],
    ['a lone surrogate in a name', { M: { [LONE_SURROGATE]: { S: 'x' } } }, 'lone surrogate in its name'],
    ['an attribute without a name', { M: { '': { S: 'x' } } }, 'has no name'],
    ['31 levels of lists and maps', nested(31), 'nested deeper than 30'],
    ['what is no attribute value', { X: 'y' }, 'value is not a DynamoDB attribute value'],
    ['a number that is no text', { N: 1 }, 'value is not a DynamoDB attribute value'],
    ['binary that is no bytes', { B: 'AQ==' }, 'value is not a DynamoDB attribute value'],
  ] as unknown as [string, AttributeValue, string][])('refuses %s', (_, value, part) => {
    const error = refusal(user({ value }));
    expect(error.code).toBe('invalid-attribute');
    expect(error.message).toContain('Node "USER-U1": attribute');
    expect(error.message).toContain(part);
    expect(error.hint).not.toBe('');
  });

  it('takes attributes named constructor, and __proto__ inside a map', () => {
    const map = JSON.parse('{"__proto__": {"S": "x"}, "constructor": {"S": "y"}}') as Item;
    expect(() => checkBaseItem(graph, user({ constructor: { S: 'x' }, map: { M: map } }))).not.toThrow();
    const bad = JSON.parse('{"__proto__": {"SS": []}}') as Item;
    expect(refusal(user({ map: { M: bad } })).message).toContain('map.__proto__ is an empty set');
  });

  it('refuses an attribute __proto__ of the item itself, which the SDK would lose on reading', () => {
    const base = user({});
    Object.defineProperty(base, '__proto__', { value: { S: 'x' }, enumerable: true });
    expect(refusal(base).message).toContain('attribute __proto__');
  });

  it('takes names that derived items use, but nothing that would enter an index', () => {
    const names = ['w', 'r', 'edgeSet', 'attributes', 'expiresAt', 'gsi0pk', 'gsi1sk', 'value', 'model'];
    const attributes = Object.fromEntries(names.map((name) => [name, { S: 'x' }]));
    expect(() => checkBaseItem(graph, user(attributes))).not.toThrow();
    expect(refusal(user({ gsi0pk: { S: 'x' }, gsi0sk: { S: 'y' } })).message).toContain('into gsi0');
    expect(refusal(user({ gsi1sk: { N: '1' } })).message).toContain('attribute gsi1sk');
    expect(refusal(user({ gsi0pk: { S: '' } })).message).toContain('attribute gsi0pk');
  });
});

describe('size', () => {
  const sized = (bytes: number): Item =>
    user({ text: { S: 'x'.repeat(bytes - 'sourceUSER-U1targetUSER-U1text'.length) } });

  it('takes 399 KB and 400 KB', () => {
    expect(() => checkBaseItem(graph, sized(399 * 1024))).not.toThrow();
    expect(() => checkBaseItem(graph, sized(ITEM_BYTES))).not.toThrow();
  });

  it('refuses 401 KB and names the largest attribute', () => {
    const error = refusal(sized(401 * 1024));
    expect(error.code).toBe('item-too-large');
    expect(error.message).toContain(`Node "USER-U1" has ${401 * 1024} bytes, most of them in attribute "text"`);
    expect(refusal(sized(ITEM_BYTES + 1)).code).toBe('item-too-large');
  });
});

describe('what the projector would quarantine', () => {
  it.each([
    ['a text where a number is declared', goal({ points: { S: '5' } }), 'attribute points', 'should be a number'],
    ['a date that does not exist', goal({ dueDate: { S: '2021-02-29' } }), 'attribute dueDate', 'date that exists'],
    ['a text where a list is declared', goal({ tags: { S: 'a' } }), 'attribute tags', 'a list or a set'],
    ['a rank label that is not declared', membership({ memberRole: { S: 'BOSS' } }), 'memberRole', 'LEAD, CONTRIBUTOR'],
    ['a label that is no scalar', membership({ memberRole: { SS: ['LEAD'] } }), 'memberRole', 'a string set'],
    ['a derive that throws', goal({ title: { S: 'throw' } }), 'search GOAL.initial', 'no initial'],
    ['an index key that is too long', goal({ title: { S: 'x'.repeat(1020) } }), 'attribute title', '1024'],
  ])('refuses %s', (_, base, ...parts) => {
    const error = refusal(base);
    expect(error.code).toBe('invalid-attribute');
    expect(error.message).toContain('GOAL-G1');
    for (const part of parts) expect(error.message).toContain(part);
    expect(error.hint).not.toBe('');
  });

  it('blames the function for a lone surrogate that derive returns', () => {
    const error = refusal(goal({ title: { S: '😀 party' } }));
    expect(error.message).toContain('the text of derive for search GOAL.initial');
    expect(error.hint).toContain('derive function');
    expect(error.hint).not.toContain('Write the attribute');
  });

  it('takes an item without the attributes that an order needs: it is left out of that order', () => {
    expect(() => checkBaseItem(graph, membership({}))).not.toThrow();
    expect(() => checkBaseItem(graph, goal({}))).not.toThrow();
  });
});

describe('toBaseItem', () => {
  it('gives the wire form of a plain item', () => {
    expect(toBaseItem(graph, { source: 'GOAL-G1', target: 'GOAL-G1', points: 5, tags: ['a'] })).toEqual(
      goal({ points: { N: '5' }, tags: { L: [{ S: 'a' }] } }),
    );
  });

  it('refuses keys before attributes, and both by name', () => {
    expect(() => toBaseItem(graph, { source: 5, target: 'GOAL-G1', points: Number.NaN })).toThrow('Attribute source');
    expect(() => toBaseItem(graph, { source: 'GOAL-G1', target: 'GOAL-G1', points: Number.NaN })).toThrow(
      'Node "GOAL-G1": attribute points is NaN',
    );
    expect(() => toBaseItem(graph, { source: 'GOAL-G1', target: 'GOAL-G1', points: '5' })).toThrow(
      'should be a number',
    );
  });
});
