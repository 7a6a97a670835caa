import { describe, expect, it } from 'vitest';
import {
  compareElements,
  decodeElement,
  encodeElement,
  escapedHashedEdge,
  LabelError,
  labelEncoder,
} from '../../../src/core/items/element.ts';
import { hashedSortKey } from '../../../src/core/items/hashed-key.ts';

describe('elements', () => {
  it('stay readable', () => {
    expect(encodeElement('GOALMEMBERSHIP-USER-U1', [['memberRole', { S: 'LEAD' }]])).toBe(
      'GOALMEMBERSHIP-USER-U1|memberRole=LEAD',
    );
    expect(encodeElement('FOLLOWS-USER-2', [])).toBe('FOLLOWS-USER-2');
  });

  it('escape what separates their parts', () => {
    const element = encodeElement('E-USER-a|b%', [['x=y', { S: '1|2' }]]);
    expect(element).toBe('E-USER-a%7Cb%25|x%3Dy=1%7C2');
    expect(decodeElement(element)).toEqual({ type: 'E', target: 'USER-a|b%', labels: [['x=y', { S: '1|2' }]] });
  });

  it('of hashed keys name their target in a label', () => {
    const key = hashedSortKey('FRIEND', 'USER-U2');
    const element = escapedHashedEdge(key, 'USER-U2') + labelEncoder('since')({ S: '2026' });
    expect(element).toBe('FRIEND-#95dbc46fb4088c7ab3031c84d7898fb4|target=USER-U2|since=2026');
    expect(decodeElement(element)).toEqual({ type: 'FRIEND', target: 'USER-U2', labels: [['since', { S: '2026' }]] });
    expect(decodeElement(key)).toBeUndefined();
    expect(decodeElement(`${key}|since=2026`)).toBeUndefined();
    expect(decodeElement(`${key}|target:2`)).toBeUndefined();
  });

  it.each([{ L: [] }, { M: {} }, { SS: ['a'] }, { NS: ['1'] }, { BS: [new Uint8Array()] }])(
    'refuse a label that is no scalar: %j',
    (value) => {
      expect(() => encodeElement('E-USER-1', [['label', value]])).toThrow(LabelError);
    },
  );

  it.each(['', 'no dash', '-USER-1', 'E-USER-1|no mark', 'E-USER-1|', '|a=b'])(
    'a text that is no element is told as such: %j',
    (text) => expect(decodeElement(text)).toBeUndefined(),
  );

  it('are given out by type, then by target, in the order of their bytes', () => {
    const texts = ['B-USER-1', 'A-USER-\u{1F600}', 'A-USER-\uFFFD', 'A-USER-10', 'A-USER-9', 'AB-USER-1'];
    const sorted = texts.map((text) => decodeElement(text)!).sort(compareElements);
    expect(sorted.map(({ type, target }) => `${type}-${target}`)).toEqual([
      ...['A-USER-10', 'A-USER-9', 'A-USER-\uFFFD', 'A-USER-\u{1F600}', 'AB-USER-1', 'B-USER-1'],
    ]);
  });
});
