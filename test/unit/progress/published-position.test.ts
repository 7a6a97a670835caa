import { expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { LowWatermarkMover } from '../../../src/stream/progress/low-watermark-mover.ts';
import { publishedPosition, publishedUpToMs } from '../../../src/stream/progress/published-position.ts';
import { positionOfStream } from '../../../src/trust/explain/position.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { MemoryStream } from '../../support/memory-stream.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) }, edges: {} });
const NOW = Date.UTC(2026, 0, 2);

/** A stream with records that nobody has applied, all made 100 seconds ago, and a clock. */
function late(shards: number) {
  const stream = new MemoryStream(NOW);
  for (let shard = 0; shard < shards; shard++) stream.add(`shard-${shard}`, [shard * 3 + 1, shard * 3 + 2]);
  const store = new MemoryStore(graph.table);
  const world = { nowMs: NOW };
  const now = () => world.nowMs;
  return { stream, store, world, now, context: { graph, store, source: stream, now } };
}

it('what one process has published of the stream, all others read from the table', async () => {
  const { stream, context } = late(3);
  expect(await publishedPosition(context)).toBeUndefined();
  await new LowWatermarkMover(context).advance(5_000);
  const { reads } = stream;
  expect(await publishedUpToMs(context)).toBe(NOW - 100_000);
  const position = await publishedPosition(context);
  expect(position?.shards).toEqual(
    [0, 1, 2].map((shard) => ({
      ...{ shardId: `shard-${shard}`, atEnd: false, isWhole: true, behindSeconds: 100, waiting: 2, isCertain: false },
    })),
  );
  expect(stream.reads).toBe(reads);
});

it('an old position, and that of another stream, says nothing', async () => {
  const { context, world } = late(1);
  await new LowWatermarkMover(context).advance(5_000);
  const other = { ...context, source: Object.assign(new MemoryStream(NOW), { streamArn: 'arn:other/stream/2' }) };
  expect(await publishedUpToMs(other)).toBeUndefined();
  world.nowMs += 60_000;
  expect(await publishedUpToMs(context)).toBeUndefined();
  expect(await publishedPosition(context)).toBeUndefined();
});

it('a check that waits long enough reads what is published; a short one, and one without it, looks at the stream', async () => {
  const { stream, store, world, now, context } = late(1);
  const position = positionOfStream(graph, store, stream, { now });
  await new LowWatermarkMover(context).advance(5_000);
  const before = stream.reads;
  expect(await position.consumer(30_000).appliedUpToMs()).toBe(NOW - 100_000);
  expect((await position.latest()).shards[0]).toMatchObject({ behindSeconds: 100 });
  expect(stream.reads).toBe(before);
  await position.consumer(1_000).appliedUpToMs();
  expect(stream.reads).toBeGreaterThan(before);
  const between = stream.reads;
  world.nowMs += 60_000;
  await position.consumer(30_000).appliedUpToMs();
  expect(stream.reads).toBeGreaterThan(between);
  const beforeLatest = stream.reads;
  await position.latest();
  expect(stream.reads).toBeGreaterThan(beforeLatest);
});

it('a lease that is taken keeps what was published before', async () => {
  const { context, world } = late(2);
  await new LowWatermarkMover(context).advance(5_000);
  world.nowMs += 12_000;
  const failing = {
    ...context,
    source: Object.assign(Object.create(context.source), { describe: () => Promise.reject(new Error('no')) }),
  };
  await expect(new LowWatermarkMover(failing).advance(5_000)).rejects.toThrow('no');
  expect((await publishedPosition(context))?.shards).toHaveLength(2);
});
