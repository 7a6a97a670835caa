import { describe, expect, it } from 'vitest';
import { ARTICLE_SIZES, parseFriendsOptions } from '../../../bench/friends/options.ts';

describe('parseFriendsOptions', () => {
  it("takes the article's networks and writes the committed page", () => {
    expect(parseFriendsOptions([])).toMatchObject({ sizes: ARTICLE_SIZES, outDir: 'docs', json: false });
  });

  it('sorts sizes, takes each once, and leaves the committed page alone', () => {
    const options = parseFriendsOptions(['--n', '100,10,100', '--json']);
    expect(options).toMatchObject({ sizes: [10, 100], outDir: '.edgeloom/friends', json: true });
    expect(parseFriendsOptions(['--n', '20', '--out', 'docs']).outDir).toBe('docs');
  });

  it.each([
    [['--n', '9'], '--n cannot be "9".'],
    [['--n', '9001'], '--n cannot be "9001".'],
    [['--n', '10,,20'], '--n cannot be "".'],
    [['--n', '10.5'], '--n cannot be "10.5".'],
    [['--operations', '1001'], '--operations cannot be "1001".'],
    [['--operations', '0'], '--operations cannot be "0".'],
    [['--seed', 'x'], '--seed cannot be "x".'],
  ])('refuses %j', (args, message) => {
    expect(() => parseFriendsOptions(args)).toThrow(expect.objectContaining({ code: 'invalid-option', message }));
  });

  it('refuses options that it does not know', () => {
    expect(() => parseFriendsOptions(['--users', '10'])).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  });
});
