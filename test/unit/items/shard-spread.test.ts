import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type HashName, shardOf } from '../../../src/items/shard.ts';

const data = (name: string): string =>
  readFileSync(new URL(`../../../node_modules/vega-datasets/data/${name}`, import.meta.url), 'utf8');
const airports = data('airports.csv')
  .split('\n')
  .slice(1)
  .flatMap((line) => line.split(',')[1] || []);
const films = JSON.parse(data('movies.json')) as { Director: string | null }[];
const directors = [...new Set(films.flatMap(({ Director }) => Director ?? []))];

/** The share of names that lie in the fullest of 200 shards, in percent. */
function fullest(names: readonly string[], hash: HashName): number {
  const counts = new Map<number, number>();
  for (const name of names) {
    const shard = shardOf(name, 200, hash);
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
  }
  return Math.round((100 * Math.max(...counts.values())) / names.length);
}

describe('the default hash does not put most real names into one shard, as the product of code points does', () => {
  it.each([
    ['airports', airports, 3_376, 85],
    ['film directors', directors, 550, 83],
  ])('names of %s', (_, names, count, share) => {
    expect(names).toHaveLength(count);
    expect(fullest(names, 'codepoint-product')).toBe(share);
    expect(fullest(names, 'fnv1a')).toBeLessThanOrEqual(2);
  });
});
