import { describe, expect, it } from 'vitest';
import { codePointProduct, fnv1a, shardOf } from '../../../src/core/items/shard.ts';

describe('FNV-1a, 32 bit', () => {
  // Reference vectors published with the algorithm.
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['b', 0xe70c2de5],
    ['foobar', 0xbf9cf968],
  ])('of %j', (text, hash) => expect(fnv1a(text)).toBe(hash));

  it('is taken over UTF-8 bytes', () => {
    let hash = 0x811c9dc5n;
    for (const byte of Buffer.from('é\u{1F600}')) hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
    expect(BigInt(fnv1a('é\u{1F600}'))).toBe(hash);
  });
});

describe('code-point product', () => {
  it('is exact where a product of doubles would overflow', () => {
    const text = 'a longer text, well beyond what 53 bits hold: é\u{1F600}';
    let product = 1n;
    for (const character of text) product *= BigInt(character.codePointAt(0)!);
    for (const shards of [1, 7, 199, 200]) {
      expect(codePointProduct(text, shards)).toBe(Number(product % BigInt(shards)));
    }
  });
});

describe('shards', () => {
  it.each([
    ['Terui', 'codepoint-product', 161],
    ['Terui', 'fnv1a', 51],
    ['terui', 'codepoint-product', 41],
  ] as const)('golden vector: %s by %s is %i of 200', (text, hash, shard) => {
    expect(shardOf(text, 200, hash)).toBe(shard);
  });

  it('number from 1 to their count', () => {
    for (const hash of ['fnv1a', 'codepoint-product'] as const) {
      for (let i = 0; i < 500; i++) {
        const shard = shardOf(`text ${i}`, 7, hash);
        expect(shard).toBeGreaterThanOrEqual(1);
        expect(shard).toBeLessThanOrEqual(7);
      }
      expect(shardOf('anything', 1, hash)).toBe(1);
      expect(shardOf('', 200, hash)).toBeGreaterThanOrEqual(1);
    }
  });

  it('by product put 100,000 e-mail addresses into one; by FNV-1a they spread evenly', () => {
    const counts = { 'codepoint-product': new Map<number, number>(), fnv1a: new Map<number, number>() };
    for (let i = 0; i < 100_000; i++) {
      for (const hash of ['codepoint-product', 'fnv1a'] as const) {
        const shard = shardOf(`user${i}@example.com`, 200, hash);
        counts[hash].set(shard, (counts[hash].get(shard) ?? 0) + 1);
      }
    }
    expect(counts['codepoint-product'].size).toBe(1);
    expect(counts.fnv1a.size).toBe(200);
    // An even share is 500.
    expect(Math.max(...counts.fnv1a.values())).toBeLessThan(650);
  });
});
