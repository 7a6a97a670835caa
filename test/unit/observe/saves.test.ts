import { describe, expect, it } from 'vitest';
import { observe } from '../../../src/trust/observe/observe.ts';
import { followGraph } from '../../support/follow-graph.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const SECOND_MS = 1_000;
const RUN_SECONDS = 60;

/** The number of saves of an observer that runs for a minute, and reads a stream of quiet shards. */
async function savesOf(shards: number): Promise<number> {
  const graph = followGraph('records');
  const clock = { nowMs: 1_000_000_000_000 };
  const endMs = clock.nowMs + RUN_SECONDS * SECOND_MS;
  const stream = Array.from({ length: shards }, (_, i) => ({ shardId: `shard-${i}` }));
  let saves = 0;
  const { endedBy } = await observe({
    ...{ graph, store: new MemoryStore(graph.table), checks: false },
    source: {
      streamArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/records/stream/2026-03-01T00:00:00.000',
      describe: async () => ({ status: 'ENABLED', shards: stream }),
      isClosed: async () => false,
      iterator: async () => 'end',
      latest: async () => 'end',
      read: async () => ({ records: [], next: 'end' }),
    },
    lowWatermark: async () => undefined,
    memory: {
      open: async () => undefined,
      save: async () => {
        saves += 1;
        return true;
      },
      close: async () => undefined,
    },
    now: () => clock.nowMs,
    wait: async () => {
      clock.nowMs += SECOND_MS;
    },
    remainingMs: () => endMs - clock.nowMs,
  });
  expect(endedBy).toBe('time');
  return saves;
}

describe('the saves of an observer', () => {
  // One more is at the end.
  it.each([
    { shards: 3, everySeconds: 5 },
    { shards: 1_000, everySeconds: 10 },
    { shards: 4_000, everySeconds: 30 },
  ])('come every $everySeconds s with $shards shards', async ({ shards, everySeconds }) => {
    const expected = RUN_SECONDS / everySeconds;
    const saves = await savesOf(shards);
    expect(saves).toBeGreaterThanOrEqual(expected);
    expect(saves).toBeLessThanOrEqual(expected + 1);
  });
});
