import { describe, expect, it } from 'vitest';
import { readableShards, vanishedShards, waitingShards } from '../../../src/stream/lineage.ts';
import type { Shard } from '../../../src/stream/source.ts';

const SPLIT: Shard[] = [
  { shardId: 'left', parentShardId: 'root' },
  { shardId: 'leaf', parentShardId: 'left' },
  { shardId: 'root' },
  { shardId: 'right', parentShardId: 'root' },
];

function readable(shards: readonly Shard[], ...finished: string[]): string[] {
  return readableShards(shards, (shardId) => finished.includes(shardId))
    .map(({ shardId }) => shardId)
    .sort();
}

describe('readableShards', () => {
  it('gives roots first, then whatever has a finished parent, and never a finished shard', () => {
    expect(readable(SPLIT)).toEqual(['root']);
    expect(readable(SPLIT, 'root')).toEqual(['left', 'right']);
    expect(readable(SPLIT, 'root', 'left')).toEqual(['leaf', 'right']);
    expect(readable(SPLIT, 'root', 'left', 'right', 'leaf')).toEqual([]);
  });

  it('treats ids as data, also such as every object has', () => {
    expect(readable([{ shardId: 'constructor' }, { shardId: 'toString', parentShardId: 'constructor' }])).toEqual([
      'constructor',
    ]);
  });
});

describe('waitingShards', () => {
  it('counts those that wait for a parent', () => {
    const waiting = (...finished: string[]) => waitingShards(SPLIT, (shardId) => finished.includes(shardId));
    expect(waiting()).toBe(3);
    expect(waiting('root')).toBe(1);
    expect(waiting('root', 'left')).toBe(0);
  });
});

describe('vanishedShards', () => {
  it('names the known shards that are not listed', () => {
    expect(vanishedShards(['root', 'gone', 'left'], SPLIT)).toEqual(['gone']);
    expect(vanishedShards([], SPLIT)).toEqual([]);
  });
});
