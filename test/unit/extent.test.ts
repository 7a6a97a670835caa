import { describe, expect, it } from 'vitest';
import { EVOLUTION_MUTANTS } from '../simulator/packs/evolution/planted.ts';
import { MUTANTS } from '../simulator/planted/mutants.ts';
import { dealt } from '../support/extent.ts';

const BUGS = [...MUTANTS, ...EVOLUTION_MUTANTS];

describe('the tenth of the planted bugs that a seed has', () => {
  it('is another one for each of ten seeds, which have all bugs', () => {
    const seen = Array.from({ length: 10 }, (_, i) => dealt(BUGS, 540 + i, 10)).flat();
    expect(seen).toHaveLength(BUGS.length);
    expect(new Set(seen)).toEqual(new Set(BUGS));
  });

  it('is one bug of a short list where the seed has none', () => {
    const short = BUGS.slice(0, 3);
    const drawn = Array.from({ length: 10 }, (_, seed) => dealt(short, seed, 10));
    for (const bugs of drawn) expect(bugs.length).toBeGreaterThan(0);
    expect(new Set(drawn.flat())).toEqual(new Set(short));
    expect(dealt([], 4, 10)).toEqual([]);
  });

  it('is a tenth or so', () => {
    const sizes = Array.from({ length: 10 }, (_, seed) => dealt(BUGS, seed, 10).length);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThan(BUGS.length / 4);
  });
});
