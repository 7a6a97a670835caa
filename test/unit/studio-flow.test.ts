import { afterEach, describe, expect, it, vi } from 'vitest';
import { Flow } from '../../packages/studio/base/flow.ts';
import { defineGraph, node } from '../../src/index.ts';
import { ScriptedStream } from '../support/scripted-stream.ts';
import { StreamedStore } from '../support/streamed-store.ts';

describe('the flow of a stream in the studio', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const MINUTE_MS = 60_000;
  const graph = defineGraph({ table: 'records', nodes: { USER: node({}) }, edges: {} });

  async function followed() {
    vi.useFakeTimers({ toFake: ['Date'] });
    const stream = new ScriptedStream(new StreamedStore(graph));
    const flow = new Flow(graph, async () => stream);
    stream.open('a');
    const write = async (shardId: string, name: string): Promise<void> => {
      await stream.put(shardId, { source: { S: `USER-${name}` }, target: { S: `USER-${name}` } });
    };
    await write('a', '1');
    await flow.look();
    const changedLater = async (): Promise<string[]> => {
      vi.advanceTimersByTime(MINUTE_MS);
      await flow.look();
      return flow.changes.recent().map(({ source }) => source);
    };
    return { stream, write, changedLater };
  }

  it('has the changes of all shards that came and went between two looks', async () => {
    const { stream, write, changedLater } = await followed();
    await write('a', '2');
    for (const [shardId, parent] of [
      ['b', 'a'],
      ['c', 'b'],
    ] as const) {
      stream.close(parent);
      stream.open(shardId, parent);
      await write(shardId, shardId);
    }
    expect(await changedLater()).toEqual(['USER-c', 'USER-b', 'USER-2', 'USER-1']);
  });

  it('goes on after records were lost, or a shard has gone', async () => {
    const trimmed = await followed();
    await trimmed.write('a', 'lost');
    await trimmed.write('a', 'new');
    trimmed.stream.trim('a', 2);
    expect(await trimmed.changedLater()).toEqual(['USER-new', 'USER-1']);

    const gone = await followed();
    gone.stream.vanish('a');
    gone.stream.open('z', 'y');
    await gone.write('z', 'new');
    expect(await gone.changedLater()).toEqual(['USER-new', 'USER-1']);
  });
});
