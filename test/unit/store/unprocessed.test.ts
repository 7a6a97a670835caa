import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importFile } from '../../../src/client/write/import.ts';
import { putMany } from '../../../src/client/write/put-many.ts';
import { readItems } from '../../../src/core/store-pages.ts';
import type { BatchWaits } from '../../../src/core/store-port.ts';
import { readAbortable, runAbortable } from '../../../src/store/abortable.ts';
import { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import type { TableCalls } from '../../../src/store/lean/calls.ts';
import { MeteredStore } from '../../../src/store/metered.ts';
import { goalGraph } from '../../support/contracts-model.ts';

const graph = goalGraph();
const KEY = { source: 'USER-1', target: 'USER-1' };
const PUT = { put: { source: { S: 'USER-1' }, target: { S: 'USER-1' } } };
const THROTTLED = { kind: 'retryable', code: 'ProvisionedThroughputExceededException' };

/** A store whose batch calls process as many of their entries as is said, one call after the other, and then none. */
function throttled(...processed: number[]) {
  const sent: number[] = [];
  const call = async (name: string, { RequestItems }: { RequestItems: Record<string, unknown> }): Promise<unknown> => {
    const requested = RequestItems[graph.table.name]!;
    const entries = name === 'BatchGetItem' ? (requested as { Keys: object[] }).Keys : (requested as object[]);
    sent.push(entries.length);
    const rest = entries.slice(processed.shift() ?? 0);
    const left = rest.length > 0 && { [graph.table.name]: name === 'BatchGetItem' ? { Keys: rest } : rest };
    return { Responses: {}, UnprocessedKeys: left || {}, UnprocessedItems: left || {} };
  };
  return { store: new DynamoDBStore({ call, callOnce: call } as unknown as TableCalls, graph.table), sent };
}

/** Waits that take no time, and note how long they would be. */
function noted(waits: Omit<BatchWaits, 'wait'> = {}) {
  const milliseconds: number[] = [];
  return {
    milliseconds,
    wait: async (length: number) => void milliseconds.push(length),
    random: () => 0.5,
    ...waits,
  };
}

describe('the unprocessed rest of a batch call', () => {
  it('is sent again after waits of the caller, ten times without progress', async () => {
    const { store, sent } = throttled();
    const waits = noted();
    await expect(store.writeMany([PUT], waits)).rejects.toMatchObject(THROTTLED);
    expect(sent).toHaveLength(10);
    expect(waits.milliseconds).toEqual([25, 50, 100, 200, 400, 800, 1600, 2500, 2500]);
  });

  it('is not waited for where less time is left', async () => {
    const waits = noted({ remainingMs: () => 60 });
    type Table = ReturnType<typeof throttled>;
    for (const [call, tries] of [
      [({ store }: Table) => store.writeMany([PUT], waits), 3],
      [({ store }: Table) => store.getMany([KEY], { consistent: true, ...waits }), 3],
      [({ store }: Table) => readItems({ store, stats: { rcu: 0 }, ...waits }, [KEY]), 3],
      // A metered store tries the whole call again, three times too.
      [({ store }: Table) => new MeteredStore(store, waits).getMany([KEY], { consistent: true }), 9],
      [({ store }: Table) => new MeteredStore(store, waits).writeMany([PUT]), 9],
    ] as const) {
      const table = throttled();
      waits.milliseconds.length = 0;
      await expect(call(table)).rejects.toMatchObject(THROTTLED);
      expect(Math.max(...waits.milliseconds)).toBe(50);
      expect(table.sent).toHaveLength(tries);
    }
  });

  it('is not waited for after progress either', async () => {
    const { store, sent } = throttled(1);
    const waits = noted({ remainingMs: () => 20 });
    await expect(store.writeMany([PUT, { delete: KEY }], waits)).rejects.toMatchObject(THROTTLED);
    expect(waits.milliseconds).toEqual([]);
    expect(sent).toEqual([2]);
  });

  it('is sent no more once a signal is aborted', async () => {
    const reason = new Error('stopped');
    for (const call of [
      (table: DynamoDBStore, signal: AbortSignal) => table.writeMany([PUT], { signal, random: () => 1 }),
      (table: DynamoDBStore, signal: AbortSignal) => runAbortable(table, { signal }, (store) => store.writeMany([PUT])),
      (table: DynamoDBStore, signal: AbortSignal) =>
        readAbortable(table, signal, (store) => store.getMany([KEY], { consistent: true })),
      (table: DynamoDBStore, signal: AbortSignal) => putMany(graph, table, [{ id: 'USER-1' }], { signal }),
    ]) {
      const { store, sent } = throttled();
      const controller = new AbortController();
      const outcome = expect(call(store, controller.signal)).rejects.toBe(reason);
      await expect.poll(() => sent.length).toBeGreaterThan(0);
      controller.abort(reason);
      const before = sent.length;
      await outcome;
      expect(sent).toHaveLength(before);
    }
  });

  it('ends the wait of an import that is stopped, which then says what it came to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edgeloom-'));
    try {
      const file = join(folder, 'items.jsonl');
      await writeFile(file, '{"source":"USER-1","target":"USER-1"}\n');
      const { store, sent } = throttled();
      const controller = new AbortController();
      const imported = importFile(graph, { store, file, signal: controller.signal });
      await expect.poll(() => sent.length).toBeGreaterThan(0);
      controller.abort();
      expect(await imported).toEqual({ items: 0, wcu: 0, skipped: 0, total: 1, writtenThrough: 0 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
