import { describe, expect, it } from 'vitest';
import { whereOfTexts } from '../../src/client/read/request/where-text.ts';

const whereOf = (...texts: string[]) =>
  whereOfTexts<string | boolean>(
    texts,
    (text) => (text === 'true' ? [true, text] : [text]),
    (text, reason) => new Error(`${text} ${reason}`),
  );

describe('conditions as people write them', () => {
  it('hold together, several of an attribute too', () => {
    expect(whereOf('status=a<b', 'points>=3', 'points<9', 'kind!=')).toEqual({
      ...{ status: 'a<b', points: { gte: '3', lt: '9' }, kind: { not: '' } },
    });
  });

  it('takes each reading of a word for equality, and the first for a range', () => {
    expect(whereOf('a=true', 'b!=true', 'c>=true', 'd!=x')).toEqual({
      ...{ a: { in: [true, 'true'] }, b: { not: { in: [true, 'true'] } }, c: { gte: true }, d: { not: 'x' } },
    });
  });

  it.each([
    [['points>=3', 'points>=5'], 'points>=5 is a second condition of points'],
    [['status!=a', 'status!=b'], 'status!=b is a second condition'],
    [['points=5', 'points<9'], 'points<9 is a second condition'],
    [['points<9', 'points=5'], 'points=5 is a second condition'],
    [['status=a', 'status=b'], 'status=b is a second condition'],
    [['status'], 'status is no condition'],
    [['=a'], '=a is no condition'],
  ])('are refused where one would be lost: %j', (texts, message) => {
    expect(() => whereOf(...texts)).toThrow(message);
  });
});
