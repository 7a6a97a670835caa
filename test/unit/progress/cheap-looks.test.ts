import { describe, expect, it } from 'vitest';
import { stringOf } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { claimsItem } from '../../../src/stream/progress/claims.ts';
import { type ConsumerKind, progressItem } from '../../../src/stream/progress/consumers.ts';
import { lagOfStream, positionOfStream } from '../../../src/trust/explain/position.ts';
import { status } from '../../../src/trust/explain/status.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { MemoryStream } from '../../support/memory-stream.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) }, edges: {} });
const NOW = 1_800_000_000_000;
const STREAM = '2026-01-01T00:00:00.000';
/** More records than a look reads of a shard: 50 pages of 1,000. */
const MANY = 60_000;

/** One for all tests, as none changes it: it takes long to make. */
const source = new MemoryStream(NOW);
source.add(
  's',
  Array.from({ length: MANY }, (_, i) => i + 1),
);

/** A table whose stream has many records in one shard, all of them claimed, and positions that different processes would make. */
async function longStream({ isClaimed = true } = {}) {
  const store = new MemoryStore(graph.table);
  const claims = Array.from({ length: MANY / 1000 }, (_, i) => {
    return { first: `${i * 1000 + 1}`, last: `${(i + 1) * 1000}`, records: 1000, stream: STREAM };
  });
  if (isClaimed) await store.put(claimsItem(graph.table, 'f', claims, NOW - 50_000));
  const progress = (kind: ConsumerKind, stream: string | undefined, sequenceNumber: string) => {
    const shards = [{ shardId: 's', sequenceNumber }];
    const state = {
      id: kind,
      kind,
      model: '',
      stream,
      seenAtMs: NOW,
      records: 1,
      intervalMs: 1,
      isStopped: false,
      shards,
    };
    return store.put(progressItem(graph.table, state, 0));
  };
  return {
    ...{ store, progress },
    process: (savesPlaces: boolean) => positionOfStream(graph, store, source, { now: () => NOW, savesPlaces }),
  };
}

describe('a look at a long stream', () => {
  it('says that it was not read to its end, and not that it is behind by nothing', async () => {
    const { store, process } = await longStream();
    const position = process(false);
    const looked = () => status(graph, { store, now: () => NOW, position: position.look });
    const first = await looked();
    expect(first.shards).toEqual([{ id: 's', atEnd: false, behindSeconds: null, state: 'not read to its end' }]);
    expect(first).toMatchObject({ streamReads: 50, problems: [] });
    // The same process goes on, and then reads two empty pages a look.
    expect(await looked()).toMatchObject({ streamReads: 12, shards: [{ state: 'at end', behindSeconds: 0 }] });
    expect(await looked()).toMatchObject({ streamReads: 2, shards: [{ state: 'at end' }] });
    expect(await lagOfStream(process(false))).toMatchObject({
      isApplied: undefined,
      text: expect.stringContaining('the stream was not read to its end'),
    });
  });

  it('leaves marks, where the process may write, so that the next one reads from there', async () => {
    const { process } = await longStream();
    const first = process(true);
    await first.look();
    await first.look();
    expect(await process(true).look()).toMatchObject({ streamReads: 2, shards: [{ atEnd: true }] });
  });

  it('leaves no mark where it is to write nothing, or may not', async () => {
    const { store, process } = await longStream();
    await process(false).look();
    expect([...store.items()].filter(({ target }) => stringOf(target)?.startsWith('mark/'))).toEqual([]);
  });

  it.each<[string, ConsumerKind, string | undefined, number]>([
    ['from where a worker has come', 'worker', STREAM, 3],
    ['from its beginning: a function does not know what others gave up', 'lambda', STREAM, 50],
    ['from its beginning: the worker has read another stream', 'worker', '2025-01-01T00:00:00.000', 50],
    ['from its beginning: the worker does not say which stream it has read', 'worker', undefined, 50],
  ])('begins %s', async (_name, kind, stream, reads) => {
    const { process, progress } = await longStream({ isClaimed: false });
    await progress(kind, stream, `${MANY - 10}`);
    const { streamReads, shards } = await process(false).look();
    expect(streamReads).toBe(reads);
    expect(shards).toMatchObject([{ isWhole: reads === 3 }]);
  });

  it('is not led astray by progress that is none', async () => {
    const { process, progress } = await longStream();
    await progress('worker', STREAM, 'x');
    expect(await process(false).look()).toMatchObject({ streamReads: 50 });
  });
});
