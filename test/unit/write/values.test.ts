import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { AttributeError } from '../../../src/client/write/checks/problem.ts';
import { toWireItem } from '../../../src/client/write/checks/values.ts';
import { ExactNumber, toPlainItem } from '../../../src/core/items/plain.ts';

describe('toWireItem', () => {
  it('converts every kind of value', () => {
    const bytes = new Uint8Array([1, 2]);
    const attributes = {
      text: '',
      number: -1.5,
      small: 1e-7,
      zero: -0,
      big: 12345678901234567890123456789012345678n,
      exact: new ExactNumber('0.12345678901234567890123456789012345678'),
      yes: true,
      nothing: null,
      bytes,
      buffer: Buffer.from([3]),
      arrayBuffer: new Uint8Array([4]).buffer,
      list: [1, 'a', null],
      map: { inner: { deep: 'x' } },
      texts: new Set(['a', '']),
      numbers: new Set<unknown>([1, 2n, new ExactNumber('3.0')]),
      binaries: new Set([bytes]),
    };
    expect(toWireItem(attributes)).toEqual({
      text: { S: '' },
      number: { N: '-1.5' },
      small: { N: '1e-7' },
      zero: { N: '0' },
      big: { N: '12345678901234567890123456789012345678' },
      exact: { N: '0.12345678901234567890123456789012345678' },
      yes: { BOOL: true },
      nothing: { NULL: true },
      bytes: { B: bytes },
      buffer: { B: Buffer.from([3]) },
      arrayBuffer: { B: new Uint8Array([4]) },
      list: { L: [{ N: '1' }, { S: 'a' }, { NULL: true }] },
      map: { M: { inner: { M: { deep: { S: 'x' } } } } },
      texts: { SS: ['a', ''] },
      numbers: { NS: ['1', '2', '3.0'] },
      binaries: { BS: [bytes] },
    });
  });

  it("takes the document client's numbers, which `readNumber` may give", () => {
    const given = { one: NumberValue.from('1000000000000000000'), set: new Set([NumberValue.from('0.5'), 2]) };
    expect(toWireItem(given)).toEqual({ one: { N: '1000000000000000000' }, set: { NS: ['0.5', '2'] } });
  });

  it('leaves undefined attributes out, inside maps too', () => {
    expect(toWireItem({ a: undefined, b: { c: undefined, d: 1 } })).toEqual({ b: { M: { d: { N: '1' } } } });
  });

  it('keeps attributes named __proto__ and constructor as data', () => {
    const plain = JSON.parse(
      '{"__proto__": {"x": 1}, "constructor": "c", "map": {"constructor": {"name": "Set"}}}',
    ) as object;
    const wire = toWireItem(plain);
    expect(Object.keys(wire)).toEqual(['__proto__', 'constructor', 'map']);
    expect(Object.getOwnPropertyDescriptor(wire, '__proto__')?.value).toEqual({ M: { x: { N: '1' } } });
    expect(JSON.stringify(toPlainItem(wire))).toBe(JSON.stringify(plain));
  });

  it('takes objects without a prototype', () => {
    expect(toWireItem({ map: Object.assign(Object.create(null) as object, { a: 1 }) })).toEqual({
      map: { M: { a: { N: '1' } } },
    });
  });

  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  class Entity {
    name = 'x';
  }
  it.each([
    ['NaN', { a: Number.NaN }, 'a', 'is NaN'],
    ['infinity', { a: { b: Number.NEGATIVE_INFINITY } }, 'a.b', 'is -Infinity'],
    ['a whole number that JS does not hold exactly', { a: [2 ** 53] }, 'a[0]', 'bigint'],
    ['NaN in a set', { a: new Set([1, Number.NaN]) }, 'a', 'is NaN'],
    ['an empty set', { a: new Set() }, 'a', 'empty set'],
    ['a mixed set', { a: new Set([1, '1']) }, 'a', 'mixed'],
    ['a set of objects', { a: new Set([{}]) }, 'a', 'unfit'],
    ['undefined in a list', { a: [undefined] }, 'a[0]', 'undefined'],
    ['a hole in a list', { a: new Array(1) }, 'a[0]', 'undefined'],
    ['a date', { a: new Date(0) }, 'a', 'toISOString'],
    ['a Map', { a: new Map() }, 'a', 'Object.fromEntries'],
    ['an instance of a class', { a: new Entity() }, 'a', 'Entity'],
    ['a function', { a: () => 1 }, 'a', 'a function'],
    ['a symbol', { a: Symbol('x') }, 'a', 'a symbol'],
    ['other typed arrays', { a: new Float64Array(1) }, 'a', 'Float64Array'],
    ['a cycle', circular, 'self.self', 'nested deeper'],
    ['a value under a name with a dot', { 'x.y': Number.NaN }, '"x.y"', 'is NaN'],
  ])('refuses %s and names its path', (_, attributes, path, part) => {
    const convert = () => toWireItem(attributes);
    expect(convert).toThrow(AttributeError);
    expect(convert).toThrow(`attribute ${path}`);
    try {
      convert();
    } catch (error) {
      const { reason, hint } = error as AttributeError;
      expect(`${reason} ${hint}`).toContain(part);
    }
  });
});
