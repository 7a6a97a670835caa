import { describe, expect, it } from 'vitest';
import { nearest, wordsThereAre } from '../../../src/core/model/options/nearest.ts';

describe('the nearest word', () => {
  it.each([
    ['titel', 'title'],
    ['TITLE', 'title'],
    ['statsu', 'status'],
    ['kid', 'kind'],
    ['projectSources', 'projectSource'],
  ])('to %s is %s', (word, near) => {
    expect(nearest(word, ['title', 'status', 'kind', 'project', 'projectSource'])).toBe(near);
  });

  it('is none where none is near, and is found fast among long texts', () => {
    expect(nearest('color', ['title', 'kind'])).toBeUndefined();
    expect(nearest('a', [])).toBeUndefined();
    expect(nearest('x'.repeat(100_000), ['y'.repeat(100_000)])).toBeUndefined();
  });

  it('stands before the words that there are, of which a long list is cut', () => {
    expect(wordsThereAre('titel', ['title', 'kind'])).toBe('. Did you mean title? There are title, kind');
    expect(wordsThereAre('color', ['title'])).toBe('. There is title');
    expect(wordsThereAre('color', [])).toBe('. There are none');
    const names = Array.from({ length: 14 }, (_, i) => `n${i}`);
    expect(wordsThereAre('color', names)).toMatch(/n11 and 2 more$/);
  });
});
