import { describe, expect, it } from 'vitest';
import { type Checkpoint, type CheckpointStore, memoryCheckpoint } from '../../../src/stream/checkpoint.ts';
import { Journal } from '../../../src/stream/checkpoint-journal.ts';

const STREAM = 'arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2026-01-01T00:00:00.000';

/** A store whose saves end when the test says so. */
function slowStore(): CheckpointStore & { saves: Checkpoint[]; finish(error?: Error): Promise<void> } {
  const saves: Checkpoint[] = [];
  const ends: ((error?: Error) => void)[] = [];
  return {
    ...memoryCheckpoint(),
    saves,
    save(checkpoint) {
      saves.push(checkpoint);
      return new Promise((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve() : reject(error)));
      });
    },
    async finish(error) {
      while (ends.length === 0) await Promise.resolve();
      ends.shift()?.(error);
    },
  };
}

function openJournal(store: CheckpointStore): Promise<Journal> {
  return Journal.open(store, STREAM, (other) => {
    throw new Error(`The checkpoint is of ${other}.`);
  });
}

describe('a journal', () => {
  it('goes on from what was kept of its stream', async () => {
    const store = memoryCheckpoint();
    const journal = await openJournal(store);
    journal.noteShard({ shardId: 'a', sequenceNumber: '12', finished: false });
    journal.noteShard({ shardId: 'b', finished: true });
    await journal.flush();

    const opened = await openJournal(store);
    expect(opened.get('a')).toEqual({ shardId: 'a', sequenceNumber: '12', finished: false });
    expect(opened.isFinished('a')).toBe(false);
    expect(opened.isFinished('b')).toBe(true);
    expect(opened.isFinished('constructor')).toBe(false);
    expect(opened.shardIds()).toEqual(['a', 'b']);
  });

  it('leaves the checkpoint of another stream, says so, and starts empty', async () => {
    const store = memoryCheckpoint();
    const old = STREAM.replace('2026', '2025');
    await store.save({ version: 1, streamArn: old, shards: [{ shardId: 'a', sequenceNumber: '12', finished: false }] });
    const others: string[] = [];
    const journal = await Journal.open(store, STREAM, (streamArn) => others.push(streamArn));
    expect(others).toEqual([old]);
    expect(journal.shardIds()).toEqual([]);
  });

  it('saves once for all that is noted while a save runs', async () => {
    const store = slowStore();
    const journal = await openJournal(store);
    const flushes: Promise<void>[] = [];
    for (const sequenceNumber of ['1', '2', '3', '4']) {
      journal.noteShard({ shardId: 'a', sequenceNumber, finished: false });
      flushes.push(journal.flush());
      // The first save starts; the others come while it runs.
      if (sequenceNumber === '1') while (store.saves.length === 0) await Promise.resolve();
    }
    await store.finish();
    await store.finish();
    await Promise.all(flushes);
    expect(store.saves.map(({ shards }) => shards[0]?.sequenceNumber)).toEqual(['1', '4']);
  });

  it('resolves a flush only when what was noted before it is kept', async () => {
    const store = slowStore();
    const journal = await openJournal(store);
    journal.noteShard({ shardId: 'a', sequenceNumber: '1', finished: false });
    const first = journal.flush();
    while (store.saves.length === 0) await Promise.resolve();
    journal.noteShard({ shardId: 'a', sequenceNumber: '2', finished: false });
    let isKept = false;
    const second = journal.flush().then(() => {
      isKept = true;
    });
    await store.finish();
    await first;
    expect(isKept).toBe(false);
    await store.finish();
    await second;
    expect(store.saves.at(-1)?.shards[0]?.sequenceNumber).toBe('2');
  });

  it('saves nothing where nothing was noted', async () => {
    const store = slowStore();
    const journal = await openJournal(store);
    await journal.flush();
    expect(store.saves).toEqual([]);
  });

  it('tells of a failed save, and tries again with the next flush', async () => {
    const store = slowStore();
    const journal = await openJournal(store);
    journal.noteShard({ shardId: 'a', sequenceNumber: '1', finished: false });
    const failing = expect(journal.flush()).rejects.toThrow('disk full');
    await store.finish(new Error('disk full'));
    await failing;
    const again = journal.flush();
    await store.finish();
    await again;
    expect(store.saves).toHaveLength(2);
  });

  it('forgets shards, in the file too', async () => {
    const store = memoryCheckpoint();
    const journal = await openJournal(store);
    journal.noteShard({ shardId: 'a', finished: true });
    journal.noteShard({ shardId: 'b', finished: false });
    await journal.flush();
    journal.forget('a');
    await journal.flush();
    expect((await store.load())?.shards).toEqual([{ shardId: 'b', finished: false }]);
  });
});
