import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type HashName, shardOf } from '../../../src/core/items/shard.ts';

/** Two columns of the demo's data: names are real, and none of them holds a comma. */
const rows = readFileSync(new URL('../../../assets/demo/airports.csv', import.meta.url), 'utf8')
  .split('\n')
  .slice(1)
  .map((line) => line.split(','));
const airports = rows.flatMap(([, name]) => name || []);
const cities = [...new Set(rows.flatMap(([, , city]) => city || []))];

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
    ['cities', cities, 2_676, 60],
  ])('names of %s', (_, names, count, share) => {
    expect(names).toHaveLength(count);
    expect(fullest(names, 'codepoint-product')).toBe(share);
    expect(fullest(names, 'fnv1a')).toBeLessThanOrEqual(2);
  });
});
