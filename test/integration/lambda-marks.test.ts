import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FunctionLogger } from '../../src/deployment/lambda/function-logger.ts';
import { streamHandler } from '../../src/deployment/lambda/index.ts';
import type { RawRecord } from '../../src/stream/decode.ts';
import { positionOfStream } from '../../src/trust/explain/position.ts';
import { sweep } from '../../src/trust/repair/sweep.ts';
import { followGraph, recordingLogger, user } from '../support/follow-graph.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { ScriptedStream } from '../support/scripted-stream.ts';

const SHARDS = ['one', 'two'];
const RECORDS_A_SHARD = 5_000;
const PAGE = 1_000;

beforeEach(() => void vi.spyOn(process.stdout, 'write').mockReturnValue(true));
afterEach(() => vi.restoreAllMocks());

it('a status after a sweep reads the end of each shard alone, though a function has left no marks', async () => {
  const graph = followGraph('scripted');
  const store = new MemoryStore(graph.table);
  const stream = new ScriptedStream(store);
  for (const shard of SHARDS) {
    stream.open(shard);
    for (let i = 0; i < RECORDS_A_SHARD; i++) {
      const item = user(`${shard}${i % 10}`, `${i}`);
      stream.append(shard, item, item);
    }
  }
  const logger: FunctionLogger = { ...recordingLogger(), child: () => logger };
  let nowMs = Date.now();
  const now = () => nowMs;
  const handler = streamHandler(graph, { store, logger, now });
  const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 900_000 };
  for (const shard of SHARDS) {
    for (let iterator = await stream.iterator(shard, undefined), page = 0; page < RECORDS_A_SHARD / PAGE; page++) {
      const { records, next } = await stream.read(iterator, PAGE);
      expect(
        await handler(
          { Records: records.map((record) => ({ ...record, eventSourceARN: stream.streamArn })) as RawRecord[] },
          context,
        ),
      ).toEqual({ batchItemFailures: [] });
      // Claims are written every ten seconds.
      nowMs += 11_000;
      iterator = next!;
    }
  }
  const look = () => positionOfStream(graph, store, stream, { now }).look();
  const first = await look();
  expect(first.shards.map(({ atEnd }) => atEnd)).toEqual([true, true]);
  expect(first.streamReads).toBeGreaterThan((SHARDS.length * RECORDS_A_SHARD) / PAGE);

  await sweep({ graph, store, source: stream, now });
  const later = await look();
  expect(later.shards.map(({ atEnd }) => atEnd)).toEqual([true, true]);
  expect(later.streamReads).toBeLessThanOrEqual(2 * SHARDS.length);
});
