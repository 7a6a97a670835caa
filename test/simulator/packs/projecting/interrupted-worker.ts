import { setTimeout as delay } from 'node:timers/promises';
import type { DerivedUpdate, UpdateResult } from '../../../../src/core/store-port.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import { createSourceWorker } from '../../../../src/projecting/worker/worker.ts';
import { memoryCheckpoint } from '../../../../src/stream/checkpoint.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { ScriptedStream } from '../../../support/scripted-stream.ts';
import { graphOf, PLAIN_OPTIONS } from './models.ts';
import { differences } from './verdict.ts';

/** A table that takes no update while it is down. */
class FailingStore extends MemoryStore {
  isDown = false;

  override async update(update: DerivedUpdate): Promise<UpdateResult> {
    if (this.isDown) throw new StoreError('retryable', 'simulated', 'The table is down.');
    return super.update(update);
  }
}

/**
 * The local worker is stopped while the table takes no writes, and another one goes on from its checkpoint. Gives the
 * differences that are left then.
 */
export async function interruptedWorker(): Promise<string[]> {
  const graph = graphOf(PLAIN_OPTIONS);
  const store = new FailingStore(graph.table);
  const stream = new ScriptedStream(store);
  stream.open('shard');
  const edge = { source: { S: 'GOAL-1' }, target: { S: 'MEMBER-USER-1' }, role: { S: 'LEAD' } };
  await stream.put('shard', edge);
  const settings = { store, checkpoint: memoryCheckpoint(), batchTimeoutMs: 50, stopGraceMs: 0 };
  store.isDown = true;
  const first = createSourceWorker(graph, { source: stream, ...settings, logger: SILENT });
  const ended = first.run();
  while (!stream.calls.includes('read shard')) await delay(5);
  await delay(20);
  await first.stop();
  await ended;
  store.isDown = false;
  await createSourceWorker(graph, { source: stream, ...settings, logger: SILENT }).run({ untilIdle: true });
  return differences({
    options: PLAIN_OPTIONS,
    items: [...store.items()],
    givenUp: new Set(),
    unmended: new Set(),
  });
}

/** The warnings of a table that is down are what is expected. */
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
