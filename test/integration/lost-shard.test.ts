import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { createSourceWorker } from '../../src/projecting/worker/worker.ts';
import { memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { isProjectedIn } from '../../src/stream/progress/projected.ts';
import { streamPosition } from '../../src/stream/progress/stream-position.ts';
import { StreamTail, TAIL_LIMITS } from '../../src/stream/stream-tail.ts';
import { lagOfStream, positionOfStream } from '../../src/trust/explain/position.ts';
import { status } from '../../src/trust/explain/status.ts';
import { sweep } from '../../src/trust/repair/sweep.ts';
import { followGraph, recordingLogger, user, viewOf } from '../support/follow-graph.ts';
import { ScriptedStream } from '../support/scripted-stream.ts';
import { testTable } from '../support/table.ts';

/** A stream may list a shard that it no longer has. That is an end with a gap, for all who read the stream. */

async function withLostShard() {
  const table = await testTable(followGraph());
  const { graph, store } = table;
  const stream = new ScriptedStream(store);
  stream.open('lost');
  await stream.put('lost', user('1', 'lost'));
  stream.close('lost');
  stream.open('child', 'lost');
  await stream.put('child', user('2'));
  stream.lose('lost');
  const options = { source: stream, store, pollIntervalMs: 10, shardIntervalMs: 250, logger: recordingLogger() };
  const work = (settings = {}) => createSourceWorker(graph, { ...options, ...settings }).run({ untilIdle: true });
  const context = { store, source: stream, now: Date.now, isProjected: isProjectedIn(graph, { store }) };
  return { ...table, stream, work, context };
}

describe('a closed shard that is gone', () => {
  it.each(['still', 'no longer'])(
    'ends for the worker with one gap where it is %s listed, and its children are read',
    async (how) => {
      const { store, stream, work } = await withLostShard();
      if (how === 'no longer') {
        const describe = stream.describe.bind(stream);
        stream.describe = async () => {
          const description = await describe();
          stream.vanish('lost');
          return description;
        };
        // The source has seen it closed, so it lists the stream no more for it.
        stream.isClosed = async (shardId) => shardId === 'lost';
      }
      const checkpoint = memoryCheckpoint();
      const { records, trimmed } = await work({ checkpoint });
      expect(records).toBe(1);
      expect(trimmed).toEqual([
        {
          shardId: 'lost',
          message: expect.stringContaining('Shard lost has left the stream and can no longer be read'),
        },
      ]);
      expect(await viewOf(store, '2')).toMatchObject({ name: '2' });
      // The next run knows that the shard has ended.
      expect(await work({ checkpoint })).toMatchObject({ records: 0, trimmed: [] });
    },
  );

  it('is a line of the status, and nothing waits for it', async () => {
    const { graph, context, work } = await withLostShard();
    await work();
    const position = await streamPosition(graph, context);
    const { shards, problems } = await status(graph, {
      store: context.store,
      position: async () => position,
    });
    expect(shards.map(({ id, state, atEnd }) => [id, state, atEnd]).sort()).toEqual([
      ['child', 'at end', true],
      ['lost', 'lost', true],
    ]);
    expect(problems).toEqual([]);
    const found = positionOfStream(graph, context.store, context.source);
    expect(await lagOfStream(found)).toMatchObject({ isApplied: true });
    expect(await found.consumer(0).appliedUpToMs()).toBeGreaterThan(0);
  });

  it('does not hold up a sweep', async () => {
    const { graph, context } = await withLostShard();
    expect(await sweep({ ...context, graph, now: () => Date.now() + 600_000 })).toMatchObject({ repaired: 1, left: 0 });
  });

  it('is a gap for who follows the stream, and no end to begin at', async () => {
    const { stream } = await withLostShard();
    const gaps: string[] = [];
    const tailOf = () =>
      new StreamTail({ source: stream, now: Date.now, limits: TAIL_LIMITS, onGap: (reason) => gaps.push(reason) });
    const tail = tailOf();
    tail.resume([{ shardId: 'lost', isFinished: false, sinceMs: Date.now() }]);
    await tail.list(false);
    await tail.readPages();
    expect(gaps).toEqual([expect.stringContaining('Shard lost has left the stream and can no longer be read')]);
    const { records } = await tail.readPages();
    expect(records.map(({ record }) => record.dynamodb?.Keys?.['source'] as Item)).toEqual([{ S: 'USER-2' }]);

    // Without its child it is the last one of its line.
    stream.vanish('child');
    const atEnds = tailOf();
    await atEnds.list(true);
    expect(atEnds.positionOf('lost')).toMatchObject({ isFinished: true });
    expect(gaps).toHaveLength(1);
  });
});

describe('a shard that leaves the stream between listing and reading', () => {
  it('fails no look and no sweep: the stream is listed again', async () => {
    const { graph, context, stream, work } = await withLostShard();
    await work();
    stream.open('other');
    let isListed = 0;
    const describe = stream.describe.bind(stream);
    stream.describe = async () => {
      const description = await describe();
      isListed += 1;
      stream.vanish('other');
      return description;
    };
    const ids = async () => (await streamPosition(graph, context)).shards.map(({ shardId }) => shardId).sort();
    expect(await ids()).toEqual(['child', 'lost']);
    expect(isListed).toBe(2);
    stream.open('other');
    expect(await sweep({ ...context, graph })).toMatchObject({ left: 0 });
  });

  it('a shard that stays unreadable is named, with what to do', async () => {
    const { graph, context, stream } = await withLostShard();
    stream.open('new');
    stream.lose('new');
    await expect(streamPosition(graph, context)).rejects.toMatchObject({
      code: 'stream-no-shard',
      message: 'Shard new cannot be read: There is no shard new.',
      hint: expect.stringContaining('Try again'),
    });
  });
});
