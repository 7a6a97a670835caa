import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashLayout } from '../../../bench/friends/layouts/hash.ts';
import { ARTICLE_SIZES, parseFriendsOptions } from '../../../bench/friends/options.ts';

describe('parseFriendsOptions', () => {
  it("takes the article's networks and writes the committed page", () => {
    expect(parseFriendsOptions([])).toMatchObject({ sizes: ARTICLE_SIZES, outDir: 'docs/project', json: false });
  });

  it('sorts sizes, takes each once, and leaves the committed page alone', () => {
    const options = parseFriendsOptions(['--n', '100,10,100', '--json']);
    expect(options).toMatchObject({ sizes: [10, 100], outDir: '.edgeloom/friends', json: true });
    expect(parseFriendsOptions(['--n', '20', '--out', 'docs']).outDir).toBe('docs');
  });

  it.each([
    [['--n', '4'], '--n cannot be "4".'],
    [['--n', '9001'], '--n cannot be "9001".'],
    [['--n', '10,,20'], '--n cannot be "".'],
    [['--n', '10.5'], '--n cannot be "10.5".'],
    [['--operations', '1001'], '--operations cannot be "1001".'],
    [['--operations', '0'], '--operations cannot be "0".'],
    [['--longest', '1000001'], '--longest cannot be "1000001".'],
    [['--longest', '100', '--n', '10'], '--n and --longest exclude each other.'],
    [['--seed', 'x'], '--seed cannot be "x".'],
  ])('refuses %j', (args, message) => {
    expect(() => parseFriendsOptions(args)).toThrow(expect.objectContaining({ code: 'invalid-option', message }));
  });

  it('takes the length of one long list, and leaves the committed page alone', () => {
    const options = parseFriendsOptions(['--longest', '1000000']);
    expect(options).toMatchObject({ longest: 1_000_000, outDir: '.edgeloom/friends' });
    expect(parseFriendsOptions([]).longest).toBeUndefined();
  });

  it('refuses options that it does not know', () => {
    expect(() => parseFriendsOptions(['--users', '10'])).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  });
});

describe('--hash', () => {
  it("takes the article's hash, whose hex keys come out, and refuses others", () => {
    expect(parseFriendsOptions(['--hash', 'md5', '--n', '5'])).toMatchObject({ hash: 'md5', sizes: [5] });
    expect(() => parseFriendsOptions(['--hash', 'sha1'])).toThrow(expect.objectContaining({ code: 'invalid-option' }));
    const [item] = hashLayout('md5').items('USER-1', ['USER-2']);
    const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
    expect(item?.['pair']).toEqual({ S: md5('USER-1') + md5('USER-2') });
  });
});
