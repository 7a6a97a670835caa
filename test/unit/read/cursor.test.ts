import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CursorBinding, decodeCursor, encodeCursor } from '../../../src/client/read/request/cursor.ts';
import { codePoints } from '../../support/texts.ts';

const binding: CursorBinding = {
  query: ['inbound', 'FOLLOWS-USER-1', 'gsi0', undefined, undefined, false],
  meaning: 'a1',
};
const refused = expect.objectContaining({ code: 'invalid-cursor', hint: expect.stringContaining('start again') });
const text = codePoints(1);

describe('a cursor', () => {
  it('gives back the key of any text, with and without a secret', () => {
    fc.assert(
      fc.property(text, fc.option(fc.string({ minLength: 1 }), { nil: undefined }), (key, secret) => {
        const cursor = encodeCursor(key, binding, secret);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(cursor, binding, secret)).toBe(key);
      }),
    );
  });

  it('is refused after any change of a single character', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.constantFrom(...'Az09-_=+/ '), (key, place, replacement) => {
        const cursor = encodeCursor(key, binding);
        const at = place % cursor.length;
        fc.pre(cursor[at] !== replacement);
        const altered = cursor.slice(0, at) + replacement + cursor.slice(at + 1);
        expect(() => decodeCursor(altered, binding)).toThrow(refused);
      }),
    );
  });

  it.each([
    ['cut short', (cursor: string) => cursor.slice(0, -1)],
    ['padded', (cursor: string) => `${cursor}=`],
    ['with a space', (cursor: string) => `${cursor} `],
    ['empty', () => ''],
    ['without a key', (cursor: string) => cursor.slice(0, 33)],
    ['of another version', (cursor: string) => `Aw${cursor.slice(2)}`],
    ['no text', () => undefined as unknown as string],
  ])('is refused when %s', (_, alter) => {
    expect(() => decodeCursor(alter(encodeCursor('500-LEAD\u0000GOAL-1', binding)), binding)).toThrow(refused);
  });

  it('is refused by another query, and outdated where its order means something else', () => {
    const cursor = encodeCursor('500-LEAD\u0000GOAL-1', binding);
    expect(() => decodeCursor(cursor, { ...binding, query: ['inbound', 'FOLLOWS-USER-2'] })).toThrow(refused);
    expect(() => decodeCursor(cursor, { ...binding, meaning: 'b2' })).toThrow(
      expect.objectContaining({ code: 'cursor-outdated' }),
    );
  });

  it('is refused when unsigned, or signed with another secret, where a secret is set', () => {
    expect(() => decodeCursor(encodeCursor('key', binding), binding, 'secret')).toThrow(refused);
    expect(() => decodeCursor(encodeCursor('key', binding, 'other'), binding, 'secret')).toThrow(refused);
    expect(() => decodeCursor(encodeCursor('key', binding, 'secret'), binding)).toThrow(refused);
    const bytes = new TextEncoder().encode('secret');
    expect(decodeCursor(encodeCursor('key', binding, bytes), binding, 'secret')).toBe('key');
  });
});
